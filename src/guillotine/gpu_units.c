// SPDX-License-Identifier: MIT
// Bands, tiles and units (guillotine/gpu_units.h).
#include "guillotine/gpu_units.h"

#include <string.h>

enum {
    GAP = 2 * GUILLOTINE_TILE,  // a new range, with its first rows, costs less than empty stages over such a gap
    ALIGNED = 8,            // positions: a whole number of vectors, for any lane width
    ALIGNED_BAND = 32,      // positions: shorter bands fit one panel wherever they begin
    LEAST_STAGES = 4,       // of a unit where a step has few; gcut13 on an H200: 1 stage 0.85 ms, 4 0.65, 16 0.80
    LEAST_LATE_STAGES = 2,  // of a unit that needs the step just before
    MOST_STAGES = 16,       // enough to amortise the start and the end of a unit
    UNITS_PER_SLOT = 4,     // units of a step, if it has that many stages
    GROUP_POSITIONS = 192,   // of a group, on average: it fills its tiles and panels by 88 %
    MOST_MERGED_POSITIONS = 48,  // of a band, on average; larger ones fill a panel well enough
    MOST_NARROW_VECTOR = 4,  // lanes: the kernels by waste, with 8, have panels of one width
    FIRST_PART = 256,       // units of the first launch
    PART_GROWTH = 6         // each launch has so many times the units of the one before
};
static const double FILLED = 0.9;  // if tiles are this full, fuller ones are not worth more steps

static int32_t min32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t max32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int32_t gcd(int32_t a, int32_t b)
{
    while (b != 0) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// ---- Bands

// The limit of a band's span, in coordinates: the shortest piece, or whole tiles if the last tile would be rather
// empty.
static int32_t band_span(int32_t shortest)
{
    const int64_t tiles = ceil_div(shortest, GUILLOTINE_TILE);
    if (shortest < 2 * GUILLOTINE_TILE || shortest >= FILLED * (double)(tiles * GUILLOTINE_TILE))
        return shortest;
    return shortest / GUILLOTINE_TILE * GUILLOTINE_TILE;
}

// The end of the band that begins at position `first`. A long band ends where a vector of lanes ends.
static int32_t band_end(const guillotine_bands *b, int32_t first, int32_t span)
{
    int32_t end = first + 1;
    while (end < b->count && b->at[end] - b->at[first] < span)
        end++;
    const int32_t aligned = end / ALIGNED * ALIGNED;
    return end - first >= ALIGNED_BAND && end < b->count ? aligned : end;
}

static void fill_ranks(guillotine_bands *b)
{
    for (int32_t p = b->count - 1; p >= 0; p--) {
        const bool is_last = p + 1 == b->count;
        const int32_t end = is_last ? b->at[p] + 1 : b->at[p + 1];
        for (int32_t c = b->at[p]; c < end; c++)
            b->last_at[c] = p;
        b->gap_after[p] = is_last || end - b->at[p] >= GAP ? p + 1 : b->gap_after[p + 1];
    }
    for (int32_t g = 0; g < b->band_count; g++)
        for (int32_t p = b->bands[g].first; p < b->bands[g].end; p++)
            b->band_of[p] = g;
}

static mco_status make_bands(mco_context *ctx, const guillotine_axis *axis, guillotine_bands *b)
{
    mco_status st = MCO_OK;
    b->count = axis->count;
    for (int32_t p = 1; p < axis->count; p++)
        b->divisor = gcd(b->divisor, axis->at[p]);
    b->divisor = b->divisor > 0 ? b->divisor : 1;
    const int32_t side = axis->at[axis->count - 1] / b->divisor;
    if (side > GUILLOTINE_MAX_COORDINATE)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "the gpu engine takes sides up to %d, after division by %d this one has %d",
                         GUILLOTINE_MAX_COORDINATE, b->divisor, side));
    MCO_TRY(mco_alloc(ctx, &b->at, axis->count));
    MCO_TRY(mco_alloc(ctx, &b->last_at, (int64_t)side + 1));
    MCO_TRY(mco_alloc(ctx, &b->band_of, axis->count));
    MCO_TRY(mco_alloc(ctx, &b->gap_after, axis->count));
    MCO_TRY(mco_alloc(ctx, &b->bands, axis->count));
    for (int32_t p = 0; p < axis->count; p++)
        b->at[p] = axis->at[p] / b->divisor;
    const int32_t span = axis->count > 1 ? band_span(b->at[1]) : 1;
    for (int32_t p = 1; p < b->count; p = b->bands[b->band_count++].end)
        b->bands[b->band_count] = (guillotine_band){.first = p, .end = band_end(b, p, span)};
    fill_ranks(b);
