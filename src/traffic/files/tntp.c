// SPDX-License-Identifier: MIT
// Messages about tokens of TNTP files, and their metadata.
#include "traffic/files/tntp.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- Tokens

mco_slice tntp_slice_of(const mco_text *text, const char *from, const char *to)
{
    mco_slice s = {from, (size_t)(to - from), 1, 1};
    const char *line = text->data;
    for (const char *newline; (newline = memchr(line, '\n', (size_t)(from - line))) != NULL; line = newline + 1)
        s.line++;
    s.column = from - line + 1;
    return s;
}

mco_status tntp_read_carefully(tntp_scanner *s, const char *what, double low, double high, double *out)
{
    mco_slice token = tntp_token_at(s);
    mco_status st = mco_slice_real(s->text, token, what, low, high, out);
    if (st != MCO_OK) {  // once more, with its place
        token = tntp_slice_of(s->text, s->at, s->at + token.size);
        return mco_slice_real(s->text, token, what, low, high, out);
    }
    s->at += token.size;
    return MCO_OK;
}

mco_status tntp_read_whole_carefully(tntp_scanner *s, const char *what, int64_t low, int64_t high, int64_t *out)
{
    mco_slice token = tntp_token_at(s);
    mco_status st = mco_slice_whole(s->text, token, what, low, high, out);
    if (st != MCO_OK) {
        token = tntp_slice_of(s->text, s->at, s->at + token.size);
        return mco_slice_whole(s->text, token, what, low, high, out);
    }
    s->at += token.size;
    return MCO_OK;
}

mco_status tntp_fail_at(const tntp_scanner *s, const char *what)
{
    const mco_slice token = tntp_token_at(s);
    const mco_slice place = tntp_slice_of(s->text, s->at, s->at + (token.size > 0 ? token.size : *s->at != '\0'));
    if (*s->at == '\0')
        return mco_text_fail(s->text, place.line, place.column, "the text ends where %s was expected", what);
    if (*s->at == '\n')
        return mco_text_fail(s->text, place.line, place.column, "the line ends where %s was expected", what);
    return mco_text_fail(s->text, place.line, place.column, "\"%.*s\" stands where %s was expected", mco_slice_shown(place), place.data,
                         what);
}

// ---- Metadata

static mco_status read_count(mco_text *text, mco_slice value, const char *what, int64_t *out)
{
    mco_slice number;
    mco_slice_token(&value, &number);
    return mco_slice_whole(text, number, what, 0, INT64_C(1) << 52, out);
}

static mco_status read_factor(mco_text *text, mco_slice value, const char *what, double *out)
{
    mco_slice number;
    mco_slice_token(&value, &number);
    return mco_slice_real(text, number, what, 0, TNTP_MOST, out);
}

static mco_status read_statement(mco_text *text, mco_slice line, tntp_metadata *m)
{
    const char *close = memchr(line.data, '>', line.size);
    if (close == NULL)
        return mco_text_fail(text, line.line, line.column, "the > behind the name of a value is missing");
    mco_slice name = mco_slice_behind(line, 1);
    name.size = (size_t)(close - name.data);
    name = mco_slice_trim(name);
    const mco_slice value = mco_slice_trim(mco_slice_behind(line, (size_t)(close - line.data) + 1));
    m->has_end = mco_slice_is(name, "END OF METADATA");
    if (mco_slice_is(name, "NUMBER OF ZONES"))
        return m->zones_at = value, read_count(text, value, "the number of zones", &m->zones);
    if (mco_slice_is(name, "NUMBER OF NODES"))
        return m->nodes_at = value, read_count(text, value, "the number of nodes", &m->nodes);
    if (mco_slice_is(name, "FIRST THRU NODE"))
        return m->through_at = value, read_count(text, value, "the first through node", &m->through);
    if (mco_slice_is(name, "NUMBER OF LINKS"))
        return read_count(text, value, "the number of links", &m->links);
    if (mco_slice_is(name, "TOTAL OD FLOW"))
        return read_factor(text, value, "the total of the trips", &m->total);
    if (mco_slice_is(name, "TOLL FACTOR"))
        return read_factor(text, value, "the toll factor", &m->toll_factor);
    if (mco_slice_is(name, "DISTANCE FACTOR"))
        return read_factor(text, value, "the distance factor", &m->distance_factor);
    return MCO_OK;
}

mco_status tntp_read_metadata(mco_text *text, tntp_metadata *m)
{
    mco_status st = MCO_OK;
    mco_slice line;
    *m = (tntp_metadata){-1, -1, -1, -1, NAN, NAN, NAN, {0}, {0}, {0}, false};
    for (int64_t lines = 1; !m->has_end && mco_text_line(text, &line); lines++) {
        MCO_TRY(mco_text_in_time(text, lines));
        line = mco_slice_trim(line);
        if (line.size == 0 || line.data[0] == '~')
            continue;
        if (line.data[0] != '<')
            return mco_text_fail(text, line.line, line.column, "\"%.*s\" stands before <END OF METADATA>", mco_slice_shown(line), line.data);
        MCO_TRY(read_statement(text, line, m));
    }
    if (!m->has_end)
        return mco_text_fail_here(text, "the text ends before <END OF METADATA>");
done:
    return st;
}

mco_status tntp_refuse_more(mco_text *text, int64_t count, const char *what)
{
    if (count <= MCO_TRAFFIC_MAX_NODES)
        return MCO_OK;
    return mco_fail(text->ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " %s, at most %d supported", text->name, count, what, MCO_TRAFFIC_MAX_NODES);
}
