// SPDX-License-Identifier: MIT
// Rows of the tables, in text and CSV.
#include "report.h"

#include <stdarg.h>
#include <string.h>

#include "mco/mco.h"

static const char *const OP_NAMES[BENCH_OPS] = {"sum", "min", "max", "argmin"};
static const char *const TYPE_NAMES[BENCH_TYPES] = {"i32", "f32"};
static const char *const CLOCK_NAMES[BENCH_CLOCKS] = {"events", "graph"};
static const char *const BUFFER_NAMES[BENCH_BUFFERS] = {"hot", "rotating"};

// A comment line on standard output and in the CSV file.
static void note(const bench_report *report, const char *format, ...) MCO_PRINTF(2, 3);

static void note(const bench_report *report, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    printf("# %s\n", line);
    if (report->csv != NULL)
        fprintf(report->csv, "# %s\n", line);
}

// ---- Begin

void bench_report_begin(bench_report *report, const bench_run *run, int argc, char **argv)
{
    const mco_gpu *gpu = &run->device.info;
    char command[256] = "";
    int driver = 0, runtime = 0, cub = bench_cub_version();
    (void)cudaDriverGetVersion(&driver);  // the line shows 0 if the calls fail
    (void)cudaRuntimeGetVersion(&runtime);
    for (int i = 0; i < argc; i++) {
        size_t used = strlen(command);
        snprintf(command + used, sizeof command - used, "%s%s", i > 0 ? " " : "", argv[i]);
    }
    report->peak_bytes_per_s = gpu->peak_bytes_per_s;
    note(report, "%s, compute capability %d.%d, %d multiprocessors, %.1f MB L2, peak %.4g TB/s", gpu->name, gpu->major,
         gpu->minor, gpu->multiprocessors, (double)gpu->l2_bytes * 1e-6, gpu->peak_bytes_per_s * 1e-12);
    note(report, "CUDA driver %d, runtime %d, CUB %d.%d.%d", driver, runtime, cub / 100000, cub / 100 % 1000, cub % 100);
    note(report, "mco %s (git %s; %s)", mco_version(), mco_version_git(), mco_version_build());
    note(report, "%s", command);
    note(report, "clock events: one call between two events; graph: a replay of `calls` calls between two events, divided by "
                 "calls");
    note(report, "both with the stream held until the host has enqueued the sample; competitors of a row group in turn, "
                 "medians");
    note(report, "buffer hot: one buffer; rotating: every call takes the next of buffers that span %d times the L2",
         ROTATION_L2);
    note(report, "published: the thesis, table 6.1 on a G80, 6.2 on an R9 290X (OpenCL), 6.3 on a C2075; not on this chip");
    if (report->csv != NULL)
        fprintf(report->csv, "table,op,type,bytes,count,buffer,clock,calls,samples,kernel,ms,ms_least,TB_s,share_of_peak,"
                             "ratio_to_cub,ratio_of_pairs,published_ms,published_GB_s,published_share,check\n");
}

// ---- Rows

// Prints the number, or nothing if there is none.
static void print_cell(FILE *file, double value, bool is_there)
{
    if (is_there)
        fprintf(file, ",%.5g", value);
    else
        fputc(',', file);
}

static const bench_entry *find_cub(const bench_entry *entries, int entry_count)
{
    for (int i = 0; i < entry_count; i++)
        if (entries[i].who.is_cub)
            return &entries[i];
    return NULL;
}

static const char *check_of(const bench_entry *e)
{
    return e->who.read == NULL ? "" : e->is_wrong ? "WRONG" : "right";
}

static void csv_row(const bench_report *report, const bench_case *c, const bench_entry *e, const bench_entry *cub,
                    const bench_shape *shape)
{
    FILE *f = report->csv;
    double bytes = (double)c->count * BENCH_ITEM_BYTES, rate = bytes / e->median_s;
    bool is_reduction = e->who.read != NULL;
    fprintf(f, "%s,%s,%s,%.0f,%lld,%s,%s,%d,%d,%s,%.6g,%.6g", c->table, OP_NAMES[c->op], TYPE_NAMES[c->type], bytes,
            (long long)c->count, BUFFER_NAMES[c->is_rotating], CLOCK_NAMES[c->clock], shape->calls, shape->samples,
            e->who.name, e->median_s * 1e3, e->least_s * 1e3);
    print_cell(f, rate * 1e-12, is_reduction);
    print_cell(f, rate / report->peak_bytes_per_s, is_reduction && report->peak_bytes_per_s > 0);
    print_cell(f, cub != NULL ? e->median_s / cub->median_s : 0, cub != NULL);
    print_cell(f, e->pairs_ratio, cub != NULL);
    print_cell(f, e->who.published_ms, e->who.published_ms > 0);
    print_cell(f, e->who.published_gb_s, e->who.published_gb_s > 0);
    print_cell(f, e->who.published_share, e->who.published_share > 0);
    fprintf(f, ",%s\n", check_of(e));
}

