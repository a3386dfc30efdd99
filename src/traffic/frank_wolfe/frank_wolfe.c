// SPDX-License-Identifier: MIT
// Frank-Wolfe (1956), and its conjugate and biconjugate directions (Mitradjieva, Lindberg 2013), on cores. An iteration loads all trips on paths
// of least cost at the present costs, aims at a point between this load and the last two aims, and steps there as far as the
// potential falls. Nothing is kept but flows of links.
//
// Several ranks load a part of the rows each; flows of links are sums of integers, so all have the same ones and do the rest alike.
//
// The potential of all classes is a function of the flows together, plus what is linear in each class. So slopes see the
// flows together, and constants of classes add one number to the derivative along a line.
#include <string.h>

#include "traffic/frank_wolfe/line_search.h"
#include "traffic/frank_wolfe/load.h"

// Flows [classes][links], and of all classes together [links], which is the same array for one class.
typedef struct point {
    double *flow, *together;
} point;

typedef struct frank_wolfe {
    mco_context *ctx;
    const traffic_call *call;
    const traffic_problem *problem;
    traffic_loader loader;
    int64_t links, classes;
    point x, y, last, before;
    double *cost;       // [classes][links], or [links] without constants of classes
    double *direction;  // [links] of all classes together
    double *whole;      // [classes][links] the direction of each class; `direction` for one class
    double total, least, objective, bound, gap;  // at x
    double step;        // the last one
    int32_t memory, most_memory;
    int64_t iterations;
} frank_wolfe;

// ---- Memory

static mco_status open_point(const frank_wolfe *f, point *p)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(f->ctx, &p->flow, f->classes * f->links));
    p->together = p->flow;
    if (f->classes > 1) {
        p->together = NULL;
        MCO_TRY(mco_alloc(f->ctx, &p->together, f->links));
    }
done:
    return st;
}

static void close_point(const frank_wolfe *f, point *p)
{
    if (f->classes > 1)
        mco_free(f->ctx, &p->together);
    mco_free(f->ctx, &p->flow);
}

static void close_all(frank_wolfe *f)
{
    if (f->classes > 1)
        mco_free(f->ctx, &f->whole);
    mco_free(f->ctx, &f->direction);
    mco_free(f->ctx, &f->cost);
    close_point(f, &f->before);
    close_point(f, &f->last);
    close_point(f, &f->y);
    close_point(f, &f->x);
    traffic_loader_close(&f->loader);
}

static mco_status open_all(frank_wolfe *f)
{
    mco_status st = MCO_OK;
    MCO_TRY(open_point(f, &f->x));
    MCO_TRY(open_point(f, &f->y));
    MCO_TRY(open_point(f, &f->last));
    MCO_TRY(open_point(f, &f->before));
    MCO_TRY(mco_alloc(f->ctx, &f->cost, f->links * (f->problem->extra != NULL ? f->classes : 1)));
    MCO_TRY(mco_alloc(f->ctx, &f->direction, f->links));
    f->whole = f->direction;
    if (f->classes > 1) {
        f->whole = NULL;
        MCO_TRY(mco_alloc(f->ctx, &f->whole, f->classes * f->links));
    }
    MCO_TRY(traffic_loader_open(f->ctx, f->call, &f->loader));
done:
    return st;
}

// ---- Parts of an iteration

static void add_classes(const frank_wolfe *f, const double *flow, double *together)
{
    if (flow == together)
        return;
    memset(together, 0, (size_t)f->links * sizeof *together);
    for (int64_t k = 0; k < f->classes; k++)
        for (int64_t a = 0; a < f->links; a++)
            together[a] += flow[k * f->links + a];
}

static const double *cost_of_class(const frank_wolfe *f, int64_t k)
{
    return f->cost + (f->problem->extra != NULL ? k * f->links : 0);
}

static void find_costs(frank_wolfe *f)
{
    const traffic_problem *p = f->problem;
    for (int64_t a = 0; a < f->links; a++)
        f->cost[a] = traffic_cost(&p->costs, a, f->x.together[a]);
    for (int64_t k = f->classes - 1; k >= 0 && p->extra != NULL; k--)
        for (int64_t a = 0; a < f->links; a++)
            f->cost[k * f->links + a] = f->cost[a] + p->extra[k * f->links + a];
}

static mco_status load(frank_wolfe *f, point *to)
{
    const mco_status st = f->loader.load(f->loader.self, f->cost, to->flow, &f->least);
    if (st == MCO_OK)
        add_classes(f, to->flow, to->together);
    return st;
}

static double total_of(const frank_wolfe *f, const double *flow)
{
    double total = 0;
    for (int64_t k = 0; k < f->classes; k++)
        for (int64_t a = 0; a < f->links; a++)
            total += flow[k * f->links + a] * cost_of_class(f, k)[a];
    return total;
}

