// SPDX-License-Identifier: MIT
// Whole iterations of the search: table 5 and the coordination of host and device (section 9, step 12).
//
// An iteration creates the hierarchy, evaluates all resources, reduces, and executes the best move on the device and on
// the host. The host walks along its tour and compares the objective. At a local optimum both go back to the start
// tour.
#include "steps_bench.cuh"

#include <cmath>
#include <cstdlib>
#include <cstring>

enum { MOST_ITERATIONS = 100, QUICK_ITERATIONS = 10, FEWEST_ITERATIONS = 3 };
static const double ROW_MS = 400;  // of all iterations of a row; large tours take fewer iterations

struct search {
    device_tour *t;
    hierarchy h;
    neighbourhood two, three;
    bool is_complete_3opt, all_resources_in_one;
    cudaStream_t stream;
    cudaGraphExec_t graph;
    cudaEvent_t done[2];
    candidate *moves, *d_moves;  // two rings: on the host, where the device writes it, and on the device
    uint32_t *d_counter;
    int32_t *node, *neighbour;   // the host's tour
    int64_t start_objective, objective;
};

static void reset(search *s)
{
    const size_t bytes = (size_t)s->t->host.nodes * sizeof(int32_t);
    MUST(cudaStreamSynchronize(s->stream));
    MUST(cudaMemcpy(s->t->d_node, s->t->d_start, bytes, cudaMemcpyDeviceToDevice));
    MUST(cudaMemset(s->d_counter, 0, sizeof *s->d_counter));
    memcpy(s->node, s->t->host.node, bytes);
    s->objective = s->start_objective;
    MUST(cudaDeviceSynchronize());
}

static search search_open(device_tour *t, const evaluation *two, const evaluation *three, int64_t most_moves)
{
    search s = {};
    s.t = t;
    s.h = hierarchy_open(t, &two->k.c, {0, 0});
    s.is_complete_3opt = three != NULL;
    s.two = neighbourhood_open(t, two, &s.h, 0);
    if (three)
        s.three = neighbourhood_open(t, three, &s.h, most_moves);
    s.all_resources_in_one = two->mode == FIND_BEST;
    MUST(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    for (int k = 0; k < 2; k++)
        MUST(cudaEventCreateWithFlags(&s.done[k], cudaEventDisableTiming));
    MUST(cudaHostAlloc((void **)&s.moves, RING * sizeof(candidate), cudaHostAllocMapped));
    s.d_moves = (candidate *)device_take(RING * sizeof(candidate));
    s.d_counter = (uint32_t *)device_take(sizeof *s.d_counter);
    s.node = (int32_t *)steps_take(t->host.nodes, sizeof(int32_t));
    s.neighbour = (int32_t *)steps_take(t->host.nodes, sizeof(int32_t));
    bool is_feasible;
    steps_walk(&t->host, t->host.node, &s.start_objective, &is_feasible);
    reset(&s);
    enqueue_hierarchy(0, &s.h, t, false);
    if (s.two.w.moves > 0)
        enqueue_clear(0, &s.two.e.k, &s.two.a);
    tune(&s.two);
    if (three)
        tune(&s.three);
    return s;
}

static void search_close(search *s)
{
    reset(s);
    if (s->graph)
        cudaGraphExecDestroy(s->graph);
    for (int k = 0; k < 2; k++)
        cudaEventDestroy(s->done[k]);
    cudaStreamDestroy(s->stream);
    free(s->neighbour);
    free(s->node);
    cudaFree(s->d_counter);
    cudaFree(s->d_moves);
    cudaFreeHost(s->moves);
    if (s->is_complete_3opt)
        neighbourhood_close(&s->three);
    neighbourhood_close(&s->two);
    hierarchy_close(&s->h);
}

static void enqueue_segments(search *s)
{
    enqueue_hierarchy(s->stream, &s->h, s->t, s->all_resources_in_one);
}

static void enqueue_move(search *s, candidate *moves)
{
    enqueue_neighbourhood(s->stream, &s->two);
    if (s->is_complete_3opt)
        enqueue_neighbourhood(s->stream, &s->three);
    enqueue_execution(s->stream, s->two.w.best, s->is_complete_3opt ? s->three.w.best : NULL, s->t->d_node, s->t->d_start,
                      s->t->host.nodes, moves, s->d_counter);
}

// The host's side: executes the move and checks it by a walk along the tour.
static void take_move(search *s, candidate c)
{
    if (c.value >= 0) {
        memcpy(s->node, s->t->host.node, (size_t)s->t->host.nodes * sizeof(int32_t));
        s->objective = s->start_objective;
        return;
    }
    int64_t objective;
    bool is_feasible;
    steps_neighbour(s->node, s->t->host.edges, move_of_key(c.key), s->neighbour);
    steps_walk(&s->t->host, s->neighbour, &objective, &is_feasible);
    if (!is_feasible || objective != s->objective + c.value)
        steps_die("%d nodes: a move of value %d leads to objective %lld from %lld, feasible %d", s->t->host.nodes, c.value,
                  (long long)objective, (long long)s->objective, is_feasible);
    s->objective = objective;
    int32_t *const other = s->node;
    s->node = s->neighbour;
    s->neighbour = other;
}

// ---- Schemes: each runs n iterations and writes the key of the k-th move to keys[k]

typedef void (*scheme)(search *s, int n, uint64_t *keys);

static void run_plain(search *s, int n, uint64_t *keys)
{
    for (int k = 0; k < n; k++) {
        candidate c;
        enqueue_segments(s);
        enqueue_move(s, s->d_moves);
        MUST(cudaMemcpyAsync(&c, &s->d_moves[k % RING], sizeof c, cudaMemcpyDeviceToHost, s->stream));
        MUST(cudaStreamSynchronize(s->stream));
        take_move(s, c);
        keys[k] = c.key;
    }
}

// The report's scheme: a kernel writes the move to the host. The next hierarchy is under way before the host waits for
// an event.
static void run_events(search *s, int n, uint64_t *keys)
{
    enqueue_segments(s);
    for (int k = 0; k < n; k++) {
        enqueue_move(s, s->moves);
        MUST(cudaEventRecord(s->done[0], s->stream));
        if (k + 1 < n)
            enqueue_segments(s);
        MUST(cudaEventSynchronize(s->done[0]));
        take_move(s, s->moves[k % RING]);
        keys[k] = s->moves[k % RING].key;
    }
}

static void capture(search *s)
{
    cudaGraph_t graph;
    MUST(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal));
    enqueue_segments(s);
    enqueue_move(s, s->moves);
    MUST(cudaStreamEndCapture(s->stream, &graph));
    MUST(cudaGraphInstantiateWithFlags(&s->graph, graph, 0));
    MUST(cudaGraphDestroy(graph));
}

