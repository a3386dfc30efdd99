#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of one pass by engine beside tables 5.1 to 5.4 of Strappaveccia (2015): q-routes and through-q-routes, symmetric and
asymmetric, and ng-routes by size of the sets.

tables.py MCO DATA OUT.csv [--tables 5.1,5.3] [--engines cpu,gpu] [--threads T] [--sizes 8,10] [--repeat N] [--gpus 0,1] [--only NAME] [--head TEXT]

DATA is the folder with small/<instance>.vrp. Instances of table 5.1 follow the rule of Li, Golden and Wasil (2005). Those of tables
5.2 and 5.4 are random matrices of the published sizes: the published files are not at hand. Sets F and M are left out where DATA lacks
them. A row has the least time of N passes, transfers included; through-q has the q pass in it. Published times are of a core of an
i7-4820K and of a GTX TITAN."""
import argparse, csv, json, math, os, random, subprocess, sys, tempfile

# nodes, capacity, positions on a ring, rings, published seconds: CPU q, CPU q + through-q, GPU q, GPU q + through-q
SYMMETRIC = [(560, 1200, 40, 14, 1.045, 3.370, 0.140, 0.350), (600, 900, 60, 10, 0.874, 2.185, 0.101, 0.228),
             (640, 1400, 40, 16, 1.576, 6.271, 0.177, 0.461), (720, 1500, 40, 18, 2.215, 8.892, 0.251, 0.614),
             (760, 900, 76, 10, 1.857, 4.197, 0.162, 0.311), (800, 1700, 40, 20, 4.805, 16.302, 0.362, 0.873),
             (840, 900, 84, 10, 3.027, 5.959, 0.209, 0.373), (880, 1800, 40, 22, 7.004, 22.245, 0.486, 1.113),
             (960, 2000, 40, 24, 10.046, 33.399, 0.628, 1.465), (1040, 2100, 40, 26, 13.166, 42.806, 0.869, 1.862),
             (1120, 2300, 40, 28, 16.832, 56.986, 1.061, 2.336), (1200, 2500, 40, 30, 21.092, 73.118, 1.328, 2.935)]
# name, nodes, capacity, the same times
ASYMMETRIC = [("A034-02f", 34, 1000, 0.008, 0.039, 0.024, 0.031), ("A036-03f", 36, 1000, 0.015, 0.031, 0.024, 0.031),
              ("A039-03f", 39, 1000, 0.015, 0.046, 0.026, 0.033), ("A045-03f", 45, 1000, 0.015, 0.062, 0.026, 0.034),
              ("A048-03f", 48, 1000, 0.016, 0.063, 0.025, 0.035), ("A056-03f", 56, 1000, 0.015, 0.078, 0.026, 0.037),
              ("A065-03f", 65, 1000, 0.016, 0.109, 0.026, 0.039), ("A071-03f", 71, 1000, 0.031, 0.109, 0.026, 0.040),
              ("Balman859-1000", 859, 1000, 6.100, 9.126, 0.393, 0.515), ("Balman859-2000", 859, 2000, 13.385, 30.498, 0.791, 1.292)]
SIZES = (8, 10, 12, 13, 14)
# Published seconds by size of the sets: CPU, GPU.
NG = {"A-n62-k8": ((.047, .093, .281, .421, .717), (.004, .007, .021, .047, .080)), "A-n63-k10": ((.047, .094, .234, .359, .546), (.003, .007, .020, .046, .070)),
      "A-n64-k9": ((.047, .093, .249, .375, .515), (.003, .007, .021, .034, .066)), "A-n80-k10": ((.078, .187, .484, .733, 1.061), (.005, .012, .036, .067, .113)),
      "B-n50-k8": ((.031, .094, .296, .484, .827), (.003, .007, .024, .042, .095)), "B-n68-k9": ((.094, .234, .639, .842, 1.373), (.006, .021, .068, .088, .167)),
      "B-n78-k10": ((.110, .343, .998, 1.482, 2.511), (.010, .032, .109, .199, .290)), "E-n51-k5": ((.063, .125, .359, .593, .920), (.004, .008, .025, .062, .084)),
      "E-n76-k7": ((.156, .421, 1.279, 2.043, 3.260), (.010, .026, .081, .194, .305)), "E-n76-k8": ((.125, .296, .921, 1.420, 2.215), (.008, .019, .071, .139, .222)),
      "E-n76-k10": ((.078, .187, .530, .811, 1.216), (.005, .012, .036, .067, .124)), "E-n76-k14": ((.031, .078, .203, .297, .390), (.003, .006, .018, .044, .065)),
      "E-n101-k8": ((.272, .795, 2.371, 3.619, 5.523), (.017, .046, .182, .306, .528)), "E-n101-k14": ((.110, .280, .765, 1.108, 1.623), (.007, .018, .061, .098, .170)),
      "F-n135-k7": ((9.516, 30.342, 91.853, None, None), (.480, 1.634, 5.694, None, None)), "M-n121-k7": ((.671, 2.169, 9.345, 19.407, 38.876), (.045, .246, 1.203, 2.710, 5.731)),
      "M-n151-k12": ((.577, 1.591, 4.181, 6.692, 10.358), (.034, .099, .323, .556, .978)), "M-n200-k16": ((.983, 2.901, 7.301, 10.905, 15.928), (.064, .198, .611, .956, 1.524)),
      "M-n200-k17": ((.998, 2.902, 7.332, 10.888, 15.943), (.064, .197, .617, .966, 1.527)), "P-n50-k8": ((.031, .047, .109, .171, .250), (.002, .005, .012, .024, .044)),
      "P-n70-k10": ((.047, .125, .359, .530, .749), (.004, .009, .035, .048, .089))}
ASYMMETRIC_NG = {"A034-02f": ((.422, 1.045, 3.151, 5.055, 8.096), (.022, .035, .086, .128, .199)), "A036-03f": ((.406, 1.014, 3.230, 4.711, 7.629), (.023, .037, .086, .127, .194)),
                 "A039-03f": ((.406, 1.185, 3.417, 5.289, 8.205), (.024, .038, .091, .146, .221)), "A045-03f": ((.546, 1.404, 4.259, 6.942, 12.137), (.027, .053, .138, .238, .443)),
                 "A048-03f": ((.671, 1.809, 5.835, 9.625, 18.205), (.030, .079, .239, .427, .956)), "A056-03f": ((.905, 2.730, 7.784, 14.367, 21.918), (.041, .114, .331, .687, 1.102)),
                 "A065-03f": ((1.154, 3.213, 9.423, 15.398, 25.365), (.053, .122, .398, .720, 1.298)), "A071-03f": ((1.326, 3.869, 11.684, 19.625, 30.639), (.057, .160, .572, 1.109, 1.813))}

def write_vrp(path, name, capacity, demands, places=None, matrix=None):
    with open(path, "w") as f:
        f.write(f"NAME : {name}\nTYPE : {'CVRP' if places else 'ACVRP'}\nDIMENSION : {len(demands)}\nCAPACITY : {capacity}\n")
        if places:
            f.write("EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n")
            f.writelines(f"{i + 1} {x:.6f} {y:.6f}\n" for i, (x, y) in enumerate(places))
        else:
            f.write("EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n")
            f.writelines(" ".join(map(str, row)) + "\n" for row in matrix)
        f.write("DEMAND_SECTION\n")
        f.writelines(f"{i + 1} {d}\n" for i, d in enumerate(demands))
        f.write("DEPOT_SECTION\n1\n-1\nEOF\n")

# Rings around the depot; demand 30 at every third and fourth place of four, 10 at the others.
def li(path, name, capacity, around, rings):
    places, demands = [(0, 0)], [0]
    for k in range(1, rings + 1):
        for i in range(1, around + 1):
            places.append((30 * k * math.cos(2 * math.pi * (i - 1) / around), 30 * k * math.sin(2 * math.pi * (i - 1) / around)))
            demands.append(30 if i % 4 in (2, 3) else 10)
    write_vrp(path, name, capacity, demands, places=places)

# Places in a square, each way up to a fifth longer; demands without a common divisor.
def asymmetric(path, name, nodes, capacity):
    rng = random.Random(nodes)
    places = [(rng.randrange(1000), rng.randrange(1000)) for _ in range(nodes)]
    matrix = [[0 if i == j else round(math.dist(a, b) * (1 + rng.random() / 5)) for j, b in enumerate(places)] for i, a in enumerate(places)]
    demands = [0] + [rng.randint(20, 200) for _ in range(nodes - 1)]
    demands[1] = 101
    write_vrp(path, name, capacity, demands, matrix=matrix)

def measure(a, path, relaxation, size, engine, folder):
    out = os.path.join(folder, "r.json")
    command = [a.mco, "vrp", "relax", path, "--relaxation", relaxation, "--ng-size", str(size), "--engine", engine, "--repeat", str(a.repeat),
               "--json", out, "--quiet"] + (["--threads", str(a.threads)] if a.threads else []) + (["--gpus", a.gpus] if a.gpus and engine == "gpu" else [])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr.strip()[-200:], file=sys.stderr)
        return None
    return json.load(open(out))

def rows_of(a, table, folder):
    if table == "5.1":
        for nodes, capacity, around, rings, cpu_q, cpu_both, gpu_q, gpu_both in SYMMETRIC:
            path = os.path.join(folder, f"V{nodes}-{capacity}.vrp")
            li(path, f"V{nodes}-{capacity}", capacity, around, rings)
            yield path, "q", 0, cpu_q, gpu_q
            yield path, "through-q", 0, cpu_both, gpu_both
    if table == "5.2":
        for name, nodes, capacity, cpu_q, cpu_both, gpu_q, gpu_both in ASYMMETRIC:
            path = os.path.join(folder, name + ".vrp")
            asymmetric(path, name, nodes, capacity)
            yield path, "q", 0, cpu_q, gpu_q
            yield path, "through-q", 0, cpu_both, gpu_both
    if table == "5.3":
        for name, (cpu, gpu) in NG.items():
            path = os.path.join(a.data, "small", name + ".vrp")
            for k, size in enumerate(SIZES):
                if size in a.sizes and os.path.exists(path):
                    yield path, "ng", size, cpu[k], gpu[k]
    if table == "5.4":
        for name, nodes, capacity, *_ in ASYMMETRIC[:8]:
            path = os.path.join(folder, name + ".vrp")
            asymmetric(path, name, nodes, capacity)
            for k, size in enumerate(SIZES):
                if size in a.sizes:
                    yield path, "ng", size, ASYMMETRIC_NG[name][0][k], ASYMMETRIC_NG[name][1][k]

def main():
    p = argparse.ArgumentParser()
    p.add_argument("mco"), p.add_argument("data"), p.add_argument("out")
    p.add_argument("--tables", default="5.1,5.2,5.3,5.4"), p.add_argument("--engines", default="cpu")
    p.add_argument("--threads", type=int, default=0), p.add_argument("--sizes", default="8,10,12,13,14")
    p.add_argument("--repeat", type=int, default=5), p.add_argument("--head", default="")
    p.add_argument("--gpus", default="", help="that passes use"), p.add_argument("--only", default="", help="the instances whose names begin so")
    a = p.parse_args()
    a.sizes = [int(s) for s in a.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder, open(a.out, "w") as f:
        f.write(f"# {a.head}\n# tables.py --tables {a.tables} --engines {a.engines} --threads {a.threads} --repeat {a.repeat}{' --gpus ' + a.gpus if a.gpus else ''}\n")
        w = csv.writer(f, lineterminator="\n")
        w.writerow("table instance customers capacity relaxation ng_size engine threads pass_s published_cpu_s published_gpu_s transitions_per_s value digest".split())
        for table in a.tables.split(","):
            for path, relaxation, size, cpu, gpu in rows_of(a, table, folder):
                if not os.path.basename(path).startswith(a.only):
                    continue
                for engine in a.engines.split(","):
                    r = measure(a, path, relaxation, size or 8, engine, folder)
                    if r is None:
                        continue
                    c, s = r["counters"], r["problem"]["sizes"]
                    w.writerow([table, r["problem"]["name"], s["customers"], f"{s['capacity']:g}", relaxation, size or "", engine, r["engine"]["threads"],
                                f"{c['pass_s']:.6f}", cpu or "", gpu or "", f"{c['transitions_per_s']:.4g}", c["value"], c["digest"]])
                    f.flush()

main()
