#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Guillotine cutting: the tables of Strappaveccia (2015, chapter 4) beside this machine, speed of named cases, batch rates.

tables  4.1 to 4.3. gcut12 and gcut13 are read from MCO_DATA/cutting. The other instances are not public. Their rows
        show the published sizes beside an instance generated with the same sides and number of pieces. Its seed marks
        it.
speed   solve_s and cpu_s of named cases, median of several runs.
batch   problems per second on gcut1 to gcut12, repeated.
"""
import argparse
import csv
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import thesis  # noqa: E402

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flowshop"))
from common import processor  # noqa: E402

QUICK = ["gcut12", "gcut13", "gcut14", "testcut6000", "randcut6000a"]
# Name: file under MCO_DATA/cutting, or kind, side, pieces and seed of a generated one.
CASES = {"gcut13": "gcut/gcut13.txt", "randcut10000": ("randcut", 10000, 40, 1), "LU1": "hifi2001/LU1.txt",
         "LW1": "hifi2001/LW1.txt", "W3": "hzw/W3.txt", "UU11": "uu/UU11.txt", "U3": "hzw/U3.txt"}
BATCH = ["gcut/gcut%d.txt" % k for k in range(1, 13)]

TABLE_COLUMNS = ["table", "instance", "source", "W", "H", "pieces", "X_published", "Y_published", "X", "Y",
                 "waste_published", "waste", "cpu_published_s", "gtx570_published_s", "gtx770_published_s",
                 "cpu_table_s", "cpu_plan_s", "gpu_plan_s", "gpu_kernels_s", "cpu_table_ratio", "cpu_plan_ratio",
                 "gpu_plan_ratio"]
SPEED_COLUMNS = ["case", "engine", "threads", "value", "X", "Y", "relaxations", "skipped_share", "runs", "solve_s",
                 "solve_s_min", "solve_s_max", "cpu_s", "device_s", "load_before"]
BATCH_COLUMNS = ["engine", "files", "problems", "runs", "solve_s", "problems_per_s", "cpu_s", "device_s", "load_before"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["tables", "speed", "batch"])
    parser.add_argument("--mco", default="build/mco", help="the command to measure")
    parser.add_argument("--engine", help="engines, comma separated; cpu, and gpu where one is, without it")
    parser.add_argument("--threads", type=int, default=0, help="threads of the cpu engine; all processors without it")
    parser.add_argument("--rows", default="*", help="names of rows or cases, comma separated, * stands for anything")
    parser.add_argument("--quick", action="store_true", help="tables: the smallest of each kind")
    parser.add_argument("--runs", type=int, help="runs of each, the median counts: 5, for tables 1")
    parser.add_argument("--repeat", type=int, default=1000, help="batch: times that each file is solved")
    parser.add_argument("--csv", help="CSV file to write besides, such as bench/results/guillotine-tables.csv")
    options = parser.parse_args()
    options.runs = options.runs or (1 if options.mode == "tables" else 5)
    options.rows = options.rows.split(",")
    options.engine = options.engine.split(",") if options.engine else ["cpu"] + ["gpu"] * bool(gpus(options.mco))
    return options


def gpus(mco):
    """Names of the GPUs that mco can use."""
    listed = subprocess.run([mco, "devices", "--json", "/dev/stdout"], capture_output=True, text=True, check=True).stdout
    return [gpu["name"] for gpu in json.loads(listed).get("gpus", []) if not gpu.get("unusable")]


def load():
    return "%.2f" % os.getloadavg()[0]


class Writer:
    """Rows on standard output, aligned, and in a CSV file whose head holds machine, commit and command."""

    def __init__(self, options, columns):
        version = subprocess.run([options.mco, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        command = " ".join(os.path.basename(a) for a in sys.argv)  # without folders of this machine
        head = ["# %s, %d processors, load at the start %s%s" % (processor(), os.cpu_count(), load(),
                                                                "".join("; " + g for g in gpus(options.mco))),
                "# " + version, "# " + command]
        self.file = open(options.csv, "w", newline="") if options.csv else None
        self.widths = [max(len("generated testcut seed 1") if c == "source" else 12, len(c)) for c in columns]
        print("\n".join(head))
        if self.file:
            print("\n".join(head), file=self.file)
            self.rows = csv.writer(self.file, lineterminator="\n")
        self.row(*columns)

    def row(self, *values):
        shown = ["" if v is None else "%.4g" % v if isinstance(v, float) else str(v) for v in values]
        print(*(text.rjust(width) for text, width in zip(shown, self.widths)), flush=True)
        if self.file:
            self.rows.writerow(shown)
            self.file.flush()

    def note(self, text):
        print("# " + text, flush=True)
        if self.file:
            print("# " + text, file=self.file, flush=True)


class Refused(Exception):
    """A table too large for this machine, or a device that fails; holds the message of mco."""


def solve(options, engine, folder, *extra):
    """Runs `mco guillotine solve EXTRA`; returns the result file as a dict."""
    path = os.path.join(folder, "result.json")
    command = [options.mco, "guillotine", "solve", "--quiet", "--engine", engine, "--json", path, *extra]
    if options.threads and engine == "cpu":
        command += ["--threads", str(options.threads)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode in (3, 4):
        raise Refused(done.stderr.strip())
    if done.returncode != 0:
        sys.exit("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr))
    with open(path) as file:
        return json.load(file)


def runs_of(options, engine, folder, *extra):
    """The results of all runs, sorted by solve_s."""
    results = [solve(options, engine, folder, *extra) for _ in range(options.runs)]
    return sorted(results, key=lambda r: r["time"]["solve_s"])


def median_s(results, key="solve_s"):
    return statistics.median(r["time"][key] for r in results)


def generate(options, folder, kind, width, height, pieces, seed):
    path = os.path.join(folder, "%s-%dx%d-%d-%d.txt" % (kind, width, height, pieces, seed))
    subprocess.run([options.mco, "guillotine", "generate", kind, "--width", str(width), "--height", str(height),
                    "--pieces", str(pieces), "--seed", str(seed), "--output", path], check=True)
    return path


def data(path):
    """The path of a public instance; None if the collection is not there."""
    whole = os.path.join(os.environ.get("MCO_DATA", ""), "cutting", path)
    return whole if os.path.exists(whole) else None


def is_wanted(options, name):
    return any(fnmatch.fnmatch(name, row) for row in options.rows) and not (options.quick and name not in QUICK)


# ---- tables

def row_instance(options, folder, row):
    """The path and the source of the instance of a row; the path is None if the instance is public and not there."""
    name, width, height, pieces = row[:4]
    if name in thesis.PUBLIC:
        return data("gcut/%s.txt" % name), "public"
    kind = "randcut" if name.startswith("randcut") else "testcut"
    seed = "abc".index(name[-1]) + 1 if kind == "randcut" else 1
    return generate(options, folder, kind, width, height, pieces, seed), "generated %s seed %d" % (kind, seed)


def check_row(row, source, results):
    """All engines must agree; a public instance and a plate made by cutting must have their known optimum."""
    values = {r["solution"]["value"] for r in results}
    known = row[6] if source == "public" else row[1] * row[2] if "randcut" in source else None
    assert len(values) == 1, (row[0], values)
    assert known is None or values == {known}, (row[0], values, known)


def ratio(published, ours):
    return published / ours if ours else None


def table_row(options, writer, folder, table, row):
    name, width, height, pieces, columns, rows, _, waste, cpu, gtx570, gtx770 = row
    path, source = row_instance(options, folder, row)
    if path is None:
        writer.note("%s: not in MCO_DATA/cutting" % name)
        return
    seen, times = [], {"table": None, "plan": None, "gpu": None, "kernels": None}

    def measure(what, engine, *extra):
        try:
            results = runs_of(options, engine, folder, path, *extra)
        except Refused as refused:
            writer.note("%s: %s" % (name, refused))
            return
        seen.extend(results)
        times[what] = median_s(results)
        if engine == "gpu":
            times["kernels"] = median_s(results, "device_s")

    if "cpu" in options.engine:
        measure("table", "cpu", "--table", "/dev/null")
        measure("plan", "cpu")
    if "gpu" in options.engine:
        measure("gpu", "gpu")
    if not seen:
        return
    check_row(row, source, seen)
    counters = seen[0]["counters"]
    writer.row(table, name, source, width, height, pieces, columns, rows, counters["patterns_x"], counters["patterns_y"],
               waste, 100 * seen[0]["solution"]["waste"], cpu, gtx570, gtx770, times["table"], times["plan"], times["gpu"],
               times["kernels"], ratio(cpu, times["table"]), ratio(cpu, times["plan"]), ratio(gtx770, times["gpu"]))


def tables(options):
    writer = Writer(options, TABLE_COLUMNS)
    writer.note("ratios: the published CPU (one core) over ours (all cores or --threads), the GTX 770 over our GPU")
    for table, rows in thesis.TABLES.items():
        for row in rows:
            if is_wanted(options, row[0]):
                with tempfile.TemporaryDirectory() as folder:
                    table_row(options, writer, folder, table, row)


# ---- speed

def case_path(options, folder, case):
    if isinstance(case, str):
        return data(case)
    kind, side, pieces, seed = case
    return generate(options, folder, kind, side, side, pieces, seed)


def speed_row(options, writer, folder, name, engine):
    path = case_path(options, folder, CASES[name])
    before = load()
    if path is None:
        writer.note("%s: not in MCO_DATA/cutting" % name)
        return
    try:
        results = runs_of(options, engine, folder, path)
    except Refused as refused:
        writer.note("%s, %s: %s" % (name, engine, refused))
        return
    first = results[0]
    counters, times = first["counters"], [r["time"]["solve_s"] for r in results]
    assert len({r["solution"]["value"] for r in results}) == 1, name
    done, skipped = counters["relaxations"], counters["relaxations_skipped"]
    writer.row(name, engine, first["engine"]["threads"], first["solution"]["value"], counters["patterns_x"],
               counters["patterns_y"], done, skipped / max(1, done + skipped), len(results), median_s(results), times[0],
               times[-1], median_s(results, "cpu_s"), median_s(results, "device_s"), before)


def speed(options):
    writer = Writer(options, SPEED_COLUMNS)
    writer.note("cpu_s: of the whole process, reading and writing included; load_before: of the machine, last minute")
    for name in CASES:
        for engine in options.engine:
            if is_wanted(options, name):
                with tempfile.TemporaryDirectory() as folder:
                    speed_row(options, writer, folder, name, engine)


# ---- batch

def batch(options):
    files = [data(path) for path in BATCH]
    if None in files:
        sys.exit("MCO_DATA names no folder with cutting/gcut")
    writer = Writer(options, BATCH_COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        with open(path, "w") as file:
            file.writelines("%s x%d\n" % (f, options.repeat) for f in files)
        for engine in options.engine:
            before = load()
            try:
                results = runs_of(options, engine, folder, "--batch", path)
            except Refused as refused:
                writer.note("%s: %s" % (engine, refused))
                continue
            problems = results[0]["counters"]["problems"]
            writer.row(engine, len(files), problems, len(results), median_s(results), problems / median_s(results),
                       median_s(results, "cpu_s"), median_s(results, "device_s"), before)


if __name__ == "__main__":
    chosen = arguments()
    {"tables": tables, "speed": speed, "batch": batch}[chosen.mode](chosen)
