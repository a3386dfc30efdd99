// SPDX-License-Identifier: MIT
#include "flowshop/cluster/writer.h"

mco_status flowshop_writer_create(mco_context *ctx, const mco_flowshop *shop, const char *path, flowshop_writer *out)
{
    mco_status st = MCO_OK;
    *out = (flowshop_writer){.ctx = ctx, .shop = shop, .path = path};
    if (mco_context_create_child(ctx, &out->own) != MCO_OK)
        st = mco_fail(ctx, MCO_ERR_MEMORY, "out of memory for the writer of checkpoints");
    return st;
}

static void write_file(void *writer, int thread)
{
    flowshop_writer *w = writer;
    (void)thread;
    w->st = flowshop_checkpoint_write_packed(w->own, w->shop, &w->snapshot->state, &w->snapshot->open, w->path);
    atomic_store(&w->is_written, true);
}

mco_status flowshop_writer_start(flowshop_writer *w, const flowshop_snapshot *snapshot)
{
    mco_status st = MCO_OK;
    mco_team_join(&w->team);  // it has nothing left to do
    w->snapshot = snapshot;
    atomic_store(&w->is_written, false);
    MCO_TRY(mco_team_start_some(w->ctx, 1, write_file, NULL, w, &w->team));
    if (w->team.started == 0)
        write_file(w, 0);
done:
    if (st != MCO_OK)
        w->snapshot = NULL;
    return st;
}

bool flowshop_writer_is_done(flowshop_writer *w)
{
    if (w->snapshot == NULL || !atomic_load(&w->is_written))
        return false;
    w->snapshot = NULL;
    return true;
}

void flowshop_writer_destroy(flowshop_writer *w)
{
    mco_team_join(&w->team);
    w->snapshot = NULL;
    if (w->own != NULL)
        mco_context_destroy(&w->own);
}
