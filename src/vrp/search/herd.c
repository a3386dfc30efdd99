// SPDX-License-Identifier: MIT
// The host's side of a crowd (vrp/search/herd.h): memory, what goes to the device and what comes back, and the walks.
#include "vrp/search/herd.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/search/crowd.h"

enum {
    LEAST_COPIES = 8,
    MOST_THINNED = 4,          // so many times fewer walks than fit, at most
    SPARE_ROOM = 64,           // customers that a route may get above twice the longest one
    EXCHANGES = 10, LONGEST_KEPT = 20,
    TAILS = 10,                // exchanges of route ends proposed by a step, where routes are long
    MATRIX_CUSTOMERS = 20000,  // 1.6 GB
    SPHERE_CUSTOMERS = 3000    // a matrix takes a second of a core
};
static const double FIRST_RATE = 40000;   // steps a second of a walk, until a round has measured them
static const double REMOVED = 10;         // customers that a step takes out, on average
static const double MEMORY_SHARE = 0.5;   // of what the device has free
static const float ROUND_UP = 0.4999F;    // vrp_crowd.bump for distances that are rounded up

bool vrp_crowd_takes(const mco_vrp *problem)
{
    const bool is_plane = problem->rule == VRP_EUC_2D || problem->rule == VRP_CEIL_2D;
    const int32_t most = is_plane                      ? VRP_CROWD_MOST_CUSTOMERS
                         : problem->rule == VRP_MATRIX ? MATRIX_CUSTOMERS
                                                       : SPHERE_CUSTOMERS;
    return problem->is_symmetric && problem->customers <= most;
}

// ---- Sizes

static int32_t aligned(int64_t count)
{
    return (int32_t)((count + VRP_CROWD_ALIGNED - 1) / VRP_CROWD_ALIGNED * VRP_CROWD_ALIGNED);
}

// Steps of one walk until the end of the stage.
double vrp_herd_steps(const vrp_herd *h)
{
    const double share = h->end_share - vrp_rounds_share(h->s), all = (double)h->s->search->params->iterations;
    const double planned =
        vrp_rounds_counts_steps(h->s) ? share * all / h->walks : share * vrp_rounds_planned_s(h->s) * h->rate;
    return fmax(planned, 1);
}

static bool is_long(const vrp_herd *h)
{
    return vrp_rounds_customers_of_route(h->s) >= VRP_LONG_ROUTE;
}

double vrp_herd_most_parts(const vrp_herd *h)
{
    return fmax(1, (double)h->s->now.routes / VRP_HERD_ROUTES);
}

// Parts of a copy for walks of so many steps a customer, whatever its routes and the number of walks.
static double wanted_parts(const vrp_herd *h, double steps_per_customer)
{
    return (double)h->s->problem->customers * steps_per_customer / vrp_herd_steps(h);
}

// Parts of a copy for walks of so many steps a customer.
int32_t vrp_herd_parts_for(const vrp_herd *h, double steps_per_customer)
{
    const double most = fmin(vrp_herd_most_parts(h), (double)h->walks / LEAST_COPIES);
    return (int32_t)fmax(1, fmin(wanted_parts(h, steps_per_customer), most));
}

// The walks of a multiprocessor, of which it can run `resident` at the same time. Fewer are faster each. So there are fewer
// where even the most parts leave a copy few steps, as few long routes of many customers do.
static int32_t walks_at_once(const vrp_herd *h, int32_t resident)
{
    const double too_few = wanted_parts(h, VRP_HERD_FULL_STEPS) / vrp_herd_most_parts(h);
    return (int32_t)fmax(1, resident / fmax(1, fmin(too_few, MOST_THINNED)));
}

void vrp_herd_set_parts(vrp_herd *h, int32_t parts)
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

static mco_status choose_sizes(vrp_herd *h, int32_t resident)
{
    vrp_crowd *c = &h->crowd;
    const vrp_rounds *s = h->s;
    const mco_vrp *p = s->problem;
    const int32_t n = p->customers;
    h->walks = resident * h->device.info.multiprocessors;
    h->walks = walks_at_once(h, resident) * h->device.info.multiprocessors;
    const int32_t spare = vrp_herd_parts_for(h, VRP_HERD_FULL_STEPS) + 2;
    int32_t rings = s->now.routes + spare;
    rings = s->vehicles > 0 && rings > s->vehicles ? s->vehicles : rings;
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
static mco_status send(vrp_herd *h, const void *from, size_t count, size_t item_bytes, const void *out)
{
    mco_status st = MCO_OK;
    void *to = NULL;
    MCO_TRY(mco_device_take_bytes(&h->device, MCO_MEMORY_DEVICE, &to, count, item_bytes));
    MCO_CUDA(h->device.ctx, from != NULL
                                ? cudaMemcpyAsync(to, from, count * item_bytes, cudaMemcpyHostToDevice, h->device.stream)
                                : cudaMemsetAsync(to, 0, count * item_bytes, h->device.stream));
    MCO_CUDA(h->device.ctx, cudaStreamSynchronize(h->device.stream));
    memcpy((void *)(uintptr_t)out, &to, sizeof to);
done:
    return st;
}

// A matrix of the distances, of an instance without places in a plane.
static mco_status send_matrix(vrp_herd *h)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = h->s->problem;
    const size_t rows = (size_t)p->customers + 1;
    int32_t *matrix = NULL;
    if (p->rule == VRP_MATRIX)
        return send(h, p->matrix, rows * rows, sizeof *p->matrix, &h->crowd.matrix);
    MCO_TRY(mco_alloc(h->device.ctx, &matrix, (int64_t)(rows * rows)));
    for (size_t i = 0; i < rows && (i % 64 != 0 || !vrp_search_ends(h->s->search)); i++)
        for (size_t j = 0; j < i; j++)
            matrix[i * rows + j] = matrix[j * rows + i] = vrp_distance(p, (int32_t)i, (int32_t)j);
    MCO_TRY(send(h, matrix, rows * rows, sizeof *matrix, &h->crowd.matrix));
done:
    mco_free(h->device.ctx, &matrix);
    return st;
}

