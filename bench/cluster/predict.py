#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real search by several ranks beside its simulation. Each rank's rate is that of a process with one thread, all of them at once on the same
cores; the size of the tree comes from them. A machine with a free core a rank."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flowshop"))
from common import Table, arguments, best_known  # noqa: E402
from grid import ENVIRONMENT, can_launch, search, simulate  # noqa: E402


def alone(options, workers, instance, upper_bound):
    """The results of so many processes at once, each with the whole tree and one thread."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "%d.json" % k) for k in range(workers)]
        crew = [subprocess.Popen([options.mco, "flowshop", "solve", instance, "--upper-bound", str(upper_bound), "--engine", "cpu",
                                  "--threads", "1", "--quiet", "--json", path], env=ENVIRONMENT, stdout=subprocess.DEVNULL) for path in paths]
        if any(process.wait() != 0 for process in crew):
            sys.exit("a process alone has failed")
        return [json.load(open(path)) for path in paths]


def main():
    options = arguments(__doc__, mpiexec=("mpirun --bind-to none", "the launcher; empty: by --join"),
                        simulate=("build/bench_cluster_simulate", "the simulation"), workers=(3, "workers; a rank more coordinates"),
                        instances=("ta024", "with commas"), repeats=(3, "real searches"))
    mpiexec = options.mpiexec if options.mpiexec and can_launch(options.mco, options.mpiexec.split()[0]) else ""
    table = Table(options, ["instance", "upper_bound", "workers", "by", "nodes", "M_nodes_s_least", "M_nodes_s_most", "predicted_s", "real_s",
                            "off_percent", "equal"])
    for instance in options.instances.split(","):
        upper_bound = best_known(options.mco, instance)
        single = alone(options, options.workers, instance, upper_bound)
        nodes = single[0]["counters"]["nodes"]
        rates = [nodes / result["time"]["solve_s"] for result in single]
        rate = sum(rates) / len(rates)
        predicted = simulate(options.simulate, options.workers, rate, nodes, (max(rates) - min(rates)) / 2 / rate)
        for _ in range(options.repeats):
            real = search(options.mco, options.workers, mpiexec,
                          [instance, "--upper-bound", str(upper_bound), "--engine", "cpu", "--threads", "1"])
            real_s = real["time"]["solve_s"]
            table.row(instance, upper_bound, options.workers, mpiexec.split()[0] if mpiexec else "join", nodes, min(rates) / 1e6,
                      max(rates) / 1e6, predicted, real_s, 100 * (predicted / real_s - 1),
                      "yes" if real["counters"]["nodes"] == nodes else "NO")


main()
