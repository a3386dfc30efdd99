// SPDX-License-Identifier: MIT
// Trips of TNTP files: rows "Origin o" with entries "d : amount;", several on a line.
#include <inttypes.h>
#include <math.h>

#include "base/grow.h"
#include "base/names.h"
#include "traffic/files/tntp.h"

typedef struct trip_table {
    traffic_trip *trips;
    int64_t count, room;
    double total, intrazonal;
    const mco_traffic *traffic;
    mco_name_finder finder;
} trip_table;

// A zone by its number, or by its name where nodes have names.
static inline mco_status read_zone(tntp_scanner *s, trip_table *t, const char *what, int32_t *zone)
{
    int64_t number = 0;
    const int32_t zones = t->traffic->view.zones;
    if (t->traffic->node_name == NULL) {
        mco_status st = tntp_read_whole(s, what, 1, zones, &number);
        *zone = (int32_t)number - 1;
        return st;
    }
    const mco_slice token = tntp_token_at(s);
    mco_status st = mco_names_look_up(&t->finder, s->text->ctx, token.data, token.size, zone);
    if (st == MCO_OK && (*zone < 0 || *zone >= zones))
        st = tntp_fail_at(s, "a zone");
    s->at += st == MCO_OK ? token.size : 0;
    return st;
}

static mco_status read_origin(tntp_scanner *s, trip_table *t, int32_t *origin)
{
    const mco_slice word = tntp_token_at(s);
    if (!mco_slice_is(word, "Origin"))
        return tntp_fail_at(s, "\"Origin\" or an entry \"zone : trips;\"");
    s->at += word.size;
    tntp_skip_blanks(s);
    if (*s->at == ':')
        s->at++;
    tntp_skip_blanks(s);
    return read_zone(s, t, "the origin", origin);
}

static inline mco_status read_entry(tntp_scanner *s, trip_table *t, int32_t origin)
{
    mco_status st = MCO_OK;
    traffic_trip trip = {.from = origin};
    MCO_TRY(read_zone(s, t, "the destination", &trip.to));
    tntp_skip_blanks(s);
    if (*s->at != ':')
        return tntp_fail_at(s, "\":\"");
    s->at++;
    tntp_skip_blanks(s);
    MCO_TRY(tntp_read_real(s, "the number of trips", 0, TNTP_MOST, &trip.amount));
    t->total += trip.amount;
    t->intrazonal += trip.from == trip.to ? trip.amount : 0;
    if (t->count == t->room)
        MCO_TRY(mco_grow(s->text->ctx, &t->trips, &t->room, t->count + 1));
    t->trips[t->count] = trip;
    t->count += trip.amount > 0;
done:
    return st;
}

static mco_status read_trips(mco_text *text, trip_table *t)
{
    mco_status st = MCO_OK;
    tntp_scanner s = {text, text->data + text->at, 0};
    int32_t origin = -1;
    while (tntp_skip_to_content(&s, ';')) {
        MCO_TRY(mco_text_in_time(text, ++s.count));
        if (tntp_is_letter(*s.at))
            MCO_TRY(read_origin(&s, t, &origin));
        else if (origin < 0)
            return tntp_fail_at(&s, "\"Origin\"");
        else
            MCO_TRY(read_entry(&s, t, origin));
    }
done:
    return st;
}

static void say_differences(mco_context *ctx, const char *path, const tntp_metadata *m, const trip_table *t)
{
    static const double TOLERANCE = 1e-5;  // headers are rounded
    const int32_t zones = t->traffic->view.zones;
    if (m->zones >= 0 && m->zones != zones)
        mco_log(ctx, MCO_LOG_WARNING, "%s: %" PRId64 " zones are stated, the network has %d", path, m->zones, zones);
    if (!isnan(m->total) && !(fabs(m->total - t->total) <= TOLERANCE * fmax(fabs(m->total), t->total)))
        mco_log(ctx, MCO_LOG_WARNING, "%s: %.15g trips are stated, %.15g are there, %.15g of them within a zone", path, m->total, t->total,
                t->intrazonal);
}

mco_status traffic_parse_tntp_trips(mco_text *text, const mco_traffic *traffic, mco_traffic_class *out)
{
    enum { BYTES_OF_ENTRY = 12 };  // about; the room grows where there are more entries
    mco_status st = MCO_OK;
    mco_context *ctx = text->ctx;
    trip_table t = {.traffic = traffic,
                    .finder = {.what = "the zone", .names = traffic->node_name, .rows = traffic->view.nodes, .ids = MCO_IDS_NAMES}};
    tntp_metadata m;
    MCO_TRY(tntp_read_metadata(text, &m));
    if (m.nodes >= 0)
        MCO_TRY(mco_text_fail_here(text, "this is a file of links; the trips are in the file *_trips.tntp"));
    if (m.zones >= 0)
        MCO_TRY(tntp_refuse_more(text, m.zones, "zones"));
    t.room = (int64_t)text->size / BYTES_OF_ENTRY + 1;
    MCO_TRY(mco_alloc_unset(ctx, &t.trips, t.room));
    MCO_TRY(read_trips(text, &t));
    say_differences(ctx, text->name, &m, &t);
    MCO_TRY(traffic_class_fill(ctx, traffic->view.zones, t.count, t.trips, out));
    out->stated_total = m.total;
    out->stated_toll_factor = m.toll_factor;
    out->stated_distance_factor = m.distance_factor;
done:
    mco_free(ctx, &t.finder.table.slots);
    mco_free(ctx, &t.trips);
    return st;
}

mco_status traffic_read_tntp_trips(mco_context *ctx, const char *path, const mco_traffic *traffic, mco_traffic_class *out)
{
    mco_text text = {.ctx = ctx};
    mco_status st = mco_text_open(ctx, path, &text);
    if (st == MCO_OK)
        st = traffic_parse_tntp_trips(&text, traffic, out);
    mco_text_close(&text);
    return st;
}
