// SPDX-License-Identifier: MIT
// 3-opt of a symmetric, feasible tour on a GPU, by tables of joins (vrp/sweep/joins.cuh, vrp/sweep/closed.cuh,
// vrp/sweep/open.cuh).
#include "vrp/sweep/gpu_plain.h"
#include "vrp/sweep/gpu_tables.h"

static const double LAUNCH_MOVES = 5e11;  // moves of a launch: a tenth of a second

// How a scan by tables counts routes.
typedef enum counting {
    COUNT_NOTHING,    // no move can make more routes than vehicles
    COUNT_BY_WEIGHT,  // there are more routes than vehicles, so each one counts
    COUNT_AFTERWARDS  // as many routes as vehicles; if the best move adds one, the scan goes another way
} counting;

static counting counting_of(const vrp_gpu *s)
{
    const vrp_sums *t = &s->sums;
    int32_t routes = 0;
    for (int32_t i = 1; i < t->count; i++)
        routes += t->node[i] == 0;
    const int32_t most = t->routes < routes ? t->routes + 1 : t->routes;
    if (vrp_penalty(most, t->vehicles) == 0)
        return COUNT_NOTHING;
    return t->routes > t->vehicles ? COUNT_BY_WEIGHT : COUNT_AFTERWARDS;
}

// Sets *weight above any difference of costs; false if sums of tables would then exceed their range. A move changes the
// cost by at most three distances up or down; three weights and three distances have to stay below VRP_FAR / 2.
static bool weigh(const vrp_gpu *s, counting count, int32_t *weight)
{
    const int64_t longest = s->problem->longest, of_route = count == COUNT_BY_WEIGHT ? 6 * longest + 1 : 0;
    *weight = (int32_t)of_route;
    return 3 * (of_route + longest) < VRP_FAR / 2;
}

// Allocates tables of all z, or of a slab as wide as memory allows.
static mco_status take_tables(vrp_gpu *s, int32_t edges, int32_t weight)
{
    enum { NARROW_MAJOR = 9 };  // older devices have no instruction for minima of 16-bit halves
    mco_status st = MCO_OK;
    vrp_device_tables *t = &s->tables;
    t->weight = weight;
    t->longest = s->problem->longest;
    t->is_narrow = weight == 0 && 3 * (int64_t)t->longest < VRP_FAR_16 && s->device.info.major >= NARROW_MAJOR;
    t->rows = (int32_t)vrp_gpu_round_up(edges, VRP_DEVICE_TILE);
    const int64_t entry_bytes = t->is_narrow ? sizeof(int16_t) : sizeof(int32_t), column_bytes = 4 * entry_bytes * t->rows;
    const int64_t all = vrp_gpu_round_up(edges, VRP_DEVICE_COLUMNS),
                  most = vrp_gpu_room_left(s) / column_bytes / VRP_DEVICE_COLUMNS * VRP_DEVICE_COLUMNS;
    if (most < VRP_DEVICE_COLUMNS)
        return mco_fail(s->device.ctx, MCO_ERR_LIMIT,
                        "3-opt of %d nodes needs at least %.1f MiB on the GPU, %.1f MiB are free or allowed", edges + 1,
                        (double)(vrp_gpu_distance_bytes(s) + VRP_DEVICE_COLUMNS * column_bytes) / (1 << 20),
                        (double)s->memory_bytes / (1 << 20));
    t->is_whole = most >= all;
    t->columns = (int32_t)(most < all ? most : all);
    const int64_t bytes = t->columns * column_bytes;
    if (bytes > s->tables_room) {
        mco_device_give(&s->device, &s->d_tables);
        s->tables_room = 0;
        MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &s->d_tables, (size_t)bytes, 1));
        s->tables_room = bytes;
    }
    for (int k = 0; k < 4; k++)
        t->join[k] = (char *)s->d_tables + k * (bytes / 4);
done:
    return st;
}

