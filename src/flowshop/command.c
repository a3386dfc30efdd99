// SPDX-License-Identifier: MIT
// mco flowshop solve | work | check | bound | generate
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ranks.h"
#include "cli/frame.h"
#include "flowshop/cluster/cluster.h"
#include "flowshop/instance.h"

// Opens a file. If no such file exists, `name` can be the name of one of Taillard's instances.
static mco_status open_instance(mco_context *ctx, const char *name, int64_t which, mco_flowshop **out)
{
    const bool is_file = strcmp(name, "-") == 0 || access(name, F_OK) == 0;
    const bool is_taillard = strlen(name) == 5 && strncasecmp(name, "ta", 2) == 0 && strspn(name + 2, "0123456789") == 3;
    if (!is_file && is_taillard && which > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is one instance, number %lld was asked for", name, (long long)which);
    if (!is_file && is_taillard)
        return mco_flowshop_taillard(ctx, name, out);
    return mco_flowshop_read(ctx, name, (int32_t)which, out);
}

// ---- solve, check and bound: one state

#define FILE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    INTEGER(instance, "--instance", 0, 1, 1000000, 0, "K", "instance K of a file that holds several, from 1")
#define BOUND_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG) \
    CHOICE(lower_bound, "--bound", mco_flowshop_bound, MCO_FLOWSHOP_BOUND_LB1, "auto|lb1|lb2", "lower bound")   \
    REAL(bound_limit_s, "--time-limit", HUGE_VAL, 0, HUGE_VAL, HUGE_VAL, "S", "stop after S seconds of wall clock")

// A worker is given up long after its last ping: it pings once a second. Then another does its work again.
#define STATION_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    INTEGER(listen, "--listen", -1, 1, 65535, -1, "PORT", "only coordinate: `mco flowshop work` on any machines searches") \
    TEXT(key, "--key", "F", "with --listen: the key that the workers have too; made if there is none")                  \
    REAL(silence_s, "--silence", 15, 2, 1e6, -1, "S", "a worker that is silent for S seconds is lost; with --listen, or for ranks of a launcher")

typedef struct session {
    mco_flowshop *shop;
    mco_flowshop_params params;
    MCO_FIELDS(FILE_OPTIONS)
    MCO_FIELDS(BOUND_OPTIONS)
    MCO_FIELDS(STATION_OPTIONS)
    mco_flowshop_result result;
    int32_t *order;   // [jobs] read from a file: the start of `solve`, or the order to check
    double makespan;  // as that file states it; NaN if it does not
    flowshop_crew crew;  // of a search by others
} session;

#define MCO_OPTION_STRUCT session
static const mco_option file_records[] = {MCO_OPTION_RECORDS(FILE_OPTIONS)};
static const mco_option bound_records[] = {MCO_OPTION_RECORDS(BOUND_OPTIONS)};
static const mco_option station_records[] = {MCO_OPTION_RECORDS(STATION_OPTIONS)};
static const mco_option_table station_options = MCO_OPTION_TABLE(station_records);
static const mco_option_table file_options = MCO_OPTION_TABLE(file_records), bound_options = MCO_OPTION_TABLE(bound_records);

static void begin(void *state)
{
    *(session *)state = (session){.params = MCO_FLOWSHOP_PARAMS_INIT, .result = MCO_FLOWSHOP_RESULT_INIT, .listen = -1,
                                  .silence_s = 15};
}

static void solve_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_flowshop_options(), &((session *)state)->params};
    out[1] = (mco_option_values){&file_options, state};
    out[2] = (mco_option_values){&station_options, state};
}

static void check_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&file_options, state};
}

static void bound_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&bound_options, state};
    out[1] = (mco_option_values){&file_options, state};
}

static mco_status open(cli_call *call)
{
    session *s = call->state;
    return open_instance(call->ctx, call->inputs[0], s->instance, &s->shop);
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_flowshop_result_clear(call->ctx, &s->result);
    mco_free(call->ctx, &s->order);
    mco_flowshop_destroy(call->ctx, &s->shop);
}

