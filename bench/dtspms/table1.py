#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Table 1 of Milanes and Lokketangen beside this machine: time of a complete 3-exchange evaluation of one fixed loading
plan, 66 orders, 3 stacks of 22. That is 91,520 moves, 183,040 tours.

The published columns are milliseconds of a GeForce GTX 690 (both of its GPUs) and of sequential code on one core of an
Intel Core i7 at 2.67 GHz. Ours are solve_s, wall clock with the copies to and from a GPU; kernels_ms is the GPU's part
of it. Their plan is not published. This does not matter, because the work is the same for every plan.
"""
import fnmatch
import sys

from measure import Refused, Writer, best_of, engines, load, median_s, neighbourhoods, parser

# Instance: GPU and CPU milliseconds as printed.
PUBLISHED = {
    "R00": ("586.33", "63313.46"), "R01": ("587.74", "63340.14"), "R02": ("586.99", "63193.46"),
    "R03": ("588.07", "63227.28"), "R04": ("583.93", "63311.6"), "R05": ("592.70", "63279.36"),
    "R06": ("585.71", "63339.7"), "R07": ("591.98", "63232.8"), "R08": ("584.57", "63283.2"),
    "R09": ("586.78", "63274.86"), "R10": ("589.87", "63305.08"), "R11": ("587.20", "63286.28"),
    "R12": ("585.57", "63296.2"), "R13": ("592.89", "63255.26"), "R14": ("583.10", "63299.76"),
    "R15": ("588.94", "63244.72"), "R16": ("592.53", "63268.9"), "R17": ("588.50", "63265.48"),
    "R18": ("583.53", "63273.02"), "R19": ("590.53", "63279.12"),
}
ORDERS, TOURS = 66, 183040


def columns(names):
    made = ["instance", "gpu_published_ms", "cpu_published_ms"]
    for engine in names:
        made += [engine + "_ms", engine + "_ratio"]
    if "gpu" in names:
        made.append("kernels_ms")
    return made + ["tours", "tours_skipped", "best_cost", "best_move", "load_before"]


def measure(options, writer, name):
    """Times of all engines, and the best move that all of them found."""
    before, times, kernels, seen = load(), [], [], []
    for engine in options.engines:
        try:
            results = neighbourhoods(options, engine, name, "--orders", ORDERS, "--plan-seed", options.plan_seed, "--reuse",
                                     options.reuse)
        except Refused as refused:
            writer.note("%s, %s: %s" % (name, engine, refused))
            times += [None, None]
            kernels += [None] * (engine == "gpu")
            continue
        seen.append(results[0])
        ours = 1000 * median_s(results)
        times += [ours, float(PUBLISHED[name][0 if engine == "gpu" else 1]) / ours]
        if engine == "gpu":
            kernels.append(1000 * median_s(results, "device_s"))
    if not seen:
        return
    assert len({best_of(r) for r in seen}) == 1, name
    done, skipped = (seen[-1]["counters"][key] for key in ("tours", "tours_skipped"))
    assert options.reuse == "on" or done == TOURS, (name, done)
    writer.row(name, *PUBLISHED[name], *times, *kernels, done, skipped, *best_of(seen[0]), before)


def main():
    made = parser(__doc__, runs=5)
    made.add_argument("--rows", default="*", help="instances, comma separated, * stands for anything")
    made.add_argument("--plan-seed", type=int, default=1, help="seed of the plan (1)")
    made.add_argument("--reuse", choices=["off", "on"], default="off", help="as the option of the command (off)")
    options = made.parse_args()
    options.engines = engines(options)
    chosen = [name for name in PUBLISHED if any(fnmatch.fnmatch(name, row) for row in options.rows.split(","))]
    if not chosen:
        sys.exit("--rows %s: none of R00 to R19 fits" % options.rows)
    writer = Writer(options, columns(options.engines))
    writer.note("ratios: the published GPU over our GPU, the published core over our other engines; median of %d runs"
                % options.runs)
    for name in chosen:
        measure(options, writer, name)


main()
