// SPDX-License-Identifier: MIT
// GraphML: nodes and edges of one graph. Keys called "name" or "label" give the names of vertices, if they are all there and all
// different; else the ids do. Keys "weight" of edges, "x" and "y" of nodes are read, other data are not. Hyperedges, graphs
// inside nodes, and edges of both kinds in one graph are refused.
#include <inttypes.h>
#include <string.h>

#include "base/grow.h"
#include "graph/names.h"
#include "graph/reader.h"
#include "graph/xml.h"

enum { KEY_NAME, KEY_LABEL, KEY_X, KEY_Y, KEY_WEIGHT, KEYS };

// A key of the file that is read: its id, and what stands where an edge or a node has no data of it.
typedef struct graph_key {
    mco_slice id;       // size 0: the file has no such key
    bool has_default;
    double value;       // of WEIGHT, X, Y
} graph_key;

typedef struct graphml {
    graph_draft *draft;
    xml_reader xml;
    graph_key keys[KEYS];
    bool is_directed, has_graph, has_edge;
    graph_names ids, names[2];       // of KEY_NAME and KEY_LABEL
    int32_t *name_of[2];             // [ids] index + 1 of each vertex's name, 0: none
    int64_t *seen_at;                // [ids] 0: declared by a node; else the line of the edge that named it first
    int64_t name_room[2], seen_room, x_room, y_room;
    bool has_twice[2];               // two vertices have one name
    int64_t named[2], placed[2];     // vertices with a name, with x, with y
} graphml;

// ---- Keys

static mco_status read_default(graphml *g, graph_key *key, int kind)
{
    mco_status st = MCO_OK;
    mco_slice value;
    bool has_child;
    for (;;) {
        MCO_TRY(xml_child(&g->xml, &has_child));
        if (!has_child)
            break;
        if (!xml_is(&g->xml, "default") || kind <= KEY_LABEL) {
            MCO_TRY(xml_skip(&g->xml));
            continue;
        }
        MCO_TRY(xml_content(&g->xml, &value));
        MCO_TRY(graph_read_weight(g->draft->text, value, &key->value));
        key->has_default = true;
    }
done:
    return st;
}

static mco_status read_key(graphml *g)
{
    static const char *const words[KEYS] = {"name", "label", "x", "y", "weight"};
    mco_slice id, name = {0}, domain = {0};
    if (!xml_attribute(&g->xml, "id", &id) || id.size == 0)
        return mco_text_fail(g->draft->text, g->xml.name.line, g->xml.name.column, "the key has no id");
    xml_attribute(&g->xml, "attr.name", &name);
    xml_attribute(&g->xml, "for", &domain);
    for (int k = 0; k < KEYS; k++) {
        const bool is_here = mco_slice_is(domain, k == KEY_WEIGHT ? "edge" : "node") || mco_slice_is(domain, "all") || domain.size == 0;
        if (is_here && mco_slice_is(name, words[k]) && g->keys[k].id.size == 0) {
            g->keys[k].id = id;
            return read_default(g, &g->keys[k], k);
        }
    }
    return xml_skip(&g->xml);
}

// The key of a "data" element; KEYS if it is not read.
static int key_of_data(const graphml *g, int low, int high)
{
    mco_slice id;
    if (!xml_attribute(&g->xml, "key", &id))
        return KEYS;
    for (int k = low; k <= high; k++)
        if (g->keys[k].id.size > 0 && g->keys[k].id.size == id.size && memcmp(g->keys[k].id.data, id.data, id.size) == 0)
            return k;
    return KEYS;
}

// ---- Nodes

// The vertex of the id in an attribute.
static mco_status find_vertex(graphml *g, const char *attribute, const char *what, int32_t *vertex)
{
    mco_status st = MCO_OK;
    mco_context *ctx = g->draft->ctx;
    mco_slice id, element = g->xml.name;
    if (!xml_attribute(&g->xml, attribute, &id) || id.size == 0)
        return mco_text_fail(g->draft->text, element.line, element.column, "the %s has no %s", what, attribute);
    MCO_TRY(xml_decode(&g->xml, id, &id));
    if (id.size == 0)
        return mco_text_fail(g->draft->text, element.line, element.column, "the %s has no %s", what, attribute);
    const int32_t before = g->ids.count;
    MCO_TRY(graph_names_add(ctx, &g->ids, id, false, vertex));
    if (*vertex < before)
        return MCO_OK;
    const int64_t count = (int64_t)*vertex + 1;
    for (int k = 0; k < 2; k++)
        MCO_TRY(mco_grow(ctx, &g->name_of[k], &g->name_room[k], count));
    MCO_TRY(mco_grow(ctx, &g->seen_at, &g->seen_room, count));
    MCO_TRY(mco_grow(ctx, &g->draft->x, &g->x_room, count));
    MCO_TRY(mco_grow(ctx, &g->draft->y, &g->y_room, count));
    g->seen_at[*vertex] = element.line;
    g->draft->x[*vertex] = g->keys[KEY_X].value;
    g->draft->y[*vertex] = g->keys[KEY_Y].value;
done:
    return st;
}

