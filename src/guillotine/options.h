// SPDX-License-Identifier: MIT
// The table of options as records, for the command and the echo in the result file.
#ifndef MCO_GUILLOTINE_OPTIONS_H
#define MCO_GUILLOTINE_OPTIONS_H

#include "base/options.h"
#include "mco/guillotine.h"

const mco_option *guillotine_options(size_t *count);

#endif