done:
    return st;
}

// ---- Ranges of strips

static int32_t stages_of(int32_t first, int32_t end)
{
    return (end - first + GUILLOTINE_STAGE - 1) / GUILLOTINE_STAGE;
}

static mco_status add_range(mco_context *ctx, guillotine_bands *b, guillotine_range range)
{
    mco_status st = MCO_OK;
    guillotine_range *more = NULL;
    if (b->range_count == b->range_room) {
        const int32_t room = max32(1024, 2 * b->range_room);
        MCO_TRY(mco_alloc(ctx, &more, room));
        if (b->range_count > 0)
            memcpy(more, b->ranges, (size_t)b->range_count * sizeof *more);
        mco_free(ctx, &b->ranges);
        b->ranges = more;
        b->range_room = room;
    }
    b->ranges[b->range_count++] = range;
done:
    return st;
}

// Adds ranges for the strips at positions [first, end) of the tile at `target`, whose last target is at `top`. A range
// has at most `most` stages and contains no long gap.
static mco_status add_strips(mco_context *ctx, guillotine_bands *b, int32_t target, int32_t top, int32_t first, int32_t end,
                             int32_t most)
{
    mco_status st = MCO_OK;
    for (int32_t p = first, next; p < end; p = next) {
        const int32_t parts = (int32_t)ceil_div(stages_of(b->at[p], b->at[end - 1] + 1), most);
        const int32_t stages = (int32_t)ceil_div(stages_of(b->at[p], b->at[end - 1] + 1), parts);
        const int32_t reach = b->at[p] + stages * GUILLOTINE_STAGE - 1;
        next = min32(min32(end, b->gap_after[p]), reach < top ? b->last_at[reach] + 1 : end);
        const int32_t needed = b->band_of[b->last_at[top - b->at[p]]];  // by the longest rest
        MCO_TRY(add_range(ctx, b, (guillotine_range){target, b->at[p], b->at[next - 1] + 1, needed}));
    }
done:
    return st;
}

// Position behind the last strip of targets up to `top`.
static int32_t strips_end(const guillotine_bands *b, int32_t top)
{
    return b->last_at[top / 2] + 1;
}

// The first strip that the units of group g take, or the end of all strips if they take none.
static int32_t first_of_group(const guillotine_bands *b, int32_t g)
{
    const int32_t top = b->at[b->groups[g].end - 1], last = b->merged * (g - 1), all = strips_end(b, top);
    if (g < 1 || b->band_of[all - 1] > last)
        return all;
    // Shorter strips may leave a rest beyond band `last`.
    return min32(all, b->last_at[top - b->at[b->bands[last + 1].first]] + 1);
}

// The end of the strips that the units of a band take: others are those of its group.
static int32_t end_of_band(const guillotine_bands *b, int32_t band, int32_t top)
{
    const int32_t all = strips_end(b, top);
    return b->group_count > 0 ? min32(all, first_of_group(b, band / b->merged)) : all;
}

// Adds the ranges of a tile of a band with positions [p, end): either those with slack or those without.
static mco_status add_tile(mco_context *ctx, guillotine_bands *b, int32_t band, int32_t p, int32_t end, bool has_slack,
                           int32_t most)
{
    const int32_t top = b->at[end - 1], strips = end_of_band(b, band, top);
    // Strips before position `late` may leave a rest that reaches the band before.
    const int32_t late = band > 0 ? min32(strips, b->last_at[top - b->at[b->bands[band - 1].first]] + 1) : strips;
    return has_slack ? add_strips(ctx, b, b->at[p], top, late, strips, most) : add_strips(ctx, b, b->at[p], top, 1, late, most);
}

static mco_status add_group_tile(mco_context *ctx, guillotine_bands *b, int32_t g, int32_t p, int32_t end, bool has_slack,
                                 int32_t most)
{
    const int32_t top = b->at[end - 1];
    return has_slack ? add_strips(ctx, b, b->at[p], top, first_of_group(b, g), strips_end(b, top), most) : MCO_OK;
}