static void text_row(const bench_report *report, const bench_case *c, const bench_entry *e, const bench_entry *cub)
{
    double rate = (double)c->count * BENCH_ITEM_BYTES / e->median_s;
    printf("  %-20s %11.5f ms", e->who.name, e->median_s * 1e3);
    if (e->who.read != NULL)
        printf("  %8.4f TB/s", rate * 1e-12);
    if (e->who.read != NULL && report->peak_bytes_per_s > 0)
        printf("  %6.1f %%", 100 * rate / report->peak_bytes_per_s);
    if (cub != NULL)
        printf("  x %.3f of CUB, pairs %.3f", e->median_s / cub->median_s, e->pairs_ratio);
    if (e->who.published_ms > 0)
        printf("  (published %.5g ms)", e->who.published_ms);
    printf("  %s\n", check_of(e));
}

// ---- Extremes

static void add_extremes(bench_extremes *x, const bench_case *c, const bench_entry *ours, const bench_entry *cub)
{
    double ratio = ours->median_s / cub->median_s;
    if (x->rows++ == 0 || ratio > x->worst_ratio) {
        x->worst_ratio = ratio;
        x->worst_case = *c;
    }
    if (ours->pairs_ratio > x->worst_pairs_ratio)
        x->worst_pairs_ratio = ours->pairs_ratio;
    if (c->count <= BENCH_SMALL_COUNT && ours->median_s > x->longest_small_s)
        x->longest_small_s = ours->median_s;
    if (c->count > x->largest_count) {
        x->largest_count = c->count;
        x->least_large_share = 1 / ratio;
    } else if (c->count == x->largest_count && 1 / ratio < x->least_large_share) {
        x->least_large_share = 1 / ratio;
    }
}

void bench_report_case(bench_report *report, const bench_case *c, const bench_entry *entries, int entry_count,
                       const bench_shape *shape)
{
    const bench_entry *cub = find_cub(entries, entry_count);
    printf("%s: %s of %lld %s, %lld bytes, %s, clock %s, %d samples of %d calls\n", c->table, OP_NAMES[c->op],
           (long long)c->count, TYPE_NAMES[c->type], (long long)c->count * BENCH_ITEM_BYTES, BUFFER_NAMES[c->is_rotating],
           CLOCK_NAMES[c->clock], shape->samples, shape->calls);
    for (int i = 0; i < entry_count; i++) {
        const bench_entry *e = &entries[i];
        text_row(report, c, e, cub);
        if (report->csv != NULL)
            csv_row(report, c, e, cub, shape);
        if (strcmp(c->table, "cub") == 0 && cub != NULL && e != cub)
            add_extremes(&report->extremes[c->clock][c->is_rotating], c, e, cub);
    }
    fflush(stdout);
    if (report->csv != NULL)
        fflush(report->csv);
}

// ---- End

static void report_extremes(const bench_report *report, int clock, int buffer)
{
    const bench_extremes *x = &report->extremes[clock][buffer];
    const bench_case *w = &x->worst_case;
    if (x->rows == 0)
        return;
    note(report, "%s, %s: worst ours/CUB %.4f (%s %s, %lld bytes), of pairs %.4f, over %d rows", CLOCK_NAMES[clock],
         BUFFER_NAMES[buffer], x->worst_ratio, OP_NAMES[w->op], TYPE_NAMES[w->type],
         (long long)w->count * BENCH_ITEM_BYTES, x->worst_pairs_ratio, x->rows);
    note(report, "%s, %s: least share of CUB's bandwidth at %lld bytes %.4f", CLOCK_NAMES[clock], BUFFER_NAMES[buffer],
         (long long)x->largest_count * BENCH_ITEM_BYTES, x->least_large_share);
    if (x->longest_small_s > 0)
        note(report, "%s, %s: longest of ours up to %d items %.3f us", CLOCK_NAMES[clock], BUFFER_NAMES[buffer],
             BENCH_SMALL_COUNT, x->longest_small_s * 1e6);
}

void bench_report_end(bench_report *report, const bench_run *run, double wall_s)
{
    for (int clock = 0; clock < BENCH_CLOCKS; clock++)
        for (int buffer = 0; buffer < BENCH_BUFFERS; buffer++)
            report_extremes(report, clock, buffer);
    note(report, "%lld late samples, %d wrong results, %.1f s", (long long)run->late_samples, run->wrong_results, wall_s);
}
