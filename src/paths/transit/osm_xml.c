// SPDX-License-Identifier: MIT
// Maps as XML, over the reader of graph/xml.h.
#include <string.h>

#include "base/grow.h"
#include "graph/xml.h"
#include "paths/transit/osm.h"
#include "paths/transit/pool.h"

typedef struct osm_xml {
    xml_reader xml;
    mco_text text;
    transit_pool pool;  // strings of the object that is read
    osm_tag *tag;
    int64_t tag_room;
    int64_t *node;
    int64_t node_room;
    osm_member *member;
    int64_t member_room;
} osm_xml;

// Reads an attribute as an integer. Errors: PARSE (it is missing, or no integer).
static mco_status read_id(osm_xml *o, const char *attribute, int64_t *out)
{
    static const int64_t most = INT64_MAX;
    mco_slice value;
    if (!xml_attribute(&o->xml, attribute, &value))
        return mco_text_fail(&o->text, o->xml.name.line, o->xml.name.column, "<%.*s> has no %s", mco_slice_shown(o->xml.name),
                             o->xml.name.data, attribute);
    return mco_slice_integer(&o->text, value, attribute, -most, most, out);
}

static mco_status read_degrees(osm_xml *o, const char *attribute, double most, double *out)
{
    mco_slice value;
    if (!xml_attribute(&o->xml, attribute, &value))
        return mco_text_fail(&o->text, o->xml.name.line, o->xml.name.column, "the node has no %s", attribute);
    return mco_slice_real(&o->text, value, attribute, -most, most, out);
}

// The value of an attribute without entities; empty if it is missing. It lives as long as the object.
static mco_status read_string(osm_xml *o, const char *attribute, osm_string *out)
{
    mco_status st = MCO_OK;
    mco_slice raw;
    char *copy;
    *out = (osm_string){"", 0};
    if (!xml_attribute(&o->xml, attribute, &raw))
        return MCO_OK;
    MCO_TRY(xml_decode(&o->xml, raw, &raw));
    MCO_TRY(transit_pool_add(o->text.ctx, &o->pool, raw.data, raw.size, &copy));
    *out = (osm_string){copy, raw.size};
done:
    return st;
}

static mco_status read_member(osm_xml *o, osm_object *object)
{
    static const char *const kinds[] = {"node", "way", "relation"};
    mco_status st = MCO_OK;
    mco_slice kind;
    int index;
    MCO_TRY(mco_grow(o->text.ctx, &o->member, &o->member_room, object->members + 1));
    osm_member *member = &o->member[object->members];
    MCO_TRY(read_id(o, "ref", &member->id));
    if (!xml_attribute(&o->xml, "type", &kind))
        return mco_text_fail(&o->text, o->xml.name.line, o->xml.name.column, "<member> has no type");
    MCO_TRY(mco_slice_find(&o->text, kind, "the type is", kinds, 3, &index));
    member->kind = (osm_kind)index;
    MCO_TRY(read_string(o, "role", &member->role));
    object->members++;
done:
    return st;
}

// Reads what an object holds, to its end.
static mco_status read_children(osm_xml *o, osm_object *object)
{
    mco_status st = MCO_OK;
    bool has_child;
    for (;;) {
        MCO_TRY(xml_child(&o->xml, &has_child));
        if (!has_child)
            break;
        if (xml_is(&o->xml, "tag")) {
            MCO_TRY(mco_grow(o->text.ctx, &o->tag, &o->tag_room, object->tags + 1));
            MCO_TRY(read_string(o, "k", &o->tag[object->tags].key));
            MCO_TRY(read_string(o, "v", &o->tag[object->tags].value));
            object->tags++;
        } else if (xml_is(&o->xml, "nd")) {
            MCO_TRY(mco_grow(o->text.ctx, &o->node, &o->node_room, object->nodes + 1));
            MCO_TRY(read_id(o, "ref", &o->node[object->nodes]));
            object->nodes++;
        } else if (xml_is(&o->xml, "member")) {
            MCO_TRY(read_member(o, object));
        }
        MCO_TRY(xml_skip(&o->xml));
    }
    object->tag = o->tag;
    object->node = o->node;
    object->member = o->member;
done:
    return st;
}

// Reads the object that was entered last.
static mco_status read_object(osm_xml *o, osm_kind kind, osm_object *object)
{
    mco_status st = MCO_OK;
    *object = (osm_object){.kind = kind};
    transit_pool_reset(o->text.ctx, &o->pool);
    MCO_TRY(read_id(o, "id", &object->id));
    if (kind == OSM_NODE) {
        MCO_TRY(read_degrees(o, "lat", 90, &object->latitude));
        MCO_TRY(read_degrees(o, "lon", 180, &object->longitude));
    }
    MCO_TRY(read_children(o, object));
done:
    return st;
}

static bool find_kind(const osm_xml *o, osm_kind *kind)
{
    static const char *const names[] = {"node", "way", "relation"};
    for (int k = 0; k < 3; k++)
        if (xml_is(&o->xml, names[k])) {
            *kind = (osm_kind)k;
            return true;
        }
    return false;
}

static mco_status read_objects(osm_xml *o, unsigned kinds, osm_take take, void *user)
{
    mco_status st = MCO_OK;
    bool has_child;
    MCO_TRY(xml_root(&o->xml, "osm"));
    for (int64_t count = 1;; count++) {
        osm_kind kind;
        osm_object object;
        MCO_TRY(mco_text_in_time(&o->text, count));
        MCO_TRY(xml_child(&o->xml, &has_child));
        if (!has_child)
            break;
        if (!find_kind(o, &kind) || (kinds >> kind & 1) == 0) {
            MCO_TRY(xml_skip(&o->xml));
            continue;
        }
        MCO_TRY(read_object(o, kind, &object));
        MCO_TRY(take(user, &object));
    }
    MCO_TRY(xml_end(&o->xml));
done:
    return st;
}

mco_status osm_read_xml(mco_context *ctx, const char *path, unsigned kinds, osm_take take, void *user)
{
    osm_xml o = {.text = {.ctx = ctx}};
    mco_status st = mco_text_open(ctx, path, &o.text);
    if (st != MCO_OK)
        return st;
    o.xml.text = &o.text;
    st = read_objects(&o, kinds, take, user);
    mco_free(ctx, &o.member);
    mco_free(ctx, &o.node);
    mco_free(ctx, &o.tag);
    transit_pool_clear(ctx, &o.pool);
    xml_clear(&o.xml);
    mco_text_close(&o.text);
    return st;
}
