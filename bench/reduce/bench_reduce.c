// SPDX-License-Identifier: MIT
// Reductions on one GPU in one run: the historical kernels of the thesis' tables 6.1 to 6.3, CUB and ours, on the
// same allocation, every result checked. README.md says how to run it and what the rows mean.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "historical.h"
#include "mco/mco.h"
#include "measure.h"
#include "report.h"

enum {
    HARRIS_COUNT = 1 << 22,    // items of table 6.1
    THESIS_COUNT = 5533214,    // items of tables 6.2 and 6.3, the arcs of roadNet-CA
    SMALLEST_LOG2 = 10,        // bytes of the smallest row
    LARGEST_LOG2 = 32,         // bytes of the largest row
    GRAPH_LAST_LOG2 = 26,      // a larger call takes longer than a graph launch could hide
    ROTATION_FIRST_LOG2 = 20,  // below, launching dominates a rotating call of a few microseconds, not memory
    ROTATION_LAST_LOG2 = 27,   // above, one buffer alone is several times the L2
    DEFAULT_REPEAT = 200,
    MAX_REPEAT = 100000,
    MAX_REFERENCES = 32
};
static const double TABLE_BUDGET_S = 1.0, SIZE_BUDGET_S = 0.4;  // of a row group
static const double ALLOWED_WARM_UP_S = 0.3;

typedef struct arguments {
    const char *table, *csv, *gpu;
    int repeat, largest_log2, block;
} arguments;

typedef struct bench {
    bench_run run;
    bench_report report;
    arguments args;
    bench_reference references[MAX_REFERENCES];
} bench;

// The competitors of a row group.
typedef struct field {
    bench_entry entries[BENCH_MAX_ENTRIES];
    int count;
} field;

// ---- Competitors, with what the thesis published on its chips

static void add(field *f, bench_competitor who)
{
    f->entries[f->count++] = (bench_entry){.who = who};
}

static void add_published(field *f, bench_competitor who, double ms, double gb_s, double share)
{
    who.published_ms = ms;
    who.published_gb_s = gb_s;
    who.published_share = share;
    add(f, who);
}

static void add_ours_and_cub(field *f, const arguments *args)
{
    add(f, bench_ours(args->block));
    add(f, bench_cub());
}

// Table 6.1: 2^22 ints on a G80 (86.4 GB/s).
static void add_harris(field *f)
{
    static const double MS[] = {8.054, 3.456, 1.722, 0.965, 0.536, 0.381, 0.268};
    static const double GB_S[] = {2.083, 4.854, 9.741, 17.377, 31.289, 43.996, 62.671};
    for (int step = 0; step < 7; step++)
        add_published(f, bench_historical((historical_form)(HISTORICAL_HARRIS_1 + step), 0), MS[step], GB_S[step], 0);
}

// Table 6.2: 5,533,214 items on an R9 290X (332.8 GB/s). Its row F = 1 is Catanzaro's original.
static void add_thesis(field *f)
{
    static const double MS[] = {0.249780, 0.173930, 0.139260, 0.127700, 0.113930, 0.100810, 0.093740, 0.089490};
    static const double GB_S[] = {88.609, 127.252, 158.932, 173.319, 194.267, 219.550, 236.109, 247.322};
    static const double SHARE[] = {0.2663, 0.3824, 0.4776, 0.5208, 0.5837, 0.6597, 0.7095, 0.7432};
    add_published(f, bench_historical(HISTORICAL_CATANZARO, 0), MS[0], GB_S[0], SHARE[0]);
    add(f, bench_historical(HISTORICAL_THESIS, 1));
    for (int unroll = 2; unroll <= 8; unroll++)
        add_published(f, bench_historical(HISTORICAL_THESIS, unroll), MS[unroll - 1], GB_S[unroll - 1], SHARE[unroll - 1]);
    for (int unroll = 9; unroll < HISTORICAL_UNROLL_MAX; unroll++)
        add(f, bench_historical(HISTORICAL_THESIS, unroll));
    add_published(f, bench_historical(HISTORICAL_THESIS, HISTORICAL_UNROLL_MAX), 0.088160, 251.053, 0.7544);
}

// ---- Data and rows

