#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Multiplies the capacities of some links of a TNTP network: edit_capacities.py IN OUT [--share 0.01] [--factor 0.8] [--seed 1]

The links are drawn at random, as many as the share says, rounded up. All other text stays as it is. IN may end in .gz."""
import argparse, math, random
from networks import text_of


def edited(text, share, factor, seed):
    """The text of the network with new capacities, and the number of links changed."""
    lines = text.splitlines(keepends=True)
    begin = next(i for i, line in enumerate(lines) if "<END OF METADATA>" in line) + 1
    links = [i for i in range(begin, len(lines)) if lines[i].split() and lines[i].split()[0].isdigit()]
    chosen = random.Random(seed).sample(links, math.ceil(share * len(links)))
    for i in chosen:
        words = lines[i].split()
        words[2] = repr(float(words[2]) * factor)
        lines[i] = "\t" + "\t".join(words) + "\n"
    return "".join(lines), len(chosen)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("source"), p.add_argument("target"), p.add_argument("--share", type=float, default=0.01)
    p.add_argument("--factor", type=float, default=0.8), p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    text, changed = edited(text_of(a.source), a.share, a.factor, a.seed)
    with open(a.target, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{changed} capacities times {a.factor:g}")


if __name__ == "__main__":
    main()
