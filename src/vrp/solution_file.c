// SPDX-License-Identifier: MIT
// Solution files: the lines of CVRPLIB, CSV, or the "solution" of a result file. docs/formats.md describes them.
//
// The readers accept any routes of customers of the instance. The check tells whether every customer is there once and
// the routes obey the limits. Routes without customers are dropped. A file may hold customers by number, by name, or
// both; if both, they must agree: the rows of an instance may have changed since the file was written.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/names.h"
#include "base/number.h"
#include "base/output.h"
#include "base/table.h"
#include "render/report.h"
#include "vrp/formats.h"
#include "vrp/solution_file.h"

static const double MAX_COST = 1e18;

typedef struct list {
    int32_t *items;  // [room]
    int64_t count, room;
} list;

typedef struct reader {
    mco_context *ctx;
    const mco_vrp *problem;
    mco_text *text;
    mco_name_finder customers;
    list order, first;     // route k begins at first[k] of `order`; the last one is open
    bool has_routes;       // a line, a row or an array of routes was seen
    list named;            // "names" of a result file: customers as in `order`, -1 for a name that nobody has
    bool has_names;
    char *name;            // [name_room] for one of them; a name that is cut is none of the instance's
    size_t name_room;
    double cost;           // NaN until seen
} reader;

// ---- Routes, whatever the format

static mco_status append(mco_context *ctx, list *l, int32_t item)
{
    const mco_status st = mco_grow(ctx, &l->items, &l->room, l->count + 1);
    if (st == MCO_OK)
        l->items[l->count++] = item;
    return st;
}

// A text has at most 2^30 bytes, so an int32_t can count its customers.
static mco_status begin_route(reader *r)
{
    r->has_routes = true;
    if (r->first.count > 0 && r->first.items[r->first.count - 1] == r->order.count)
        return MCO_OK;  // the route before is empty and is used
    return append(r->ctx, &r->first, (int32_t)r->order.count);
}

static mco_status give_solution(reader *r, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    mco_vrp_solution s = {.customers = (int32_t)r->order.count, .routes = (int32_t)r->first.count};
    if (s.routes > 0 && r->first.items[s.routes - 1] == s.customers)
        s.routes--;
    MCO_TRY(mco_alloc(r->ctx, &s.order, s.customers));
    MCO_TRY(mco_alloc(r->ctx, &s.first, s.routes + 1));
    if (s.customers > 0)
        memcpy(s.order, r->order.items, (size_t)s.customers * sizeof *s.order);
    if (s.routes > 0)
        memcpy(s.first, r->first.items, (size_t)s.routes * sizeof *s.first);
    s.first[s.routes] = s.customers;
    *out = s;
    s = (mco_vrp_solution){0};
done:
    mco_vrp_solution_clear(r->ctx, &s);
    return st;
}

static mco_status add_customer(reader *r, mco_slice token)
{
    mco_status st = MCO_OK;
    int32_t customer = 0;
    MCO_TRY(mco_names_find(&r->customers, r->text, token, &customer));
    MCO_TRY(append(r->ctx, &r->order, customer));
done:
    return st;
}

static mco_status set_cost(reader *r, mco_slice value)
{
    if (!isnan(r->cost))
        return mco_text_fail(r->text, value.line, value.column, "the cost a second time, it was %.15g", r->cost);
    return mco_slice_real(r->text, value, "the cost", 0, MAX_COST, &r->cost);
}

// ---- CVRPLIB: "Route #1: 5 3 2", "Cost 123"

// Takes the letters at the start of *rest. *rest then starts behind them and the blanks that follow.
static mco_slice take_word(mco_slice *rest)
{
    mco_slice word = *rest;
    word.size = 0;
    while (word.size < rest->size && isalpha((unsigned char)word.data[word.size]))
        word.size++;
    *rest = mco_slice_trim(mco_slice_behind(*rest, word.size));
    return word;
}

// The number of a route is read but not used: routes keep the order of the file.
static mco_status read_route(reader *r, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice token;
    int64_t number;
    mco_slice_take(&rest, '#');
    const mco_slice head = mco_slice_before(rest, ':');
    MCO_TRY(mco_slice_integer(r->text, head, "the number of the route", 0, INT32_MAX, &number));
    rest = mco_slice_trim(mco_slice_behind(rest, head.size));
    if (!mco_slice_take(&rest, ':'))
        return mco_text_fail(r->text, rest.line, rest.column, "a colon was expected before the customers");
    MCO_TRY(begin_route(r));
    while (mco_names_take(&rest, &token))
        MCO_TRY(add_customer(r, token));
done:
    return st;
}

