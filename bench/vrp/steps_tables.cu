// SPDX-License-Identifier: MIT
// Tables 1 to 4 of the report and its steps 1 to 11: one kernel for each resource, changed step by step, then kernels
// for several resources.
#include "steps_bench.cuh"

enum { TABLE_NODES = 399, LARGE_NODES = 2401 };
static const part_sizes LEAST_EFFORT = {0, 0}, EIGHT = {8, 0};

// One kernel for each resource, for both operators; 2-opt also on the largest tour.
template <config C, int CUTS>
static void measure_singles(bench *b, const char *step, const char *variant, part_sizes parts, int block, int32_t nodes)
{
    const evaluation e = evaluation_of(kernels_of<C, CUTS, SINGLES>(), ADD_SETS, SINGLE_SETS, RESOURCES, block);
    measure(b, step, variant, nodes, &e, parts);
}

template <config C> static void measure_both(bench *b, const char *step, const char *variant, part_sizes parts, int block)
{
    measure_singles<C, 2>(b, step, variant, parts, block, TABLE_NODES);
    if (b->largest > TABLE_NODES)
        measure_singles<C, 2>(b, step, variant, parts, block, LARGE_NODES);
    measure_singles<C, 3>(b, step, variant, parts, block, TABLE_NODES);
}

static void run_tables(bench *b)
{
    if (is_wanted(b, "table1"))
        measure_both<BENCHMARK_VERSION>(b, "table1", "benchmark version", LEAST_EFFORT, DEFAULT_BLOCK);
    if (is_wanted(b, "table2"))
        measure_both<SHARED_SIZES>(b, "table2", "registers; sizes in shared memory", LEAST_EFFORT, DEFAULT_BLOCK);
    if (is_wanted(b, "table3")) {
        measure_both<ZERO_LEVEL>(b, "table3", "tuned; zero-level; index mode 3", LEAST_EFFORT, 0);
        measure_both<with(ZERO_LEVEL, RECTANGLE)>(b, "table3", "tuned; zero-level; index mode 4", LEAST_EFFORT, 0);
    }
    if (is_wanted(b, "table4"))
        measure_singles<ONE_LEVEL, 2>(b, "table4", "tuned; one-level; index mode 3", LEAST_EFFORT, 0, TABLE_NODES);
}

// Steps 1 to 4.
static void run_first_steps(bench *b)
{
    if (is_wanted(b, "registers")) {
        measure_both<BENCHMARK_VERSION>(b, "registers", "segments in an array", LEAST_EFFORT, DEFAULT_BLOCK);
        measure_both<IN_REGISTERS>(b, "registers", "segments in registers", LEAST_EFFORT, DEFAULT_BLOCK);
        measure_both<SHARED_SIZES>(b, "registers", "and sizes in shared memory", LEAST_EFFORT, DEFAULT_BLOCK);
        measure_both<with(IN_REGISTERS, SIZES_PARAMETER)>(b, "registers", "or sizes as parameters", LEAST_EFFORT,
                                                          DEFAULT_BLOCK);
    }
    if (is_wanted(b, "parts")) {
        measure_both<SHARED_SIZES>(b, "parts", "least effort; division", LEAST_EFFORT, DEFAULT_BLOCK);
        measure_both<POWERS_OF_TWO>(b, "parts", "least effort; power of two", LEAST_EFFORT, DEFAULT_BLOCK);
        measure_both<SHARED_SIZES>(b, "parts", "8 edges; division", EIGHT, DEFAULT_BLOCK);
        measure_both<POWERS_OF_TWO>(b, "parts", "8 edges; power of two", EIGHT, DEFAULT_BLOCK);
    }
    if (is_wanted(b, "blocks")) {
        static const struct {
            int block;
            const char *name;
        } BLOCKS[] = {{32, "32 threads"},   {64, "64 threads"},   {96, "96 threads"},
                      {128, "128 threads"}, {160, "160 threads"}, {192, "192 threads"},
                      {256, "256 threads"}, {384, "384 threads"}, {512, "512 threads"}};
        for (size_t k = 0; k < sizeof BLOCKS / sizeof *BLOCKS; k++)
            measure_both<POWERS_OF_TWO>(b, "blocks", BLOCKS[k].name, LEAST_EFFORT, BLOCKS[k].block);
    }
}

template <sizes_mode S>
static void measure_layouts(bench *b, const char *aos, const char *soa, const char *aos_outer, const char *soa_outer)
{
    constexpr config C = with(POWERS_OF_TWO, S), D = with(C, SOA);
    measure_both<C>(b, "layout", aos, LEAST_EFFORT, 0);
    measure_both<D>(b, "layout", soa, LEAST_EFFORT, 0);
    measure_singles<with(C, P_OUTERMOST), 3>(b, "layout", aos_outer, LEAST_EFFORT, 0, TABLE_NODES);
    measure_singles<with(D, P_OUTERMOST), 3>(b, "layout", soa_outer, LEAST_EFFORT, 0, TABLE_NODES);
}

