// SPDX-License-Identifier: MIT
// Insertion, vectorised. Compiled once per vector unit and lane width (flowshop/lanes.h).
//
// Front e(c,k): when machine k is done with the first c jobs of the line. Back q(t,k): how long the jobs from position
// t on take, from their start on machine k to the end. A job j put before position c ends on machine k at f(c,k) =
// max(e(c,k), f(c,k-1)) + p(j,k). The makespan is the maximum over k of f(c,k) + q(c,k) (E. Taillard, Some efficient
// heuristic methods for the flow shop sequencing problem, EJOR 47, 1990). There are three kernels.
//
// settle: fronts and backs depend on their neighbours in both directions, so a vector holds a diagonal of the table:
// machine k in lane k, row t + k of the arrays. One step is a shift, a maximum and an addition; it serves all machines.
// It computes again only the diagonals that a change reaches. The backs are anchored at the right end of the array, so
// a change does not move the backs behind it.
//
// best_place: the same diagonals; it finds all places in count + machines steps.
//
// reinsert: lane l takes out the job at position a = first + l and tries it at all places. For the places behind a,
// only the fronts change; the backs are those of the line itself. For the places before a, only the backs change. So
// one sweep forward from `first` carries LANES different lines of fronts. In each lane its own job has time zero, which
// gives the line without that job. One sweep backward mirrors this. The line is broadcast, and no table is stored. On a
// row before its own job a lane inserts a job of time zero. That yields the makespan of the line and does no harm. No
// sum exceeds a path of the instance, so 16-bit lanes hold it. The speed is bound by six operations per row, machine
// and LANES jobs. Measured: 0.55 to 0.8 ns (Zen 5, 32 lanes); a plain loop takes 1.5 ns for one job.
//
// Machines of time zero in front pad the machines to a multiple of LANES. They change no front, back or makespan.
// tests/unit/test_flowshop_heuristic.c has the plain computation that the tests compare with.
#include "flowshop/heuristic/insertion.h"

#include <string.h>

#include "flowshop/lanes.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#if LANE_BITS == 16
typedef uint16_t vec_unsigned __attribute__((vector_size(VEC_BYTES), may_alias));
#else
typedef uint32_t vec_unsigned __attribute__((vector_size(VEC_BYTES), may_alias));
#endif

// Rows per step of a sweep. They share the loads of the lane's own times and of the carried fronts.
enum { ROWS = 4 };
// Independent ranges of places that best_place interleaves. In a single range each step waits for the step before:
// shift, maximum and addition take 8 cycles on Zen 5.
enum { STREAMS = 4 };

// A table of diagonals: the value of position t and machine k is at (t + k) * width + pad + k.
typedef struct lane_line {
    flowshop_line line;  // first member: the public face
    int32_t jobs, machines;
    int32_t width, pad;    // lanes per row; the first `pad` of them stand for no machine
    int32_t fronts_known;  // fronts of the first 0..fronts_known jobs are current
    int32_t backs_known;   // backs of the last 0..backs_known jobs are current
    bool is_settled;       // all fronts and backs are current
    lane *times;           // [jobs][width], of each job; 0 in the padding; the lines of a call share it
    bool owns_times;
    lane *placed;          // diagonals, the times of the jobs in the line; 0 behind the last job
    lane *fronts;          // diagonals, of the jobs before position t = 0..count
    lane *backs;           // diagonals, of the jobs from position t - (jobs - count) on
    lane *ends[2];         // [jobs + machines + 1 + STREAMS], f of a vector's last machine; [0]: the vector before
    lane *totals[2];       // [jobs + machines + 1 + STREAMS], the largest f + q up to that machine
    vec *carried;          // [machines], the fronts or backs of the lanes in a sweep
    vec *own;              // [width], the times of the lane's own job
} lane_line;

// ---- Lanes: shifts by one, and transposition by perfect shuffles.

