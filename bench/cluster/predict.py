#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predicts a search by several ranks, then runs it; each prediction is written before its run begins. What it takes from measurement: the nodes
of the tree, and the rates of as many processes of one thread as there will be workers, all at once, just before the run. What it assumes
beyond: the simulation (simulate.c), whose mean over some seeds it is; that a worker's part in the cluster and the coordinator cost no time
(measured: below 1 % and 0.3 % of a core)."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flowshop"))
from common import Table, arguments, best_known, solve  # noqa: E402
from grid import ENVIRONMENT, can_launch, search, simulate  # noqa: E402

SEEDS = range(1, 10)


def rates(options, instance, upper_bound):
    """Nodes a second of that many processes at once."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "%d.json" % k) for k in range(options.workers)]
        crew = [subprocess.Popen([options.mco, "flowshop", "solve", instance, "--upper-bound", str(upper_bound), "--engine", "cpu", "--threads", "1",
                                  "--time-limit", str(options.seconds), "--quiet", "--json", path], env=ENVIRONMENT, stdout=subprocess.DEVNULL)
                for path in paths]
        if any(process.wait() not in (0, 1) for process in crew):
            sys.exit("a process alone has failed")
        results = [json.load(open(path)) for path in paths]
        return [result["counters"]["nodes"] / result["time"]["solve_s"] for result in results]


def predict(options, nodes, measured, is_mpi):
    rate = sum(measured) / len(measured)
    spread = (max(measured) - min(measured)) / 2 / rate
    times = [simulate(options.simulate, options.workers, rate, nodes, spread,
                      ["join-s=0", "nap-us=%d" % (8000 if is_mpi else 0), "seed=%d" % seed]) for seed in SEEDS]
    return sum(times) / len(times)


def main():
    options = arguments(__doc__, mpiexec=("mpirun --bind-to none", "the launcher; empty: by --join"),
                        simulate=("build/bench_cluster_simulate", "the simulation"), workers=(3, "workers; a rank more coordinates"),
                        instances=("ta024", "with commas"), repeats=(4, "predictions, each with its run"),
                        seconds=(3.0, "for the rates before each run"))
    mpiexec = options.mpiexec if options.mpiexec and can_launch(options.mco, options.mpiexec.split()[0]) else ""
    table = Table(options, ["instance", "upper_bound", "workers", "by", "nodes", "M_nodes_s_least", "M_nodes_s_most", "predicted_s", "real_s",
                            "off_percent", "equal"])
    for instance in options.instances.split(","):
        upper_bound = best_known(options.mco, instance)
        nodes = solve(options.mco, instance, "--upper-bound", upper_bound, "--engine", "cpu")["counters"]["nodes"]
        for _ in range(options.repeats):
            measured = rates(options, instance, upper_bound)
            predicted = predict(options, nodes, measured, mpiexec != "")
            table.note("predicted: %.3f s" % predicted)
            real = search(options.mco, options.workers, mpiexec, [instance, "--upper-bound", str(upper_bound), "--engine", "cpu", "--threads", "1"])
            real_s = real["time"]["solve_s"]
            table.row(instance, upper_bound, options.workers, mpiexec.split()[0] if mpiexec else "join", nodes, min(measured) / 1e6,
                      max(measured) / 1e6, predicted, real_s, 100 * (predicted / real_s - 1),
                      "yes" if real["counters"]["nodes"] == nodes else "NO")


main()
