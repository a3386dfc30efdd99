#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assignments from a state after an edit, beside those from nothing: warm.py MCO DATA [NETWORK ...] [--gap 1e-6] [--seeds 1,2,3]

The state is that of an assignment of the unchanged network to --state-gap. Then the capacities of 1 % of the links become 0.8 times as large. Cold:
the edited network without a state. Warm: with the state, which is read and written again. Neither writes anything else. Runs take turns, --repeats of
each. Figures are the mean user CPU time of whole processes and the least user and system time together, each with its share: the kernel splits the two by its
ticks, so a least user time is luck where a process has a few ticks. Then the least wall clock of the solves alone, without files, and its share.
The edited network and the trips are plain text."""
import argparse, os, re, shutil, tempfile
from edit_capacities import edited
from networks import FILES, plain_copies, text_of
from peers import timed


def passes_of(text):
    return re.search(r"\neffort +(\d+)", text)[1], re.search(r"\ngap +(\S+)", text)[1], re.search(r"\nobjective +(\S+)", text)[1]


def solve_seconds(text):
    return float(re.search(r"\ntime +(\S+) s", text)[1])


def shares(times):
    return *(f"{x:.4f}" for x in times), f"{times[1] / times[0]:.3f}"


def measure(a, folder, name):
    network, trips = plain_copies(a.data, name, folder)
    state, used, changed = (os.path.join(folder, f) for f in ("state", "used", "changed.tntp"))
    options = ["--method", "pairs", "--threads", str(a.threads), "--quiet"]
    timed([a.mco, "traffic", "assign", network, trips, *options, "--gap", a.state_gap, "--state", state], a.limit, folder)
    for seed in a.seeds.split(","):
        text, links = edited(text_of(network), 0.01, 0.8, int(seed))
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text)
        command = [a.mco, "traffic", "assign", changed, trips, *options, "--gap", a.gap]
        user, cpu, solve = [0.0] * 2, [float("inf")] * 2, [float("inf")] * 2
        for _ in range(a.repeats):
            shutil.copy(state, used)
            cold = timed(command, a.limit, folder)
            solve[0] = min(solve[0], solve_seconds(cold[3]))
            warm = timed(command + ["--state", used], a.limit, folder)
            solve[1] = min(solve[1], solve_seconds(warm[3]))
            for k, run in enumerate((cold, warm)):
                user[k] += run[0] / a.repeats
                cpu[k] = min(cpu[k], run[1])
        yield name, seed, links, a.gap, *passes_of(cold[3]), *passes_of(warm[3]), *shares(user), *shares(cpu), *shares(solve)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("data"), p.add_argument("network", nargs="*", default=["ChicagoSketch"], choices=list(FILES))
    p.add_argument("--gap", default="1e-6"), p.add_argument("--state-gap", default="1e-6"), p.add_argument("--seeds", default="1,2,3")
    p.add_argument("--repeats", type=int, default=10), p.add_argument("--limit", type=int, default=60), p.add_argument("--threads", type=int, default=1)
    a = p.parse_intermixed_args()
    a.mco = os.path.abspath(a.mco)
    print(f"# load of the machine before: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")
    print("network,seed,links_changed,asked," + ",".join(f"{which}_{what}" for which in ("cold", "warm") for what in ("passes", "gap", "objective"))
          + "".join(f",cold_{what}_s,warm_{what}_s,{what}_share" for what in ("user", "cpu", "solve")))
    with tempfile.TemporaryDirectory() as folder:
        for name in a.network:
            for row in measure(a, folder, name):
                print(*row, sep=",", flush=True)
    print(f"# load of the machine after: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
