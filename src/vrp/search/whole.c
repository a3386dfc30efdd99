// SPDX-License-Identifier: MIT
// The annealing of the whole solution. Every round cuts it anew into about as many parts as there are cores.
#include <math.h>
#include <stdlib.h>

#include "vrp/search/key.h"
#include "vrp/search/whole.h"

enum {
    ROUNDS = 24,                  // of the annealing of the whole, with ENOUGH_ROUTES in a part
    FEW_ROUNDS = 3,               // with few steps, at least
    MOST_ROUNDS_OF_PART = 75,     // with fewer, for each part
    ENOUGH_ROUTES = 50,
    LEAST_ROUTES = 3,             // of a part of the whole, on average
    PART_CUSTOMERS = 200,         // of a part of the whole, at least
    MOST_PART_CUSTOMERS = 20000   // of a part of the whole
};
// Per customer: more than ROUNDS rounds have so many at least, 40 shared by the parts. With fewer steps there are fewer rounds, of
// STEPS_OF_FEW each. To fill the tasks of a round takes as long as one or two.
static const double STEPS_OF_ROUND = 40, LEAST_STEPS_OF_ROUND = 8, STEPS_OF_FEW = 4;
static const double LEAST_STEPS_OF_WHOLE = 2;  // per customer: the lists and the memory of all parts are worth no fewer

static int32_t count_customers(const vrp_rounds *s, int32_t begin, int32_t end)
{
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++)
        count += vrp_route_size(&s->now, (int32_t)s->key[2 * k + 1]);
    return count;
}

// A customer, from 1, of the routes begin..end-1 of the list in `key`, which have so many.
static int32_t draw_customer(vrp_rounds *s, int32_t begin, int32_t count)
{
    int32_t k = begin, left = (int32_t)mco_rng_below(&s->rng, (uint32_t)count);
    if (count == s->problem->customers)
        return left + 1;
    for (; left >= vrp_route_size(&s->now, (int32_t)s->key[2 * k + 1]); k++)
        left -= vrp_route_size(&s->now, (int32_t)s->key[2 * k + 1]);
    return s->now.order[s->now.first[(int32_t)s->key[2 * k + 1]] + left] + 1;
}

// Draws two customers, and sorts the routes begin..end-1 of the list by how much nearer they lie to the first than to the second.
static void sort_along_line(vrp_rounds *s, int32_t begin, int32_t end, int32_t count)
{
    const int32_t a = draw_customer(s, begin, count), b = draw_customer(s, begin, count);
    for (int32_t k = begin; k < end; k++) {
        const int32_t r = (int32_t)s->key[2 * k + 1];
        double sum = 0;
        for (int32_t m = s->now.first[r]; m < s->now.first[r + 1]; m++)
            sum += vrp_distance(s->problem, a, s->now.order[m] + 1) - vrp_distance(s->problem, b, s->now.order[m] + 1);
        s->key[2 * k] = sum / vrp_route_size(&s->now, r);
    }
    qsort(s->key + 2 * (int64_t)begin, (size_t)(end - begin), 2 * sizeof *s->key, vrp_by_key);
}

// Cuts the routes begin..end-1 of the list into halves of halves, `parts` in all, which become the tasks from *part on. Each half has a
// line of its own, so that parts are compact. False if a part would be too large for its task, or the search has to end.
static bool cut_list(vrp_rounds *s, int32_t begin, int32_t end, int32_t parts, int32_t *part)
{
    const int32_t left = parts / 2, count = count_customers(s, begin, end);
    int32_t at = begin;
    if (begin == end)
        return true;
    if (vrp_search_ends(s->search) || (parts == 1 && count > s->tasks[*part].part.most_customers))
        return false;
    if (parts == 1) {
        for (; at < end; at++)
            vrp_rounds_add_route(s, *part, (int32_t)s->key[2 * at + 1]);
        ++*part;
        return true;
    }
    sort_along_line(s, begin, end, count);
    for (int64_t before = 0; at < end && before * parts < (int64_t)left * count; at++)
        before += vrp_route_size(&s->now, (int32_t)s->key[2 * at + 1]);
    return cut_list(s, begin, at, left, part) && cut_list(s, at, end, parts - left, part);
}

// Cuts the solution into parts. Returns their number, none of them empty; 0 if one would be too large for its task, or the search has
// to end.
static int32_t cut(vrp_rounds *s, int32_t parts)
{
    int32_t part = 0;
    for (int32_t r = 0; r < s->now.routes; r++)
        s->key[2 * r + 1] = r;
    vrp_rounds_begin_tasks(s, parts);
    if (parts == 1)  // its routes are sorted like those of others
        sort_along_line(s, 0, s->now.routes, s->problem->customers);
    return cut_list(s, 0, s->now.routes, parts, &part) ? part : 0;
}

