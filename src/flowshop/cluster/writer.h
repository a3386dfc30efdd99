// SPDX-License-Identifier: MIT
// Writes snapshots to a file, each in a thread of its own, while the coordinator goes on.
#ifndef MCO_FLOWSHOP_CLUSTER_WRITER_H
#define MCO_FLOWSHOP_CLUSTER_WRITER_H

#include <stdatomic.h>

#include "base/team.h"
#include "flowshop/cluster/snapshot.h"

typedef struct flowshop_writer {
    mco_context *ctx;    // of the caller
    const mco_flowshop *shop;
    const char *path;
    mco_context *own;    // of the thread: it has the error of the last file
    const flowshop_snapshot *snapshot;  // NULL: no file is being written
    mco_team team;       // the thread of the last file, which has ended or will soon
    mco_status st;       // of the last file, valid from is_written on
    atomic_bool is_written;
} flowshop_writer;

// Errors: MEMORY.
mco_status flowshop_writer_create(mco_context *ctx, const mco_flowshop *shop, const char *path, flowshop_writer *out);
// Begins to write a whole snapshot, which is borrowed until flowshop_writer_is_done(); the file before is done. Where no thread can
// be started, it is written here. Errors: MEMORY.
mco_status flowshop_writer_start(flowshop_writer *w, const flowshop_snapshot *snapshot);
// Whether the file that was begun is written, or has failed; w->st then says which. Takes no lock, so a thread that the system has
// put aside keeps nobody.
bool flowshop_writer_is_done(flowshop_writer *w);
// Waits for the file, and releases the writer. The wait ends: the thread writes a finite number of bytes, takes no lock of the
// caller and waits for nothing but the disk, as the caller would if it wrote the file. A zeroed writer is allowed.
void flowshop_writer_destroy(flowshop_writer *w);

#endif