// Whether labels of integers hide more than half of the gap that is asked for, now that x is nearly so good.
static bool is_too_coarse(const frank_wolfe *f)
{
    const double loss = total_of(f, f->y.flow) - f->least, total = total_of(f, f->x.flow);
    return f->loader.lane_bits < 64 && loss > 0.5 * f->call->gap * total && total - f->least < 4 * loss;
}

// Labels in doubles from now on.
static mco_status refine(frank_wolfe *f)
{
    mco_status st = MCO_OK;
    mco_log(f->ctx, MCO_LOG_INFO, "all-or-nothing by lanes of 8 rows from now on: labels of integers are too coarse for a gap of %g", f->call->gap);
    traffic_loader_close(&f->loader);
    MCO_TRY(traffic_loader_open_lanes(f->ctx, f->call, &f->loader));
    MCO_TRY(load(f, &f->y));
done:
    return st;
}

// The gap at x, whose costs and load are known. A load at the costs of x gives a lower bound on the potential; the greatest one stays.
static mco_status measure(frank_wolfe *f)
{
    f->total = total_of(f, f->x.flow);
    const double excess = f->total > f->least ? f->total - f->least : 0;
    f->gap = f->total > 0 ? excess / f->total : 0;
    f->objective = f->problem->is_integral
                       ? traffic_objective(f->problem, f->x.together, f->classes > 1 ? f->x.flow : NULL) : NAN;
    if (!(f->objective - excess <= f->bound))
        f->bound = f->objective - excess;
    return traffic_note(f->call, f->objective, f->gap);
}

// An infinite slope (a power below 1 at flow 0) counts as 0.
static traffic_conjugacy find_conjugacy(const frank_wolfe *f)
{
    traffic_conjugacy sums = {0};
    const double *x = f->x.together, *y = f->y.together, *last = f->last.together, *before = f->before.together;
    for (int64_t a = 0; a < f->links; a++) {
        const double slope = traffic_slope(&f->problem->costs, a, x[a]);
        if (!(slope > 0 && slope < INFINITY))
            continue;
        const double near = last[a] - x[a], far = f->step * last[a] + (1 - f->step) * before[a] - x[a], to_y = slope * (y[a] - x[a]);
        sums.near_y += near * to_y;
        sums.near_near += near * near * slope;
        sums.far_y += far * to_y;
        sums.far_far += far * (before[a] - last[a]) * slope;
    }
    return sums;
}

// The direction from x to a point between y, last and before; the part of its derivative that constants of classes add is *extra.
static void aim(frank_wolfe *f, const traffic_shares *share, double *extra)
{
    *extra = 0;
    for (int64_t i = 0; i < f->classes * f->links; i++) {
        const double aim = share->y * f->y.flow[i] + share->last * f->last.flow[i] + share->before * f->before.flow[i];
        f->whole[i] = aim - f->x.flow[i];
        *extra += f->problem->extra != NULL ? f->whole[i] * f->problem->extra[i] : 0;
    }
    add_classes(f, f->whole, f->direction);
}

// Steps from x to where it aims, and remembers the aim.
static void move(frank_wolfe *f)
{
    const point oldest = f->before;
    f->before = f->last;
    f->last = oldest;
    for (int64_t i = 0; i < f->classes * f->links; i++) {
        const double x = f->x.flow[i], to = x + f->step * f->whole[i];
        f->last.flow[i] = x + f->whole[i];
        f->x.flow[i] = to > 0 ? to : 0;
    }
    add_classes(f, f->last.flow, f->last.together);
    add_classes(f, f->x.flow, f->x.together);
}

// One step. A direction that leads up, or not far enough to be seen in numbers, is tried without memory. False: x cannot be improved.
static bool take_step(frank_wolfe *f)
{
    for (;;) {
        double extra;
        const traffic_conjugacy sums = f->memory > 0 ? find_conjugacy(f) : (traffic_conjugacy){0};
        const traffic_shares share = traffic_direction(f->memory, f->step, &sums);
        aim(f, &share, &extra);
        const traffic_line line = traffic_line_make(f->problem, f->x.together, f->direction, extra);
        const double step = traffic_line_search(&line, f->call->params->line_search);
        if (step > 0) {
            f->step = step;
            f->memory = traffic_memory_after(f->memory, step, f->most_memory);
            move(f);
            return true;
        }
        if (f->memory == 0)
            return false;
        f->memory = 0;
    }
}

// ---- The loop