double vrp_whole_steps(const vrp_rounds *s)
{
    return vrp_rounds_steps(s) * s->processor->threads / s->problem->customers;
}

static int32_t parts_of_whole(const vrp_rounds *s)
{
    const int32_t n = s->problem->customers, threads = s->processor->threads;
    const int32_t few = s->now.routes / LEAST_ROUTES > 1 ? s->now.routes / LEAST_ROUTES : 1;
    int32_t parts = n / PART_CUSTOMERS < threads ? n / PART_CUSTOMERS + 1 : threads;
    parts = parts < few ? parts : few;
    while (n / parts > MOST_PART_CUSTOMERS)
        parts += threads;
    return parts;
}

// The number of rounds. The fewer routes a part has, the more of them lie at its border, where their customers cannot
// go to the routes of another part. So the border has to move more often, and more than in proportion where there are many borders:
// ten parts of four routes each end 1.8 points better after 500 rounds than after 24, with as many steps.
static double rounds_of_whole(const vrp_rounds *s, int32_t parts, double steps)
{
    const double fewer = (double)ENOUGH_ROUTES * parts / s->now.routes * parts / 2;
    const double most = (double)MOST_ROUNDS_OF_PART * parts;
    const double wanted = parts > 1 ? fmin(most, ROUNDS * fewer * fewer) : ROUNDS;
    const double least = fmin(ROUNDS, fmax(FEW_ROUNDS, ceil(steps / STEPS_OF_FEW)));
    return floor(fmax(least, fmin(wanted, steps / fmax(LEAST_STEPS_OF_ROUND, STEPS_OF_ROUND / parts))));
}

// One round: up to a share of the search, at temperatures from hot to cold. *is_cut: false if the solution could not be cut.
static mco_status anneal_round(vrp_rounds *s, int32_t parts, double to, double hot, double cold, bool is_last, bool *is_cut)
{
    mco_status st = MCO_OK;
    int64_t before = 0, after = 0;
    const double from = vrp_rounds_share(s);
    const int32_t count = cut(s, parts);
    *is_cut = count > 0;
    if (count == 0)
        return MCO_OK;
    if (!vrp_rounds_fill_tasks(s, count, count))
        return MCO_OK;
    for (int32_t k = 0; k < count; k++) {
        vrp_rounds_set_temperatures(&s->tasks[k], hot, cold);
        s->tasks[k].wants_last = !is_last;
        before += s->tasks[k].cost;
    }
    vrp_rounds_plan_steps(s, count, to - from, VRP_MOST_STEPS);
    MCO_TRY(vrp_rounds_run(s, count, count, "whole"));
    for (int32_t k = 0; k < count; k++)
        after += s->tasks[k].cost;
    vrp_rounds_merge(s, count, after - before);
    MCO_TRY(vrp_rounds_note(s, "whole"));
done:
    return st;
}

mco_status vrp_whole_anneal(vrp_rounds *s, double until)
{
    mco_status st = MCO_OK;
    const int32_t n = s->problem->customers;
    const int32_t parts = parts_of_whole(s);
    const int32_t longest = vrp_rounds_longest_route(s);
    // A route may grow. If a part no longer holds its routes, the annealing ends.
    const int32_t room = (int32_t)fmin(n, (double)n / parts + 4.0 * longest + VRP_LONGEST_STRING);
    const double begin = vrp_rounds_share(s), share = until - begin;
    if (!(share * vrp_whole_steps(s) >= LEAST_STEPS_OF_WHOLE))
        return MCO_OK;
    MCO_TRY(vrp_rounds_open_tasks(s, parts, room));
    const double rounds = rounds_of_whole(s, parts, share * vrp_whole_steps(s)), last = until - 0.5 * share / rounds;
    const double hot = s->temperatures.hot, cooling = s->temperatures.cold / hot;
    bool is_cut = true;
    for (double from; is_cut && (from = vrp_rounds_share(s)) < last && !vrp_rounds_is_over(s);) {
        const double to = fmin(until, from + share / rounds);
        MCO_TRY(anneal_round(s, parts, to, hot * pow(cooling, (from - begin) / share), hot * pow(cooling, (to - begin) / share),
                             to >= last, &is_cut));
    }
done:
    return st;
}
