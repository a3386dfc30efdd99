#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proofs of optimality of 20-job instances: without a hint, or with the optimum given (--given 1)."""
from common import Table, arguments, best_known, solve


def main():
    options = arguments(__doc__, given=(0, "1: give the optimum"), first=(1, "first instance"),
                        last=(30, "last instance"), threads=(0, "threads; 0: all processors"))
    table = Table(options, ["instance", "outcome", "makespan", "optimum", "nodes", "heuristic_s", "wall_s", "cpu_s"])
    wall = cpu = nodes = 0
    for k in range(options.first, options.last + 1):
        name = "ta%03d" % k
        optimum = best_known(options.mco, name)
        hint = ["--upper-bound", optimum] if options.given else []
        r = solve(options.mco, name, "--threads", options.threads, *hint)
        table.row(name, r["outcome"], r["objective"], optimum, r["counters"]["nodes"], r["counters"]["heuristic_s"],
                  r["time"]["wall_s"], r["time"]["cpu_s"])
        wall += r["time"]["wall_s"]
        cpu += r["time"]["cpu_s"]
        nodes += r["counters"]["nodes"]
    table.note("sum: %d nodes, %.2f s wall, %.2f s CPU" % (nodes, wall, cpu))


main()