// Adds the ranges of all tiles of a band or a group, first those with slack.
static mco_status add_tiles(mco_context *ctx, guillotine_bands *b, guillotine_band *band, int32_t number,
                            mco_status (*add)(mco_context *, guillotine_bands *, int32_t, int32_t, int32_t, bool, int32_t),
                            int32_t stages, int32_t late_stages)
{
    mco_status st = MCO_OK;
    band->ranges_first = b->range_count;
    band->stages = 0;
    for (int has_slack = 1; has_slack >= 0; has_slack--) {
        for (int32_t p = band->first, next; p < band->end; p = next) {
            for (next = p + 1; next < band->end && b->at[next] - b->at[p] < GUILLOTINE_TILE;)
                next++;
            MCO_TRY(add(ctx, b, number, p, next, has_slack, has_slack ? stages : late_stages));
        }
        if (has_slack)
            band->ranges_slack_end = b->range_count;
    }
    band->ranges_end = b->range_count;
    for (int32_t r = band->ranges_first; r < band->ranges_end; r++)
        band->stages += stages_of(b->ranges[r].strip, b->ranges[r].strip_end);
done:
    return st;
}

static mco_status add_ranges(mco_context *ctx, guillotine_bands *b, int32_t stages, int32_t late_stages)
{
    mco_status st = MCO_OK;
    b->range_count = 0;
    for (int32_t g = 0; g < b->band_count; g++)
        MCO_TRY(add_tiles(ctx, b, &b->bands[g], g, add_tile, stages, late_stages));
    for (int32_t g = 0; g < b->group_count; g++)
        MCO_TRY(add_tiles(ctx, b, &b->groups[g], g, add_group_tile, stages, late_stages));
done:
    return st;
}

// ---- Steps

static int32_t first_lane(const guillotine_schedule *s, const guillotine_band *band)
{
    return band->first / s->vector * s->vector;
}

static int32_t panels_of(const guillotine_schedule *s, const guillotine_band *band)
{
    return (int32_t)ceil_div(band->end - first_lane(s, band), s->panel);
}

// What takes part in a step: pairs (x, step - x) of bands, or of groups with their numbers.
typedef struct level {
    const guillotine_band *bands[2];
    int32_t counts[2];
    int32_t step;        // the sum of the numbers of a pair
    int32_t first, end;  // of x
} level;

static level level_of(const guillotine_schedule *s, bool is_group, int32_t step)
{
    const bool is_none = is_group && s->axis[0].group_count == 0;
    const int32_t merged = is_group && !is_none ? s->axis[0].merged : 1;
    level l = {.step = step / merged};
    for (int a = 0; a < 2; a++) {
        l.bands[a] = is_group ? s->axis[a].groups : s->axis[a].bands;
        l.counts[a] = is_group ? s->axis[a].group_count : s->axis[a].band_count;
    }
    if (is_none || step % merged != 0 || l.counts[1] == 0)
        return l;
    l.first = l.step < l.counts[1] ? 0 : l.step - l.counts[1] + 1;
    l.end = min32(l.step + 1, l.counts[0]);
    return l;
}

// Returns the number of stages of all units of a step; *units is the number of units.
static int64_t step_stages(const guillotine_schedule *s, int32_t step, int64_t *units)
{
    int64_t stages = 0;
    *units = 0;
    for (int is_group = 0; is_group < 2; is_group++) {
        const level l = level_of(s, is_group, step);
        for (int32_t g = l.first; g < l.end; g++) {
            const guillotine_band *x = &l.bands[0][g], *y = &l.bands[1][l.step - g];
            stages += x->stages * panels_of(s, y) + y->stages * panels_of(s, x);
            *units += (int64_t)(x->ranges_end - x->ranges_first) * panels_of(s, y) +
                      (int64_t)(y->ranges_end - y->ranges_first) * panels_of(s, x);
        }
    }
    return stages;
}

double guillotine_schedule_work(const guillotine_schedule *schedule, int32_t step)
{
    int64_t units;
    return (double)step_stages(schedule, step, &units) * GUILLOTINE_STAGE * GUILLOTINE_TILE * schedule->panel;
}

// Estimates the stages of all tiles of each band.
static void estimate_stages(guillotine_bands *b)
{
    for (int32_t g = 0; g < b->band_count; g++) {
        guillotine_band *band = &b->bands[g];
        const int32_t bottom = b->at[band->first], top = b->at[band->end - 1];
        const int64_t tiles = (top - bottom) / GUILLOTINE_TILE + 1, half = (bottom + (int64_t)top) / 4;
        band->stages = tiles * ((half > b->at[1] ? half - b->at[1] : 0) / GUILLOTINE_STAGE);
    }
}

