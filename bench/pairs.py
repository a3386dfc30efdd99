#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times two mco commands in interleaved pairs: python3 bench/pairs.py OLD NEW OUT.csv [--engine cpu|gpu] [--rounds R]

Every case has a fixed amount of work. On the cores each case runs on one thread, and the time is the CPU seconds of the
process, which other load on the machine hardly changes. On a GPU the case says which time counts: that of the kernels
or of the whole solve. A row gives the least time of each command over the rounds, and the ratio new / old. MCO_DATA
names the folder of the instances."""
import argparse, csv, json, os, subprocess, tempfile

DATA = os.environ.get("MCO_DATA", "")


def cpu_cases(folder):
    """Yields the name and the arguments of each case."""
    yield "ta030", ["flowshop", "solve", "ta030"]
    yield "ta028", ["flowshop", "solve", "ta028"]
    yield "ta056 at 3650", ["flowshop", "solve", "ta056", "--upper-bound", "3650"]
    yield "gcut13", ["guillotine", "solve", DATA + "/cutting/gcut/gcut13.txt"]
    yield "randcut 10000", ["guillotine", "solve", folder + "/randcut.txt"]
    yield "2-opt, 20001 nodes, 10 sweeps", ["vrp", "neighbourhood", folder + "/20001.vrp", "--type", "2opt", "--sweeps", "10"]
    yield "3-opt, 2401 nodes, 2 sweeps", ["vrp", "neighbourhood", folder + "/2401.vrp", "--type", "3opt", "--sweeps", "2"]
    yield "stacks, 33 orders, 3-exchange", ["dtspms", "neighbourhood", "R00", "--orders", "33"]
    yield "X-n1001-k43, 1000000 steps", ["vrp", "solve", DATA + "/cvrp/X/X-n1001-k43.vrp", "--iterations", "1000000"]


def gpu_cases(folder):
    yield "gcut13", ["guillotine", "solve", DATA + "/cutting/gcut/gcut13.txt"]
    yield "stacks, 66 orders, 3-exchange", ["dtspms", "neighbourhood", "R00", "--orders", "66"]
    yield "3-opt, 2401 nodes, 10 sweeps", ["vrp", "neighbourhood", folder + "/2401.vrp", "--type", "3opt", "--sweeps", "10"]
    yield "3-opt, one route of 2399, 10 sweeps", ["vrp", "neighbourhood", folder + "/one-route.vrp", "--type", "3opt", "--sweeps", "10"]
    yield "ta056 at 3670", ["flowshop", "solve", "ta056", "--upper-bound", "3670"]
    for name in range(21, 31):
        yield f"ta0{name}", ["flowshop", "solve", f"ta0{name}"]


def seconds(mco, arguments, engine):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        more = ["--threads", "1"] if engine == "cpu" else []
        subprocess.run([mco, *arguments, "--engine", engine, *more, "--quiet", "--json", out], check=True,
                       stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            time = json.load(file)["time"]
    if engine == "cpu":
        return time["cpu_s"]
    return time["device_s"] if time["device_s"] > 0 else time["solve_s"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("old"), p.add_argument("new"), p.add_argument("out")
    p.add_argument("--engine", default="cpu"), p.add_argument("--rounds", type=int, default=5), p.add_argument("--head", default="")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(a.out, "w", encoding="utf-8") as file:
        for nodes, size, name in ("2401", "24", "2401"), ("20001", "24", "20001"), ("2401", "2399", "one-route"):
            subprocess.run([a.new, "vrp", "generate", "--giant-tour-nodes", nodes, "--route-size", size, "--depot", "c",
                            "--output", f"{folder}/{name}.vrp"], check=True)
        subprocess.run([a.new, "guillotine", "generate", "randcut", "--width", "10000", "--height", "10000", "--pieces", "40", "--seed", "1", "--output",
                        folder + "/randcut.txt"], check=True)
        file.write(f"# {a.head}\n# pairs.py --engine {a.engine} --rounds {a.rounds}\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow("case old_s new_s ratio".split())
        for name, arguments in (cpu_cases if a.engine == "cpu" else gpu_cases)(folder):
            times = [[], []]
            for k in range(2 * a.rounds):  # old new new old old new ...
                which = (k + 1) // 2 % 2
                times[which].append(seconds((a.old, a.new)[which], arguments, a.engine))
            old, new = min(times[0]), min(times[1])
            rows.writerow([name, f"{old:.6g}", f"{new:.6g}", f"{new / old:.3f}"])
            file.flush()
            print(f"{name:32} {old:12.6f} {new:12.6f}  {new / old:.3f}", flush=True)


if __name__ == "__main__":
    main()
