// SPDX-License-Identifier: MIT
// Insertion, vectorised. Compiled once per vector unit and lane width (flowshop_lanes.h).
//
// Front e(c,k): when machine k is done with the first c jobs of the line. Back q(r,k): how long the
// last r jobs take from their start on machine k to the end. A job j put behind the first c of
// `count` jobs ends on machine k at f(k) = max(e(c,k), f(k-1)) + p(j,k), and the makespan is
// max over k of f(k) + q(count-c,k) (E. Taillard, Some efficient heuristic methods for the flow
// shop sequencing problem, EJOR 47, 1990). Two kernels use this:
//
// best_place: positions in lanes, machines in the loop. Fronts and backs are kept machine-major
// besides; the backs are aligned to the right, so that a change before them does not move them and
// position c of both is contiguous.
//
// reinsert: lane l takes out the job at position a = first + l and evaluates it at all places. For
// the places behind a only the fronts change, and the backs are those of the line itself; for the
// places before a it is the reverse. So one sweep forward from `first` carries 32 different lines
// of fronts (the lane's own job has time zero: that is the line without it), and one sweep backward
// mirrors it; rows of the line are broadcast, nothing is stored. A row a lane has not reached yet
// inserts a job of time zero, which yields the makespan of the line: harmless, and no sum
// exceeds a path of the instance, so that 16-bit lanes hold it. Six vector operations per row,
// machine and 32 jobs bound the speed: four rows at a time share the loads of the rest.
//
// The plain computation that both are held against is in tests/unit/test_flowshop_heuristic.c.
#include "flowshop/flowshop_insertion.h"

#include <string.h>

#include "flowshop/flowshop_lanes.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
typedef lane vec_anywhere __attribute__((vector_size(VEC_BYTES), aligned(sizeof(lane)), may_alias));

// Rows per step of a sweep: 4 share the load of the lane's own times and of the carried fronts.
enum { ROWS = 4 };

typedef struct lane_line {
    flowshop_line line;  // first member: the public face
    int32_t jobs, machines;
    int32_t fronts_known;  // rows 0..fronts_known of the fronts are current
    int32_t backs_known;   // rows 0..backs_known of the backs are current
    int64_t stride;        // lanes per machine in the machine-major arrays
    pair *times;           // [jobs][machines], both halves equal, as in all rows of pairs
    pair *fronts;          // [jobs + 1][machines], row c
    pair *backs;           // [jobs + 1][machines], row r
    lane *fronts_of;       // [machines][stride], e(c,k) at c
    lane *backs_of;        // [machines][stride], q(r,k) at jobs - r
    lane *times_of;        // [machines][stride], by position in the line, current as the fronts are
    lane *makespans;       // [stride] by place, of best_place
    vec *carried;          // [machines], the fronts or backs of the lanes in a sweep
    vec *own;              // [machines], the times of the lane's own job
} lane_line;

static void destroy(mco_context *ctx, flowshop_line **line)
{
    lane_line *l = (lane_line *)*line;
    if (l == NULL)
        return;
    mco_free(ctx, &l->own);
    mco_free(ctx, &l->carried);
    mco_free(ctx, &l->makespans);
    mco_free(ctx, &l->times_of);
    mco_free(ctx, &l->backs_of);
    mco_free(ctx, &l->fronts_of);
    mco_free(ctx, &l->backs);
    mco_free(ctx, &l->fronts);
    mco_free(ctx, &l->times);
    mco_free(ctx, &l->line.order);
    mco_free_bytes(ctx, (void **)line);
}

