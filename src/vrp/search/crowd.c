// SPDX-License-Identifier: MIT
// A crowd (vrp/search/crowd.cuh): many copies of the whole solution on a GPU. Each is cut into parts, along another line in
// every round, and a warp anneals a part of a copy.
//
// **The whole.** All copies fall from the hot temperature to the cold one. Between rounds copies are chosen again by their
// weights at the next temperature, so bad ones make way for more of good ones: population annealing (Hukushima, Iba
// 2003). The weights of one round keep at least half of the copies' number as their effective number.
//
// **Parts.** All copies begin equal, and are cut alike. After a round from a low temperature the best of each part, of all
// copies, makes the next solution.
//
// The device computes distances in floats, so each solution that comes back is checked and recounted.
#include "vrp/search/crowd.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "vrp/search/crowd_cuda.h"
#include <stdlib.h>
#include <stdio.h>
static double knob(const char *name, double usual)  // TEMPORARY
{
    const char *text = getenv(name);
    return text != NULL ? atof(text) : usual;
}

enum {
    MOST_WALKS_OF_MULTIPROCESSOR = 32,
    LEAST_ROUTES = 4,                   // of a part, on average
    LEAST_COPIES = 8,
    SPARE_ROOM = 64,                    // customers that a route may get above twice the longest one
    WHOLE_ROUNDS = 200, FEW_ROUNDS = 40,  // with several parts, and with one
    FIRST_PART = 100,                   // customers of a part after the whole
    PART_STEPS = 400,                   // per customer of its walks
    EXCHANGES = 10, LONGEST_KEPT = 20,
    MATRIX_CUSTOMERS = 20000,           // 1.6 GB
    SPHERE_CUSTOMERS = 3000             // a matrix takes a second of a core
};
static const double FULL_STEPS = 12000;             // per customer of the whole: copies that get more have fewer parts
static const double GROWS = 1.25, SHRINKS = 1.1;    // of the customers of a part, after a round
static const double FIRST_RATE = 40000;             // steps a second of a walk, until a round has measured them
static const double WARM_LEAST = 0.07, WARM_MOST = 0.25;  // first temperature of a part, relative to `warm`
static const double SPREAD = 2.6;                   // of that temperature over the copies, in powers of two
static const double REMOVED = 10;                   // customers that a step takes out, on average
static const double LEAST_ROUND_S = 0.05;
static const double MEMORY_SHARE = 0.5;             // of what the device has free
static const float ROUND_UP = 0.4999F;              // vrp_crowd.bump for distances that are rounded up

typedef struct herd {
    vrp_rounds *s;
    mco_device device;
    vrp_crowd crowd;
    int32_t most_copies, walks;      // tables hold one copy more
    double rate;                     // steps a second of a walk
    double begin_share, end_share;   // of the search
    int64_t best_cost;               // of the device, of what was fetched
    int32_t *d_from, *d_to, *d_stop;
    int64_t *h_cost, *h_steps;       // pinned: [most_copies + 1], [1]
    vrp_crowd_ring *h_ring;          // pinned: [rings + 1]
    uint16_t *h_line;                // pinned: [rings * room]
    int32_t *h_from, *h_to;          // pinned: [most_copies + 1]
} herd;

bool vrp_crowd_takes(const mco_vrp *problem)
{
    const bool is_plane = problem->rule == VRP_EUC_2D || problem->rule == VRP_CEIL_2D;
    const int32_t most = is_plane ? VRP_CROWD_MOST_CUSTOMERS : problem->rule == VRP_MATRIX ? MATRIX_CUSTOMERS : SPHERE_CUSTOMERS;
    return problem->is_symmetric && problem->customers <= most;
}

// ---- Sizes

static int32_t aligned(int64_t count)
{
    return (int32_t)((count + VRP_CROWD_ALIGNED - 1) / VRP_CROWD_ALIGNED * VRP_CROWD_ALIGNED);
}