#if defined(__AVX512BW__)
#define VEC_BITS 512
#elif defined(__AVX2__)
#define VEC_BITS 256
#else
#define VEC_BITS 128
#endif
#define EACH_4(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#define EACH_8(f, i) EACH_4(f, i), EACH_4(f, i + 4)
#define EACH_16(f, i) EACH_8(f, i), EACH_8(f, i + 8)
#if VEC_BITS / LANE_BITS == 32
#define EACH_LANE(f) EACH_16(f, 0), EACH_16(f, 16)
#elif VEC_BITS / LANE_BITS == 16
#define EACH_LANE(f) EACH_16(f, 0)
#elif VEC_BITS / LANE_BITS == 8
#define EACH_LANE(f) EACH_8(f, 0)
#else
#define EACH_LANE(f) EACH_4(f, 0)
#endif
#define LANE_NUMBER(i) (i)
#define LANE_BELOW(i) ((i) == 0 ? LANES : (i) - 1)
#define LANE_ABOVE(i) ((i) + 1)
#define LANE_LOW(i) ((i) / 2 + (i) % 2 * LANES)
#define LANE_HIGH(i) ((i) / 2 + (i) % 2 * LANES + LANES / 2)

// Lane k of the result is lane k - 1; lane 0 is 0.
static ALWAYS_INLINE vec shift_up(vec a)
{
    return (vec)__builtin_shufflevector(a, vec_all(0), EACH_LANE(LANE_BELOW));
}

// Lane k of the result is lane k + 1; the last lane is 0.
static ALWAYS_INLINE vec shift_down(vec a)
{
    return (vec)__builtin_shufflevector(a, vec_all(0), EACH_LANE(LANE_ABOVE));
}

// Transposition: lane i of row k becomes lane k of row i. Each round moves one bit of the row number into the lane
// number, and one bit back.
enum { ROUNDS = LANES == 32 ? 5 : LANES == 16 ? 4 : LANES == 8 ? 3 : 2 };

// Transposes the rows in `from`. The result is in `to` if ROUNDS is odd, else in `from`.
static ALWAYS_INLINE void transpose(vec *from, vec *to)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LANES / 2; i++) {
            to[2 * i] = (vec)__builtin_shufflevector(from[i], from[i + LANES / 2], EACH_LANE(LANE_LOW));
            to[2 * i + 1] = (vec)__builtin_shufflevector(from[i], from[i + LANES / 2], EACH_LANE(LANE_HIGH));
        }
        vec *swap = from;
        from = to;
        to = swap;
    }
}

static ALWAYS_INLINE vec load(const lane *at)
{
    return *(const vec *)at;
}

static ALWAYS_INLINE void store(lane *at, vec a)
{
    *(vec *)at = a;
}

// Wraps around. At both ends of a diagonal some lanes stand for positions before the first or behind the last. They may
// hold what another line left there. No lane of another position reads them.
static ALWAYS_INLINE vec add(vec a, vec b)
{
    return (vec)((vec_unsigned)a + (vec_unsigned)b);
}

// Keeps a mask of lanes as a vector. Without this GCC 12 puts it into mask registers, and sweep_rows needs more of them
// than there are: 1.2 ns per row and machine at 20x20, three times the time of AVX2 per lane.
static ALWAYS_INLINE vec as_vector(vec mask)
{
#if defined(__AVX512BW__)
    __asm__("" : "+v"(mask));
#endif
    return mask;
}

// ---- The line

static void destroy(mco_context *ctx, flowshop_line **line)
{
    lane_line *l = (lane_line *)*line;
    if (l == NULL)
        return;
    mco_free(ctx, &l->own);
    mco_free(ctx, &l->carried);
    for (int i = 0; i < 2; i++) {
        mco_free(ctx, &l->totals[i]);
        mco_free(ctx, &l->ends[i]);
    }
    mco_free(ctx, &l->backs);
    mco_free(ctx, &l->fronts);
    mco_free(ctx, &l->placed);
    if (l->owns_times)
        mco_free(ctx, &l->times);
    mco_free(ctx, &l->line.order);
    mco_free_bytes(ctx, (void **)line);
}

