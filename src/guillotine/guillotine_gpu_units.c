// SPDX-License-Identifier: MIT
// Bands, tiles and units (guillotine_gpu_units.h).
#include "guillotine/guillotine_gpu_units.h"

enum {
    ALIGNED = 8,          // positions: lanes of a vector, of any width
    ALIGNED_BAND = 32,    // shorter bands fit one panel wherever they begin
    UNITS_PER_SLOT = 4,   // of a step, so that the last ones to end wait little
    CLASSES = 4           // of units by cost, costly first
};
static const double FILLED = 0.9;  // tiles of a band this full are not worth more steps

static int32_t min32(int32_t a, int32_t b)
{
    return a < b ? a : b;
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

// Coordinates that a band may span: below the shortest piece, and whole tiles where the last one would be rather empty.
static int32_t band_span(int32_t shortest)
{
    const int64_t tiles = ceil_div(shortest, GUILLOTINE_TILE);
    if (shortest < 2 * GUILLOTINE_TILE || shortest >= FILLED * (double)(tiles * GUILLOTINE_TILE))
        return shortest;
    return shortest / GUILLOTINE_TILE * GUILLOTINE_TILE;
}

// The end of the band that begins at position `first`. Long ones end where a vector of lanes ends.
static int32_t band_end(const guillotine_bands *b, int32_t first, int32_t span)
{
    int32_t end = first + 1;
    while (end < b->count && b->at[end] - b->at[first] < span)
        end++;
    const int32_t aligned = end / ALIGNED * ALIGNED;
    return end - first >= ALIGNED_BAND && end < b->count ? aligned : end;
}

static void add_tiles(guillotine_bands *b, guillotine_band *band)
{
    band->tiles_first = b->tile_count;
    for (int32_t p = band->first, next; p < band->end; p = next) {
        for (next = p + 1; next < band->end && b->at[next] - b->at[p] < GUILLOTINE_TILE;)
            next++;
        guillotine_tile *tile = &b->tiles[b->tile_count++];
        const int32_t half = b->at[next - 1] / 2;
        int32_t low = 0, high = next;  // at[low] <= half < at[high]
        while (high - low > 1) {
            const int32_t middle = low + (high - low) / 2;
            if (b->at[middle] <= half)
                low = middle;
            else
                high = middle;
        }
        *tile = (guillotine_tile){b->at[p], low};
        band->strips += tile->strips;
    }
    band->tiles_end = b->tile_count;
}

static mco_status make_bands(mco_context *ctx, const guillotine_axis *axis, guillotine_bands *b)
{
    mco_status st = MCO_OK;
    b->count = axis->count;
    for (int32_t p = 1; p < axis->count; p++)
        b->divisor = gcd(b->divisor, axis->at[p]);
    b->divisor = b->divisor > 0 ? b->divisor : 1;
    MCO_TRY(mco_alloc(ctx, &b->at, axis->count));
    MCO_TRY(mco_alloc(ctx, &b->bands, axis->count));
    MCO_TRY(mco_alloc(ctx, &b->tiles, axis->count));
    for (int32_t p = 0; p < axis->count; p++)
        b->at[p] = axis->at[p] / b->divisor;
    const int32_t span = axis->count > 1 ? band_span(b->at[1]) : 1;
    for (int32_t p = 1; p < b->count; p = b->bands[b->band_count++].end) {
        guillotine_band *band = &b->bands[b->band_count];
        *band = (guillotine_band){.first = p, .end = band_end(b, p, span)};
        add_tiles(b, band);
    }
done:
    return st;
}

mco_status guillotine_schedule_create(mco_context *ctx, const guillotine_model *model, int lane_bytes, int32_t slots,
                                      guillotine_schedule *out)
{
    mco_status st = MCO_OK;
    *out = (guillotine_schedule){.vector = 16 / lane_bytes, .panel = GUILLOTINE_VECTORS * 16 / lane_bytes, .slots = slots};
    MCO_TRY(make_bands(ctx, &model->x, &out->axis[0]));
    MCO_TRY(make_bands(ctx, &model->y, &out->axis[1]));
    if (out->axis[0].band_count > 0 && out->axis[1].band_count > 0)
        out->steps = out->axis[0].band_count + out->axis[1].band_count - 1;
done:
    if (st != MCO_OK)
        guillotine_schedule_clear(ctx, out);
    return st;
}

void guillotine_schedule_clear(mco_context *ctx, guillotine_schedule *schedule)
{
    for (int a = 0; a < 2; a++) {
        mco_free(ctx, &schedule->axis[a].at);
        mco_free(ctx, &schedule->axis[a].bands);
        mco_free(ctx, &schedule->axis[a].tiles);
    }
}

// ---- Units

static int32_t first_lane(const guillotine_schedule *s, const guillotine_band *band)
{
    return band->first / s->vector * s->vector;
}

static int64_t panels_of(const guillotine_schedule *s, const guillotine_band *band)
{
    return ceil_div(band->end - first_lane(s, band), s->panel);
}

// Bands of x that take part in a step: [*first, *end).
static void step_bands(const guillotine_schedule *s, int32_t step, int32_t *first, int32_t *end)
{
    *first = step < s->axis[1].band_count ? 0 : step - s->axis[1].band_count + 1;
    *end = min32(step + 1, s->axis[0].band_count);
}

// Strips of all tiles and panels of a step.
static int64_t step_strips(const guillotine_schedule *s, int32_t step)
{
    int64_t strips = 0;
    int32_t first, end;
    step_bands(s, step, &first, &end);
    for (int32_t g = first; g < end; g++) {
        const guillotine_band *x = &s->axis[0].bands[g], *y = &s->axis[1].bands[step - g];
        strips += x->strips * panels_of(s, y) + y->strips * panels_of(s, x);
    }
    return strips;
}

double guillotine_schedule_work(const guillotine_schedule *schedule, int32_t step)
{
    return (double)step_strips(schedule, step) * GUILLOTINE_TILE * schedule->panel;
}

// The units of a tile and all panels of `lanes`, `parts` of them a panel.
static void put_units(const guillotine_schedule *s, int32_t axis, const guillotine_tile *tile, const guillotine_band *lanes,
                      int64_t parts, guillotine_unit *units)
{
    const guillotine_bands *b = &s->axis[axis];
    for (int64_t part = 0; part < parts; part++) {
        const int32_t first = 1 + (int32_t)(tile->strips * part / parts);
        const int32_t last = (int32_t)(tile->strips * (part + 1) / parts);
        for (int32_t lane = first_lane(s, lanes); lane < lanes->end; lane += s->panel)
            *units++ = (guillotine_unit){.axis = axis, .target = tile->target, .lane = lane,
                                         .lanes = min32(s->panel, lanes->end - lane), .strip = b->at[first],
                                         .strip_end = b->at[last] + 1};
    }
}

int64_t guillotine_schedule_units(const guillotine_schedule *s, int32_t step, guillotine_unit *units)
{
    int64_t count = 0, most = ceil_div(step_strips(s, step), (int64_t)s->slots * UNITS_PER_SLOT);
    int32_t first, end;
    most = most > GUILLOTINE_LEAST_STRIPS ? most : GUILLOTINE_LEAST_STRIPS;
    step_bands(s, step, &first, &end);
    for (int class = units != NULL ? CLASSES - 1 : 0; class >= 0; class--)
        for (int32_t g = end - 1; g >= first; g--)
            for (int32_t axis = 0; axis < 2; axis++) {
                const guillotine_band *cut = &s->axis[axis].bands[axis == 0 ? g : step - g];
                const guillotine_band *lanes = &s->axis[1 - axis].bands[axis == 0 ? step - g : g];
                for (int32_t t = cut->tiles_first; t < cut->tiles_end; t++) {
                    const guillotine_tile *tile = &s->axis[axis].tiles[t];
                    const int64_t parts = ceil_div(tile->strips, most);
                    if (parts == 0 || (units != NULL && ceil_div(tile->strips * CLASSES, parts * most) - 1 != class))
                        continue;
                    if (units != NULL)
                        put_units(s, axis, tile, lanes, parts, units + count);
                    count += parts * panels_of(s, lanes);
                }
            }
    return count;
}
