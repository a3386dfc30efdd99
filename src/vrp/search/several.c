// SPDX-License-Identifier: MIT
// Several annealings of the whole solution. Where routes are long and few, chance decides while it is hot which customers share
// a route. Four times as many steps then end no better: XL-n2307-k34 0.9 and 1.5 % above the best known value after two
// million, 1.5 % after eight. So the steps go into several annealings, and the better ones go on.
#include <math.h>
#include <string.h>

#include "vrp/search/several.h"
#include "vrp/search/whole.h"

enum {
    ROUNDS = 24,
    LEAST_COPIES = 4, MOST_COPIES = 8,  // or as many as there are threads
    REPLACED = 8,                       // a round replaces the worst one of so many
    MANY_ROUTES = 50                    // so many average out what chance does to each
};
static const double STEPS_OF_COPY = 2000;  // per customer, at least

int32_t vrp_several_count(const vrp_rounds *s)
{
    const int32_t threads = s->processor->threads, most = threads > MOST_COPIES ? threads : MOST_COPIES;
    if (vrp_rounds_customers_of_route(s) <= VRP_LONG_ROUTE || s->now.routes >= MANY_ROUTES)
        return 1;
    const int32_t copies = (int32_t)fmin(most, vrp_whole_steps(s) / STEPS_OF_COPY) / threads * threads;
    return copies >= LEAST_COPIES ? copies : 1;
}

// Makes each task the whole solution. A customer has the same number in all of them. *is_filled: false if the search has to end.
static mco_status open_copies(vrp_rounds *s, int32_t count, bool *is_filled)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_rounds_open_tasks(s, count, s->problem->customers));
    vrp_rounds_begin_tasks(s, count);
    for (int32_t k = count - 1; k >= 0; k--)  // the routes belong to task 0, of which the others are copies
        for (int32_t r = 0; r < s->now.routes; r++)
            vrp_rounds_add_route(s, k, r);
    *is_filled = vrp_rounds_fill_tasks(s, count, 1);
done:
    return st;
}

static void copy_routes(const vrp_task *from, vrp_task *to)
{
    to->routes = from->routes;
    to->cost = from->cost;
    memcpy(to->first, from->first, ((size_t)from->routes + 1) * sizeof *to->first);
    memcpy(to->order, from->order, (size_t)from->first[from->routes] * sizeof *to->order);
}

// Makes the routes of task 0 the present solution.
static void take_first(vrp_rounds *s)
{
    const vrp_task *t = &s->tasks[0];
    mco_vrp_solution *now = &s->now;
    now->routes = t->routes;
    s->now_cost = t->cost;
    memcpy(now->first, t->first, ((size_t)t->routes + 1) * sizeof *now->first);
    for (int32_t k = 0; k < t->first[t->routes]; k++)
        now->order[k] = t->customer[t->order[k] - 1];
    for (int32_t r = 0; r < t->routes; r++)
        s->task_of[r] = 0;
}

// Sorts the tasks by cost, the best first; equal ones keep their order. With `replaces`, the best ones take the places of the
// worst ones: one in REPLACED, at least one.
static void select_best(vrp_rounds *s, int32_t count, bool replaces)
{
    for (int32_t k = 1; k < count; k++)
        for (int32_t i = k; i > 0 && s->tasks[i].cost < s->tasks[i - 1].cost; i--) {
            const vrp_task t = s->tasks[i];
            s->tasks[i] = s->tasks[i - 1];
            s->tasks[i - 1] = t;
        }
    const int32_t share = count > REPLACED ? count / REPLACED : 1, replaced = replaces && count > 1 ? share : 0;
    for (int32_t k = 0; k < replaced; k++)
        copy_routes(&s->tasks[k], &s->tasks[count - 1 - k]);
    take_first(s);
}

mco_status vrp_several_anneal(vrp_rounds *s, int32_t count, double until)
{
    mco_status st = MCO_OK;
    const double begin = vrp_rounds_share(s), share = until - begin, last = until - 0.5 * share / ROUNDS;
    const double hot = s->temperatures.hot, cooling = s->temperatures.cold / hot;
    bool is_filled = false;
    MCO_TRY(open_copies(s, count, &is_filled));
    for (double from; is_filled && (from = vrp_rounds_share(s)) < last && !vrp_rounds_is_over(s);) {
        const double to = fmin(until, from + share / ROUNDS);
        for (int32_t k = 0; k < count; k++) {
            vrp_rounds_set_temperatures(&s->tasks[k], hot * pow(cooling, (from - begin) / share),
                                        hot * pow(cooling, (to - begin) / share));
            s->tasks[k].wants_last = to < last;
        }
        vrp_rounds_plan_steps(s, count, to - from, VRP_MOST_STEPS);
        MCO_TRY(vrp_rounds_run(s, count, 1, "whole"));
        select_best(s, count, to < last && to - begin >= 0.5 * share);
        MCO_TRY(vrp_rounds_note(s, "whole"));
    }
done:
    return st;
}
