// SPDX-License-Identifier: MIT
// The waste form of the gpu engine.
#ifndef MCO_GUILLOTINE_WASTE_GPU_H
#define MCO_GUILLOTINE_WASTE_GPU_H

#include "guillotine/engine.h"

// *is_solved: the answer is complete. Otherwise the form does not suit the job, its tables or the plan do not fit, the
// plate wastes too much, or the run was stopped. Caps below first_cap are left out. With first_cap 0 the form refuses
// small plates. Errors: MEMORY, DEVICE.
mco_status guillotine_gpu_run_waste(mco_context *ctx, const guillotine_job *job, const mco_gpu *gpu, int32_t first_cap,
                                    guillotine_answer *answer, bool *is_solved);

#endif