// Fills the allocation with the numbers of this type, unless it holds them already.
static mco_status use_type(bench *b, bench_type type)
{
    mco_status st = MCO_OK;
    bench_run *run = &b->run;
    int64_t count = (int64_t)(run->data_bytes / BENCH_ITEM_BYTES);
    MCO_CUDA(run->ctx, bench_fill(type, run->d_data, count, run->device.stream));
    MCO_CUDA(run->ctx, cudaStreamSynchronize(run->device.stream));
done:
    return st;
}

static mco_status measure_field(bench *b, field *f, bench_case c)
{
    mco_status st = MCO_OK;
    bench_shape shape;
    MCO_TRY(bench_measure(&b->run, &c, f->entries, f->count, &shape));
    bench_report_case(&b->report, &c, f->entries, f->count, &shape);
done:
    return st;
}

// One table of few rows: hot and rotating buffers, both clocks.
static mco_status measure_both_ways(bench *b, field *f, const char *table, bench_type type, int64_t count)
{
    mco_status st = MCO_OK;
    for (int way = 0; way < BENCH_CLOCKS * BENCH_BUFFERS; way++)
        MCO_TRY(measure_field(b, f,
                              (bench_case){.table = table,
                                           .op = BENCH_SUM,
                                           .type = type,
                                           .count = count,
                                           .clock = (bench_clock)(way % BENCH_CLOCKS),
                                           .is_rotating = way >= BENCH_CLOCKS,
                                           .budget_s = TABLE_BUDGET_S}));
done:
    return st;
}

static mco_status table_6_1(bench *b, bench_type type)
{
    field f = {.count = 0};
    if (type != BENCH_I32)
        return MCO_OK;
    add_harris(&f);
    add(&f, bench_historical(HISTORICAL_SHUFFLE, 0));
    add_ours_and_cub(&f, &b->args);
    return measure_both_ways(b, &f, "6.1", type, HARRIS_COUNT);
}

static mco_status table_6_2(bench *b, bench_type type)
{
    field f = {.count = 0};
    add_thesis(&f);
    add_ours_and_cub(&f, &b->args);
    return measure_both_ways(b, &f, "6.2", type, THESIS_COUNT);
}

static mco_status table_6_3(bench *b, bench_type type)
{
    const double bytes = (double)THESIS_COUNT * BENCH_ITEM_BYTES, k7_ms = 0.17766, thesis_ms = 0.17867;
    const double peak_gb_s = 144;  // of the C2075
    field f = {.count = 0};
    double k7 = bytes / k7_ms * 1e-6, thesis = bytes / thesis_ms * 1e-6;  // GB/s, from the published times
    add_published(&f, bench_historical(HISTORICAL_HARRIS_7, 0), k7_ms, k7, k7 / peak_gb_s);
    add_published(&f, bench_historical(HISTORICAL_THESIS, 8), thesis_ms, thesis, thesis / peak_gb_s);
    add_ours_and_cub(&f, &b->args);
    return measure_both_ways(b, &f, "6.3", type, THESIS_COUNT);
}

// All forms over all sizes, sum of i32, hot.
static mco_status table_sizes(bench *b, bench_type type)
{
    mco_status st = MCO_OK;
    field f = {.count = 0};
    if (type != BENCH_I32)
        return MCO_OK;
    for (int form = HISTORICAL_HARRIS_1; form <= HISTORICAL_CATANZARO; form++)
        add(&f, bench_historical((historical_form)form, 0));
    for (int unroll = 1; unroll <= HISTORICAL_UNROLL_MAX; unroll *= 2)
        add(&f, bench_historical(HISTORICAL_THESIS, unroll));
    add_ours_and_cub(&f, &b->args);
    for (int log2 = SMALLEST_LOG2; log2 <= b->args.largest_log2; log2++)
        MCO_TRY(measure_field(b, &f,
                              (bench_case){.table = "sizes",
                                           .op = BENCH_SUM,
                                           .type = type,
                                           .count = ((int64_t)1 << log2) / BENCH_ITEM_BYTES,
                                           .clock = BENCH_CLOCK_EVENTS,
                                           .budget_s = SIZE_BUDGET_S}));
done:
    return st;
}

// ---- Ours against CUB

