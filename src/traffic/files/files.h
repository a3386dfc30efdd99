// SPDX-License-Identifier: MIT
// What readers and writers of traffic share: names of zones, links by their ends, paths beside paths.
#ifndef MCO_TRAFFIC_FILES_H
#define MCO_TRAFFIC_FILES_H

#include <stdio.h>

#include "base/names.h"
#include "base/output.h"
#include "traffic/model/network.h"

#define TRAFFIC_MAX_VALUE 1e300  // of a number in a file, either sign

// Links by tail, then by head, then by number.
typedef struct traffic_ends {
    const mco_traffic_network *view;  // borrowed
    int64_t *first;                   // [nodes + 1] entries of a tail
    int32_t *link;                    // [links]
} traffic_ends;
// Errors: MEMORY. O(nodes + links).
mco_status traffic_ends_make(mco_context *ctx, const mco_traffic_network *view, traffic_ends *out);
void traffic_ends_clear(mco_context *ctx, traffic_ends *ends);
// The links from `tail` to `head` are ends->link[returned .. returned + *count - 1]. O(log links).
int64_t traffic_ends_find(const traffic_ends *ends, int32_t tail, int32_t head, int64_t *count);

// Finders of nodes and zones by their names in files. The caller releases finder.table.slots.
mco_name_finder traffic_find_nodes(const mco_traffic *traffic, const char *what);
mco_name_finder traffic_find_zones(const mco_traffic *traffic, const char *what);
// The name of a zone in files: its own, else that of its node; `buffer` as in mco_traffic_node_name().
const char *traffic_zone_name(const mco_traffic *traffic, int32_t zone, char buffer[16]);

// Whether a path ends so, behind ".gz", in upper or lower case.
bool traffic_ends_with(const char *path, const char *end);
bool traffic_is_folder(const char *path);
bool traffic_is_file(const char *path);  // no pipe, no device
// FOLDER/NAME, or that with .gz where only this is there. Errors: IO (the path is too long).
mco_status traffic_path_in(mco_context *ctx, const char *folder, const char *name, char out[MCO_PATH_LENGTH]);
// The path without the end of its name and with `end` in its place: F.tntp gives F_node.tntp. Errors: IO.
mco_status traffic_path_beside(mco_context *ctx, const char *path, const char *end, char out[MCO_PATH_LENGTH]);
bool traffic_is_there(const char *path);

// A copy of a text. Errors: MEMORY.
mco_status traffic_copy_text(mco_context *ctx, const char *text, size_t size, const char **out);

// ---- Streets of the twelve types
// Vehicles an hour and lane at which the cubic term of a type is 1: the capacity of a street that states none.
static inline double traffic_lane_capacity(int32_t type)
{
    return type <= 2 ? 500 : type <= 9 ? 900 : 1200;
}
// Seconds for metres at km/h.
static inline double traffic_street_time(double length, double speed)
{
    return 3.6 * length / speed;
}

// OMX (omx.c). Errors: IO (this build or this machine lacks HDF5), and those of the readers and writers.
mco_status traffic_write_omx(mco_context *ctx, const mco_traffic *traffic, const char *name, const double *matrix, const char *path);

#endif
