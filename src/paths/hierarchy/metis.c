// SPDX-License-Identifier: MIT
// The order of METIS_NodeND (Karypis, Kumar 1998), computed by a process of its own.
//
// METIS has no way to stop it, sets handlers of signals for the whole process, and may abort without memory. So a forked process
// calls it and writes the order into a pipe. This process reads the pipe, looks at the clock, and kills the other one if the run
// must stop. The order counts if it is complete and a permutation, however the other process ended.
#include "paths/hierarchy/order.h"

#ifdef MCO_HAVE_METIS
#include <errno.h>
#include <fcntl.h>
#include <metis.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { LOOK_MS = 20, SEPARATORS = 10 };  // time between looks at the clock; separators that METIS tries at each level

// ---- In the other process

static bool write_all(int file, const void *data, size_t bytes)
{
    for (const char *next = data; bytes > 0;) {
        const ssize_t written = write(file, next, bytes);
        if (written <= 0)
            return false;
        next += written;
        bytes -= (size_t)written;
    }
    return true;
}

static idx_t *copy_indices(const int32_t *from, int64_t count)
{
    idx_t *copy = malloc(((size_t)count + 1) * sizeof *copy);
    for (int64_t k = 0; copy != NULL && k < count; k++)
        copy[k] = from[k];
    return copy;
}

// Calls METIS and writes the order. Memory goes with the process.
static bool find_and_write(const order_graph *graph, int file)
{
    idx_t vertices = graph->vertices, options[METIS_NOPTIONS];
    idx_t *first = copy_indices(graph->first, (int64_t)vertices + 1), *head = copy_indices(graph->head, graph->first[vertices]);
    idx_t *vertex = malloc((size_t)vertices * sizeof *vertex), *position = malloc((size_t)vertices * sizeof *position);
    int32_t *order = malloc((size_t)vertices * sizeof *order);
    if (first == NULL || head == NULL || vertex == NULL || position == NULL || order == NULL)
        return false;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NSEPS] = SEPARATORS;
    if (METIS_NodeND(&vertices, first, head, NULL, options, vertex, position) != METIS_OK)
        return false;
    for (idx_t k = 0; k < vertices; k++)
        order[k] = (int32_t)vertex[k];
    return write_all(file, order, (size_t)vertices * sizeof *order);
}

static void run_other(const order_graph *graph, int file)
{
    signal(SIGINT, SIG_IGN);  // the first process decides
    signal(SIGPIPE, SIG_DFL); // it is gone
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    _exit(find_and_write(graph, file) ? 0 : 1);
}

// ---- In this process

// Reads until `bytes` are there or the pipe ends. Every wait ends after LOOK_MS. Errors: STOPPED.
static mco_status read_all(mco_run *run, int file, char *data, size_t bytes, size_t *seen)
{
    *seen = 0;
    while (*seen < bytes) {
        struct pollfd wait = {.fd = file, .events = POLLIN};
        const int ready = poll(&wait, 1, LOOK_MS);
        if (mco_run_must_stop(run, run->work))
            return MCO_ERR_STOPPED;
        if (ready <= 0)
            continue;
        const ssize_t got = read(file, data + *seen, bytes - *seen);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            break;
        *seen += got > 0 ? (size_t)got : 0;
    }
    return MCO_OK;
}

static mco_status is_permutation(mco_context *ctx, const int32_t *vertex, int32_t vertices, bool *out)
{
    bool *is_seen = NULL;
    const mco_status st = mco_alloc(ctx, &is_seen, vertices);
    int32_t count = 0;
    for (int32_t k = 0; st == MCO_OK && k < vertices; k++)
        if (vertex[k] >= 0 && vertex[k] < vertices && !is_seen[vertex[k]]) {
            is_seen[vertex[k]] = true;
            count++;
        }
    *out = count == vertices;
    mco_free(ctx, &is_seen);
    return st;
}

mco_status paths_order_metis(mco_context *ctx, const order_graph *graph, mco_run *run, int32_t *vertex, bool *is_found)
{
    mco_status st = MCO_OK;
    int pipe_ends[2];
    const size_t bytes = (size_t)graph->vertices * sizeof *vertex;
    size_t seen = 0;
    *is_found = false;
    if (pipe(pipe_ends) != 0) {
        mco_log(ctx, MCO_LOG_WARNING, "METIS: no pipe: %s", strerror(errno));
        return MCO_OK;
    }
    fcntl(pipe_ends[0], F_SETFD, FD_CLOEXEC);
    const pid_t other = fork();
    if (other == 0) {
        close(pipe_ends[0]);
        run_other(graph, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    if (other > 0) {
        st = read_all(run, pipe_ends[0], (char *)vertex, bytes, &seen);
        kill(other, SIGKILL);  // it has written everything, or must stop
        while (waitpid(other, NULL, 0) < 0 && errno == EINTR) {  // ends, for the process was killed
        }
    }
    close(pipe_ends[0]);
    if (st == MCO_OK && seen == bytes)
        st = is_permutation(ctx, vertex, graph->vertices, is_found);
    if (st == MCO_OK && !*is_found)
        mco_log(ctx, MCO_LOG_WARNING, "METIS found no order; another order takes its place");
    return st;
}
#else
mco_status paths_order_metis(mco_context *ctx, const order_graph *graph, mco_run *run, int32_t *vertex, bool *is_found)
{
    (void)ctx, (void)graph, (void)run, (void)vertex;
    *is_found = false;
    return MCO_OK;
}
#endif