// The times of a machine lie together in the instance, those of a job here. So it goes by blocks of jobs that fit the
// cache.
static mco_status take_times(mco_context *ctx, const mco_flowshop *shop, lane_line *l)
{
    enum { BLOCK = 64 };
    const mco_status st = mco_alloc(ctx, &l->times, (int64_t)l->jobs * l->width);
    l->owns_times = true;
    for (int32_t first = 0; first < l->jobs && st == MCO_OK; first += BLOCK)
        for (int32_t k = 0; k < l->machines; k++)
            for (int32_t j = first; j < l->jobs && j < first + BLOCK; j++)
                l->times[(int64_t)j * l->width + l->pad + k] = (lane)shop->times[(int64_t)k * l->jobs + j];
    return st;
}

static mco_status create(mco_context *ctx, const mco_flowshop *shop, const flowshop_line *first, flowshop_line **out)
{
    mco_status st = MCO_OK;
    lane_line *l = NULL;
    const int32_t n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    const int64_t width = (m + LANES - 1) / LANES * LANES, rows = (int64_t)n + m + 1 + STREAMS;
    MCO_TRY(mco_alloc(ctx, &l, 1));
    l->jobs = n;
    l->machines = m;
    l->width = (int32_t)width;
    l->pad = l->width - m;
    MCO_TRY(mco_alloc(ctx, &l->line.order, n));
    if (first != NULL)
        l->times = ((const lane_line *)first)->times;
    else
        MCO_TRY(take_times(ctx, shop, l));
    MCO_TRY(mco_alloc(ctx, &l->placed, rows * width));
    MCO_TRY(mco_alloc(ctx, &l->fronts, rows * width));
    MCO_TRY(mco_alloc(ctx, &l->backs, rows * width));
    for (int i = 0; i < 2; i++) {
        MCO_TRY(mco_alloc(ctx, &l->ends[i], rows));
        MCO_TRY(mco_alloc(ctx, &l->totals[i], rows));
    }
    MCO_TRY(mco_alloc(ctx, &l->carried, m));
    MCO_TRY(mco_alloc(ctx, &l->own, width));
    *out = &l->line;
    l = NULL;
done:
    destroy(ctx, (flowshop_line **)&l);
    return st;
}

// The fronts of `front_jobs` jobs and the backs of the last `back_jobs` stay known.
static void keep(lane_line *l, int32_t front_jobs, int32_t back_jobs)
{
    l->fronts_known = l->fronts_known < front_jobs ? l->fronts_known : front_jobs;
    l->backs_known = l->backs_known < back_jobs ? l->backs_known : back_jobs;
    l->is_settled = false;
}

// Writes the times of a job, or zeros for NULL, along the diagonal of position t.
static void place_times(lane_line *l, int32_t t, const lane *times)
{
    lane *at = l->placed + (int64_t)t * l->width + l->pad;
    for (int32_t k = 0; k < l->machines; k++)
        at[k * ((int64_t)l->width + 1)] = times != NULL ? times[l->pad + k] : 0;
}

static void assign(flowshop_line *line, const int32_t *order, int32_t count)
{
    lane_line *l = (lane_line *)line;
    const int32_t before = line->count, least = count < before ? count : before;
    int32_t front_jobs = 0, back_jobs = 0;
    while (front_jobs < least && order[front_jobs] == line->order[front_jobs])
        front_jobs++;
    while (back_jobs < least && order[count - 1 - back_jobs] == line->order[before - 1 - back_jobs])
        back_jobs++;
    keep(l, front_jobs, back_jobs);
    for (int32_t t = front_jobs; t < count; t++)
        if (t >= before || order[t] != line->order[t])
            place_times(l, t, l->times + (int64_t)order[t] * l->width);
    for (int32_t t = count; t < before; t++)
        place_times(l, t, NULL);
    memcpy(line->order, order, (size_t)count * sizeof *order);
    line->count = count;
}

