// SPDX-License-Identifier: MIT
// What the files of the command share.
#ifndef MCO_TRAFFIC_COMMAND_H
#define MCO_TRAFFIC_COMMAND_H

#include "cli/frame.h"
#include "mco/traffic.h"

// Files beside NET and TRIPS, in this order (more_inputs() takes them as an array): of every action, of skim, of select and paths.
typedef struct traffic_input {
    const char *nodes, *turns, *flows, *state;
} traffic_input;
enum { TRAFFIC_INPUTS = 4 };
extern const mco_option_table traffic_input_options, traffic_model_options;

mco_status traffic_open(cli_call *call, const traffic_input *input, const char *network, const char *trips, mco_traffic **out);
// Whether a summary may go to standard output: no, if the file goes there.
bool traffic_has_summary(const char *output);
// Prints what a unit of toll and of length costs each class, if any of it counts.
mco_status traffic_print_factors(cli_call *call, const mco_traffic *traffic, const mco_traffic_params *params);
void traffic_print_network(const mco_traffic *traffic);

// ---- command_compare.c, command_analysis.c: the state of each action, its functions, and what it does

#define TRAFFIC_COMPARE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    TEXT(network, "--network", "NET", "the network of both: lengths and the map; links may then stand in any order")     \
    TEXT(plot, "--plot", "F.svg", "draw the difference: width by its size, one colour for more and one for less")        \
    TEXT(output, "--output", "F.csv", "write each link: from, to, before, after, difference")                            \
    INTEGER(top, "--top", 10, 0, 1000000, -1, "N", "say the N largest changes")

typedef struct traffic_comparing {
    MCO_FIELDS(TRAFFIC_COMPARE_OPTIONS)
    traffic_input input;
} traffic_comparing;

// ---- The options of skim, select and paths. Some belong to several of them.

#define TRAFFIC_WHAT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                 \
    CHOICE(what, "--what", mco_traffic_skim, MCO_TRAFFIC_SKIM_COST, MCO_TRAFFIC_SKIM_NAMES,                               \
           "what a skim adds up along the paths of least cost")
#define TRAFFIC_CLASS_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    INTEGER(which, "--class", 1, 1, MCO_TRAFFIC_MAX_CLASSES, -1, "K", "the class, by its number")
#define TRAFFIC_LINK_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    TEXT(link, "--link", "A-B", "the link from node A to node B")                                                         \
    TEXT(share, "--share", "F.csv", "write where the trips over the link travel: from, to, trips")
#define TRAFFIC_LEAST_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    REAL(least, "--least", 0, 0, 1e15, -1, "T", "leave out paths with fewer trips than T")
#define TRAFFIC_OUTPUT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TEXT(output, "--output", "F", "where to write: .csv or .omx; paths as CSV")

#define TRAFFIC_SKIM_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    TRAFFIC_WHAT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    TRAFFIC_CLASS_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_OUTPUT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)
#define TRAFFIC_SELECT_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                              \
    TRAFFIC_LINK_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_CLASS_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_OUTPUT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)
#define TRAFFIC_PATHS_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_LEAST_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_OUTPUT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)
#define TRAFFIC_ANALYSIS_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                            \
    TRAFFIC_WHAT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    TRAFFIC_CLASS_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_LINK_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_LEAST_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TRAFFIC_OUTPUT_OPTION(INTEGER, REAL, CHOICE, TEXT, FLAG)

typedef struct traffic_analysing {
    MCO_FIELDS(TRAFFIC_ANALYSIS_OPTIONS)
    mco_traffic_params params;
    traffic_input input;
} traffic_analysing;

#define TRAFFIC_GENERATE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    CHOICE(family, "--family", mco_traffic_family, MCO_TRAFFIC_GRID, MCO_TRAFFIC_FAMILY_NAMES,                            \
           "grid of streets, planar roads, roads with the twelve types of streets, or the four nodes of Braess")          \
    TEXT(size, "--size", "AxB", "rows and columns")                                                                       \
    INTEGER(zones, "--zones", 16, 1, 2000000000, -1, "Z", "zones, spread over the nodes")                                 \
    INTEGER(destinations, "--destinations", 256, 1, 2000000000, -1, "D",                                                  \
            "destinations of each zone, drawn at random; if not given, at most all other zones")                          \
    REAL(load, "--load", 0.5, 0, 1000, -1, "L", "about the mean of flow over capacity where all take their shortest path") \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed")                                                      \
    TEXT(network, "--network", "F", "where to write the network: .tntp, .csv for streets, or a folder for GMNS")          \
    TEXT(trips, "--trips", "F", "where to write the trips: .tntp, .csv or .omx")

typedef struct traffic_generation {
    MCO_FIELDS(TRAFFIC_GENERATE_OPTIONS)
} traffic_generation;

void traffic_compare_begin(void *state);
void traffic_compare_tables(void *state, mco_option_values *out);
const char *const *traffic_compare_inputs(const void *state, int64_t *count);
void traffic_compare_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status traffic_compare(cli_call *call);

void traffic_analysis_begin(void *state);
void traffic_skim_tables(void *state, mco_option_values *out);
void traffic_select_tables(void *state, mco_option_values *out);
void traffic_paths_tables(void *state, mco_option_values *out);
const char *const *traffic_analysis_inputs(const void *state, int64_t *count);
void traffic_analysis_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status traffic_skim(cli_call *call);
mco_status traffic_select(cli_call *call);
mco_status traffic_paths(cli_call *call);

void traffic_generation_begin(void *state);
void traffic_generation_tables(void *state, mco_option_values *out);
void traffic_generation_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status traffic_generate(cli_call *call);

#endif
