#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Moves per second of complete neighbourhoods. A sweep counts as a whole: segment data, evaluation, reduction and
execution.

rates.py MCO OUT.csv [--engine cpu|gpu] [--simd auto|avx512|avx2|portable] [--threads T] [--head LINE]

Instances are generated; cheapest insertion makes the start tours. Variants: `asymmetric`, a matrix whose directions
differ by up to 10 %; `fewer`, a tenth fewer vehicles than routes, so that the start is infeasible; `ties`, places on a
grid of 20 by 20. A row gives the mean and the best of sweeps 2 to 10 (fewer if a local optimum comes first). Sweep 1 is
left out. When it ends, 2-opt on a GPU can be up to 32 sweeps ahead of the host, so few sweeps of long tours look faster
than they are."""
import argparse, csv, json, os, random, subprocess, tempfile

CASES = [("2opt", 2401, 24, ""), ("2opt", 20001, 24, ""), ("3opt", 967, 20, ""), ("3opt", 2401, 24, ""), ("3opt", 2401, 100, ""),
         ("3opt", 2401, 6, ""), ("2opt", 2401, 24, "real"), ("3opt", 2401, 24, "real"), ("2opt", 60001, 24, ""),
         ("2opt", 2401, 24, "asymmetric"), ("3opt", 2401, 24, "asymmetric"), ("2opt", 2401, 24, "fewer"), ("3opt", 2401, 24, "fewer"),
         ("2opt", 2401, 24, "ties"), ("3opt", 2401, 24, "ties")]

def read(file):
    """The lines before the coordinates, the places, and the lines from the demands on."""
    lines = open(file).read().splitlines()
    first, last = lines.index("NODE_COORD_SECTION"), lines.index("DEMAND_SECTION")
    return lines[:first], [tuple(float(v) for v in l.split()[1:3]) for l in lines[first + 1:last]], lines[last:]

def write_asymmetric(file, out):
    head, places, rest = read(file)
    rng = random.Random(1)
    head = [l for l in head if "EDGE_WEIGHT_TYPE" not in l] + ["EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX"]
    rows = (" ".join(str(round(((x - u) ** 2 + (y - v) ** 2) ** 0.5 * rng.uniform(0.95, 1.05))) for u, v in places) for x, y in places)
    open(out, "w").write("\n".join([*head, "EDGE_WEIGHT_SECTION", *rows, *rest, ""]))

def write_ties(file, out):
    head, places, rest = read(file)
    rows = (f"{k + 1} {int(x) // 50} {int(y) // 50}" for k, (x, y) in enumerate(places))
    open(out, "w").write("\n".join([*head, "NODE_COORD_SECTION", *rows, *rest, ""]))

def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("out"), p.add_argument("--engine", default="cpu"), p.add_argument("--simd", default="auto")
    p.add_argument("--threads", default="0"), p.add_argument("--head", default=""), p.add_argument("--sweeps", default="10")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(a.out, "w") as f:
        w = csv.writer(f, lineterminator="\n")
        f.write(f"# {a.head}\n# rates.py --engine {a.engine} --simd {a.simd} --threads {a.threads} --sweeps {a.sweeps}\n")
        w.writerow("type tour_nodes routes distance engine simd threads sweeps moves_per_sweep mean_s best_s mean_G/s best_G/s variant".split())
        for kind, nodes, size, variant in CASES:
            file, out = os.path.join(folder, f"{nodes}-{size}.vrp"), os.path.join(folder, "out.json")
            if not os.path.exists(file):
                subprocess.run([a.mco, "vrp", "generate", "--giant-tour-nodes", str(nodes), "--route-size", str(size), "--depot", "c",
                                "--output", file], check=True)
            more, write = [], {"asymmetric": write_asymmetric, "ties": write_ties}.get(variant)
            if variant == "real":
                more = ["--distance", "real"]
            elif variant == "fewer":
                more = ["--vehicles", str((nodes - 1) // (size + 1) * 9 // 10)]
            elif write:
                other = file.replace(".vrp", f"-{variant}.vrp")
                if not os.path.exists(other):
                    write(file, other)
                file = other
            subprocess.run([a.mco, "vrp", "neighbourhood", file, "--type", kind, "--engine", a.engine, "--simd", a.simd, "--threads",
                            a.threads, "--sweeps", a.sweeps, "--json", out, "--quiet", *more], check=True, stdout=subprocess.DEVNULL)
            r = json.load(open(out))
            times = [b[0] - c[0] for b, c in zip(r["history"][1:], r["history"])]
            moves = r["counters"]["moves"] / len(r["history"])  # of a sweep; `times` leaves out the first
            w.writerow([kind, nodes, r["counters"]["start_routes"], "real" if variant == "real" else "rounded", a.engine, r["counters"].get("simd"),
                        r["engine"]["threads"], len(times), int(moves), f"{sum(times) / len(times):.6f}", f"{min(times):.6f}",
                        f"{moves * len(times) / sum(times) / 1e9:.2f}", f"{moves / min(times) / 1e9:.2f}", variant])
            f.flush()

main()
