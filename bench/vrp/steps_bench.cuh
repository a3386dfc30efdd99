// SPDX-License-Identifier: MIT
// What all parts of the benchmark share: tours and their hierarchies on the device, launches, the reduction of the fitness
// structure, the execution of a move (steps_bench.cu); clocks and checks (steps_check.cu); which kernels a configuration has
// (kernels_of).
#ifndef BENCH_VRP_STEPS_BENCH_CUH
#define BENCH_VRP_STEPS_BENCH_CUH

#include "steps_move.cuh"

typedef void (*move_kernel)(move_args);
typedef void (*best_kernel)(move_args, candidate *);

// The kernels of one configuration and operator. A kernel that is not asked for is NULL.
struct kernel_set {
    config c;
    int cuts;
    move_kernel add[ALL_FOUR + 1];  // by set of resources; adds to the fitness structure
    move_kernel set_all, set_kept, set_listed;
    best_kernel best;
};

enum kernel_choice { SINGLES = 1, PAIRS = 2, WHOLE = 4, PICKING = 8, BEST = 16, ADD_WHOLE = 32, OTHER_PAIRS = 64 };

template <config C, int CUTS, int CHOICE> static kernel_set kernels_of()
{
    kernel_set k = {C, CUTS, {}, NULL, NULL, NULL, NULL};
    if constexpr (CHOICE & SINGLES) {
        k.add[COST] = evaluate_moves<C, CUTS, COST, SINK_ADD, PICK_ALL>;
        k.add[VEHICLES] = evaluate_moves<C, CUTS, VEHICLES, SINK_ADD, PICK_ALL>;
        k.add[CAPACITY] = evaluate_moves<C, CUTS, CAPACITY, SINK_ADD, PICK_ALL>;
        k.add[LENGTH] = evaluate_moves<C, CUTS, LENGTH, SINK_ADD, PICK_ALL>;
    }
    if constexpr (CHOICE & PAIRS) {
        k.add[COST | LENGTH] = evaluate_moves<C, CUTS, COST | LENGTH, SINK_ADD, PICK_ALL>;
        k.add[VEHICLES | CAPACITY] = evaluate_moves<C, CUTS, VEHICLES | CAPACITY, SINK_ADD, PICK_ALL>;
    }
    if constexpr (CHOICE & OTHER_PAIRS) {
        k.add[COST | CAPACITY] = evaluate_moves<C, CUTS, COST | CAPACITY, SINK_ADD, PICK_ALL>;
        k.add[VEHICLES | LENGTH] = evaluate_moves<C, CUTS, VEHICLES | LENGTH, SINK_ADD, PICK_ALL>;
    }
    if constexpr (CHOICE & ADD_WHOLE)
        k.add[ALL_FOUR] = evaluate_moves<C, CUTS, ALL_FOUR, SINK_ADD, PICK_ALL>;
    if constexpr (CHOICE & WHOLE)
        k.set_all = evaluate_moves<C, CUTS, ALL_FOUR, SINK_SET, PICK_ALL>;
    if constexpr (CHOICE & PICKING) {
        k.set_kept = evaluate_moves<C, CUTS, ALL_FOUR, SINK_SET, PICK_KEPT>;
        k.set_listed = evaluate_moves<C, CUTS, ALL_FOUR, SINK_SET, PICK_LISTED>;
    }
    if constexpr (CHOICE & BEST)
        k.best = evaluate_best<C, CUTS>;
    return k;
}

// ---- Configurations: the Benchmark Version, then the report's steps

constexpr config with(config c, index_mode v) { c.index = v; return c; }
constexpr config with(config c, layout_mode v) { c.layout = v; return c; }
constexpr config with(config c, hold_mode v) { c.hold = v; return c; }
constexpr config with(config c, sizes_mode v) { c.sizes = v; return c; }
constexpr config with(config c, parts_mode v) { c.parts = v; return c; }
constexpr config with(config c, pair_mode v) { c.pair = v; return c; }
constexpr config with(config c, triple_mode v) { c.triple = v; return c; }
constexpr config with(config c, order_mode v) { c.order = v; return c; }
constexpr config with_level(config c, int v) { c.level = v; return c; }

constexpr config BENCHMARK_VERSION = {1,      HALVES,       AOS,          HOLD_ARRAY, SIZES_GLOBAL,
                                      DIVIDE, PAIR_FORMULA, TRIPLE_TABLE, P_INNERMOST};
