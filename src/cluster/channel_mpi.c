// SPDX-License-Identifier: MIT
// Messages between the ranks of one job. A peer is a rank. Only the calling thread uses MPI. What was sent waits in a list until
// MPI has taken it. What comes waits in another list until all of it is there: a large message may stop half way, with its rank.
// Errors of MPI are messages that are lost: where the launcher lets the others go on when a process has died, MPI may say so.
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/grow.h"
#include "cluster/channel.h"

enum { TAG = 25 };
static const double CLOSE_S = 2;  // to wait for what is still on its way

// MPI waits by looking without end, so a wait here naps between two looks: half of the time since the last message. A look with its nap takes
// 3 us of CPU, 15 to 40 us on busy cores. So a quiet wait of 125 naps a second costs at most 0.7 % of a core, and an answer is seen after 1.5 times
// the time that it took.
static const double LEAST_NAP_S = 0.0002, MOST_NAP_S = 0.008;

typedef struct sending {
    MPI_Request request;
    uint8_t *data;
} sending;

typedef struct arrival {
    MPI_Request request;
    uint8_t *data;
    int size, source;
} arrival;

typedef struct mpi_channel {
    mco_context *ctx;
    sending *sendings;  // [count]
    int64_t count, room;
    arrival *arrivals;  // [arrival_count] in the order in which they began
    int64_t arrival_count, arrival_room;
    uint8_t *data;      // the message that came last
    double came_s;      // when
} mpi_channel;

// Releases what MPI has taken.
static void release_sent(mpi_channel *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++) {
        int is_sent = 0;
        if (MPI_Test(&c->sendings[i].request, &is_sent, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_sent)
            mco_free(c->ctx, &c->sendings[i].data);
        else
            c->sendings[kept++] = c->sendings[i];
    }
    c->count = kept;
}

static mco_status send_bytes(void *self, uint64_t peer, const uint8_t *data, int64_t size)
{
    mco_status st = MCO_OK;
    mpi_channel *c = self;
    release_sent(c);
    if (size > INT_MAX)
        return mco_fail(c->ctx, MCO_ERR_LIMIT, "a message of %lld bytes, MPI takes %d", (long long)size, INT_MAX);
    MCO_TRY(mco_grow(c->ctx, &c->sendings, &c->room, c->count + 1));
    sending *s = &c->sendings[c->count];
    *s = (sending){.request = MPI_REQUEST_NULL};
    MCO_TRY(mco_alloc(c->ctx, &s->data, size));
    memcpy(s->data, data, (size_t)size);
    MPI_Isend(s->data, (int)size, MPI_BYTE, (int)peer, TAG, MPI_COMM_WORLD, &s->request);
    c->count++;
done:
    return st;
}

// Begins to receive all messages that are on their way.
static mco_status begin_arrivals(mpi_channel *c)
{
    mco_status st = MCO_OK;
    MPI_Message message;
    MPI_Status status;
    for (int has_come = 1; has_come;) {
        MCO_TRY(mco_grow(c->ctx, &c->arrivals, &c->arrival_room, c->arrival_count + 1));
        if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &has_come, &message, &status) != MPI_SUCCESS || !has_come)
            break;
        arrival *a = &c->arrivals[c->arrival_count++];
        *a = (arrival){.request = MPI_REQUEST_NULL, .source = status.MPI_SOURCE};
        MPI_Get_count(&status, MPI_BYTE, &a->size);
        MCO_TRY(mco_alloc(c->ctx, &a->data, a->size));
        MPI_Imrecv(a->data, a->size, MPI_BYTE, &message, &a->request);
    }
done:
    return st;
}

// The oldest message that is there, and whose rank has sent none before it that is not; -1: none.
static int64_t find_arrived(mpi_channel *c)
{
    for (int64_t k = 0; k < c->arrival_count; k++) {
        int is_there = 0;
        bool is_first = true;
        for (int64_t i = 0; i < k; i++)
            is_first = is_first && c->arrivals[i].source != c->arrivals[k].source;
        MPI_Test(&c->arrivals[k].request, &is_there, MPI_STATUS_IGNORE);
        if (is_there && is_first)
            return k;
    }
    return -1;
}

static void nap(double seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

static mco_status receive_bytes(void *self, double wait_s, uint64_t *peer, const uint8_t **data, int64_t *size)
{
    mco_status st = MCO_OK;
    mpi_channel *c = self;
    double now_s = mco_clock_s();
    const double end_s = now_s + wait_s;
    int64_t which;
    *size = -1;
    for (;;) {
        release_sent(c);
        MCO_TRY(begin_arrivals(c));
        which = find_arrived(c);
        now_s = mco_clock_s();
        if (which >= 0 || now_s >= end_s)
            break;
        nap(fmin(fmax(LEAST_NAP_S, fmin(MOST_NAP_S, (now_s - c->came_s) / 2)), end_s - now_s));
    }
    if (which < 0)
        return MCO_OK;
    const arrival a = c->arrivals[which];
    memmove(&c->arrivals[which], &c->arrivals[which + 1], (size_t)(--c->arrival_count - which) * sizeof a);
    mco_free(c->ctx, &c->data);
    c->data = a.data;
    c->came_s = now_s;
    *peer = (uint64_t)a.source;
    *data = a.data;
    *size = a.size;
done:
    return st;
}

// Takes in what others still send, so that theirs is taken too.
static void close_channel(mco_context *ctx, void *self)
{
    mpi_channel *c = self;
    const double end_s = mco_clock_s() + CLOSE_S;
    const uint8_t *data;
    uint64_t peer;
    int64_t size = 0;
    while ((c->count > 0 || size >= 0) && mco_clock_s() < end_s)
        if (receive_bytes(c, 0.01, &peer, &data, &size) != MCO_OK)
            break;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    // MPI may still read what it has not taken, and write what has not come, so these stay until the process ends.
    mco_free(ctx, &c->sendings);
    mco_free(ctx, &c->arrivals);
    mco_free(ctx, &c->data);
    mco_free(ctx, &c);
}

mco_status mco_mpi_channel(mco_context *ctx, mco_channel *out)
{
    mco_status st = MCO_OK;
    mpi_channel *c = NULL;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    *c = (mpi_channel){.ctx = ctx};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *out = (mco_channel){.self = c, .send = send_bytes, .receive = receive_bytes, .close = close_channel};
done:
    return st;
}
