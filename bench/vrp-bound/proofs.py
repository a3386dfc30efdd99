#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves public instances and writes a row for each: bound, gap, outcome, time.

proofs.py MCO DATA OUT.csv [--time S] [--action bound|root|solve] [--jobs J] [--threads T] [--most N] [--option "..."] NAME ...

DATA is the folder with bks.csv and <set>/<instance>.vrp. NAME is an instance, a set (A, B, E, P, X, CMT, Golden, Li), or a prefix with *.
`bound` proves the best known value from --known; `root` stops at the root; `solve` knows nothing: mco vrp solve --prove. The best known
values of EXACT hold for exactly as many routes as the name says: bound and root take that rule there. J jobs run side by side."""
import argparse, csv, fnmatch, json, os, re, statistics, subprocess, sys, tempfile, threading

EXACT = ("E-n30-k3", "P-n22-k8", "P-n50-k8", "P-n55-k8", "P-n55-k15")

def command_of(a, row, out):
    name = row["instance"]
    path = os.path.join(a.data, row["set"], name + ".vrp")
    common = ["--distance", "real" if row["distance"] == "real" else "rounded", "--time-limit", str(a.time), "--threads", str(a.threads),
              "--json", out, "--quiet"] + a.option.split()
    if a.action == "solve":
        return [a.mco, "vrp", "solve", path, "--prove"] + common
    fleet = ["--vehicles-exactly", re.search(r"-k(\d+)$", name).group(1)] if name in EXACT else []
    return [a.mco, "vrp", "bound", path, "--known", row["bks"]] + fleet + (["--root-only"] if a.action == "root" else []) + common

def prove(a, row, folder):
    out = os.path.join(folder, row["instance"] + ".json")
    done = subprocess.run(command_of(a, row, out), capture_output=True, text=True)
    if done.returncode not in (0, 1) or not os.path.exists(out):
        return [row["set"], row["instance"], row["customers"], "failed", done.stderr.strip()[-150:]]
    r, best = json.load(open(out)), float(row["bks"])
    bound = r["bound"] if r["bound"] is not None else float("nan")
    root = r["counters"].get("root_bound")
    fault = "above" if bound > best + 0.5 and a.action != "solve" else ""
    return [row["set"], row["instance"], row["customers"], row["bks"], r["objective"], bound, f"{100 * (1 - bound / best):.4f}",
            f"{100 * (1 - root / best):.4f}" if root is not None else "", r["outcome"], r["stop"], r["counters"].get("fleet_rule", ""),
            r["counters"].get("is_rechecked", r["counters"].get("is_bound_rechecked", "")), f"{r['time']['wall_s']:.2f}", f"{r['time']['cpu_s']:.2f}", fault]

def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("data"), p.add_argument("out"), p.add_argument("names", nargs="+")
    p.add_argument("--time", type=float, default=20), p.add_argument("--action", default="bound", choices=["bound", "root", "solve"])
    p.add_argument("--jobs", type=int, default=1), p.add_argument("--threads", type=int, default=2)
    p.add_argument("--most", type=int, default=10**9, help="customers"), p.add_argument("--option", default=""), p.add_argument("--head", default="")
    a = p.parse_args()
    def is_wanted(row):
        return int(row["customers"]) <= a.most and any(
            n in (row["set"], row["instance"]) or fnmatch.fnmatch(row["instance"], n) or (row["set"] == "small" and row["instance"].startswith(n + "-n"))
            for n in a.names)
    work = [r for r in csv.DictReader(open(os.path.join(a.data, "bks.csv"))) if is_wanted(r)]
    results, lock = [], threading.Lock()
    with tempfile.TemporaryDirectory() as folder, open(a.out, "w") as f:
        f.write(f"# {a.head}\n# proofs.py --action {a.action} --time {a.time:g} --threads {a.threads} --jobs {a.jobs} {a.option}\n")
        w = csv.writer(f, lineterminator="\n")
        w.writerow("set instance customers best_known cost bound gap root_gap outcome stop fleet_rule rechecked wall_s cpu_s fault".split())
        def worker():
            while True:
                with lock:
                    if not work:
                        return
                    row = work.pop(0)
                result = prove(a, row, folder)
                with lock:
                    results.append(result)
                    w.writerow(result)
                    f.flush()
        threads = [threading.Thread(target=worker) for _ in range(a.jobs)]
        [t.start() for t in threads], [t.join() for t in threads]
    ended = [r for r in results if r[3] != "failed"]
    gaps = [float(r[6]) for r in ended]
    closed = sum(r[8] in ("optimal", "none_below") for r in ended)
    print(f"{len(results)} instances, {closed} proved, {len(results) - len(ended)} failed, mean gap {statistics.mean(gaps) if gaps else float('nan'):.3f} %")
    sys.exit(any(r[-1] == "above" for r in ended))

main()