// Measures a launch that does nothing, by both clocks.
static mco_status clock_floor(bench *b)
{
    mco_status st = MCO_OK;
    field f = {.count = 0};
    add(&f, bench_empty());
    for (int clock = 0; clock < BENCH_CLOCKS; clock++)
        MCO_TRY(measure_field(b, &f, (bench_case){.table = "floor", .count = 1, .clock = (bench_clock)clock}));
done:
    return st;
}

static mco_status cub_sizes(bench *b, bench_case c, int first_log2, int last_log2)
{
    mco_status st = MCO_OK;
    for (int log2 = first_log2; log2 <= last_log2 && log2 <= b->args.largest_log2; log2++) {
        field f = {.count = 0};
        add_ours_and_cub(&f, &b->args);
        c.count = ((int64_t)1 << log2) / BENCH_ITEM_BYTES;
        MCO_TRY(measure_field(b, &f, c));
    }
done:
    return st;
}

static mco_status table_cub(bench *b, bench_type type)
{
    mco_status st = MCO_OK;
    MCO_TRY(clock_floor(b));
    for (int op = 0; op < BENCH_OPS; op++) {
        bench_case c = {.table = "cub", .op = (bench_op)op, .type = type, .clock = BENCH_CLOCK_EVENTS};
        MCO_TRY(cub_sizes(b, c, SMALLEST_LOG2, LARGEST_LOG2));
        c.is_rotating = true;
        MCO_TRY(cub_sizes(b, c, ROTATION_FIRST_LOG2, ROTATION_LAST_LOG2));
        c.clock = BENCH_CLOCK_GRAPH;
        MCO_TRY(cub_sizes(b, c, ROTATION_FIRST_LOG2, ROTATION_LAST_LOG2));
        c.is_rotating = false;
        MCO_TRY(cub_sizes(b, c, SMALLEST_LOG2, GRAPH_LAST_LOG2));
    }
done:
    return st;
}

// ---- Tables

typedef struct table {
    const char *name;
    mco_status (*measure)(bench *b, bench_type type);
} table;

static const table TABLES[] = {
    {"6.1", table_6_1}, {"6.2", table_6_2}, {"6.3", table_6_3}, {"sizes", table_sizes}, {"cub", table_cub}};
enum { TABLE_COUNT = sizeof TABLES / sizeof TABLES[0] };

static bool is_wanted(const arguments *args, const char *name)
{
    return strcmp(args->table, "all") == 0 || strcmp(args->table, name) == 0;
}

// Makes the reference values of every count that a table may ask for, in ascending order.
static void make_references(bench *b)
{
    int rows = 0;
    for (int log2 = 0; log2 <= LARGEST_LOG2; log2++) {
        int64_t count = ((int64_t)1 << log2) / BENCH_ITEM_BYTES;
        if (count == 0 || (log2 > b->args.largest_log2 && count > HARRIS_COUNT))
            continue;
        b->references[rows++].count = count;
        if (count == HARRIS_COUNT)  // the next power of two is larger than THESIS_COUNT
            b->references[rows++].count = THESIS_COUNT;
    }
    bench_reference_fill(b->references, rows);
    b->run.references = b->references;
    b->run.reference_count = rows;
}

// Runs until the clocks of an idle chip have risen.
static mco_status warm_up(bench *b)
{
    mco_status st = MCO_OK;
    double begin = mco_clock_s();
    while (mco_clock_s() - begin < ALLOWED_WARM_UP_S)
        MCO_TRY(use_type(b, BENCH_I32));
done:
    return st;
}

static mco_status measure_tables(bench *b)
{
    mco_status st = MCO_OK;
    void *d_data = NULL;
    size_t most = (size_t)1 << b->args.largest_log2, least = (size_t)THESIS_COUNT * BENCH_ITEM_BYTES;
    b->run.data_bytes = bench_data_bytes(&b->run, most > least ? most : least);
    MCO_TRY(mco_device_take_bytes(&b->run.device, MCO_MEMORY_DEVICE, &d_data, b->run.data_bytes, 1));
    b->run.d_data = d_data;
    make_references(b);
    MCO_TRY(warm_up(b));
    for (int type = 0; type < BENCH_TYPES; type++) {
        MCO_TRY(use_type(b, (bench_type)type));
        for (int i = 0; i < TABLE_COUNT; i++)
            if (is_wanted(&b->args, TABLES[i].name))
                MCO_TRY(TABLES[i].measure(b, (bench_type)type));
    }
done:
    mco_device_give_bytes(&b->run.device, &d_data);
    return st;
}