// Steps of one walk until the end of the stage.
static double steps_of_walk(const herd *h)
{
    const double share = h->end_share - vrp_rounds_share(h->s), all = (double)h->s->search->params->iterations;
    const double planned = vrp_rounds_counts_steps(h->s) ? share * all / h->walks : share * vrp_rounds_planned_s(h->s) * h->rate;
    return fmax(planned, 1);
}

// Parts of a copy for walks of so many steps a customer.
static int32_t parts_for(const herd *h, double steps_per_customer)
{
    const vrp_rounds *s = h->s;
    const double wanted = (double)s->problem->customers * steps_per_customer / steps_of_walk(h);
    const double most = fmin((double)s->now.routes / LEAST_ROUTES, (double)h->walks / LEAST_COPIES);
    return (int32_t)fmax(1, fmin(wanted, most));
}

static void set_parts(herd *h, int32_t parts)
{
    const int32_t copies = h->walks / parts;
    h->crowd.parts = parts;
    h->crowd.copies = copies < 1 ? 1 : copies < h->most_copies ? copies : h->most_copies;
}

static int64_t bytes_of_copy(const vrp_crowd *c)
{
    return (int64_t)c->nodes * (int64_t)(sizeof(vrp_crowd_node) + 2 * sizeof(int32_t)) +
           (int64_t)c->rings * (int64_t)(sizeof(vrp_crowd_ring) + sizeof(float) + sizeof(int32_t)) +
           (int64_t)c->rings * c->room * (int64_t)sizeof(uint16_t);
}

static mco_status choose_sizes(herd *h, int32_t resident)
{
    vrp_crowd *c = &h->crowd;
    const vrp_rounds *s = h->s;
    const mco_vrp *p = s->problem;
    const int32_t n = p->customers;
    h->walks = resident * h->device.info.multiprocessors;
    const int32_t spare = parts_for(h, FULL_STEPS) + 2;
    int32_t rings = s->now.routes + spare;
    rings = p->vehicles > 0 && rings > p->vehicles ? p->vehicles : rings;
    rings = rings < n ? rings : n;
    const int64_t room = 2 * (int64_t)vrp_rounds_longest_route(s) + SPARE_ROOM;
    c->rings = rings;
    c->nodes = aligned((int64_t)n + 1 + rings);
    c->room = aligned((room < n ? room : n) + VRP_CROWD_REMOVED);
    const double most = MEMORY_SHARE * (double)h->device.info.free_bytes / (double)bytes_of_copy(c);
    if (most < 2 || c->nodes > VRP_CROWD_MOST_NODES)
        return mco_fail(h->device.ctx, MCO_ERR_MEMORY, "a solution on the GPU takes %lld bytes", (long long)bytes_of_copy(c));
    h->most_copies = most <= h->walks ? (int32_t)most - 1 : h->walks;
    return MCO_OK;
}

// ---- Tables of the instance

// Copies a table of the host, which lives until the copy is done, to new memory of the device.
static mco_status send(herd *h, const void *from, size_t count, size_t item_bytes, const void *out)
{
    mco_status st = MCO_OK;
    void *to = NULL;
    MCO_TRY(mco_device_take_bytes(&h->device, MCO_MEMORY_DEVICE, &to, count, item_bytes));
    MCO_CUDA(h->device.ctx, from != NULL ? cudaMemcpyAsync(to, from, count * item_bytes, cudaMemcpyHostToDevice, h->device.stream)
                                         : cudaMemsetAsync(to, 0, count * item_bytes, h->device.stream));
    MCO_CUDA(h->device.ctx, cudaStreamSynchronize(h->device.stream));
    memcpy((void *)(uintptr_t)out, &to, sizeof to);
done:
    return st;
}

// A matrix of the distances, of an instance without places in a plane.
static mco_status send_matrix(herd *h)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = h->s->problem;
    const size_t rows = (size_t)p->customers + 1;
    int32_t *matrix = NULL;
    if (p->rule == VRP_MATRIX)
        return send(h, p->matrix, rows * rows, sizeof *p->matrix, &h->crowd.matrix);
    MCO_TRY(mco_alloc(h->device.ctx, &matrix, (int64_t)(rows * rows)));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < i; j++)
            matrix[i * rows + j] = matrix[j * rows + i] = vrp_distance(p, (int32_t)i, (int32_t)j);
    MCO_TRY(send(h, matrix, rows * rows, sizeof *matrix, &h->crowd.matrix));
