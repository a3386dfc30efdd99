#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Membership overlay: `solve` on the 24 groups of Strappaveccia (2015), each within a time limit.

A row is a generated instance: the overlay's worth, the proved bound, by how much in % the worth lies below it, CPU seconds of the call.
No overlays are published.
"""
import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import thesis  # noqa: E402

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "guillotine"))
from tables import Writer, load  # noqa: E402


def run(*command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr))


def measure(options, writer, folder, group, seed):
    instance, result = os.path.join(folder, "instance.csv"), os.path.join(folder, "result.json")
    before = load()
    run(options.mco, "overlay", "generate", "--group", group, "--seed", str(seed), "--output", instance)
    run(options.mco, "overlay", "solve", instance, "--quiet", "--threads", str(options.threads), "--time-limit", str(options.time), "--json", result)
    run(options.mco, "overlay", "check", instance, result)
    with open(result) as file:
        r = json.load(file)
    assert r["objective"] <= r["bound"], (group, seed)
    writer.row(group, seed, "%.4f" % r["objective"], "%.4f" % r["bound"], "%.5f" % (100 * (r["bound"] - r["objective"]) / r["bound"]), r["counters"]["kept"],
               r["time"]["solve_s"], r["time"]["cpu_s"], before)


def main():
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--mco", default="build/mco", help="the command to measure")
    made.add_argument("--rows", default="*", help="groups, comma separated, * stands for anything")
    made.add_argument("--seeds", type=int, default=3, help="instances of a group (3)")
    made.add_argument("--threads", type=int, default=2, help="threads (2)")
    made.add_argument("--time", type=float, default=2, help="seconds a solve (2)")
    made.add_argument("--csv", help="CSV file to write besides, such as bench/results/overlay-overlays.csv")
    options = made.parse_args()
    chosen = [name for name in thesis.TABLE_7_1 if any(fnmatch.fnmatch(name, row) for row in options.rows.split(","))]
    if not chosen:
        sys.exit("--rows %s: no group fits" % options.rows)
    writer = Writer(options, ["group", "seed", "worth", "bound", "below", "kept", "solve_s", "cpu_s", "load_before"])
    with tempfile.TemporaryDirectory() as folder:
        for group in chosen:
            for seed in range(1, options.seeds + 1):
                measure(options, writer, folder, group, seed)


main()
