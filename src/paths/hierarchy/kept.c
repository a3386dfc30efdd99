// SPDX-License-Identifier: MIT
// What a hierarchy keeps between calls: the tables of one sweep, a crew of sleeping threads that customise, and a team of sleeping threads for
// batches of trees, rows and routes. Each is made when it is first asked for. The lock is held for the exchange of a pointer alone.
#include <pthread.h>
#include <string.h>

#include "paths/hierarchy/customise.h"
#include "paths/hierarchy/query.h"

typedef struct paths_kept {
    mco_context *owner;  // compared, never used
    pthread_mutex_t lock;
    paths_sweep *sweep;  // guarded by the lock; NULL: none, or a call has it
    paths_crew *crew;    // the same
    mco_team *team;      // the same
    atomic_int_least64_t proven;  // the number of the metric that was proven last; -1: none
} paths_kept;

static void close_team(mco_context *ctx, mco_team **team)
{
    if (*team != NULL) {
        (*team)->ctx = ctx;  // the one that opened it may be gone
        mco_team_close(*team);
    }
    mco_free(ctx, team);
}

mco_status paths_kept_open(mco_context *ctx, struct paths_kept **out)
{
    mco_status st = MCO_OK;
    paths_kept *k = NULL;
    MCO_TRY(mco_alloc(ctx, &k, 1));
    k->owner = ctx;
    atomic_store(&k->proven, -1);
    pthread_mutex_init(&k->lock, NULL);
    *out = k;
done:
    return st;
}

void paths_kept_close(mco_context *ctx, struct paths_kept **kept)
{
    paths_kept *k = *kept;
    if (k != NULL) {
        paths_sweep_close(ctx, &k->sweep);
        paths_crew_close(ctx, &k->crew);
        close_team(ctx, &k->team);
        pthread_mutex_destroy(&k->lock);
    }
    mco_free(ctx, kept);
}

static paths_kept *kept_of(const mco_context *ctx, const mco_paths_hierarchy *h)
{
    return h->kept != NULL && h->kept->owner == ctx ? h->kept : NULL;
}

// ---- Sweeps

static void exchange_sweeps(paths_kept *k, paths_sweep **sweep)
{
    pthread_mutex_lock(&k->lock);
    paths_sweep *kept = k->sweep;
    k->sweep = *sweep;
    pthread_mutex_unlock(&k->lock);
    *sweep = kept;
}

mco_status paths_sweep_take(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_sweep **out)
{
    mco_status st = MCO_OK;
    const paths_lanes *lanes;
    paths_sweep *sweep = NULL;
    paths_kept *k = kept_of(ctx, hierarchy);
    MCO_TRY(paths_lanes_find(ctx, simd, &lanes));
    if (k != NULL)
        exchange_sweeps(k, &sweep);
    if (sweep != NULL && paths_sweep_lanes(sweep) != lanes)
        paths_sweep_close(ctx, &sweep);
    if (sweep == NULL)
        MCO_TRY(paths_sweep_open(ctx, hierarchy, simd, &sweep));
    else
        paths_sweep_refresh(sweep);
    *out = sweep;
done:
    return st;
}

void paths_sweep_give(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_sweep **sweep)
{
    paths_kept *k = kept_of(ctx, hierarchy);
    if (k != NULL && *sweep != NULL)
        exchange_sweeps(k, sweep);
    paths_sweep_close(ctx, sweep);  // what another call has given back meanwhile, or what nothing keeps
}

// ---- Crews

static void exchange_crews(paths_kept *k, paths_crew **crew)
{
    pthread_mutex_lock(&k->lock);
    paths_crew *kept = k->crew;
    k->crew = *crew;
    pthread_mutex_unlock(&k->lock);
    *crew = kept;
}

