// SPDX-License-Identifier: MIT
// Plans as files: the JSON tree, which is read and written, and the list of cuts for the saw. docs/formats.md describes
// both.
//
// A plan of long strips is as deep as it has pieces, so nothing here is recursive. The reader keeps its own stack. The
// writers go through the nodes depth first, and know for each node how many rectangles end with it.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/output.h"
#include "guillotine/formats.h"
#include "render/report.h"

// ---- Tests of the tree

static mco_status test_node(mco_context *ctx, const mco_guillotine *g, const mco_guillotine_node *node, int64_t number)
{
    if (node->kind == MCO_GUILLOTINE_NODE_PIECE && (node->piece < 0 || node->piece >= g->pieces))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "node %lld holds piece %lld, pieces are 1 to %lld", (long long)number,
                        (long long)node->piece + 1, (long long)g->pieces);
    if (node->kind == MCO_GUILLOTINE_NODE_CUT && node->cut != MCO_GUILLOTINE_CUT_X && node->cut != MCO_GUILLOTINE_CUT_Y)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "node %lld is cut along neither x nor y", (long long)number);
    return MCO_OK;
}

// Tests that nodes [count] are one tree, depth first. (*closings)[k] is then the number of cut rectangles that end with
// node k; the caller releases it. The loop goes from the last node to the first; end[k] is the node behind the subtree
// of node k.
static mco_status count_closings(mco_context *ctx, const mco_guillotine *g, const mco_guillotine_node *nodes,
                                 int64_t count, int64_t **closings)
{
    mco_status st = MCO_OK;
    int64_t *end = NULL, *closed = NULL;
    if (count < 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the plan has %lld nodes, at least 1 is needed", (long long)count);
    MCO_TRY(mco_alloc(ctx, &end, count + 1));
    MCO_TRY(mco_alloc(ctx, &closed, count));
    end[count] = count;
    for (int64_t k = count - 1; k >= 0; k--) {
        const mco_guillotine_node *node = &nodes[k];
        end[k] = k + 1;
        MCO_TRY(test_node(ctx, g, node, k));
        if (node->kind != MCO_GUILLOTINE_NODE_CUT)
            continue;
        const int64_t second = end[k + 1];
        if (second >= count || node->parts[0] != k + 1 || node->parts[1] != second)
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT,
                             "the parts of node %lld are nodes %lld and %lld, depth first they are %lld and %lld of %lld",
                             (long long)k, (long long)node->parts[0], (long long)node->parts[1], (long long)k + 1,
                             (long long)second, (long long)count));
        end[k] = end[second];
        closed[end[k] - 1]++;
    }
    if (end[0] != count)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the tree ends at node %lld of %lld", (long long)end[0] - 1,
                         (long long)count));
    *closings = closed;
    closed = NULL;
done:
    mco_free(ctx, &closed);
    mco_free(ctx, &end);
    return st;
}

// ---- Writing JSON

// Begins the line of a node. Indentation stops growing in a deep tree; otherwise the size of the file would be
// quadratic in the depth.
static void begin_line(mco_json *json, int64_t level)
{
    enum { DEEPEST_SHOWN = 20 };
    if (json->has_item)
        fputc(',', json->file);
    fprintf(json->file, "\n%*s", (int)(level < DEEPEST_SHOWN ? level : DEEPEST_SHOWN) * 2, "");
    json->has_item = false;
}

// A size or a value in the file's unit. Integers have all their digits.
void guillotine_number_to_json(mco_json *json, const char *key, int64_t value, int64_t scale)
{
    char text[MCO_NUMBER_TEXT];
    mco_json_number(json, key, guillotine_text(value, scale, text));
}

static void write_members(mco_json *json, const mco_guillotine *g, const mco_guillotine_node *node)
{
    guillotine_number_to_json(json, "x", node->x, g->scale);
    guillotine_number_to_json(json, "y", node->y, g->scale);
    guillotine_number_to_json(json, "w", node->width, g->scale);
    guillotine_number_to_json(json, "h", node->height, g->scale);
    if (node->kind == MCO_GUILLOTINE_NODE_PIECE) {
        mco_json_integer(json, "piece", node->piece + 1);
        if (g->piece_names != NULL && g->piece_names[node->piece] != NULL)
            mco_json_text(json, "name", g->piece_names[node->piece]);
        if (node->is_rotated)
            mco_json_bool(json, "rotated", true);
    } else if (node->kind == MCO_GUILLOTINE_NODE_WASTE) {
        mco_json_bool(json, "waste", true);
    } else {
        mco_json_text(json, "cut", node->cut == MCO_GUILLOTINE_CUT_X ? "x" : "y");
        guillotine_number_to_json(json, "at", node->at, g->scale);
    }
}

