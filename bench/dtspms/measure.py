# SPDX-License-Identifier: MIT
"""What the benchmarks of the double TSP with multiple stacks share: options, runs of the command, medians."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "guillotine"))
from tables import Refused, Writer, gpus, load, median_s  # noqa: E402, F401  (for the scripts beside this file)


def parser(description, runs=None):
    """The options of every script. `runs` is the default number of runs of a median; it adds --engine and --runs."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--mco", default="build/mco", help="the command to measure")
    made.add_argument("--threads", type=int, default=0, help="threads of the engine cpu; all processors without it")
    made.add_argument("--csv", help="CSV file to write besides, such as bench/results/dtspms-%s.csv"
                      % os.path.basename(sys.argv[0]).removesuffix(".py"))
    if runs:
        made.add_argument("--engine", help="engines, comma separated; cpu, and gpu where one is, without it")
        made.add_argument("--runs", type=int, default=runs, help="runs of each, the median counts (%d)" % runs)
    return made


def engines(options):
    return options.engine.split(",") if options.engine else ["cpu"] + ["gpu"] * bool(gpus(options.mco))


def run(options, engine, action, *arguments):
    """Runs `mco dtspms ACTION ARGUMENTS`; returns the result file as a dict."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        command = [options.mco, "dtspms", action, "--quiet", "--engine", engine, "--json", path, *map(str, arguments)]
        if options.threads and engine == "cpu":
            command += ["--threads", str(options.threads)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode in (3, 4):
            raise Refused(done.stderr.strip())
        if done.returncode != 0:
            sys.exit("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr))
        with open(path) as file:
            return json.load(file)


def neighbourhoods(options, engine, *arguments):
    """The results of all runs of one neighbourhood, sorted by solve_s. They must agree on the best move."""
    results = [run(options, engine, "neighbourhood", *arguments) for _ in range(options.runs)]
    assert len({best_of(r) for r in results}) == 1, arguments
    return sorted(results, key=lambda r: r["time"]["solve_s"])


def best_of(result):
    return int(result["objective"]), result["counters"]["best_move"]


def data(path):
    """The path of a file of the public collection; None if the file is not there."""
    whole = os.path.join(os.environ.get("MCO_DATA", ""), "dtspms", path)
    return whole if os.path.exists(whole) else None
