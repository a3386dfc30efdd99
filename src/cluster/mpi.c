// SPDX-License-Identifier: MIT
// The collectives over MPI. A wait tests, yields, and naps where others take long: ranks may be more than processors, and one
// that waits leaves them to the others. MPI's errors end all processes, as is MPI's default.
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/channel.h"
#include "cluster/cluster.h"
#include "mco/version.h"

static const double YIELD_S = 1e-3;  // of a wait, before the first nap
enum { NAP_NS = 100000 };

// Of this process: MPI itself is one in a process.
static struct {
    mco_ranks ranks;
    cluster_place place;
    int machine_count;
    int *counts, *begins;  // [ranks] of a gather, in bytes or in words
} cluster;

// Ends when all ranks have called (base/ranks.h), or by a signal.
static void wait_for(MPI_Request *request)
{
    int is_done = 0;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    const double nap_from_s = mco_clock_s() + YIELD_S;
    for (MPI_Test(request, &is_done, MPI_STATUS_IGNORE); !is_done; MPI_Test(request, &is_done, MPI_STATUS_IGNORE))
        if (mco_clock_s() < nap_from_s)
            sched_yield();
        else
            nanosleep(&nap, NULL);
}

enum { PIECE = 1 << 28 };  // items of a message: MPI counts with int

static bool reduce(void *user, void *data, int64_t count, mco_reduction how)
{
    (void)user;
    const MPI_Op op = how == MCO_REDUCE_SUM ? MPI_SUM : how == MCO_REDUCE_MAX ? MPI_MAX : MPI_MIN;
    const MPI_Datatype type = how == MCO_REDUCE_LEAST ? MPI_DOUBLE : MPI_INT64_T;
    for (int64_t at = 0; at < count; at += PIECE) {
        MPI_Request request;
        const int size = (int)(count - at < PIECE ? count - at : PIECE);
        MPI_Iallreduce(MPI_IN_PLACE, (int64_t *)data + at, size, type, op, MPI_COMM_WORLD, &request);  // both types have 8 bytes
        wait_for(&request);
    }
    return true;
}

static bool broadcast(void *user, void *data, int64_t bytes, int root)
{
    (void)user;
    for (int64_t at = 0; at < bytes; at += PIECE) {
        MPI_Request request;
        const int size = (int)(bytes - at < PIECE ? bytes - at : PIECE);
        MPI_Ibcast((char *)data + at, size, MPI_BYTE, root, MPI_COMM_WORLD, &request);
        wait_for(&request);
    }
    return true;
}

// Beyond what MPI can count, each rank sends its part to all.
static bool gather(void *user, void *data, const int64_t *first)
{
    const int ranks = cluster.ranks.count;
    MPI_Request request;
    if (first[ranks] > INT32_MAX) {
        for (int r = 0; r < ranks; r++)
            broadcast(user, (char *)data + first[r], first[r + 1] - first[r], r);
        return true;
    }
    for (int r = 0; r < ranks; r++) {
        cluster.counts[r] = (int)(first[r + 1] - first[r]);
        cluster.begins[r] = (int)first[r];
    }
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, cluster.counts, cluster.begins, MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return true;
}

static mco_status open_channel(void *user, mco_context *ctx, mco_channel *out)
{
    (void)user;
    return mco_mpi_channel(ctx, out);
}

// Divides the machine among the processes that it has. A coordinator, the first of its machine, takes no part, and may use all of it.
static mco_status settle_on_machine(mco_context *ctx, bool is_coordinated)
{
    MPI_Comm machine;
    int which, count, skipped = is_coordinated && cluster.ranks.rank == 0;
    cpu_set_t *masks = NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &which);
    MPI_Comm_size(machine, &count);
    const mco_status st = mco_alloc(ctx, &masks, count);
    if (st != MCO_OK)
        return st;
    sched_getaffinity(0, sizeof masks[which], &masks[which]);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, masks, (int)sizeof *masks, MPI_BYTE, machine);
    MPI_Barrier(machine);
    MPI_Bcast(&skipped, 1, MPI_INT, 0, machine);
    if (which < skipped)
        cluster.place = (cluster_place){.processors = mco_cpu_count()};
    else
        cluster.place = cluster_take_place(masks + skipped, count - skipped, which - skipped);
    const int is_first = which == 0;
    MPI_Allreduce(&is_first, &cluster.machine_count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mco_free(ctx, &masks);
    MPI_Comm_free(&machine);
    return MCO_OK;
}

mco_status cluster_mpi_begin(mco_context *ctx, const cluster_launch *launch, bool is_coordinated)
{
    mco_status st = MCO_OK;
    int level, rank, count;
    // With more ranks than slots Open MPI yields in each call that finds nothing. A busy explorer then keeps the processor for milliseconds.
    // A search looks in passing, and its waits nap.
    if (is_coordinated)
        setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count != launch->count) {
        MPI_Finalize();
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the launcher started %d processes (%s), and MPI knows of %d: it is no launcher of the "
                        "MPI that this mco is built with", launch->count, launch->variable, count);
    }
    if (level < MPI_THREAD_FUNNELED)
        st = mco_fail(ctx, MCO_ERR_ARGUMENT, "this MPI does not allow threads beside the one that calls it");
    cluster.ranks = (mco_ranks){.rank = rank, .count = count, .reduce = reduce, .gather = gather, .broadcast = broadcast,
                                .open_channel = open_channel};
    ctx->ranks = &cluster.ranks;
    if (st == MCO_OK)
        st = settle_on_machine(ctx, is_coordinated);
    cluster.counts = calloc((size_t)count, sizeof *cluster.counts);
    cluster.begins = calloc((size_t)count, sizeof *cluster.begins);
    if (st == MCO_OK && (cluster.counts == NULL || cluster.begins == NULL))
        st = mco_fail(ctx, MCO_ERR_MEMORY, "out of memory");
    return st;
}

