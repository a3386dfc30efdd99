#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables 6.2 to 6.4 of Chakroun (2013) as published and ours, side by side. The thesis searched without a known makespan; ours is given the
optimum, so our counts are those of the proof alone. Rows of `run` are real runs on this machine, those of `simulated` come from
bench_cluster_simulate with the rate of one core in --serial, a file of bench/flowshop/prove.py --given 1."""
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flowshop"))
from common import Table, arguments, best_known, solve  # noqa: E402
from grid import can_launch, search, simulate  # noqa: E402
import thesis  # noqa: E402


def recorded(path, column):
    """Nodes and seconds of each instance."""
    with open(path) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {row["instance"]: (int(row["nodes"]), float(row[column])) for row in rows}


def means(table, name, whose, kind, rows):
    columns = [[row[k] for row in rows if row[k] != ""] for k in range(len(rows[0]))]
    table.row(name, "mean", whose, kind, *["%.6g" % (sum(column) / len(column)) if len(column) == len(rows) else "" for column in columns])


def put(table, name, whose, kind, rows):
    for instance, row in zip(thesis.INSTANCES, rows):
        table.row(name, instance, whose, kind, *["%g" % value if value != "" else "" for value in row])
    means(table, name, whose, kind, rows)


def grid_of_cores(options, table, measured, mpiexec):
    put(table, "6.3", "thesis", "published", thesis.TABLE_6_3)
    simulated = [[simulate(options.simulate, cores, nodes / cpu_s, nodes, 0.2) for cores in thesis.CORES]
                 for nodes, cpu_s in (measured[name] for name in thesis.INSTANCES)]
    put(table, "6.3", "mco", "simulated", simulated)
    if options.cores > 0:
        put(table, "6.3", "mco", "run", [[run(options, mpiexec, name, cores, "cpu", measured) if cores <= options.cores else ""
                                          for cores in thesis.CORES] for name in thesis.INSTANCES])


def grid_of_gpus(options, table, measured, mpiexec):
    put(table, "6.4", "thesis", "published", thesis.TABLE_6_4)
    if options.gpus == 0:
        table.note("6.4, run: one GPU, from " + options.one_gpu)
        one = recorded(options.one_gpu, "tree_s")
        put(table, "6.4", "mco", "run", [[one[name][1], "", "", "", ""] for name in thesis.INSTANCES])
    most = min(options.gpus, options.gpus if mpiexec else 1)  # a launcher's ranks divide the GPUs
    if most > 0:
        put(table, "6.4", "mco", "run", [[run(options, mpiexec, name, gpus, "gpu", measured) if gpus <= most else ""
                                          for gpus in thesis.GPUS] for name in thesis.INSTANCES])


def run(options, mpiexec, name, workers, engine, measured):
    """Seconds of a search by workers of one core or one GPU; one GPU is one process."""
    bound = ["--upper-bound", str(best_known(options.mco, name)), "--engine", engine]
    if workers == 1:
        result = solve(options.mco, name, *bound, "--gpus", "0")
    else:
        result = search(options.mco, workers, mpiexec, [name, *bound, *(["--threads", "1"] if engine == "cpu" else [])])
    if result["counters"]["nodes"] != measured[name][0]:
        sys.exit("%s: %d nodes instead of %d" % (name, result["counters"]["nodes"], measured[name][0]))
    return result["time"]["solve_s"]


def main():
    options = arguments(__doc__, mpiexec=("mpirun --bind-to none", "the launcher; empty: by --join"),
                        simulate=("build/bench_cluster_simulate", "the simulation"),
                        serial=("bench/results/flowshop-prove-given.csv", "nodes and CPU seconds of one core"),
                        cores=(0, "real runs up to so many workers of a core; 0: none"), gpus=(0, "real runs up to so many GPUs; 0: one, as recorded in --one-gpu"),
                        one_gpu=("bench/results/flowshop-gpu-20x20-given.csv", "a file of bench/flowshop/gpu.py --cases 20x20-given"),
                        tables=("6.2,6.3,6.4", "with commas"))
    mpiexec = options.mpiexec if options.mpiexec and can_launch(options.mco, options.mpiexec.split()[0]) else ""
    measured = recorded(options.serial, "cpu_s")
    table = Table(options, ["table", "instance", "whose", "kind", "s_1", "s_2", "s_3", "s_4", "s_5"])
    table.note("the columns of 6.2 are one core; of 6.3 15, 50, 100, 200 and 500 cores; of 6.4 1 to 5 GPUs. Seconds")
    table.note("6.1, the thesis' grid: " + "; ".join("%s: %d nodes of %d cores" % row[:3] for row in thesis.TABLE_6_1))
    wanted = options.tables.split(",")
    if "6.2" in wanted:
        put(table, "6.2", "thesis", "published", [[value] for value in thesis.TABLE_6_2])
        put(table, "6.2", "mco", "run", [[measured[name][1]] for name in thesis.INSTANCES])
    if "6.3" in wanted:
        grid_of_cores(options, table, measured, mpiexec)
    if "6.4" in wanted:
        grid_of_gpus(options, table, measured, mpiexec)


main()
