#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Schedules and bounds of a set of instances in a given time each, beside the best values known.

Sets: `taillard` (120), `vrf-large` and `vrf-small`, the instances of Vallada, Ruiz and Framinan (2015) under DATA/large and
DATA/small; DATA/large.csv has the best values known in 2021 and what six methods reached (of the large ones). Lanes run side by side. A run
adds its rows to OUTPUT and takes only instances that are not in it, so it can be cut off and called again. Orders go to
the folder ORDERS, a file an instance, the shortest schedule of all runs. OUTPUT-classes.csv has the means of each class
of all rows; they are printed too. Example:

  bench/flowshop/beams.py --set vrf-large --data DATA --lanes 8 --threads 2 --time-limit 60 --budget 1200 \\
      --output bench/results/flowshop-beams-vrf-large.csv --orders bench/results/flowshop-beams
  bench/flowshop/beams.py --set vrf-small --data DATA --method bb --threads 2 --time-limit 60 \\
      --output bench/results/flowshop-vrf-small-cores.csv --orders bench/results/flowshop-beams
"""
import argparse
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

from common import processor

PEERS = ["IGrms", "VBIH", "IG_best_of_breed_90", "branch_and_bound_2020", "IBS_bi_min_walpha", "IBS_bi_min_gap"]
COLUMNS = ["instance", "class", "method", "engine", "threads", "limit_s", "wall_s", "makespan", "bound", "outcome", "iterations",
           "width", "best_known", "bound_known", "gap_percent"] + PEERS
GRACE_S = 60  # beyond the time limit; then a run counts as failed


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mco", default="build/mco", help="the command to measure")
    parser.add_argument("--set", required=True, choices=["taillard", "vrf-large", "vrf-small"])
    parser.add_argument("--data", help="folder of the VRF instances")
    parser.add_argument("--method", default="beam", choices=["beam", "bb", "heuristic"])
    parser.add_argument("--engine", default="cpu")
    parser.add_argument("--gpus", help="passed on to the command")
    parser.add_argument("--memory", type=int, help="MiB of each lane, passed on: lanes on one GPU share its memory")
    parser.add_argument("--threads", type=int, default=2, help="of each lane")
    parser.add_argument("--lanes", type=int, default=1, help="instances at a time")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds of an instance")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds in all: no run that would end later begins")
    parser.add_argument("--every", type=int, default=1, help="take every k-th instance only")
    parser.add_argument("--match", default="", help="take instances whose name holds this regular expression")
    parser.add_argument("--output", required=True, help="CSV file, added to")
    parser.add_argument("--orders", help="folder of the orders found")
    options = parser.parse_args()
    if options.set != "taillard" and not options.data:
        parser.error("--set %s needs --data" % options.set)
    return options


class Instance:
    def __init__(self, name, path, known):
        self.name, self.path, self.known = name, path, known


def natural(text):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def taillard(mco):
    """The 120 instances. mco tells the best values known."""
    for k in range(1, 121):
        name = "ta%03d" % k
        text = subprocess.run([mco, "flowshop", "generate", "--taillard", name], capture_output=True, text=True, check=True).stdout
        words = text.splitlines()[1].split()
        yield Instance(name, name, {"class": "%sx%s" % (words[0], words[1]), "best_known": words[3], "bound_known": words[4]})


def vrf(data, size):
    known = {}
    if size == "large":
        with open(os.path.join(data, "large.csv"), newline="") as file:
            known = {row["instance"]: row for row in csv.DictReader(file)}
    paths = glob.glob(os.path.join(data, size, "VFR*.txt*"))
    for path in sorted(paths, key=natural):
        name = os.path.basename(path).split(".")[0]
        row = known.get(name, {})
        jobs, machines = re.match(r"VFR(\d+)_(\d+)_", name).groups()
        values = {key: row.get(key, "") for key in PEERS}
        yield Instance(name, path, {"class": "%sx%s" % (jobs, machines), "best_known": row.get("best_known_2021", ""), **values})


def solve(options, instance, folder):
    """Returns the result file as a dict, and the path of the order."""
    result, order = os.path.join(folder, instance.name + ".json"), os.path.join(folder, instance.name + ".order")
    command = [options.mco, "flowshop", "solve", instance.path, "--quiet", "--method", options.method, "--engine", options.engine,
               "--threads", str(options.threads), "--time-limit", str(options.time_limit), "--json", result, "--solution", order]
    if options.gpus:
        command += ["--gpus", options.gpus]
    if options.memory:
        command += ["--memory", str(options.memory)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, timeout=options.time_limit + GRACE_S)
    if done.returncode != 0:
        raise RuntimeError("%s: exit code %d" % (" ".join(command), done.returncode))
    with open(result) as file:
        return json.load(file), order


def row_of(options, instance, r):
    counters, row = r["counters"], dict(instance.known)
    row.update(instance=instance.name, method=options.method, engine=options.engine, threads=options.threads, limit_s=options.time_limit,
               wall_s="%.2f" % r["time"]["wall_s"], makespan=r["objective"], bound=r["bound"], outcome=r["outcome"],
               iterations=counters["iterations"], width=counters.get("beam_width", ""))
    # A value below a proven bound is an error of the list.
    best = float(row["best_known"] or 0)
    if best >= r["bound"] and best > 0:
        row["gap_percent"] = "%.3f" % (100 * (r["objective"] - best) / best)
    return row


def keep_order(folder, name, path):
    """Keeps the order if it is shorter than the one kept. The last comment of the file tells its makespan."""
    def makespan(file_path):
        with open(file_path) as file:
            return float(re.findall(r"makespan\D*([\d.]+)", file.read())[-1])

    kept = os.path.join(folder, name + ".order")
    if os.path.exists(kept) and makespan(kept) <= makespan(path):
        return
    os.makedirs(folder, exist_ok=True)
    with open(path) as source, open(kept + ".part", "w") as target:
        target.write(source.read())
    os.replace(kept + ".part", kept)


class Bench:
    """The lanes share the list of instances that are left, and the file."""

    def __init__(self, options, instances):
        self.options, self.left, self.lock = options, list(instances), threading.Lock()
        self.end = time.monotonic() + options.budget - options.time_limit
        self.failures = 0
        is_new = not os.path.exists(options.output) or os.path.getsize(options.output) == 0
        self.file = open(options.output, "a", newline="")
        self.writer = csv.DictWriter(self.file, COLUMNS, lineterminator="\n", restval="")
        if is_new:
            self.writer.writeheader()
        version = subprocess.run([options.mco, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        print("# %s, %d processors; %s" % (processor(), os.cpu_count(), version), file=self.file)
        print("# %s" % " ".join([os.path.basename(sys.argv[0])] + sys.argv[1:]), file=self.file)
        self.file.flush()

    def next(self):
        with self.lock:
            return self.left.pop(0) if self.left and time.monotonic() < self.end else None

    def lane(self):
        with tempfile.TemporaryDirectory() as folder:
            while (instance := self.next()) is not None:
                try:
                    r, order = solve(self.options, instance, folder)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    print("%s: %s" % (instance.name, error), file=sys.stderr)
                    self.failures += 1
                    continue
                with self.lock:
                    row = row_of(self.options, instance, r)
                    self.writer.writerow(row)
                    self.file.flush()
                    print(*(row.get(key, "") for key in COLUMNS), sep=",", flush=True)
                    if self.options.orders:
                        keep_order(self.options.orders, instance.name, order)

    def run(self):
        lanes = [threading.Thread(target=self.lane) for _ in range(self.options.lanes)]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        self.file.close()


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write_classes(rows, path):
    """A row for each class, and one for all: means, and how many instances are proved or below all values known."""
    def numbers(key, chosen):
        return [float(row[key]) for row in chosen if row.get(key)]

    def mean(values):
        return "%.3f" % (sum(values) / len(values)) if values else ""

    def gap_of(peer, chosen):
        return mean([100 * (float(row[peer]) / float(row["best_known"]) - 1) for row in chosen if row[peer] and row["gap_percent"]])

    def is_below_all(row):
        values = numbers("best_known", [row]) + [float(row[peer]) for peer in PEERS if row[peer]]
        return row["gap_percent"] != "" and bool(values) and float(row["makespan"]) < min(values)

    classes = {}
    for row in rows:
        classes.setdefault(row["class"], []).append(row)
    classes["all"] = rows
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["class", "instances", "makespan", "bound", "gap_percent", "proved", "below_all_known"] + ["gap_" + peer for peer in PEERS])
        for name in sorted(classes, key=natural):
            chosen = classes[name]
            writer.writerow([name, len(chosen), mean(numbers("makespan", chosen)), mean(numbers("bound", chosen)),
                             mean(numbers("gap_percent", chosen)), sum(row["outcome"] == "optimal" for row in chosen),
                             sum(map(is_below_all, chosen))] + [gap_of(peer, chosen) for peer in PEERS])
    with open(path) as file:
        print_table(list(csv.reader(file)))


def print_table(rows):
    columns = [column for column in zip(*rows) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns):
        print("# " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


def main():
    options = read_arguments()
    instances = taillard(options.mco) if options.set == "taillard" else vrf(options.data, options.set[4:])
    done = {row["instance"] for row in read_rows(options.output)}
    chosen = [i for i in list(instances)[::options.every] if i.name not in done and re.search(options.match, i.name)]
    bench = Bench(options, chosen)
    bench.run()
    stem = os.path.splitext(options.output)[0]
    write_classes(read_rows(options.output), stem + "-classes.csv")
    print("# %d instances left, %d failed; classes in %s-classes.csv" % (len(bench.left), bench.failures, stem))
    sys.exit(1 if bench.failures else 0)


main()