static mco_status read_order(cli_call *call, const char *path)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    MCO_TRY(mco_alloc(call->ctx, &s->order, mco_flowshop_jobs(s->shop)));
    MCO_TRY(mco_flowshop_read_solution(call->ctx, s->shop, path, s->order, &s->makespan));
    s->params.start = s->order;
done:
    return st;
}

static const char *const *more_inputs(const void *state, int64_t *count)
{
    *count = 1;
    return &((const session *)state)->params.resume;
}

static void more_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const session *)state)->params.checkpoint;
}

// Whether the file, or the one before it, is that of `seen`.
static bool is_checkpoint(const char *path, const struct stat *seen)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == seen->st_dev && other.st_ino == seen->st_ino;
}

// A checkpoint may hold the work of days. A search that does not go on with it leaves it alone.
static mco_status spare_checkpoint(cli_call *call)
{
    const mco_flowshop_params *p = &((const session *)call->state)->params;
    struct stat resumed, seen;
    char before[PATH_MAX];
    const char *const files[2] = {p->checkpoint, before};
    if (p->checkpoint == NULL || snprintf(before, sizeof before, "%s.prev", p->checkpoint) >= (int)sizeof before)
        return MCO_OK;  // none, or a name that nothing can have
    if (p->resume != NULL && strcmp(p->resume, p->checkpoint) == 0)
        return MCO_OK;  // if it is missing, who reads it says so
    if (p->resume != NULL && stat(p->resume, &resumed) == 0 && (is_checkpoint(files[0], &resumed) || is_checkpoint(files[1], &resumed)))
        return MCO_OK;
    for (int k = 0; k < 2; k++)
        if (stat(files[k], &seen) == 0 && S_ISREG(seen.st_mode) && seen.st_size > 0)
            return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is there, and this search would replace it: --resume %s goes on with an earlier search; "
                            "to begin anew remove %s and %s, or give --checkpoint another path", files[k], files[k], files[0], files[1]);
    return MCO_OK;
}

#ifdef MCO_HAVE_MPI
static const double BYE_S = 3;      // for the last words of ranks, where one was lost before
static const double SAY_S = 0.1;    // between two last words of a worker
static const double LEAVE_S = 3600; // a worker that fails says so at once, and rank 0 may search on
static const double RETURN_S = 30;  // a worker waits so long for a coordinator that has fallen silent, and rank 0 for workers beyond their silence

// The last words, of one byte. A worker says ALL. Rank 0 answers with it, with SOME if a rank is missing, or with NONE if all ranks left before
// the end of the search: then what has failed there is the result. During the search the answer is FLOWSHOP_LATER.
static const uint8_t ALL = 0, SOME = 1, NONE = 2;

// Rank 0: waits for the last word of each other rank. One that does not answer would hold up all at the end of MPI.
static mco_status part(cli_call *call, mco_channel *channel, double wait_s)
{
    mco_status st = MCO_OK;
    mco_ranks *ranks = call->ctx->ranks;
    bool *has_said = NULL;
    int missing = ranks->count - 1;
    const double end_s = mco_clock_s() + wait_s;
    MCO_TRY(mco_alloc(call->ctx, &has_said, ranks->count));
    while (missing > 0 && mco_clock_s() < end_s) {
        const uint8_t *data;
        uint64_t peer;
        int64_t size;
        MCO_TRY(channel->receive(channel->self, 0.1, &peer, &data, &size));
        if (size != 1 || has_said[peer])
            continue;
        has_said[peer] = true;
        missing--;
    }
    if (missing > 0)
        mco_log(call->ctx, MCO_LOG_WARNING, "%d rank%s not answered: the job ends without", missing, missing > 1 ? "s have" : " has");
    ranks->have_parted = ranks->must_abort = missing > 0;
    const uint8_t word = missing > 0 ? SOME : ((session *)call->state)->crew.have_all_left ? NONE : ALL;
    for (uint64_t r = 1; r < (uint64_t)ranks->count; r++)
        MCO_TRY(channel->send(channel->self, r, &word, 1));
done:
    mco_free(call->ctx, &has_said);
    return st;
}

