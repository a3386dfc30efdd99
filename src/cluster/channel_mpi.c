// SPDX-License-Identifier: MIT
// Messages between the ranks of one job. Rank 0 coordinates, so a peer is a rank. Only the calling thread uses MPI. What
// was sent waits in a list until MPI has taken it.
#include <limits.h>
#include <mpi.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/grow.h"
#include "cluster/channel.h"

enum { TAG = 25, NAP_NS = 200000 };
static const double CLOSE_S = 2;  // to wait for what is still on its way

typedef struct sending {
    MPI_Request request;
    uint8_t *data;
} sending;

typedef struct mpi_channel {
    mco_context *ctx;
    sending *sendings;  // [count]
    int64_t count, room;
    uint8_t *data;      // the message that came last
    int64_t data_room;
} mpi_channel;

// Releases what MPI has taken.
static void release_sent(mpi_channel *c)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++) {
        int is_sent;
        MPI_Test(&c->sendings[i].request, &is_sent, MPI_STATUS_IGNORE);
        if (is_sent)
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
    *s = (sending){0};
    MCO_TRY(mco_alloc(c->ctx, &s->data, size));
    memcpy(s->data, data, (size_t)size);
    MPI_Isend(s->data, (int)size, MPI_BYTE, (int)peer, TAG, MPI_COMM_WORLD, &s->request);
    c->count++;
done:
    return st;
}

static mco_status receive_bytes(void *self, double wait_s, uint64_t *peer, const uint8_t **data, int64_t *size)
{
    mco_status st = MCO_OK;
    mpi_channel *c = self;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    const double end_s = mco_clock_s() + wait_s;
    int has_come, bytes;
    MPI_Status status;
    *size = -1;
    release_sent(c);
    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &has_come, &status);
        if (has_come || mco_clock_s() >= end_s)
            break;
        nanosleep(&nap, NULL);
    }
    if (!has_come)
        return MCO_OK;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MCO_TRY(mco_grow(c->ctx, &c->data, &c->data_room, bytes));
    MPI_Recv(c->data, bytes, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *peer = (uint64_t)status.MPI_SOURCE;
    *data = c->data;
    *size = bytes;
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
    // MPI may still read what it has not taken, so that stays until the process ends.
    mco_free(ctx, &c->sendings);
    mco_free(ctx, &c->data);
    mco_free(ctx, &c);
}

mco_status mco_mpi_channel(mco_context *ctx, mco_channel *out)
{
    mco_status st = MCO_OK;
    mpi_channel *c = NULL;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    *c = (mpi_channel){.ctx = ctx};
    *out = (mco_channel){.self = c, .send = send_bytes, .receive = receive_bytes, .close = close_channel};
done:
    return st;
}
