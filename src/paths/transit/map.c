// SPDX-License-Identifier: MIT
// Makes a map of two passes over its file. The first one keeps the ways of the mode, the numbers of their nodes, and the restrictions of
// turns; the second one the places of these nodes. A node becomes a vertex where ways meet, end, or restrict a turn, and where a barrier
// stands, which gives every street that ends there a vertex of its own. What lies between two vertices is a street.
#include "paths/transit/map.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "paths/file.h"
#include "paths/transit/build.h"
#include "paths/transit/map_parts.h"
#include "paths/transit/map_rules.h"

typedef struct draft_way {
    int64_t id;
    int64_t first;  // its nodes are node[first] .. node[next way's first - 1]
    map_use use;
    char *name;
    int32_t first_street;
} draft_way;

typedef struct draft_turn {
    int64_t from, via, to;  // numbers of way, node, way
    bool is_only;
} draft_turn;

// What is known of a node.
typedef struct draft_node {
    transit_point place;
    int32_t vertex;  // -1: none yet
    uint8_t uses;    // by ways, at most 2; an end of a way counts twice
    bool is_there;   // in the file
    bool is_blocked;
} draft_node;

typedef struct draft {
    mco_context *ctx;
    const char *path;
    transit_map *map;
    draft_way *way;
    int64_t ways, way_room;
    int64_t *node_id;    // [refs] of all ways, one behind the other
    int64_t refs, ref_room;
    draft_turn *turn;
    int64_t turns, turn_room;
    int64_t odd_turns;   // restrictions that name no way or no single node
    int64_t *id;         // [nodes] ascending
    int32_t nodes;
    draft_node *node;    // [nodes]
    int32_t *ref;        // [refs] nodes
    int64_t missing;     // nodes that the file does not have
    int64_t vertex_room[2], street_room, point_room;
    int64_t *way_order;  // [ways] by id
    int64_t map_turn_room;
} draft;

// ---- First pass

static mco_status take_way(draft *d, const osm_object *object)
{
    mco_status st = MCO_OK;
    const map_use use = map_use_of_way(d->map->mode, object);
    if ((use.forward_m_per_s == 0 && use.backward_m_per_s == 0) || object->nodes < 2)
        return MCO_OK;
    if (d->ways == INT32_MAX - 1)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "%s has more than %d ways, the most that are supported", d->path, INT32_MAX - 1);
    osm_string name = osm_value(object, "name");
    if (name.size == 0)
        name = osm_value(object, "ref");
    MCO_TRY(mco_grow(d->ctx, &d->way, &d->way_room, d->ways + 2));
    MCO_TRY(mco_grow(d->ctx, &d->node_id, &d->ref_room, d->refs + object->nodes));
    d->way[d->ways] = (draft_way){.id = object->id, .first = d->refs, .use = use};
    MCO_TRY(transit_pool_add(d->ctx, &d->map->text, name.data, name.size, &d->way[d->ways].name));
    memcpy(d->node_id + d->refs, object->node, (size_t)object->nodes * sizeof *object->node);
    d->refs += object->nodes;
    d->way[++d->ways] = (draft_way){.first = d->refs};
done:
    return st;
}

// Adds the turn of each way "from" into each way "to".
static mco_status take_turns(draft *d, const osm_object *object)
{
    mco_status st = MCO_OK;
    const map_turn_rule rule = map_turn_rule_of(d->map->mode, object);
    const osm_member *via = NULL;
    int64_t before = d->turns;
    if (rule == MAP_TURN_NONE)
        return MCO_OK;
    for (int64_t k = 0; k < object->members; k++)
        if (osm_is(object->member[k].role, "via"))
            via = via == NULL && object->member[k].kind == OSM_NODE ? &object->member[k] : NULL;
    for (int64_t a = 0; via != NULL && a < object->members; a++)
        for (int64_t b = 0; b < object->members; b++) {
            const osm_member *from = &object->member[a], *to = &object->member[b];
            if (!osm_is(from->role, "from") || !osm_is(to->role, "to") || from->kind != OSM_WAY || to->kind != OSM_WAY)
                continue;
            MCO_TRY(mco_grow(d->ctx, &d->turn, &d->turn_room, d->turns + 1));
            d->turn[d->turns++] = (draft_turn){from->id, via->id, to->id, rule == MAP_TURN_ONLY};
        }
    d->odd_turns += d->turns == before;
done:
    return st;
}

