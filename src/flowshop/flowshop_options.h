// SPDX-License-Identifier: MIT
// The table of options as records, for the command and the echo in the result file.
#ifndef MCO_FLOWSHOP_OPTIONS_H
#define MCO_FLOWSHOP_OPTIONS_H

#include "base/options.h"
#include "mco/flowshop.h"

const mco_option *flowshop_options(size_t *count);

#endif
