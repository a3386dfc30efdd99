// SPDX-License-Identifier: MIT
// The inside of a network with its trips, as it was read.
#ifndef MCO_TRAFFIC_NETWORK_H
#define MCO_TRAFFIC_NETWORK_H

#include "base/text.h"
#include "mco/traffic.h"

struct mco_traffic {
    char *name;
    mco_traffic_network view;    // its arrays are owned by this struct
    char **node_name;            // [nodes] one block with its characters; NULL: nodes are called by their numbers from 1
    char **zone_name;            // [zones] in files of trips, a block likewise; NULL: zones are called as their nodes
    mco_traffic_class *classes;  // [class_count] owned, with their arrays and names
    int32_t class_count;
};

// Makes an empty network; readers fill it and call traffic_network_check(). Errors: MEMORY.
mco_status traffic_network_new(mco_context *ctx, const char *name, mco_traffic **out);
// Readers set members of the view, arrays of the context's allocator, and classes; NULL arrays mean zeros. Then this checks the network
// and puts zeros where an array is missing: afterwards only street, x, y and turns may be NULL. Errors: those of the check, MEMORY.
mco_status traffic_network_complete(mco_context *ctx, mco_traffic *traffic, const char *where);
// Refuses what mco_traffic_create() refuses, with the link or the trip. `where` names the file in messages. O(links + trips).
mco_status traffic_network_check(mco_context *ctx, const mco_traffic *traffic, const char *where);

// Trips as a reader finds them, in any order. Entries with equal ends are added.
typedef struct traffic_trip {
    int32_t from, to;  // zones
    double amount;
} traffic_trip;
// Makes the rows of a class. Entries of 0 vanish. `trips` [count] is reordered. Errors: MEMORY.
mco_status traffic_class_fill(mco_context *ctx, int32_t zones, int64_t count, traffic_trip *trips, mco_traffic_class *out);
void traffic_class_clear(mco_context *ctx, mco_traffic_class *out);

// The end of a call that is no part of an assignment: if a request to stop has ended it, the request is cleared. Returns st.
mco_status traffic_call_end(mco_context *ctx, mco_status st);

// ---- Readers (tntp_*.c, gmns.c, trips.c, omx.c). Each takes a network under construction.
mco_status traffic_read_tntp_network(mco_context *ctx, const char *path, mco_traffic *traffic);
mco_status traffic_read_tntp_nodes(mco_context *ctx, const char *path, mco_traffic *traffic);
mco_status traffic_read_tntp_trips(mco_context *ctx, const char *path, const mco_traffic *traffic, mco_traffic_class *out);
mco_status traffic_parse_tntp_network(mco_text *text, mco_traffic *traffic);
mco_status traffic_parse_tntp_trips(mco_text *text, const mco_traffic *traffic, mco_traffic_class *out);
bool traffic_is_gmns(const char *path);  // a folder, or a file whose header has from_node_id
// `turns`: a table of movements is read; another file is left to the caller; NULL: movement.csv beside the links, if it is there.
mco_status traffic_read_gmns(mco_context *ctx, const char *path, const char *nodes, const char *turns, mco_traffic *traffic);
bool traffic_is_movements(const char *path);  // movement.csv, or a file whose header has ib_link_id
mco_status traffic_read_csv_nodes(mco_context *ctx, const char *path, mco_traffic *traffic);  // places by names, of any network
mco_status traffic_read_streets(mco_context *ctx, const char *path, mco_traffic *traffic);
mco_status traffic_read_csv_trips(mco_context *ctx, const char *path, const mco_traffic *traffic, mco_traffic_class *out);
mco_status traffic_read_omx_trips(mco_context *ctx, const char *path, const char *matrix, const mco_traffic *traffic, mco_traffic_class *out);
mco_status traffic_read_turns(mco_context *ctx, const char *path, mco_traffic *traffic);
// Reads trips of any format, a list of classes included, into traffic->classes.
mco_status traffic_read_trips(mco_context *ctx, const char *path, mco_traffic *traffic);

#endif
