#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The multi-core table of Chakroun (2013, table 5.1): speed-up by threads and size.

The thesis' protocol: trees of 50 jobs and more cannot be finished, so every engine explores the same part of each. A
slice begins at a path drawn by seed and ends where one thread stands after --seconds. The incumbent is fixed at the
best known makespan. All runs of a slice must decompose the same number of nodes.
"""
import json
import os
import random
import tempfile

from common import Table, arguments, best_known, solve

GROUPS = [(20, 21), (50, 51), (100, 81), (200, 101)]  # jobs, first instance; 20 machines


def draw_slice(mco, name, jobs, upper, seed, seconds):
    """An interval that takes one thread about `seconds`. It is the whole tail if the tree ends earlier, and it starts
    at the beginning of the tree if nothing of that size is behind ten places drawn."""
    generator = random.Random(seed)
    for draw in range(11):
        begin = ".".join(str(generator.randrange(jobs - d)) for d in range(min(jobs - 2, 6))) if draw < 10 else ""
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "state")
            r = solve(mco, name, "--upper-bound", upper, "--threads", 1, "--interval", begin + ",", "--time-limit",
                      seconds, "--checkpoint", state)
            if r["stop"] == "finished":
                if r["time"]["solve_s"] > 0.2 * seconds or draw == 10:
                    return begin + ","
                continue  # nearly nothing is left behind the place drawn
            with open(state) as file:
                body = json.loads("".join(line for line in file if not line.startswith("#")))
        return begin + "," + ".".join(map(str, body["open"][0][0]))


def main():
    options = arguments(__doc__, seed=(1, "seed of the slices"), seconds=(10.0, "length of a slice on one thread"),
                        instances=(10, "instances of each group"),
                        jobs=(0, "only the group of so many jobs"), threads=(os.cpu_count(), "most threads"))
    table = Table(options, ["group", "instance", "interval", "threads", "nodes", "wall_s", "M_nodes_s", "speed_up"])
    for jobs, first in GROUPS:
        if options.jobs not in (0, jobs):
            continue
        sums = {}
        for k in range(first, first + options.instances):
            name = "ta%03d" % k
            upper = best_known(options.mco, name)
            interval = draw_slice(options.mco, name, jobs, upper, options.seed * 1000 + k, options.seconds)
            expected = one = None
            for threads in range(1, options.threads + 1):
                r = solve(options.mco, name, "--upper-bound", upper, "--threads", threads, "--interval", interval)
                nodes, wall = r["counters"]["nodes"], r["time"]["solve_s"]
                expected = expected or nodes
                one = one or wall
                assert nodes == expected, (name, interval, threads, nodes, expected)
                sums.setdefault(threads, []).append(one / wall)
                table.row("%dx20" % jobs, name, interval, threads, nodes, wall, nodes / wall * 1e-6, one / wall)
        for threads, ratios in sums.items():
            table.note("%dx20, %d threads: mean speed-up %.3f" % (jobs, threads, sum(ratios) / len(ratios)))


main()
