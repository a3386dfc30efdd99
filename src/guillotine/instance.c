// SPDX-License-Identifier: MIT
// Instances: creation and the two generators of Strappaveccia's thesis (2015, chapter 4). Files are in
// guillotine/formats.c.
#include "guillotine/instance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "guillotine/formats.h"

enum { NAME_ROOM = 96 };  // bytes of a name made here: a word and four numbers

mco_status guillotine_instance_create(mco_context *ctx, int64_t width, int64_t height, int64_t count, const char *name,
                                      mco_guillotine **out)
{
    mco_status st = MCO_OK;
    mco_guillotine *g = NULL;
    if (width < 1 || width > MCO_GUILLOTINE_MAX_SIDE || height < 1 || height > MCO_GUILLOTINE_MAX_SIDE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the plate is %lld x %lld, allowed sides are 1 to %lld", (long long)width,
                        (long long)height, (long long)MCO_GUILLOTINE_MAX_SIDE);
    if (count < 0 || count > MCO_GUILLOTINE_MAX_PIECES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%lld pieces, allowed are 0 to %lld", (long long)count,
                        (long long)MCO_GUILLOTINE_MAX_PIECES);
    MCO_TRY(mco_alloc(ctx, &g, 1));
    g->width = (int32_t)width;
    g->height = (int32_t)height;
    g->pieces = count;
    g->scale = g->value_scale = 1;
    MCO_TRY(mco_alloc(ctx, &g->name, strlen(name) + 1));
    memcpy(g->name, name, strlen(name) + 1);
    MCO_TRY(mco_alloc(ctx, &g->piece, count));
    *out = g;
    g = NULL;
done:
    mco_guillotine_destroy(ctx, &g);
    return st;
}

static mco_status test_piece(mco_context *ctx, const mco_guillotine_piece *p, int64_t number)
{
    if (p->width < 1 || p->width > MCO_GUILLOTINE_MAX_SIDE || p->height < 1 || p->height > MCO_GUILLOTINE_MAX_SIDE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "piece %lld is %d x %d, allowed sides are 1 to %lld", (long long)number,
                        p->width, p->height, (long long)MCO_GUILLOTINE_MAX_SIDE);
    if (p->value < 0 || p->value > MCO_GUILLOTINE_MAX_VALUE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the value of piece %lld is %lld, allowed is 0 to %lld", (long long)number,
                        (long long)p->value, (long long)MCO_GUILLOTINE_MAX_VALUE);
    return MCO_OK;
}

