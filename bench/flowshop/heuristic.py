#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mean gap of the heuristic to the best known makespans. Each instance gets one thread and 60 n m / 2 milliseconds."""
from concurrent.futures import ThreadPoolExecutor

from common import Table, arguments, best_known, solve

GROUPS = [(50, 20, 51), (100, 20, 81), (200, 20, 101)]


def main():
    options = arguments(__doc__, seed=(1, "seed"), factor=(60.0, "budget: FACTOR n m / 2 milliseconds"),
                        parallel=(1, "runs at a time, one processor each"), instances=(10, "instances of each group"),
                        jobs=(0, "only the group of so many jobs"))
    table = Table(options, ["group", "instance", "seconds", "makespan", "best_known", "gap_percent", "iterations"])
    for jobs, machines, first in GROUPS:
        if options.jobs not in (0, jobs):
            continue
        seconds = options.factor * jobs * machines / 2 / 1000

        def run(k):
            name = "ta%03d" % k
            r = solve(options.mco, name, "--method", "heuristic", "--threads", 1, "--seed", options.seed,
                      "--time-limit", seconds)
            return name, r["objective"], best_known(options.mco, name), r["counters"]["iterations"]

        gaps = []
        with ThreadPoolExecutor(options.parallel) as pool:
            for name, found, best, iterations in pool.map(run, range(first, first + options.instances)):
                gaps.append(100 * (found - best) / best)
                table.row("%dx%d" % (jobs, machines), name, seconds, found, best, gaps[-1], iterations)
        table.note("%dx%d: mean gap %.4f %%" % (jobs, machines, sum(gaps) / len(gaps)))


main()
