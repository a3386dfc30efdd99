# SPDX-License-Identifier: MIT
"""What the benchmarks share: running mco, the machine record, rows in CSV."""
import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile

# The command itself tells the optima and best bounds of Taillard's instances (line `best known`).


def arguments(description, **extra):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mco", default="build/mco", help="the command to measure")
    parser.add_argument("--output", help="CSV file; standard output without it")
    for name, (default, text) in extra.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default, type=type(default), help=text)
    return parser.parse_args()


def solve(mco, *options, timeout=None):
    """Runs `mco flowshop solve OPTIONS`; returns the result file as a dict."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        command = [mco, "flowshop", "solve", "--quiet", "--json", path, *map(str, options)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, timeout=timeout)
        if done.returncode not in (0, 1):
            sys.exit("%s: exit code %d" % (" ".join(command), done.returncode))
        with open(path) as file:
            return json.load(file)


def best_known(mco, name):
    """The best makespan known, from the instance as mco writes it."""
    text = subprocess.run([mco, "flowshop", "generate", "--taillard", name], capture_output=True, text=True,
                          check=True).stdout
    return int(text.splitlines()[1].split()[3])


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


class Table:
    """The rows of a benchmark. They are printed at once; comment lines with the machine come first."""

    def __init__(self, options, columns):
        self.file = open(options.output, "w", newline="") if options.output else sys.stdout
        version = subprocess.run([options.mco, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        load = " ".join("%.2f" % x for x in os.getloadavg())
        print("# %s, %d processors, load at the start %s" % (processor(), os.cpu_count(), load), file=self.file)
        print("# %s" % version, file=self.file)
        print("# %s" % " ".join(os.path.basename(a) if i == 0 else a for i, a in enumerate(sys.argv)), file=self.file)
        self.writer = csv.writer(self.file, lineterminator="\n")
        self.row(*columns)

    def row(self, *values):
        shown = ["%.4g" % v if isinstance(v, float) else v for v in values]
        self.writer.writerow(shown)
        self.file.flush()
        if self.file is not sys.stdout:
            print(*shown, sep=",", flush=True)

    def note(self, text):
        print("# " + text, file=self.file, flush=True)
        if self.file is not sys.stdout:
            print("# " + text, flush=True)
