// SPDX-License-Identifier: MIT
// The table of options as records, for the command and the echo in the result file.
#ifndef MCO_FLOWSHOP_OPTIONS_H
#define MCO_FLOWSHOP_OPTIONS_H

#include "base/options.h"
#include "mco/flowshop.h"

const mco_option *flowshop_options(size_t *count);
// The name of an engine, as --engine takes it, in `buffer` of at least 32 bytes.
const char *flowshop_engine_name(mco_flowshop_engine engine, char *buffer, size_t size);

#endif