void cluster_mpi_tell(mco_context *ctx)
{
    int numbers[3] = {-cluster.place.processors, cluster.place.processors, cluster.place.is_bound};
    MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    mco_log(ctx, MCO_LOG_INFO, "ranks %d on %d machine%s, processors of a rank: %d%s%.0d", cluster.ranks.count, cluster.machine_count,
            mco_plural(cluster.machine_count), -numbers[0], numbers[1] > -numbers[0] ? " to " : "",
            numbers[1] > -numbers[0] ? numbers[1] : 0);
    if (numbers[2] != 0)
        cluster_tell_bound(ctx);
}

enum { END_TAG = 26, NAP_END_NS = 10000000 };
static const double TOLD_S = 1;   // for the last word of rank 0 to reach those that answer
static const double COME_S = 60;  // for the other ranks to end after the first one

// Rank 0, where another rank does not answer: the others may go. A launcher that lets a job go on when a process has died may not end them.
static void tell_end(int code)
{
    const double end_s = mco_clock_s() + TOLD_S;
    const struct timespec nap = {.tv_nsec = NAP_END_NS};
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int r = 1; r < cluster.ranks.count; r++)
        if (MPI_Isend(&code, 1, MPI_INT, r, END_TAG, MPI_COMM_WORLD, &request) == MPI_SUCCESS)
            MPI_Request_free(&request);
    for (int is_there; mco_clock_s() < end_s; nanosleep(&nap, NULL))
        MPI_Iprobe(MPI_ANY_SOURCE, END_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);  // MPI goes on in its calls alone
}

// Waits for that word, which an alarm ends. Most launchers end this process then, as rank 0 asks them to; one that ends before would be a failure
// of the job.
static _Noreturn void leave(int code)
{
    int is_there = 0;
    const struct timespec nap = {.tv_nsec = NAP_END_NS};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (;; nanosleep(&nap, NULL))
        if (MPI_Iprobe(0, END_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_there)
            break;
    const double end_s = mco_clock_s() + 3 * TOLD_S;
    while (mco_clock_s() < end_s)
        nanosleep(&nap, NULL);
    fflush(NULL);
    _exit(code);
}

// Ends all processes of the job; its exit code is this one. In Open MPI 4.1 the text that MPI_Abort() prints damages the memory of the launcher,
// which then hung or crashed one time in five on busy cores. PMIx, where the launcher speaks it, ends the job without a text.
static _Noreturn void end_job(int code)
{
    enum { LONGEST_S = 30 };
    int (*abort_silently)(int status, const char *text, void *processes, size_t count);
    void *const found = dlsym(RTLD_DEFAULT, "PMIx_Abort");
    tell_end(code);
    alarm(LONGEST_S);  // for a launcher that does not answer
    memcpy(&abort_silently, &found, sizeof found);
    if (found == NULL || abort_silently(code, "mco has ended", NULL, 0) != 0)
        MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

// Whether all ranks have come to their end. The first one, which has written its files, waits a while for the others. They wait for its files, and
// end without the others where it says so.
static bool have_all_come(int rank)
{
    int is_done = 0, is_told = 0;
    MPI_Request request;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    const double end_s = rank == 0 ? mco_clock_s() + COME_S : INFINITY;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE); !is_done && mco_clock_s() < end_s; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE)) {
        nanosleep(&nap, NULL);
        if (rank > 0 && (MPI_Iprobe(0, END_TAG, MPI_COMM_WORLD, &is_told, MPI_STATUS_IGNORE), is_told))
            break;
    }
    return is_done;
}

// Ranks that have parted wait while the first one writes its files; an alarm ends that.
void cluster_mpi_end(const mco_context *ctx, int code)
{
    enum { LONGEST_S = 3600 };
    const mco_ranks *r = &cluster.ranks;
    if (r->must_abort) {
        if (r->rank > 0)
            fprintf(stderr, "mco: rank %d: %s\n", r->rank, mco_context_error(ctx));
        fflush(NULL);
        if (r->rank > 0)
            _exit(code);  // launchers end the others, those that let a job go on do not end this one
        end_job(code);
    }
    if (r->have_parted)
        alarm(LONGEST_S);
    if (r->must_leave)
        leave(code);
    if (!have_all_come(r->rank)) {
        if (r->rank > 0)
            leave(code);
        fprintf(stderr, "warning: the answer is complete, but some ranks have not ended for %.0f s: the launcher ends them\n", COME_S);
        fflush(NULL);
        end_job(code);
    }
    free(cluster.counts);
    free(cluster.begins);
    MPI_Finalize();
    alarm(0);
}