// Chooses the length of ranges from the work of all steps, and makes the ranges.
static mco_status choose_ranges(mco_context *ctx, guillotine_schedule *s)
{
    mco_status st = MCO_OK;
    int64_t all = 0, units;
    estimate_stages(&s->axis[0]);
    estimate_stages(&s->axis[1]);
    for (int32_t step = 0; step < s->steps; step++)
        all += step_stages(s, step, &units);
    const int64_t fair = all / ((int64_t)s->slots * UNITS_PER_SLOT * max32(1, s->steps));
    s->stages = max32(LEAST_STAGES, fair < MOST_STAGES ? (int32_t)fair : MOST_STAGES);
    s->late_stages = max32(LEAST_LATE_STAGES, s->stages > LEAST_STAGES ? s->stages / 2 : 1);
    for (int a = 0; a < 2; a++)
        MCO_TRY(add_ranges(ctx, &s->axis[a], s->stages, s->late_stages));
done:
    return st;
}

static mco_status count_units(mco_context *ctx, guillotine_schedule *s)
{
    mco_status st = MCO_OK;
    int32_t last = -1;
    MCO_TRY(mco_alloc(ctx, &s->units, s->steps));
    MCO_TRY(mco_alloc(ctx, &s->last, s->steps));
    for (int32_t step = 0; step < s->steps; step++) {
        int64_t units;
        (void)step_stages(s, step, &units);
        if (units > INT32_MAX)
            MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "step %d has %lld units, at most %d are supported", step, (long long)units,
                             INT32_MAX));
        s->units[step] = (int32_t)units;
        last = units > 0 ? step : last;
        s->last[step] = last;
    }
done:
    return st;
}

// Lanes of the panels of all bands, if a panel has `panel`.
static int64_t lanes_of_panels(guillotine_schedule *s, int32_t panel)
{
    int64_t lanes = 0;
    s->panel = panel;
    for (int a = 0; a < 2; a++)
        for (int32_t g = 0; g < s->axis[a].band_count; g++)
            lanes += (int64_t)panels_of(s, &s->axis[a].bands[g]) * panel;
    return lanes;
}

// Bands of few positions are merged: a group then fills a few panels.
static mco_status make_groups(mco_context *ctx, guillotine_schedule *s)
{
    mco_status st = MCO_OK;
    int64_t positions = 0, bands = 0;
    for (int a = 0; a < 2; a++) {
        positions += s->axis[a].count;
        bands += s->axis[a].band_count;
    }
    const int64_t mean = bands > 0 ? positions / bands : 0;
    const int32_t merged = mean > 0 && mean < MOST_MERGED_POSITIONS ? (int32_t)ceil_div(GROUP_POSITIONS, mean) : 1;
    for (int a = 0; a < 2; a++) {
        guillotine_bands *b = &s->axis[a];
        b->merged = merged;
        if (merged == 1)
            continue;
        MCO_TRY(mco_alloc(ctx, &b->groups, ceil_div(b->band_count, merged)));
        for (int32_t g = 0; g < b->band_count; g += merged)
            b->groups[b->group_count++] = (guillotine_band){.first = b->bands[g].first,
                                                            .end = b->bands[min32(g + merged, b->band_count) - 1].end};
    }
done:
    return st;
}

// Short bands leave most of a panel empty: then panels have fewer vectors, and the GPU holds more units.
static void choose_panel(guillotine_schedule *s)
{
    static const double LESS = 0.8;  // of the lanes; below that, fewer vectors pay for reading strips more often
    const int32_t few = GUILLOTINE_FEW_VECTORS * s->vector, many = GUILLOTINE_VECTORS * s->vector;
    const double lanes = (double)lanes_of_panels(s, few);
    s->vectors = GUILLOTINE_FEW_VECTORS;
    if (s->vector <= MOST_NARROW_VECTOR && lanes < LESS * (double)lanes_of_panels(s, many))
        s->slots *= GUILLOTINE_VECTORS / GUILLOTINE_FEW_VECTORS;
    else
        s->vectors = GUILLOTINE_VECTORS;
    s->panel = s->vectors * s->vector;
}