static void run_graph(search *s, int n, uint64_t *keys)
{
    for (int k = 0; k < n; k++) {
        MUST(cudaGraphLaunch(s->graph, s->stream));
        MUST(cudaStreamSynchronize(s->stream));
        take_move(s, s->moves[k % RING]);
        keys[k] = s->moves[k % RING].key;
    }
}

// The device runs the next iteration while the host takes a move.
static void run_graph_ahead(search *s, int n, uint64_t *keys)
{
    for (int k = 0; k <= n; k++) {
        if (k < n) {
            MUST(cudaGraphLaunch(s->graph, s->stream));
            MUST(cudaEventRecord(s->done[k % 2], s->stream));
        }
        if (k == 0)
            continue;
        MUST(cudaEventSynchronize(s->done[(k - 1) % 2]));
        take_move(s, s->moves[(k - 1) % RING]);
        keys[k - 1] = s->moves[(k - 1) % RING].key;
    }
}

static const struct {
    const char *name;
    scheme run;
    bool uses_graph;
} SCHEMES[] = {{"launches; copy and wait", run_plain, false},
               {"launches; events; mapped move", run_events, false},
               {"graph; wait", run_graph, true},
               {"graph; one iteration ahead", run_graph_ahead, true}};
enum { EVENTS_SCHEME = 1, AHEAD_SCHEME = 3, SCHEME_COUNT = sizeof SCHEMES / sizeof *SCHEMES };

// Milliseconds of an iteration. The first `known` moves must be those in keys[]; later ones are put there.
static double time_search(search *s, int which, const bench *b, uint64_t *keys, int *known)
{
    uint64_t found[MOST_ITERATIONS];
    cudaEvent_t events[2];
    float ms = 0;
    for (int k = 0; k < 2; k++)
        MUST(cudaEventCreate(&events[k]));
    if (SCHEMES[which].uses_graph && !s->graph)
        capture(s);
    int n = FEWEST_ITERATIONS;
    for (int timed = 0; timed < 2; timed++) {
        reset(s);
        MUST(cudaEventRecord(events[0], s->stream));
        SCHEMES[which].run(s, n, found);
        MUST(cudaEventRecord(events[1], s->stream));
        MUST(cudaEventSynchronize(events[1]));
        MUST(cudaEventElapsedTime(&ms, events[0], events[1]));
        for (int k = 0; k < n; k++)
            if (k < *known && found[k] != keys[k])
                steps_die("%s, %d nodes: another move in iteration %d", SCHEMES[which].name, s->t->host.nodes, k);
        if (n > *known) {
            memcpy(keys, found, (size_t)n * sizeof *keys);
            *known = n;
        }
        ms /= (float)n;
        const int most = b->is_quick ? QUICK_ITERATIONS : MOST_ITERATIONS,
                  wanted = ms > 0 ? (int)fmin(ROW_MS / ms, most) : most;
        if (timed == 0)
            n = wanted > FEWEST_ITERATIONS ? wanted : FEWEST_ITERATIONS;
    }
    for (int k = 0; k < 2; k++)
        cudaEventDestroy(events[k]);
    return ms;
}

