#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rates of complete neighbourhoods: 33, 66 and 132 orders on 3 stacks, swaps and exchanges of three, by every engine,
with and without reuse.

A rate is over solve_s: wall clock with the copies to and from a GPU. kernel_relaxations_per_s is over device_s. With
reuse, compare moves per second: tours that a bound rules out are not evaluated.
"""
from measure import Refused, Writer, best_of, engines, load, median_s, neighbourhoods, parser

COLUMNS = ["instance", "orders", "move", "reuse", "engine", "threads", "simd", "lane_bits", "moves", "tours",
           "tours_skipped", "relaxations", "runs", "solve_s", "solve_s_min", "solve_s_max", "device_s", "moves_per_s",
           "tours_per_s", "relaxations_per_s", "kernel_relaxations_per_s", "best_cost", "load_before"]


def measure(options, writer, orders, move, reuse, engine):
    before = load()
    try:
        results = neighbourhoods(options, engine, options.instance, "--orders", orders, "--move", move, "--reuse", reuse,
                                 "--plan-seed", options.plan_seed)
    except Refused as refused:
        writer.note("%d orders, %s, %s: %s" % (orders, move, engine, refused))
        return None
    first = results[0]
    counters, times = first["counters"], [r["time"]["solve_s"] for r in results]
    seconds, device = median_s(results), median_s(results, "device_s")
    writer.row(options.instance, orders, move, reuse, engine, first["engine"]["threads"], counters["simd"],
               counters["lane_bits"], counters["moves"], counters["tours"], counters["tours_skipped"],
               counters["relaxations"], len(results), seconds, times[0], times[-1], device, counters["moves"] / seconds,
               counters["tours"] / seconds, counters["relaxations"] / seconds,
               counters["relaxations"] / device if device else None, best_of(first)[0], before)
    return best_of(first)


def main():
    made = parser(__doc__, runs=5)
    made.add_argument("--instance", default="R00", help="R00 to R19 (R00)")
    made.add_argument("--sizes", default="33,66,132", help="orders, comma separated (33,66,132)")
    made.add_argument("--moves", default="swap,3-exchange", help="of these (swap,3-exchange)")
    made.add_argument("--reuse", default="off,on", help="of these (off,on)")
    made.add_argument("--plan-seed", type=int, default=1, help="seed of the plan (1)")
    options = made.parse_args()
    writer = Writer(options, COLUMNS)
    for orders in map(int, options.sizes.split(",")):
        for move in options.moves.split(","):
            found = {measure(options, writer, orders, move, reuse, engine) for engine in engines(options)
                     for reuse in options.reuse.split(",")}
            assert len(found - {None}) <= 1, (orders, move, found)


main()