mco_status guillotine_schedule_create(mco_context *ctx, const guillotine_model *model, int lane_bytes, int32_t slots,
                                      guillotine_schedule *out)
{
    mco_status st = MCO_OK;
    *out = (guillotine_schedule){.vector = 16 / lane_bytes, .slots = slots};
    MCO_TRY(make_bands(ctx, &model->x, &out->axis[0]));
    MCO_TRY(make_bands(ctx, &model->y, &out->axis[1]));
    if (out->vector <= MOST_NARROW_VECTOR)
        MCO_TRY(make_groups(ctx, out));
    choose_panel(out);
    if (out->axis[0].band_count > 0 && out->axis[1].band_count > 0)
        out->steps = out->axis[0].band_count + out->axis[1].band_count - 1;
    MCO_TRY(choose_ranges(ctx, out));
    MCO_TRY(count_units(ctx, out));
done:
    if (st != MCO_OK)
        guillotine_schedule_clear(ctx, out);
    return st;
}

void guillotine_schedule_clear(mco_context *ctx, guillotine_schedule *schedule)
{
    for (int a = 0; a < 2; a++) {
        mco_free(ctx, &schedule->axis[a].at);
        mco_free(ctx, &schedule->axis[a].last_at);
        mco_free(ctx, &schedule->axis[a].band_of);
        mco_free(ctx, &schedule->axis[a].gap_after);
        mco_free(ctx, &schedule->axis[a].bands);
        mco_free(ctx, &schedule->axis[a].groups);
        mco_free(ctx, &schedule->axis[a].ranges);
    }
    mco_free(ctx, &schedule->units);
    mco_free(ctx, &schedule->last);
}

// ---- Units

// Writes the units of ranges [first, end) of an axis, for all panels of `lanes`, whose last band has number last_band.
// Returns the end of what it wrote.
static guillotine_unit *put_units(const guillotine_schedule *s, int32_t step, int32_t axis, int32_t first, int32_t end,
                                  const guillotine_band *lanes, guillotine_unit *units)
{
    const int32_t last_band = s->axis[1 - axis].band_of[lanes->end - 1];
    for (int32_t r = first; r < end; r++) {
        const guillotine_range *range = &s->axis[axis].ranges[r];
        // A rest of no position, below the first band, needs nothing.
        const int32_t needed = range->needed + last_band, after = needed >= 0 ? s->last[min32(needed, step - 1)] : -1;
        for (int32_t lane = first_lane(s, lanes); lane < lanes->end; lane += s->panel)
            *units++ = (guillotine_unit){.target = range->target, .lane = lane, .strip = range->strip,
                                         .strip_end = range->strip_end, .axis = (int16_t)axis,
                                         .lanes = (int16_t)min32(s->panel, lanes->end - lane), .step = step, .after = after,
                                         .after_units = after >= 0 ? s->units[after] : 0};
    }
    return units;
}

int64_t guillotine_next_part(int64_t part, int64_t most)
{
    const int64_t next = part == 0 ? FIRST_PART : part < most / PART_GROWTH ? part * PART_GROWTH : most;
    return next < most ? next : most > 0 ? most : 1;
}

int64_t guillotine_schedule_units(const guillotine_schedule *s, int32_t step, guillotine_unit *units)
{
    guillotine_unit *next = units;
    if (units == NULL || s->units[step] == 0)
        return s->units[step];
    for (int has_slack = 1; has_slack >= 0; has_slack--)
        for (int is_group = 1; is_group >= 0; is_group--) {
            const level l = level_of(s, is_group, step);
            for (int32_t g = l.end - 1; g >= l.first; g--)
                for (int32_t axis = 0; axis < 2; axis++) {
                    const guillotine_band *cut = &l.bands[axis][axis == 0 ? g : l.step - g];
                    const guillotine_band *lanes = &l.bands[1 - axis][axis == 0 ? l.step - g : g];
                    next = has_slack ? put_units(s, step, axis, cut->ranges_first, cut->ranges_slack_end, lanes, next)
                                     : put_units(s, step, axis, cut->ranges_slack_end, cut->ranges_end, lanes, next);
                }
        }
    // The last unit waits for the step before, so that steps end in order.
    next[-1].after = step > 0 ? s->last[step - 1] : -1;
    next[-1].after_units = next[-1].after >= 0 ? s->units[next[-1].after] : 0;
    return s->units[step];
}