static void print_search(const bench *b, const char *step, const char *variant, const char *kernel, const search *s, double ms)
{
    const int32_t edges = s->t->p.edges;
    const int64_t moves = steps_moves(edges, 2) + (s->is_complete_3opt ? steps_moves(edges, 3) : 0);
    const steps_row row = steps_row_of(step, variant, kernel, s->is_complete_3opt ? 0 : 2, s->t->host.nodes, moves, ms);
    steps_report_row(&b->report, &row);
}

// A configuration with its kernels: for 2-opt alone, and for both operators of complete 3-opt.
struct method {
    const char *name;
    evaluation two_alone, two, three;
    int scheme;
};

template <index_mode I> static method method_of(const char *name, evaluation_mode mode)
{
    constexpr config ONE = with(ONE_LEVEL, I), ZERO = with(ZERO_LEVEL, I);
    constexpr int CHOICE = PAIRS | BEST;
    const int *sets = mode == FIND_BEST ? WHOLE_SET : PAIR_SETS, count = mode == FIND_BEST ? 1 : 2;
    return {name, evaluation_of(kernels_of<ONE, 2, CHOICE>(), mode, sets, count, 0),
            evaluation_of(kernels_of<ZERO, 2, CHOICE>(), mode, sets, count, 0),
            evaluation_of(kernels_of<ZERO, 3, CHOICE>(), mode, sets, count, 0),
            mode == FIND_BEST ? AHEAD_SCHEME : EVENTS_SCHEME};
}

// `which`: a scheme, or -1 for all.
static void time_method(bench *b, const char *step, const method *m, int32_t nodes, bool is_complete_3opt, int which,
                        uint64_t *keys, int *known)
{
    device_tour *t = tour_of(b, nodes);
    search s = is_complete_3opt ? search_open(t, &m->two, &m->three, 0) : search_open(t, &m->two_alone, NULL, 0);
    for (int k = 0; k < SCHEME_COUNT; k++)
        if (which < 0 || k == which)
            print_search(b, step, m->name, SCHEMES[k].name, &s, time_search(&s, k, b, keys, known));
    search_close(&s);
}

// Step 12.
static void run_overlap(bench *b, const method *methods)
{
    static const int32_t NODES[2][4] = {{99, 399, 967, 2401}, {57, 99, 201, 399}};
    for (int complete = 0; complete < 2; complete++)
        for (int k = 0; k < 4; k++) {
            uint64_t keys[MOST_ITERATIONS];
            int known = 0;
            if (NODES[complete][k] > b->largest)
                continue;
            time_method(b, "overlap", &methods[0], NODES[complete][k], complete, -1, keys, &known);
            time_method(b, "overlap", &methods[2], NODES[complete][k], complete, -1, keys, &known);
        }
}

static void run_table_5(bench *b, const method *methods)
{
    static const int32_t NODES[] = {57, 99, 201, 301, 399, 511, 967, 1441, 2081, 2401};
    for (int complete = 0; complete < 2; complete++)
        for (size_t k = 0; k < sizeof NODES / sizeof *NODES; k++) {
            uint64_t keys[MOST_ITERATIONS];
            int known = 0;
            for (int m = 0; m < 3 && NODES[k] <= b->largest; m++)
                time_method(b, "table5", &methods[m], NODES[k], complete, methods[m].scheme, keys, &known);
        }
}

void run_iterations(bench *b)
{
    const method methods[] = {method_of<ROWS>("index mode 3; pairs", ADD_SETS),
                              method_of<RECTANGLE>("index mode 4; pairs", ADD_SETS),
                              method_of<RECTANGLE>("index mode 4; all four; no fitness structure", FIND_BEST)};
    if (is_wanted(b, "table5"))
        run_table_5(b, methods);
    if (is_wanted(b, "overlap"))
        run_overlap(b, methods);
}