// Launches the moves with a depot between any two edges and z in the slab, in short launches.
static mco_status launch_closed(vrp_gpu *s, double stop_s, bool is_first, bool *stopped)
{
    mco_status st = MCO_OK;
    const int32_t blocks = s->tables.rows / VRP_DEVICE_TILE;
    for (int32_t first = 0, end; first < blocks && !*stopped; first = end) {
        double moves = 0;
        for (end = first; end < blocks && moves < LAUNCH_MOVES; end++)
            moves += 4.0 * VRP_DEVICE_TILE * VRP_DEVICE_TILE * (end + 1) * s->tables.columns;
        MCO_TRY(vrp_gpu_wait_between(s, stop_s, is_first && first == 0, stopped));
        if (!*stopped)
            MCO_CUDA(s->device.ctx, vrp_launch_closed(&s->search, &s->tables, first, end, s->device.info.multiprocessors,
                                                      s->device.stream));
    }
done:
    return st;
}

// Launches the moves without a depot between two of their edges, in short launches even if all edges lie in one route.
static mco_status launch_open(vrp_gpu *s, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1;
    for (int32_t first = 0, end; first < edges && !*stopped; first = end) {
        double moves = 0;
        for (end = first; end < edges && moves < LAUNCH_MOVES; end += 2)
            moves += 8.0 * (edges - end) * (edges - end);
        end = end < edges ? end : edges;
        MCO_TRY(vrp_gpu_wait_between(s, stop_s, first == 0, stopped));
        if (!*stopped)
            MCO_CUDA(s->device.ctx, vrp_launch_open(&s->search, first, end, s->device.stream));
    }
done:
    return st;
}

static mco_status launch_tables(vrp_gpu *s, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1, columns = s->tables.columns;
    MCO_CUDA(s->device.ctx, vrp_launch_begin(&s->search, s->device.stream));
    if (s->tables.weight == 0)
        MCO_TRY(launch_open(s, stop_s, stopped));
    for (int32_t first = 0; first < edges && !*stopped; first += columns) {
        s->tables.first = first;
        MCO_CUDA(s->device.ctx, vrp_launch_joins(&s->search.tour, &s->tables, s->device.stream));
        MCO_TRY(launch_closed(s, stop_s, first == 0, stopped));
    }
    if (!*stopped)
        MCO_CUDA(s->device.ctx, vrp_launch_narrow(&s->search, s->tables.weight, s->device.stream));
done:
    return st;
}

// Fetches the moves. *is_decided is false if a best move leaves too many routes and another move may not.
static mco_status fetch_moves(vrp_gpu *s, vrp_scan *scan, bool *is_decided)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1, count = s->search.rows != NULL ? edges : 1;
    vrp_candidate *to = s->search.rows != NULL ? s->candidates : &scan->best;
    MCO_CUDA(s->device.ctx, cudaMemcpyAsync(to, s->d_candidates, (size_t)count * sizeof *to, cudaMemcpyDeviceToHost,
                                            s->device.stream));
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    *is_decided = true;
    for (int32_t k = 0; k < count; k++)
        *is_decided = *is_decided && to[k].move.x >= -1;
    if (!*is_decided)
        scan->best = VRP_NO_CANDIDATE;
    for (int32_t x = 0; s->search.rows != NULL && *is_decided && x < edges; x++) {
        scan->rows[x] = to[x];
        vrp_gpu_take_better(&scan->best, &to[x], false);
    }
done:
    return st;
}

mco_status vrp_gpu_scan_tables(vrp_gpu *s, vrp_scan *scan, double stop_s, bool *stopped, bool *is_decided)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1;
    const counting count = counting_of(s);
    int32_t weight;
    *is_decided = s->tour.distance != NULL && weigh(s, count, &weight);
    if (!*is_decided)
        return MCO_OK;
    if (s->d_candidates == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_candidates, s->room));
    MCO_TRY(take_tables(s, edges, weight));
    s->search = (vrp_device_three_opt){.tour = s->tour, .wants_first = scan->wants_first,
                                       .needs_few = count == COUNT_AFTERWARDS, .best = s->d_keys,
                                       .rows = scan->rows != NULL && !scan->wants_first ? s->d_keys + 1 : NULL,
                                       .index = s->d_keys + 1 + s->room, .answer = s->d_candidates};
    MCO_TRY(launch_tables(s, stop_s, stopped));
    if (*stopped)
        return MCO_OK;
    MCO_TRY(fetch_moves(s, scan, is_decided));
    if (*is_decided && weight > 0)
        MCO_TRY(vrp_gpu_scan_plain(s, scan, true, stop_s, stopped));
    scan->moves = scan->wants_first && scan->best.move.x >= 0 ? vrp_gpu_rank_of(edges, scan->best.move)
                                                              : vrp_move_count(edges, true);
done:
    return st;
}
