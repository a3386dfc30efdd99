// SPDX-License-Identifier: MIT
// A network of the General Modeling Network Specification while its tables are read: gmns.c links, gmns_nodes.c units and nodes,
// movements.c turns.
#ifndef MCO_TRAFFIC_GMNS_H
#define MCO_TRAFFIC_GMNS_H

#include "traffic/files/columns.h"
#include "traffic/files/files.h"

#define GMNS_MINUTES 60.0  // of an hour; seconds of a minute

typedef struct gmns_link {
    int32_t tail, head;  // rows of nodes
    double capacity, length, time, b, power, speed, toll;
    int32_t type;
} gmns_link;

typedef struct gmns {
    mco_context *ctx;
    mco_traffic *traffic;
    mco_names node, zone;  // by row of node.csv
    int64_t rows;
    double *x, *y;         // [rows] NULL: unknown
    bool *is_centroid;     // [rows]
    int64_t centroids;
    int32_t *place;        // [rows] number of the node in the network
    double minutes;        // length / free_speed times this
    gmns_link *link;       // [links]
    int64_t links, link_room, without_capacity, without_cars;
    bool has_node_file;
    // For movements; NULL without them.
    mco_names link_id;     // [link_rows] by row of link.csv
    int32_t *row_link;     // [link_rows + 1] first link of a row, which has none, one or two
    int64_t link_rows;
} gmns;

// Sets the minutes of a unit of length at a unit of speed. Files without units use one pair: miles and mph, or km and km/h.
// Errors: PARSE (a unit that is not known).
mco_status gmns_read_units(gmns *g, const char *path);
// Reads node.csv. Errors: PARSE, LIMIT, MEMORY.
mco_status gmns_read_nodes(gmns *g, const char *path);
// Numbers the nodes: zones first, in the order of their numbers, or of the file where one is called by letters. Errors: MEMORY.
mco_status gmns_number_nodes(gmns *g);
// Gives the network the names of its nodes and zones, unless they are the numbers that nodes have anyway. Errors: MEMORY.
mco_status gmns_give_names(gmns *g);
mco_status gmns_give_places(gmns *g);

// Whether cars may use a link or a movement: the list of uses is empty, or names more than walking, cycling and public transport.
bool gmns_is_for_cars(mco_slice uses);
// Reads movement.csv into the turns of the network, whose links and names must be there. Errors: PARSE, LIMIT, MEMORY.
mco_status gmns_read_movements(gmns *g, const char *path);

#endif
