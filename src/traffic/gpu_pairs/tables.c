// SPDX-License-Identifier: MIT
// Tables of the network and of the rows, as the kernels of gpu_pairs read them.
#include <math.h>

#include "traffic/gpu_pairs/scanner.h"

void gpu_tables_clear(mco_context *ctx, gpu_tables *t)
{
    mco_free(ctx, &t->star);
    mco_free(ctx, &t->more);
    mco_free(ctx, &t->into);
    mco_free(ctx, &t->star_link);
    mco_free(ctx, &t->place_table);
    mco_free(ctx, &t->place_origin);
    mco_free(ctx, &t->place_first);
    mco_free(ctx, &t->place_end);
    mco_free(ctx, &t->place_scale);
}

int32_t gpu_count_more(const traffic_problem *p)
{
    int32_t more = 0;
    for (int32_t v = 0; v < p->nodes; v++) {
        const int32_t degree = p->first[v + 1] - p->first[v];
        more += degree > TRAFFIC_STAR_SLOTS ? degree - TRAFFIC_STAR_SLOTS : 0;
    }
    return more;
}

int32_t gpu_most_into(const traffic_problem *p)
{
    int32_t most = 0;
    for (int32_t v = 0; v < p->nodes; v++)
        most = p->into_first[v + 1] - p->into_first[v] > most ? p->into_first[v + 1] - p->into_first[v] : most;
    return most;
}

// One star of each node, and the list of what it has no room for.
static void fill_star(const traffic_problem *p, gpu_tables *t)
{
    int32_t next = 0;
    for (int32_t v = 0; v < p->nodes; v++) {
        traffic_star_link *star = t->star + (size_t)v * TRAFFIC_STAR_SLOTS;
        for (int k = 0; k < TRAFFIC_STAR_SLOTS; k++) {
            star[k] = (traffic_star_link){.cost = INFINITY, .head = v};
            t->star_link[(size_t)v * TRAFFIC_STAR_SLOTS + (size_t)k] = -1;
        }
        star[0].more = next;
        for (int32_t l = p->first[v], k = 0; l < p->first[v + 1]; l++, k++) {
            if (k < TRAFFIC_STAR_SLOTS) {
                star[k].head = p->head[l];
                t->star_link[(size_t)v * TRAFFIC_STAR_SLOTS + (size_t)k] = l;
                continue;
            }
            t->more[next] = (traffic_star_link){.cost = INFINITY, .head = p->head[l]};
            t->star_link[(size_t)p->nodes * TRAFFIC_STAR_SLOTS + (size_t)next++] = l;
            star[1].more++;
        }
    }
    for (int32_t k = 0; k < p->links; k++)
        t->into[k] = (traffic_into_link){.cost = INFINITY, .tail = p->tail[p->into[k]], .link = p->into[k]};
}

// The power of 2 by which a row's trips become integers: their sum stays below 2^62.
static double scale_of(const traffic_problem *p, int32_t row)
{
    double sum = 0;
    int exponent = 0;
    for (int64_t k = p->row_first[row]; k < p->row_first[row + 1]; k++)
        sum += p->amount[k];
    (void)frexp(sum, &exponent);
    return ldexp(1, 61 - (exponent > 61 - 1000 ? exponent : 61 - 1000));
}

static void fill_places(gpu_scanner *s, gpu_tables *t)
{
    const traffic_problem *p = s->problem;
    for (int32_t k = 0; k < s->places; k++) {
        const pairs_batch *b = &s->store->batch[k / PAIRS_LANES];
        const int32_t row = b->row[k % PAIRS_LANES];
        if (row < 0)
            continue;
        t->place_table[k] = s->plan.tables > 1 ? b->user_class : 0;
        t->place_origin[k] = p->row_origin[row];
        t->place_first[k] = p->row_first[row];
        t->place_end[k] = p->row_first[row + 1];
        t->place_scale[k] = scale_of(p, row);
        s->live[s->live_count++] = k;
    }
}

mco_status gpu_make_tables(gpu_scanner *s, gpu_tables *t)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = s->problem;
    const int64_t stars = (int64_t)p->nodes * TRAFFIC_STAR_SLOTS;
    MCO_TRY(mco_alloc(s->ctx, &t->star, stars));
    MCO_TRY(mco_alloc(s->ctx, &t->more, s->plan.more_count));
    MCO_TRY(mco_alloc(s->ctx, &t->into, p->links));
    MCO_TRY(mco_alloc(s->ctx, &t->star_link, stars + s->plan.more_count));
    MCO_TRY(mco_alloc(s->ctx, &t->place_table, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_origin, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_first, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_end, s->places));
    MCO_TRY(mco_alloc(s->ctx, &t->place_scale, s->places));
    MCO_TRY(mco_alloc(s->ctx, &s->live, s->places));
    fill_star(p, t);
    fill_places(s, t);
done:
    return st;
}
