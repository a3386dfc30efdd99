#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts chordless cycles by networkx and igraph beside mco: python3 bench/cycles/peers.py MCO [--limit S] [--csv F]

networkx has chordless_cycles(), an implementation of Dias et al. in Python. igraph 1.0 has none: its simple cycles are listed
and those without a chord are kept. Each run has a time limit; what does not end within it is a row without a count. The time
of mco is the solve of one thread, in the result file."""
import argparse, csv, json, multiprocessing, subprocess, sys, tempfile, time

GRAPHS = [("grid 4x10", ["--grid", "4x10"]), ("grid 5x6", ["--grid", "5x6"]), ("grid 5x10", ["--grid", "5x10"]),
          ("grid 6x6", ["--grid", "6x6"]), ("grid 6x10", ["--grid", "6x10"]), ("grid 7x10", ["--grid", "7x10"]),
          ("K_8,8", ["--complete-bipartite", "8,8"]), ("K_50,50", ["--complete-bipartite", "50,50"]),
          ("wheel 100", ["--wheel", "100"]), ("C_100", ["--cycle", "100"])]


def edges_of(mco, shape):
    """Reads the edges that the command generates."""
    text = subprocess.run([mco, "cycles", "generate", *shape], check=True, capture_output=True, text=True).stdout
    return [tuple(int(word) for word in line.split()[:2]) for line in text.splitlines() if line and line[0].isdigit()]


def by_networkx(edges):
    import networkx
    return sum(len(cycle) > 3 for cycle in networkx.chordless_cycles(networkx.Graph(edges)))


def by_igraph(edges):
    import igraph
    graph = igraph.Graph(edges=edges)
    neighbours = [set(graph.neighbors(v)) for v in range(graph.vcount())]
    def is_chordless(cycle):
        return len(cycle) > 3 and all(len(neighbours[v] & cycle) == 2 for v in cycle)
    return sum(is_chordless(set(cycle)) for cycle in graph.simple_cycles())


def run(count, edges, queue):
    begin = time.process_time()
    queue.put((count(edges), time.process_time() - begin))


def timed(count, edges, limit):
    """The count and the CPU seconds; None where the limit ended it."""
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=run, args=(count, edges, queue))
    process.start()
    try:
        return queue.get(timeout=limit)
    except Exception:
        return None
    finally:
        process.terminate()
        process.join()


def by_mco(mco, shape):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([mco, "cycles", "count", *shape, "--threads", "1", "--quiet", "--json", out.name], check=True,
                       stdout=subprocess.DEVNULL)
        result = json.load(open(out.name, encoding="utf-8"))
    return result["counters"]["cycles"], result["time"]["solve_s"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("--limit", type=float, default=60), p.add_argument("--csv")
    a = p.parse_args()
    rows = [["graph", "cycles", "mco_s", "networkx_s", "igraph_s"]]
    for name, shape in GRAPHS:
        edges = edges_of(a.mco, shape)
        cycles, seconds = by_mco(a.mco, shape)
        row = [name, cycles, f"{seconds:.6f}"]
        for peer in by_networkx, by_igraph:
            answer = timed(peer, edges, a.limit)
            if answer is not None and answer[0] != cycles:
                sys.exit(f"{name}: {peer.__name__} counts {answer[0]}, mco {cycles}")
            row.append(f"{answer[1]:.4f}" if answer is not None else "")
        rows.append(row)
        print(*row, sep="\t", flush=True)
    if a.csv:
        with open(a.csv, "w", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
