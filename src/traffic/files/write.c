// SPDX-License-Identifier: MIT
// Networks, trips and matrices as files. Every number is written so that it reads back exactly.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/names.h"
#include "traffic/files/files.h"
#include "traffic/files/sink.h"

typedef struct writer {
    mco_context *ctx;
    const mco_traffic *traffic;
    mco_stream sink;
    bool has_numbers;  // the names of nodes are ascending numbers, which TNTP can hold
} writer;

// Whether the names of nodes are positive numbers in ascending order, those of zones without holes.
static bool are_ascending_numbers(const mco_traffic *traffic)
{
    int64_t last = 0, number;
    for (int32_t v = 0; traffic->node_name != NULL && v < traffic->view.nodes; v++) {
        if (!mco_parse_integer(traffic->node_name[v], 1, INT32_MAX, &number) || number <= last || (v < traffic->view.zones && number != v + 1))
            return false;
        last = number;
    }
    return true;
}

static void put_node(writer *w, int32_t v)
{
    char buffer[16];
    if (w->traffic->node_name == NULL || !w->has_numbers)
        traffic_put_integer(&w->sink, (int64_t)v + 1);
    else
        traffic_put(&w->sink, mco_traffic_node_name(w->traffic, v, buffer));
}

static void put_statement(writer *w, const char *name, double value)
{
    traffic_put(&w->sink, name);
    traffic_put(&w->sink, " ");
    traffic_put_number(&w->sink, value);
    traffic_put(&w->sink, "\n");
}

static mco_status begin(writer *w, mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    *w = (writer){.ctx = ctx, .traffic = traffic, .has_numbers = are_ascending_numbers(traffic)};
    return mco_stream_open(ctx, path, &w->sink);
}

// ---- Turns, beside a network

static mco_status write_turns(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    const mco_traffic_network *net = &traffic->view;
    char buffer[16];
    MCO_TRY(begin(&w, ctx, traffic, path));
    traffic_put(&w.sink, "from,via,to,cost\n");
    for (int64_t k = 0; k < net->turn_count; k++) {
        const mco_traffic_turn *t = &net->turns[k];
        const int32_t node[3] = {net->tail[t->from], net->head[t->from], net->head[t->to]};
        for (int i = 0; i < 3; i++) {
            traffic_put_cell(&w.sink, mco_traffic_node_name(traffic, node[i], buffer));
            traffic_put(&w.sink, ",");
        }
        if (t->cost < INFINITY)
            traffic_put_number(&w.sink, t->cost);
        else
            traffic_put(&w.sink, "no");
        traffic_put(&w.sink, "\n");
    }
    MCO_TRY(mco_stream_commit(&w.sink));
    mco_log(ctx, MCO_LOG_INFO, "%s: %" PRId64 " turn%s", path, net->turn_count, mco_plural(net->turn_count));
done:
    mco_stream_discard(&w.sink);
    return st;
}

// ---- TNTP

static mco_status write_tntp_nodes(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    MCO_TRY(begin(&w, ctx, traffic, path));
    traffic_put(&w.sink, "node\tX\tY\t;\n");
    for (int32_t v = 0; v < traffic->view.nodes; v++) {
        put_node(&w, v);
        traffic_put(&w.sink, "\t");
        traffic_put_number(&w.sink, traffic->view.x[v]);
        traffic_put(&w.sink, "\t");
        traffic_put_number(&w.sink, traffic->view.y[v]);
        traffic_put(&w.sink, "\t;\n");
    }
    MCO_TRY(mco_stream_commit(&w.sink));
done:
    mco_stream_discard(&w.sink);
    return st;
}

static void put_tntp_link(writer *w, int32_t a)
{
    const mco_traffic_network *net = &w->traffic->view;
    const double value[] = {net->capacity[a], net->length[a], net->free_time[a], net->b[a], net->power[a], net->speed[a], net->toll[a]};
    traffic_put(&w->sink, "\t");
    put_node(w, net->tail[a]);
    traffic_put(&w->sink, "\t");
    put_node(w, net->head[a]);
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        traffic_put(&w->sink, "\t");
        traffic_put_number(&w->sink, value[k]);
    }
    traffic_put(&w->sink, "\t");
    traffic_put_integer(&w->sink, net->type[a]);
    traffic_put(&w->sink, "\t;\n");
}