mco_status mco_guillotine_create(mco_context *ctx, int32_t width, int32_t height, const mco_guillotine_piece *pieces,
                                 int64_t count, mco_guillotine **out)
{
    mco_status st = MCO_OK;
    mco_guillotine *g = NULL;
    char name[NAME_ROOM];
    if (ctx == NULL || out == NULL || (pieces == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    snprintf(name, sizeof name, "guillotine-%dx%d-%lld", width, height, (long long)count);
    MCO_TRY(guillotine_instance_create(ctx, width, height, count, name, &g));
    for (int64_t p = 0; p < count; p++) {
        MCO_TRY(test_piece(ctx, &pieces[p], p + 1));
        g->piece[p] = pieces[p];
    }
    *out = g;
    g = NULL;
done:
    mco_guillotine_destroy(ctx, &g);
    return st;
}

void mco_guillotine_destroy(mco_context *ctx, mco_guillotine **problem)
{
    if (problem == NULL || *problem == NULL)
        return;
    mco_guillotine *g = *problem;
    mco_free(ctx, &g->piece_names);
    mco_free(ctx, &g->piece);
    mco_free(ctx, &g->name);
    mco_free(ctx, problem);
}

// ---- Units

int64_t guillotine_power(int places)
{
    int64_t power = 1;
    for (int k = 0; k < places && k < 18; k++)
        power *= 10;
    return power;
}

const char *guillotine_text(int64_t value, int64_t scale, char out[MCO_NUMBER_TEXT])
{
    return mco_scaled_text(value, scale, out);
}

// Both numbers below 2^53 are exact, so their quotient is the double that is nearest to the decimal.
static bool has_places(double size, int places)
{
    const double scaled = round(size * (double)guillotine_power(places));
    return fabs(scaled) < 0x1p53 && scaled / (double)guillotine_power(places) == size;
}

int mco_guillotine_places_of(double size)
{
    for (int places = 0; places <= GUILLOTINE_MOST_PLACES; places++)
        if (has_places(size, places))
            return places;
    return -1;
}

mco_status guillotine_settle_kerf(mco_context *ctx, const mco_guillotine *problem, mco_guillotine_params *params)
{
    char text[MCO_NUMBER_TEXT], unit[MCO_NUMBER_TEXT];
    if (!(params->kerf_width >= 0))
        return MCO_OK;
    if (!has_places(params->kerf_width, problem->places))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "kerf is %s, a multiple of %s was expected: mco_guillotine_refine() makes a finer unit",
                        mco_number_text(params->kerf_width, text), guillotine_text(1, problem->scale, unit));
    const double units = round(params->kerf_width * (double)problem->scale);
    params->kerf = units < (double)MCO_GUILLOTINE_MAX_SIDE ? (int64_t)units : MCO_GUILLOTINE_MAX_SIDE;
    return MCO_OK;
}

// Values get finer with the square of the unit, so that those that are areas stay areas.
static mco_status refine_pieces(mco_context *ctx, const mco_guillotine *from, mco_guillotine *to)
{
    const int64_t scale = to->scale / from->scale, value_scale = to->value_scale / from->value_scale;
    for (int64_t k = 0; k < from->pieces; k++) {
        const mco_guillotine_piece *p = &from->piece[k];
        if (p->width > MCO_GUILLOTINE_MAX_SIDE / scale || p->height > MCO_GUILLOTINE_MAX_SIDE / scale ||
            p->value > MCO_GUILLOTINE_MAX_VALUE / value_scale)
            return mco_fail(ctx, MCO_ERR_LIMIT, "piece %lld, %d x %d and worth %lld, is too large for a unit %lld times finer",
                            (long long)k + 1, p->width, p->height, (long long)p->value, (long long)scale);
        to->piece[k] = (mco_guillotine_piece){(int32_t)(p->width * scale), (int32_t)(p->height * scale), p->value * value_scale,
                                              p->is_rotatable};
    }
    return MCO_OK;
}

static mco_status copy_names(mco_context *ctx, const mco_guillotine *from, mco_guillotine *to)
{
    mco_status st = MCO_OK;
    char *next;
    size_t bytes = (size_t)from->pieces * sizeof *from->piece_names;
    for (int64_t k = 0; k < from->pieces; k++)
        bytes += from->piece_names[k] != NULL ? strlen(from->piece_names[k]) + 1 : 0;
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&to->piece_names, bytes, 1));
    next = (char *)(to->piece_names + from->pieces);
    for (int64_t k = 0; k < from->pieces; k++)
        if (from->piece_names[k] != NULL) {
            const size_t size = strlen(from->piece_names[k]) + 1;
            to->piece_names[k] = memcpy(next, from->piece_names[k], size);
            next += size;
        }
done:
    return st;
}

mco_status mco_guillotine_refine(mco_context *ctx, const mco_guillotine *problem, int places, mco_guillotine **out)
{
    mco_status st = MCO_OK;
    mco_guillotine *g = NULL;
    if (ctx == NULL || problem == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (places < problem->places || places > GUILLOTINE_MOST_PLACES)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d decimals, allowed are %d to %d", places, problem->places, GUILLOTINE_MOST_PLACES);
    const int64_t scale = guillotine_power(places - problem->places);
    MCO_TRY(guillotine_instance_create(ctx, problem->width * scale, problem->height * scale, problem->pieces, problem->name, &g));
    g->places = places;
    g->value_places = problem->value_places + 2 * (places - problem->places);  // at most 12 + 2 * 6
    g->scale = guillotine_power(g->places);
    g->value_scale = guillotine_power(g->value_places);
    MCO_TRY(refine_pieces(ctx, problem, g));
    if (problem->piece_names != NULL)
        MCO_TRY(copy_names(ctx, problem, g));
    *out = g;
    g = NULL;
done:
    mco_guillotine_destroy(ctx, &g);
    return st;
}

int64_t mco_guillotine_scale(const mco_guillotine *problem)
{
    return problem != NULL ? problem->scale : 1;
}

int64_t mco_guillotine_value_scale(const mco_guillotine *problem)
{
    return problem != NULL ? problem->value_scale : 1;
}

// ---- Generators

// Values are areas and must stay within the limit of values. If the area of the plate does, the areas of its pieces do
// too.
static mco_status begin_generated(mco_context *ctx, const char *kind, int32_t width, int32_t height, int32_t pieces,
                                  int64_t seed, mco_guillotine **out)
{
    char name[NAME_ROOM];
    if ((int64_t)width * height > MCO_GUILLOTINE_MAX_VALUE)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "the plate is %d x %d, values are areas and the largest value allowed is %lld", width, height,
                        (long long)MCO_GUILLOTINE_MAX_VALUE);
    snprintf(name, sizeof name, "%s-%dx%d-%d-%lld", kind, width, height, pieces, (long long)seed);
    return guillotine_instance_create(ctx, width, height, pieces, name, out);
}