static mco_status read_node_data(graphml *g, int32_t vertex)
{
    mco_status st = MCO_OK;
    mco_slice value;
    const int key = key_of_data(g, KEY_NAME, KEY_Y);
    if (key == KEYS)
        return xml_skip(&g->xml);
    MCO_TRY(xml_content(&g->xml, &value));
    if (key >= KEY_X) {
        double *place = key == KEY_X ? g->draft->x : g->draft->y;
        MCO_TRY(graph_read_weight(g->draft->text, value, &place[vertex]));
        g->placed[key - KEY_X]++;
    } else if (value.size > 0 && g->name_of[key][vertex] == 0) {
        int32_t index;
        const int32_t before = g->names[key].count;
        MCO_TRY(graph_names_add(g->draft->ctx, &g->names[key], value, false, &index));
        g->has_twice[key] |= index < before;
        g->name_of[key][vertex] = index + 1;
        g->named[key]++;
    }
done:
    return st;
}

static mco_status refuse_element(graphml *g, const char *place)
{
    const mco_slice name = g->xml.name;
    return mco_text_fail(g->draft->text, name.line, name.column, "the element \"%.*s\" in %s is not supported",
                         mco_slice_shown(name), name.data, place);
}

static mco_status read_node(graphml *g)
{
    mco_status st = MCO_OK;
    int32_t vertex;
    bool has_child;
    const int32_t before = g->ids.count;
    const mco_slice element = g->xml.name;
    MCO_TRY(find_vertex(g, "id", "node", &vertex));
    if (vertex < before && g->seen_at[vertex] == 0)
        return mco_text_fail(g->draft->text, element.line, element.column, "the node \"%.40s\" stands twice",
                             graph_names_get(&g->ids, vertex));
    g->seen_at[vertex] = 0;
    for (;;) {
        MCO_TRY(xml_child(&g->xml, &has_child));
        if (!has_child)
            break;
        if (xml_is(&g->xml, "data"))
            MCO_TRY(read_node_data(g, vertex));
        else if (xml_is(&g->xml, "port") || xml_is(&g->xml, "desc"))
            MCO_TRY(xml_skip(&g->xml));
        else
            MCO_TRY(refuse_element(g, "a node"));
    }
done:
    return st;
}

// ---- Edges

static mco_status read_direction(graphml *g, const char *attribute, const char *const words[2], bool *is_directed)
{
    mco_slice value;
    int kind;
    if (!xml_attribute(&g->xml, attribute, &value))
        return MCO_OK;
    const mco_status st = mco_slice_find(g->draft->text, value, attribute, words, 2, &kind);
    if (st == MCO_OK)
        *is_directed = kind == 1;
    return st;
}

// An edge may say its direction itself. All edges must agree, unless the caller says what they are.
static mco_status test_direction(graphml *g)
{
    static const char *const words[] = {"false", "true"};
    graph_draft *d = g->draft;
    bool is_directed = g->is_directed;
    const mco_status st = read_direction(g, "directed", words, &is_directed);
    if (st != MCO_OK)
        return st;
    if (g->has_edge && is_directed != d->is_directed && d->asked == MCO_GRAPH_DIRECTION_AUTO)
        return mco_text_fail(d->text, g->xml.name.line, g->xml.name.column, "the edge is %s, edges before it are not; say which "
                             "all are", is_directed ? "directed" : "undirected");
    d->is_directed = is_directed;
    g->has_edge = true;
    return MCO_OK;
}

static mco_status read_edge_data(graphml *g, double *weight, bool *has_weight)
{
    mco_status st = MCO_OK;
    mco_slice value;
    if (key_of_data(g, KEY_WEIGHT, KEY_WEIGHT) == KEYS)
        return xml_skip(&g->xml);
    MCO_TRY(xml_content(&g->xml, &value));
    MCO_TRY(graph_read_weight(g->draft->text, value, weight));
    *has_weight = true;
done:
    return st;
}