static mco_status send_places(vrp_herd *h)
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

static mco_status send_near(vrp_herd *h)
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

static mco_status send_instance(vrp_herd *h)
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
    return p->max_length - (p->distances == MCO_VRP_DISTANCES_ROUNDED || p->rule == VRP_MATRIX || p->rule == VRP_GEO
                                ? 0
                                : UNITS + (p->longest >> FLOAT_BITS));
}

static void set_rules(vrp_crowd *c, const mco_vrp *p)
{
    c->customers = p->customers;
    c->capacity = p->capacity;
    c->longest = longest_of(p);
    c->bump = p->rule == VRP_CEIL_2D && p->distances == MCO_VRP_DISTANCES_ROUNDED ? ROUND_UP : 0;
    c->has_length = vrp_has_max_length(p);
}

static mco_status take_memory(vrp_herd *h)
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
mco_status vrp_herd_copy(vrp_herd *h, int32_t count)
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
mco_status vrp_herd_spread(vrp_herd *h)
{
    for (int32_t k = 1; k <= h->crowd.copies; k++) {
        h->h_from[k - 1] = 0;
        h->h_to[k - 1] = k;
    }
    return vrp_herd_copy(h, h->crowd.copies);
}

// Copy 0 becomes s->now.
static mco_status send_first(vrp_herd *h)
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
    MCO_CUDA(h->device.ctx,
             cudaMemcpyAsync(c->ring, h->h_ring, ((size_t)c->rings + 1) * sizeof *c->ring, cudaMemcpyHostToDevice, stream));
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
static bool build(const vrp_herd *h)
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
mco_status vrp_herd_fetch(vrp_herd *h, int32_t copy, const char *source)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = h->s;
    const vrp_crowd *c = &h->crowd;
    const size_t lists = (size_t)c->rings * (size_t)c->room;
    cudaStream_t stream = h->device.stream;
    int64_t cost = 0;
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->h_ring, c->ring + (size_t)copy * ((size_t)c->rings + 1),
                                            (size_t)c->rings * sizeof *c->ring, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(h->device.ctx, cudaMemcpyAsync(h->h_line, c->line + (size_t)copy * lists, lists * sizeof *c->line,
                                            cudaMemcpyDeviceToHost, stream));
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
    vrp_herd *h = user;
    return mco_is_cancelled(h->device.ctx) || mco_clock_s() >= h->s->search->run.stop_s || vrp_rounds_watch(h->s);
}

// The steps of a walk that does `share` of what is left of the stage; 0 if not one is left for each.
int64_t vrp_herd_steps_for(const vrp_herd *h, double share)
{
    const int64_t left = vrp_rounds_steps_left(h->s, 1) / h->crowd.copies / h->crowd.parts;
    const double steps = fmax(1, vrp_herd_steps(h) * share);
    return steps < (double)left ? (int64_t)steps : left;
}

// Cuts the copies and walks them; then h_cost [copies] has their costs. Measures the rate.
mco_status vrp_herd_walk(vrp_herd *h, vrp_crowd_plan *plan, bool is_same)
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
    plan->tails = is_long(h) ? TAILS : 0;
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
    MCO_CUDA(h->device.ctx,
             cudaMemcpyAsync(h->h_cost, c->cost, (size_t)c->copies * sizeof *c->cost, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(h->device.ctx, cudaStreamSynchronize(stream));
    s->search->iterations += *h->h_steps;
    const double seconds = h->device.kernel_s - before_s, each = (double)*h->h_steps / c->copies / c->parts;
    if (seconds > 1e-3 && each > 1)
        h->rate = each / seconds;
done:
    return st;
}

// ---- Open

mco_status vrp_herd_open(vrp_rounds *s, double share, vrp_herd *h)
{
    mco_status st = MCO_OK;
    int32_t resident = 0;
    *h = (vrp_herd){.s = s, .rate = FIRST_RATE, .begin_share = vrp_rounds_share(s), .end_share = share};
    MCO_TRY(mco_device_open_named(s->search->ctx, s->search->params->gpus, &h->device));
    set_rules(&h->crowd, s->problem);
    MCO_TRY(send_instance(h));
    if (vrp_search_ends(s->search))
        goto done;
    MCO_CUDA(h->device.ctx, vrp_crowd_resident(&h->crowd, &resident));
    MCO_TRY(choose_sizes(h, resident));
    MCO_TRY(take_memory(h));
    MCO_TRY(send_first(h));
done:
    return st;
}
