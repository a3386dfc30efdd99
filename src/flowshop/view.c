// SPDX-License-Identifier: MIT
// The Gantt chart of a schedule: a row per machine, a bar per operation, time to the right.
//
// Colours depend on the position in the order, so a job has the same colour on all machines.
// Wide bars have eight tints of P. Tol ("light", Colour Schemes, 2021). They are made for dark text on them and stay
// distinct in the common kinds of colour blindness. They repeat every eight positions, so neighbours on a machine
// always differ. Positions one or two apart should look as different as possible. Of all cyclic orders of the tints,
// this one is the best at that (distance in CIELAB, the worst of normal, deuteranopic and protanopic sight).
// Narrow bars in these tints would look like confetti. So each eighth of the order has a shade of Tol's "iridescent"
// scale, and the viewer sees how the order passes from machine to machine.
//
// The critical path has a dark outline around its operations and a line through them: a staircase from 0 to the
// makespan. flowshop_critical_path says how it breaks ties between critical paths.
//
// Size. Up to DETAIL_OPERATIONS, an operation is a rectangle of its own with a tooltip, about 120 bytes. Above that, an
// unbroken run of operations of one shade on a machine is one piece of a path, about 30 bytes. Its ends are rounded to
// a quarter of a pixel; the legend says that operations are merged. With many rows the rounding is coarser. All rows
// together have MERGED_STEPS steps at most, and a piece with the gap behind it takes two. So no chart exceeds 20 MB.
#include "flowshop/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/structs.h"
#include "render/view.h"

enum {
    COLOURS = 8,
    DETAIL_OPERATIONS = 20000,
    MERGED_STEPS = 1200000,
    NAME_ROOM = 256,  // bytes for a name that is cut to fit
    TEXT_ROOM = 1024
};

// Pixels.
static const double MARGIN = 24, HEADER = 66, FOOTER = 66;
static const double NARROWEST = 1080, WIDEST = 1600;  // width of the time axis
static const double BAR_WISHED = 18;                  // mean width of a bar that has room for a number
static const double ROWS_HEIGHT = 560, ROW_LOWEST = 3, ROW_HIGHEST = 34;
static const double ROW_LABELLED = 18, ROW_LABELLED_SMALL = 12;  // least heights of rows with job names
static const double NAMES_WIDEST = 160;                          // width of the column of machine names
static const double TICK_SPACING = 90;
static const double BAR_NARROW = 8;  // below this mean width, bars have no names and no outlines of their own
static const double TOOLTIP_NAME_WIDTH = 60 * 12;

static const double TEXT_FONT = MCO_VIEW_FONT, LABEL_FONT = 11, SMALL_FONT = MCO_VIEW_SMALL_FONT;

static const char CSS[] =
    MCO_VIEW_CSS
    ".label{font-size:11px}\n"
    ".makespan{font-weight:bold;fill:#B2182B}\n"
    ".idle{fill:#F3F3F3}\n"
    ".grid line{stroke:#D9D9D9}\n"
    ".grid .axis{stroke:#777}\n"
    ".grid .makespan{stroke:#B2182B;stroke-width:1.5}\n"
    ".outline rect{fill:none;stroke:#111;stroke-width:1.8;pointer-events:none}\n"
    ".path path{fill:none;stroke-linejoin:round;stroke-linecap:round;pointer-events:none}\n"
    ".path .casing{stroke:#FFF;stroke-width:4}\n"
    ".path .line{stroke:#B2182B;stroke-width:2}\n"
    ".path .ends{stroke:#B2182B;stroke-width:8}\n"
    ".c0{fill:#77AADD}.c1{fill:#BBCC33}.c2{fill:#44BB99}.c3{fill:#EEDD88}\n"
    ".c4{fill:#99DDFF}.c5{fill:#AAAA00}.c6{fill:#FFAABB}.c7{fill:#EE8866}\n"
    ".s0{fill:#EAF0B5}.s1{fill:#D0E7CA}.s2{fill:#A8D8DC}.s3{fill:#8DCBE4}\n"
    ".s4{fill:#7EB2E4}.s5{fill:#9398D2}.s6{fill:#9D7DB2}.s7{fill:#906388}\n";

static const char *const TINTS[COLOURS] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"};
static const char *const SHADES[COLOURS] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};