static mco_status take_first(void *user, const osm_object *object)
{
    return object->kind == OSM_WAY ? take_way(user, object) : take_turns(user, object);
}

// ---- Nodes

static int by_number(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// The node of a number, -1: no way has it.
static int32_t find_node(const draft *d, int64_t id)
{
    int32_t low = 0, high = d->nodes;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (d->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->nodes && d->id[low] == id ? low : -1;
}

static mco_status list_nodes(draft *d)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    MCO_TRY(mco_alloc(d->ctx, &d->id, d->refs));
    if (d->refs > 0) {
        memcpy(d->id, d->node_id, (size_t)d->refs * sizeof *d->id);
        qsort(d->id, (size_t)d->refs, sizeof *d->id, by_number);
    }
    for (int64_t k = 0; k < d->refs; k++)
        if (k == 0 || d->id[k] != d->id[k - 1])
            d->id[count++] = d->id[k];
    if (count > INT32_MAX)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "%s has %" PRId64 " nodes on its ways, at most %d are supported", d->path, count, INT32_MAX);
    d->nodes = (int32_t)count;
    MCO_TRY(mco_alloc(d->ctx, &d->node, count));
    MCO_TRY(mco_alloc(d->ctx, &d->ref, d->refs));
    for (int64_t k = 0; k < d->refs; k++)
        d->ref[k] = find_node(d, d->node_id[k]);
    mco_free(d->ctx, &d->node_id);
done:
    return st;
}

static mco_status take_second(void *user, const osm_object *object)
{
    draft *d = user;
    const int32_t k = find_node(d, object->id);
    if (k >= 0)
        d->node[k] = (draft_node){.place = {object->latitude, object->longitude}, .vertex = -1, .is_there = true,
                                  .is_blocked = map_blocks(d->map->mode, object)};
    return MCO_OK;
}

// ---- Streets

// Finds the next run of nodes of a way that are there: ref[*begin] .. ref[*end - 1]. False: there is none.
static bool next_run(const draft *d, int64_t end_of_way, int64_t *begin, int64_t *end)
{
    while (*begin < end_of_way && !d->node[d->ref[*begin]].is_there)
        ++*begin;
    *end = *begin;
    while (*end < end_of_way && d->node[d->ref[*end]].is_there)
        ++*end;
    return *begin < *end;
}

// Drops nodes that repeat the one before, so that every piece of a line has two nodes.
static void drop_repeats(draft *d)
{
    int64_t count = 0;
    for (int64_t w = 0; w < d->ways; w++) {
        const int64_t begin = d->way[w].first, end = d->way[w + 1].first;
        d->way[w].first = count;
        for (int64_t k = begin; k < end; k++)
            if (k == begin || d->ref[k] != d->ref[k - 1])
                d->ref[count++] = d->ref[k];
    }
    if (d->ways > 0)
        d->way[d->ways].first = count;
    d->refs = count;
}

static void use_node(draft *d, int32_t node, int count)
{
    const int uses = d->node[node].uses + count;
    d->node[node].uses = (uint8_t)(uses < 2 ? uses : 2);
}

static void count_uses(draft *d)
{
    for (int64_t w = 0; w < d->ways; w++) {
        int64_t end = 0;
        for (int64_t begin = d->way[w].first; next_run(d, d->way[w + 1].first, &begin, &end); begin = end) {
            for (int64_t k = begin; k < end; k++)
                use_node(d, d->ref[k], k == begin || k == end - 1 ? 2 : 1);
        }
    }
    for (int64_t k = 0; k < d->refs; k++)
        d->missing += !d->node[d->ref[k]].is_there;
    for (int64_t t = 0; t < d->turns; t++) {
        const int32_t via = find_node(d, d->turn[t].via);
        if (via >= 0)
            use_node(d, via, 2);
    }
}

// The vertex where a street ends: that of its node, or a new one beside a barrier.
static mco_status find_vertex(draft *d, int32_t k, int32_t *out)
{
    mco_status st = MCO_OK;
    transit_map *m = d->map;
    draft_node *node = &d->node[k];
    *out = node->vertex;
    if (*out >= 0 && !node->is_blocked)
        return MCO_OK;
    if (m->vertices == INT32_MAX - 1)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "%s has more than %d junctions, the most that are supported", d->path, INT32_MAX - 1);
    MCO_TRY(mco_grow(d->ctx, &m->node, &d->vertex_room[0], (int64_t)m->vertices + 1));
    MCO_TRY(mco_grow(d->ctx, &m->place, &d->vertex_room[1], (int64_t)m->vertices + 1));
    m->node[m->vertices] = *out >= 0 ? 0 : d->id[k];
    m->place[m->vertices] = node->place;
    *out = node->vertex = m->vertices++;
