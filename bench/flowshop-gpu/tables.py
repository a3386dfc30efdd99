#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of Chakroun (2013), chapters 3 to 5, as published and on this machine, side by side.

Needs the programs bench_flowshop_bounds and bench_flowshop_systems in --build. Writes one CSV file for each table,
flowshop-gpu-TABLE.csv, into --output, and the raw rows of the programs beside them.
"""
import argparse
import csv
import os
import platform
import subprocess
import sys

import thesis

# Jobs: instance of the bounding kernel; instance and incumbent of the systems (whole trees, LB2, MinBranch).
BOUNDS = {20: "ta021", 50: "ta051", 100: "ta081", 200: "ta101"}
SYSTEMS = {20: ("ta030", 2178), 50: ("ta056", 3640), 100: ("ta083", 6252), 200: ("ta103", 11281)}
VARIANTS = {"3.7": (thesis.TABLE_3_7, "global", "if", 0), "3.8": (thesis.TABLE_3_8, "global", "if", 1),
            "3.9": (thesis.TABLE_3_9, "global", "cosine", 1), "3.11": (thesis.TABLE_3_11, "ptm-shared", "cosine", 1),
            "3.12": (thesis.TABLE_3_12, "jm-shared", "cosine", 1), "3.13": (thesis.TABLE_3_13, "jm-ptm-shared", "cosine", 1)}
SYSTEM_TABLES = ["4.1", "4.2", "4.3", "4.4", "5.2", "5.3", "5.4", "5.5", "5.8"]
BOUND_COLUMNS = ["instance", "jobs", "what", "placement", "form", "is_sorted", "pool", "block", "host_s", "up_s", "kernel_s",
                 "down_s", "core_s", "wrong"]
PROFILE_COLUMNS = ["instance", "jobs", "what", "pool", "branching_s", "up_s", "kernel_s", "down_s", "assignment_s"]
SYSTEM_COLUMNS = ["instance", "table", "system", "pool_asked", "streams", "threads", "gpus", "nodes", "count", "search_s",
                  "kernel_s", "speed_up", "speed_up_vector_core", "fill_s", "wait_s", "apply_s", "lock_s", "bytes", "batches", "pool"]


def run(options, name, columns, *arguments):
    command = [os.path.join(options.build, name), *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit code %d" % (" ".join(command), done.returncode))
    return [dict(zip(columns, line.split(","))) for line in done.stdout.splitlines()]


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def gpus():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                              text=True).stdout.strip().replace("\n", "; ")
    except OSError:
        return "no nvidia-smi"


class Writer:
    """A CSV file with the machine and the command in its head."""

    def __init__(self, options, name, columns):
        self.path = os.path.join(options.output, "flowshop-gpu-%s.csv" % name)
        self.file = open(self.path, "w", newline="")
        print("# %s, %d processors; %s" % (processor(), os.cpu_count(), gpus()), file=self.file)
        print("# %s" % options.version, file=self.file)
        print("# %s" % " ".join(os.path.basename(a) if i == 0 else a for i, a in enumerate(sys.argv)), file=self.file)
        self.rows = csv.writer(self.file, lineterminator="\n")
        self.rows.writerow(columns)
        print("\n== %s: %s" % (name, ", ".join(columns)))

    def row(self, *values):
        shown = ["%.4g" % v if isinstance(v, float) else v for v in values]
        self.rows.writerow(shown)
        self.file.flush()
        print(*shown, sep="\t", flush=True)


def write_raw(options, name, columns, rows):
    writer = Writer(options, name, columns)
    for row in rows:
        writer.rows.writerow([row[c] for c in columns])
    writer.file.close()


def step_s(row):
    return sum(float(row[c]) for c in ("host_s", "up_s", "kernel_s", "down_s"))


def blocks_table(options):
    rows = [r for jobs in options.jobs for r in run(options, "bench_flowshop_bounds", BOUND_COLUMNS, BOUNDS[jobs], "blocks")]
    write_raw(options, "3.5-raw", BOUND_COLUMNS, rows)
    writer = Writer(options, "3.5", ["pool", "blocks", "threads", "published", "here"])
    for pool, cells in thesis.TABLE_3_5.items():
        def mean(threads):
            times = [float(r["kernel_s"]) / float(first["kernel_s"]) for r in rows for first in rows
                     if int(r["pool"]) == int(first["pool"]) == pool and r["jobs"] == first["jobs"] and
                     int(r["block"]) == threads and int(first["block"]) == cells[0][1]]
            return sum(times) / len(times)
        for blocks, threads, published in cells:
            writer.row(pool, blocks, threads, float(published), mean(threads))


def variant_tables(options, wanted):
    rows = [r for jobs in options.jobs for r in run(options, "bench_flowshop_bounds", BOUND_COLUMNS, BOUNDS[jobs], "variants")]
    write_raw(options, "placement-raw", BOUND_COLUMNS, rows)
    wrong = sum(int(r["wrong"]) for r in rows)
    print("bounds that differ from the core's: %d" % wrong)
    for table in wanted:
        published, placement, form, is_sorted = VARIANTS[table]
        writer = Writer(options, table, ["jobs", "pool", "published_speed_up", "speed_up_step", "speed_up_kernel"])
        for jobs in options.jobs:
            for pool, figure in zip(thesis.POOLS, published[jobs]):
                r = next(r for r in rows if (int(r["jobs"]), int(r["pool"]), r["placement"], r["form"], int(r["is_sorted"])) ==
                         (jobs, pool, placement, form, is_sorted))
                writer.row(jobs, pool, figure, float(r["core_s"]) / step_s(r), float(r["core_s"]) / float(r["kernel_s"]))
    # Forms that the thesis does not have, at the largest pool.
    writer = Writer(options, "placement", ["jobs", "placement", "form", "is_sorted", "kernel_s", "M_bounds_s", "speed_up_kernel"])
    for r in rows:
        if int(r["pool"]) == thesis.POOLS[-1]:
            writer.row(r["jobs"], r["placement"], r["form"], r["is_sorted"], float(r["kernel_s"]),
                       int(r["pool"]) / float(r["kernel_s"]) * 1e-6, float(r["core_s"]) / float(r["kernel_s"]))
    return wrong == 0


def profile_table(options):
    writer = Writer(options, "3.14", ["jobs", "source", "branching", "up", "kernel", "down", "assignment"])
    for jobs in options.jobs:
        r = run(options, "bench_flowshop_bounds", PROFILE_COLUMNS, BOUNDS[jobs], "profile")[0]
        parts = [float(r[c]) for c in PROFILE_COLUMNS[4:]]
        writer.row(jobs, "published %", *map(float, thesis.TABLE_3_14[jobs]))
        writer.row(jobs, "here %", *[100 * p / sum(parts) for p in parts])


def published_system(table, jobs, r):
    """What the thesis prints for this row; '' where it prints nothing."""
    streams, threads, gpus = int(r["streams"]), int(r["threads"]), int(r["gpus"])
    if table == "4.1" and int(r["pool_asked"]) in thesis.POOLS:
        return thesis.TABLE_3_13[jobs][thesis.POOLS.index(int(r["pool_asked"]))]
    if table == "4.2":
        return thesis.TABLE_4_2[r["system"]][jobs]
    if table == "4.3":
        return thesis.TABLE_4_3[r["system"]][jobs]
    if table == "5.2":
        return thesis.TABLE_5_2[jobs].get(threads, "")
    if table in ("5.4", "5.5"):
        return (thesis.TABLE_5_4 if table == "5.4" else thesis.TABLE_5_5)[jobs].get(streams, "")
    if table == "5.8" and r["system"] == "multi-gpu-functional":
        return thesis.FIGURE_5_8.get(jobs, {}).get(gpus, "")
    return ""


def system_tables(options, wanted):
    source = {"4.4": "4.3", "5.3": "5.2"}
    only = {source.get(t, t) for t in wanted}
    only = only.pop() if len(only) == 1 else "all"
    rows = {jobs: run(options, "bench_flowshop_systems", SYSTEM_COLUMNS, *SYSTEMS[jobs], options.seconds, only, options.gpus)
            for jobs in options.jobs}
    every = [r for jobs in rows for r in rows[jobs]]
    write_raw(options, "systems-raw", SYSTEM_COLUMNS, every)
    for table in wanted:
        if table == "4.4":
            writer = Writer(options, table, ["jobs", "operators", "published_bytes", "bytes", "bytes_a_pool", "bytes_a_node"])
        elif table == "5.3":
            writer = Writer(options, table, ["jobs", "cpu_threads", "published_ratio", "lock_s", "ratio"])
        else:
            writer = Writer(options, table, ["jobs", "system", "pool_asked", "pool_used", "streams", "threads", "gpus", "published_speed_up",
                                             "speed_up", "speed_up_vector_core", "M_nodes_s", "count"])
        for jobs in options.jobs:
            mine = [r for r in rows[jobs] if r["table"] == source.get(table, table)]
            for r in mine:
                nodes, seconds = int(r["nodes"]), float(r["search_s"])
                if table == "4.4":
                    writer.row(jobs, r["system"], thesis.TABLE_4_4[r["system"]][jobs], int(r["bytes"]),
                               int(r["bytes"]) / max(1, int(r["batches"])), int(r["bytes"]) / nodes)
                elif table == "5.3":
                    base = float(mine[0]["lock_s"])
                    writer.row(jobs, r["threads"], float(thesis.TABLE_5_3[jobs][int(r["threads"])]), float(r["lock_s"]),
                               float(r["lock_s"]) / base if base > 0 else "")
                else:
                    writer.row(jobs, r["system"], r["pool_asked"], r["pool"], r["streams"], r["threads"], r["gpus"],
                               published_system(table, jobs, r), float(r["speed_up"]), float(r["speed_up_vector_core"]),
                               nodes / seconds * 1e-6, r["count"])
    return all(r["count"] == "equal" for r in every)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", default="all", help="3.5, 3.7 to 3.9, 3.11 to 3.14, 4.1 to 4.4, 5.2 to 5.5, 5.8, several by commas")
    parser.add_argument("--build", default="build", help="folder of the programs")
    parser.add_argument("--output", default="bench/results", help="folder of the results")
    parser.add_argument("--jobs", default="20,50,100,200", help="groups")
    parser.add_argument("--gpus", default="0", help="GPUs of table 5.8: 0, 0,1, all")
    parser.add_argument("--seconds", type=float, default=2, help="measured on one plain core, each group of the systems")
    options = parser.parse_args()
    options.jobs = [int(j) for j in options.jobs.split(",")]
    options.version = subprocess.run([os.path.join(options.build, "mco"), "--version"], capture_output=True, text=True).stdout.strip()
    known = ["3.5", *VARIANTS, "3.14", *SYSTEM_TABLES]
    wanted = known if options.table == "all" else options.table.split(",")
    for table in wanted:
        if table not in known:
            parser.error("--table %s, one of %s was expected" % (table, ", ".join(known)))
    is_right = True
    if "3.5" in wanted:
        blocks_table(options)
    if any(t in VARIANTS for t in wanted):
        is_right = variant_tables(options, [t for t in wanted if t in VARIANTS]) and is_right
    if "3.14" in wanted:
        profile_table(options)
    if any(t in SYSTEM_TABLES for t in wanted):
        is_right = system_tables(options, [t for t in wanted if t in SYSTEM_TABLES]) and is_right
    print("\nall bounds and counts agree" if is_right else "\nBOUNDS OR COUNTS DIFFER")
    sys.exit(not is_right)


main()