typedef struct chart {
    const mco_flowshop *shop;
    const int32_t *order;      // [jobs]
    int32_t *end;              // [machines * jobs] by machine, then by position
    flowshop_operation *path;  // [path_count]
    int32_t path_count;
    int64_t makespan;
    bool is_merged;                   // there are too many operations to draw each one as an element
    bool is_narrow;                   // the bars are narrow; true if is_merged
    double left, top, width, height;  // of the area of the rows, in pixels
    double row, bar_inset;            // height of a row; space above and below a bar
    double scale;                     // pixels per unit of time
    mco_view_known known;
    mco_svg svg;
} chart;

// ---- The schedule

void flowshop_schedule(const mco_flowshop *shop, const int32_t *order, int32_t *end)
{
    int64_t jobs = shop->jobs;
    for (int32_t k = 0; k < shop->machines; k++) {
        const int32_t *before = k > 0 ? end + (k - 1) * jobs : NULL;
        int32_t *row = end + k * jobs;
        int32_t free_at = 0;  // when the machine has finished the previous job; int32_t holds every makespan
        for (int64_t t = 0; t < jobs; t++) {
            int32_t ready = before != NULL ? before[t] : 0;
            free_at = (ready > free_at ? ready : free_at) + mco_flowshop_time(shop, k, order[t]);
            row[t] = free_at;
        }
    }
}

int32_t flowshop_critical_path(const mco_flowshop *shop, const int32_t *order, const int32_t *end,
                               flowshop_operation *path)
{
    int32_t jobs = shop->jobs, count = jobs > 0 ? jobs + shop->machines - 1 : 0;
    int32_t t = jobs - 1, k = shop->machines - 1;
    for (int32_t i = count - 1; i >= 0; i--) {
        path[i] = (flowshop_operation){.position = t, .machine = k};
        const int32_t *row = end + (int64_t)k * jobs;
        int32_t start = row[t] - mco_flowshop_time(shop, k, order[t]);
        // An operation starts when the later of its two predecessors ends, or its only one.
        if (t > 0 && (k == 0 || row[t - 1] == start))
            t--;
        else
            k--;
    }
    return count;
}

static int32_t end_of(const chart *c, int32_t machine, int32_t position)
{
    return c->end[(int64_t)machine * c->shop->jobs + position];
}

static int32_t start_of(const chart *c, int32_t machine, int32_t position)
{
    return end_of(c, machine, position) - mco_flowshop_time(c->shop, machine, c->order[position]);
}

// ---- Measures

static double x_of(const chart *c, int64_t time)
{
    return c->left + (double)time * c->scale;
}