static mco_status create(mco_context *ctx, const mco_flowshop *shop, flowshop_line **out)
{
    mco_status st = MCO_OK;
    lane_line *l = NULL;
    const int32_t n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    MCO_TRY(mco_alloc(ctx, &l, 1));
    l->jobs = n;
    l->machines = m;
    // Room for a vector that begins at the last of places 0..n; an odd number of vectors per
    // machine spreads the machines over the sets of the cache.
    l->stride = (((int64_t)n + 1 + LANES + LANES - 1) / LANES | 1) * LANES;
    MCO_TRY(mco_alloc(ctx, &l->line.order, n));
    MCO_TRY(mco_alloc(ctx, &l->times, (int64_t)n * m));
    MCO_TRY(mco_alloc(ctx, &l->fronts, ((int64_t)n + 1) * m));
    MCO_TRY(mco_alloc(ctx, &l->backs, ((int64_t)n + 1) * m));
    MCO_TRY(mco_alloc(ctx, &l->fronts_of, m * l->stride));
    MCO_TRY(mco_alloc(ctx, &l->backs_of, m * l->stride));
    MCO_TRY(mco_alloc(ctx, &l->times_of, m * l->stride));
    MCO_TRY(mco_alloc(ctx, &l->makespans, l->stride));
    MCO_TRY(mco_alloc(ctx, &l->carried, m));
    MCO_TRY(mco_alloc(ctx, &l->own, m));
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = 0; k < m; k++)
            l->times[(int64_t)j * m + k] = pair_make(mco_flowshop_time(shop, k, j), mco_flowshop_time(shop, k, j));
    *out = &l->line;
    l = NULL;
done:
    destroy(ctx, (flowshop_line **)&l);
    return st;
}

// What lies before `front_jobs` jobs and behind the last `back_jobs` stays known.
static void keep(lane_line *l, int32_t front_jobs, int32_t back_jobs)
{
    l->fronts_known = l->fronts_known < front_jobs ? l->fronts_known : front_jobs;
    l->backs_known = l->backs_known < back_jobs ? l->backs_known : back_jobs;
}

static void assign(flowshop_line *line, const int32_t *order, int32_t count)
{
    const int32_t before = line->count, least = count < before ? count : before;
    int32_t front_jobs = 0, back_jobs = 0;
    while (front_jobs < least && order[front_jobs] == line->order[front_jobs])
        front_jobs++;
    while (back_jobs < least && order[count - 1 - back_jobs] == line->order[before - 1 - back_jobs])
        back_jobs++;
    keep((lane_line *)line, front_jobs, back_jobs);
    memmove(line->order, order, (size_t)count * sizeof *order);
    line->count = count;
}

static void insert(flowshop_line *line, int32_t job, int32_t position)
{
    int32_t *at = line->order + position;
    keep((lane_line *)line, position, line->count - position);
    memmove(at + 1, at, (size_t)(line->count - position) * sizeof *at);
    *at = job;
    line->count++;
}

static void take_out(flowshop_line *line, int32_t position)
{
    int32_t *at = line->order + position;
    line->count--;
    keep((lane_line *)line, position, line->count - position);
    memmove(at, at + 1, (size_t)(line->count - position) * sizeof *at);
}

static void settle_fronts(lane_line *l)
{
    const int32_t m = l->machines, count = l->line.count;
    const int64_t stride = l->stride;
    for (int32_t c = l->fronts_known; c < count; c++) {
        const pair *times = l->times + (int64_t)l->line.order[c] * m, *above = l->fronts + (int64_t)c * m;
        pair *row = l->fronts + ((int64_t)c + 1) * m;
        int32_t end = 0;
        for (int32_t k = 0; k < m; k++) {
            int32_t time = pair_even(times[k]), ready = pair_even(above[k]);
            end = (end > ready ? end : ready) + time;
            row[k] = pair_make(end, end);
            l->fronts_of[k * stride + c + 1] = (lane)end;
            l->times_of[k * stride + c] = (lane)time;
        }
    }
    l->fronts_known = count;
}

