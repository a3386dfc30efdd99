// SPDX-License-Identifier: MIT
// Reads files of OpenStreetMap object by object: .osm.pbf (Protocol Buffers, by protobuf-c and zlib) and .osm (XML).
#ifndef MCO_PATHS_TRANSIT_OSM_H
#define MCO_PATHS_TRANSIT_OSM_H

#include "base/context.h"

typedef enum osm_kind { OSM_NODE, OSM_WAY, OSM_RELATION } osm_kind;

typedef struct osm_string {
    const char *data;  // without a NUL behind it
    size_t size;
} osm_string;

typedef struct osm_tag {
    osm_string key, value;
} osm_tag;

typedef struct osm_member {
    int64_t id;
    osm_kind kind;
    osm_string role;
} osm_member;

// A node, a way or a relation. It is valid during the call that takes it.
typedef struct osm_object {
    osm_kind kind;
    int64_t id;
    const osm_tag *tag;  // [tags]
    int64_t tags;
    double latitude, longitude;  // of a node, degrees
    const int64_t *node;         // [nodes] of a way
    int64_t nodes;
    const osm_member *member;    // [members] of a relation
    int64_t members;
} osm_object;

typedef mco_status (*osm_take)(void *user, const osm_object *object);

// Hands the objects of the kinds in a mask, 1 << OSM_NODE and so on, to `take` in the order of the file. The end of the name tells the
// format: .pbf, or .osm, .osm.gz, .xml. Errors: IO, PARSE (with the place: line and column, or the byte where the block begins), LIMIT,
// MEMORY, STOPPED, and what `take` returns. A file of blocks has no mark of its end: one that is cut between two blocks is a smaller map.
mco_status osm_read(mco_context *ctx, const char *path, unsigned kinds, osm_take take, void *user);
bool osm_is_pbf(const char *path);

static inline bool osm_is(osm_string s, const char *word)
{
    size_t k = 0;
    while (k < s.size && word[k] != '\0' && s.data[k] == word[k])
        k++;
    return k == s.size && word[k] == '\0';
}

// The value of a tag; data NULL: there is none.
static inline osm_string osm_value(const osm_object *object, const char *key)
{
    for (int64_t k = 0; k < object->tags; k++)
        if (osm_is(object->tag[k].key, key))
            return object->tag[k].value;
    return (osm_string){0};
}

// ---- The two formats. Each reads a whole file.
mco_status osm_read_pbf(mco_context *ctx, const char *path, unsigned kinds, osm_take take, void *user);
mco_status osm_read_xml(mco_context *ctx, const char *path, unsigned kinds, osm_take take, void *user);

#endif