static mco_status write_tntp_links(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    const mco_traffic_network *net = &traffic->view;
    MCO_TRY(begin(&w, ctx, traffic, path));
    put_statement(&w, "<NUMBER OF ZONES>", net->zones);
    put_statement(&w, "<NUMBER OF NODES>", net->nodes);
    traffic_put(&w.sink, "<FIRST THRU NODE> ");
    put_node(&w, net->first_through < net->nodes ? net->first_through : 0);
    traffic_put(&w.sink, "\n");
    put_statement(&w, "<NUMBER OF LINKS>", net->links);
    traffic_put(&w.sink, "<END OF METADATA>\n\n~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;\n");
    for (int32_t a = 0; a < net->links; a++)
        put_tntp_link(&w, a);
    MCO_TRY(mco_stream_commit(&w.sink));
    if (!w.has_numbers)
        mco_log(ctx, MCO_LOG_WARNING, "%s: TNTP holds numbers alone, so the names of the nodes are left out", path);
done:
    mco_stream_discard(&w.sink);
    return st;
}

static mco_status write_tntp(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    char beside[MCO_PATH_LENGTH];
    const mco_traffic_network *net = &traffic->view;
    if (net->street != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: TNTP holds no types of streets; a path that ends with .csv gets them", path);
    if (net->first_through > 0 && net->first_through == net->nodes)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: TNTP holds no network whose %d nodes are all ends alone", path, net->nodes);
    MCO_TRY(write_tntp_links(ctx, traffic, path));
    if (net->x != NULL) {
        MCO_TRY(traffic_path_beside(ctx, path, "_node.tntp", beside));
        MCO_TRY(write_tntp_nodes(ctx, traffic, beside));
    }
    if (net->turn_count > 0) {
        MCO_TRY(traffic_path_beside(ctx, path, "_turns.csv", beside));
        MCO_TRY(write_turns(ctx, traffic, beside));
    }
done:
    return st;
}

// ---- GMNS

static mco_status write_gmns_nodes(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    const mco_traffic_network *net = &traffic->view;
    char buffer[16];
    MCO_TRY(begin(&w, ctx, traffic, path));
    traffic_put(&w.sink, net->x != NULL ? "node_id,x_coord,y_coord,node_type,zone_id\n" : "node_id,node_type,zone_id\n");
    for (int32_t v = 0; v < net->nodes; v++) {
        traffic_put_cell(&w.sink, mco_traffic_node_name(traffic, v, buffer));
        if (net->x != NULL) {
            traffic_put(&w.sink, ",");
            traffic_put_number(&w.sink, net->x[v]);
            traffic_put(&w.sink, ",");
            traffic_put_number(&w.sink, net->y[v]);
        }
        traffic_put(&w.sink, v < net->first_through ? ",centroid," : ",,");
        if (v < net->zones)
            traffic_put_cell(&w.sink, traffic_zone_name(traffic, v, buffer));
        traffic_put(&w.sink, "\n");
    }
    MCO_TRY(mco_stream_commit(&w.sink));
done:
    mco_stream_discard(&w.sink);
    return st;
}

static void put_gmns_link(writer *w, int32_t a)
{
    const mco_traffic_network *net = &w->traffic->view;
    const double value[] = {net->length[a], net->speed[a], net->capacity[a], net->b[a], net->power[a], net->free_time[a], net->toll[a]};
    char buffer[16];
    traffic_put_integer(&w->sink, (int64_t)a + 1);
    traffic_put(&w->sink, ",");
    traffic_put_cell(&w->sink, mco_traffic_node_name(w->traffic, net->tail[a], buffer));
    traffic_put(&w->sink, ",");
    traffic_put_cell(&w->sink, mco_traffic_node_name(w->traffic, net->head[a], buffer));
    traffic_put(&w->sink, ",true,1");
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        traffic_put(&w->sink, ",");
        traffic_put_number(&w->sink, value[k]);
    }
    traffic_put(&w->sink, ",");
    traffic_put_integer(&w->sink, net->type[a]);
    traffic_put(&w->sink, "\n");
}

static mco_status write_gmns_links(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    MCO_TRY(begin(&w, ctx, traffic, path));
    traffic_put(&w.sink, "link_id,from_node_id,to_node_id,directed,lanes,length,free_speed,capacity,vdf_alpha,vdf_beta,vdf_fftt,toll,link_type\n");
    for (int32_t a = 0; a < traffic->view.links; a++)
        put_gmns_link(&w, a);
    MCO_TRY(mco_stream_commit(&w.sink));
done:
    mco_stream_discard(&w.sink);
    return st;
}