// The machine numbers of the lanes of the vector that begins at `first_lane`.
static ALWAYS_INLINE vec machines_from(const lane_line *l, int32_t first_lane)
{
    return (vec){EACH_LANE(LANE_NUMBER)} + vec_all(first_lane - l->pad);
}

// In row s, the machines whose position is at least t take the values of row `from`.
static ALWAYS_INLINE void take_row(lane_line *l, int32_t s, int32_t t, int32_t from)
{
    for (int32_t first = 0; first < l->width; first += LANES) {
        lane *at = l->placed + (int64_t)s * l->width + first;
        const vec is_behind = (vec)(machines_from(l, first) <= vec_all(s - t));
        store(at, (load(l->placed + (int64_t)from * l->width + first) & is_behind) | (load(at) & ~is_behind));
    }
}

static void move_rows(lane_line *l, int32_t to, int32_t from, int32_t rows)
{
    const int64_t width = l->width;
    memmove(l->placed + to * width, l->placed + from * width, (size_t)(rows * width) * sizeof(lane));
}

static void insert(flowshop_line *line, int32_t job, flowshop_place place)
{
    lane_line *l = (lane_line *)line;
    const int32_t position = place.position;
    int32_t *at = line->order + position;
    keep(l, position, line->count - position);
    move_rows(l, position + l->machines, position + l->machines - 1, line->count - position);
    for (int32_t s = position + l->machines - 1; s > position; s--)
        take_row(l, s, position + 1, s - 1);
    place_times(l, position, l->times + (int64_t)job * l->width);
    memmove(at + 1, at, (size_t)(line->count - position) * sizeof *at);
    *at = job;
    line->count++;
    line->makespan = place.makespan;
}

static void take_out(flowshop_line *line, int32_t position)
{
    lane_line *l = (lane_line *)line;
    int32_t *at = line->order + position;
    keep(l, position, line->count - 1 - position);
    for (int32_t s = position; s < position + l->machines - 1; s++)
        take_row(l, s, position, s + 1);
    move_rows(l, position + l->machines - 1, position + l->machines, line->count - position);
    line->count--;
    memmove(at, at + 1, (size_t)(line->count - position) * sizeof *at);
}

// ---- Fronts, backs and places by diagonals

// The fronts of one vector of machines on diagonal s, from those on diagonal s - 1, which are all known. The machine
// before the vector is read from the array.
static ALWAYS_INLINE vec front_step(const lane_line *l, vec fronts, int32_t s, int32_t first)
{
    const int64_t row = (int64_t)(s - 1) * l->width + first;
    vec before = shift_up(fronts);
    if (first > 0)
        before = vec_max(before, (vec){l->fronts[row - 1]});
    return add(vec_max(fronts, before), load(l->placed + row));
}

static ALWAYS_INLINE vec back_step(const lane_line *l, vec backs, int32_t s, int32_t first)
{
    const int64_t row = (int64_t)s * l->width + first;
    const int64_t anchored = row + (int64_t)(l->jobs - l->line.count) * l->width;
    vec after = shift_down(backs);
    if (first + LANES < l->width) {
        vec next = vec_all(0);
        next[LANES - 1] = l->backs[anchored + l->width + LANES];
        after = vec_max(after, next);
    }
    return add(vec_max(backs, after), load(l->placed + row));
}

// The vector that begins at lane `first` holds the machines lo..hi-1.
static ALWAYS_INLINE void machines_of(const lane_line *l, int32_t first, int32_t *lo, int32_t *hi)
{
    *lo = first > l->pad ? first - l->pad : 0;
    *hi = first + LANES - l->pad;
}

