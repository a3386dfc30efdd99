#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Searches compared with the best published costs of dtspms/bestknown.csv in the folder that MCO_DATA names.

Each instance of a size gets one run with one seed. A run stops at its target: by default the best known cost for 12 and
33 orders, and one less for 66 and 132. `mco dtspms check` checks every plan. Plans are kept if --plans names a folder.
"""
import csv
import fnmatch
import os
import subprocess
import sys
import tempfile

from measure import Refused, Writer, data, load, parser, run

COLUMNS = ["instance", "orders", "best_known", "status", "cost", "over_percent", "bound", "published_bound",
           "time_to_best_s", "time_to_best_known_s", "solve_s", "stop", "method", "engine", "threads", "seed", "iterations",
           "walks", "tours", "load_before"]
BELOW = {12: 0, 33: 0, 66: 1, 132: 1}  # orders: how far the default target is below the best known cost


def rows(options):
    path = data("bestknown.csv")
    if path is None:
        sys.exit("MCO_DATA names no folder with dtspms/bestknown.csv")
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            name = row["instance"].split("-")[0]
            if int(row["orders"]) == options.orders and any(fnmatch.fnmatch(name, p) for p in options.rows.split(",")):
                yield name, row


def instance(name, orders):
    """Arguments that name an instance: Petersen and Madsen's by name; with 132 orders two files of Felipe et al."""
    if orders != 132:
        return [name, "--orders", str(orders)]
    return [data("T132/132a%s%s.tsp" % (name[1:], network)) for network in "pd"]


def arguments(options, best_known, plan):
    made = ["--method", options.method, "--time-limit", options.time_limit, "--seed", options.seed, "--solution", plan]
    if not options.no_target:
        made += ["--target", best_known - (BELOW[options.orders] if options.below is None else options.below)]
    return made


def first_time(history, most):
    """The first time at which the cost is `most` or less; None if there is none."""
    return next((time for time, cost, _ in history if cost <= most), None)


def check(options, what, plan, cost):
    done = subprocess.run([options.mco, "dtspms", "check", *what, plan], capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout.startswith("valid: cost %d " % cost):
        sys.exit("%s fails the check: %s%s" % (plan, done.stdout, done.stderr))


def search(options, writer, folder, name, row):
    what, best_known, before = instance(name, options.orders), int(row["best_known"]), load()
    if None in what:
        writer.note("%s: not in MCO_DATA/dtspms" % name)
        return
    plan = os.path.join(folder, "%s-%d.txt" % (name, options.orders))
    try:
        result = run(options, options.engine, "solve", *what, *arguments(options, best_known, plan))
    except Refused as refused:
        writer.note("%s: %s" % (name, refused))
        return
    cost, history, counters = int(result["objective"]), result["history"], result["counters"]
    check(options, what, plan, cost)
    writer.row(name, options.orders, best_known, row["status"], cost, 100 * (cost / best_known - 1), int(result["bound"]),
               row["lower_bound_n_stack"], first_time(history, cost), first_time(history, best_known),
               result["time"]["solve_s"], result["stop"], counters["method"], result["engine"]["name"],
               result["engine"]["threads"], result["seed"], counters["iterations"], counters["walks"], counters["tours"],
               before)


def main():
    made = parser(__doc__)
    made.add_argument("--orders", type=int, choices=sorted(BELOW), default=33, help="size (33)")
    made.add_argument("--rows", default="*", help="instances, comma separated, * stands for anything: R00,R1*")
    made.add_argument("--engine", default="cpu", help="what computes (cpu)")
    made.add_argument("--method", default="auto", help="what searches (auto)")
    made.add_argument("--time-limit", type=float, default=60, help="seconds of a run (60)")
    made.add_argument("--seed", type=int, default=1, help="(1)")
    made.add_argument("--below", type=int, help="the target is the best known cost minus this: 0 up to 33 orders, else 1")
    made.add_argument("--no-target", action="store_true", help="use up the time")
    made.add_argument("--plans", help="folder that keeps the solutions, INSTANCE-ORDERS.txt")
    options = made.parse_args()
    chosen = list(rows(options))
    if not chosen:
        sys.exit("--rows %s: no instance of %d orders in bestknown.csv fits" % (options.rows, options.orders))
    writer = Writer(options, COLUMNS)
    writer.note("times in seconds from the start of the solve; published_bound: both tours without stacks")
    with tempfile.TemporaryDirectory() as folder:
        if options.plans:
            os.makedirs(options.plans, exist_ok=True)
        for name, row in chosen:
            search(options, writer, options.plans or folder, name, row)


main()