static mco_status write_gmns(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    char file[MCO_PATH_LENGTH];
    const mco_traffic_network *net = &traffic->view;
    if (net->street != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: GMNS holds no types of streets; a path that ends with .csv gets them", path);
    if (net->first_through != 0 && net->first_through != net->zones)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: the first through node is %d; GMNS holds 1, or %d behind the zones", path,
                        net->first_through + 1, net->zones + 1);
    if (net->zones == 0 && net->nodes > 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: GMNS holds no network without zones", path);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return mco_fail(ctx, MCO_ERR_IO, "cannot make the folder %s: %s", path, strerror(errno));
    MCO_TRY(traffic_path_in(ctx, path, "node.csv", file));
    MCO_TRY(write_gmns_nodes(ctx, traffic, file));
    MCO_TRY(traffic_path_in(ctx, path, "link.csv", file));
    MCO_TRY(write_gmns_links(ctx, traffic, file));
    if (net->turn_count > 0) {
        MCO_TRY(traffic_path_in(ctx, path, "turns.csv", file));
        MCO_TRY(write_turns(ctx, traffic, file));
    }
done:
    return st;
}

// ---- Streets

static void put_other(writer *w, int32_t link)
{
    traffic_put(&w->sink, ",");
    if (link >= 0)
        traffic_put_integer(&w->sink, (int64_t)link + 1);
}

static void put_street(writer *w, int32_t a)
{
    const mco_traffic_network *net = &w->traffic->view;
    const mco_traffic_street *s = &net->street[a];
    const double value[] = {net->length[a], net->speed[a], s->lanes, s->signal, net->capacity[a], net->toll[a], net->b[a], net->power[a]};
    traffic_put_integer(&w->sink, (int64_t)net->tail[a] + 1);
    traffic_put(&w->sink, ",");
    traffic_put_integer(&w->sink, (int64_t)net->head[a] + 1);
    traffic_put(&w->sink, ",");
    traffic_put_integer(&w->sink, s->type);
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        traffic_put(&w->sink, ",");
        traffic_put_number(&w->sink, value[k]);
    }
    put_other(w, s->reverse);
    for (int k = 0; k < 2; k++)
        put_other(w, s->preferential[k]);
    for (int k = 0; k < 3; k++)
        put_other(w, s->circulating[k]);
    traffic_put(&w->sink, "\n");
}