done:
    return st;
}

// Adds the street of nodes ref[begin] .. ref[end] of a way. Its arcs are 0 where it has traffic, until they are numbered.
static mco_status add_street(draft *d, int32_t w, int64_t begin, int64_t end)
{
    mco_status st = MCO_OK;
    transit_map *m = d->map;
    const map_use *use = &d->way[w].use;
    transit_street s = {.way = w, .first_point = m->points, .forward = use->forward_m_per_s > 0 ? 0 : -1,
                        .backward = use->backward_m_per_s > 0 ? 0 : -1};
    if (m->streets == INT32_MAX - 1)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "%s has more than %d streets, the most that are supported", d->path, INT32_MAX - 1);
    MCO_TRY(find_vertex(d, d->ref[begin], &s.from));
    MCO_TRY(find_vertex(d, d->ref[end], &s.to));
    MCO_TRY(mco_grow(d->ctx, &m->street, &d->street_room, (int64_t)m->streets + 2));
    MCO_TRY(mco_grow(d->ctx, &m->point, &d->point_room, m->points + end - begin + 1));
    for (int64_t k = begin; k <= end; k++) {
        const transit_point at = d->node[d->ref[k]].place;
        if (k > begin) {
            const transit_point *last = &m->point[m->points - 1];
            s.metres += transit_metres(last->latitude, last->longitude, at.latitude, at.longitude);
        }
        m->point[m->points++] = at;
    }
    m->street[m->streets++] = s;
    m->street[m->streets] = (transit_street){.first_point = m->points};
done:
    return st;
}

static mco_status add_streets(draft *d)
{
    mco_status st = MCO_OK;
    for (int32_t w = 0; w < (int32_t)d->ways; w++) {
        int64_t end = 0;
        if (w % 4096 == 0)
            MCO_TRY(mco_read_in_time(d->ctx, d->path));
        d->way[w].first_street = d->map->streets;
        for (int64_t begin = d->way[w].first; next_run(d, d->way[w + 1].first, &begin, &end); begin = end)
            for (int64_t last = begin, k = begin + 1; k < end; k++) {
                const draft_node *node = &d->node[d->ref[k]];
                if (node->uses < 2 && !node->is_blocked)
                    continue;
                MCO_TRY(add_street(d, w, last, k));
                last = k;
            }
    }
    if (d->ways > 0)
        d->way[d->ways].first_street = d->map->streets;
done:
    return st;
}

// ---- Arcs

static mco_status weigh(draft *d, const transit_street *s, double m_per_s, int32_t *out)
{
    const double ms = 1000 * s->metres / m_per_s;
    if (ms > MCO_PATHS_MAX_WEIGHT)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "%s: way %" PRId64 " takes %.0f ms, at most %d are supported", d->path, d->way[s->way].id,
                        ms, MCO_PATHS_MAX_WEIGHT);
    *out = (int32_t)lround(ms);
    return MCO_OK;
}

// Numbers the arcs by their tails, in the order of the streets.
static mco_status make_arcs(draft *d)
{
    mco_status st = MCO_OK;
    transit_map *m = d->map;
    MCO_TRY(mco_alloc(d->ctx, &m->first, (int64_t)m->vertices + 2));
    for (int32_t s = 0; s < m->streets; s++) {
        m->first[m->street[s].from + 2] += m->street[s].forward >= 0;
        m->first[m->street[s].to + 2] += m->street[s].backward >= 0;
    }
    for (int32_t v = 0; v < m->vertices; v++)
        m->first[v + 2] += m->first[v + 1];
    m->arcs = m->first[m->vertices + 1];
    MCO_TRY(mco_alloc(d->ctx, &m->head, m->arcs));
    MCO_TRY(mco_alloc(d->ctx, &m->weight, m->arcs));
    MCO_TRY(mco_alloc(d->ctx, &m->arc_street, m->arcs));
    for (int32_t k = 0; k < m->streets; k++) {
        transit_street *s = &m->street[k];
        const map_use *use = &d->way[s->way].use;
        if (s->forward >= 0) {
            s->forward = m->first[s->from + 1]++;
            m->head[s->forward] = s->to;
            m->arc_street[s->forward] = k;
            MCO_TRY(weigh(d, s, use->forward_m_per_s, &m->weight[s->forward]));
        }
        if (s->backward >= 0) {
            s->backward = m->first[s->to + 1]++;
            m->head[s->backward] = s->from;
            m->arc_street[s->backward] = k;
            MCO_TRY(weigh(d, s, use->backward_m_per_s, &m->weight[s->backward]));
        }
    }
done:
    return st;
}

