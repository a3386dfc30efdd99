// SPDX-License-Identifier: MIT
// How far a step goes: the least potential on the way from flows to other flows.
#ifndef MCO_TRAFFIC_FRANK_WOLFE_LINE_SEARCH_H
#define MCO_TRAFFIC_FRANK_WOLFE_LINE_SEARCH_H

#include "traffic/frank_wolfe/direction.h"
#include "traffic/model/problem.h"

// The way flow + step * direction, step in [0, 1].
typedef struct traffic_line {
    const traffic_problem *problem;
    const double *flow, *direction;  // [links] of all classes together
    double extra;                    // what constants of classes add to the derivative: sum of extra * direction
    int32_t count;                   // coefficients of the derivative; 0: it is no polynomial
    double coefficient[TRAFFIC_MOST_COEFFICIENTS];
} traffic_line;

// Borrows the arrays. One pass over the links finds the coefficients if costs are polynomials of low degree. O(links).
traffic_line traffic_line_make(const traffic_problem *problem, const double *flow, const double *direction, double extra);
// The derivative of the potential at a step, and the potential there minus that at step 0. O(links), or O(1) for a polynomial.
double traffic_line_slope(const traffic_line *line, double step);
double traffic_line_value(const traffic_line *line, double step);

// The tolerance of the searches that compare values: near its least value a function is too flat for more.
static const double TRAFFIC_LINE_TOLERANCE = 1e-8;

// The best step: the zero of the derivative, or what a search by values finds (Jradi 2016, chapter 8). 0 if the potential does not fall.
double traffic_line_search(const traffic_line *line, mco_traffic_line_search how);

#endif