// A worker: says its last word, and takes that of rank 0. `failure` of this rank is the job's only if nobody has searched to the end.
static mco_status take_leave(cli_call *call, mco_channel *channel, double wait_s, mco_status failure)
{
    mco_status st = MCO_OK;
    mco_ranks *ranks = call->ctx->ranks;
    const uint8_t *data = NULL;
    uint64_t peer;
    int64_t size = -1;
    double end_s = mco_clock_s() + wait_s;
    while (size != 1 && mco_clock_s() < end_s) {  // again and again: the end of a search takes in what others send
        MCO_TRY(channel->send(channel->self, 0, &ALL, 1));
        for (size = 0; size >= 0 && size != 1;) {
            MCO_TRY(channel->receive(channel->self, SAY_S, &peer, &data, &size));
            if (size == 1 && data[0] == FLOWSHOP_LATER) {
                end_s = mco_clock_s() + wait_s;
                size = 0;
            }
        }
    }
    ranks->have_parted = size != 1 || data[0] == SOME;
    ranks->must_leave = size == 1 && data[0] == SOME;
    ranks->must_abort = size != 1;
    st = size != 1 || data[0] == NONE ? failure : MCO_OK;
done:
    return st;
}

static mco_status coordinate_ranks(cli_call *call, flowshop_station *station)
{
    session *s = call->state;
    mco_status st = spare_checkpoint(call);
    if (st == MCO_OK)
        st = flowshop_solve_at(call->ctx, s->shop, &s->params, station, &s->result);
    const mco_status dismissed = flowshop_dismiss(call->ctx, &station->channel, 1, (uint64_t)mco_rank_count(call->ctx) - 1);
    st = st == MCO_OK ? dismissed : st;
    const mco_status parted = part(call, &station->channel, s->crew.lost > 0 ? BYE_S : s->silence_s);
    return st == MCO_OK ? parted : st;
}

// Where the coordinator has fallen silent there is nobody to agree with.
static mco_status work_as_rank(cli_call *call, mco_channel *channel)
{
    session *s = call->state;
    flowshop_work_done done;
    flowshop_work_order order = {.params = s->params, .shop = s->shop, .period_s = 5, .silence_s = s->silence_s, .patience_s = 1e6,
                                 .return_s = RETURN_S};
    order.params.checkpoint = order.params.resume = order.params.interval = NULL;
    order.params.gap = 0;
    mco_status st = flowshop_work(call->ctx, &order, channel, &done);
    if (st == MCO_ERR_IO) {
        call->ctx->ranks->have_parted = call->ctx->ranks->must_abort = true;
        return st;
    }
    if (st != MCO_OK)
        fprintf(stderr, "mco: rank %d takes no part: %s\n", mco_rank(call->ctx), mco_context_error(call->ctx));
    return take_leave(call, channel, st == MCO_OK ? RETURN_S + s->silence_s : LEAVE_S, st);
}

// Rank 0 coordinates, the others search.
static mco_status solve_by_ranks(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    flowshop_station station = {.silence_s = s->silence_s, .crew = &s->crew, .ranks = mco_rank_count(call->ctx) - 1,
                                .alone_s = s->silence_s + RETURN_S};
    MCO_TRY(mco_mpi_channel(call->ctx, &station.channel));
    st = mco_rank(call->ctx) == 0 ? coordinate_ranks(call, &station) : work_as_rank(call, &station.channel);
    station.channel.close(call->ctx, station.channel.self);
done:
    return st;
}
#endif

// One command begins a search and goes on with it: --resume and --checkpoint name the same file, which is not there at first.
static void forget_missing_checkpoint(cli_call *call)
{
    struct stat seen;
    char before[PATH_MAX];
    mco_flowshop_params *p = &((session *)call->state)->params;
    if (p->resume == NULL || p->checkpoint == NULL || strcmp(p->resume, p->checkpoint) != 0 || stat(p->resume, &seen) == 0 || errno != ENOENT)
        return;
    const int length = snprintf(before, sizeof before, "%s.prev", p->resume);
    if (length >= (int)sizeof before || stat(before, &seen) == 0)
        return;  // the one before is there: whoever reads it says so
    mco_log(call->ctx, MCO_LOG_INFO, "there is no %s yet: the search begins anew", p->resume);
    p->resume = NULL;
}