// ---- Command

static const char USAGE[] =
    "usage: bench_reduce [--table 6.1|6.2|6.3|sizes|cub|all] [--csv FILE] [--repeat N] [--largest LOG2] [--gpu I] [--block N]\n"
    "  --table    what to measure; all\n"
    "  --csv      rows, besides the text on standard output\n"
    "  --repeat   samples of each competitor; 200\n"
    "  --largest  largest size of tables sizes and cub is 2^LOG2 bytes, 10..32; 32\n"
    "  --gpu      index of the GPU; the first\n"
    "  --block    threads of our blocks: 256, 512 or 1024; 0, as the library chooses\n";

static bool read_int(const char *text, int low, int high, int *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    *out = (int)value;
    return end != text && *end == '\0' && value >= low && value <= high;
}

static bool is_table(const char *name)
{
    bool known = strcmp(name, "all") == 0;
    for (int i = 0; i < TABLE_COUNT; i++)
        known = known || strcmp(name, TABLES[i].name) == 0;
    return known;
}

static bool is_block(int block)
{
    return block == 0 || block == 256 || block == 512 || block == 1024;
}

static bool read_arguments(int argc, char **argv, arguments *out)
{
    *out = (arguments){.table = "all", .repeat = DEFAULT_REPEAT, .largest_log2 = LARGEST_LOG2};
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *flag = argv[i], *value = argv[i + 1];
        bool is_fine = true;
        if (strcmp(flag, "--table") == 0)
            is_fine = is_table(out->table = value);
        else if (strcmp(flag, "--csv") == 0)
            out->csv = value;
        else if (strcmp(flag, "--gpu") == 0)
            out->gpu = value;
        else if (strcmp(flag, "--repeat") == 0)
            is_fine = read_int(value, 1, MAX_REPEAT, &out->repeat);
        else if (strcmp(flag, "--largest") == 0)
            is_fine = read_int(value, SMALLEST_LOG2, LARGEST_LOG2, &out->largest_log2);
        else if (strcmp(flag, "--block") == 0)
            is_fine = read_int(value, 0, 1024, &out->block) && is_block(out->block);
        else
            is_fine = false;
        if (!is_fine) {
            fprintf(stderr, "bench_reduce: %s %s is not understood\n", flag, value);
            return false;
        }
    }
    return argc % 2 == 1;
}

static mco_status open_all(bench *b, mco_context *ctx)
{
    mco_status st = MCO_OK;
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    b->run.ctx = ctx;
    b->run.repeat = b->args.repeat;
    MCO_TRY(mco_gpus_choose(ctx, b->args.gpu, gpus, &count));
    MCO_TRY(mco_device_open(ctx, &gpus[0], &b->run.device));
    if (b->args.csv != NULL && (b->report.csv = fopen(b->args.csv, "w")) == NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_IO, "%s cannot be written", b->args.csv));
done:
    return st;
}

int main(int argc, char **argv)
{
    static bench b;
    mco_status st = MCO_OK;
    mco_context *ctx = NULL;
    double begin = mco_clock_s();
    if (!read_arguments(argc, argv, &b.args)) {
        fputs(USAGE, stderr);
        return EXIT_FAILURE;
    }
    MCO_TRY(mco_context_create(&ctx, NULL));
    MCO_TRY(open_all(&b, ctx));
    bench_report_begin(&b.report, &b.run, argc, argv);
    MCO_TRY(measure_tables(&b));
    bench_report_end(&b.report, &b.run, mco_clock_s() - begin);
done:
    if (st != MCO_OK)
        fprintf(stderr, "bench_reduce: %s\n", ctx != NULL ? mco_context_error(ctx) : "out of memory");
    mco_device_close(&b.run.device);
    if (b.report.csv != NULL && fclose(b.report.csv) != 0)
        st = MCO_ERR_IO;
    mco_context_destroy(&ctx);
    return st == MCO_OK && b.run.wrong_results == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