// Computes the fronts of the vector at `front_first` upward and the backs of the vector at `back_first` downward. The
// two chains of dependent steps run interleaved, so that two are in flight instead of one.
static ALWAYS_INLINE void settle_vectors(lane_line *l, int32_t front_first, int32_t back_first)
{
    const int64_t width = l->width;
    const int32_t count = l->line.count, first_known = count - l->backs_known;
    int32_t lo, hi, back_lo, back_hi;
    machines_of(l, front_first, &lo, &hi);
    machines_of(l, back_first, &back_lo, &back_hi);
    int32_t s = l->fronts_known + lo + 1, fronts_left = l->fronts_known < count ? count + hi - s : 0;
    int32_t u = first_known + back_hi - 2, backs_left = first_known > 0 ? u + 1 - back_lo : 0;
    lane *front_rows = l->fronts + front_first;
    lane *back_rows = l->backs + (l->jobs - count) * width + back_first;
    vec fronts = load(front_rows + (s - 1) * width), backs = load(back_rows + (u + 1) * width);
    for (; fronts_left > 0 && backs_left > 0; fronts_left--, backs_left--, s++, u--) {
        fronts = front_step(l, fronts, s, front_first);
        backs = back_step(l, backs, u, back_first);
        store(front_rows + s * width, fronts);
        store(back_rows + u * width, backs);
    }
    for (; fronts_left > 0; fronts_left--, s++) {
        fronts = front_step(l, fronts, s, front_first);
        store(front_rows + s * width, fronts);
    }
    for (; backs_left > 0; backs_left--, u--) {
        backs = back_step(l, backs, u, back_first);
        store(back_rows + u * width, backs);
    }
}

// The front of the first t jobs: machine k at k * (width + 1).
static ALWAYS_INLINE const lane *front(const lane_line *l, int32_t t)
{
    return l->fronts + (int64_t)t * l->width + l->pad;
}

// The back of the jobs from position t on: machine k at k * (width + 1).
static ALWAYS_INLINE const lane *back(const lane_line *l, int32_t t)
{
    return l->backs + (int64_t)(l->jobs - l->line.count + t) * l->width + l->pad;
}

static void settle(flowshop_line *line)
{
    lane_line *l = (lane_line *)line;
    for (int32_t first = 0; first < l->width && !l->is_settled; first += LANES)
        settle_vectors(l, first, l->width - LANES - first);
    l->is_settled = true;
    l->fronts_known = l->backs_known = line->count;
    line->makespan = front(l, line->count)[(l->machines - 1) * ((int64_t)l->width + 1)];
}

// Computes f and the largest f + q in the vector at `first`, for a job of these times at all places. The last lane goes
// to ends[1] and totals[1]. The values of the vector before are in ends[0] and totals[0].
static ALWAYS_INLINE void place_vectors(lane_line *l, const lane *times, int32_t first)
{
    const int64_t width = l->width;
    const int32_t range = (l->line.count + 1 + STREAMS - 1) / STREAMS;
    const vec own = load(times + first);
    const lane *fronts = l->fronts + first, *backs = l->backs + (l->jobs - l->line.count) * width + first;
    const lane *ends_before = l->ends[0], *totals_before = l->totals[0];
    lane *ends = l->ends[1], *totals = l->totals[1];
    vec end[STREAMS], total[STREAMS];
    int32_t lo, hi;
    machines_of(l, first, &lo, &hi);
    for (int i = 0; i < STREAMS; i++)
        end[i] = total[i] = vec_all(0);
    for (int32_t step = 0; step < range + hi - lo - 1; step++)
        for (int i = 0; i < STREAMS; i++) {
            // The first lane that holds a machine is at place t, the last lane is at place `out`.
            const int32_t t = i * range + step, out = t - (hi - lo - 1);
            vec before = shift_up(end[i]), largest = shift_up(total[i]);
            if (first > 0) {
                before = vec_max(before, (vec){ends_before[t]});
                largest = vec_max(largest, (vec){totals_before[t]});
            }
            end[i] = add(vec_max(load(fronts + (t + lo) * width), before), own);
            total[i] = vec_max(largest, add(end[i], load(backs + (t + lo) * width)));
            if (out >= i * range) {
                ends[out] = end[i][LANES - 1];
                totals[out] = total[i][LANES - 1];
            }
        }
}