static mco_status solve(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    flowshop_station station = {.silence_s = s->silence_s, .crew = &s->crew};
    if (s->listen < 0 && (s->key != NULL || (cli_has(call, "--silence") && mco_rank_count(call->ctx) == 1)))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--key and --silence are for --listen PORT, --silence also for ranks of a launcher");
    if (s->listen >= 0 && s->params.gpus != NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--gpus is for workers: mco flowshop work --gpus %s", s->params.gpus);
    forget_missing_checkpoint(call);
#ifdef MCO_HAVE_MPI
    if (mco_rank_count(call->ctx) > 1 && s->listen >= 0)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--listen is for one process, and a launcher started %d",
                        mco_rank_count(call->ctx));
    if (mco_rank_count(call->ctx) > 1)
        return solve_by_ranks(call);
#endif
    MCO_TRY(spare_checkpoint(call));
    if (s->listen < 0)
        return mco_flowshop_solve(call->ctx, s->shop, &s->params, &s->result);
    MCO_TRY(mco_zmq_listen(call->ctx, s->listen, s->key, &station.channel));
    mco_log(call->ctx, MCO_LOG_INFO, "listens on port %lld for: mco flowshop work --join HOST:%lld --key %s",
            (long long)s->listen, (long long)s->listen, s->key);
    st = flowshop_solve_at(call->ctx, s->shop, &s->params, &station, &s->result);
    station.channel.close(call->ctx, station.channel.self);
done:
    return st;
}

static const char *units(const session *s, int64_t value, char text[FLOWSHOP_UNITS_TEXT])
{
    return flowshop_units_text(s->shop, value, text);
}

// A proof that no schedule is shorter than --upper-bound is an answer too.
static bool is_usable(const void *state)
{
    return ((const session *)state)->result.outcome != MCO_OUTCOME_UNKNOWN;
}

static bool has_solution(const void *state)
{
    return ((const session *)state)->result.order != NULL;
}

static mco_status write_result(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_flowshop_write_result(call->ctx, s->shop, &s->params, &s->result, more, path);
}

static mco_status write_solution(cli_call *call, const void *incumbent, double objective, const char *path)
{
    const session *s = call->state;
    const mco_flowshop_solution *found = incumbent;
    (void)objective;
    if (!cli_ends_with(path, ".csv"))
        return mco_flowshop_write_order(call->ctx, s->shop, found != NULL ? found->order : s->result.order, path);
    // A table may have many million rows, so it is written once.
    return found != NULL ? MCO_OK : mco_flowshop_write_schedule(call->ctx, s->shop, s->result.order, path);
}

static mco_status plot(cli_call *call, const char *path)
{
    const session *s = call->state;
    return mco_flowshop_plot_result(call->ctx, s->shop, &s->result, path);
}

// What makes a search fail that has an answer all the same. The library writes the last checkpoint, and has told why it could not.
static mco_status tell_failures(cli_call *call)
{
    const session *s = call->state;
    if (s->result.is_checkpoint_lost)
        return MCO_ERR_IO;
    return !s->crew.is_deserted ? MCO_OK
           : mco_fail(call->ctx, MCO_ERR_IO, "no rank searched any more, and no other can join%s",
                      s->params.checkpoint != NULL ? ": the checkpoint has what is left" : "");
}

static void print_values(const session *s)
{
    const mco_flowshop_result *r = &s->result;
    int64_t best, best_bound;
    char text[FLOWSHOP_UNITS_TEXT];
    mco_flowshop_best_known(s->shop, &best, &best_bound);
    if (r->makespan >= 0) {
        printf("makespan   %s", units(s, r->makespan, text));
        if (best > 0)
            printf("   best known %s", units(s, best, text));
        printf("\n");
    }
    printf("bound      %s", units(s, r->bound, text));
    if (r->makespan > 0)
        printf("   gap %.2f%%", 100.0 * (double)(r->makespan - r->bound) / (double)r->makespan);
    printf("\n");
}