done:
    mco_free(h->device.ctx, &matrix);
    return st;
}

static mco_status send_places(herd *h)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = h->s->problem;
    const size_t rows = (size_t)p->customers + 1;
    float *xy = NULL;
    MCO_TRY(mco_alloc(h->device.ctx, &xy, (int64_t)(2 * rows)));
    for (size_t i = 0; i < rows; i++) {
        xy[2 * i] = (float)((p->x[i] - p->x[0]) * p->scale);
        xy[2 * i + 1] = (float)((p->y[i] - p->y[0]) * p->scale);
    }
    MCO_TRY(send(h, xy, 2 * rows, sizeof *xy, &h->crowd.xy));
done:
    mco_free(h->device.ctx, &xy);
    return st;
}

static mco_status send_near(herd *h)
{
    mco_status st = MCO_OK;
    const vrp_rounds *s = h->s;
    const size_t rows = (size_t)s->problem->customers + 1;
    uint16_t *near = NULL;
    MCO_TRY(mco_alloc(h->device.ctx, &near, (int64_t)(rows * VRP_CROWD_LANES)));
    for (size_t c = 1; c < rows; c++)
        for (int32_t k = 0; k < VRP_CROWD_LANES && k < s->near_count; k++)
            near[c * VRP_CROWD_LANES + (size_t)k] = (uint16_t)(s->near[((int64_t)c - 1) * s->near_count + k] + 1);
    MCO_TRY(send(h, near, rows * VRP_CROWD_LANES, sizeof *near, &h->crowd.near));
done:
    mco_free(h->device.ctx, &near);
    return st;
}

static mco_status send_instance(herd *h)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = h->s->problem;
    const size_t rows = (size_t)p->customers + 1;
    MCO_TRY(p->rule == VRP_EUC_2D || p->rule == VRP_CEIL_2D ? send_places(h) : send_matrix(h));
    MCO_TRY(send_near(h));
    MCO_TRY(send(h, p->demand, rows, sizeof *p->demand, &h->crowd.demand));
    if (h->crowd.has_length)
        MCO_TRY(send(h, p->service, rows, sizeof *p->service, &h->crowd.service));
done:
    return st;
}

// If distances are not rounded to whole units of the file, lengths of the device can be less than those of the host, as in
// vrp/search/gpu.c.
static int32_t longest_of(const mco_vrp *p)
{
    enum { UNITS = 4, FLOAT_BITS = 20 };
    if (!vrp_has_max_length(p))
        return MCO_VRP_MAX_LENGTH;
    return p->max_length - (p->distances == MCO_VRP_DISTANCES_ROUNDED || p->rule == VRP_MATRIX || p->rule == VRP_GEO ? 0 : UNITS + (p->longest >> FLOAT_BITS));
}

static void set_rules(vrp_crowd *c, const mco_vrp *p)
{
    c->customers = p->customers;
    c->capacity = p->capacity;
    c->longest = longest_of(p);
    c->bump = p->rule == VRP_CEIL_2D && p->distances == MCO_VRP_DISTANCES_ROUNDED ? ROUND_UP : 0;
    c->has_length = vrp_has_max_length(p);
}