static mco_status read_line(reader *r, mco_slice line)
{
    mco_slice rest = line;
    const mco_slice word = take_word(&rest);
    if (line.data[0] == '#')
        return mco_names_read_comment(&r->customers, r->text, line);
    if (mco_slice_is(word, "time"))
        return MCO_OK;
    if (mco_slice_is(word, "route"))
        return read_route(r, rest);
    if (mco_slice_is(word, "cost")) {
        mco_slice_take(&rest, ':');
        return set_cost(r, rest);
    }
    return mco_text_fail(r->text, line.line, line.column,
                         "the line is \"%.*s\", lines are \"Route #1: ...\" and \"Cost ...\"", mco_slice_shown(line),
                         line.data);
}

static mco_status read_lines(reader *r)
{
    mco_status st = MCO_OK;
    mco_slice line;
    while (mco_text_skip_blank(r->text) && mco_text_line(r->text, &line))
        MCO_TRY(read_line(r, mco_slice_trim(line)));
    if (!r->has_routes && isnan(r->cost))
        return mco_text_fail_here(r->text, "the file holds no solution");
done:
    return st;
}

// ---- CSV: a row for each stop; the rows of a route stand together

typedef enum column { ROUTE, STOP, CUSTOMER, NAME, LOAD, DISTANCE, COLUMNS } column;

static const char *const columns[COLUMNS] = {"route", "stop", "customer", "name", "load", "distance"};

// The column of customers holds numbers of rows, or names that are no numbers. That of names holds names, whatever they
// look like.
static mco_status add_stop(reader *r, mco_slice number, mco_slice name)
{
    mco_status st = MCO_OK;
    int32_t customer = 0, named = 0;
    const bool has_name = name.size > 0;
    if (has_name)
        MCO_TRY(mco_names_find_cell(&r->customers, r->text, name, &named));
    customer = named;
    if (number.size > 0 && !mco_slice_is_number(number) && r->problem->names != NULL)
        MCO_TRY(mco_names_find_cell(&r->customers, r->text, number, &customer));
    else if (number.size > 0 || !has_name)
        MCO_TRY(mco_names_find(&r->customers, r->text, number, &customer));
    if (has_name && customer != named)
        MCO_TRY(mco_text_fail(r->text, name.line, name.column,
                              "customer %d is \"%.*s\" here, which is the name of customer %d: the rows of the instance have "
                              "changed",
                              customer + 1, mco_slice_shown(name), name.data, named + 1));
    MCO_TRY(append(r->ctx, &r->order, customer));
done:
    return st;
}

// Route numbers never decrease from row to row. Cells behind the customer may be missing.
static mco_status read_row(reader *r, mco_table *t, mco_slice line, int64_t *route)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    int64_t number;
    MCO_TRY(mco_table_cells(t, line, 2, cells));
    MCO_TRY(mco_slice_integer(r->text, cells[ROUTE], "the route, after those before it,", *route, INT32_MAX, &number));
    if (number != *route)
        MCO_TRY(begin_route(r));
    *route = number;
    MCO_TRY(add_stop(r, cells[CUSTOMER], cells[NAME]));
done:
    return st;
}

static mco_status read_table(reader *r)
{
    mco_status st = MCO_OK;
    mco_table t;
    mco_slice line;
    int64_t route = 0;
    r->customers.ids = MCO_IDS_ROWS;
    MCO_TRY(mco_table_open(r->text, columns, COLUMNS, &t));
    MCO_TRY(mco_table_require(&t, ROUTE));
    if (!mco_table_has(&t, NAME))
        MCO_TRY(mco_table_require(&t, CUSTOMER));
    MCO_TRY(begin_route(r));
    while (mco_text_row(r->text, t.separator, &line))
        MCO_TRY(read_row(r, &t, line, &route));
done:
    return st;
}

// ---- Result files

static mco_status read_objective(reader *r)
{
    const mco_slice word = mco_json_peek_word(r->text);
    const mco_status st = set_cost(r, word);
    if (st == MCO_OK)
        r->text->at += word.size;
    return st;
}

// Reads a name in quotes; *customer becomes -1 if nobody is called so.
static mco_status read_name(reader *r, int32_t *customer)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_json_read_text(r->text, r->name, r->name_room));
    MCO_TRY(mco_names_look_up(&r->customers, r->ctx, r->name, strlen(r->name), customer));
done:
    return st;
}

// A customer of a route is a number, or a name in quotes.
static mco_status read_customer(reader *r, int32_t *customer)
{
    mco_status st = MCO_OK;
    int64_t number = 0;
    if (!mco_text_skip_blank(r->text) || r->text->data[r->text->at] != '"') {
        MCO_TRY(mco_json_read_integer(r->text, "the customer", 1, r->problem->customers, &number));
        *customer = (int32_t)number - 1;
        return MCO_OK;
    }
    const mco_text before = *r->text;
    MCO_TRY(read_name(r, customer));
    if (*customer < 0)
        MCO_TRY(mco_text_fail(r->text, before.line, (int64_t)(before.at - before.line_at) + 1,
                              "the customer is \"%.*s\", a name of the instance was expected", MCO_SHOWN, r->name));
done:
    return st;
}

