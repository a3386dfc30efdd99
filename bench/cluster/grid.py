# SPDX-License-Identifier: MIT
"""What the benchmarks of several ranks share: searches by a launcher or, where it starts nothing, by --listen and --join; the simulation."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time

KEY_BYTES = 41
LIMIT_S = 600

# Open MPI as root, and with more ranks than processors.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")


def can_launch(mco, mpiexec):
    """Whether this launcher starts two ranks of this mco."""
    try:
        done = subprocess.run([mpiexec, "-n", "2", mco, "cycles", "count", "--grid", "2x2"], env=ENVIRONMENT, capture_output=True)
        return done.returncode == 0 and b"ranks 2" in done.stderr
    except OSError:
        return False


def search(mco, workers, mpiexec, options):
    """The result of a search by so many workers, each with `options`; mpiexec empty: by --join. A worker has one thread unless they say else."""
    with tempfile.TemporaryDirectory() as folder:
        path, key = os.path.join(folder, "result.json"), os.path.join(folder, "key")
        command = [mco, "flowshop", "solve", "--quiet", "--json", path]
        if mpiexec:
            done = subprocess.run([*mpiexec.split(), "-n", str(workers + 1), *command, *options], env=ENVIRONMENT,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT_S)
            code = done.returncode
        else:
            code = by_join(command, mco, workers, key, options)
        if code != 0:
            sys.exit("%s: exit code %d" % (" ".join(options), code))
        with open(path) as file:
            return json.load(file)


def by_join(command, mco, workers, key, options):
    port = random.randrange(20000, 40000)
    at = [k for k, word in enumerate(options) if word in ("--threads", "--engine", "--gpus")]
    mine = [word for k in at for word in options[k:k + 2]]
    others = [word for k, word in enumerate(options) if k not in at and k - 1 not in at]
    host = subprocess.Popen([*command, *others, "--listen", str(port), "--key", key], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while host.poll() is None and (not os.path.exists(key) or os.path.getsize(key) < KEY_BYTES):
        time.sleep(0.002)
    crew = [subprocess.Popen([mco, "flowshop", "work", "--join", "localhost:%d" % port, "--key", key, *mine], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL) for _ in range(workers)]
    try:
        return host.wait(LIMIT_S)
    finally:
        for process in [host, *crew]:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()


def simulate(program, workers, rate, nodes, spread=0.0, more=("join-s=0.01",)):
    """Seconds of a search of `nodes` nodes by workers of `rate` nodes a second, which begin together."""
    command = [program, "workers=%d" % workers, "rate=%g" % rate, "spread=%g" % spread, "work-s=%g" % (nodes / rate / workers), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    if rows[0]["nodes"] != "equal":
        sys.exit("the simulated counts differ")
    return float(rows[0]["time_s"])
