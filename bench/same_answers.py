#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the answers of two mco commands: python3 bench/same_answers.py OLD NEW [PROBLEM ...]

Every case has a fixed amount of work, so both commands must give the same answer: node counts of the flow shop, values
of all cutting instances, and solutions of routing and stacks after equal iterations. MCO_DATA names the folder of the
instances. The exit code is 1 if an answer differs or a case gives none.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

DATA = os.environ.get("MCO_DATA", "")
NODES = ["objective", "bound", "outcome", "counters.nodes", "counters.leaves", "counters.nodes_by_depth"]
VALUE = ["objective", "bound", "outcome", "solution"]


def flowshop():
    for name in ["ta011", "ta020", "ta030", "ta028"]:
        yield [name], NODES
    yield ["ta056", "--upper-bound", "3650"], NODES


def guillotine():
    for path in sorted(glob.glob(DATA + "/cutting/*/*")):
        yield [path], VALUE


def vrp():
    for name, iterations in [("CMT/CMT6", 50000), ("X/X-n101-k25", 200000), ("X/X-n502-k39", 300000), ("X/X-n1001-k43", 200000)]:
        for engine in ["cpu", "reference"]:
            steps = iterations if engine == "cpu" else iterations // 50
            yield [f"{DATA}/cvrp/{name}.vrp", "--engine", engine, "--iterations", str(steps), "--seed", "3"], VALUE


def dtspms():
    for name in ["R00", "R07"]:
        for orders, iterations in [("12", "1000"), ("33", "200"), ("66", "40")]:
            for method in ["tabu", "ils"]:
                yield [name, "--orders", orders, "--method", method, "--iterations", iterations, "--seed", "5"], VALUE


CASES = {"flowshop": flowshop, "guillotine": guillotine, "vrp": vrp, "dtspms": dtspms}


def answer(command, problem, arguments, members):
    """The members of the result file as one JSON text, or the error message."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        run = subprocess.run([command, problem, "solve", *arguments, "--threads", "1", "--quiet", "--json", path],
                             capture_output=True, text=True, check=False)
        if not os.path.exists(path):
            return None, run.stderr.strip()
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    values = []
    for member in members:
        value = result
        for key in member.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        values.append(value)
    return json.dumps(values), str(values[0])


def main():
    sys.setrecursionlimit(100000)  # cutting patterns are deep trees
    old, new, *problems = sys.argv[1:]
    cases = differences = 0
    for problem in problems or CASES:
        for arguments, members in CASES[problem]():
            before, _ = answer(old, problem, arguments, members)
            after, text = answer(new, problem, arguments, members)
            same = after is not None and before == after
            cases += 1
            differences += not same
            shown = " ".join(argument.replace(DATA + "/", "") for argument in arguments)
            print(f"{'same' if same else 'DIFFERENT'}  {problem} {shown}: {text}", flush=True)
    print(f"{cases} cases, {differences} differences")
    return 1 if differences or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