static mco_status read_array(reader *r, bool is_names)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    int32_t customer;
    if (!is_names)
        MCO_TRY(begin_route(r));
    MCO_TRY(mco_json_enter(r->text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(r->text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(is_names ? read_name(r, &customer) : read_customer(r, &customer));
        MCO_TRY(append(r->ctx, is_names ? &r->named : &r->order, customer));
    }
done:
    return st;
}

static mco_status read_arrays(reader *r, bool is_names)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    bool *has_seen = is_names ? &r->has_names : &r->has_routes;
    if (*has_seen)
        return mco_text_fail_here(r->text, "\"%s\" a second time", is_names ? "names" : "routes");
    *has_seen = true;
    MCO_TRY(mco_json_enter(r->text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(r->text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(read_array(r, is_names));
    }
done:
    return st;
}

static mco_status read_objective_member(mco_text *text, void *user)
{
    (void)text;
    return read_objective(user);
}

static mco_status read_routes_member(mco_text *text, void *user)
{
    (void)text;
    return read_arrays(user, false);
}

static mco_status read_names_member(mco_text *text, void *user)
{
    (void)text;
    return read_arrays(user, true);
}

// Customers whose name is another's by now are refused. Names that nobody has are no reason: JSON does not hold every
// byte.
static mco_status compare_names(reader *r)
{
    char buffer[16];
    for (int64_t i = 0; i < r->order.count && r->named.count == r->order.count; i++) {
        const int32_t customer = r->order.items[i], named = r->named.items[i];
        if (named >= 0 && named != customer)
            return mco_text_fail_here(r->text,
                                      "customer %d has the name of customer %d here, \"%.*s\": the rows of the instance have "
                                      "changed", customer + 1, named + 1, MCO_SHOWN,
                                      mco_vrp_customer_name(r->problem, named, buffer));
    }
    return MCO_OK;
}

static mco_status reserve_name(reader *r)
{
    size_t longest = 15;  // of a number
    for (int32_t i = 0; r->problem->names != NULL && i < r->problem->customers; i++)
        if (r->problem->names[i] != NULL && strlen(r->problem->names[i]) > longest)
            longest = strlen(r->problem->names[i]);
    r->name_room = longest + 2;
    return mco_alloc(r->ctx, &r->name, r->name_room);
}

static mco_status read_result(reader *r)
{
    static const mco_report_member members[] = {{"objective", false, read_objective_member},
                                                {"routes", true, read_routes_member},
                                                {"names", true, read_names_member}};
    mco_status st = MCO_OK;
    MCO_TRY(reserve_name(r));
    MCO_TRY(mco_report_read(r->text, "vrp", members, sizeof members / sizeof members[0], r));
    if (!r->has_routes)
        MCO_TRY(mco_text_fail_here(r->text, "the file holds no solution"));
    MCO_TRY(compare_names(r));
done:
    return st;
}

// ---- Files

// Whether the text is CSV: the first cell of its first line is the name of a column.
static bool is_table(mco_text *text)
{
    mco_slice line, cell;
    mco_text_peek_line(text, &line);
    const char separator = mco_slice_separator(line);
    if (!mco_slice_field(&line, separator, &cell) || line.data == NULL)
        return false;
    for (int k = 0; k < COLUMNS; k++)
        if (mco_slice_is(cell, columns[k]))
            return true;
    return false;
}

mco_status vrp_read_solution_text(mco_context *ctx, const mco_vrp *problem, mco_text *text, mco_vrp_solution *solution,
                                  double *cost)
{
    mco_status st = MCO_OK;
    reader r = {.ctx = ctx, .problem = problem, .text = text, .cost = (double)NAN,
                .customers = {.what = "the customer", .names = problem->names, .rows = problem->customers}};
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the file is empty");
    MCO_TRY(text->data[text->at] == '{' ? read_result(&r) : is_table(text) ? read_table(&r) : read_lines(&r));
    MCO_TRY(give_solution(&r, solution));
    *cost = r.cost;
done:
    mco_free(ctx, &r.name);
    mco_free(ctx, &r.named.items);
    mco_free(ctx, &r.customers.table.slots);
    mco_free(ctx, &r.first.items);
    mco_free(ctx, &r.order.items);
    return st;
}

mco_status mco_vrp_read_solution(mco_context *ctx, const mco_vrp *problem, const char *path, mco_vrp_solution *solution,
                                 double *cost)
{
    mco_text text;
    if (ctx == NULL || problem == NULL || path == NULL || solution == NULL || cost == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = vrp_read_solution_text(ctx, problem, &text, solution, cost);
    mco_text_close(&text);
    return st;
}

// The names of a route, as a comment that CVRPLIB's tools skip.
static void write_names(const mco_vrp *problem, const mco_vrp_solution *solution, int32_t route, FILE *file)
{
    char buffer[16];
    fputs("# names:", file);
    for (int32_t i = solution->first[route]; i < solution->first[route + 1]; i++) {
        fputc(' ', file);
        mco_name_write(mco_vrp_customer_name(problem, solution->order[i], buffer), file);
    }
    fputc('\n', file);
}

void vrp_write_solution_text(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file)
{
    int64_t cost = 0;
    if (problem->names != NULL)
        fputs("# ids: rows, the first customer's is 1; names stand in comments\n", file);
    for (int32_t r = 0; r < solution->routes; r++) {
        fprintf(file, "Route #%d:", r + 1);
        for (int32_t i = solution->first[r]; i < solution->first[r + 1]; i++) {
            fputc(' ', file);
            mco_write_integer((int64_t)solution->order[i] + 1, 1, file);
        }
        fputc('\n', file);
        if (problem->names != NULL)
            write_names(problem, solution, r, file);
        cost += mco_vrp_route_of(problem, solution, r).cost;
    }
    fputs("Cost ", file);
    vrp_write_scaled(problem, cost, file);
    fputc('\n', file);
}

// A row for each stop. Its load and its distance are those of the route up to it.
void vrp_write_solution_csv(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file)
{
    char buffer[16];
    fputs("route,stop,customer,name,load,distance\n", file);
    for (int32_t r = 0; r < solution->routes; r++) {
        int64_t load = 0, distance = 0;
        for (int32_t i = solution->first[r]; i < solution->first[r + 1]; i++) {
            const int32_t customer = solution->order[i], before = i > solution->first[r] ? solution->order[i - 1] + 1 : 0;
            load += problem->demand[customer + 1];
            distance += vrp_distance(problem, before, customer + 1);
            const int64_t numbers[] = {(int64_t)r + 1, (int64_t)i - solution->first[r] + 1, (int64_t)customer + 1};
            for (int k = 0; k < 3; k++) {
                mco_write_integer(numbers[k], 1, file);
                fputc(',', file);
            }
            mco_write_cell(mco_vrp_customer_name(problem, customer, buffer), file);
            fputc(',', file);
            mco_write_number(vrp_load(problem, load), file);
            fputc(',', file);
            vrp_write_scaled(problem, distance, file);
            fputc('\n', file);
        }
    }
}

// Refuses a solution that would be read beyond its arrays, or whose file could not be read again.
static mco_status test_shape(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *s)
{
    if (s->routes < 0 || s->first[0] != 0 || s->first[s->routes] != s->customers)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution's %d routes do not hold its %d customers", s->routes,
                        s->customers);
    for (int32_t r = 0; r < s->routes; r++)
        if (s->first[r + 1] < s->first[r])
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "route %d holds %lld customers, at least 0 were expected", r + 1,
                            (long long)s->first[r + 1] - s->first[r]);
    for (int32_t i = 0; i < s->customers; i++)
        if (s->order[i] < 0 || s->order[i] >= problem->customers)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the solution visits customer %lld, the instance has %d",
                            (long long)s->order[i] + 1, problem->customers);
    return MCO_OK;
}

mco_status mco_vrp_write_solution(mco_context *ctx, const mco_vrp *problem, const mco_vrp_solution *solution,
                                  const char *path)
{
    mco_status st = MCO_OK;
    mco_output o;
    if (ctx == NULL || problem == NULL || solution == NULL || path == NULL || solution->first == NULL ||
        (solution->order == NULL && solution->customers > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const size_t length = strlen(path);
    const bool is_csv = length >= 4 && strcasecmp(path + length - 4, ".csv") == 0;
    MCO_TRY(test_shape(ctx, problem, solution));
    MCO_TRY(mco_output_open(ctx, path, &o));
    if (is_csv)
        vrp_write_solution_csv(problem, solution, o.file);
    else
        vrp_write_solution_text(problem, solution, o.file);
    st = mco_output_commit(ctx, &o, false);
done:
    return st;
}

void mco_vrp_solution_clear(mco_context *ctx, mco_vrp_solution *solution)
{
    if (solution == NULL)
        return;
    mco_free(ctx, &solution->first);
    mco_free(ctx, &solution->order);
    *solution = (mco_vrp_solution){0};
}
