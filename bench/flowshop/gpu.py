#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Engines on GPUs: node counts, proofs and rates. A case is INSTANCE:N (the upper bound N is given) or INSTANCE
(nothing is given); sets of cases have names."""
from common import Table, arguments, best_known, solve

SETS = {
    "counts": ["ta011:1582", "ta020:1591", "ta030:2178", "ta056:3650", "ta056:3660"],
    "20x20": ["ta%03d" % k for k in range(21, 31)],
    "20x20-given": ["ta%03d:best" % k for k in range(21, 31)],
    "ta056": ["ta056:3650", "ta056:3660", "ta056:3670"],
}


def main():
    options = arguments(__doc__, cases=("20x20-given", "a set, or cases with commas between"),
                        engine=("gpu", "engines, with commas between"), gpus=("0", "as --gpus takes it"),
                        bound=("lb1", "lower bound"), branching=("minbranch", "rule"), repeat=(1, "runs of each"),
                        options=("", "more options, separated by blanks"))
    table = Table(options, ["instance", "upper_bound", "engine", "bound", "gpus", "outcome", "makespan", "nodes", "leaves",
                            "kernel_s", "tree_s", "wall_s", "G_nodes_per_kernel_s", "G_nodes_per_tree_s"])
    cases = SETS.get(options.cases) or options.cases.split(",")
    for engine in options.engine.split(","):
        nodes = kernel_s = tree_s = wall_s = 0
        for case in cases * options.repeat:
            name, _, upper = case.partition(":")
            upper = best_known(options.mco, name) if upper == "best" else upper
            hint = ["--upper-bound", upper] if upper else []
            gpus = ["--gpus", options.gpus] if engine not in ("cpu", "auto", "reference") else []
            r = solve(options.mco, name, "--engine", engine, "--bound", options.bound, "--branching", options.branching,
                      *gpus, *hint, *options.options.split())
            counters, time = r["counters"], r["time"]
            tree = time["solve_s"] - counters["heuristic_s"]
            table.row(name, upper, engine, options.bound, len(r["engine"]["devices"]), r["outcome"], r["objective"],
                      counters["nodes"], counters["leaves"], time["device_s"], tree, time["wall_s"],
                      counters["nodes"] / time["device_s"] * 1e-9 if time["device_s"] else "",
                      counters["nodes"] / tree * 1e-9)
            nodes += counters["nodes"]
            kernel_s += time["device_s"]
            tree_s += tree
            wall_s += time["wall_s"]
        table.note("%s, sum: %d nodes, %.3f s of kernels, %.3f s of tree search, %.3f s wall"
                   % (engine, nodes, kernel_s, tree_s, wall_s))


main()
