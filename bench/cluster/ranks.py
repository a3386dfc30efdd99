#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts, bounds and flows by ranks against one process: CPU seconds of each rank, their start included and alone, and equal results. The CPU
speed-up, that of one process over that of the busiest rank, is what a machine with a free core a rank can reach."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flowshop"))
from common import Table, arguments  # noqa: E402

METER = """import json, os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
use = resource.getrusage(resource.RUSAGE_CHILDREN)
rank = os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0"))
open(os.path.join(sys.argv[1], rank), "w").write("%f %d" % (use.ru_utime + use.ru_stime, code))
"""


def measure(options, ranks, command):
    """CPU seconds of each rank, and the result."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        call = [sys.executable, "-c", METER, folder, options.mco, *command, "--threads", "1", "--quiet", "--json", result]
        if ranks > 1:
            call = [options.mpiexec, "--bind-to", "none", "-n", str(ranks), *call]
        subprocess.run(call, check=True)
        cpu_s = []
        for rank in range(ranks):
            seconds, code = open(os.path.join(folder, str(rank))).read().split()
            if code != "0":
                sys.exit("%s: exit code %s" % (" ".join(command), code))
            cpu_s.append(float(seconds))
        with open(result) as file:
            return cpu_s, json.load(file)


def main():
    options = arguments(__doc__, mpiexec=("mpirun", "the launcher"), data=("/data", "folder of tntp/ and cvrp/"), ranks=(4, "ranks"),
                        repeats=(3, "the median counts"), only=("", "one of cycles, overlay, traffic, vrp"))
    table = Table(options, ["command", "ranks", "cpu_s_of_the_busiest_rank", "cpu_s_of_all", "start_s_of_a_rank", "cpu_speed_up", "equal"])
    net = os.path.join(options.data, "tntp", "AustinTAPB", "AustinTAPB_net.tntp.gz")
    trips = net.replace("_net", "_trips")
    routes = os.path.join(options.data, "cvrp", "small", "A-n45-k6.vrp")
    with tempfile.TemporaryDirectory() as folder:
        peers = os.path.join(folder, "peers.csv")
        subprocess.run([options.mco, "overlay", "generate", "--nodes", "6000", "--output", peers], check=True, stdout=subprocess.DEVNULL)
        commands = [
            ("cycles", ["cycles", "count", "--grid", "8x10", "--method", "search"], ["cycles", "count", "--grid", "2x2", "--method", "search"],
             ["cycles", "longest"]),
            ("overlay", ["overlay", "bound", peers, "--method", "dist", "--iterations", "300"],
             ["overlay", "bound", peers, "--method", "dist", "--iterations", "1"], ["bound", "exact_bound", "best_iteration"]),
            ("traffic", ["traffic", "assign", net, trips, "--method", "bfw", "--iterations", "60"],
             ["traffic", "assign", net, trips, "--method", "bfw", "--iterations", "1"], ["objective"]),
            ("vrp", ["vrp", "bound", routes, "--cuts", "none"], ["vrp", "bound", routes, "--cuts", "none", "--root-only"], ["bound", "objective"]),
        ]
        for name, command, start, keys in commands:
            if options.only and name != options.only:
                continue
            one = None
            for ranks in (1, options.ranks):
                runs = sorted((measure(options, ranks, command) for _ in range(options.repeats)), key=lambda run: max(run[0]))
                cpu_s, result = runs[len(runs) // 2]
                start_s = max(measure(options, ranks, start)[0])
                flat = json.dumps(result)
                values = [flat[flat.index('"%s"' % key):].split(",")[0] for key in keys]
                one = one or (max(cpu_s), start_s, values)
                table.row(name + ": " + " ".join(os.path.basename(word) for word in command), ranks, max(cpu_s), sum(cpu_s), start_s,
                          (one[0] - one[1]) / (max(cpu_s) - start_s), "yes" if values == one[2] else "NO")


main()