static void settle_backs(lane_line *l)
{
    const int32_t m = l->machines, count = l->line.count;
    const int64_t stride = l->stride;
    for (int32_t r = l->backs_known; r < count; r++) {
        const pair *times = l->times + (int64_t)l->line.order[count - 1 - r] * m, *below = l->backs + (int64_t)r * m;
        pair *row = l->backs + ((int64_t)r + 1) * m;
        int32_t rest = 0;
        for (int32_t k = m - 1; k >= 0; k--) {
            int32_t behind = pair_even(below[k]);
            rest = (rest > behind ? rest : behind) + pair_even(times[k]);
            row[k] = pair_make(rest, rest);
            l->backs_of[k * stride + l->jobs - r - 1] = (lane)rest;
        }
    }
    l->backs_known = count;
}

static void settle(flowshop_line *line)
{
    lane_line *l = (lane_line *)line;
    settle_fronts(l);
    settle_backs(l);
    line->makespan = pair_even(l->fronts[(int64_t)line->count * l->machines + l->machines - 1]);
}

// Fills makespans[0..count] for `job` at every place and returns the least.
static int32_t place_everywhere(lane_line *l, const pair *times)
{
    const int32_t m = l->machines, count = l->line.count;
    int32_t least = LANE_MAX;
    for (int32_t c = 0; c <= count; c += LANES) {
        const lane *fronts = l->fronts_of + c, *backs = l->backs_of + l->jobs - count + c;
        vec end = vec_all(0), longest = vec_all(0);
        for (int32_t k = 0; k < m; k++, fronts += l->stride, backs += l->stride) {
            end = vec_max(end, (vec) * (const vec_anywhere *)fronts) + vec_broadcast(times[k]);
            longest = vec_max(longest, end + (vec) * (const vec_anywhere *)backs);
        }
        *(vec *)(l->makespans + c) = longest;
    }
    for (int32_t c = 0; c <= count; c++)
        least = l->makespans[c] < least ? l->makespans[c] : least;
    return least;
}

// Idle time that the job adds at place c, as estimated by Fernandez-Viagas and Framinan (2014):
// before it on every machine, and before the job that follows it.
static int64_t idle_added(const lane_line *l, const pair *times, int32_t c)
{
    const int32_t m = l->machines;
    const pair *above = l->fronts + (int64_t)c * m, *replaced = above + m, *next = NULL;
    int32_t end = pair_even(above[0]) + pair_even(times[0]), next_end = 0;
    int64_t idle = 0;
    if (c < l->line.count) {
        next = l->times + (int64_t)l->line.order[c] * m;
        next_end = end + pair_even(next[0]);
    }
    for (int32_t k = 1; k < m; k++) {
        int32_t ready = pair_even(above[k]), begin = end > ready ? end : ready;
        end = begin + pair_even(times[k]);
        if (next == NULL) {
            idle += begin - ready;
            continue;
        }
        // begin against the begin of the job that stands here now, and the wait of that job.
        idle += begin - (pair_even(replaced[k]) - pair_even(next[k]));
        idle += next_end > end ? next_end - end : 0;
        next_end = (next_end > end ? next_end : end) + pair_even(next[k]);
    }
    return idle;
}

static flowshop_place best_place(flowshop_line *line, int32_t job)
{
    lane_line *l = (lane_line *)line;
    const pair *times = l->times + (int64_t)job * l->machines;
    settle(line);
    flowshop_place best = {-1, place_everywhere(l, times)};
    int64_t least_idle = INT64_MAX;
    for (int32_t c = 0; c <= line->count; c++) {
        if (l->makespans[c] != best.makespan)
            continue;
        int64_t idle = idle_added(l, times, c);
        if (idle < least_idle) {
            least_idle = idle;
            best.position = c;
        }
    }
    return best;
}