static mco_guillotine_piece unweighted(int32_t width, int32_t height)
{
    return (mco_guillotine_piece){width, height, (int64_t)width * height, true};
}

// A random integer, uniform over [quarter * side / 4, (quarter + 1) * side / 4) without 0.
static int32_t side_in_quarter(mco_rng *rng, int32_t side, int32_t quarter)
{
    int32_t first = (int32_t)(((int64_t)side * quarter + 3) / 4);
    const int32_t end = (int32_t)(((int64_t)side * (quarter + 1) + 3) / 4);
    if (first == 0)
        first = 1;
    return first + (int32_t)mco_rng_below(rng, (uint32_t)(end - first));
}

mco_status mco_guillotine_testcut(mco_context *ctx, int32_t width, int32_t height, int32_t pieces, int64_t seed,
                                  mco_guillotine **out)
{
    enum { SHORTEST = 5 };  // for a shorter side, [1, side / 4) holds no integer
    mco_status st = MCO_OK;
    mco_guillotine *g = NULL;
    mco_rng rng;
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (width < SHORTEST || height < SHORTEST)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the plate of a testcut is %d x %d, sides of at least %d are needed",
                        width, height, SHORTEST);
    MCO_TRY(begin_generated(ctx, "testcut", width, height, pieces, seed, &g));
    mco_rng_seed(&rng, (uint64_t)seed, 0);
    for (int32_t p = 0; p < pieces; p++) {
        const int32_t quarter = p < pieces / 4 ? 0 : p < pieces - pieces / 4 ? 1 : 2;
        const int32_t w = side_in_quarter(&rng, width, quarter);
        g->piece[p] = unweighted(w, side_in_quarter(&rng, height, quarter));
    }
    *out = g;
    g = NULL;
done:
    mco_guillotine_destroy(ctx, &g);
    return st;
}

// Makes random guillotine cuts. Each cut takes a random rectangle among those that can be cut. It cuts across the
// longer side, where sides are measured as shares of the plate's sides, at a random place in the middle half. No side
// gets shorter than a given share of the plate's side. The thesis gives no rule. Of 54 rules tried (largest,
// area-weighted or any rectangle; longer, weighted or random side; six margins), this rule gives as many normal
// patterns as table 4.3 of the thesis. Over sizes 6000 to 10000, 28 to 52 pieces and three seeds, their number is 0.90
// of the plate's side on average, from 0.76 to 0.96; in the thesis it is 0.90, from 0.70 to 1.00.
typedef struct cutter {
    mco_guillotine *g;  // g->piece [made] holds the rectangles
    int32_t made;
    int32_t *open;      // [open_count] rectangles that can be cut
    int32_t open_count;
    int32_t least_width, least_height;
    mco_rng rng;
} cutter;

enum {
    FIRST_SHARE = 100,  // no side below 1/100 of the plate's, as long as a rectangle can be cut so
    MARGIN = 4          // a cut keeps away a quarter of the side from both ends
};

static bool can_cut(const cutter *c, int32_t r)
{
    const mco_guillotine_piece *p = &c->g->piece[r];
    return p->width / 2 >= c->least_width || p->height / 2 >= c->least_height;
}

// Sets the shortest allowed sides to 1/share of the plate's sides, and lists the rectangles that can then be cut.
static void set_share(cutter *c, int64_t share)
{
    c->least_width = (int32_t)((c->g->width + share - 1) / share);
    c->least_height = (int32_t)((c->g->height + share - 1) / share);
    c->open_count = 0;
    for (int32_t r = 0; r < c->made; r++)
        if (can_cut(c, r))
            c->open[c->open_count++] = r;
}

