// SPDX-License-Identifier: MIT
// One command over many processes: what the launcher says, MPI where it is compiled in, and what each process has of its machine.
//
// Only the command uses this. A launcher (mpirun, srun) tells its processes in the environment how many they are; MPI is
// initialised for more than one alone, so a plain run pays nothing. Rank 0 prints and writes files. MPI's own errors end all
// processes: they leave no way for the ranks to agree.
#ifndef MCO_CLUSTER_CLUSTER_H
#define MCO_CLUSTER_CLUSTER_H

#include <sched.h>

#include "base/ranks.h"

// ---- The launcher (launch.c)

typedef struct cluster_launch {
    int rank, count;       // as the environment says; 0 and 1 without a launcher
    const char *variable;  // that says how many; NULL: none
} cluster_launch;

cluster_launch cluster_find_launch(void);

// ---- What a process has of its machine (place.c)

// Sets `out` to the processors of process `which` of `count` on one machine that may use masks [count]. Processes with equal masks
// were not bound, so they divide the mask, `usable` processors of it if that is less: each at least one.
void cluster_divide_processors(const cpu_set_t *masks, int count, int which, int usable, cpu_set_t *out);
// Writes the GPUs of process `which` of `count` on one machine, with commas. `visible`: those of the machine, with commas. Each
// process has some of them alone, or one together with others if there are too few. False: too long for out [size].
bool cluster_divide_gpus(const char *visible, int count, int which, char *out, size_t size);

typedef struct cluster_place {
    int processors;      // of this process
    bool is_bound;       // the launcher has bound it to one processor, and the machine has more than processes
} cluster_place;

// Restricts this process to its part of the processors and GPUs. Before the first thread and before CUDA.
cluster_place cluster_take_place(const cpu_set_t *masks, int count, int which);

// ---- All of it (launch.c; mpi.c)

// Joins the other processes and sets ctx->ranks, if a launcher started more than one. Errors: ARGUMENT (no MPI in this build, MPI
// knows fewer processes than the launcher). `is_coordinated`: rank 0 computes next to nothing, so the others divide its machine.
mco_status cluster_begin(mco_context *ctx, bool is_coordinated);
// Tells the log how many ranks there are, and what they have.
void cluster_tell(mco_context *ctx);
// Warns that a rank has one processor of a machine that has more.
void cluster_tell_bound(mco_context *ctx);
// Leaves the other processes, with the exit code of this one. All ranks call it, or none. Where ranks have parted and one does not
// answer, the launcher ends all with this code, and the call does not return.
void cluster_end(mco_context *ctx, int code);

#ifdef MCO_HAVE_MPI
mco_status cluster_mpi_begin(mco_context *ctx, const cluster_launch *launch, bool is_coordinated);
void cluster_mpi_tell(mco_context *ctx);
void cluster_mpi_end(const mco_context *ctx, int code);
#endif

#endif