static mco_status take_memory(herd *h)
{
    mco_status st = MCO_OK;
    vrp_crowd *c = &h->crowd;
    mco_device *d = &h->device;
    const size_t copies = (size_t)h->most_copies + 1, lists = (size_t)c->rings * (size_t)c->room;
    int32_t *d_stop = NULL;
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->node, copies * (size_t)c->nodes));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->load_to, copies * (size_t)c->nodes));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->length_to, c->has_length ? copies * (size_t)c->nodes : 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->ring, copies * ((size_t)c->rings + 1)));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->line, copies * lists));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->scratch, (size_t)h->walks * 2 * (size_t)c->room));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->key, copies * (size_t)c->rings));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->next_part, copies * (size_t)c->rings));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->cost, copies));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->change, h->walks));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &c->steps, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &d_stop, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &h->d_from, copies));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_DEVICE, &h->d_to, copies));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &h->h_cost, copies));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &h->h_steps, 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &h->h_ring, (size_t)c->rings + 1));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &h->h_line, lists));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &h->h_from, copies));
    MCO_TRY(mco_device_take(d, MCO_MEMORY_PINNED, &h->h_to, copies));
    c->stop = h->d_stop = d_stop;
done:
    return st;
}

// ---- Copies

// Copies h_from[k] replace h_to[k], k = 0..count-1.
static mco_status copy_copies(herd *h, int32_t count)
{
    mco_status st = MCO_OK;
    cudaStream_t stream = h->device.stream;
    const size_t bytes = (size_t)count * sizeof *h->h_from;
    if (count == 0)
        return MCO_OK;
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->d_from, h->h_from, bytes, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->d_to, h->h_to, bytes, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(h->device.ctx, vrp_launch_crowd_copy(&h->crowd, h->d_from, h->d_to, count, stream));
    MCO_CUDA(h->device.ctx, cudaStreamSynchronize(stream));
done:
    return st;
}

// All copies become equal to copy 0, and the one behind the last too.
static mco_status spread_first(herd *h)
{
    for (int32_t k = 1; k <= h->crowd.copies; k++) {
        h->h_from[k - 1] = 0;
        h->h_to[k - 1] = k;
    }
    return copy_copies(h, h->crowd.copies);
}

