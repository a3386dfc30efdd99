// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/crew.h"

#include <string.h>

#include "base/grow.h"
#include "base/team.h"

// Levels of some hundred labels feed no more threads.
enum { MOST_THREADS = 8 };

typedef struct vrp_crew {
    mco_team team;
    int32_t hands;        // the threads but the calling one
    vrp_side *hand;       // [hands]
    mco_status *status;   // [hands + 1] of a run
    vrp_side *side;
    vrp_crew_work *work;
    void *shared;
} vrp_crew;

static mco_status open_hand(const vrp_side *side, vrp_side *hand)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_context_create_child(side->ctx, &hand->ctx));
    MCO_TRY(mco_alloc(hand->ctx, &hand->seen, side->set_words));
    MCO_TRY(mco_alloc_bytes(hand->ctx, (void **)&hand->draft, 1, side->item_bytes));
done:
    return st;
}

static mco_status open_crew(vrp_side *side)
{
    mco_status st = MCO_OK;
    vrp_crew *c = NULL;
    MCO_TRY(mco_alloc(side->ctx, &c, 1));
    side->crew = c;
    c->side = side;
    c->hands = (side->task->threads < MOST_THREADS ? side->task->threads : MOST_THREADS) - 1;
    MCO_TRY(mco_alloc(side->ctx, &c->hand, c->hands));
    MCO_TRY(mco_alloc(side->ctx, &c->status, c->hands + 1));
    for (int32_t h = 0; h < c->hands; h++)
        MCO_TRY(open_hand(side, &c->hand[h]));
    MCO_TRY(mco_team_open(side->ctx, c->hands + 1, false, &c->team));
done:
    if (st != MCO_OK)
        vrp_crew_close(side);
    return st;
}

void vrp_crew_close(vrp_side *side)
{
    vrp_crew *c = side->crew;
    if (c == NULL)
        return;
    mco_team_close(&c->team);
    for (int32_t h = 0; c->hand != NULL && h < c->hands; h++) {
        vrp_side *hand = &c->hand[h];
        if (hand->ctx == NULL)
            continue;
        mco_free(hand->ctx, &hand->seen);
        mco_free(hand->ctx, &hand->draft);
        mco_free(hand->ctx, &hand->made);
        mco_free(hand->ctx, &hand->final);
        mco_context_destroy(&hand->ctx);
    }
    mco_free(side->ctx, &c->status);
    mco_free(side->ctx, &c->hand);
    mco_free(side->ctx, &side->crew);
}

// The side as it is now, with what the hand has for itself.
static void renew(const vrp_side *side, vrp_side *hand)
{
    const vrp_side own = *hand;
    *hand = *side;
    hand->ctx = own.ctx;
    hand->seen = own.seen;
    hand->draft = own.draft;
    hand->made = own.made;
    hand->made_room = own.made_room;
    hand->final = own.final;
    hand->final_room = own.final_room;
    hand->made_count = hand->final_count = hand->steps = 0;
}

static void do_item(void *shared, int worker, int64_t item)
{
    vrp_crew *c = shared;
    if (c->status[worker] == MCO_OK)
        c->status[worker] = c->work(worker < c->hands ? &c->hand[worker] : c->side, c->shared, item);
}

// Takes over what the hand has found.
static mco_status merge(vrp_side *side, const vrp_side *hand, mco_status st)
{
    if (st != MCO_OK)
        return mco_fail(side->ctx, st, "%s", mco_context_error(hand->ctx));
    if (hand->end != VRP_LABELS_DONE && side->end == VRP_LABELS_DONE)
        side->end = hand->end;
    side->steps += hand->steps;
    MCO_TRY(mco_grow(side->ctx, &side->final, &side->final_room, side->final_count + hand->final_count));
    if (hand->final_count > 0)
        memcpy(side->final + side->final_count, hand->final, (size_t)hand->final_count * sizeof *hand->final);
    side->final_count += hand->final_count;
done:
    return st;
}

static mco_status run(vrp_side *side, int64_t count, vrp_crew_work *work, void *shared)
{
    mco_status st = MCO_OK;
    vrp_crew *c = side->crew;
    c->work = work;
    c->shared = shared;
    for (int32_t h = 0; h < c->hands; h++)
        renew(side, &c->hand[h]);
    for (int32_t h = 0; h <= c->hands; h++)
        c->status[h] = MCO_OK;
    mco_team_run(&c->team, count, do_item, NULL, c);
    MCO_TRY(c->status[c->hands]);
    for (int32_t h = 0; h < c->hands; h++)
        MCO_TRY(merge(side, &c->hand[h], c->status[h]));
done:
    return st;
}

static mco_status touch(vrp_side *hand, void *shared, int64_t k)
{
    return vrp_completion_touch(hand->ctx, shared, (int32_t)k + 1);
}

// Opens the crew. The tables of all nodes come first: then no thread adds one while another one looks.
static mco_status begin(vrp_side *side)
{
    mco_status st = MCO_OK;
    MCO_TRY(open_crew(side));
    MCO_TRY(vrp_completion_touch(side->ctx, &side->completion, 1));  // cells of a GPU come with it
    MCO_TRY(run(side, side->task->problem->customers, touch, &side->completion));
done:
    return st;
}

mco_status vrp_crew_run(vrp_side *side, int64_t count, bool pays, vrp_crew_work *work, void *shared)
{
    mco_status st = MCO_OK;
    side->made_count = 0;
    if (!pays || side->task->threads < 2) {
        for (int64_t k = 0; k < count && side->end == VRP_LABELS_DONE; k++)
            MCO_TRY(work(side, shared, k));
        return MCO_OK;
    }
    if (side->crew == NULL)
        MCO_TRY(begin(side));
    MCO_TRY(run(side, count, work, shared));
done:
    return st;
}
