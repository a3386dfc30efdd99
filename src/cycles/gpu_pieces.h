// SPDX-License-Identifier: MIT
// How lists leave the GPUs: threads of GPUs copy them to pinned memory piece by piece, and the thread of the caller hands the
// pieces to the sink. That thread also looks at the clock for all of them.
#ifndef MCO_CYCLES_GPU_PIECES_H
#define MCO_CYCLES_GPU_PIECES_H

#include <pthread.h>
#include <stdatomic.h>

#include "cycles/block.h"
#include "cycles/step.h"
#include "device/device_cuda.h"

#define CYCLES_NAP_S 2e-3  // most time between two looks at the clock

// Chunks of rows: chunk c is rows c * chunk_rows and on, of which fill[c] count.
typedef struct cycles_piece {
    const uint64_t *rows;
    const int32_t *fill;
    int64_t chunks;
    int32_t chunk_rows, row_words;
    bool is_taken;
} cycles_piece;

typedef struct cycles_pieces {
    cycles_job *job;
    bool is_open;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_bool must_stop;      // all threads end soon
    cycles_piece *posted;       // guarded by the lock
    int working;                // threads that have not left; guarded by the lock
    bool counts_lengths;        // of rows that were given
    int64_t rows;               // given
    int64_t by_length[CYCLES_STEP_VERTICES + 1];
} cycles_pieces;

// Zero before. The lengths of rows are counted if the job wants lengths.
mco_status cycles_pieces_open(cycles_pieces *pieces, cycles_job *job);
void cycles_pieces_close(cycles_pieces *pieces);
// The caller's thread: serves the others until `working` of them have left.
void cycles_pieces_serve(cycles_pieces *pieces);
// Other threads: hands a piece over and waits until it was given. False: no more is wanted.
bool cycles_pieces_post(cycles_pieces *pieces, cycles_piece *piece);
void cycles_pieces_leave(cycles_pieces *pieces);
// Adds what was given. Errors: MEMORY.
mco_status cycles_pieces_tally(const cycles_pieces *pieces, cycles_tally *tally);

// A way from one device to the sink, with two pinned buffers: one is copied into while the other is given.
typedef struct cycles_drain {
    mco_context *ctx;
    mco_device *device;
    cycles_pieces *pieces;
    int32_t row_words, chunk_rows;
    int64_t at_once;       // chunks of a piece
    uint64_t *h_rows[2];   // [at_once * chunk_rows * row_words]
    int32_t *h_fill;       // [most_chunks]
    cudaEvent_t copied[2];
} cycles_drain;

mco_status cycles_drain_open(cycles_drain *drain, mco_context *ctx, mco_device *device, cycles_pieces *pieces, int32_t row_words,
                             int32_t chunk_rows, int64_t most_chunks, size_t piece_bytes);
// Give chunks, or rows without gaps, that no kernel writes any more, by copies beside the kernels. They end early, with OK,
// when no more is wanted. Errors: DEVICE.
mco_status cycles_drain_chunks(cycles_drain *drain, const uint64_t *d_rows, const int32_t *d_fill, int64_t chunks);
mco_status cycles_drain_rows(cycles_drain *drain, const uint64_t *d_rows, int64_t rows);
// A zeroed drain is allowed. The buffers go with the device.
void cycles_drain_close(cycles_drain *drain);

#endif
