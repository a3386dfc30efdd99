#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nodes and leaves of searches by several ranks, or by --join, at the optimum as incumbent: those of one process."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flowshop"))
from common import Table, arguments, best_known, solve  # noqa: E402
from grid import can_launch, search  # noqa: E402

COUNTS = ["nodes", "leaves", "bounds"]


def main():
    options = arguments(__doc__, mpiexec=("mpirun --bind-to none", "the launcher; empty: by --join"), first=(11, "first instance"),
                        last=(30, "last instance"), workers=("1,2,4", "with commas; a rank more coordinates"), skip=("", "instances, with commas"),
                        threads=(0, "of a worker; 0: its part of the machine"))
    if options.mpiexec and not can_launch(options.mco, options.mpiexec.split()[0]):
        sys.exit("%s starts no two ranks of this mco" % options.mpiexec)
    table = Table(options, ["instance", "upper_bound", "by", "workers", "nodes", "leaves", "bounds", "equal", "solve_s", "cpu_s_of_the_coordinator"])
    for name in ["ta%03d" % k for k in range(options.first, options.last + 1)]:
        if name in options.skip.split(","):
            continue
        bound = ["--upper-bound", str(best_known(options.mco, name)), "--engine", "cpu"]
        one = solve(options.mco, name, *bound)["counters"]
        for workers in map(int, options.workers.split(",")):
            threads = options.threads if options.mpiexec or options.threads else max(1, len(os.sched_getaffinity(0)) // workers)
            result = search(options.mco, workers, options.mpiexec, [name, *bound, *(["--threads", str(threads)] if threads else [])])
            counters = result["counters"]
            table.row(name, bound[1], os.path.basename(options.mpiexec.split()[0]) if options.mpiexec else "join", workers,
                      *[counters[key] for key in COUNTS], "yes" if all(counters[key] == one[key] for key in COUNTS) else "NO",
                      result["time"]["solve_s"], result["time"]["cpu_s"])


main()