// Writes the makespan with `job` at each place to totals[1][0..count].
static void place_everywhere(lane_line *l, int32_t job)
{
    const lane *times = l->times + (int64_t)job * l->width;
    for (int32_t first = 0; first < l->width; first += LANES) {
        lane *ends = l->ends[0], *totals = l->totals[0];
        l->ends[0] = l->ends[1];
        l->totals[0] = l->totals[1];
        l->ends[1] = ends;
        l->totals[1] = totals;
        place_vectors(l, times, first);
    }
}

// The idle time that the job adds at place t, as Fernandez-Viagas and Framinan (2014) estimate it: before the job on
// every machine, and before the job that follows it.
static int64_t idle_added(const lane_line *l, int32_t job, int32_t t)
{
    const bool is_last = t == l->line.count;
    const int64_t step = (int64_t)l->width + 1;
    const lane *times = l->times + (int64_t)job * l->width + l->pad;
    const lane *next = l->times + (int64_t)l->line.order[is_last ? 0 : t] * l->width + l->pad;
    const lane *before = front(l, t), *replaced = before + l->width;
    int32_t end = before[0] + times[0], next_end = end + next[0];
    int64_t idle = 0;
    for (int32_t k = 1; k < l->machines; k++) {
        const int32_t ready = before[k * step], begin = end > ready ? end : ready;
        end = begin + times[k];
        if (is_last) {
            idle += begin - ready;
            continue;
        }
        // The begin of this job less the begin of the job that stands here now, and the wait before that job.
        idle += begin - (replaced[k * step] - next[k]);
        idle += next_end > end ? next_end - end : 0;
        next_end = (next_end > end ? next_end : end) + next[k];
    }
    return idle;
}

static flowshop_place best_place(flowshop_line *line, int32_t job)
{
    lane_line *l = (lane_line *)line;
    settle(line);
    place_everywhere(l, job);
    const lane *totals = l->totals[1];
    int32_t least = LANE_MAX;
    for (int32_t t = 0; t <= line->count; t++)
        least = totals[t] < least ? totals[t] : least;
    flowshop_place best = {-1, least};
    int64_t least_idle = INT64_MAX;
    for (int32_t t = 0; t <= line->count; t++) {
        if (totals[t] != least)
            continue;
        const int64_t idle = idle_added(l, job, t);
        if (idle < least_idle) {
            least_idle = idle;
            best.position = t;
        }
    }
    return best;
}

// ---- Reinsertion of many jobs

// For each lane, the least makespan and the first place that has it.
typedef struct places {
    vec makespan, position;
} places;