static mco_status make_spare(mco_context *ctx, const mco_paths_hierarchy *h, const int32_t *weight, int32_t threads, mco_simd simd,
                             const paths_limits *limits, paths_metric *spare)
{
    mco_status st = MCO_OK;
    paths_crew *crew = NULL;
    const paths_topology *t = &h->topology;
    paths_kept *k = kept_of(ctx, h);
    const int32_t workers = paths_metric_threads(t, threads);
    if (workers == 1 || k == NULL)
        return paths_metric_make_on(ctx, t, h->triangle, weight, workers, simd, limits, spare);
    exchange_crews(k, &crew);
    if (crew != NULL && paths_crew_threads(crew) != workers)
        paths_crew_close(ctx, &crew);
    if (crew == NULL)
        MCO_TRY(paths_crew_open(ctx, t, workers, &crew));
    st = paths_metric_make_by(ctx, crew, h->triangle, weight, simd, limits, spare);
    exchange_crews(k, &crew);
done:
    paths_crew_close(ctx, &crew);
    return st;
}

static void copy_metric(const paths_topology *t, const paths_metric *from, paths_metric *to)
{
    memcpy(to->pair, from->pair, 2 * (size_t)t->arcs * sizeof *to->pair);
    memcpy(to->up, from->up, (size_t)t->arcs * sizeof *to->up);
    memcpy(to->down, from->down, (size_t)t->arcs * sizeof *to->down);
}

// The spare belongs to the hierarchy's own context; calls with another one make theirs.
mco_status paths_metric_remake(mco_context *ctx, mco_paths_hierarchy *hierarchy, const int32_t *weight, int32_t threads, mco_simd simd,
                               const paths_limits *limits)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &hierarchy->topology;
    const bool is_owner = kept_of(ctx, hierarchy) != NULL;
    paths_metric other = {0}, *spare = is_owner ? &hierarchy->spare : &other;
    if (spare->pair == NULL)
        MCO_TRY(paths_metric_open(ctx, t, spare));
    MCO_TRY(make_spare(ctx, hierarchy, weight, threads, simd, limits, spare));
    if (is_owner) {
        const paths_metric was = hierarchy->metric;
        hierarchy->metric = hierarchy->spare;
        hierarchy->spare = was;
    } else {
        copy_metric(t, spare, &hierarchy->metric);
    }
    hierarchy->metric_number++;
done:
    paths_metric_clear(ctx, &other);
    return st;
}

// ---- Teams

static void exchange_teams(paths_kept *k, mco_team **team)
{
    pthread_mutex_lock(&k->lock);
    mco_team *kept = k->team;
    k->team = *team;
    pthread_mutex_unlock(&k->lock);
    *team = kept;
}

mco_status paths_team_take(mco_context *ctx, const mco_paths_hierarchy *hierarchy, int32_t workers, mco_team **out)
{
    mco_status st = MCO_OK;
    mco_team *team = NULL;
    paths_kept *k = kept_of(ctx, hierarchy);
    if (k != NULL)
        exchange_teams(k, &team);
    if (team != NULL && team->workers != workers)
        close_team(ctx, &team);
    if (team == NULL) {
        MCO_TRY(mco_alloc(ctx, &team, 1));
        MCO_TRY(mco_team_open(ctx, workers, true, team));
    }
    *out = team;
    team = NULL;
done:
    close_team(ctx, &team);
    return st;
}

void paths_team_give(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_team **team)
{
    paths_kept *k = kept_of(ctx, hierarchy);
    if (k != NULL && *team != NULL)
        exchange_teams(k, team);
    close_team(ctx, team);
}

// ---- Proofs

bool paths_kept_is_proven(const mco_paths_hierarchy *hierarchy)
{
    return hierarchy->kept != NULL && atomic_load(&hierarchy->kept->proven) == hierarchy->metric_number;
}

bool paths_kept_has_proven(const mco_paths_hierarchy *hierarchy)
{
    return hierarchy->kept != NULL && atomic_load(&hierarchy->kept->proven) >= 0;
}

void paths_kept_note_proven(const mco_paths_hierarchy *hierarchy)
{
    if (hierarchy->kept != NULL)
        atomic_store(&hierarchy->kept->proven, hierarchy->metric_number);
}