static mco_status refuse_streets(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    const mco_traffic_network *net = &traffic->view;
    if (net->street == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: the network has no types of streets; .tntp and a folder for GMNS hold it", path);
    if (traffic->node_name != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: a table of streets holds no names of nodes", path);
    for (int32_t a = 0; a < net->links; a++)
        if (net->free_time[a] != traffic_street_time(net->length[a], net->speed[a]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: link %d has the free-flow time %.15g, the table gives %.15g by length and speed", path, a + 1,
                            net->free_time[a], traffic_street_time(net->length[a], net->speed[a]));
    return MCO_OK;
}

static mco_status write_streets(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    char beside[MCO_PATH_LENGTH];
    const mco_traffic_network *net = &traffic->view;
    MCO_TRY(refuse_streets(ctx, traffic, path));
    MCO_TRY(begin(&w, ctx, traffic, path));
    put_statement(&w, "# nodes:", net->nodes);
    put_statement(&w, "# zones:", net->zones);
    put_statement(&w, "# first through node:", (double)net->first_through + 1);
    traffic_put(&w.sink, "from,to,type,length,speed,lanes,signal,capacity,toll,b,power,reverse,y1,y2,w1,w2,w3\n");
    for (int32_t a = 0; a < net->links; a++)
        put_street(&w, a);
    MCO_TRY(mco_stream_commit(&w.sink));
    if (net->x != NULL) {
        MCO_TRY(traffic_path_beside(ctx, path, "_node.tntp", beside));
        MCO_TRY(write_tntp_nodes(ctx, traffic, beside));
    }
    if (net->turn_count > 0) {
        MCO_TRY(traffic_path_beside(ctx, path, "_turns.csv", beside));
        MCO_TRY(write_turns(ctx, traffic, beside));
    }
done:
    mco_stream_discard(&w.sink);
    return st;
}

mco_status mco_traffic_write_network(mco_context *ctx, const mco_traffic *traffic, const char *path)
{
    if (ctx == NULL || traffic == NULL || path == NULL || path[0] == '\0')
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL, or the path is empty");
    if (traffic_is_folder(path) || path[strlen(path) - 1] == '/')
        return write_gmns(ctx, traffic, path);
    if (traffic_ends_with(path, ".csv"))
        return write_streets(ctx, traffic, path);
    if (traffic_ends_with(path, ".tntp") || mco_output_is_in_place(path))
        return write_tntp(ctx, traffic, path);
    const char *slash = strrchr(path, '/');
    if (strchr(slash != NULL ? slash : path, '.') == NULL)
        return write_gmns(ctx, traffic, path);
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: a network is written as .tntp, as a table of streets (.csv), or as GMNS into a folder", path);
}

// ---- Trips

static double total_of(const mco_traffic_class *c, int32_t zones)
{
    double total = 0;
    for (int64_t k = 0; k < c->first[zones]; k++)
        total += c->amount[k];
    return total;
}

static void put_tntp_row(writer *w, const mco_traffic_class *c, int32_t o)
{
    enum { A_LINE = 5 };
    if (c->first[o] == c->first[o + 1])
        return;
    traffic_put(&w->sink, "\nOrigin ");
    put_node(w, o);
    for (int64_t k = c->first[o]; k < c->first[o + 1]; k++) {
        traffic_put(&w->sink, (k - c->first[o]) % A_LINE == 0 ? "\n\t" : "\t");
        put_node(w, c->to[k]);
        traffic_put(&w->sink, " : ");
        traffic_put_number(&w->sink, c->amount[k]);
        traffic_put(&w->sink, ";");
    }
    traffic_put(&w->sink, "\n");
}

static void put_tntp_trips(writer *w, const mco_traffic_class *c)
{
    const int32_t zones = w->traffic->view.zones;
    put_statement(w, "<NUMBER OF ZONES>", zones);
    put_statement(w, "<TOTAL OD FLOW>", total_of(c, zones));
    if (!isnan(c->stated_toll_factor))
        put_statement(w, "<TOLL FACTOR>", c->stated_toll_factor);
    if (!isnan(c->stated_distance_factor))
        put_statement(w, "<DISTANCE FACTOR>", c->stated_distance_factor);
    traffic_put(&w->sink, "<END OF METADATA>\n");
    for (int32_t o = 0; o < zones; o++)
        put_tntp_row(w, c, o);
}

static void put_csv_trips(writer *w, const mco_traffic_class *c)
{
    char buffer[16];
    traffic_put(&w->sink, "o_zone_id,d_zone_id,volume\n");
    for (int32_t o = 0; o < w->traffic->view.zones; o++)
        for (int64_t k = c->first[o]; k < c->first[o + 1]; k++) {
            traffic_put_cell(&w->sink, traffic_zone_name(w->traffic, o, buffer));
            traffic_put(&w->sink, ",");
            traffic_put_cell(&w->sink, traffic_zone_name(w->traffic, c->to[k], buffer));
            traffic_put(&w->sink, ",");
            traffic_put_number(&w->sink, c->amount[k]);
            traffic_put(&w->sink, "\n");
        }
}

static mco_status write_omx_trips(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_class *c, const char *path)
{
    mco_status st = MCO_OK;
    const int64_t zones = traffic->view.zones;
    double *matrix = NULL;
    MCO_TRY(mco_alloc(ctx, &matrix, zones * zones));
    for (int64_t o = 0; o < zones; o++)
        for (int64_t k = c->first[o]; k < c->first[o + 1]; k++)
            matrix[o * zones + c->to[k]] = c->amount[k];
    MCO_TRY(traffic_write_omx(ctx, traffic, c->name != NULL ? c->name : "trips", matrix, path));
done:
    mco_free(ctx, &matrix);
    return st;
}

mco_status mco_traffic_write_trips(mco_context *ctx, const mco_traffic *traffic, int32_t k, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    if (ctx == NULL || traffic == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (k < 0 || k >= traffic->class_count)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "class %d, the network has classes 0 to %d", k, traffic->class_count - 1);
    const mco_traffic_class *c = &traffic->classes[k];
    if (traffic_ends_with(path, ".omx"))
        return write_omx_trips(ctx, traffic, c, path);
    MCO_TRY(begin(&w, ctx, traffic, path));
    if (traffic_ends_with(path, ".csv"))
        put_csv_trips(&w, c);
    else
        put_tntp_trips(&w, c);
    MCO_TRY(mco_stream_commit(&w.sink));
done:
    mco_stream_discard(&w.sink);
    return st;
}

// ---- Matrices

mco_status mco_traffic_write_matrix(mco_context *ctx, const mco_traffic *traffic, const char *name, const double *matrix, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {0};
    char buffer[16];
    if (ctx == NULL || traffic == NULL || name == NULL || matrix == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (traffic_ends_with(path, ".omx"))
        return traffic_write_omx(ctx, traffic, name, matrix, path);
    const int64_t zones = traffic->view.zones;
    MCO_TRY(begin(&w, ctx, traffic, path));
    traffic_put_cell(&w.sink, name);
    for (int32_t d = 0; d < zones; d++) {
        traffic_put(&w.sink, ",");
        traffic_put_cell(&w.sink, traffic_zone_name(traffic, d, buffer));
    }
    traffic_put(&w.sink, "\n");
    for (int32_t o = 0; o < zones; o++) {
        MCO_TRY(mco_call_in_time(ctx, (int64_t)o << 8));
        traffic_put_cell(&w.sink, traffic_zone_name(traffic, o, buffer));
        for (int64_t d = 0; d < zones; d++) {
            traffic_put(&w.sink, ",");
            if (isfinite(matrix[o * zones + d]))
                traffic_put_number(&w.sink, matrix[o * zones + d]);
        }
        traffic_put(&w.sink, "\n");
    }
    MCO_TRY(mco_stream_commit(&w.sink));
done:
    mco_stream_discard(&w.sink);
    return traffic_call_end(ctx, st);
}