static int32_t random_place(mco_rng *rng, int32_t side, int32_t least)
{
    const int32_t margin = (side + MARGIN - 1) / MARGIN;
    const int32_t low = margin > least ? margin : least;
    return low + (int32_t)mco_rng_below(rng, (uint32_t)(side - 2 * low + 1));
}

static bool cuts_across_width(cutter *c, const mco_guillotine_piece *p)
{
    // Sides are at most 2^30, so the products are at most 2^60.
    const int64_t width = (int64_t)p->width * c->g->height, height = (int64_t)p->height * c->g->width;
    if (p->width / 2 < c->least_width)
        return false;
    if (p->height / 2 < c->least_height)
        return true;
    return width != height ? width > height : mco_rng_below(&c->rng, 2) == 0;
}

static void cut_one(cutter *c)
{
    const int32_t k = (int32_t)mco_rng_below(&c->rng, (uint32_t)c->open_count);
    const int32_t r = c->open[k], added = c->made++;
    mco_guillotine_piece *first = &c->g->piece[r], *second = &c->g->piece[added];
    *second = *first;
    if (cuts_across_width(c, first)) {
        first->width = random_place(&c->rng, first->width, c->least_width);
        second->width -= first->width;
    } else {
        first->height = random_place(&c->rng, first->height, c->least_height);
        second->height -= first->height;
    }
    if (!can_cut(c, r))
        c->open[k] = c->open[--c->open_count];
    if (can_cut(c, added))
        c->open[c->open_count++] = added;
}

mco_status mco_guillotine_randcut(mco_context *ctx, int32_t width, int32_t height, int32_t pieces, int64_t seed,
                                  mco_guillotine **out)
{
    mco_status st = MCO_OK;
    cutter c = {.made = 1};
    int64_t share = FIRST_SHARE;
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (pieces < 1 || (width > 0 && height > 0 && pieces > (int64_t)width * height))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a plate of %d x %d cannot be cut into %d pieces", width, height, pieces);
    MCO_TRY(begin_generated(ctx, "randcut", width, height, pieces, seed, &c.g));
    MCO_TRY(mco_alloc(ctx, &c.open, pieces));
    mco_rng_seed(&c.rng, (uint64_t)seed, 0);
    c.g->piece[0] = unweighted(width, height);
    for (set_share(&c, share); c.made < pieces;) {
        // Many pieces need shorter sides. The loop ends: when the shortest side allowed is 1, every rectangle but 1 x 1
        // can be cut.
        while (c.open_count == 0)
            set_share(&c, share *= 2);
        cut_one(&c);
    }
    for (int32_t p = 0; p < pieces; p++)
        c.g->piece[p] = unweighted(c.g->piece[p].width, c.g->piece[p].height);
    *out = c.g;
    c.g = NULL;
done:
    mco_free(ctx, &c.open);
    mco_guillotine_destroy(ctx, &c.g);
    return st;
}

// ---- Reading

int32_t mco_guillotine_width(const mco_guillotine *problem)
{
    return problem != NULL ? problem->width : 0;
}

int32_t mco_guillotine_height(const mco_guillotine *problem)
{
    return problem != NULL ? problem->height : 0;
}

int64_t mco_guillotine_pieces(const mco_guillotine *problem)
{
    return problem != NULL ? problem->pieces : 0;
}

mco_guillotine_piece mco_guillotine_piece_at(const mco_guillotine *problem, int64_t piece)
{
    return problem != NULL ? problem->piece[piece] : (mco_guillotine_piece){0};
}

const char *mco_guillotine_name(const mco_guillotine *problem)
{
    return problem != NULL ? problem->name : NULL;
}

const char *mco_guillotine_piece_name(const mco_guillotine *problem, int64_t piece, char buffer[24])
{
    enum { NUMBER_ROOM = 24 };
    if (problem == NULL)
        return NULL;
    if (problem->piece_names != NULL && problem->piece_names[piece] != NULL)
        return problem->piece_names[piece];
    snprintf(buffer, NUMBER_ROOM, "%lld", (long long)piece + 1);
    return buffer;
}