constexpr config IN_REGISTERS = with(BENCHMARK_VERSION, HOLD_ALL);
constexpr config SHARED_SIZES = with(IN_REGISTERS, SIZES_SHARED);
constexpr config POWERS_OF_TWO = with(SHARED_SIZES, SHIFT);
constexpr config IN_ROWS = with(POWERS_OF_TWO, ROWS);
constexpr config CUT_TRIANGLE = with(IN_ROWS, PAIR_TRIANGLE);
constexpr config ONE_LEVEL = with(with(CUT_TRIANGLE, HOLD_NEXT), P_OUTERMOST);
constexpr config ZERO_LEVEL = with(with_level(ONE_LEVEL, 0), SIZES_PARAMETER);

// ---- Device

void must(cudaError_t error, const char *what);
#define MUST(call) must(call, #call)
void *device_take(int64_t bytes);

// A tour on the device. Moves are executed on `p.node`; `d_start` keeps the tour as generated.
struct device_tour {
    steps_tour host;
    problem p;
    int32_t *d_node, *d_start;
    steps_answers answers[4];  // [cuts], of small tours only
    candidate best[4];         // [cuts], of the first variant that was measured
    bool has_best[4];
};

struct hierarchy {
    stored_segments stored;
    index_mode index;
    layout_mode layout;
    int level;
};

// Units of a part: `low` of level 0, `high` of level 1. 0: the least effort (Irnich), rounded to a power of two for
// SHIFT.
struct part_sizes {
    int32_t low, high;
};

hierarchy hierarchy_open(const device_tour *t, const config *c, part_sizes parts);
void hierarchy_close(hierarchy *h);
// One launch for each level and resource, or, with `all_resources_in_one`, for each level.
void enqueue_hierarchy(cudaStream_t stream, const hierarchy *h, const device_tour *t, bool all_resources_in_one);

// What the evaluation of a neighbourhood, or of a part of it, needs besides the tour and its segments.
struct workspace {
    int64_t moves;           // places of the fitness structure
    int32_t *value;
    uint8_t *feasible;
    candidate *partial;      // [blocks], as many as the device holds at a time
    int blocks;
    candidate *best;
};

// `best` is the kernel that finds the best move; NULL: the reduction of the fitness structure.
workspace workspace_open(int64_t moves, best_kernel best);
void workspace_close(workspace *w);

// The mapping of all triples, or NULL for 2-opt.
triple *triples_open(int32_t edges);

move_args args_of(const device_tour *t, const hierarchy *h, const workspace *w, const triple *triples, int cuts);

// ---- Work that is enqueued

void enqueue_moves(cudaStream_t stream, const kernel_set *k, move_kernel kernel, const move_args *a, int block);
// Sets all places to feasible and value 0.
void enqueue_clear(cudaStream_t stream, const kernel_set *k, const move_args *a);
// Leaves the best feasible place at w->best. `part` tells for each place the part of the neighbourhood that it is from;
// NULL: all are from the part of a->first. If a->list is not NULL, only its places count.
void enqueue_reduction(cudaStream_t stream, const kernel_set *k, const move_args *a, const workspace *w, const uint8_t *part);
// Evaluates all four resources and leaves the best move at w->best.
void enqueue_best(cudaStream_t stream, const kernel_set *k, const move_args *a, const workspace *w);
// Keeps the better of a and b, place by place, in a. `part` tells which part a place of a is from.
void enqueue_merge(cudaStream_t stream, const workspace *a, const workspace *b, uint8_t *part, int number, int64_t places);

// Executes the better of two candidates (the second may be NULL) if it improves the tour; else puts the start tour
// back. `moves` is a ring of RING candidates, on the host or on the device. The move is written at *counter, which is
// incremented.
enum { RING = 16 };
void enqueue_execution(cudaStream_t stream, const candidate *a, const candidate *b, int32_t *d_node, const int32_t *d_start,
                       int32_t nodes, candidate *moves, uint32_t *counter);

steps_move move_of_key(uint64_t key);

// ---- Clocks and checks

typedef void (*timed_work)(cudaStream_t stream, void *state);
// Milliseconds of one call on the device, without the launches by the host: the median of several samples.
double time_ms(timed_work work, void *state, bool is_quick);
// Fills in registers, local bytes, occupancy and block size.
void row_of_kernel(steps_row *row, const void *kernel, int block);