// Steps 5 to 7.
static void run_layouts(bench *b)
{
    if (is_wanted(b, "layout")) {
        measure_layouts<SIZES_SHARED>(b, "AoS; p innermost; shared", "SoA; p innermost; shared", "AoS; p outermost; shared",
                                      "SoA; p outermost; shared");
        measure_layouts<SIZES_GLOBAL>(b, "AoS; p innermost; global", "SoA; p innermost; global", "AoS; p outermost; global",
                                      "SoA; p outermost; global");
    }
    if (is_wanted(b, "index")) {
        measure_both<POWERS_OF_TWO>(b, "index", "mode 2", LEAST_EFFORT, 0);
        measure_both<IN_ROWS>(b, "index", "mode 3", LEAST_EFFORT, 0);
        measure_both<with(POWERS_OF_TWO, FORMULA)>(b, "index", "mode 3; row begins computed", LEAST_EFFORT, 0);
        measure_both<with(POWERS_OF_TWO, RECTANGLE)>(b, "index", "mode 4", LEAST_EFFORT, 0);
    }
    if (is_wanted(b, "triangle"))
        for (int large = 0; large <= (b->largest > TABLE_NODES); large++) {
            const int32_t nodes = large ? LARGE_NODES : TABLE_NODES;
            measure_singles<IN_ROWS, 2>(b, "triangle", "lexicographic formula", LEAST_EFFORT, 0, nodes);
            measure_singles<CUT_TRIANGLE, 2>(b, "triangle", "cut triangle", LEAST_EFFORT, 0, nodes);
        }
}

template <config C, int CUTS> static void measure_levels(bench *b, int32_t nodes)
{
    measure_singles<with(with_level(C, 0), SIZES_PARAMETER), CUTS>(b, "levels", "zero-level", LEAST_EFFORT, 0, nodes);
    measure_singles<with_level(C, 1), CUTS>(b, "levels", "one-level", LEAST_EFFORT, 0, nodes);
    measure_singles<with_level(C, 2), CUTS>(b, "levels", "two-level", LEAST_EFFORT, 0, nodes);
}

// Steps 8 to 10.
static void run_last_steps(bench *b)
{
    enum { MIDDLE_NODES = 967 };
    if (is_wanted(b, "hold")) {
        measure_both<CUT_TRIANGLE>(b, "hold", "mode 0; p innermost", LEAST_EFFORT, 0);
        measure_singles<with(CUT_TRIANGLE, P_OUTERMOST), 3>(b, "hold", "mode 0; p outermost", LEAST_EFFORT, 0, TABLE_NODES);
        measure_singles<with(CUT_TRIANGLE, HOLD_NEXT), 3>(b, "hold", "mode 1; p innermost", LEAST_EFFORT, 0, TABLE_NODES);
        measure_both<ONE_LEVEL>(b, "hold", "mode 1; p outermost", LEAST_EFFORT, 0);
    }
    if (is_wanted(b, "levels")) {
        measure_levels<ONE_LEVEL, 2>(b, TABLE_NODES);
        measure_levels<ONE_LEVEL, 3>(b, TABLE_NODES);
        if (b->largest > TABLE_NODES) {
            measure_levels<ONE_LEVEL, 2>(b, LARGE_NODES);
            measure_levels<ONE_LEVEL, 3>(b, MIDDLE_NODES);
        }
    }
    if (is_wanted(b, "newton")) {
        measure_singles<ZERO_LEVEL, 3>(b, "newton", "table of triples", LEAST_EFFORT, 0, TABLE_NODES);
        measure_singles<with(ZERO_LEVEL, TRIPLE_NEWTON), 3>(b, "newton", "Newton's method", LEAST_EFFORT, 0, TABLE_NODES);
    }
}

void run_kernel_steps(bench *b)
{
    run_tables(b);
    run_first_steps(b);
    run_layouts(b);
    run_last_steps(b);
}

template <config C, int CUTS> static void measure_combined(bench *b, int32_t nodes)
{
    const kernel_set k = kernels_of<C, CUTS, SINGLES | PAIRS | OTHER_PAIRS | WHOLE | ADD_WHOLE | BEST>();
    const struct {
        const char *name;
        evaluation e;
    } VARIANTS[] = {{"single", evaluation_of(k, ADD_SETS, SINGLE_SETS, 4, 0)},
                    {"pairs", evaluation_of(k, ADD_SETS, PAIR_SETS, 2, 0)},
                    {"other pairs", evaluation_of(k, ADD_SETS, OTHER_PAIR_SETS, 2, 0)},
                    {"all four; added", evaluation_of(k, ADD_SETS, WHOLE_SET, 1, 0)},
                    {"all four; written", evaluation_of(k, SET_WHOLE, WHOLE_SET, 1, 0)},
                    {"all four; no fitness structure", evaluation_of(k, FIND_BEST, WHOLE_SET, 1, 0)}};
    for (size_t v = 0; v < sizeof VARIANTS / sizeof *VARIANTS; v++)
        measure(b, "combined", VARIANTS[v].name, nodes, &VARIANTS[v].e, LEAST_EFFORT);
}

// Step 11.
void run_combined(bench *b)
{
    if (!is_wanted(b, "combined"))
        return;
    measure_combined<ONE_LEVEL, 2>(b, TABLE_NODES);
    measure_combined<ZERO_LEVEL, 3>(b, TABLE_NODES);
    if (b->largest > TABLE_NODES)
        measure_combined<ONE_LEVEL, 2>(b, LARGE_NODES);
}
