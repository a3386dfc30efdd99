// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <unistd.h>

#include "cluster/cluster.h"

static int number_of(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    char *end = NULL;
    const long value = text != NULL ? strtol(text, &end, 10) : -1;
    return text != NULL && end != text && *end == '\0' && value >= 0 && value < INT32_MAX ? (int)value : otherwise;
}

// Open MPI, MPICH and those made of it, srun. A Slurm batch script has no step, so it is no launcher. MCO_RANKS=1 is for processes
// that have a problem each.
cluster_launch cluster_find_launch(void)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    if (number_of("MCO_RANKS", 0) == 1)
        return (cluster_launch){.rank = 0, .count = 1};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const int count = number_of(names[k][0], 0);
        if (count >= 1)
            return (cluster_launch){.rank = number_of(names[k][1], 0), .count = count, .variable = names[k][0]};
    }
    return (cluster_launch){.rank = 0, .count = 1};
}

mco_status cluster_begin(mco_context *ctx, bool is_coordinated)
{
    const cluster_launch launch = cluster_find_launch();
    if (launch.count == 1)
        return MCO_OK;
#ifdef MCO_HAVE_MPI
    return cluster_mpi_begin(ctx, &launch, is_coordinated);
#else
    (void)is_coordinated;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "a launcher started %d processes (%s), and this mco is built without MPI: "
                    "start one process, or build with -DMCO_MPI=ON", launch.count, launch.variable);
#endif
}

void cluster_tell(mco_context *ctx)
{
    cpu_set_t own;
    const bool is_alone = ctx->ranks == NULL && cluster_find_launch().variable != NULL;
#ifdef MCO_HAVE_MPI
    if (ctx->ranks != NULL)
        cluster_mpi_tell(ctx);
#endif
    if (is_alone && sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) == 1 && sysconf(_SC_NPROCESSORS_ONLN) > 1)
        cluster_tell_bound(ctx);
}

void cluster_tell_bound(mco_context *ctx)
{
    mco_log(ctx, MCO_LOG_WARNING, "the launcher binds a rank to one processor of its machine, so it has one thread; mpirun --bind-to none "
            "or srun --cpu-bind=none gives it all");
}

void cluster_end(mco_context *ctx, int code)
{
#ifdef MCO_HAVE_MPI
    if (ctx->ranks != NULL)
        cluster_mpi_end(ctx, code);
#else
    (void)code;
#endif
    ctx->ranks = NULL;
}
