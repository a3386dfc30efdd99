#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nodes decomposed per second on one thread, with the optimum or the bound given as known.

The seconds are CPU seconds of the whole process, the median of several runs. The CPU seconds of the published code on
such a core (LB1: jangmys/pbb, measured 2026, see the README of src/flowshop) stand beside ours where they are known.
"""
import statistics

from common import Table, arguments, best_known, solve

# instance, bound, rule, upper bound (0: best known), published nodes (0: none), published CPU seconds (0: none)
CASES = [
    ("ta011", "lb1", "minmin", 0, 156873, 0.087),
    ("ta020", "lb1", "minmin", 0, 288357, 0.174),
    ("ta030", "lb1", "minmin", 0, 2742968, 2.35),
    ("ta028", "lb1", "minmin", 0, 15297804, 12.9),
    ("ta029", "lb1", "minmin", 0, 14470357, 12.4),
    ("ta017", "lb1", "minmin", 0, 40550069, 21.1),
    ("ta011", "lb1", "minbranch", 0, 150678, 0.072),
    ("ta020", "lb1", "minbranch", 0, 268812, 0.142),
    ("ta030", "lb1", "minbranch", 0, 2415746, 0),
    ("ta029", "lb1", "minbranch", 0, 12233362, 0),
    ("ta028", "lb1", "minbranch", 0, 12869871, 0),
    ("ta022", "lb1", "minbranch", 0, 45955934, 0),
    ("ta056", "lb1", "minbranch", 3640, 285384, 0.63),
    ("ta056", "lb1", "minbranch", 3650, 3709888, 7.7),
    ("ta083", "lb1", "minbranch", 0, 71544, 0.36),
    ("ta084", "lb1", "minbranch", 0, 166213, 0.72),
    ("ta103", "lb1", "minbranch", 0, 28221, 0.29),
    ("ta111", "lb1", "minbranch", 0, 2732, 0.08),
    ("ta020", "lb2", "minmin", 0, 121893, 2.10),
    ("ta011", "lb2", "minmin", 0, 74130, 1.29),
]


def main():
    options = arguments(__doc__, simd=("auto", "vector unit"), runs=(5, "runs of each case"))
    table = Table(options, ["instance", "bound", "rule", "upper_bound", "nodes", "published_nodes", "cpu_s",
                            "published_cpu_s", "M_nodes_s", "least_cpu_s"])
    for name, bound, rule, upper, nodes, published in CASES:
        upper = upper or best_known(options.mco, name)
        results = [solve(options.mco, name, "--bound", bound, "--branching", rule, "--upper-bound", upper,
                         "--threads", 1, "--simd", options.simd) for _ in range(options.runs)]
        cpu = statistics.median(r["time"]["cpu_s"] for r in results)
        count = results[0]["counters"]["nodes"]
        table.row(name, bound, rule, upper, count, nodes, cpu, published, count / cpu * 1e-6,
                  min(r["time"]["cpu_s"] for r in results))


main()
