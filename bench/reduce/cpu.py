#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the cpu engine of the reduction with plain reading of as many bytes by as many threads, in turn."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mco", default="build/mco", help="the command to measure")
    parser.add_argument("--output", help="CSV file; standard output without it")
    parser.add_argument("--count", type=int, default=1 << 28, help="elements of 4 bytes")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    out = open(options.output, "w") if options.output else sys.stdout
    version = subprocess.run([options.mco, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    load = " ".join("%.2f" % x for x in os.getloadavg())
    print("# %d processors, load at the start %s\n# %s" % (os.cpu_count(), load, version), file=out)
    print("op,type,threads,read_GB_s,reduce_GB_s,share", file=out)
    with tempfile.TemporaryDirectory() as folder:
        reader, result = os.path.join(folder, "read"), os.path.join(folder, "result.json")
        subprocess.run(["cc", "-O3", "-o", reader, os.path.join(HERE, "read_bandwidth.c"), "-lpthread"], check=True)
        for op, kind in (("sum", "f32"), ("sum", "i32"), ("min", "f32"), ("argmin", "f32")):
            pairs = []
            for _ in range(options.rounds):
                done = subprocess.run([reader, str(4 * options.count), str(options.threads), "9"], capture_output=True,
                                      text=True, check=True)
                subprocess.run([options.mco, "reduce", "run", "--op", op, "--type", kind, "--count", str(options.count),
                                "--seed", "1", "--engine", "cpu", "--threads", str(options.threads), "--repeat", "9",
                                "--check", "off", "--json", result], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=True)
                with open(result) as file:
                    rate = json.load(file)["counters"]["bytes_per_s"] * 1e-9
                pairs.append((float(done.stdout), rate))
            read, reduce = (statistics.median(p[i] for p in pairs) for i in (0, 1))
            share = statistics.median(b / a for a, b in pairs)
            print("%s,%s,%d,%.2f,%.2f,%.3f" % (op, kind, options.threads, read, reduce, share), file=out, flush=True)


main()
