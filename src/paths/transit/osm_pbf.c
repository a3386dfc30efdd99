// SPDX-License-Identifier: MIT
// Blocks of Protocol Buffers. protobuf-c unpacks each block into an arena, which the next block takes over. Every index and every
// size of a file is tested here; memory for a block is bounded.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "paths/transit/osm.h"

#if defined(MCO_HAVE_PROTOBUF) && defined(MCO_HAVE_ZLIB)
#include <zlib.h>

#include "osm.pb-c.h"

enum {
    MAX_HEADER = 64 << 10,  // bytes, by the format's description
    MAX_BLOB = 32 << 20,
    MAX_ARENA = 1 << 30     // for the messages of a block: a byte of it may stand for a message
};

// Memory of one block's messages. Zero before use.
typedef struct arena {
    mco_context *ctx;
    char **block;
    size_t *size;           // [blocks]
    int64_t blocks, block_room, size_room;
    int64_t at;             // the block in use
    size_t used, total;
    mco_status st;          // of the request that failed
} arena;

typedef struct pbf {
    mco_context *ctx;
    const char *path;
    mco_blocks file;
    int64_t at;             // bytes read
    int64_t block_at;       // where the block begins
    unsigned kinds;
    osm_take take;
    void *user;
    arena arena;
    ProtobufCAllocator allocator;
    char *packed, *raw;     // content of a blob
    int64_t packed_room, raw_room, raw_size;
    osm_tag *tag;
    int64_t tag_room;
    int64_t *node;
    int64_t node_room;
    osm_member *member;
    int64_t member_room;
    const Osm__Block *block;
} pbf;

// ---- Arena

static void *take_memory(void *user, size_t bytes)
{
    enum { BLOCK = 1 << 20, ALIGN = 16 };
    arena *a = user;
    mco_status st = MCO_OK;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    while (a->at < a->blocks && bytes > a->size[a->at] - a->used) {
        a->at++;
        a->used = 0;
    }
    if (a->at == a->blocks) {
        const size_t size = bytes > BLOCK ? bytes : BLOCK;
        if (a->total + size > MAX_ARENA) {
            a->st = mco_fail(a->ctx, MCO_ERR_LIMIT, "a block of the map takes %zu bytes, at most %d are supported", a->total + size,
                             MAX_ARENA);
            return NULL;
        }
        MCO_TRY(mco_grow(a->ctx, &a->block, &a->block_room, a->blocks + 1));
        MCO_TRY(mco_grow(a->ctx, &a->size, &a->size_room, a->blocks + 1));
        MCO_TRY(mco_alloc(a->ctx, &a->block[a->blocks], size));
        a->size[a->blocks++] = size;
        a->total += size;
    }
    a->used += bytes;
done:
    a->st = st;
    return st == MCO_OK ? a->block[a->at] + a->used - bytes : NULL;
}

static void leave_memory(void *user, void *memory)
{
    (void)user, (void)memory;
}

static void clear_arena(arena *a)
{
    for (int64_t k = 0; k < a->blocks; k++)
        mco_free(a->ctx, &a->block[k]);
    mco_free(a->ctx, &a->size);
    mco_free(a->ctx, &a->block);
}

static void reset_arena(arena *a)
{
    a->at = 0;
    a->used = 0;
    a->st = MCO_OK;
}

// ---- Blobs

static mco_status refuse(const pbf *p, const char *what)
{
    return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: block at byte %" PRId64 ": %s", p->path, p->block_at, what);
}

// Reads `size` bytes. *is_end, which may be NULL: the file has ended before the first one.
static mco_status read_bytes(pbf *p, void *out, size_t size, bool *is_end)
{
    size_t got = 0;
    const mco_status st = mco_blocks_read(&p->file, out, size, &got);
    if (st != MCO_OK)
        return st;
    p->at += (int64_t)got;
    if (is_end != NULL)
        *is_end = got == 0;
    if (got < size && (is_end == NULL || got > 0))
        return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: the file ends at byte %" PRId64 ", inside the block at byte %" PRId64, p->path, p->at,
                        p->block_at);
    return MCO_OK;
}

// Unpacks a message of data [size] into the arena. Errors: PARSE, MEMORY, LIMIT.
static mco_status unpack(pbf *p, const ProtobufCMessageDescriptor *type, const char *data, size_t size, ProtobufCMessage **out)
{
    *out = protobuf_c_message_unpack(type, &p->allocator, size, (const uint8_t *)data);
    if (*out != NULL)
        return MCO_OK;
    return p->arena.st != MCO_OK ? p->arena.st : refuse(p, "its content is no message of a map");
}