// One step of a sweep: `rows` positions from t on, forward or backward. Each lane's carried fronts
// (backward: backs) take these jobs, except its own, and its own job is tried behind each. While
// `is_mixed` some lanes may be at or before their own job. Returns the least makespan per lane.
static ALWAYS_INLINE vec sweep_rows(const lane_line *l, int32_t t, const bool is_forward, const bool is_mixed,
                                    const int rows, vec position, vec least)
{
    const int32_t m = l->machines, count = l->line.count;
    const pair *times[ROWS], *beyond[ROWS];
    vec carried[ROWS], end[ROWS], longest[ROWS], is_other[ROWS], is_behind[ROWS];
    for (int r = 0; r < rows; r++) {
        int32_t at = is_forward ? t + r : t - r;
        times[r] = l->times + (int64_t)l->line.order[at] * m;
        beyond[r] = is_forward ? l->backs + (int64_t)(count - 1 - at) * m : l->fronts + (int64_t)at * m;
        carried[r] = end[r] = longest[r] = vec_all(0);
        is_other[r] = (vec)(position != vec_all(at));
        is_behind[r] = is_forward ? (vec)(position <= vec_all(at)) : (vec)(position >= vec_all(at));
    }
    for (int32_t i = 0; i < m; i++) {
        const int32_t k = is_forward ? i : m - 1 - i;
        vec above = l->carried[k];
        const vec own = l->own[k];
        for (int r = 0; r < rows; r++) {
            vec time = vec_broadcast(times[r][k]), inserted = own;
            if (is_mixed) {
                time &= is_other[r];
                inserted &= is_behind[r];
            }
            carried[r] = vec_max(carried[r], above) + time;
            end[r] = vec_max(end[r], carried[r]) + inserted;
            longest[r] = vec_max(longest[r], end[r] + vec_broadcast(beyond[r][k]));
            above = carried[r];
        }
        l->carried[k] = above;
    }
    for (int r = 0; r < rows; r++)
        least = vec_min(least, longest[r]);
    return least;
}

// Lanes are the positions first..last. Forward from `first` to the end of the line, or backward
// from `last` to its beginning; the first last - first + 1 rows are mixed.
static ALWAYS_INLINE vec sweep(const lane_line *l, int32_t first, int32_t last, const bool is_forward, vec position,
                               vec least)
{
    const int32_t m = l->machines, count = l->line.count;
    const pair *before = is_forward ? l->fronts + (int64_t)first * m : l->backs + (int64_t)(count - 1 - last) * m;
    for (int32_t k = 0; k < m; k++)
        l->carried[k] = vec_broadcast(before[k]);
    const int32_t step = is_forward ? ROWS : -ROWS;
    int32_t t = is_forward ? first : last, left = is_forward ? count - first : last + 1, mixed = last - first + 1;
    for (; left >= ROWS && mixed > 0; left -= ROWS, mixed -= ROWS, t += step)
        least = sweep_rows(l, t, is_forward, true, ROWS, position, least);
    for (; left >= ROWS; left -= ROWS, t += step)
        least = sweep_rows(l, t, is_forward, false, ROWS, position, least);
    for (; left > 0; left--, t += is_forward ? 1 : -1)
        least = sweep_rows(l, t, is_forward, true, 1, position, least);
    return least;
}

static int32_t reinsert(flowshop_line *line, int32_t first, int32_t *least)
{
    lane_line *l = (lane_line *)line;
    const int32_t done = line->count - first < LANES ? line->count - first : LANES;
    lane position[LANES];
    settle(line);
    for (int32_t i = 0; i < LANES; i++)
        position[i] = (lane)(first + i);
    const vec at = (vec) * (const vec_anywhere *)position, is_used = (vec)(at < vec_all(line->count));
    for (int32_t k = 0; k < l->machines; k++)
        l->own[k] = (vec) * (const vec_anywhere *)(l->times_of + k * l->stride + first) & is_used;
    vec best = sweep(l, first, first + done - 1, true, at, vec_all(LANE_MAX));
    best = sweep(l, first, first + done - 1, false, at, best);
    for (int32_t i = 0; i < done; i++)
        least[i] = best[i];
    return done;
}

extern const struct flowshop_insertion_ops VARIANT(flowshop_insertion);
const struct flowshop_insertion_ops VARIANT(flowshop_insertion) = {
    .create = create,
    .destroy = destroy,
    .assign = assign,
    .insert = insert,
    .take_out = take_out,
    .settle = settle,
    .best_place = best_place,
    .reinsert = reinsert,
};