// Copy 0 becomes s->now.
static mco_status send_first(herd *h)
{
    mco_status st = MCO_OK;
    const vrp_crowd *c = &h->crowd;
    const mco_vrp_solution *now = &h->s->now;
    cudaStream_t stream = h->device.stream;
    for (int32_t r = 0; r <= c->rings; r++) {
        const int32_t size = r < now->routes ? vrp_route_size(now, r) : 0;
        h->h_ring[r] = (vrp_crowd_ring){.load = r < c->rings ? 0 : INT32_MAX, .part = r < c->rings ? 0 : -1, .count = size};
        for (int32_t k = 0; k < size; k++)
            h->h_line[(int64_t)r * c->room + k] = (uint16_t)(now->order[now->first[r] + k] + 1);
    }
    const vrp_crowd_node nowhere = {.ring = (uint16_t)c->rings};
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(c->node, &nowhere, sizeof nowhere, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(c->ring, h->h_ring, ((size_t)c->rings + 1) * sizeof *c->ring, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(c->line, h->h_line, (size_t)c->rings * (size_t)c->room * sizeof *c->line,
                                            cudaMemcpyHostToDevice, stream));
    MCO_CUDA(h->device.ctx, vrp_launch_crowd_begin(c, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->h_cost, c->cost, sizeof *c->cost, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(h->device.ctx, cudaStreamSynchronize(stream));
    h->best_cost = h->h_cost[0];
done:
    return st;
}

// Builds the solution in h_ring and h_line in s->next. False if it is malformed.
static bool build(const herd *h)
{
    const vrp_crowd *c = &h->crowd;
    mco_vrp_solution *out = &h->s->next;
    out->customers = c->customers;
    out->routes = out->first[0] = 0;
    for (int32_t r = 0; r < c->rings; r++) {
        const int32_t size = h->h_ring[r].count, at = out->first[out->routes];
        if (size < 0 || size > c->room || size > c->customers - at)
            return false;
        if (size == 0)
            continue;
        for (int32_t k = 0; k < size; k++)
            out->order[at + k] = h->h_line[(int64_t)r * c->room + k] - 1;
        out->first[++out->routes] = at + size;
    }
    return out->first[out->routes] == c->customers;
}

// Fetches a copy. It becomes s->now if it is feasible and better.
static mco_status fetch(herd *h, int32_t copy, const char *source)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = h->s;
    const vrp_crowd *c = &h->crowd;
    const size_t lists = (size_t)c->rings * (size_t)c->room;
    cudaStream_t stream = h->device.stream;
    int64_t cost = 0;
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->h_ring, c->ring + (size_t)copy * ((size_t)c->rings + 1), (size_t)c->rings * sizeof *c->ring,
                                            cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->h_line, c->line + (size_t)copy * lists, lists * sizeof *c->line, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(h->device.ctx, cudaStreamSynchronize(stream));
    if (!build(h))
        return MCO_OK;
    st = mco_vrp_check(s->search->ctx, s->problem, &s->next, &cost);
    if (st == MCO_ERR_CHECK)  // by the last bit of a distance
        return MCO_OK;
    MCO_TRY(st);
    if (cost < s->now_cost) {
        const mco_vrp_solution old = s->now;
        s->now = s->next;
        s->next = old;
        s->now_cost = cost;
        MCO_TRY(vrp_rounds_note(s, source));
    }
done:
    return st;
}

// ---- Walks

static bool must_stop(void *user)
{
    herd *h = user;
    return mco_is_cancelled(h->device.ctx) || mco_clock_s() >= h->s->search->run.stop_s || vrp_rounds_watch(h->s);
}

// The steps of a walk that does `share` of what is left of the stage; 0 if not one is left for each.
static int64_t steps_for(const herd *h, double share)
{
    const int64_t left = vrp_rounds_steps_left(h->s, 1) / h->crowd.copies / h->crowd.parts;
    const double steps = fmax(1, steps_of_walk(h) * share);
    return steps < (double)left ? (int64_t)steps : left;
}

// Cuts the copies and walks them; then h_cost [copies] has their costs. Measures the rate.
static mco_status walk(herd *h, vrp_crowd_plan *plan, bool is_same)
{
    mco_status st = MCO_OK;
    const vrp_crowd *c = &h->crowd;
    vrp_rounds *s = h->s;
    cudaStream_t stream = h->device.stream;
    const double before_s = h->device.kernel_s;
    plan->removed = (float)REMOVED;
    plan->longest_string = VRP_LONGEST_STRING;
    plan->longest_kept = LONGEST_KEPT;
    plan->exchanges = EXCHANGES;
    plan->seed = mco_rng_next(&s->rng);
    MCO_CUDA(h->device.ctx, cudaMemsetAsync(h->d_stop, 0, sizeof *h->d_stop, stream));
    MCO_CUDA(h->device.ctx, cudaMemsetAsync(c->steps, 0, sizeof *c->steps, stream));
    MCO_CUDA(h->device.ctx, vrp_launch_crowd_cut(c, mco_rng_next(&s->rng), is_same, stream));
    MCO_TRY(mco_device_start_clock(&h->device));
    MCO_CUDA(h->device.ctx, vrp_launch_crowd_walk(c, plan, stream));
    MCO_CUDA(h->device.ctx, cudaEventRecord(h->device.end, stream));
    MCO_TRY(mco_device_wait(&h->device, h->device.end, must_stop, h, h->d_stop));
    MCO_TRY(mco_device_stop_clock(&h->device, NULL));
    if (is_same)
        MCO_CUDA(h->device.ctx, vrp_launch_crowd_gather(c, c->copies, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->h_steps, c->steps, sizeof *c->steps, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->h_cost, c->cost, (size_t)c->copies * sizeof *c->cost, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(h->device.ctx, cudaStreamSynchronize(stream));
    s->search->iterations += *h->h_steps;
    const double seconds = h->device.kernel_s - before_s, each = (double)*h->h_steps / c->copies / c->parts;
    if (seconds > 1e-3 && each > 1)
        h->rate = each / seconds;
done:
    return st;
}

static bool is_over(herd *h)
{
    return vrp_rounds_is_over(h->s) || vrp_rounds_share(h->s) >= h->end_share;
}

// ---- The whole


// The weight of a copy above the least cost, and the effective number of copies by these weights.
static double effective(const herd *h, double least, double by)
{
    double sum = 0, squares = 0;
    for (int32_t k = 0; k < h->crowd.copies; k++) {
        const double w = exp(-((double)h->h_cost[k] - least) * by);
        sum += w;
        squares += w * w;
    }
    return sum * sum / squares;
}

// The difference of inverse temperatures by which copies are weighted: at most `by`, and such that half of the copies
// count.
static double tame(const herd *h, double least, double by)
{
    double low = 0, high = by;
    if (effective(h, least, by) >= 0.5 * h->crowd.copies)
        return by;
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (low + high);
        *(effective(h, least, middle) >= 0.5 * h->crowd.copies ? &low : &high) = middle;
    }
    return low;
}

// Chooses copies again by their weights at the next temperature: copy k goes on floor or ceil of its share of all times.
static mco_status choose_again(herd *h, double now, double next)
{
    const int32_t copies = h->crowd.copies;
    double least = INFINITY, sum = 0, up_to = 0;
    for (int32_t k = 0; k < copies; k++)
        least = fmin(least, (double)h->h_cost[k]);
    const double by = tame(h, least, 1 / next - 1 / now);
    for (int32_t k = 0; k < copies; k++)
        sum += exp(-((double)h->h_cost[k] - least) * by);
    const double offset = mco_rng_real(&h->s->rng);
    int32_t given = 0, spare = 0, taken = 0;
    for (int32_t k = 0; k < copies; k++) {
        up_to += exp(-((double)h->h_cost[k] - least) * by) / sum * copies;
        const int32_t until = k + 1 < copies ? (int32_t)fmin(copies, fmax(given, floor(up_to + offset))) : copies;
        if (until == given)
            h->h_to[spare++] = k;
        for (int32_t more = given + 1; more < until; more++)
            h->h_from[taken++] = k;
        given = until;
    }
    return copy_copies(h, taken < spare ? taken : spare);
}

static int32_t best_copy(const herd *h)
{
    int32_t best = 0;
    for (int32_t k = 1; k < h->crowd.copies; k++)
        best = h->h_cost[k] < h->h_cost[best] ? k : best;
    return best;
}

static mco_status note_best(herd *h, const char *source)
{
    const int32_t k = best_copy(h);
    if (h->h_cost[k] >= h->best_cost)
        return MCO_OK;
    h->best_cost = h->h_cost[k];
    return fetch(h, k, source);
}

static mco_status anneal(herd *h)
{
    mco_status st = MCO_OK;
    const vrp_temperatures t = h->s->temperatures;
    const double length = h->end_share - h->begin_share;
    set_parts(h, parts_for(h, knob("CROWD_FULL", FULL_STEPS)));
    MCO_TRY(spread_first(h));
    const double rounds = h->crowd.parts > 1 ? knob("CROWD_WROUNDS", WHOLE_ROUNDS) : FEW_ROUNDS;
    const double step = fmax(1 / rounds, vrp_rounds_counts_steps(h->s) ? 0 : LEAST_ROUND_S / vrp_rounds_planned_s(h->s) / length);
    if (getenv("CROWD_LOG") != NULL) fprintf(stderr, "walks %d parts %d copies %d room %d rings %d\n", h->walks, h->crowd.parts, h->crowd.copies, h->crowd.room, h->crowd.rings);
    mco_log(h->device.ctx, MCO_LOG_INFO, "%d copies of %d parts on the GPU", (int)h->crowd.copies, (int)h->crowd.parts);
    double from;
    while ((from = (vrp_rounds_share(h->s) - h->begin_share) / length) < 1 - step / 2 && !is_over(h)) {
        const double to = fmin(1, from + step);
        vrp_crowd_plan plan = {.hot = (float)(t.hot * pow(t.cold / t.hot, from)), .cold = (float)(t.hot * pow(t.cold / t.hot, to))};
        plan.steps = steps_for(h, (to - from) / (1 - from));
        if (plan.steps < 1)
            break;
        MCO_TRY(walk(h, &plan, false));
        MCO_TRY(note_best(h, "crowd"));
        if (getenv("CROWD_LOG") != NULL) { double a = 0, l = 1e18, m = 0; for (int32_t k = 0; k < h->crowd.copies; k++) { a += (double)h->h_cost[k]; l = fmin(l, (double)h->h_cost[k]); m = fmax(m, (double)h->h_cost[k]); } a /= h->crowd.copies; if (from == 0 || to == 1 || (int)(from * 10) != (int)(to * 10)) fprintf(stderr, "share %.2f hot %.1f steps %lld rate %.0f least %.0f mean %.0f most %.0f tame %.3f\n", to, plan.hot, (long long)plan.steps, h->rate, l, a, m, to < 1 ? tame(h, l, 1 / (t.hot * pow(t.cold / t.hot, fmin(1, to + step))) - 1 / plan.cold) / (1 / (t.hot * pow(t.cold / t.hot, fmin(1, to + step))) - 1 / plan.cold) : 0); }
        if (to < 1)
            MCO_TRY(choose_again(h, plan.cold, t.hot * pow(t.cold / t.hot, fmin(1, to + step))));
    }
done:
    return st;
}

// ---- Parts

// The parts grow while rounds gain nothing: what parts of so many customers can find has been found.
static mco_status anneal_parts(herd *h)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = h->s;
    const double n = s->problem->customers;
    double size = knob("CROWD_SIZE", FIRST_PART);
    while (!is_over(h)) {
        const double most = fmin((double)s->now.routes / LEAST_ROUTES, h->walks);
        const double warm = WARM_LEAST * pow(WARM_MOST / WARM_LEAST, mco_rng_real(&s->rng)) * s->temperatures.warm;
        const int64_t before = s->now_cost;
        const int32_t parts = (int32_t)fmax(1, fmin(n / size, most));
        set_parts(h, parts);
        MCO_TRY(spread_first(h));
        vrp_crowd_plan plan = {.hot = (float)warm, .cold = (float)s->temperatures.cold,
                               .spread = h->crowd.copies > 1 ? (float)SPREAD : 0};
        plan.steps = steps_for(h, fmin(1, knob("CROWD_STEPS", PART_STEPS) * n / parts / steps_of_walk(h)));
        if (plan.steps < 1)
            break;
        MCO_TRY(walk(h, &plan, true));
        h->crowd.copies = 1;
        if (getenv("CROWD_LOG") != NULL) fprintf(stderr, "part: parts %d steps %lld warm %.1f rate %.0f cost %lld before %lld\n", parts, (long long)plan.steps, warm, h->rate, (long long)h->h_cost[0], (long long)h->best_cost);
        MCO_TRY(note_best(h, "part"));
        size = s->now_cost < before ? fmax(FIRST_PART, size / SHRINKS) : fmin(n, size * GROWS);
    }
done:
    return st;
}

mco_status vrp_crowd_run(vrp_rounds *s, double share, bool is_whole, double *device_s)
{
    mco_status st = MCO_OK;
    herd h = {.s = s, .rate = FIRST_RATE, .begin_share = vrp_rounds_share(s), .end_share = share};
    int32_t resident = 0;
    if (is_over(&h))
        return MCO_OK;
    MCO_TRY(mco_device_open_named(s->search->ctx, s->search->params->gpus, &h.device));
    set_rules(&h.crowd, s->problem);
    MCO_TRY(send_instance(&h));
    MCO_CUDA(h.device.ctx, vrp_crowd_resident(&h.crowd, &resident));
    MCO_TRY(choose_sizes(&h, (int32_t)fmin(resident, knob("CROWD_RESIDENT", MOST_WALKS_OF_MULTIPROCESSOR))));
    MCO_TRY(take_memory(&h));
    MCO_TRY(send_first(&h));
    MCO_TRY(is_whole ? anneal(&h) : anneal_parts(&h));
done:
    *device_s += h.device.kernel_s;
    mco_device_close(&h.device);
    return st;
}
