// SPDX-License-Identifier: MIT
// bench_vrp_steps: tables 1 to 5 and the tuning steps of C. Schulz, "Efficient Local Search on the GPU" (2011), on this GPU.
//
//     bench_vrp_steps [--out FILE.csv] [--part NAME] [--largest NODES] [--quick]
//
// Before a configuration is timed, it evaluates small tours: every value and every feasibility is compared with a walk
// along the neighbour. At all sizes, all configurations must find the same best move. Otherwise the program ends with
// 1.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "steps_bench.cuh"

static const struct {
    const char *name, *what;
} PARTS[] = {{"table1", "table 1: the Benchmark Version"},
             {"table2", "table 2: segments in registers, sizes in shared memory"},
             {"table3", "table 3: tuned kernels, zero-level"},
             {"table4", "table 4: tuned 2-opt kernels, one-level"},
             {"registers", "steps 1 and 2: registers, sizes of parts"},
             {"parts", "step 3: parts of a power of two"},
             {"blocks", "step 4: threads of a block"},
             {"layout", "step 5: AoS and SoA, order of p, sizes in shared memory"},
             {"index", "step 6: index modes"},
             {"triangle", "step 7: cut triangle"},
             {"hold", "step 8: kernel modes"},
             {"levels", "step 9: levels of the hierarchy"},
             {"newton", "step 10: triples by Newton's method"},
             {"combined", "step 11: several resources in one kernel"},
             {"table5", "table 5: whole iterations"},
             {"overlap", "step 12: host and device"},
             {"splitting", "step 13: parts of a neighbourhood"},
             {"filter", "section 12: filters"}};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS, SMALLEST_LARGEST = 57, LARGEST = 2401 };

static int usage(FILE *f)
{
    fprintf(f, "usage: bench_vrp_steps [--out FILE.csv] [--part NAME] [--largest NODES] [--quick]\n\n"
               "--largest: no tours of more nodes, %d to %d; --quick: fewer samples, no choice of block sizes\nparts:\n",
            (int)SMALLEST_LARGEST, (int)LARGEST);
    for (int k = 0; k < PART_COUNT; k++)
        fprintf(f, "  %-10s %s\n", PARTS[k].name, PARTS[k].what);
    return f == stdout ? EXIT_SUCCESS : 2;
}

static bool is_part(const char *name)
{
    for (int k = 0; k < PART_COUNT; k++)
        if (strcmp(name, PARTS[k].name) == 0)
            return true;
    return false;
}

static void print_head(const bench *b)
{
    cudaDeviceProp p;
    int driver, runtime;
    MUST(cudaGetDeviceProperties(&p, 0));
    MUST(cudaDriverGetVersion(&driver));
    MUST(cudaRuntimeGetVersion(&runtime));
    const steps_report *r = &b->report;
    steps_report_line(r, "# bench_vrp_steps%s%s --largest %d%s", b->part ? " --part " : "", b->part ? b->part : "", b->largest,
                      b->is_quick ? " --quick" : "");
    steps_report_line(r, "# %s, %d multiprocessors, driver for CUDA %d.%d, runtime %d.%d", p.name, p.multiProcessorCount,
                      driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    steps_report_line(r, "# int32 resources; generated tours, routes of about 20 nodes; medians, by CUDA events on a "
                         "stream held until the host has enqueued all; iteration: hierarchy, evaluation, reduction, execution");
    steps_report_line(r, "# table5, overlap: whole searches, host included, mean of at most 100 iterations; G_moves_per_s of "
                         "filter: of the moves kept");
    steps_report_line(r, "# counted_GB_per_s: values of the fitness structure and triples, each moved once; counters of a "
                         "profiler (divergence, L1) and index mode 1 are left out");
    steps_report_line(r, "step,type,nodes,variant,kernel,ms,registers,local_bytes,occupancy,G_moves_per_s,block,"
                         "counted_GB_per_s");
}

static int32_t to_nodes(const char *text)
{
    char *end;
    errno = 0;
    const long nodes = strtol(text, &end, 10);
    if (errno || *end || end == text || nodes < SMALLEST_LARGEST || nodes > LARGEST)
        steps_die("--largest %s: %d to %d expected", text, (int)SMALLEST_LARGEST, (int)LARGEST);
    return (int32_t)nodes;
}

int main(int argc, char **argv)
{
    static bench b;
    b.largest = LARGEST;
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (strcmp(argv[k], "--help") == 0)
            return usage(stdout);
        if (strcmp(argv[k], "--quick") == 0) {
            b.is_quick = true;
            continue;
        }
        if (!value)
            return usage(stderr);
        if (strcmp(argv[k], "--out") == 0) {
            b.report.csv = fopen(value, "w");
            if (!b.report.csv)
                steps_die("%s: %s", value, strerror(errno));
        } else if (strcmp(argv[k], "--part") == 0 && is_part(value)) {
            b.part = value;
        } else if (strcmp(argv[k], "--largest") == 0) {
            b.largest = to_nodes(value);
        } else {
            return usage(stderr);
        }
        k++;
    }
    print_head(&b);
    run_kernel_steps(&b);
    run_combined(&b);
    run_iterations(&b);
    run_splitting(&b);
    run_filter(&b);
    tours_close(&b);
    if (b.report.csv && fclose(b.report.csv) != 0)
        steps_die("the file of --out: %s", strerror(errno));
    return EXIT_SUCCESS;
}
