// SPDX-License-Identifier: MIT
// What the files of the command share.
#ifndef MCO_TRAFFIC_COMMAND_H
#define MCO_TRAFFIC_COMMAND_H

#include "cli/frame.h"
#include "mco/traffic.h"

// Files beside NET and TRIPS, in this order (more_inputs() takes them as an array).
typedef struct traffic_input {
    const char *nodes, *turns;
} traffic_input;
extern const mco_option_table traffic_input_options;

mco_status traffic_open(cli_call *call, const traffic_input *input, const char *network, const char *trips, mco_traffic **out);
void traffic_print_network(const mco_traffic *traffic);

#endif
