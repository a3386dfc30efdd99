// SPDX-License-Identifier: MIT
// Complete neighbourhoods on a GPU, move by move (vrp/sweep/plain.cuh): scans that the faster ways cannot decide.
#include "vrp/sweep/gpu_plain.h"

static const double LAUNCH_MOVES = 2e10;     // moves of a launch: a tenth of a second
static const int64_t UNITS = 1 << 17;        // units of a 3-opt scan, about

// Makes the segments of the tour with which `job` decides.
static mco_status make_segments(vrp_gpu *s, int hierarchy, vrp_device_plain *job)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1;
    job->layout = vrp_layout_best(edges, hierarchy);
    job->limits = (vrp_limits){s->problem->capacity, s->problem->max_length};
    const double bytes = (double)job->layout.count * sizeof *s->d_segments;
    if (bytes > (double)vrp_gpu_room_left(s))
        return mco_fail(s->device.ctx, MCO_ERR_LIMIT,
                        "the GPU needs %.3g GiB for the segments of %d nodes with hierarchy %d, at most %.3g GiB are allowed",
                        bytes / (1 << 30), edges + 1, hierarchy, (double)vrp_gpu_room_left(s) / (1 << 30));
    if (job->layout.count > s->segment_room) {
        mco_device_give(&s->device, &s->d_segments);
        s->segment_room = 0;
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_segments, job->layout.count));
        s->segment_room = job->layout.count;
    }
    for (int level = 0; level < job->layout.levels; level++)
        MCO_CUDA(s->device.ctx, vrp_launch_segments(&s->tour, &s->places, &job->layout, job->limits, level, s->d_segments,
                                                    s->device.stream));
    job->stored = s->d_segments;
    for (int32_t i = 0; i < edges; i++)
        job->cost += s->sums.edge[i];
done:
    return st;
}

// Lists the edges of the routes that break a limit, at most MOST_BAD_ROUTES; for a tour with symmetric distances.
static void list_bad_routes(const vrp_sums *t, vrp_device_plain *job)
{
    for (int32_t depot = 0; depot < t->count - 1;) {
        const int32_t end = t->next_depot[depot + 1];
        if (t->bad_to[end] > t->bad_to[depot]) {
            job->bad_first[job->bad] = depot;
            job->bad_end[job->bad++] = end;
        }
        depot = end;
    }
}

static vrp_device_plain plain_job(const vrp_gpu *s, const vrp_scan *scan)
{
    const vrp_sums *t = &s->sums;
    const int64_t edges = t->count - 1;
    vrp_device_plain job = {.tour = s->tour, .places = s->places, .is_three_opt = scan->is_three_opt,
                            .wants_first = scan->wants_first, .keep = scan->keep, .filter_seed = scan->filter_seed,
                            .compacts = scan->keep != UINT64_MAX && scan->filter == MCO_VRP_FILTER_COMPACT,
                            .value_bits = t->is_symmetric ? 32 : 44, .last = UINT64_MAX};
    // The value of vrp_to_beat().
    job.to_beat = t->bad > 0 ? UINT64_MAX
                             : ((unsigned long long)vrp_penalty(t->routes, t->vehicles) << job.value_bits) +
                                   (1ull << (job.value_bits - 1));
    const int64_t chunks = scan->is_three_opt && UNITS / edges > 1 ? UNITS / edges : 1;
    job.chunk = (int32_t)((edges + chunks - 1) / chunks);
    job.chunks = (int32_t)((edges + job.chunk - 1) / job.chunk);
    return job;
}

// Launches all units; *stopped if the scan has to end early.
static mco_status launch_units(vrp_gpu *s, const vrp_device_plain *job, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int64_t edges = s->sums.count - 1, units = edges * job->chunks;
    const double of_unit = (double)vrp_move_count(edges, job->is_three_opt) / (double)units;
    const int64_t step = 1 + (int64_t)(LAUNCH_MOVES / (of_unit > 1 ? of_unit : 1));
    for (int64_t first = 0; first < units && !*stopped; first += step) {
        MCO_TRY(vrp_gpu_wait_between(s, stop_s, first == 0, stopped));
        if (!*stopped)
            MCO_CUDA(s->device.ctx, vrp_launch_plain(job, first, first + step < units ? first + step : units,
                                                     s->device.info.multiprocessors, s->device.stream));
    }
done:
    return st;
}

// Fetches the number of moves kept; with job->counts those up to `last`.
static mco_status fetch_kept(vrp_gpu *s, const vrp_device_plain *job, int64_t *kept)
{
    mco_status st = MCO_OK;
    unsigned long long value;
    MCO_CUDA(s->device.ctx,
             cudaMemcpyAsync(&value, job->kept, sizeof value, cudaMemcpyDeviceToHost, s->device.stream));
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    *kept = (int64_t)value;
done:
    return st;
}

static vrp_candidate candidate_of(vrp_device_key key, const vrp_device_plain *job)
{
    const unsigned long long i = key.index;
    if (key.value == UINT64_MAX && i == UINT64_MAX)
        return VRP_NO_CANDIDATE;
    vrp_candidate c = {{(int32_t)(i >> 44), (int32_t)(i >> 22 & 0x3fffff), (int32_t)(i >> 2 & 0xfffff), (int32_t)(i & 3)},
                       {(int32_t)(key.value >> job->value_bits),
                        (int64_t)(key.value & ((1ull << job->value_bits) - 1)) - ((int64_t)1 << (job->value_bits - 1))}};
    if (!job->is_three_opt)
        c.move = (vrp_move){(int32_t)(i >> 32), (int32_t)(i & UINT32_MAX), -1, -1};
    return c;
}

