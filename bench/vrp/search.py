#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Solves public instances and writes a row for each: what it reached, how far from the best known value that is, and
when.

search.py MCO DATA OUT.csv [--time S] [--seeds K] [--first-seed K] [--jobs J] [--cores C] [--engine cpu|gpu] NAME ...

DATA is the folder with bks.csv and <set>/<instance>.vrp. NAME is an instance, or a set: X, CMT, Golden, AGS, Li, I. J
jobs run at a time; each has C cores of its own (taskset). Gaps are in percent. `at` columns are the seconds until a gap
of 1, 0.5 and 0.2 %."""
import argparse, csv, json, os, platform, queue, statistics, subprocess, sys, tempfile, threading

def first_time(history, value, gap):
    for time, cost, _ in history:
        if cost <= value * (1 + gap / 100):
            return f"{time:.2f}"
    return ""

def solve(a, row, seed, slot, folder):
    name, real = row["instance"], row["distance"] == "real"
    out = os.path.join(folder, f"{name}-{seed}.json")
    command = [a.mco, "vrp", "solve", os.path.join(a.data, row["set"], name + ".vrp"), "--distance", "real" if real else "rounded",
               "--time-limit", str(a.time), "--seed", str(seed), "--threads", str(a.cores), "--engine", a.engine, "--json", out, "--quiet"]
    if a.jobs > 1:
        command = ["taskset", "-c", ",".join(str(a.first_core + slot * a.cores + c) for c in range(a.cores))] + command
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return [row["set"], name, seed, "failed", done.stderr.strip()[-100:]]
    r, value = json.load(open(out)), float(row["bks"])
    history = [h[:3] for h in r["history"]]
    return [row["set"], name, row["customers"], seed, a.engine, r["objective"], row["bks"], f"{100 * (r['objective'] / value - 1):.4f}",
            len(r["solution"]["routes"]), r["counters"]["iterations"], f"{r['time']['wall_s']:.2f}", f"{r['time']['cpu_s']:.1f}",
            f"{history[-1][0]:.2f}"] + [first_time(history, value, g) for g in (1, 0.5, 0.2)]

def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("data"), p.add_argument("out"), p.add_argument("names", nargs="+")
    p.add_argument("--time", type=float, default=60), p.add_argument("--seeds", type=int, default=1)
    p.add_argument("--first-seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=1), p.add_argument("--cores", type=int, default=2)
    p.add_argument("--first-core", type=int, default=0), p.add_argument("--engine", default="cpu")
    p.add_argument("--head", default="", help="a line on the machine and the commit")
    a = p.parse_args()
    rows = [r for r in csv.DictReader(open(os.path.join(a.data, "bks.csv"))) if r["instance"] in a.names or r["set"] in a.names]
    work, results, slots = [(r, a.first_seed + s) for r in rows for s in range(a.seeds)], [], queue.Queue()
    for k in range(a.jobs):
        slots.put(k)
    with tempfile.TemporaryDirectory() as folder, open(a.out, "w") as f:
        w = csv.writer(f, lineterminator="\n")
        f.write(f"# {a.head or platform.processor()}\n# search.py --time {a.time:g} --seeds {a.seeds} --first-seed {a.first_seed} --cores {a.cores} --jobs {a.jobs} --engine {a.engine}\n")
        w.writerow("set instance customers seed engine cost best_known gap routes iterations wall_s cpu_s last_s at_1 at_0.5 at_0.2".split())
        lock = threading.Lock()
        def worker():
            while True:
                with lock:
                    if not work:
                        return
                    r, s = work.pop(0)
                k = slots.get()
                row = solve(a, r, s, k, folder)
                slots.put(k)
                with lock:
                    results.append(row), w.writerow(row), f.flush()
        threads = [threading.Thread(target=worker) for _ in range(a.jobs)]
        [t.start() for t in threads], [t.join() for t in threads]
    gaps = [float(r[7]) for r in results if r[3] != "failed"]
    print(f"{os.path.basename(a.out)}: {len(gaps)} of {len(results)} solved, mean gap {statistics.mean(gaps):.4f} %, worst {max(gaps):.4f} %" if gaps else "none")
    return 0 if len(gaps) == len(results) else 1

sys.exit(main())