// One step of a sweep: `rows` positions from t on, forward or backward. The carried fronts (backward: backs) of each
// lane take these jobs, except the lane's own. Each lane tries its own job behind each of them. With `is_mixed` some
// lanes may be at or before their own job. A lane at its own position tries the job where it stands.
static ALWAYS_INLINE places sweep_rows(const lane_line *l, int32_t t, const bool is_forward,
                                       const bool is_mixed, const int rows, vec position, places best)
{
    const int32_t m = l->machines;
    // Everything that the inner loop needs is in local variables, because a store of a vector may alias any memory.
    const int64_t row = is_forward ? l->width : -(int64_t)l->width, step = is_forward ? 1 : -1;
    const int32_t start = is_forward ? 0 : m - 1;
    const lane *beyond = (is_forward ? back(l, t + 1) : front(l, t)) + start * ((int64_t)l->width + 1);
    const lane *times[ROWS];
    vec *all_carried = l->carried + start, *own = l->own + l->pad + start;
    vec carried[ROWS], end[ROWS], longest[ROWS], is_other[ROWS], is_behind[ROWS];
    for (int r = 0; r < rows; r++) {
        const int32_t at = is_forward ? t + r : t - r;
        times[r] = l->times + (int64_t)l->line.order[at] * l->width + l->pad + start;
        carried[r] = end[r] = longest[r] = vec_all(0);
        is_other[r] = as_vector((vec)(position != vec_all(at)));
        is_behind[r] = is_forward ? (vec)(position <= vec_all(at)) : (vec)(position >= vec_all(at));
        is_behind[r] = as_vector(is_behind[r]);
    }
    for (int64_t k = 0; k != m * step; k += step, beyond += row + step) {
        vec above = all_carried[k];
        for (int r = 0; r < rows; r++) {
            vec time = vec_all(times[r][k]), inserted = own[k];
            if (is_mixed) {
                time &= is_other[r];
                inserted &= is_behind[r];
            }
            carried[r] = above = vec_max(carried[r], above) + time;
            end[r] = vec_max(end[r], above) + inserted;
            longest[r] = vec_max(longest[r], end[r] + vec_all(beyond[r * row]));
        }
        all_carried[k] = above;
    }
    for (int r = 0; r < rows; r++) {
        const vec is_less = (vec)(longest[r] < best.makespan);
        best.makespan = vec_min(best.makespan, longest[r]);
        best.position = (vec_all(is_forward ? t + r : t - r) & is_less) | (best.position & ~is_less);
    }
    return best;
}

// The lanes are the positions first..last. Sweeps forward from `first` to the end of the line, or backward from `last`
// to its beginning. The first last - first + 1 rows are mixed.
static ALWAYS_INLINE places sweep(const lane_line *l, int32_t first, int32_t last, const bool is_forward,
                                  vec position, places best)
{
    const int64_t diagonal = (int64_t)l->width + 1;
    const lane *before = is_forward ? front(l, first) : back(l, last + 1);
    for (int32_t k = 0; k < l->machines; k++)
        l->carried[k] = vec_all(before[k * diagonal]);
    const int32_t step = is_forward ? ROWS : -ROWS;
    int32_t t = is_forward ? first : last, left = is_forward ? l->line.count - first : last + 1;
    int32_t mixed = last - first + 1;
    for (; left >= ROWS && mixed > 0; left -= ROWS, mixed -= ROWS, t += step)
        best = sweep_rows(l, t, is_forward, true, ROWS, position, best);
    for (; left >= ROWS; left -= ROWS, t += step)
        best = sweep_rows(l, t, is_forward, false, ROWS, position, best);
    for (; left > 0; left--, t += is_forward ? 1 : -1)
        best = sweep_rows(l, t, is_forward, true, 1, position, best);
    return best;
}

static int32_t reinsert(flowshop_line *line, int32_t first, flowshop_place *found)
{
    lane_line *l = (lane_line *)line;
    const int32_t done = line->count - first < LANES ? line->count - first : LANES;
    const vec position = (vec){EACH_LANE(LANE_NUMBER)} + vec_all(first);
    settle(line);
    for (int32_t at = 0; at < l->width; at += LANES) {
        vec spare[LANES], *own = l->own + at, *rows = ROUNDS % 2 == 0 ? own : spare;
        for (int32_t i = 0; i < LANES; i++) {
            const int32_t *job = i < done ? &line->order[first + i] : NULL;
            rows[i] = job != NULL ? load(l->times + (int64_t)*job * l->width + at) : vec_all(0);
        }
        transpose(rows, rows == own ? spare : own);
    }
    places best = {vec_all(LANE_MAX), position};
    best = sweep(l, first, first + done - 1, true, position, best);
    best = sweep(l, first, first + done - 1, false, position, best);
    for (int32_t i = 0; i < done; i++)
        found[i] = (flowshop_place){best.position[i], best.makespan[i]};
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
