#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Moves per second of complete neighbourhoods, whole sweeps: segment data, evaluation, reduction and execution.

rates.py MCO OUT.csv [--engine cpu|gpu] [--simd auto|avx512|avx2|portable] [--threads T] [--head LINE]

Tours are generated and constructed by cheapest insertion; a row gives the mean and the best of sweeps 2 to 10 (fewer where a local
optimum comes first). 2-opt on a GPU is up to 32 sweeps ahead of the host when sweep 1, which is left out, ends: few sweeps of long
tours look faster than they are."""
import argparse, csv, json, os, subprocess, tempfile

CASES = [("2opt", 2401, 24, ()), ("2opt", 20001, 24, ()), ("3opt", 967, 20, ()), ("3opt", 2401, 24, ()), ("3opt", 2401, 100, ()),
         ("3opt", 2401, 6, ()), ("2opt", 2401, 24, ("--distance", "real")), ("3opt", 2401, 24, ("--distance", "real")),
         ("2opt", 60001, 24, ())]

def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("out"), p.add_argument("--engine", default="cpu"), p.add_argument("--simd", default="auto")
    p.add_argument("--threads", default="0"), p.add_argument("--head", default=""), p.add_argument("--sweeps", default="10")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(a.out, "w") as f:
        w = csv.writer(f, lineterminator="\n")
        f.write(f"# {a.head}\n# rates.py --engine {a.engine} --simd {a.simd} --threads {a.threads} --sweeps {a.sweeps}\n")
        w.writerow("type tour_nodes routes distance engine simd threads sweeps moves_per_sweep mean_s best_s mean_G/s best_G/s".split())
        for kind, nodes, size, more in CASES:
            file, out = os.path.join(folder, f"{nodes}-{size}.vrp"), os.path.join(folder, "out.json")
            if not os.path.exists(file):
                subprocess.run([a.mco, "vrp", "generate", "--giant-tour-nodes", str(nodes), "--route-size", str(size), "--depot", "c",
                                "--output", file], check=True)
            subprocess.run([a.mco, "vrp", "neighbourhood", file, "--type", kind, "--engine", a.engine, "--simd", a.simd, "--threads",
                            a.threads, "--sweeps", a.sweeps, "--json", out, "--quiet", *more], check=True, stdout=subprocess.DEVNULL)
            r = json.load(open(out))
            times = [b[0] - c[0] for b, c in zip(r["history"][1:], r["history"])]
            moves = r["counters"]["moves"] / len(r["history"])  # of a sweep; the first, with its preparations, is left out
            w.writerow([kind, nodes, r["counters"]["start_routes"], "real" if more else "rounded", a.engine, r["counters"].get("simd"),
                        r["engine"]["threads"], len(times), int(moves), f"{sum(times) / len(times):.6f}", f"{min(times):.6f}",
                        f"{moves * len(times) / sum(times) / 1e9:.2f}", f"{moves / min(times) / 1e9:.2f}"])
            f.flush()

main()