// Jobs by name. A statement stands before them where a name could be taken for the number of a row.
static void print_order(const mco_flowshop *shop, const int32_t *order)
{
    if (shop->has_numbers)
        printf("ids        names\n");
    printf("order     ");
    for (int32_t k = 0; k < shop->jobs; k++) {
        fputc(' ', stdout);
        flowshop_write_name(shop, order[k], stdout);
    }
    printf("\n");
}

static mco_status print(cli_call *call)
{
    const session *s = call->state;
    const mco_flowshop_result *r = &s->result;
    const int32_t n = mco_flowshop_jobs(s->shop), m = mco_flowshop_machines(s->shop);
    const double tree_s = r->work.solve_s - r->heuristic_s;
    printf("instance   %s, %d job%s, %d machine%s\n", mco_flowshop_name(s->shop), n, mco_plural(n), m, mco_plural(m));
    cli_print_outcome(r->outcome, r->stop, r->reason);
    print_values(s);
    if (r->nodes > 0)
        printf("nodes      %lld decomposed, %lld leaves, %.2f M nodes/s\n", (long long)r->nodes, (long long)r->leaves,
               tree_s > 0 ? (double)(r->nodes - r->nodes_resumed) / tree_s * 1e-6 : 0.0);
    printf("time       %.3f s, ", r->work.solve_s);
    if (s->crew.workers > 0)
        printf("%lld worker%s at a time, worth %lld core%s", (long long)s->crew.workers, mco_plural(s->crew.workers),
               (long long)s->crew.cores, mco_plural(s->crew.cores));
    else
        cli_print_engine(call->ctx, &r->work);
    if (r->heuristic_s > 0)
        printf(", %.3f s of it the heuristic", r->heuristic_s);
    printf("\n");
    if (r->order != NULL)
        print_order(s->shop, r->order);
    return MCO_OK;
}

// An order fails the check if it is no permutation, or if its makespan is not the one that its file states.
static mco_status check(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    int64_t makespan;
    char text[FLOWSHOP_UNITS_TEXT];
    MCO_TRY(mco_flowshop_check(call->ctx, s->shop, s->order, s->shop->jobs, &makespan));
    if (!isnan(s->makespan) && s->makespan != flowshop_units(s->shop, makespan))
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_CHECK, "the makespan of the order is %s, its file states %.15g",
                         units(s, makespan, text), s->makespan));
    printf("valid: makespan %s\n", units(s, makespan, text));
    if (s->shop->has_names)
        print_order(s->shop, s->order);
done:
    return st;
}

static void begin_bound(void *state)
{
    begin(state);
    ((session *)state)->lower_bound = MCO_FLOWSHOP_BOUND_LB1;
    ((session *)state)->bound_limit_s = HUGE_VAL;
}

// The time limit counts from the start of the process, as that of solve does.
static mco_status bound(cli_call *call)
{
    mco_status st = MCO_OK;
    const session *s = call->state;
    int64_t value;
    mco_stop stop;
    char text[FLOWSHOP_UNITS_TEXT];
    cli_catch_signals(call->ctx);
    const double left_s = fmax(0, s->bound_limit_s - (mco_clock_s() - call->ctx->created_s));
    MCO_TRY(mco_flowshop_lower_bound_within(call->ctx, s->shop, s->lower_bound, left_s, &value, &stop));
    printf("%s: makespan >= %s (%s", s->shop->name, units(s, value, text),
           s->lower_bound == MCO_FLOWSHOP_BOUND_LB2 ? "lb2" : "lb1");
    if (stop != MCO_STOP_FINISHED)
        printf(", not all pairs: stopped, %s", mco_stop_text(stop));
    printf(")\n");
done:
    return st;
}

// ---- work

