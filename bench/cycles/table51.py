#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reprints table 5.1 of Jradi (2016) beside mco: python3 bench/cycles/table51.py MCO [--engine cpu|gpu] [--csv F]

Rows: the graphs of the table that are public or can be generated. Columns: the thesis' counts and milliseconds (CPU; GPU with
copies), and mco's milliseconds for counting and for listing into memory, on one thread or on a GPU. MCO_DATA names the folder
of the public instances; without it Sioux Falls is left out."""
import argparse, csv, json, os, subprocess, sys, tempfile

# graph, options, triangles, chordless cycles longer than 3, thesis' CPU ms, thesis' GPU ms
TABLE = [("SiouxFalls", None, 2, 176, 1.339, 1.812), ("C_100", ["--cycle", "100"], 0, 1, 0.149, 0.770),
         ("Wheel 100", ["--wheel", "100"], 100, 1, 0.225, 1.229), ("K_8,8", ["--complete-bipartite", "8,8"], 0, 784, 0.473, 0.599),
         ("K_50,50", ["--complete-bipartite", "50,50"], 0, 1500625, 600.661, 10.391),
         ("Grid 4x10", ["--grid", "4x10"], 0, 1823, 15.430, 1.993), ("Grid 5x6", ["--grid", "5x6"], 0, 749, 2.610, 1.249),
         ("Grid 5x10", ["--grid", "5x10"], 0, 52620, 199.132, 12.718), ("Grid 6x6", ["--grid", "6x6"], 0, 3436, 7.889, 1.570),
         ("Grid 6x10", ["--grid", "6x10"], 0, 800139, 2906.009, 18.989),
         ("Grid 7x10", ["--grid", "7x10"], 0, 8136453, 36955.470, 286.212),
         ("Grid 8x10", ["--grid", "8x10"], 0, 71535910, 427091.02, 8697.081)]


def run(mco, arguments, engine):
    """The counters and the least solve time of five runs, in milliseconds."""
    best = None
    for _ in range(5):
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            subprocess.run([mco, "cycles", *arguments, "--engine", engine, "--threads", "1", "--quiet", "--json", out.name],
                           check=True, stdout=subprocess.DEVNULL)
            result = json.load(open(out.name, encoding="utf-8"))
        time = result["time"]
        ms = 1000 * (time["device_s"] if engine == "gpu" and time["device_s"] else time["solve_s"])
        best = ms if best is None else min(best, ms)
    return result["counters"], best


def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("--engine", default="cpu"), p.add_argument("--csv")
    a = p.parse_args()
    rows = ["graph triangles cycles thesis_cpu_ms thesis_gpu_ms count_ms search_ms list_ms".split()]
    print(*rows[0], sep="\t")
    for name, shape, triangles, cycles, cpu, gpu in TABLE:
        if shape is None:
            if not os.environ.get("MCO_DATA"):
                continue
            shape = [os.environ["MCO_DATA"] + "/tntp/SiouxFalls/SiouxFalls_net.tntp"]
        row = [name, triangles, cycles, cpu, gpu]
        for action in (["count", *shape, "--by-length", "off"], ["count", *shape, "--method", "search"],
                       ["list", *shape, "--format", "none"]):
            counters, ms = run(a.mco, action, a.engine)
            if (counters["cycles"], counters["triangles"]) != (cycles, triangles):
                sys.exit(f"{name}: {counters['cycles']} cycles and {counters['triangles']} triangles, {cycles} and {triangles} expected")
            row.append(f"{ms:.4f}")
        rows.append(row)
        print(*row, sep="\t", flush=True)
    if a.csv:
        with open(a.csv, "w", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