// All ranks end together: gap and iterations are equal, clocks and signals are not.
static mco_status look_for_end(const frank_wolfe *f, bool *ends)
{
    mco_run *run = f->call->run;
    const int64_t most = f->call->params->iterations;
    *ends = f->gap <= f->call->gap;
    if (*ends)
        return MCO_OK;
    if (most > 0 && f->iterations >= most) {
        run->stop = MCO_STOP_ITERATIONS;
        *ends = true;
        return MCO_OK;
    }
    int64_t stop = mco_run_must_stop(run, f->iterations) ? run->stop : MCO_STOP_FINISHED;
    const mco_status st = mco_ranks_greatest(f->ctx, &stop);
    run->stop = (mco_stop)stop;
    *ends = stop != MCO_STOP_FINISHED;
    return st;
}

// A run that must stop ends with the flows that it has.
static mco_status iterate(frank_wolfe *f)
{
    mco_status st = MCO_OK;
    for (bool ends = false;;) {
        find_costs(f);
        MCO_TRY(load(f, &f->y));
        if (is_too_coarse(f))
            MCO_TRY(refine(f));
        MCO_TRY(measure(f));
        MCO_TRY(look_for_end(f, &ends));
        if (ends || !take_step(f))
            break;
        f->iterations++;
    }
done:
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}

// Refuses flows of a start that do not carry the trips.
static mco_status take_start(frank_wolfe *f)
{
    const traffic_problem *p = f->problem;
    const double tolerance = 1e-6 * p->demand;
    double *surplus = NULL;
    mco_status st = MCO_OK;
    if (f->classes > 1)
        return mco_fail(f->ctx, MCO_ERR_ARGUMENT, "flows of links to start from are for one class, there are %d", p->classes);
    MCO_TRY(mco_alloc(f->ctx, &surplus, p->nodes));
    for (int32_t a = 0; a < p->links; a++) {
        const double flow = f->call->start_flow[a];
        if (!(flow >= 0 && flow < INFINITY))
            MCO_TRY(mco_fail(f->ctx, MCO_ERR_ARGUMENT, "the start has a flow of %g, a flow is 0 or more", flow));
        f->x.flow[a] = flow;
        surplus[p->tail[a]] += flow;
        surplus[p->head[a]] -= flow;
    }
    for (int32_t r = 0; r < p->rows; r++)
        for (int64_t k = p->row_first[r]; k < p->row_first[r + 1]; k++) {
            surplus[p->row_origin[r]] -= p->amount[k];
            surplus[p->to[k]] += p->amount[k];
        }
    for (int32_t v = 0; v < p->nodes; v++)
        if (fabs(surplus[v]) > tolerance)
            MCO_TRY(mco_fail(f->ctx, MCO_ERR_ARGUMENT, "the start does not carry the trips: %g too many leave node %d, at most %g may", surplus[v],
                             v + 1, tolerance));
done:
    mco_free(f->ctx, &surplus);
    return st;
}

static mco_status begin(frank_wolfe *f)
{
    if (f->call->start_flow != NULL)
        return take_start(f);
    find_costs(f);
    return load(f, &f->x);
}

static void give(frank_wolfe *f, traffic_answer *out)
{
    out->flow = f->x.together;
    f->x.together = NULL;
    out->class_flow = f->classes > 1 ? f->x.flow : NULL;
    f->x.flow = NULL;
    out->gap = f->gap;
    out->iterations = f->iterations;
    out->simd = f->loader.simd;
    out->lane_bits = f->loader.lane_bits;
    out->threads = f->loader.threads;
}

static int32_t memory_of(mco_traffic_method method)
{
    return method == MCO_TRAFFIC_METHOD_FW ? 0 : method == MCO_TRAFFIC_METHOD_CFW ? 1 : 2;
}

mco_status traffic_frank_wolfe_assign(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = call->problem;
    frank_wolfe f = {.ctx = ctx, .call = call, .problem = p, .links = p->links, .classes = p->classes, .gap = 1, .bound = -INFINITY};
    f.most_memory = memory_of(call->params->method);
    if (p->rows == 0) {
        MCO_TRY(mco_alloc(ctx, &out->flow, f.links));
        if (f.classes > 1)
            MCO_TRY(mco_alloc(ctx, &out->class_flow, f.classes * f.links));
        out->gap = 0;
        return traffic_note(call, 0, 0);
    }
    MCO_TRY(mco_ranks_agree(ctx, open_all(&f)));
    MCO_TRY(begin(&f));
    MCO_TRY(iterate(&f));
    mco_log(ctx, MCO_LOG_DETAIL, "objective %.15g, at least %.15g", f.objective, f.bound);
    give(&f, out);
    MCO_TRY(traffic_certificate_open(ctx, p, out->flow, out->class_flow, &out->certificate));
    MCO_TRY(f.loader.prove(f.loader.self, &out->certificate));
    int64_t threads = out->threads;
    MCO_TRY(mco_ranks_reduce(ctx, &threads, 1, MCO_REDUCE_SUM));
    out->threads = (int32_t)threads;
done:
    close_all(&f);
    return st;
}