#define WORK_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                               \
    TEXT(join, "--join", "HOST:PORT", "where the coordinator listens")                                               \
    TEXT(key, "--key", "F", "the key file of the coordinator")                                                       \
    CHOICE(engine, "--engine", mco_engine, MCO_ENGINE_AUTO, MCO_ENGINE_CHOICES "|hybrid",                           \
           "what computes; auto: the GPUs if there are any, else the cores")                                        \
    MCO_PROCESSOR_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                         \
    REAL(period_s, "--report", 5, 0.05, 3600, -1, "S", "seconds between two reports: at most so much is ever lost")  \
    REAL(silence_s, "--silence", 15, 2, 1e6, -1, "S", "join again if the coordinator is silent for S seconds")       \
    REAL(patience_s, "--patience", 60, 1, 1e9, -1, "S", "end if no coordinator answers for S seconds")

typedef struct labour {
    MCO_FIELDS(WORK_OPTIONS)
    mco_flowshop *shop;  // NULL: any
} labour;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT labour
static const mco_option work_records[] = {MCO_OPTION_RECORDS(WORK_OPTIONS)};
static const mco_option_table work_options = MCO_OPTION_TABLE(work_records);

static void begin_work(void *state)
{
    *(labour *)state = (labour){.period_s = 5, .silence_s = 15, .patience_s = 60};
}

static void work_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&work_options, state};
}

static mco_status open_work(cli_call *call)
{
    return call->input_count > 0 ? open_instance(call->ctx, call->inputs[0], 0, &((labour *)call->state)->shop) : MCO_OK;
}

static mco_status work(cli_call *call)
{
    mco_status st = MCO_OK;
    const labour *w = call->state;
    mco_channel channel = {0};
    flowshop_work_done done;
    flowshop_work_order order = {.params = MCO_FLOWSHOP_PARAMS_INIT, .shop = w->shop, .period_s = w->period_s,
                                 .silence_s = w->silence_s, .patience_s = w->patience_s};
    if (w->join == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--join HOST:PORT is missing: where a coordinator listens");
    if (w->engine == MCO_ENGINE_REFERENCE)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--engine is reference, but a worker has auto, cpu, gpu or hybrid");
    order.params.engine = w->engine;
    order.params.threads = w->threads;
    order.params.gpus = w->gpus;
    order.params.simd = w->simd;
    cli_catch_signals(call->ctx);
    MCO_TRY(mco_zmq_join(call->ctx, w->join, w->key, &channel));
    st = flowshop_work(call->ctx, &order, &channel, &done);
    channel.close(call->ctx, channel.self);
    MCO_TRY(st);
    printf("%s: %lld nodes decomposed here, %.1f s, %.1f%% of it idle; joined again %lld times\n",
           done.has_left ? "left" : "search over", (long long)done.nodes, done.work_s,
           done.work_s > 0 ? 100 * done.idle_s / done.work_s : 0.0, (long long)done.rejoins);
done:
    return st;
}

static void end_work(cli_call *call)
{
    mco_flowshop_destroy(call->ctx, &((labour *)call->state)->shop);
}

// ---- generate

#define GENERATE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                     \
    TEXT(taillard, "--taillard", "taNNN", "one of Taillard's instances")                                       \
    INTEGER(jobs, "--jobs", -1, 0, MCO_FLOWSHOP_MAX_JOBS, -1, "N", "jobs of a random instance")               \
    INTEGER(machines, "--machines", -1, 1, MCO_FLOWSHOP_MAX_MACHINES, -1, "M", "machines of a random instance") \
    INTEGER(seed, "--seed", -1, 1, 2147483646, -1, "K", "seed of a random instance, 1 if not given")

typedef struct generation {
    MCO_FIELDS(GENERATE_OPTIONS)
    cli_generated file;
    mco_flowshop *shop;
} generation;
#undef MCO_OPTION_STRUCT
#define MCO_OPTION_STRUCT generation
static const mco_option generate_records[] = {MCO_OPTION_RECORDS(GENERATE_OPTIONS)};
static const mco_option_table generate_options = MCO_OPTION_TABLE(generate_records);

static void begin_generation(void *state)
{
    *(generation *)state = (generation){.jobs = -1, .machines = -1, .seed = -1};
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){&generate_options, state};
    out[1] = (mco_option_values){&cli_generated_options, &((generation *)state)->file};
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    generation *g = call->state;
    if (g->taillard != NULL && (g->jobs >= 0 || g->machines >= 0 || g->seed >= 0))
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT,
                         "--taillard has its own sizes and seed: leave out --jobs, --machines and --seed"));
    if (g->taillard == NULL && (g->jobs < 0 || g->machines < 0))
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "give --taillard, or --jobs and --machines"));
    if (g->taillard != NULL)
        MCO_TRY(mco_flowshop_taillard(call->ctx, g->taillard, &g->shop));
    else
        MCO_TRY(mco_flowshop_generate(call->ctx, (int32_t)g->jobs, (int32_t)g->machines, g->seed < 0 ? 1 : (int32_t)g->seed,
                                      &g->shop));
    MCO_TRY(mco_flowshop_write(call->ctx, g->shop, cli_generated_path(&g->file)));
