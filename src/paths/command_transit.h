// SPDX-License-Identifier: MIT
// The actions of journeys for the table in command.c.
#ifndef MCO_PATHS_COMMAND_TRANSIT_H
#define MCO_PATHS_COMMAND_TRANSIT_H

#include "cli/frame.h"

void transit_command_begin(void *state);
void transit_command_end(cli_call *call);
#define TRANSIT_COMMAND_BYTES 2048  // at least the bytes of the state; command_transit.c asserts it

void transit_itinerary_tables(void *state, mco_option_values *out);
mco_status transit_itinerary_open(cli_call *call);
const char *const *transit_inputs(const void *state, int64_t *count);
void transit_itinerary_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS]);
mco_status transit_itinerary_solve(cli_call *call);
bool transit_itinerary_has(const void *state);
mco_status transit_itinerary_json(cli_call *call, const mco_option_values *more, const char *path);
mco_status transit_itinerary_plot(cli_call *call, const char *path);
mco_status transit_itinerary_more(cli_call *call);
mco_status transit_itinerary_print(cli_call *call);

void transit_batch_tables(void *state, mco_option_values *out);
mco_status transit_batch_open(cli_call *call);
mco_status transit_batch_solve(cli_call *call);
bool transit_batch_has(const void *state);
mco_status transit_batch_json(cli_call *call, const mco_option_values *more, const char *path);
mco_status transit_batch_print(cli_call *call);

void transit_reach_tables(void *state, mco_option_values *out);
mco_status transit_reach_open(cli_call *call);
mco_status transit_reach_solve(cli_call *call);
bool transit_reach_has(const void *state);
mco_status transit_reach_json(cli_call *call, const mco_option_values *more, const char *path);
mco_status transit_reach_plot(cli_call *call, const char *path);
mco_status transit_reach_more(cli_call *call);
mco_status transit_reach_print(cli_call *call);

void transit_check_tables(void *state, mco_option_values *out);
mco_status transit_check_open(cli_call *call);
mco_status transit_check_read(cli_call *call, const char *path);
mco_status transit_check_journeys(cli_call *call);

void transit_timetable_tables(void *state, mco_option_values *out);
mco_status transit_timetable_run(cli_call *call);

#define PATHS_ITINERARY_ACTION                                                                                                   \
    {.name = "itinerary", .arguments = "[OPTIONS] --osm F --gtfs A,B --date D --from LAT,LON --to LAT,LON --depart HH:MM",       \
     .text = "finds the journey on foot and by public transport that arrives first", .state_bytes = TRANSIT_COMMAND_BYTES,       \
     .begin = transit_command_begin, .tables = transit_itinerary_tables, .open = transit_itinerary_open, .more_inputs = transit_inputs,                         \
     .more_outputs = transit_itinerary_outputs, .solve = transit_itinerary_solve, .has_solution = transit_itinerary_has,         \
     .write_result = transit_itinerary_json, .plot_text = "draw the journey over the streets", .plot = transit_itinerary_plot,   \
     .write_more = transit_itinerary_more, .print = transit_itinerary_print, .end = transit_command_end}
#define PATHS_ITINERARIES_ACTION                                                                                                 \
    {.name = "itineraries", .arguments = "[OPTIONS] --osm F --gtfs A,B --date D --queries F.csv",                                \
     .text = "finds the journeys of many queries on all cores or a GPU", .state_bytes = TRANSIT_COMMAND_BYTES,                            \
     .begin = transit_command_begin, .tables = transit_batch_tables, .open = transit_batch_open, .more_inputs = transit_inputs, .solve = transit_batch_solve,   \
     .has_solution = transit_batch_has, .write_result = transit_batch_json, .print = transit_batch_print,                        \
     .end = transit_command_end}
#define PATHS_ISOCHRONE_ACTION                                                                                                   \
    {.name = "isochrone", .arguments = "[OPTIONS] --osm F --gtfs A,B --date D --from LAT,LON --depart HH:MM --minutes 15,30,45", \
     .text = "finds what can be reached from a place within so many minutes", .state_bytes = TRANSIT_COMMAND_BYTES,              \
     .begin = transit_command_begin, .tables = transit_reach_tables, .open = transit_reach_open, .more_inputs = transit_inputs,                                 \
     .more_outputs = transit_itinerary_outputs, .solve = transit_reach_solve, .has_solution = transit_reach_has,                 \
     .write_result = transit_reach_json, .plot_text = "draw the streets by the minutes they are away",                           \
     .plot = transit_reach_plot, .write_more = transit_reach_more, .print = transit_reach_print, .end = transit_command_end}
#define PATHS_CHECK_JOURNEYS_ACTION                                                                                              \
    {.name = "check-journeys", .arguments = "[OPTIONS] --osm F --gtfs A,B --date D RESULT.json",                                 \
     .text = "verifies each journey that itinerary or itineraries wrote, leg by leg", .least = 1, .most = 1,                     \
     .state_bytes = TRANSIT_COMMAND_BYTES, .begin = transit_command_begin, .tables = transit_check_tables,                       \
     .open = transit_check_open, .kind = "transit", .read_solution = transit_check_read, .check = transit_check_journeys,        \
     .end = transit_command_end}
#define PATHS_TIMETABLE_ACTION                                                                                                   \
    {.name = "timetable", .arguments = "--grid AxB --output FOLDER",                                                             \
     .text = "writes the timetable of a city of A streets and B avenues as a folder of GTFS files",                              \
     .state_bytes = TRANSIT_COMMAND_BYTES, .begin = transit_command_begin, .tables = transit_timetable_tables,                   \
     .run = transit_timetable_run, .end = transit_command_end}

#endif
