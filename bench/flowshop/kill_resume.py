#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills a search by SIGKILL at random moments and resumes it: the node count must be that of an uninterrupted
search."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from common import Table, arguments, solve


def read_nodes(path):
    with open(path) as file:
        body = json.loads("".join(line for line in file if not line.startswith("#")))
    return sum(sum(row) for row in body["children_by_depth"])


def main():
    options = arguments(__doc__, instance=("ta023", "instance"), upper_bound=(2326, "fixed incumbent"),
                        nodes=(0, "count of an uninterrupted run; 0: run it"), kills=(5, "SIGKILLs"),
                        seed=(1, "of the moments"))
    table = Table(options, ["leg", "seconds", "nodes_at_start", "nodes_saved", "seconds_lost", "M_nodes_s",
                            "M_nodes_lost"])
    generator = random.Random(options.seed)
    common = [options.instance, "--upper-bound", options.upper_bound]
    whole = options.nodes or solve(options.mco, *common)["counters"]["nodes"]
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state.ckpt")
        keep = ["--checkpoint", state, "--checkpoint-interval", 1]
        done = 0
        for leg in range(options.kills):
            resume = ["--resume", state] if leg else []
            before = os.path.getmtime(state) if leg else 0
            begin = time.time()
            process = subprocess.Popen([options.mco, "flowshop", "solve", "--quiet", *map(str, common + keep + resume)],
                                       stdout=subprocess.DEVNULL)
            while not os.path.exists(state) or os.path.getmtime(state) == before:
                time.sleep(0.01)
                if process.poll() is not None:
                    sys.exit("the search ended before its first checkpoint: choose a harder instance")
            time.sleep(generator.uniform(0, 6))
            process.send_signal(signal.SIGKILL)
            killed = time.time()
            process.wait()
            saved = read_nodes(state)
            at = os.path.getmtime(state)
            rate = (saved - done) / (at - begin)
            table.row(leg + 1, killed - begin, done, saved, killed - at, rate * 1e-6, rate * (killed - at) * 1e-6)
            done = saved
        r = solve(options.mco, *common, *keep, "--resume", state)
        count = r["counters"]["nodes"]
        table.row("last", r["time"]["wall_s"], r["counters"]["nodes_resumed"], count, 0.0,
                  (count - r["counters"]["nodes_resumed"]) / r["time"]["solve_s"] * 1e-6, 0.0)
    table.note("%s: %d nodes, uninterrupted %d" % ("equal" if count == whole else "DIFFERENT", count, whole))
    sys.exit(count != whole)


main()