// Turns the place of a move in the fitness structure into its place in lexicographic order.
int64_t rank_of_place(const kernel_set *k, int32_t edges, int64_t place);
// Compares the fitness structure of a small tour with the walk along every neighbour.
void check_answers(const device_tour *t, const kernel_set *k, const workspace *w, const char *variant);
// The best move of a small tour by the walk, among the moves that is_kept keeps at this rate (NULL: all).
candidate best_of_answers(const device_tour *t, int cuts, bool (*is_kept)(uint64_t key, uint32_t rate), uint32_t rate);
// Compares a candidate on the device with an expected one; check_best() takes that of the walk (small tours) or of the
// first variant.
void check_candidate(const device_tour *t, int cuts, const candidate *d_best, candidate expected, const char *variant);
void check_best(device_tour *t, int cuts, const candidate *d_best, const char *variant);

// ---- The benchmark

enum { SMALL_TOURS = 3, MOST_TOURS = 12, DEFAULT_BLOCK = 128 };
// The customers of the last tour lie on a coarse grid, so that several moves are the best.
static const int32_t SMALL_NODES[SMALL_TOURS] = {57, 99, 56}, TIED_NODES = 56;

struct bench {
    steps_report report;
    const char *part;  // NULL: all
    bool is_quick;
    int32_t largest;   // nodes
    device_tour tours[MOST_TOURS];
    int tour_count;
};

bool is_wanted(const bench *b, const char *part);
// Opens the tour at the first call. A size above the largest becomes the largest.
device_tour *tour_of(bench *b, int32_t nodes);
void tours_close(bench *b);

// ---- Evaluations and their rows (steps_measure.cu)

// The kernels add sets of resources to the fitness structure, or one kernel writes all of it, or there is no fitness
// structure.
enum evaluation_mode { ADD_SETS, SET_WHOLE, FIND_BEST };

struct evaluation {
    kernel_set k;
    evaluation_mode mode;
    int sets[RESOURCES], set_count;
    int block[RESOURCES];  // of each kernel; 0: tune() finds the fastest of some
};

evaluation evaluation_of(kernel_set k, evaluation_mode mode, const int *sets, int set_count, int block);
static const int SINGLE_SETS[] = {CAPACITY, COST, VEHICLES, LENGTH}, PAIR_SETS[] = {COST | LENGTH, VEHICLES | CAPACITY},
                 OTHER_PAIR_SETS[] = {COST | CAPACITY, VEHICLES | LENGTH}, WHOLE_SET[] = {ALL_FOUR};

// A neighbourhood of a tour with all that its evaluation needs; `h` is borrowed. If `parts` > 1, it is evaluated in
// parts of a->stride triples, and `other` and `part` exist.
struct neighbourhood {
    device_tour *t;
    evaluation e;
    const hierarchy *h;
    workspace w, other;
    uint8_t *part;
    int parts;
    triple *triples;
    move_args a;
};

// `most_moves` is the size of the fitness structure; a larger neighbourhood is split into parts.
neighbourhood neighbourhood_open(device_tour *t, const evaluation *e, const hierarchy *h, int64_t most_moves);
void neighbourhood_close(neighbourhood *n);
void tune(neighbourhood *n);
// Evaluates all four resources of one part, at a->value and a->feasible.
void enqueue_part(cudaStream_t stream, const neighbourhood *n, const move_args *a);
// Does the same for all parts, with clearing, merging and reduction: the best move is then at w.best.
void enqueue_neighbourhood(cudaStream_t stream, const neighbourhood *n);
void args_of_part(const neighbourhood *n, int number, move_args *a);

// Checks an evaluation against the walk on small tours, then prints its rows at `nodes`.
void measure(bench *b, const char *step, const char *variant, int32_t nodes, const evaluation *e, part_sizes parts);

void run_kernel_steps(bench *b);
void run_combined(bench *b);
void run_iterations(bench *b);
void run_splitting(bench *b);
void run_filter(bench *b);

// ---- Compaction (steps_compact.cu)

// Lists the places of `keep` that are 1, in order; *d_count is their number.
size_t compaction_bytes(uint32_t places);
void enqueue_compaction(cudaStream_t stream, void *scratch, size_t bytes, const uint8_t *keep, uint32_t places, uint32_t *list,
                        uint32_t *d_count);

#endif