// ---- Turns

static mco_status add_turn(draft *d, int64_t from, int64_t to)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(d->ctx, &d->map->turn, &d->map_turn_room, d->map->turns + 1));
    d->map->turn[d->map->turns++] = (mco_paths_turn){from, to, -1};
done:
    return st;
}

// The arc of a street that comes to a vertex; -1: none. A ring comes by its forward arc.
static int64_t arc_into(const transit_street *s, int32_t vertex)
{
    return s->to == vertex && s->forward >= 0 ? s->forward : s->from == vertex ? s->backward : -1;
}

static int64_t arc_out_of(const transit_street *s, int32_t vertex)
{
    return s->from == vertex && s->forward >= 0 ? s->forward : s->to == vertex ? s->backward : -1;
}

// The way of a number, -1: none of this map.
static int32_t find_way(const draft *d, int64_t id)
{
    int64_t low = 0, high = d->ways;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (d->way[d->way_order[middle]].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->ways && d->way[d->way_order[low]].id == id ? (int32_t)d->way_order[low] : -1;
}

// Forbids turns from one arc: into the arcs of the way `to`, or into all other ones. Within one way only the turn back is meant.
static mco_status forbid_from(draft *d, int64_t arc, int32_t via, int32_t from, int32_t to, bool is_only)
{
    mco_status st = MCO_OK;
    const transit_map *m = d->map;
    const int32_t street = m->arc_street[arc];
    for (int64_t out = m->first[via]; out < m->first[via + 1]; out++) {
        const bool is_to = m->street[m->arc_street[out]].way == to && (is_only || from != to || m->arc_street[out] == street);
        if (is_to != is_only)
            MCO_TRY(add_turn(d, arc, out));
    }
done:
    return st;
}

static mco_status add_restriction(draft *d, const draft_turn *t)
{
    mco_status st = MCO_OK;
    const transit_map *m = d->map;
    const int32_t from = find_way(d, t->from), to = find_way(d, t->to), node = find_node(d, t->via);
    const int32_t via = node >= 0 && d->node[node].is_there ? d->node[node].vertex : -1;
    bool is_reachable = false;
    if (from < 0 || to < 0 || via < 0)
        return MCO_OK;
    for (int32_t s = d->way[to].first_street; s < d->way[to + 1].first_street; s++)
        is_reachable = is_reachable || arc_out_of(&m->street[s], via) >= 0;
    for (int32_t s = d->way[from].first_street; s < d->way[from + 1].first_street && is_reachable; s++) {
        const int64_t arc = arc_into(&m->street[s], via);
        if (arc >= 0)
            MCO_TRY(forbid_from(d, arc, via, from, to, t->is_only));
    }
done:
    return st;
}

static int by_arcs(const void *a, const void *b)
{
    const mco_paths_turn *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

typedef struct numbered {
    int64_t id, index;
} numbered;

static int by_id(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->index > y->index) - (x->index < y->index);
}

static mco_status sort_ways(draft *d)
{
    mco_status st = MCO_OK;
    numbered *list = NULL;
    MCO_TRY(mco_alloc(d->ctx, &list, d->ways));
    MCO_TRY(mco_alloc(d->ctx, &d->way_order, d->ways));
    for (int64_t w = 0; w < d->ways; w++)
        list[w] = (numbered){d->way[w].id, w};
    if (d->ways > 0)
        qsort(list, (size_t)d->ways, sizeof *list, by_id);
    for (int64_t w = 0; w < d->ways; w++)
        d->way_order[w] = list[w].index;
done:
    mco_free(d->ctx, &list);
    return st;
}

static mco_status make_turns(draft *d)
{
    mco_status st = MCO_OK;
    transit_map *m = d->map;
    int64_t count = 0;
    MCO_TRY(sort_ways(d));
    for (int64_t t = 0; t < d->turns; t++)
        MCO_TRY(add_restriction(d, &d->turn[t]));
    if (m->turns > 0)
        qsort(m->turn, (size_t)m->turns, sizeof *m->turn, by_arcs);
    for (int64_t k = 0; k < m->turns; k++)
        if (k == 0 || by_arcs(&m->turn[k], &m->turn[k - 1]) != 0)
            m->turn[count++] = m->turn[k];
    m->turns = count;
done:
    return st;
}

// ---- The map

static mco_status keep_ways(draft *d)
{
    mco_status st = MCO_OK;
    transit_map *m = d->map;
    m->ways = (int32_t)d->ways;
    MCO_TRY(mco_alloc(d->ctx, &m->way_name, m->ways));
    MCO_TRY(mco_alloc(d->ctx, &m->way_id, m->ways));
    for (int32_t w = 0; w < m->ways; w++) {
        m->way_name[w] = d->way[w].name;
        m->way_id[w] = d->way[w].id;
    }
    if (m->streets == 0)  // the end of no street
        MCO_TRY(mco_grow(d->ctx, &m->street, &d->street_room, 1));
done:
    return st;
}

static void tell(const draft *d)
{
    static const char *const modes[] = {"cars", "bicycles", "walkers"};
    const transit_map *m = d->map;
    mco_log(d->ctx, MCO_LOG_INFO, "%s: for %s %d junctions, %d streets of %d ways, %" PRId64 " arcs, %" PRId64 " forbidden turns", d->path,
            modes[m->mode], m->vertices, m->streets, m->ways, m->arcs, m->turns);
    if (d->missing > 0)
        mco_log(d->ctx, MCO_LOG_WARNING, "%s: ways name %" PRId64 " nodes that the file does not have; they end there", d->path, d->missing);
    if (d->odd_turns > 0)
        mco_log(d->ctx, MCO_LOG_WARNING, "%s: %" PRId64 " restrictions of turns are not by way, node and way; they are left out", d->path,
                d->odd_turns);
    if (m->streets == 0)
        mco_log(d->ctx, MCO_LOG_WARNING, "%s: no street is open to %s", d->path, modes[m->mode]);
}

static void clear_draft(draft *d)
{
    mco_free(d->ctx, &d->way_order);
    mco_free(d->ctx, &d->ref);
    mco_free(d->ctx, &d->node);
    mco_free(d->ctx, &d->id);
    mco_free(d->ctx, &d->turn);
    mco_free(d->ctx, &d->node_id);
    mco_free(d->ctx, &d->way);
}

mco_status transit_map_read(mco_context *ctx, const char *path, paths_map_mode mode, transit_map *out)
{
    mco_status st = MCO_OK;
    transit_map map = {.mode = mode};
    draft d = {.ctx = ctx, .path = path, .map = &map};
    MCO_TRY(osm_read(ctx, path, 1u << OSM_WAY | 1u << OSM_RELATION, take_first, &d));
    MCO_TRY(list_nodes(&d));
    MCO_TRY(osm_read(ctx, path, 1u << OSM_NODE, take_second, &d));
    drop_repeats(&d);
    count_uses(&d);
    MCO_TRY(add_streets(&d));
    MCO_TRY(keep_ways(&d));
    MCO_TRY(make_arcs(&d));
    MCO_TRY(make_turns(&d));
    MCO_TRY(map_find_remote(ctx, &map));
    MCO_TRY(map_make_cells(ctx, &map));
    tell(&d);
done:
    clear_draft(&d);
    if (st != MCO_OK)
        transit_map_clear(ctx, &map);
    *out = map;
    return st;
}

void transit_map_clear(mco_context *ctx, transit_map *m)
{
    mco_free(ctx, &m->is_remote);
    mco_free(ctx, &m->point_street);
    mco_free(ctx, &m->cell_segment);
    mco_free(ctx, &m->cell_first);
    mco_free(ctx, &m->turn);
    mco_free(ctx, &m->arc_street);
    mco_free(ctx, &m->weight);
    mco_free(ctx, &m->head);
    mco_free(ctx, &m->first);
    mco_free(ctx, &m->way_id);
    mco_free(ctx, &m->way_name);
    mco_free(ctx, &m->point);
    mco_free(ctx, &m->street);
    mco_free(ctx, &m->place);
    mco_free(ctx, &m->node);
    transit_pool_clear(ctx, &m->text);
    *m = (transit_map){0};
}
