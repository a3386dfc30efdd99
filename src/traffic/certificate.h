// SPDX-License-Identifier: MIT
// A proof of an upper bound of the gap from the labels of an engine, in one pass over the links for each row and without a search.
//
// Labels p with p(origin) = 0 and p(head) <= p(tail) + cost for every link that a path may use are a feasible solution of the dual
// of "send all trips at least cost". So trips * p is a lower bound of the least cost however the labels were found, and
// (total - bound) / total is at least the true gap. What rounding may hide is added: a path of at most nodes - 1 links loses
// at most half a unit in the last place of its label at each. A wrong label makes the bound weak, never false.
//
// The caller: open; then for every row once, in any order and from any thread, row() or lanes8() with labels that were found
// with `cost` of this struct, in rounded sums label[tail] + cost; then close.
#ifndef MCO_TRAFFIC_CERTIFICATE_H
#define MCO_TRAFFIC_CERTIFICATE_H

#include "traffic/model/problem.h"
#include "traffic/sum.h"

// The balance of rows that were given side by side. One for each thread that takes rows.
typedef struct traffic_balance {
    double *net;       // [nodes][8] scratch, 0 between calls; NULL: nothing was given
    double *sum;       // [classes][links] flows that were given, or [links] where the certificate has no flows of classes
    int32_t balanced;  // rows that were given
    double imbalance;  // of these
} traffic_balance;

typedef struct traffic_certificate {
    const traffic_problem *problem;  // borrowed
    double *cost;            // [cost_classes][links] at the flows; class k has row k, or row 0 if there is one row
    int32_t cost_classes;    // 1 if no class differs
    const struct traffic_tight *tight;  // the pass over the links of 8 rows, for the vector unit of this machine
    double *flow;            // [links] the flows that it was opened with
    double *class_flow;      // [classes][links] cars; NULL: one class
    struct traffic_row_proof {
        traffic_sum least;   // sum of trips * label
        double loss;         // that errors of labels may add; infinite: the labels prove nothing
        bool is_done;
    } *row;                  // [rows]
    traffic_balance balance;
} traffic_certificate;

// Takes flows in cars, which are copied, and computes costs. `class_flow` NULL: one class. Errors: MEMORY. O(classes * links).
mco_status traffic_certificate_open(mco_context *ctx, const traffic_problem *problem, const double *flow, const double *class_flow,
                                    traffic_certificate *out);
// The costs of a row's links [links].
static inline const double *traffic_certificate_cost(const traffic_certificate *c, int32_t row)
{
    const int32_t k = c->cost_classes > 1 ? c->problem->row_class[row] : 0;
    return c->cost + (size_t)k * (size_t)c->problem->links;
}
// Labels of a row [nodes]; infinite where there is no path. O(links).
void traffic_certificate_row(traffic_certificate *c, int32_t row, const double *label);
// Labels of 8 rows of one class side by side [nodes][8]. A row of -1 is no row.
void traffic_certificate_lanes8(traffic_certificate *c, const int32_t row[8], const double *label);
// Flows of 8 rows of one class side by side: flow [count][8] in cars on the links [count]. A row of -1 is no row. Once all rows were
// given, one call after another, the proof has the balance of each row. Errors: MEMORY. O(count + trips).
mco_status traffic_certificate_flows8(mco_context *ctx, traffic_certificate *c, const int32_t row[8], int64_t count, const int32_t *link,
                                      const double *flow);
// The same by several threads: each opens a balance, gives it rows, and then the calling thread takes the balances, which are released. Errors of
// opening: MEMORY.
mco_status traffic_balance_open(mco_context *ctx, const traffic_certificate *c, traffic_balance *out);
void traffic_balance_flows8(const traffic_certificate *c, traffic_balance *b, const int32_t row[8], int64_t count, const int32_t *link,
                            const double *flow);
void traffic_certificate_take_balance(mco_context *ctx, traffic_certificate *c, traffic_balance *b);
// Labels of the rows that are not done, or whose labels prove nothing, by a search of its own on so many threads. It ends at `stop_s`
// (mco_clock_s()), or a tenth of a second after a cancellation; rows are then left out. Errors: MEMORY. O(rows * links * log nodes).
mco_status traffic_certificate_search(mco_context *ctx, traffic_certificate *c, int threads, double stop_s);

// Forgets the labels of all rows.
void traffic_certificate_reset(traffic_certificate *c);

// What the proof says. Labels of zero are feasible as well, so a row that is missing counts with a least cost of 0.
typedef struct traffic_proof {
    double total, least;  // sum of flow * cost; the lower bound of the least cost, without what rounding may hide
    double gap;           // (total - least + loss) / total; 0 without any cost
    int32_t missing;      // rows without labels
    double imbalance;     // greatest |flow out - flow in - trips| of a row at a node, or of a link between its rows and the flow
} traffic_proof;
// The balance is that of traffic_certificate_flows8() if that was given all rows, else that of `flows`; `flows` NULL or empty: that of all
// rows of a class together. Errors: MEMORY. O(flows + links).
mco_status traffic_certificate_close(mco_context *ctx, traffic_certificate *c, const traffic_flows *flows, traffic_proof *out);
void traffic_certificate_clear(mco_context *ctx, traffic_certificate *c);

#endif
