#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assignments from a state after an edit, beside those from nothing: warm.py MCO DATA [NETWORK ...] [--gap 1e-6] [--seeds 1,2,3]

The state is that of an assignment of the unchanged network to --state-gap. Then the capacities of 1 % of the links become 0.8 times as large. Cold:
the edited network without a state. Warm: with the state, which is read and written again. Each figure is the least user CPU time of a
whole process, of --repeats; runs take turns. Then the least wall clock of the solves alone, without files, and its share. The edited network
and the trips are plain text."""
import argparse, json, os, re, shutil, tempfile
from edit_capacities import edited
from networks import FILES, plain_copies, text_of
from peers import timed


def passes_of(text):
    return re.search(r"\neffort +(\d+)", text)[1], re.search(r"\ngap +(\S+)", text)[1], re.search(r"\nobjective +(\S+)", text)[1]


def solve_seconds(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["time"]["solve_s"]


def measure(a, folder, name):
    network, trips = plain_copies(a.data, name, folder)
    state, used, changed = (os.path.join(folder, f) for f in ("state", "used", "changed.tntp"))
    result = os.path.join(folder, "result.json")
    options = ["--method", "pairs", "--threads", str(a.threads), "--quiet"]
    timed([a.mco, "traffic", "assign", network, trips, *options, "--gap", a.state_gap, "--state", state], a.limit, folder)
    for seed in a.seeds.split(","):
        text, links = edited(text_of(network), 0.01, 0.8, int(seed))
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text)
        command = [a.mco, "traffic", "assign", changed, trips, *options, "--gap", a.gap, "--json", result]
        best, solve = [float("inf")] * 2, [float("inf")] * 2
        for _ in range(a.repeats):
            shutil.copy(state, used)
            cold = timed(command, a.limit, folder)
            solve[0] = min(solve[0], solve_seconds(result))
            warm = timed(command + ["--state", used], a.limit, folder)
            solve[1] = min(solve[1], solve_seconds(result))
            best = [min(best[0], cold[0]), min(best[1], warm[0])]
        yield name, seed, links, a.gap, f"{best[0]:.4f}", *passes_of(cold[3]), f"{best[1]:.4f}", *passes_of(warm[3]), f"{best[1] / best[0]:.3f}", *(
            f"{x:.4f}" for x in solve), f"{solve[1] / solve[0]:.3f}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("data"), p.add_argument("network", nargs="*", default=["ChicagoSketch"], choices=list(FILES))
    p.add_argument("--gap", default="1e-6"), p.add_argument("--state-gap", default="1e-6"), p.add_argument("--seeds", default="1,2,3")
    p.add_argument("--repeats", type=int, default=5), p.add_argument("--limit", type=int, default=60), p.add_argument("--threads", type=int, default=1)
    a = p.parse_intermixed_args()
    a.mco = os.path.abspath(a.mco)
    print(f"# load of the machine before: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")
    print("network,seed,links_changed,asked,cold_s,cold_passes,cold_gap,cold_objective,warm_s,warm_passes,warm_gap,warm_objective,share,"
          "cold_solve_s,warm_solve_s,solve_share")
    with tempfile.TemporaryDirectory() as folder:
        for name in a.network:
            for row in measure(a, folder, name):
                print(*row, sep=",", flush=True)
    print(f"# load of the machine after: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