static mco_status inflate_blob(pbf *p, const Osm__Blob *blob)
{
    mco_status st = MCO_OK;
    uLongf size = (uLongf)blob->raw_size;
    MCO_TRY(mco_grow(p->ctx, &p->raw, &p->raw_room, (int64_t)blob->raw_size + 1));
    const int code = uncompress((Bytef *)p->raw, &size, blob->zlib_data.data, (uLong)blob->zlib_data.len);
    if (code == Z_MEM_ERROR)
        return mco_fail(p->ctx, MCO_ERR_MEMORY, "%s: zlib has no memory", p->path);
    if (code != Z_OK || size != (uLongf)blob->raw_size)
        return refuse(p, "its compressed content is damaged");
    p->raw_size = blob->raw_size;
done:
    return st;
}

// Brings the content of a blob to raw[raw_size].
static mco_status open_blob(pbf *p, size_t size)
{
    mco_status st = MCO_OK;
    ProtobufCMessage *message;
    MCO_TRY(unpack(p, &osm__blob__descriptor, p->packed, size, &message));
    const Osm__Blob *blob = (Osm__Blob *)message;
    if (blob->has_raw) {
        if (blob->raw.len > MAX_BLOB)
            return refuse(p, "its content is larger than 32 MiB");
        MCO_TRY(mco_grow(p->ctx, &p->raw, &p->raw_room, (int64_t)blob->raw.len + 1));
        memcpy(p->raw, blob->raw.data, blob->raw.len);
        p->raw_size = (int64_t)blob->raw.len;
        return MCO_OK;
    }
    if (!blob->has_zlib_data)
        return refuse(p, "it is compressed by another method than zlib, which is the one supported");
    if (!blob->has_raw_size || blob->raw_size < 0 || blob->raw_size > MAX_BLOB)
        return refuse(p, "the size of its content is missing or above 32 MiB");
    MCO_TRY(inflate_blob(p, blob));
done:
    return st;
}

// Reads the next blob to raw[raw_size]. *is_data: it has objects. *is_end: the file has ended.
static mco_status next_blob(pbf *p, bool *is_header, bool *is_data, bool *is_end)
{
    mco_status st = MCO_OK;
    unsigned char size_of[4];
    ProtobufCMessage *message;
    p->block_at = p->at;
    reset_arena(&p->arena);
    MCO_TRY(read_bytes(p, size_of, sizeof size_of, is_end));
    if (*is_end)
        return MCO_OK;
    const uint32_t size = (uint32_t)size_of[0] << 24 | (uint32_t)size_of[1] << 16 | (uint32_t)size_of[2] << 8 | size_of[3];
    if (size > MAX_HEADER)
        return refuse(p, "its header is larger than 64 KiB; is this a map?");
    MCO_TRY(mco_grow(p->ctx, &p->packed, &p->packed_room, MAX_HEADER));
    MCO_TRY(read_bytes(p, p->packed, size, NULL));
    MCO_TRY(unpack(p, &osm__blob_header__descriptor, p->packed, size, &message));
    const Osm__BlobHeader *header = (Osm__BlobHeader *)message;
    if (header->datasize < 0 || header->datasize > MAX_BLOB)
        return refuse(p, "its size is negative or above 32 MiB");
    MCO_TRY(mco_grow(p->ctx, &p->packed, &p->packed_room, (int64_t)header->datasize + 1));  // the header has a copy of its own
    MCO_TRY(read_bytes(p, p->packed, (size_t)header->datasize, NULL));
    *is_header = strcmp(header->type, "OSMHeader") == 0;
    *is_data = strcmp(header->type, "OSMData") == 0;
    if (*is_header || *is_data)
        MCO_TRY(open_blob(p, (size_t)header->datasize));
done:
    return st;
}

// Copies what a message may repeat of a file: printable ASCII, a question mark for any other byte.
static const char *shown(const char *text, char out[48])
{
    size_t k = 0;
    for (; text[k] != '\0' && k < 40; k++)
        out[k] = text[k] >= ' ' && text[k] <= '~' ? text[k] : '?';
    out[k] = '\0';
    return out;
}

static mco_status test_features(pbf *p)
{
    char text[48];
    mco_status st = MCO_OK;
    ProtobufCMessage *message;
    MCO_TRY(unpack(p, &osm__header__descriptor, p->raw, (size_t)p->raw_size, &message));
    const Osm__Header *header = (Osm__Header *)message;
    for (size_t k = 0; k < header->n_required_features; k++) {
        const char *feature = header->required_features[k];
        if (strcmp(feature, "OsmSchema-V0.6") != 0 && strcmp(feature, "DenseNodes") != 0)
            return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: readers need \"%s\"; supported are OsmSchema-V0.6 and DenseNodes", p->path,
                            shown(feature, text));
    }