static double y_of(const chart *c, int32_t machine)
{
    return c->top + machine * c->row;
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

// The smallest of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
static int64_t round_step(double least)
{
    int64_t decade = 1;
    while ((double)decade * 10 < least)
        decade *= 10;
    return (double)decade >= least       ? decade
           : (double)decade * 2 >= least ? decade * 2
           : (double)decade * 5 >= least ? decade * 5
                                         : decade * 10;
}

static void measure(chart *c)
{
    const mco_flowshop *s = c->shop;
    int64_t operations = (int64_t)s->jobs * s->machines;
    double total = 0, names = 0;
    for (int64_t i = 0; i < operations; i++)
        total += s->times[i];
    for (int32_t k = 0; k < s->machines; k++)
        names = fmax(names, mco_svg_text_width(mco_flowshop_machine_name(s, k), TEXT_FONT));
    // An empty schedule still has an axis, from 0 to 1.
    double horizon = c->makespan > 0 ? (double)c->makespan : 1;
    double mean_time = operations > 0 ? total / (double)operations : 0;
    c->left = MARGIN + clamp(names, 30, NAMES_WIDEST) + 10;
    c->top = HEADER;
    c->width = mean_time > 0 ? clamp(BAR_WISHED * horizon / mean_time, NARROWEST, WIDEST) : NARROWEST;
    c->row = clamp(ROWS_HEIGHT / s->machines, ROW_LOWEST, ROW_HIGHEST);
    c->height = c->row * s->machines;
    c->bar_inset = fmin(2, c->row / 12);
    c->scale = c->width / horizon;
    c->is_merged = operations > DETAIL_OPERATIONS;
    c->is_narrow = c->is_merged || mean_time * c->scale < BAR_NARROW;
}

static double label_font(const chart *c)
{
    if (c->is_narrow || c->row < ROW_LABELLED_SMALL)
        return 0;
    return c->row >= ROW_LABELLED ? LABEL_FONT : SMALL_FONT;
}

// The eighth of the order that contains a position: 0 to 7.
static int32_t eighth_of(const chart *c, int32_t position)
{
    return (int32_t)((int64_t)position * COLOURS / c->shop->jobs);
}

static const char *colour_of(const chart *c, int32_t position)
{
    return c->is_narrow ? SHADES[eighth_of(c, position)] : TINTS[position % COLOURS];
}

// ---- Frame: header, rows, axis, legend

static int add_text(char *text, int length, const char *label, int64_t value)
{
    return length + snprintf(text + length, (size_t)(TEXT_ROOM - length), "%s%lld", label, (long long)value);
}

// The same for a time, in the file's unit.
static int add_time(const chart *c, char *text, int length, const char *label, int64_t value)
{
    char time[FLOWSHOP_UNITS_TEXT];
    flowshop_units_text(c->shop, value, time);
    return length + snprintf(text + length, (size_t)(TEXT_ROOM - length), "%s%s", label, time);
}

// Adds " (+3.14 %)". Whole hundredths are printed as integers, since printf would write the decimal sign of the locale.
static int add_deviation(char *text, int length, int64_t value, int64_t reference)
{
    int64_t difference = value - reference;
    int64_t size = llabs(difference) * 10000 / reference;
    return length + snprintf(text + length, (size_t)(TEXT_ROOM - length), " (%s%lld.%02lld %%)",
                             difference < 0 ? "\xe2\x88\x92" : "+", (long long)(size / 100),
                             (long long)(size % 100));
}

// Adds what the run has proved and what the literature knows. Returns whether the makespan is the published optimum.
static bool add_known(const chart *c, char *text, int at)
{
    int64_t best, bound;
    const bool has_bound = c->known.outcome == MCO_OUTCOME_FEASIBLE;
    mco_flowshop_best_known(c->shop, &best, &bound);
    const bool is_optimal = best > 0 && best == bound && c->makespan == best;
    if (is_optimal || c->known.outcome == MCO_OUTCOME_OPTIMAL)
        return is_optimal;
    if (has_bound)
        at = add_time(c, text, at, ", no schedule is shorter than ", (int64_t)c->known.bound);
    if (best > 0) {
        at = add_time(c, text, at, best == bound ? ", optimum " : ", best known ", best);
        at = add_deviation(text, at, c->makespan, best);
    }
    if (bound > 0 && bound != best && !has_bound)
        add_time(c, text, at, ", lower bound ", bound);
    return false;
}

static void draw_header(chart *c)
{
    char text[TEXT_ROOM], objective[TEXT_ROOM];
    int at = add_text(text, 0, "", c->shop->jobs);
    at = add_text(text, at, c->shop->jobs == 1 ? " job \xc3\x97 " : " jobs \xc3\x97 ", c->shop->machines);
    at += snprintf(text + at, (size_t)(TEXT_ROOM - at), c->shop->machines == 1 ? " machine" : " machines");
    if (add_known(c, text, at))
        c->known.outcome = MCO_OUTCOME_OPTIMAL;
    add_time(c, objective, 0, "makespan ", c->makespan);
    mco_view_header(&c->svg, c->left, c->width, mco_flowshop_name(c->shop), objective, &c->known, text);
}

static void draw_rows(chart *c)
{
    // If rows are lower than a line of text, only every second, fifth, tenth, ... machine has its name drawn.
    int64_t step = round_step(TEXT_FONT / c->row);
    mco_svg_path_begin(&c->svg, "idle");
    for (int32_t k = 0; k < c->shop->machines; k++)
        mco_svg_path_rect(&c->svg, c->left, y_of(c, k) + c->bar_inset, c->width, c->row - 2 * c->bar_inset);
    mco_svg_path_end(&c->svg);
    for (int32_t k = 0; k < c->shop->machines; k++) {
        char name[NAME_ROOM];
        if ((k + 1) % step != 0)
            continue;
        mco_svg_text_cut(name, NAME_ROOM, mco_flowshop_machine_name(c->shop, k), TEXT_FONT, NAMES_WIDEST);
        mco_svg_text(&c->svg, NULL, MCO_SVG_END, c->left - 10, y_of(c, k) + c->row / 2 + TEXT_FONT * 0.35,
                     name);
    }
}

static void draw_axis(chart *c)
{
    char text[TEXT_ROOM];
    double bottom = c->top + c->height, end_x = x_of(c, c->makespan), label_y = bottom + 20;
    add_time(c, text, 0, "", c->makespan);
    double end_room = mco_svg_text_width(text, TEXT_FONT) + 8;
    mco_svg_text(&c->svg, "makespan", MCO_SVG_MIDDLE, end_x, label_y, text);
    mco_svg_text(&c->svg, NULL, MCO_SVG_END, c->left - 20, label_y, "time");
    int64_t step = round_step(TICK_SPACING / c->scale);
    int64_t last = c->makespan > 0 ? c->makespan : 1;
    mco_svg_group_begin(&c->svg, "grid");
    for (int64_t time = 0; time <= last; time += step) {
        double x = x_of(c, time);
        mco_svg_line(&c->svg, NULL, x, c->top, x, bottom + 5);
        add_time(c, text, 0, "", time);
        // A tick has no number where it would overlap the number of the makespan.
        if (fabs(x - end_x) >= end_room)
            mco_svg_text(&c->svg, NULL, MCO_SVG_MIDDLE, x, label_y, text);
    }
    mco_svg_line(&c->svg, "axis", c->left, bottom, c->left + c->width, bottom);
    mco_svg_line(&c->svg, "makespan", end_x, c->top - 6, end_x, bottom + 6);
    mco_svg_group_end(&c->svg);
}

static double legend_path(chart *c, double x, double y, double size)
{
    char text[TEXT_ROOM];
    mco_svg_group_begin(&c->svg, "outline");
    mco_svg_rect(&c->svg, NULL, x, y, 2 * size, size, NULL);
    mco_svg_group_end(&c->svg);
    mco_svg_group_begin(&c->svg, "path");
    mco_svg_path_begin(&c->svg, "line");
    mco_svg_path_move(&c->svg, x, y + size / 2);
    mco_svg_path_line(&c->svg, x + 2 * size, y + size / 2);
    mco_svg_path_end(&c->svg);
    mco_svg_group_end(&c->svg);
    add_time(c, text, 0, "critical path, length ", c->makespan);
    mco_svg_text(&c->svg, NULL, MCO_SVG_START, x + 2 * size + 8, y + size - 3, text);
    return x + 2 * size + 8 + mco_svg_text_width(text, TEXT_FONT) + MARGIN;
}

// Names each job behind its colour, in the order of the schedule. A name may take its share of the room left.
static double legend_names(chart *c, double x, double y, double size)
{
    const double right = c->left + c->width - 100;  // where "idle" has room behind
    char name[NAME_ROOM];
    x = mco_view_legend_text(&c->svg, x, y + size / 2, c->shop->has_numbers ? "jobs by name:" : "jobs:");
    for (int32_t i = 0; i < c->shop->jobs; i++) {
        const double room = (right - x) / (c->shop->jobs - i) - size - 6 - MARGIN;
        mco_svg_rect(&c->svg, colour_of(c, i), x, y, size, size, NULL);
        mco_svg_text_cut(name, NAME_ROOM, mco_flowshop_job_name(c->shop, c->order[i]), TEXT_FONT, room);
        x = mco_view_legend_text(&c->svg, x + size + 6, y + size / 2, name);
    }
    return x;
}

static double legend_jobs(chart *c, double x, double y, double size)
{
    if (c->shop->jobs <= COLOURS)
        return legend_names(c, x, y, size);
    char text[TEXT_ROOM];
    snprintf(text, sizeof text, "jobs%s%s", c->shop->has_numbers ? " by name" : "",
             c->is_merged    ? ", first to last, adjacent operations merged"
             : c->is_narrow  ? ", first to last"
                             : ", colours repeat every 8 positions");
    for (int32_t i = 0; i < COLOURS; i++, x += size)
        mco_svg_rect(&c->svg, c->is_narrow ? SHADES[i] : TINTS[i], x, y, size, size, NULL);
    mco_svg_text(&c->svg, NULL, MCO_SVG_START, x + 8, y + size - 3, text);
    return x + 8 + mco_svg_text_width(text, TEXT_FONT) + MARGIN;
}

static void draw_legend(chart *c)
{
    const double size = 14;  // side of a colour sample
    double x = c->left, y = c->top + c->height + 36;
    if (c->shop->jobs == 0)
        return;
    x = legend_path(c, x, y, size);
    x = legend_jobs(c, x, y, size);
    mco_svg_rect(&c->svg, "idle", x, y, 2 * size, size, NULL);
    mco_svg_text(&c->svg, NULL, MCO_SVG_START, x + 2 * size + 8, y + size - 3, "idle");
}

// ---- Operations

static void draw_bar(chart *c, int32_t machine, int32_t position)
{
    char tooltip[TEXT_ROOM];
    char job[NAME_ROOM], machine_name[NAME_ROOM];
    int32_t start = start_of(c, machine, position), end = end_of(c, machine, position);
    if (start == end)
        return;
    mco_svg_text_cut(job, NAME_ROOM, mco_flowshop_job_name(c->shop, c->order[position]), TEXT_FONT, TOOLTIP_NAME_WIDTH);
    mco_svg_text_cut(machine_name, NAME_ROOM, mco_flowshop_machine_name(c->shop, machine), TEXT_FONT, TOOLTIP_NAME_WIDTH);
    int at = snprintf(tooltip, sizeof tooltip, "job %s on %s", job, machine_name);
    at = add_time(c, tooltip, at, ", ", start);
    at = add_time(c, tooltip, at, " to ", end);
    at = add_time(c, tooltip, at, " (", end - start);
    snprintf(tooltip + at, sizeof tooltip - (size_t)at, ")");
    // A gap on the right separates bars. A stroke would hide the narrow ones.
    double width = (end - start) * c->scale;
    mco_svg_rect(&c->svg, colour_of(c, position), x_of(c, start), y_of(c, machine) + c->bar_inset,
                 width - fmin(1, width / 8), c->row - 2 * c->bar_inset, tooltip);
}

// Draws the operations from position `first` on that share a shade, on one machine, as one path. Returns the position
// after them. Rounding is monotone, and neighbouring pieces share the rounded point between them, so pieces never
// overlap.
static int32_t draw_merged(chart *c, int32_t machine, int32_t first)
{
    double quantum = fmax(0.25, c->width * c->shop->machines / MERGED_STEPS);
    double y = y_of(c, machine) + c->bar_inset, height = c->row - 2 * c->bar_inset;
    double from = 0, to = 0;  // ends of the current piece, which may still grow
    int32_t t = first;
    mco_svg_path_begin(&c->svg, colour_of(c, first));
    for (; t < c->shop->jobs && eighth_of(c, t) == eighth_of(c, first); t++) {
        double start = quantum * floor(start_of(c, machine, t) * c->scale / quantum + 0.5);
        if (start > to) {
            if (to > from)
                mco_svg_path_rect(&c->svg, c->left + from, y, to - from, height);
            from = start;
        }
        to = quantum * floor(end_of(c, machine, t) * c->scale / quantum + 0.5);
    }
    if (to > from)
        mco_svg_path_rect(&c->svg, c->left + from, y, to - from, height);
    mco_svg_path_end(&c->svg);
    return t;
}

static void draw_operations(chart *c)
{
    mco_svg_group_begin(&c->svg, "operations");
    for (int32_t k = 0; k < c->shop->machines; k++) {
        int32_t t = 0;
        while (c->is_merged && t < c->shop->jobs)
            t = draw_merged(c, k, t);
        for (; t < c->shop->jobs; t++)
            draw_bar(c, k, t);
    }
    mco_svg_group_end(&c->svg);
}

static void draw_labels(chart *c)
{
    double font = label_font(c);
    if (font == 0)
        return;
    mco_svg_group_begin(&c->svg, "labels");
    for (int32_t k = 0; k < c->shop->machines; k++)
        for (int32_t t = 0; t < c->shop->jobs; t++) {
            const char *name = mco_flowshop_job_name(c->shop, c->order[t]);
            double from = x_of(c, start_of(c, k, t)), to = x_of(c, end_of(c, k, t));
            if (name[mco_svg_text_fit(name, font, to - from - 2)] != '\0')
                continue;
            // The name stands a little above the middle, since the line of the critical path runs below it.
            mco_svg_text(&c->svg, font == SMALL_FONT ? "small" : "label", MCO_SVG_MIDDLE, (from + to) / 2,
                         y_of(c, k) + c->row / 2 + font * 0.22, name);
        }
    mco_svg_group_end(&c->svg);
}

// ---- The critical path

// The end of the run of operations on the machine of path[first]: the index of the first one on another machine.
static int32_t run_end(const chart *c, int32_t first)
{
    int32_t i = first + 1;
    while (i < c->path_count && c->path[i].machine == c->path[first].machine)
        i++;
    return i;
}

// Draws an outline around every operation of the path. If bars are narrow, around each whole run on a machine.
static void draw_outlines(chart *c)
{
    mco_svg_group_begin(&c->svg, "outline");
    for (int32_t i = 0, next; i < c->path_count; i = next) {
        next = c->is_narrow ? run_end(c, i) : i + 1;
        int32_t machine = c->path[i].machine;
        double from = x_of(c, start_of(c, machine, c->path[i].position));
        double to = x_of(c, end_of(c, machine, c->path[next - 1].position));
        if (to > from)
            mco_svg_rect(&c->svg, NULL, from, y_of(c, machine) + c->bar_inset, to - from,
                         c->row - 2 * c->bar_inset, NULL);
    }
    mco_svg_group_end(&c->svg);
}

static void draw_staircase(chart *c, const char *class_name, double offset)
{
    mco_svg_path_begin(&c->svg, class_name);
    for (int32_t i = 0, next; i < c->path_count; i = next) {
        next = run_end(c, i);
        int32_t machine = c->path[i].machine;
        double y = y_of(c, machine) + offset, from = x_of(c, start_of(c, machine, c->path[i].position));
        if (i == 0)
            mco_svg_path_move(&c->svg, from, y);
        else
            mco_svg_path_line(&c->svg, from, y);
        mco_svg_path_line(&c->svg, x_of(c, end_of(c, machine, c->path[next - 1].position)), y);
    }
    mco_svg_path_end(&c->svg);
}

static void draw_critical_path(chart *c)
{
    if (c->path_count == 0)
        return;
    // If there are names, the line runs below them.
    double offset = c->row * (label_font(c) > 0 ? 0.76 : 0.5);
    double first_y = c->top + offset, last_y = y_of(c, c->shop->machines - 1) + offset;
    draw_outlines(c);
    mco_svg_group_begin(&c->svg, "path");
    draw_staircase(c, "casing", offset);
    draw_staircase(c, "line", offset);
    // A line of length 0 with round ends is a dot.
    mco_svg_path_begin(&c->svg, "ends");
    mco_svg_path_move(&c->svg, c->left, first_y);
    mco_svg_path_line(&c->svg, c->left, first_y);
    mco_svg_path_move(&c->svg, x_of(c, c->makespan), last_y);
    mco_svg_path_line(&c->svg, x_of(c, c->makespan), last_y);
    mco_svg_path_end(&c->svg);
    mco_svg_group_end(&c->svg);
}

static void draw(chart *c, FILE *file)
{
    mco_svg_begin(&c->svg, file, c->left + c->width + 2 * MARGIN, c->top + c->height + FOOTER, "#FFF",
                  mco_flowshop_name(c->shop));
    mco_svg_style(&c->svg, CSS);
    draw_header(c);
    draw_rows(c);
    draw_axis(c);
    draw_operations(c);
    draw_critical_path(c);
    draw_labels(c);
    draw_legend(c);
    mco_svg_end(&c->svg);
}

static mco_status plot(mco_context *ctx, const mco_flowshop *shop, const int32_t *order, mco_view_known known,
                       const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    chart c = {.shop = shop, .order = order, .known = known};
    MCO_TRY(mco_flowshop_check(ctx, shop, order, shop->jobs, &c.makespan));
    MCO_TRY(mco_alloc(ctx, &c.end, (int64_t)shop->jobs * shop->machines));
    MCO_TRY(mco_alloc(ctx, &c.path, (int64_t)shop->jobs + shop->machines));
    flowshop_schedule(shop, order, c.end);
    c.path_count = flowshop_critical_path(shop, order, c.end, c.path);
    measure(&c);
    MCO_TRY(mco_output_open(ctx, path, &output));
    draw(&c, output.file);
    st = mco_output_commit(ctx, &output, false);
done:
    mco_free(ctx, &c.path);
    mco_free(ctx, &c.end);
    return st;
}

mco_status mco_flowshop_plot(mco_context *ctx, const mco_flowshop *shop, const int32_t *order, const char *path)
{
    if (ctx == NULL || shop == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    return plot(ctx, shop, order, (mco_view_known){.outcome = MCO_OUTCOME_UNKNOWN}, path);
}

mco_status mco_flowshop_plot_result(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_result *result,
                                    const char *path)
{
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    if (ctx == NULL || shop == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_status st = MCO_TAKE(ctx, result, &r);
    if (st != MCO_OK)
        return st;
    return plot(ctx, shop, r.order, (mco_view_known){r.outcome, (double)r.makespan, (double)r.bound}, path);
}