// The value of a move. Kernels that look for the first improving move leave only its index.
static vrp_value value_of(const vrp_gpu *s, vrp_move m)
{
    int32_t from[3], to[3], join[3];
    const int joins = vrp_joins(m, from, to);
    for (int k = 0; k < joins; k++)
        join[k] = vrp_distance(s->problem, s->sums.node[from[k]], s->sums.node[to[k]]);
    const vrp_decision d = vrp_decide(&s->sums, m, join);
    return (vrp_value){vrp_penalty(d.routes, s->sums.vehicles), d.change};
}

static mco_status take_plain(vrp_gpu *s, const vrp_device_plain *job)
{
    mco_status st = MCO_OK;
    const int64_t units = (int64_t)(s->sums.count - 1) * job->chunks;
    if (s->d_rows == NULL)
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_rows, (int64_t)s->room + 1));
    if (units > s->partial_room) {
        mco_device_give(&s->device, &s->d_partial);
        s->partial_room = 0;
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &s->d_partial, units));
        s->partial_room = units;
    }
done:
    return st;
}

// Counts the moves kept. With wants_first it counts those up to the first improving move, where the reference stops.
static mco_status count_kept(vrp_gpu *s, vrp_device_plain *job, const vrp_scan *scan, double stop_s, bool *stopped,
                             int64_t *moves)
{
    mco_status st = MCO_OK;
    const vrp_move m = scan->best.move;
    if (!scan->wants_first || m.x < 0)
        return fetch_kept(s, job, moves);
    if (scan->keep == UINT64_MAX) {
        *moves = vrp_gpu_rank_of(s->sums.count - 1, m);
        return MCO_OK;
    }
    vrp_device_plain count = *job;
    count.counts = true;
    count.compacts = count.wants_first = false;
    count.last = m.z < 0 ? (unsigned long long)m.x << 32 | (unsigned long long)m.y
                         : (unsigned long long)m.x << 44 | (unsigned long long)m.y << 22 | (unsigned long long)m.z << 2 |
                               (unsigned long long)m.p;
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job->kept, 0, sizeof *job->kept, s->device.stream));
    MCO_TRY(launch_units(s, &count, stop_s, stopped));
    MCO_TRY(fetch_kept(s, job, moves));
done:
    return st;
}

mco_status vrp_gpu_scan_plain(vrp_gpu *s, vrp_scan *scan, bool only_open, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int32_t edges = s->sums.count - 1;
    vrp_device_plain job = plain_job(s, scan);
    job.only_open = only_open;
    if (scan->hierarchy >= 0)
        MCO_TRY(make_segments(s, scan->hierarchy, &job));
    else if (s->sums.is_symmetric)
        list_bad_routes(&s->sums, &job);
    MCO_TRY(take_plain(s, &job));
    job.partial = s->d_partial;
    job.rows = s->d_rows;
    job.kept = s->d_keys;
    job.found = s->d_keys + 1;
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job.kept, 0, sizeof *job.kept, s->device.stream));
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job.found, 0xff, sizeof *job.found, s->device.stream));
    MCO_TRY(launch_units(s, &job, stop_s, stopped));
    if (*stopped)
        return MCO_OK;
    MCO_CUDA(s->device.ctx, vrp_launch_plain_rows(&job, s->device.stream));
    const int32_t first = scan->rows != NULL ? 0 : edges;  // the best of all lies behind the best of each x
    MCO_CUDA(s->device.ctx, cudaMemcpyAsync(s->rows + first, s->d_rows + first, (size_t)(edges + 1 - first) * sizeof *s->rows,
                                            cudaMemcpyDeviceToHost, s->device.stream));
    MCO_CUDA(s->device.ctx, cudaStreamSynchronize(s->device.stream));
    vrp_candidate best = candidate_of(s->rows[edges], &job);
    if (scan->wants_first && best.move.x >= 0)
        best.value = value_of(s, best.move);
    vrp_gpu_take_better(&scan->best, &best, scan->wants_first);
    for (int32_t x = 0; scan->rows != NULL && !scan->wants_first && x < edges; x++) {
        const vrp_candidate row = candidate_of(s->rows[x], &job);
        vrp_gpu_take_better(&scan->rows[x], &row, false);
    }
    if (!only_open)
        MCO_TRY(count_kept(s, &job, scan, stop_s, stopped, &scan->moves));
done:
    return st;
}

mco_status vrp_gpu_scan_hopeless(vrp_gpu *s, vrp_scan *scan, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    scan->moves_skipped = vrp_move_count(s->sums.count - 1, scan->is_three_opt);
    if (scan->keep == UINT64_MAX)
        return MCO_OK;
    vrp_device_plain job = plain_job(s, scan);
    job.counts = true;
    job.compacts = job.wants_first = false;
    MCO_TRY(take_plain(s, &job));
    job.partial = s->d_partial;
    job.kept = s->d_keys;
    MCO_CUDA(s->device.ctx, cudaMemsetAsync(job.kept, 0, sizeof *job.kept, s->device.stream));
    MCO_TRY(launch_units(s, &job, stop_s, stopped));
    MCO_TRY(fetch_kept(s, &job, &scan->moves_skipped));
done:
    return st;
}
