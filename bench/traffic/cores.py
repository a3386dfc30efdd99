#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The networks of the collection by the engine of the cores: cores.py BENCH DATA [PART ...], BENCH is the program bench_traffic.

A row: gap asked and certified, passes, pairs, the least user CPU time of a process, seconds by the clock, peak memory, objective, and how
many significant digits it has in common with bestknown.csv (up to 15). Parts: small, chicago, congested, hessen, austin, methods, searches."""
import argparse, csv, os, subprocess
from networks import FILES

PLAIN = ["1e-6", "1e-10", "1e-12"]
# part: rows of (network, demand, rule for trips without a path, method, line search, gaps, repeats)
PARTS = {
    "small": [(n, 1, "drop", "pairs", "exact", PLAIN, 5) for n in ("Braess", "SiouxFalls", "Anaheim", "EasternMassachusetts", "BerlinMPFC")],
    "chicago": [("ChicagoSketch", 1, "drop", "pairs", "exact", ["1e-4", *PLAIN], 7),
                ("ChicagoSketch", 2, "drop", "pairs", "exact", ["1e-4", *PLAIN], 5)],
    "congested": [("ChicagoSketch", 3, "drop", "pairs", "exact", ["1e-6", "1e-8", "1e-10"], 3),
                  ("AustinTAPB", 1.5, "drop", "pairs", "exact", ["1e-8"], 1)],
    "hessen": [("HessenAsymmetric", 1, "drop", "pairs", "exact", ["1e-6", "1e-8", "1e-10"], 1)],
    "austin": [("AustinTAPB", 1, "drop", "pairs", "exact", ["1e-4", "1e-6", "1e-10", "5e-12"], 1),
               ("AustinTAPB", 1, "arc", "pairs", "exact", ["1e-4", "1e-6", "1e-10", "5e-12"], 1)],
    "methods": [(n, 1, "drop", m, "exact", ["1e-4", "1e-5"], 1) for n in ("ChicagoSketch", "AustinTAPB") for m in ("fw", "cfw", "bfw")],
    "searches": [("ChicagoSketch", 1, "drop", m, s, ["1e-4", "1e-5"], 2) for m in ("fw", "bfw")
                 for s in ("exact", "golden", "fibonacci", "dichotomy")],
}


def common_digits(found, known):
    """Significant digits of found and known that agree when both are rounded to as many."""
    return max((d for d in range(16) if d and f"{found:.{d}g}" == f"{known:.{d}g}"), default=0)


def best_known(data):
    known = {("AustinTAPB", "drop"): 17720214.5005046}  # its other rule is that of bestknown.csv
    with open(os.path.join(data, "tntp", "bestknown.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            known.setdefault((row["name"], "arc" if row["name"] == "AustinTAPB" else "drop"), float(row["objective"]))
    return known


def main():
    p = argparse.ArgumentParser()
    p.add_argument("bench"), p.add_argument("data"), p.add_argument("part", nargs="*", default=list(PARTS))
    p.add_argument("--threads", default="1"), p.add_argument("--repeats", type=int), p.add_argument("--limit", default="100")
    a = p.parse_intermixed_args()
    known = best_known(a.data)
    print(f"# load of the machine before: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")
    print("network,demand,unreachable,method,line_search,threads,asked,gap,passes,pairs,user_s,read_s,clock_s,mib,objective,digits")
    for part in a.part:
        for name, demand, rule, method, search, gaps, repeats in PARTS[part]:
            network, trips, toll, distance = FILES[name]
            paths = [os.path.join(a.data, "tntp", f) for f in (network, trips)]
            for gap in gaps:
                out = subprocess.run([a.bench, *paths, method, a.threads, str(a.repeats or repeats), gap, "--demand", str(demand), "--toll", str(toll),
                                      "--distance", str(distance), "--search", search, "--unreachable", rule, "--limit", a.limit],
                                     check=True, capture_output=True, text=True).stdout.splitlines()[-1].split()
                best = known.get((name, rule)) if demand == 1 else None
                digits = common_digits(float(out[8]), best) if best else ""
                print(name, demand, rule, method, search, a.threads, gap, *out[1:], digits, sep=",", flush=True)
    print(f"# load of the machine after: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