static mco_status read_edge(graphml *g)
{
    mco_status st = MCO_OK;
    int32_t from, to;
    double weight = g->keys[KEY_WEIGHT].value;
    bool has_child, has_weight = g->keys[KEY_WEIGHT].has_default;
    const mco_slice element = g->xml.name;
    MCO_TRY(find_vertex(g, "source", "edge", &from));
    MCO_TRY(find_vertex(g, "target", "edge", &to));
    MCO_TRY(test_direction(g));
    for (;;) {
        MCO_TRY(xml_child(&g->xml, &has_child));
        if (!has_child)
            break;
        if (xml_is(&g->xml, "data"))
            MCO_TRY(read_edge_data(g, &weight, &has_weight));
        else if (xml_is(&g->xml, "desc"))
            MCO_TRY(xml_skip(&g->xml));
        else
            MCO_TRY(refuse_element(g, "an edge"));
    }
    MCO_TRY(graph_draft_weighs(g->draft, element, has_weight));
    MCO_TRY(graph_edges_add(g->draft->ctx, &g->draft->edges, from, to, weight));
done:
    return st;
}

// ---- The graph

static mco_status read_graph(graphml *g)
{
    static const char *const words[] = {"undirected", "directed"};
    mco_status st = MCO_OK;
    bool has_child;
    if (g->has_graph)
        return mco_text_fail(g->draft->text, g->xml.name.line, g->xml.name.column, "a second graph, a file has one");
    g->has_graph = true;
    MCO_TRY(read_direction(g, "edgedefault", words, &g->is_directed));
    g->draft->is_directed = g->is_directed;
    for (int64_t count = 1;; count++) {
        MCO_TRY(mco_text_in_time(g->draft->text, count));
        MCO_TRY(xml_child(&g->xml, &has_child));
        if (!has_child)
            break;
        if (xml_is(&g->xml, "node"))
            MCO_TRY(read_node(g));
        else if (xml_is(&g->xml, "edge"))
            MCO_TRY(read_edge(g));
        else if (xml_is(&g->xml, "data") || xml_is(&g->xml, "desc"))
            MCO_TRY(xml_skip(&g->xml));
        else
            MCO_TRY(refuse_element(g, "a graph"));
    }
done:
    return st;
}

static mco_status read_document(graphml *g)
{
    mco_status st = MCO_OK;
    bool has_child;
    MCO_TRY(xml_root(&g->xml, "graphml"));
    for (;;) {
        MCO_TRY(xml_child(&g->xml, &has_child));
        if (!has_child)
            break;
        if (xml_is(&g->xml, "key"))
            MCO_TRY(read_key(g));
        else if (xml_is(&g->xml, "graph"))
            MCO_TRY(read_graph(g));
        else if (xml_is(&g->xml, "data") || xml_is(&g->xml, "desc"))
            MCO_TRY(xml_skip(&g->xml));
        else
            MCO_TRY(refuse_element(g, "graphml"));
    }
    MCO_TRY(xml_end(&g->xml));
    if (!g->has_graph)
        MCO_TRY(mco_text_fail_here(g->draft->text, "the file has no graph"));
done:
    return st;
}

// Chooses the names: those of "name", else of "label", else the ids.
static mco_status take_names(graphml *g)
{
    graph_draft *d = g->draft;
    const int32_t n = g->ids.count;
    for (int k = 0; k < 2; k++) {
        if (g->named[k] == n && !g->has_twice[k] && n > 0) {
            for (int32_t v = 0; v < n; v++)
                g->name_of[k][v]--;
            return graph_names_block(d->ctx, &g->names[k], g->name_of[k], &d->names, &d->base);
        }
        if (g->named[k] > 0)
            mco_log(d->ctx, MCO_LOG_INFO, "%s: the data \"%s\" are no names of vertices: %s", d->text->name,
                    k == 0 ? "name" : "label", g->has_twice[k] ? "one stands twice" : "some vertex has none");
    }
    return graph_names_block(d->ctx, &g->ids, NULL, &d->names, &d->base);
}

// Completes the draft.
static mco_status end_graph(graphml *g)
{
    graph_draft *d = g->draft;
    const int32_t n = g->ids.count;
    for (int32_t v = 0; v < n; v++)
        if (g->seen_at[v] != 0)
            return mco_text_fail(d->text, g->seen_at[v], 1, "the edge names the node \"%.40s\", which the file does not have",
                                 graph_names_get(&g->ids, v));
    for (int k = 0; k < 2; k++)
        if (!g->keys[KEY_X + k].has_default && g->placed[k] < n) {
            mco_free(d->ctx, &d->x);
            mco_free(d->ctx, &d->y);
        }
    d->vertices = n;
    return take_names(g);
}

mco_status graph_read_graphml(graph_draft *d)
{
    mco_status st = MCO_OK;
    graphml g = {.draft = d, .xml.text = d->text};
    d->base = 1;
    MCO_TRY(read_document(&g));
    MCO_TRY(end_graph(&g));
done:
    xml_clear(&g.xml);
    graph_names_clear(d->ctx, &g.ids);
    for (int k = 0; k < 2; k++) {
        graph_names_clear(d->ctx, &g.names[k]);
        mco_free(d->ctx, &g.name_of[k]);
    }
    mco_free(d->ctx, &g.seen_at);
    return st;
}
