// SPDX-License-Identifier: MIT
// mco paths trees | matrix | route, for the table in command.c.
#ifndef MCO_PATHS_COMMAND_TREES_H
#define MCO_PATHS_COMMAND_TREES_H

#include "paths/command.h"

#define PATHS_TREES_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                 \
    TEXT(sources, "--sources", "F", "where paths begin: a vertex a line; '#' begins a comment")                                \
    TEXT(output, "--output", "F", "where to write the distances; .gz compresses")                                              \
    CHOICE(format, "--format", mco_paths_format, MCO_PATHS_FORMAT_AUTO, MCO_PATHS_FORMAT_NAMES,                                \
           "format of the distances; auto: by the end of the name, .bin or .json, else text")

#define PATHS_MATRIX_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                \
    TEXT(sources, "--sources", "F", "where paths begin: a vertex a line; '#' begins a comment")                                \
    TEXT(targets, "--targets", "F", "where they end, likewise; if not given, the sources")                                     \
    TEXT(output, "--output", "F", "where to write the matrix as CSV: a row for each source; .gz compresses")

#define PATHS_ROUTE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                 \
    TEXT(queries, "--queries", "F", "a source and a target a line; '#' begins a comment")                                      \
    TEXT(output, "--output", "F", "where to write a line for each query: source, target, distance; .gz compresses")            \
    TEXT(geojson, "--geojson", "F", "where to write the paths as lines of a map")                                              \
    FLAG(paths, "--paths", "write the vertices of each path behind its distance")

typedef struct paths_trees_choice {
    MCO_FIELDS(PATHS_TREES_OPTIONS)
} paths_trees_choice;
typedef struct paths_matrix_choice {
    MCO_FIELDS(PATHS_MATRIX_OPTIONS)
} paths_matrix_choice;
typedef struct paths_route_choice {
    MCO_FIELDS(PATHS_ROUTE_OPTIONS)
} paths_route_choice;

// The state of all three.
typedef struct paths_many {
    mco_paths_params params;
    paths_graph_choice graph;
    paths_trees_choice trees;
    paths_matrix_choice matrix;
    paths_route_choice route;
    mco_paths_network *read;         // NULL if GRAPH is a hierarchy
    const mco_paths_network *network;
    mco_paths_hierarchy *hierarchy;  // NULL: none yet
    int64_t sources, targets;
    int32_t *source, *target;
    int32_t *distance;
    mco_paths_routes routes;
    double prepare_s;                // of a hierarchy for a matrix or routes
    mco_paths_result result;
} paths_many;

void paths_many_begin(void *state);
bool paths_many_has_answer(const void *state);
mco_status paths_many_write_result(cli_call *call, const mco_option_values *more, const char *path);
mco_status paths_many_print(cli_call *call);
void paths_many_end(cli_call *call);

void paths_trees_tables(void *state, mco_option_values *out);
const char *const *paths_trees_inputs(const void *state, int64_t *count);
void paths_trees_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status paths_trees_open(cli_call *call);
mco_status paths_trees_solve(cli_call *call);
mco_status paths_trees_write(cli_call *call);

void paths_matrix_tables(void *state, mco_option_values *out);
const char *const *paths_matrix_inputs(const void *state, int64_t *count);
void paths_matrix_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status paths_matrix_open(cli_call *call);
mco_status paths_matrix_solve(cli_call *call);
mco_status paths_matrix_write(cli_call *call);

void paths_route_tables(void *state, mco_option_values *out);
const char *const *paths_route_inputs(const void *state, int64_t *count);
void paths_route_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status paths_route_open(cli_call *call);
mco_status paths_route_solve(cli_call *call);
mco_status paths_route_write(cli_call *call);

#define PATHS_MANY_ACTION(of)                                                                                                  \
    .least = 1, .most = 1, .state_bytes = sizeof(paths_many), .begin = paths_many_begin, .tables = paths_##of##_tables,        \
    .open = paths_##of##_open, .more_inputs = paths_##of##_inputs, .more_outputs = paths_##of##_outputs,                       \
    .solve = paths_##of##_solve, .is_usable = paths_many_has_answer, .has_solution = paths_many_has_answer,                    \
    .write_result = paths_many_write_result, .write_more = paths_##of##_write, .print = paths_many_print, .end = paths_many_end

#define PATHS_TREES_ACTION                                                                                                     \
    {.name = "trees", .arguments = "[OPTIONS] GRAPH --sources F --output F",                                                   \
     .text = "finds the distances from many vertices to all others", PATHS_MANY_ACTION(trees)}
#define PATHS_MATRIX_ACTION                                                                                                    \
    {.name = "matrix", .arguments = "[OPTIONS] GRAPH --sources F --targets F --output F",                                      \
     .text = "finds the distances from every source to every target", PATHS_MANY_ACTION(matrix)}
#define PATHS_ROUTE_ACTION                                                                                                     \
    {.name = "route", .arguments = "[OPTIONS] GRAPH --queries F --output F",                                                   \
     .text = "finds the distances of pairs of vertices, and their paths", PATHS_MANY_ACTION(route)}

#endif