static void write_tree(mco_json *json, const mco_guillotine *g, const mco_guillotine_node *nodes, int64_t count, const int64_t *closings,
                       const char *key)
{
    int64_t level = json->depth;
    for (int64_t k = 0; k < count; k++) {
        if (k > 0)
            begin_line(json, level);
        mco_json_open(json, k == 0 ? key : NULL, '{');
        if (json->inline_depth == 0)
            json->inline_depth = json->depth;
        write_members(json, g, &nodes[k]);
        if (nodes[k].kind == MCO_GUILLOTINE_NODE_CUT) {
            mco_json_open(json, "parts", '[');
            level++;
            continue;
        }
        mco_json_close(json, '}');
        for (int64_t c = 0; c < closings[k]; c++) {
            mco_json_close(json, ']');
            mco_json_close(json, '}');
        }
        level -= closings[k];
    }
}

mco_status guillotine_plan_to_json(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_node *nodes,
                                   int64_t count, mco_json *json, const char *key)
{
    int64_t *closings = NULL;
    mco_status st = count_closings(ctx, problem, nodes, count, &closings);
    if (st == MCO_OK)
        write_tree(json, problem, nodes, count, closings, key);
    mco_free(ctx, &closings);
    return st;
}

mco_status mco_guillotine_write_plan(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_node *nodes,
                                     int64_t count, int64_t value, const char *path)
{
    mco_status st = MCO_OK;
    mco_output o = {0};
    mco_json json;
    if (ctx == NULL || problem == NULL || path == NULL || (nodes == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_output_open(ctx, path, &o));
    mco_json_begin(&json, o.file);
    mco_json_open(&json, NULL, '{');
    if (value >= 0)
        guillotine_number_to_json(&json, "value", value, problem->value_scale);
    else
        mco_json_null(&json, "value");
    MCO_TRY(guillotine_plan_to_json(ctx, problem, nodes, count, &json, "plan"));
    mco_json_close(&json, '}');
    mco_json_end(&json);
    st = mco_output_commit(ctx, &o, false);
done:
    mco_output_discard(&o);
    return st;
}

// ---- The list of cuts

// A rectangle that is cut is named by the number of its cut: cut_numbers [count], 0 for leaves.
typedef struct cut_list {
    const mco_guillotine *problem;
    const mco_guillotine_node *nodes;
    int64_t *cut_numbers;
    int64_t *used;  // [pieces of the instance] how many of each are on the plate
    FILE *file;
} cut_list;

static void print_name(const cut_list *l, int64_t piece)
{
    char number[24];
    fputs("piece ", l->file);
    mco_name_write(mco_guillotine_piece_name(l->problem, piece, number), l->file);
}

static void print_piece(const cut_list *l, const mco_guillotine_node *node)
{
    print_name(l, node->piece);
    fputs(node->is_rotated ? ", turned" : "", l->file);
}

// Whether a piece has the number of another one as its name.
static bool has_misleading_names(const mco_guillotine *g)
{
    char *end;
    for (int64_t p = 0; g->piece_names != NULL && p < g->pieces; p++) {
        const char *name = g->piece_names[p];
        const long long number = name != NULL && isdigit((unsigned char)name[0]) ? strtoll(name, &end, 10) : 0;
        if (number > 0 && *end == '\0' && number != p + 1)
            return true;
    }
    return false;
}

// "20 x 15" in the file's unit.
static void print_sizes(const cut_list *l, int64_t width, int64_t height)
{
    char a[MCO_NUMBER_TEXT], b[MCO_NUMBER_TEXT];
    fprintf(l->file, "%s x %s", guillotine_text(width, l->problem->scale, a), guillotine_text(height, l->problem->scale, b));
}

static void print_part(const cut_list *l, int64_t part)
{
    const mco_guillotine_node *node = &l->nodes[part];
    if (node->width == 0 || node->height == 0) {
        fprintf(l->file, "nothing (the saw takes the rest)");
        return;
    }
    print_sizes(l, node->width, node->height);
    fputs(" (", l->file);
    if (node->kind == MCO_GUILLOTINE_NODE_PIECE)
        print_piece(l, node);
    else if (node->kind == MCO_GUILLOTINE_NODE_WASTE)
        fputs("waste", l->file);
    else
        fprintf(l->file, "R%lld", (long long)l->cut_numbers[part]);
    fputc(')', l->file);
}

static void print_cut(const cut_list *l, int64_t k)
{
    const mco_guillotine_node *node = &l->nodes[k];
    char at[MCO_NUMBER_TEXT];
    fprintf(l->file, "%lld. cut ", (long long)l->cut_numbers[k]);
    if (k == 0)
        fputs("the plate", l->file);
    else
        fprintf(l->file, "R%lld", (long long)l->cut_numbers[k]);
    fputc(' ', l->file);
    print_sizes(l, node->width, node->height);
    fprintf(l->file, " at %s = %s: ", node->cut == MCO_GUILLOTINE_CUT_X ? "x" : "y",
            guillotine_text(node->at, l->problem->scale, at));
    print_part(l, node->parts[0]);
    fputs(" | ", l->file);
    print_part(l, node->parts[1]);
    fputc('\n', l->file);
}

static void print_cuts(const cut_list *l, int64_t count)
{
    const mco_guillotine_node *plate = &l->nodes[0];
    if (has_misleading_names(l->problem))
        fputs("ids: names; a piece without a name has its row number\n", l->file);
    if (plate->kind == MCO_GUILLOTINE_NODE_CUT) {
        fputs("x counts from the left edge of the rectangle that is cut, y from its lower edge; R7 is the rectangle that cut 7 "
              "divides\n",
              l->file);
        for (int64_t k = 0; k < count; k++)
            if (l->nodes[k].kind == MCO_GUILLOTINE_NODE_CUT)
                print_cut(l, k);
        return;
    }
    fputs("no cut: the plate ", l->file);
    print_sizes(l, plate->width, plate->height);
    fputs(" is ", l->file);
    if (plate->kind == MCO_GUILLOTINE_NODE_PIECE)
        print_piece(l, plate);
    else
        fputs("waste", l->file);
    fputc('\n', l->file);
}

// Prints the pieces with their counts, and what is left of the plate.
static void print_totals(const cut_list *l, int64_t count)
{
    const mco_guillotine *g = l->problem;
    const int64_t plate_area = (int64_t)g->width * g->height;
    int64_t waste = plate_area, pieces = 0;
    for (int64_t k = 0; k < count; k++) {
        const mco_guillotine_node *node = &l->nodes[k];
        if (node->kind != MCO_GUILLOTINE_NODE_PIECE)
            continue;
        l->used[node->piece]++;
        pieces++;
        waste -= (int64_t)g->piece[node->piece].width * g->piece[node->piece].height;
    }
    fprintf(l->file, "pieces: %lld\n", (long long)pieces);
    for (int64_t p = 0; p < g->pieces; p++)
        if (l->used[p] > 0) {
            fprintf(l->file, "%6lld x ", (long long)l->used[p]);
            print_name(l, p);
            fputs(", ", l->file);
            print_sizes(l, g->piece[p].width, g->piece[p].height);
            fputc('\n', l->file);
        }
    // The digits come from integers, because the locale of the program may have another decimal point.
    const long long thousandths = llround((double)waste / (double)plate_area * 100000);
    char left[MCO_NUMBER_TEXT], all[MCO_NUMBER_TEXT];
    fprintf(l->file, "waste: %s of %s, %lld.%03lld%%\n", guillotine_text(waste, g->scale * g->scale, left),
            guillotine_text(plate_area, g->scale * g->scale, all), thousandths / 1000, thousandths % 1000);
}

mco_status guillotine_plan_to_cuts(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_node *nodes,
                                   int64_t count, FILE *file)
{
    mco_status st = MCO_OK;
    cut_list l = {.problem = problem, .nodes = nodes, .file = file};
    int64_t *closings = NULL, cuts = 0;
    MCO_TRY(count_closings(ctx, problem, nodes, count, &closings));
    MCO_TRY(mco_alloc(ctx, &l.cut_numbers, count));
    MCO_TRY(mco_alloc(ctx, &l.used, problem->pieces));
    for (int64_t k = 0; k < count; k++)
        if (nodes[k].kind == MCO_GUILLOTINE_NODE_CUT)
            l.cut_numbers[k] = ++cuts;
    print_cuts(&l, count);
    print_totals(&l, count);
done:
    mco_free(ctx, &l.used);
    mco_free(ctx, &l.cut_numbers);
    mco_free(ctx, &closings);
    return st;
}

mco_status mco_guillotine_write_cuts(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_node *nodes,
                                     int64_t count, const char *path)
{
    mco_status st = MCO_OK;
    mco_output o = {0};
    if (ctx == NULL || problem == NULL || path == NULL || (nodes == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_output_open(ctx, path, &o));
    MCO_TRY(guillotine_plan_to_cuts(ctx, problem, nodes, count, o.file));
    MCO_TRY(mco_output_commit(ctx, &o, false));
done:
    mco_output_discard(&o);
    return st;
}

// ---- Reading

typedef enum member { X, Y, W, H, CUT, AT, PARTS, PIECE, ROTATED, WASTE, NAME, MEMBERS } member;

static const char *const member_names[MEMBERS] = {"x", "y", "w", "h", "cut", "at", "parts", "piece", "rotated", "waste", "name"};

#define BIT(member) (1u << (member))

enum { EVERY_NODE = BIT(X) | BIT(Y) | BIT(W) | BIT(H) };

static const struct {
    member decides;
    unsigned needed, allowed;
    mco_guillotine_node_kind kind;
    const char *name;
} node_kinds[] = {
    {CUT, BIT(AT) | BIT(PARTS), 0, MCO_GUILLOTINE_NODE_CUT, "a cut"},
    {PIECE, 0, BIT(ROTATED) | BIT(NAME), MCO_GUILLOTINE_NODE_PIECE, "a piece"},
    {WASTE, 0, 0, MCO_GUILLOTINE_NODE_WASTE, "waste"},
};

// A node whose end has not been read yet.
typedef struct open_node {
    int64_t node;
    int64_t line, column;  // of its opening bracket
    unsigned seen;         // bits of the members that have been read
    int parts;
    bool is_first_member, is_first_part, is_in_parts;
} open_node;

enum { PIECE_NAME_ROOM = 256 };

typedef struct plan_reader {
    mco_context *ctx;
    const mco_guillotine *problem;
    mco_text *text;
    mco_guillotine_node *nodes;  // [count] of [capacity]
    int64_t count, capacity;
    open_node *open;             // [depth] of [open_capacity]
    int64_t depth, open_capacity;
    int64_t value, objective;    // -1 while not seen
    char name[PIECE_NAME_ROOM];  // that the file gives the piece of the node being read; cut if longer
} plan_reader;

// Makes room for one more item.
static mco_status reserve(mco_context *ctx, void **items, int64_t count, int64_t *capacity, size_t item_bytes)
{
    enum { FIRST_CAPACITY = 64 };
    if (count < *capacity)
        return MCO_OK;
    void *larger = NULL;
    const int64_t room = *capacity > 0 ? 2 * *capacity : FIRST_CAPACITY;
    mco_status st = mco_alloc_bytes(ctx, &larger, (size_t)room, item_bytes);
    if (st != MCO_OK)
        return st;
    if (count > 0)
        memcpy(larger, *items, (size_t)count * item_bytes);
    mco_free(ctx, items);
    *items = larger;
    *capacity = room;
    return MCO_OK;
}

// Reads "value", an integer, or "objective" of a result file, which may be written as a real such as 8.99778e+06. null
// leaves *out as it is.
static mco_status read_value(const plan_reader *r, const char *what, int64_t *out)
{
    mco_text *text = r->text;
    enum { LONGEST = 40 };
    const double limit = 0x1p62;
    char number[LONGEST];
    double real;
    if (mco_json_skip_word(text, "null"))
        return MCO_OK;
    const mco_slice word = mco_json_peek_word(text);
    if (r->problem->value_scale > 1 && word.size > 0) {
        const mco_status st = mco_slice_scaled(text, word, what, ' ', r->problem->value_places, 0,
                                               ((int64_t)1 << 62) / r->problem->value_scale, out);
        text->at += st == MCO_OK ? word.size : 0;
        return st;
    }
    const bool is_whole = word.size < LONGEST;
    snprintf(number, sizeof number, "%.*s", is_whole ? (int)word.size : LONGEST, word.data);
    if (word.size == 0)
        return mco_text_fail_here(text, "%s: a whole number from 0 was expected", what);
    const bool is_real = strpbrk(number, ".eE") != NULL;
    const bool is_read = is_real ? mco_parse_real(number, 0, limit, &real) && real == floor(real)
                                 : mco_parse_integer(number, 0, (int64_t)limit, out);
    if (!is_whole || !is_read)
        return mco_text_fail(text, word.line, word.column, "%s is \"%s\", a whole number from 0 was expected", what,
                             number);
    if (is_real)
        *out = (int64_t)real;
    text->at += word.size;
    return MCO_OK;
}

static mco_status read_truth(mco_text *text, const char *what, bool *out)
{
    const mco_slice word = mco_json_peek_word(text);
    *out = mco_json_skip_word(text, "true");
    if (!*out && !mco_json_skip_word(text, "false"))
        return mco_text_fail(text, word.line, word.column, "%s is \"%.*s\", true or false was expected", what,
                             word.size < 40 ? (int)word.size : 40, word.data);
    return MCO_OK;
}

static mco_status read_size(const plan_reader *r, const char *what, int32_t *out)
{
    mco_text *text = r->text;
    const mco_guillotine *g = r->problem;
    int64_t value = 0;
    if (g->places == 0) {
        const mco_status st = mco_json_read_integer(text, what, 0, MCO_GUILLOTINE_MAX_SIDE, &value);
        *out = (int32_t)value;
        return st;
    }
    const mco_slice word = mco_json_peek_word(text);
    int places = 0;
    mco_status st = mco_slice_places(text, word, what, ' ', g->places, &places);
    if (st == MCO_OK)
        st = mco_slice_scaled(text, word, what, ' ', g->places, 0, MCO_GUILLOTINE_MAX_SIDE / g->scale, &value);
    if (st == MCO_OK)
        text->at += word.size;
    *out = (int32_t)value;
    return st;
}

static mco_status read_axis(mco_text *text, mco_guillotine_cut *out)
{
    char axis[24];
    mco_text_skip_blank(text);
    const int64_t line = text->line, column = (int64_t)(text->at - text->line_at) + 1;
    mco_status st = mco_json_read_text(text, axis, sizeof axis);
    if (st != MCO_OK)
        return st;
    if (strcmp(axis, "x") != 0 && strcmp(axis, "y") != 0)
        return mco_text_fail(text, line, column, "\"cut\" is \"%s\", \"x\" or \"y\" was expected", axis);
    *out = axis[0] == 'x' ? MCO_GUILLOTINE_CUT_X : MCO_GUILLOTINE_CUT_Y;
    return MCO_OK;
}

static mco_status read_waste(mco_text *text)
{
    bool is_waste = false;
    mco_text_skip_blank(text);
    const int64_t line = text->line, column = (int64_t)(text->at - text->line_at) + 1;
    mco_status st = read_truth(text, "\"waste\"", &is_waste);
    if (st == MCO_OK && !is_waste)
        st = mco_text_fail(text, line, column, "\"waste\" is false, true was expected");
    return st;
}

// Appends the next node, enters its bracket and puts it on the stack.
static mco_status open_next_node(plan_reader *r)
{
    mco_status st = MCO_OK;
    MCO_TRY(reserve(r->ctx, (void **)&r->nodes, r->count, &r->capacity, sizeof *r->nodes));
    MCO_TRY(reserve(r->ctx, (void **)&r->open, r->depth, &r->open_capacity, sizeof *r->open));
    mco_text_skip_blank(r->text);
    r->open[r->depth] = (open_node){.node = r->count,
                                    .line = r->text->line,
                                    .column = (int64_t)(r->text->at - r->text->line_at) + 1,
                                    .is_first_member = true,
                                    .is_first_part = true};
    MCO_TRY(mco_json_enter(r->text, '{'));
    memset(&r->nodes[r->count], 0, sizeof *r->nodes);
    r->count++;
    r->depth++;
done:
    return st;
}

static mco_status read_member(plan_reader *r, open_node *o, const char *key)
{
    mco_status st = MCO_OK;
    mco_text *text = r->text;
    mco_guillotine_node *node = &r->nodes[o->node];
    unsigned m = 0;
    while (m < MEMBERS && strcmp(key, member_names[m]) != 0)
        m++;
    if (m == MEMBERS)
        return mco_json_skip(text);
    mco_text_skip_blank(text);
    if (o->seen & BIT(m))
        return mco_text_fail_here(text, "the node has \"%s\" a second time", key);
    o->seen |= BIT(m);
    switch ((member)m) {
    case X: MCO_TRY(read_size(r, "\"x\"", &node->x)); break;
    case Y: MCO_TRY(read_size(r, "\"y\"", &node->y)); break;
    case W: MCO_TRY(read_size(r, "\"w\"", &node->width)); break;
    case H: MCO_TRY(read_size(r, "\"h\"", &node->height)); break;
    case AT: MCO_TRY(read_size(r, "\"at\"", &node->at)); break;
    case CUT: MCO_TRY(read_axis(text, &node->cut)); break;
    case PIECE:
        MCO_TRY(mco_json_read_integer(text, "\"piece\"", 1, r->problem->pieces, &node->piece));
        node->piece--;
        break;
    case ROTATED: MCO_TRY(read_truth(text, "\"rotated\"", &node->is_rotated)); break;
    case WASTE: MCO_TRY(read_waste(text)); break;
    case NAME: MCO_TRY(mco_json_read_text(text, r->name, sizeof r->name)); break;
    default:
        MCO_TRY(mco_json_enter(text, '['));
        o->is_in_parts = true;
    }
done:
    return st;
}

// A piece with another name than the instance's is another piece: the rows of the instance have changed. Names that are no UTF-8
// read back differently; they are not compared, and neither are long ones.
static mco_status test_name(const plan_reader *r, const open_node *o)
{
    char number[24];
    const int64_t piece = r->nodes[o->node].piece;
    const char *own = mco_guillotine_piece_name(r->problem, piece, number);
    if (strcmp(r->name, own) == 0 || strlen(own) >= sizeof r->name - 1 || strstr(r->name, "\xef\xbf\xbd") != NULL)
        return MCO_OK;
    return mco_text_fail(r->text, o->line, o->column, "piece %lld is \"%s\" here, in the instance it is \"%s\": the rows of the "
                         "instance have changed", (long long)piece + 1, r->name, own);
}

// Decides from the members of a completely read node whether it is a cut, a piece or waste.
static mco_status settle_node(plan_reader *r, const open_node *o)
{
    mco_guillotine_node *node = &r->nodes[o->node];
    size_t k = 0;
    while (k < sizeof node_kinds / sizeof node_kinds[0] && !(o->seen & BIT(node_kinds[k].decides)))
        k++;
    if (k == sizeof node_kinds / sizeof node_kinds[0])
        return mco_text_fail(r->text, o->line, o->column, "the node has neither \"cut\", \"piece\" nor \"waste\"");
    const unsigned needed = EVERY_NODE | BIT(node_kinds[k].decides) | node_kinds[k].needed;
    for (unsigned m = 0; m < MEMBERS; m++) {
        if ((needed & BIT(m)) && !(o->seen & BIT(m)))
            return mco_text_fail(r->text, o->line, o->column, "the node is %s and has no \"%s\"", node_kinds[k].name,
                                 member_names[m]);
        if ((o->seen & BIT(m)) && !((needed | node_kinds[k].allowed) & BIT(m)))
            return mco_text_fail(r->text, o->line, o->column, "the node is %s and has \"%s\"", node_kinds[k].name,
                                 member_names[m]);
    }
    node->kind = node_kinds[k].kind;
    return o->seen & BIT(NAME) ? test_name(r, o) : MCO_OK;
}

// Begins the next part of the node on top of the stack, or ends its parts.
static mco_status read_part(plan_reader *r, open_node *o)
{
    mco_status st = MCO_OK;
    bool has_next;
    MCO_TRY(mco_json_next(r->text, '[', &o->is_first_part, &has_next, NULL, 0));
    mco_text_skip_blank(r->text);
    if (has_next && o->parts == 2)
        return mco_text_fail_here(r->text, "a cut has 2 parts, here is one more");
    if (!has_next && o->parts < 2)
        return mco_text_fail(r->text, o->line, o->column, "the cut has %d parts, 2 were expected", o->parts);
    if (has_next) {
        r->nodes[o->node].parts[o->parts++] = r->count;
        MCO_TRY(open_next_node(r));
    } else {
        o->is_in_parts = false;
    }
done:
    return st;
}

static mco_status read_tree(plan_reader *r)
{
    mco_status st = MCO_OK;
    enum { KEY_ROOM = 16 };
    MCO_TRY(open_next_node(r));
    while (r->depth > 0) {
        open_node *o = &r->open[r->depth - 1];
        char key[KEY_ROOM];
        bool has_next;
        if (o->is_in_parts) {
            MCO_TRY(read_part(r, o));
            continue;
        }
        MCO_TRY(mco_json_next(r->text, '{', &o->is_first_member, &has_next, key, sizeof key));
        if (has_next) {
            MCO_TRY(read_member(r, o, key));
        } else {
            MCO_TRY(settle_node(r, o));
            r->depth--;
        }
    }
done:
    return st;
}

static mco_status read_plan_member(mco_text *text, void *user)
{
    plan_reader *r = user;
    if (r->count > 0)
        return mco_text_fail_here(text, "the file has a second plan");
    return read_tree(r);
}

static mco_status read_value_member(mco_text *text, void *user)
{
    (void)text;
    return read_value(user, "\"value\"", &((plan_reader *)user)->value);
}

static mco_status read_objective_member(mco_text *text, void *user)
{
    (void)text;
    return read_value(user, "\"objective\"", &((plan_reader *)user)->objective);
}

// The object of a plan file has the members that a result file has in "solution".
static mco_status read_result(plan_reader *r)
{
    static const mco_report_member members[] = {{"plan", false, read_plan_member},
                                                {"plan", true, read_plan_member},
                                                {"value", false, read_value_member},
                                                {"value", true, read_value_member},
                                                {"objective", false, read_objective_member}};
    return mco_report_read(r->text, "guillotine", members, sizeof members / sizeof members[0], r);
}

mco_status guillotine_read_plan_text(mco_context *ctx, const mco_guillotine *problem, mco_text *text,
                                     mco_guillotine_node **nodes, int64_t *count, int64_t *value)
{
    mco_status st = MCO_OK;
    plan_reader r = {.ctx = ctx, .problem = problem, .text = text, .value = -1, .objective = -1};
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the file is empty");
    if (text->data[text->at] != '{')
        return mco_text_fail_here(text, "'{' was expected, '%c' found: a plan is a JSON object, lists of cuts are not read",
                                  text->data[text->at]);
    MCO_TRY(read_result(&r));
    if (r.count == 0)
        MCO_TRY(mco_text_fail_here(text, "the file holds no plan"));
    *nodes = r.nodes;
    *count = r.count;
    *value = r.value >= 0 ? r.value : r.objective;
    r.nodes = NULL;
done:
    mco_free(ctx, &r.open);
    mco_free(ctx, &r.nodes);
    return st;
}

mco_status mco_guillotine_read_plan(mco_context *ctx, const mco_guillotine *problem, const char *path,
                                    mco_guillotine_node **nodes, int64_t *count, int64_t *value)
{
    mco_text text;
    if (ctx == NULL || problem == NULL || path == NULL || nodes == NULL || count == NULL || value == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = guillotine_read_plan_text(ctx, problem, &text, nodes, count, value);
    mco_text_close(&text);
    return st;
}

void mco_guillotine_nodes_free(mco_context *ctx, mco_guillotine_node **nodes)
{
    if (nodes != NULL)
        mco_free(ctx, nodes);
}