done:
    return st;
}

static void end_generation(cli_call *call)
{
    mco_flowshop_destroy(call->ctx, &((generation *)call->state)->shop);
}

const cli_problem cli_flowshop = {
    .name = "flowshop",
    .text = "permutation flow shop, makespan: proven optimum and Gantt chart",
    .about = "The permutation flow shop: n jobs, m machines, one job order; find the least makespan.\n\n"
             "INSTANCE is a file (Taillard, VRF or CSV format, plain or gzip, - for standard input), or\n"
             "ta001 to ta120 for Taillard's instances. SOLUTION is an order of jobs or a result file.",
    .example = "solve examples/workshop.csv --plot gantt.svg",
    .csv = {{"CSV of INSTANCE: a header, then a row for each job (cells by , ; or tab):",
             {{"first column", "name of the job; its header may be anything"},
              {"other columns", "times on a machine, integers 0 to 1000000; the header is the machine's name"}}}},
    .actions = {
        {.name = "solve", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1, .state_bytes = sizeof(session),
         .begin = begin, .tables = solve_tables, .open = open, .more_inputs = more_inputs, .more_outputs = more_outputs,
         .start_text = "begin with the order in F", .read_start = read_order, .ranks = CLI_RANKS_COORDINATED, .solve = solve, .is_usable = is_usable,
         .has_solution = has_solution, .write_result = write_result,
         .solution_text = "write the order, anew at improvements and at the end; F.csv: the schedule as a table, at the end",
         .write_solution = write_solution,
         .plot_text = "draw the schedule as a Gantt chart", .plot = plot, .objective = "makespan",
         .history = offsetof(session, result.history), .history_count = offsetof(session, result.history_count),
         .write_more = tell_failures, .print = print, .end = end},
        {.name = "work", .ranks = CLI_RANKS_EACH, .arguments = "--join HOST:PORT --key F [OPTIONS] [INSTANCE]", .most = 1,
         .text = "Search for `solve --listen PORT` of another process, from any machine. Workers may come and go: SIGTERM\n"
                 "reports first. With INSTANCE, a coordinator of another one is refused.",
         .state_bytes = sizeof(labour), .begin = begin_work, .tables = work_tables, .open = open_work, .run = work, .end = end_work},
        {.name = "check", .arguments = "[--instance K] INSTANCE SOLUTION", .least = 2, .most = 2,
         .state_bytes = sizeof(session), .begin = begin, .tables = check_tables, .open = open,
         .read_solution = read_order, .check = check, .end = end},
        {.name = "bound", .arguments = "[--bound lb1|lb2] [--time-limit S] [--instance K] INSTANCE", .least = 1, .most = 1,
         .state_bytes = sizeof(session), .begin = begin_bound, .tables = bound_tables, .open = open, .run = bound,
         .end = end},
        {.name = "generate", .arguments = "--taillard taNNN | --jobs N --machines M [--seed K] [--output F]",
         .state_bytes = sizeof(generation), .begin = begin_generation, .tables = generate_tables, .run = generate,
         .end = end_generation},
    },
};