done:
    return st;
}

// ---- Objects

static mco_status find_string(const pbf *p, int64_t index, osm_string *out)
{
    const Osm__Strings *table = p->block->stringtable;
    if (index < 0 || (uint64_t)index >= table->n_s)
        return refuse(p, "a tag or a role names a string that is not there");
    *out = (osm_string){(const char *)table->s[index].data, table->s[index].len};
    return MCO_OK;
}

static mco_status add_tag(pbf *p, osm_object *object, int64_t key, int64_t value)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(p->ctx, &p->tag, &p->tag_room, object->tags + 1));
    MCO_TRY(find_string(p, key, &p->tag[object->tags].key));
    MCO_TRY(find_string(p, value, &p->tag[object->tags].value));
    object->tags++;
    object->tag = p->tag;
done:
    return st;
}

static mco_status add_tags(pbf *p, osm_object *object, size_t keys, const uint32_t *key, size_t values, const uint32_t *value)
{
    mco_status st = MCO_OK;
    if (keys != values)
        return refuse(p, "an object has other numbers of keys and of values");
    for (size_t k = 0; k < keys; k++)
        MCO_TRY(add_tag(p, object, key[k], value[k]));
done:
    return st;
}

static double degrees(const pbf *p, int64_t offset, int64_t steps)
{
    return 1e-9 * ((double)offset + (double)p->block->granularity * (double)steps);
}

static mco_status take_node(pbf *p, osm_object *node, int64_t lat, int64_t lon)
{
    node->latitude = degrees(p, p->block->lat_offset, lat);
    node->longitude = degrees(p, p->block->lon_offset, lon);
    if (!(node->latitude >= -90 && node->latitude <= 90 && node->longitude >= -180 && node->longitude <= 180))
        return refuse(p, "a node has a place beyond 90 degrees north or south, or 180 east or west");
    return p->take(p->user, node);
}

// Adds differences: a file may make them overflow, so they wrap.
static int64_t step(int64_t value, int64_t difference)
{
    return (int64_t)((uint64_t)value + (uint64_t)difference);
}

static mco_status take_dense(pbf *p, const Osm__Dense *dense)
{
    mco_status st = MCO_OK;
    int64_t id = 0, lat = 0, lon = 0;
    size_t tag = 0;
    if (dense->n_id != dense->n_lat || dense->n_id != dense->n_lon)
        return refuse(p, "its nodes have other numbers of ids and of places");
    for (size_t k = 0; k < dense->n_id; k++) {
        osm_object node = {.kind = OSM_NODE};
        id = step(id, dense->id[k]);
        lat = step(lat, dense->lat[k]);
        lon = step(lon, dense->lon[k]);
        node.id = id;
        for (; tag < dense->n_keys_vals && dense->keys_vals[tag] != 0; tag += 2) {
            if (tag + 1 == dense->n_keys_vals)
                return refuse(p, "a tag of a node has no value");
            MCO_TRY(add_tag(p, &node, dense->keys_vals[tag], dense->keys_vals[tag + 1]));
        }
        tag++;
        MCO_TRY(take_node(p, &node, lat, lon));
    }
done:
    return st;
}

static mco_status take_nodes(pbf *p, const Osm__Group *group)
{
    mco_status st = MCO_OK;
    for (size_t k = 0; k < group->n_nodes; k++) {
        const Osm__Node *from = group->nodes[k];
        osm_object node = {.kind = OSM_NODE, .id = from->id};
        MCO_TRY(add_tags(p, &node, from->n_keys, from->keys, from->n_vals, from->vals));
        MCO_TRY(take_node(p, &node, from->lat, from->lon));
    }
    if (group->dense != NULL)
        MCO_TRY(take_dense(p, group->dense));
done:
    return st;
}

static mco_status take_ways(pbf *p, const Osm__Group *group)
{
    mco_status st = MCO_OK;
    for (size_t k = 0; k < group->n_ways; k++) {
        const Osm__Way *from = group->ways[k];
        osm_object way = {.kind = OSM_WAY, .id = from->id, .nodes = (int64_t)from->n_refs};
        int64_t id = 0;
        MCO_TRY(add_tags(p, &way, from->n_keys, from->keys, from->n_vals, from->vals));
        MCO_TRY(mco_grow(p->ctx, &p->node, &p->node_room, way.nodes + 1));
        for (size_t i = 0; i < from->n_refs; i++)
            p->node[i] = id = step(id, from->refs[i]);
        way.node = p->node;
        MCO_TRY(p->take(p->user, &way));
    }
done:
    return st;
}

