// SPDX-License-Identifier: MIT
// Networks of the Transportation Networks collection (*_net.tntp): metadata <NAME> value, comments behind ~, and a line for each
// link: tail, head, capacity, length, free-flow time, and more columns up to a semicolon. The weight is the length, or the time for
// shortest paths. Nodes count from 1.
#include <inttypes.h>
#include <string.h>

#include "graph/reader.h"

typedef struct tntp {
    graph_draft *draft;
    mco_text *text;
    int64_t nodes, links, zones, through;  // -1: not stated
    mco_slice links_at, through_at;
} tntp;

static mco_status read_value(tntp *t, mco_slice value, const char *what, int64_t high, int64_t *out)
{
    mco_slice number;
    mco_slice_token(&value, &number);
    return mco_slice_integer(t->text, number, what, 0, high, out);
}

// Reads "<NAME> value". *is_end: these were the last metadata.
static mco_status read_metadata(tntp *t, mco_slice line, bool *is_end)
{
    mco_status st = MCO_OK;
    const char *close = memchr(line.data, '>', line.size);
    if (close == NULL)
        return mco_text_fail(t->text, line.line, line.column, "the > behind the name of a value is missing");
    mco_slice name = mco_slice_behind(line, 1);
    name.size = (size_t)(close - name.data);
    name = mco_slice_trim(name);
    const mco_slice value = mco_slice_behind(line, (size_t)(close - line.data) + 1);
    if (mco_slice_is(name, "NUMBER OF NODES")) {
        MCO_TRY(read_value(t, value, "the number of nodes", MCO_GRAPH_MAX_VERTICES, &t->nodes));
        MCO_TRY(graph_refuse_vertices(t->text, mco_slice_trim(value), t->nodes));
    } else if (mco_slice_is(name, "NUMBER OF LINKS")) {
        t->links_at = mco_slice_trim(value);
        MCO_TRY(read_value(t, value, "the number of links", MCO_GRAPH_MAX_ARCS / 2, &t->links));
    } else if (mco_slice_is(name, "NUMBER OF ZONES")) {
        MCO_TRY(read_value(t, value, "the number of zones", MCO_GRAPH_MAX_VERTICES, &t->zones));
    } else if (t->draft->wants_times && mco_slice_is(name, "FIRST THRU NODE")) {
        t->through_at = mco_slice_trim(value);
        MCO_TRY(read_value(t, value, "the first through node", MCO_GRAPH_MAX_VERTICES, &t->through));
    } else if (mco_slice_is(name, "TOTAL OD FLOW")) {
        return mco_text_fail(t->text, line.line, line.column, "this is a file of trips; the links are in the file *_net.tntp");
    }
    *is_end = mco_slice_is(name, "END OF METADATA");
done:
    return st;
}

static mco_status read_link(tntp *t, mco_slice line)
{
    mco_status st = MCO_OK;
    mco_slice cell, rest = line;
    int64_t ends[2];
    double number;
    const char *end = memchr(line.data, ';', line.size);
    if (end != NULL)
        rest.size = (size_t)(end - line.data);
    for (int k = 0; k < 2; k++) {
        mco_slice_token(&rest, &cell);
        MCO_TRY(mco_slice_integer(t->text, cell, k == 0 ? "the tail" : "the head", 1, t->nodes, &ends[k]));
    }
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_real(t->text, cell, "the capacity", 0, GRAPH_MAX_WEIGHT, &number));
    mco_slice_token(&rest, &cell);
    MCO_TRY(mco_slice_real(t->text, cell, "the length", 0, GRAPH_MAX_WEIGHT, &number));
    if (t->draft->wants_times) {
        mco_slice_token(&rest, &cell);
        MCO_TRY(mco_slice_real(t->text, cell, "the free-flow time", 0, GRAPH_MAX_WEIGHT, &number));
    }
    MCO_TRY(graph_edges_add(t->draft->ctx, &t->draft->edges, (int32_t)ends[0] - 1, (int32_t)ends[1] - 1, number));
done:
    return st;
}

static mco_status read_lines(tntp *t, bool is_head)
{
    mco_status st = MCO_OK;
    mco_slice line;
    bool is_end = false;
    for (int64_t lines = 1; !is_end && mco_text_line(t->text, &line); lines++) {
        MCO_TRY(mco_text_in_time(t->text, lines));
        line = mco_slice_trim(line);
        if (line.size == 0 || line.data[0] == '~')
            continue;
        if (line.data[0] == '<' && is_head)
            MCO_TRY(read_metadata(t, line, &is_end));
        else if (is_head)
            return mco_text_fail(t->text, line.line, line.column, "\"%.*s\" stands before <END OF METADATA>", mco_slice_shown(line),
                                 line.data);
        else
            MCO_TRY(read_link(t, line));
    }
    if (is_head && !is_end)
        return mco_text_fail_here(t->text, "the text ends before <END OF METADATA>");
done:
    return st;
}

mco_status graph_read_tntp(graph_draft *d)
{
    mco_status st = MCO_OK;
    tntp t = {.draft = d, .text = d->text, .nodes = -1, .links = -1, .zones = -1, .through = -1};
    MCO_TRY(read_lines(&t, true));
    if (t.nodes < 0 || t.links < 0)
        return mco_text_fail_here(d->text, "<NUMBER OF %s> is missing: is this the file of the links, *_net.tntp?",
                                  t.nodes < 0 ? "NODES" : "LINKS");
    d->edges.has_weights = d->is_directed = true;
    if (d->wants_times && t.through > t.nodes + 1)
        return mco_text_fail(d->text, t.through_at.line, t.through_at.column, "the first through node is %" PRId64 ", there are nodes 1 to %" PRId64,
                             t.through, t.nodes);
    d->vertices = (int32_t)t.nodes;
    d->first_through = d->wants_times && t.through > 1 ? (int32_t)t.through - 1 : 0;
    d->base = 1;
    MCO_TRY(read_lines(&t, false));
    if (d->edges.count != t.links)
        return mco_text_fail(d->text, t.links_at.line, t.links_at.column, "%" PRId64 " links are stated, %" PRId64 " are there",
                             t.links, d->edges.count);
    if (t.zones > 0)
        mco_log(d->ctx, MCO_LOG_INFO, "%s: %" PRId64 " of the vertices are zones", d->text->name, t.zones);
done:
    return st;
}
