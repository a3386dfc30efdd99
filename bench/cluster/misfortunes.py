#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Searches by a coordinator and workers (--listen, --join) at a fixed incumbent: their node, leaf and bound counts must be those of one
process. First without misfortunes, by 1, 2 and 4 workers. Then processes are killed, or stopped for 15 s, at random moments."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "flowshop"))
from common import Table, arguments, best_known, solve  # noqa: E402

COUNTS = ["nodes", "leaves", "bounds"]
INSTANCES = ["ta%03d" % k for k in range(11, 21)] + ["ta022", "ta028", "ta030"]
KINDS = ["worker", "coordinator", "both", "stop"]
STOP_S = 15
KEY_BYTES = 41
LIMIT_S = 600  # of a run, then it has failed


class Cluster:
    """A coordinator and its workers, each with one thread."""

    def __init__(self, mco, folder, search, port):
        self.mco, self.folder, self.search, self.port = mco, folder, search, port
        self.workers = []
        self.begins = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def coordinate(self, *more):
        self.begins += 1
        command = [self.mco, "flowshop", "solve", *self.search, "--listen", str(self.port), "--key", self.path("key"), "--json",
                   self.path("result.json"), "--silence", "3", *more]
        with open(self.path("host%d" % self.begins), "w") as log:
            self.coordinator = subprocess.Popen(command, stdout=log, stderr=log)

    def work(self):
        while self.coordinator.poll() is None and not os.path.exists(self.path("key")) or os.path.getsize(self.path("key")) < KEY_BYTES:
            time.sleep(0.01)
        command = [self.mco, "flowshop", "work", "--join", "localhost:%d" % self.port, "--key", self.path("key"), "--engine", "cpu",
                   "--threads", "1", "--report", "0.2", "--silence", "5", "--patience", "10"]
        self.workers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def end(self):
        """Waits for the coordinator, then for its workers; returns the result."""
        try:
            self.coordinator.wait(LIMIT_S)
        finally:
            for process in self.workers + [self.coordinator]:
                if process.poll() is None and process is not self.coordinator:
                    try:
                        process.wait(1)
                    except subprocess.TimeoutExpired:
                        process.kill()
                elif process.poll() is None:
                    process.kill()
                process.wait()
        with open(self.path("result.json")) as file:
            return json.load(file)

    def lost(self):
        """Workers that the coordinators gave up."""
        text = "".join(open(self.path("host%d" % k)).read() for k in range(1, self.begins + 1))
        return [line.strip() for line in text.splitlines() if "lost" in line]


def misfortune(cluster, kind, wait_s):
    """Returns whether it came in time, and back in time."""
    time.sleep(wait_s)
    if cluster.coordinator.poll() is not None:
        return False, ""
    if kind == "stop":
        worker = cluster.workers[0]
        worker.send_signal(signal.SIGSTOP)
        time.sleep(STOP_S)
        is_back = cluster.coordinator.poll() is None
        worker.send_signal(signal.SIGCONT)
        return True, "during the search" if is_back else "after its end"
    if kind in ("worker", "both"):
        cluster.workers[0].kill()
    if kind in ("coordinator", "both"):
        cluster.coordinator.kill()
        cluster.coordinator.wait()
        state = cluster.path("state")
        resume = ["--resume", state] if os.path.exists(state) else []
        cluster.coordinate("--checkpoint", state, "--checkpoint-interval", "0.2", *resume)
    if kind in ("worker", "both"):
        cluster.work()
    return True, ""


def run(options, search, workers, kind, wait_s):
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(options.mco, folder, search, random.randrange(20000, 40000))
        begin = time.time()
        cluster.coordinate("--checkpoint", cluster.path("state"), "--checkpoint-interval", "0.2")
        for _ in range(workers):
            cluster.work()
        came, back = misfortune(cluster, kind, wait_s) if kind else (True, "")
        result = cluster.end()
        return result["counters"], came, back, cluster.lost(), time.time() - begin


def main():
    options = arguments(__doc__, part=("counts", "counts, or the misfortunes"), seeds=(20, "runs of each misfortune"), first=(1, "first seed"),
                        instance=("ta022", "instance of the misfortunes"), kinds=(",".join(KINDS), "misfortunes"))
    table = Table(options, ["instance", "upper_bound", "workers", "misfortune", "seed", "moment_s", "nodes", "equal", "back", "coordinator_says",
                            "wall_s"])
    failed = 0
    names = INSTANCES if options.part == "counts" else [options.instance]
    for name in names:
        bound = best_known(options.mco, name)
        search = [name, "--upper-bound", str(bound)]
        whole = solve(options.mco, *search)["counters"]
        if options.part == "counts":
            for workers in (1, 2, 4):
                counters, _, _, lost, wall_s = run(options, search, workers, None, 0)
                is_equal = all(counters[key] == whole[key] for key in COUNTS)
                failed += not is_equal
                table.row(name, bound, workers, "none", "", "", counters["nodes"], "yes" if is_equal else "NO", "", "; ".join(lost), wall_s)
            continue
        length_s = run(options, search, 2, None, 0)[4]
        for kind in options.kinds.split(","):
            for seed in range(options.first, options.first + options.seeds):
                generator = random.Random("%s %d" % (kind, seed))
                for shorter in (1, 0.5, 0.25):  # the search may have ended before
                    wait_s = shorter * generator.uniform(0.3, 0.8) * length_s
                    counters, came, back, lost, wall_s = run(options, search, 2, kind, wait_s)
                    if came:
                        break
                is_equal = came and all(counters[key] == whole[key] for key in COUNTS)
                failed += not is_equal
                table.row(name, bound, 2, kind, seed, wait_s, counters["nodes"], "yes" if is_equal else "NO" if came else "too late", back,
                          "; ".join(lost), wall_s)
    sys.exit(failed != 0)


main()