static mco_status take_relations(pbf *p, const Osm__Group *group)
{
    mco_status st = MCO_OK;
    for (size_t k = 0; k < group->n_relations; k++) {
        const Osm__Relation *from = group->relations[k];
        osm_object relation = {.kind = OSM_RELATION, .id = from->id, .members = (int64_t)from->n_memids};
        int64_t id = 0;
        if (from->n_memids != from->n_types || from->n_memids != from->n_roles_sid)
            return refuse(p, "a relation has other numbers of members, of roles and of types");
        MCO_TRY(add_tags(p, &relation, from->n_keys, from->keys, from->n_vals, from->vals));
        MCO_TRY(mco_grow(p->ctx, &p->member, &p->member_room, relation.members + 1));
        for (size_t i = 0; i < from->n_memids; i++) {
            if (from->types[i] < 0 || from->types[i] > 2)
                return refuse(p, "a member of a relation is neither node nor way nor relation");
            p->member[i].id = id = step(id, from->memids[i]);
            p->member[i].kind = (osm_kind)from->types[i];
            MCO_TRY(find_string(p, from->roles_sid[i], &p->member[i].role));
        }
        relation.member = p->member;
        MCO_TRY(p->take(p->user, &relation));
    }
done:
    return st;
}

static mco_status take_block(pbf *p)
{
    mco_status st = MCO_OK;
    ProtobufCMessage *message;
    MCO_TRY(unpack(p, &osm__block__descriptor, p->raw, (size_t)p->raw_size, &message));
    const Osm__Block *block = p->block = (Osm__Block *)message;
    for (size_t k = 0; k < block->n_primitivegroup; k++) {
        MCO_TRY(mco_read_in_time(p->ctx, p->path));
        if ((p->kinds & 1u << OSM_NODE) != 0)
            MCO_TRY(take_nodes(p, block->primitivegroup[k]));
        if ((p->kinds & 1u << OSM_WAY) != 0)
            MCO_TRY(take_ways(p, block->primitivegroup[k]));
        if ((p->kinds & 1u << OSM_RELATION) != 0)
            MCO_TRY(take_relations(p, block->primitivegroup[k]));
    }
done:
    return st;
}

mco_status osm_read_pbf(mco_context *ctx, const char *path, unsigned kinds, osm_take take, void *user)
{
    mco_status st = MCO_OK;
    pbf p = {.ctx = ctx, .path = path, .kinds = kinds, .take = take, .user = user, .arena = {.ctx = ctx}};
    p.allocator = (ProtobufCAllocator){take_memory, leave_memory, &p.arena};
    bool is_header = false, is_data = false, is_end = false, has_header = false;
    MCO_TRY(mco_blocks_open(ctx, path, MCO_PACKING_BY_NAME, &p.file));
    for (;;) {
        MCO_TRY(next_blob(&p, &is_header, &is_data, &is_end));
        if (is_end)
            break;
        if (!has_header && !is_header) {
            st = refuse(&p, "the first block of a map is its header");
            goto done;
        }
        has_header = true;
        if (is_header)
            MCO_TRY(test_features(&p));
        if (is_data)
            MCO_TRY(take_block(&p));
    }
    if (!has_header)
        st = mco_fail(ctx, MCO_ERR_PARSE, "%s: the file is empty, a map was expected", path);
done:
    mco_blocks_close(&p.file);
    mco_free(ctx, &p.member);
    mco_free(ctx, &p.node);
    mco_free(ctx, &p.tag);
    mco_free(ctx, &p.raw);
    mco_free(ctx, &p.packed);
    clear_arena(&p.arena);
    return st;
}
#else
mco_status osm_read_pbf(mco_context *ctx, const char *path, unsigned kinds, osm_take take, void *user)
{
    (void)kinds, (void)take, (void)user;
    return mco_fail(ctx, MCO_ERR_IO, "%s: this build lacks protobuf-c or zlib, which maps of blocks need (Debian: libprotobuf-c-dev, "
                    "protobuf-c-compiler, zlib1g-dev); .osm is read without them", path);
}
#endif

bool osm_is_pbf(const char *path)
{
    const size_t size = strlen(path);
    return size >= 4 && strcmp(path + size - 4, ".pbf") == 0;
}

mco_status osm_read(mco_context *ctx, const char *path, unsigned kinds, osm_take take, void *user)
{
    return (osm_is_pbf(path) ? osm_read_pbf : osm_read_xml)(ctx, path, kinds, take, user);
}
