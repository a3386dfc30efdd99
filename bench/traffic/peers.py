#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tap-b (Algorithm B in C, github.com/spartalab/tap-b) beside mco: python3 bench/traffic/peers.py MCO TAP DATA [CASE ...]

A CASE is NETWORK[*DEMAND]:GAP[,GAP...]. Both programs read the same plain files, whose trips state the factors of tolls and
lengths, and run on one thread by turns. Figures are the least user CPU time of a whole process, and the least user and system time together, on which the ratio
stands: the kernel splits the two by its ticks, so user time alone says little below 0.02 s. tap-b writes flows of links at its end,
mco writes none; --flows makes mco write them too. A process that needs more than --limit seconds of CPU is ended. Peak memory below
12 MiB is that of this script, from which processes begin."""
import argparse, os, re, resource, subprocess, sys, tempfile
from networks import plain_copies

CASES = ["ChicagoSketch:1e-4,1e-6,1e-12", "ChicagoSketch*2:1e-4,1e-6,1e-10,1e-12", "SiouxFalls:1e-4,1e-6,1e-12", "Anaheim:1e-4,1e-6,1e-12",
         "EasternMassachusetts:1e-4,1e-6,1e-12", "BerlinMPFC:1e-4,1e-6,1e-12"]


def timed(command, limit, folder):
    """User seconds, user and system seconds, peak MiB and output of a process; None for the output if the limit ended it."""
    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, preexec_fn=bound, cwd=folder)
        _, state, used = os.wait4(child.pid, 0)
        child.returncode = state
        out.seek(0)
        return used.ru_utime, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out.read().decode() if state == 0 else None


def tap_command(tap, folder, files, gap, demand):
    parameters = os.path.join(folder, "parameters.txt")
    with open(parameters, "w", encoding="utf-8") as file:
        file.write(f"<NETWORK FILE> {os.path.basename(files[0])}\n<TRIPS FILE> {os.path.basename(files[1])}\n"
                   f"<CONVERGENCE GAP> {gap}\n<FILE PATH> {folder}/\n<DATA PATH> {folder}/\n<FLOWS FILE> {folder}/flows.txt\n"
                   f"<NUMBER OF THREADS> 1\n<DEMAND MULTIPLIER> {demand}\n")
    return [tap, parameters]


def measure(a, folder, case):
    name, gaps = case.split(":")
    name, _, demand = name.partition("*")
    demand, files = demand or "1", plain_copies(a.data, name, folder)
    for gap in gaps.split(","):
        mco = [a.mco, "traffic", "assign", *files, "--gap", gap, "--threads", "1", "--demand-factor", demand, "--unreachable", a.unreachable]
        if a.flows:
            mco += ["--flows", os.path.join(folder, "flows.tntp")]
        tap, best = tap_command(a.tap, folder, files, gap, demand), [None, None]
        for _ in range(a.repeats):
            for k, command in enumerate((mco, tap)):
                run = timed(command, a.limit, folder)
                best[k] = run if best[k] is None else (min(run[0], best[k][0]), min(run[1], best[k][1]), *run[2:])
        yield name, demand, gap, *[best_of(run, pattern) for run, pattern in zip(best, PATTERNS)]


# Passes, gap and objective, in this order, in the output of mco and of tap-b.
PATTERNS = (r"\nobjective +(?P<objective>\S+)\ngap +(?P<gap>\S+).*\neffort +(?P<passes>\d+)",
            r"Iteration (?P<passes>\d+): gap (?P<gap>\S+), obj (?P<objective>[0-9.]+)(?!.*Iteration)")


def best_of(run, pattern):
    user, cpu, memory, text = run
    figures = f"{user:.4f}", f"{cpu:.4f}", f"{memory:.1f}"
    found = re.search(pattern, text, re.DOTALL) if text is not None else None
    if found is None:
        return *figures, "", "", ""
    return *figures, found["passes"], f"{float(found['gap'].split()[0].rstrip(',')):.2e}", found["objective"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("tap"), p.add_argument("data"), p.add_argument("case", nargs="*", default=CASES)
    p.add_argument("--repeats", type=int, default=3), p.add_argument("--limit", type=int, default=60)
    p.add_argument("--unreachable", default="drop"), p.add_argument("--flows", action="store_true")
    a = p.parse_intermixed_args()
    a.mco, a.tap = os.path.abspath(a.mco), os.path.abspath(a.tap)
    print(f"# load of the machine before: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")
    columns = ("user_s", "cpu_s", "mib", "passes", "gap", "objective")
    print("network,demand,asked," + ",".join(f"{who}_{c}" for who in ("mco", "tapb") for c in columns) + ",ratio", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in a.case:
            for name, demand, gap, mco, tap in measure(a, folder, case):
                print(name, demand, gap, *mco, *tap, f"{float(tap[1]) / float(mco[1]):.1f}" if tap[5] else "", sep=",", flush=True)
    print(f"# load of the machine after: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
