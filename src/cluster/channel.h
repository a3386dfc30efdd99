// SPDX-License-Identifier: MIT
// How a coordinator and its workers send bytes to each other, whatever carries them. A channel keeps the order of the
// messages of one direction between two peers. It may lose a message, but never a part of one.
#ifndef MCO_CLUSTER_CHANNEL_H
#define MCO_CLUSTER_CHANNEL_H

#include "base/context.h"

typedef struct mco_channel {
    void *self;
    // Sends bytes, borrowed until the return, to a peer; a worker's peer is 0, the coordinator. Never waits: what cannot
    // be sent is lost. Errors: MEMORY.
    mco_status (*send)(void *self, uint64_t peer, const uint8_t *data, int64_t size);
    // Waits for a message for `wait_s` at most. *size -1: none came. *data stays until the next call. Errors: MEMORY.
    mco_status (*receive)(void *self, double wait_s, uint64_t *peer, const uint8_t **data, int64_t *size);
    void (*close)(mco_context *ctx, void *self);  // what was sent goes out, for a second or two at most
} mco_channel;

// Channels of ZeroMQ over TCP, encrypted by CURVE. Whoever has the key file may take part; nobody else can read or send.
// The file holds one secret key of 40 characters. mco_zmq_listen() makes the file, for its owner alone, if there is none.
// Errors: ARGUMENT (this build has no ZeroMQ, no key, the port is in use), IO and PARSE (the key file).
mco_status mco_zmq_listen(mco_context *ctx, int64_t port, const char *key_file, mco_channel *out);
// `address` is HOST:PORT.
mco_status mco_zmq_join(mco_context *ctx, const char *address, const char *key_file, mco_channel *out);

#ifdef MCO_HAVE_MPI
// The channel between the ranks of one job; rank 0 coordinates. Errors: MEMORY.
mco_status mco_mpi_channel(mco_context *ctx, mco_channel *out);
#endif

#endif
