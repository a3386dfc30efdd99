#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Membership overlay: tables 7.1 and 7.2 of Strappaveccia (2015) beside this machine.

The published instances are lost. A row is a group of generated ones that are like them, seeds 1 to --seeds: the mean value of the
linear program, and of each method the mean and the greatest gap to it in %, and the mean CPU seconds of the whole call.
"""
import argparse
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import thesis  # noqa: E402

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "guillotine"))
from tables import Writer, load  # noqa: E402

# Name of a column: method and its options.
METHODS = {"jump": ["jump"], "jump_zero": ["jump", "--start-duals", "zero"], "std": ["std", "--start-duals", "zero"],
           "dist": ["dist", "--start-duals", "zero"]}
PUBLISHED = ["lp_published", "coinmp_published_s", "cplex_published_s", "std_published_s", "std_published_gap", "dist_published_s",
             "dist_published_gap"]
PUBLISHED_2 = ["openmp_published_s", "mpi_published_s", "cuda_published_s"]


def columns():
    made = ["group", "instances", "lp", "lp_s"]
    for name in METHODS:
        made += [name + "_gap", name + "_most", name + "_s"]
    return made + PUBLISHED + PUBLISHED_2 + ["load_before"]


def bound(options, folder, instance, *arguments):
    """The result file of one run, as a dict."""
    path = os.path.join(folder, "result.json")
    command = [options.mco, "overlay", "bound", instance, "--quiet", "--threads", str(options.threads), "--json", path, "--method",
               *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr))
    with open(path) as file:
        return json.load(file)


def instance_of(options, folder, group, seed):
    path = os.path.join(folder, "instance.csv")
    subprocess.run([options.mco, "overlay", "generate", "--group", group, "--seed", str(seed), "--output", path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def measure(options, writer, folder, group):
    before, values, seconds = load(), [], []
    gaps, times = {name: [] for name in METHODS}, {name: [] for name in METHODS}
    for seed in range(1, options.seeds + 1):
        instance = instance_of(options, folder, group, seed)
        exact = bound(options, folder, instance, "lp")
        assert exact["outcome"] == "optimal", (group, seed)
        values.append(exact["objective"])
        seconds.append(exact["time"]["cpu_s"])
        for name, arguments in METHODS.items():
            result = bound(options, folder, instance, *arguments)
            assert result["bound"] >= exact["objective"], (group, seed, name)
            gaps[name].append(100 * (result["bound"] - exact["objective"]) / exact["objective"])
            times[name].append(result["time"]["cpu_s"])
    ours = []
    for name in METHODS:
        ours += ["%.5f" % statistics.mean(gaps[name]), "%.5f" % max(gaps[name]), statistics.mean(times[name])]
    writer.row(group, options.seeds, "%.2f" % statistics.mean(values), statistics.mean(seconds), *ours, *thesis.TABLE_7_1[group],
               *thesis.TABLE_7_2[group][1:], before)


def main():
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--mco", default="build/mco", help="the command to measure")
    made.add_argument("--rows", default="*", help="groups, comma separated, * stands for anything")
    made.add_argument("--seeds", type=int, default=10, help="instances of a group (10)")
    made.add_argument("--threads", type=int, default=1, help="threads (1)")
    made.add_argument("--csv", help="CSV file to write besides, such as bench/results/overlay-published.csv")
    options = made.parse_args()
    chosen = [name for name in thesis.TABLE_7_1 if any(fnmatch.fnmatch(name, row) for row in options.rows.split(","))]
    if not chosen:
        sys.exit("--rows %s: no group fits" % options.rows)
    writer = Writer(options, columns())
    with tempfile.TemporaryDirectory() as folder:
        for group in chosen:
            measure(options, writer, folder, group)


main()
