// SPDX-License-Identifier: MIT
// Until the room of the GPU engines is here. Whoever brings it removes this file.
#include "traffic/engine.h"

    }
LATER(traffic_gpu_frank_wolfe_assign)
#else
typedef int traffic_no_gpu;
#endif
