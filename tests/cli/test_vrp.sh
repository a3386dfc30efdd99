# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco vrp: instances of all kinds; solutions that `check` accepts and refuses; whole neighbourhoods; ends of a search;
# refusals.

# Two pairs of customers, 10 to the right and 10 to the left of the depot; the optimum is 42 = 2 (10 + 1 + 10).
small_instance() {
    cat << 'END'
NAME : small
COMMENT : two pairs of neighbours
TYPE : CVRP
DIMENSION : 5
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 2
NODE_COORD_SECTION
1 0 0
2 10 0
3 10 1
4 -10 0
5 -10 1
DEMAND_SECTION
1 0
2 1
3 1
4 1
5 1
DEPOT_SECTION
1
-1
EOF
END
}

# members FILE MEMBER...: the file must be JSON and hold these members; "a.b" is member b of a.
members() {
    command -v python3 > /dev/null || return 0
    python3 - "$@" 2> why << 'END' || fail "$1: $(tail -n 1 why)"
import json, sys
whole = json.load(open(sys.argv[1]))
for path in sys.argv[2:]:
    value = whole
    for key in path.split("."):
        value = value[key]
END
}

# expect_valid FILE INSTANCE...: `check` must accept the file, at the cost of r.json.
expect_valid() {
    local file=$1
    shift
    expect 0 "$MCO" vrp check "$@" "$file"
    expect_text out "valid: cost $(json r.json objective), "
}

# moves FILE: the counter `moves`; the option of this name stands before it in the file.
moves() {
    sed -n 's/^ *"moves": \([0-9]*\),$/\1/p' "$1"
}

# expect_moves NUMBER: n.json must hold this number.
expect_moves() {
    [ "$(moves n.json)" = "$1" ] || fail "moves is $(moves n.json) instead of $1 in n.json"
}

all_files() {
    expect 0 "$MCO" vrp solve small.vrp --distance rounded --engine cpu --time-limit 30 --iterations 500 --seed 5 --threads 1 \
        --target 42 --vehicles 2 --lower-bound 40 --json r.json --solution s.sol --plot p.svg --history h.csv
    expect_text err "   time s  found by            cost          bound      gap   routes  iterations/s"
    grep -Eq '^ +[0-9.]+  savings +42 +40   4.762% +2 +[0-9.e+]+$' err || fail "the log does not tell of cost 42 by savings"
    expect_text out "small, 4 customers, capacity 2, at most 2 vehicles, distances rounded"
    expect_text out "outcome    feasible (target)"
    expect_text out "cost       42"
    expect_text out "bound      40   gap 4.762%"
    expect_text p.svg "small: cost 42, gap 4.76 %</text>"
    expect_text p.svg ", no solution costs less than 40</text>"
    expect_text out "routes     2, 100.0% loaded, the longest 21"
    expect_text out "iterations "
    expect_text out "engine cpu (1 thread"
    expect_text out "route       load     length  customers"
    members r.json schema tool.git problem.kind problem.sizes.max_length options.start engine.devices time.wall_s time.cpu_s \
        counters.iterations counters.routes counters.start_cost counters.scale counters.simd history solution.routes \
        solution.loads solution.lengths check.ok check.objective
    expect_json r.json kind '"vrp"'
    expect_json r.json customers 4
    expect_json r.json vehicles 2
    expect_json r.json max_length null
    expect_json r.json outcome '"feasible"'
    expect_json r.json stop '"target"'
    expect_json r.json objective 42
    expect_json r.json bound 40
    expect_json r.json distance '"rounded"'
    expect_json r.json scale 1
    expect_json r.json seed 5
    expect_json r.json max-length null
    expect_json r.json ok true
    expect_text p.svg "<svg"
    expect_text p.svg "</svg>"
    [ "$(head -n 1 h.csv)" = "time_s,cost,bound" ] || fail "the history begins with $(head -n 1 h.csv)"
    tail -n 1 h.csv | grep -q ',42,40$' || fail "the history does not end with cost 42 and bound 40"
    expect_json r.json routes 2
    expect_text s.sol "Route #1:"
    expect_text s.sol "Cost 42"
    expect_valid r.json small.vrp
    expect_valid s.sol small.vrp --vehicles 2
    INPUT=r.json expect_valid - small.vrp
    local left
    left=$(find . -name '*.tmp-*')
    [ -z "$left" ] || fail "left behind: $left"
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 --json r.json --solution s.csv --history h.csv --quiet
    tail -n 1 h.csv | grep -q ',42,$' || fail "the history does not end with cost 42 and no bound"
    if [ -s err ]; then fail "--quiet is not quiet"; fi
    expect_valid s.csv small.vrp
}

# Real distances are scaled: 10 + 1 + sqrt(101), twice.
distances() {
    expect 0 "$MCO" vrp solve small.vrp --distance real --engine cpu --iterations 200 --json r.json --solution s.sol
    expect_text err "distances are real"
    expect_json r.json distance '"real"'
    [ "$(json r.json scale)" -gt 1 ] || fail "real distances are not scaled"
    awk -v c="$(json r.json objective)" 'BEGIN { exit !(c > 42.099 && c < 42.101) }' || fail "cost $(json r.json objective)"
    expect_text out "cost       42.09"
    expect 0 "$MCO" vrp check small.vrp s.sol --distance real
    expect_text out "valid: cost 42.09"
    expect 1 "$MCO" vrp check small.vrp s.sol
    expect_text err "the solution costs 42 with --distance rounded, its file says 42.09"
    expect 1 "$MCO" vrp check small.vrp s.sol --distance real --max-length 21
    expect_text err "21"
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 --capacity 4 --json r.json
    expect_json r.json objective 42
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 --service-time 10 --max-length 41 --json r.json
    expect_json r.json objective 42
    expect_text out "routes up to 41"
    expect_text out "the longest 41"
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 --service-time 10 --max-length 40 --json r.json
    expect_json r.json objective 80
}

# The reference: savings, then sweeps of 2-opt to a local optimum.
reference() {
    expect 0 "$MCO" vrp solve small.vrp --engine reference --json r.json
    expect_json r.json objective 42
    expect_json r.json stop '"finished"'
    expect_json r.json name '"small"'
    expect_text out "engine reference (1 thread)"
}

# With --iterations, equal seeds and numbers of threads give equal bytes.
repeatable() {
    local options file
    while read -r options; do
        for file in first.sol second.sol; do
            # shellcheck disable=SC2086
            expect 0 "$MCO" vrp solve g200.vrp --engine cpu --iterations 3000 $options --solution "$file" --json r.json
            expect_json r.json stop '"iterations"'
            expect_valid "$file" g200.vrp
        done
        cmp -s first.sol second.sol || fail "$options gives two solutions"
    done << 'END'
--threads 1 --seed 3
--threads 2 --seed 3
--threads 3 --seed 4
END
}

generated() {
    local demand size="--customers 200 --depot c --placement rc --demand 1-100 --route-size 8"
    # shellcheck disable=SC2086
    {
        expect 0 "$MCO" vrp generate $size --seed 5 --output g200.vrp
        expect 0 "$MCO" vrp generate $size --seed 5
        cmp -s out g200.vrp || fail "two generated instances of one seed differ"
        expect 0 "$MCO" vrp generate $size --seed 6
        if cmp -s out g200.vrp; then fail "two seeds give one instance"; fi
    }
    for demand in unit 1-10 5-10 50-100 quadrant many-small; do
        expect 0 "$MCO" vrp generate --customers 30 --depot e --placement c --demand "$demand" --max-length 5000 --output g.vrp
        expect 0 "$MCO" vrp solve g.vrp --engine cpu --iterations 50 --json r.json --solution s.sol
        expect_json r.json max_length 5000
        expect_valid s.sol g.vrp
    done
    expect 0 "$MCO" vrp generate --giant-tour-nodes 61 --route-size 6 --seed 2 --output giant.vrp
    expect 0 "$MCO" vrp neighbourhood giant.vrp --type 2opt --engine reference --sweeps 1 --json n.json
    expect_json n.json tour_nodes 61
    expect_moves 1770
    expect 2 "$MCO" vrp generate
    expect_text err "none of --customers and --giant-tour-nodes is given, one was expected"
    expect 2 "$MCO" vrp generate --customers 10 --giant-tour-nodes 20
    expect_text err "each of --customers and --giant-tour-nodes is given, one was expected"
    expect 2 "$MCO" vrp generate 10
    expect_text err "usage: mco vrp generate --customers N | --giant-tour-nodes T"
    expect 2 "$MCO" vrp generate --customers 10 --depot x
    expect 3 "$MCO" vrp generate --customers 10 --output no/such/folder/g.vrp
}

# Instances from the other sources: standard input, CSV with names, gzip.
sources() {
    INPUT=small.vrp expect 0 "$MCO" vrp solve - --engine cpu --iterations 100 --json r.json
    expect_json r.json objective 42
    cat > names.csv << 'END'
name,x,y,demand
depot,0,0,0
Aarhus,10,0,1
"Bilbao, E",10,1,1
END
    expect 0 "$MCO" vrp solve names.csv --capacity 2 --engine cpu --iterations 50 --json r.json --solution s.sol
    expect_json r.json objective 21
    expect_text out "Bilbao, E"
    expect_valid s.sol names.csv --capacity 2
    command -v gzip > why || return 0
    gzip -c small.vrp > small.vrp.gz
    expect 0 "$MCO" vrp solve small.vrp.gz --engine cpu --iterations 50 --json r.json
    expect_json r.json objective 42
}

# Names that are numbers of other rows, and names with blanks: what is written says which it holds, and reads back.
ids() {
    cat > ids.csv << 'END'
capacity,2
name,x,y,demand
depot,0,0,
101,10,0,1
3,10,1,1
2,-10,0,1
"Bilbao, E",-10,1,1
END
    expect 0 "$MCO" vrp solve ids.csv --engine cpu --iterations 100 --json r.json --solution s.sol
    expect_text out "customers by name"
    expect_text out '"Bilbao, E"'
    [ "$(head -n 1 s.sol)" = "# ids: rows, the first customer's is 1; names stand in comments" ] || fail "s.sol begins otherwise"
    grep -Eq '^# names: (101 3|3 101)$' s.sol || fail "s.sol lacks the names of a route"
    expect_text s.sol '"Bilbao, E"'
    grep -Eq '^ *\["101", "3"\]|^ *\["3", "101"\]' r.json || fail "r.json lacks the names of a route"
    local file
    expect 0 "$MCO" vrp solve ids.csv --engine cpu --iterations 0 --start r.json --solution s.csv
    [ "$(head -n 1 s.csv)" = "route,stop,customer,name,load,distance" ] || fail "s.csv begins otherwise"
    for file in r.json s.sol s.csv; do
        expect_valid "$file" ids.csv
        if grep -q warning err; then fail "a warning about $file"; fi
        expect 0 "$MCO" vrp solve ids.csv --engine cpu --iterations 0 --start "$file"
        expect_text out "cost       42"
    done
    # By hand: names where the file says so, else rows, with a warning where a name is meant perhaps.
    printf '# ids: names\nRoute #1: 101 3\nRoute #2: "Bilbao, E" 2\n' > hand.sol
    expect_valid hand.sol ids.csv
    printf 'Route #1: 101 3\n' > hand.sol
    expect 1 "$MCO" vrp check ids.csv hand.sol
    expect_text err 'hand.sol:1:11: the customer is 101, allowed is 1 to 4; numbers are rows'
    printf 'Route #1: 1 3\nRoute #2: 2 4\n' > hand.sol
    expect 0 "$MCO" vrp check ids.csv hand.sol
    expect_text err 'warning: hand.sol:1:13: 3 is read as the number of a row, and row 2 has it as its name'
    # The rows of the instance have changed since the files were written.
    { head -n 3 ids.csv; tail -n 2 ids.csv; sed -n '4,5p' ids.csv; } > moved.csv
    for file in r.json s.csv; do
        expect 1 "$MCO" vrp check moved.csv "$file"
        expect_text err "the rows of the instance have changed"
    done
    sed 's/^3,/2,/' ids.csv > twice.csv
    expect 3 "$MCO" vrp solve twice.csv --iterations 10
    expect_text err 'twice.csv:6:1: the name "2" stands in line 5 and in line 6'
}

# Distances that rounding takes away, and latitudes and longitudes.
degrees() {
    cat > degrees.csv << 'END'
capacity,2
name,x,y,demand
depot,13.405,52.52,
A,13.377,52.516,1
B,13.41,52.523,1
END
    expect 0 "$MCO" vrp solve degrees.csv --engine cpu --iterations 10
    expect_text out "cost       0"
    expect_text err "warning: rounding to integers changes the distances by 100 % and makes most of them 0; --distance real keeps"
    expect 0 "$MCO" vrp solve degrees.csv --engine cpu --iterations 10 --distance geo --json r.json --solution s.sol --plot p.svg
    expect_text err "x is the longitude, y the latitude, in decimal degrees; metres on a sphere"
    expect_text out "distances geo"
    expect_json r.json objective 4786
    expect_valid r.json degrees.csv
    expect_valid s.sol degrees.csv --distance geo
    sed 's/,x,y,/,longitude,latitude,/' degrees.csv > places.csv
    expect 0 "$MCO" vrp solve places.csv --engine cpu --iterations 10 --json r.json
    expect_json r.json objective 4786
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 10
    if grep -q warning err; then fail "a warning without a reason"; fi
    sed 's/EUC_2D/GEO/; s/^2 10 0/2 10.75 0/' small.vrp > geo.vrp
    expect 0 "$MCO" vrp solve geo.vrp --engine cpu --iterations 10
    expect_text err "warning: GEO coordinates are degrees and minutes, DDD.MM: 10.75 of customer 1 has 75 minutes"
    expect 0 "$MCO" vrp solve geo.vrp --engine cpu --iterations 10 --distance geo
    if grep -q warning err; then fail "a warning about decimal degrees"; fi
}

# A CSV file that holds all of the instance: limits, decimals, a matrix.
whole_files() {
    printf 'capacity;7,5\nvehicles;2\nmax-length;60,5\nname;x;y;demand\nd;0;0;\na;10;0;2,5\nb;10;1,5;1,75\nc;-10;0;7,5\n' > w.csv
    expect 0 "$MCO" vrp solve w.csv --engine cpu --iterations 100 --json r.json --solution s.csv
    expect_text err "demands have decimals: they and the capacity are in units of 1/100"
    expect_text out "capacity 7.5, routes up to 60, at most 2 vehicles"
    expect_json r.json capacity 7.5
    expect_json r.json load_scale 100
    grep -q '^ *4.25,\{0,1\}$' r.json || fail "the load 4.25 is not in r.json"
    grep -q ',4.25,' s.csv || fail "the load 4.25 is not in s.csv"
    expect_valid r.json w.csv
    expect 1 "$MCO" vrp check w.csv r.json --capacity 4
    expect_text err "the load is 4.25, at most 4 is allowed"
    printf 'capacity,2\nname,demand\nd,\na,1\nb,1\ndistances,d,a,b\nd,0,3,4\na,3,0,5\nb,4,5,0\n' > m.csv
    expect 0 "$MCO" vrp solve m.csv --engine cpu --iterations 10 --json r.json --plot p.svg
    expect_json r.json objective 12
    expect 2 "$MCO" vrp solve m.csv --distance geo
    expect 3 "$MCO" guillotine solve w.csv
    expect_text err "w.csv:4:1: this is a file for mco vrp, not for mco guillotine"
}

# `check` takes the options of the instance from a result file, unless they are given.
stated_options() {
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 200 --distance real --capacity 3 --service-time 1 --json r.json
    expect 0 "$MCO" vrp check small.vrp r.json
    expect_text err "--distance real is taken from r.json"
    expect_text err "--capacity 3 is taken from r.json"
    expect_text out "valid: cost 42.09"
    expect 1 "$MCO" vrp check small.vrp r.json --capacity 1
    expect_text err "at most 1 is allowed"
    expect 1 "$MCO" vrp check small.vrp r.json --distance rounded
    expect_text err "the solution costs 42 with --distance rounded, its file says 42.09"
    sed -i 's/"capacity": 3,$/"capacity": 0,/' r.json
    expect 3 "$MCO" vrp check small.vrp r.json
    expect_text err '--capacity is "0"'
}

# Problems that are not supported are named.
unsupported() {
    printf 'C101\n\nVEHICLE\nNUMBER     CAPACITY\n  25         200\n' > c101.txt
    expect 3 "$MCO" vrp solve c101.txt
    expect_text err "c101.txt:3:1: this is a file of Solomon or of Gehring and Homberger: time windows are not supported"
    sed 's/TYPE : CVRP/TYPE : VRPTW/' small.vrp > bad.vrp
    expect 3 "$MCO" vrp solve bad.vrp
    expect_text err 'bad.vrp:3:8: TYPE is "VRPTW": time windows are not supported'
    sed 's/^DEPOT_SECTION/TIME_WINDOW_SECTION\n1 0 9\n&/' small.vrp > bad.vrp
    expect 3 "$MCO" vrp solve bad.vrp
    expect_text err 'bad.vrp:19:1: the keyword is "TIME_WINDOW_SECTION": time windows are not supported'
}

# --start never becomes worse. It comes back unchanged if nothing is done.
starts() {
    local file
    printf 'Route #1: 1 3\nRoute #2: 2 4\nCost 82\n' > bad-start.sol
    expect 0 "$MCO" vrp solve g200.vrp --engine cpu --threads 1 --iterations 2000 --json r.json --solution s.sol
    for file in r.json s.sol; do
        expect 0 "$MCO" vrp solve g200.vrp --engine cpu --iterations 0 --start "$file" --json again.json
        expect_json again.json objective "$(json r.json objective)"
        expect_json again.json stop '"iterations"'
    done
    expect_json again.json start '"s.sol"'
    expect 0 "$MCO" vrp solve g200.vrp --engine cpu --threads 1 --iterations 500 --start s.sol --json again.json
    [ "$(json again.json objective)" -le "$(json r.json objective)" ] || fail "the start was made worse"
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 0 --start bad-start.sol --json again.json
    expect_json again.json objective 80
    expect 2 "$MCO" vrp solve small.vrp --iterations 5 --capacity 1 --start bad-start.sol
    expect 3 "$MCO" vrp solve small.vrp --iterations 5 --start missing.sol
    expect 3 "$MCO" vrp solve small.vrp --iterations 5 --start small.vrp --json bad.json
    expect_no_file bad.json*
}

# made FILE: the moves and costs of a descent, without times and rates.
made() {
    sed -n '/"moves_made"/,/^    \]/p; /"history"/,/^  \]/p' "$1" | grep -v '[0-9]\.[0-9]\|[0-9]e-'
}

# With one vehicle for each customer, 2-opt makes two routes in two sweeps; the third sweep finds nothing.
neighbourhoods() {
    local engine type options
    for engine in reference cpu; do
        expect 0 "$MCO" vrp neighbourhood small.vrp --type 2opt --engine "$engine" --construct single --sweeps 9 --json n.json
        expect_text out "tour       9 nodes, from single: cost 80, 4 routes"
        expect_text out "a local optimum of 2opt"
        expect_text out "cost       42"
        expect_text out "84 of 2opt in 3 sweeps"
        expect_text out "G moves/s, whole sweeps"
        expect_json n.json objective 42
        expect_moves 84
        expect_json n.json moves_skipped 0
        expect_json n.json start_cost 80
        expect_json n.json tour_nodes 9
        expect_json n.json is_local_optimum true
        expect_json n.json type '"2opt"'
        members n.json history counters.sweeps counters.moves_per_s counters.moves_made counters.simd solution.routes
        cp n.json r.json
        expect_valid n.json small.vrp
        expect 0 "$MCO" vrp neighbourhood small.vrp --type 3opt --engine "$engine" --construct single --sweeps 1 --json n.json
        expect_moves 224
        expect 0 "$MCO" vrp neighbourhood small.vrp --type 3opt-complete --engine "$engine" --construct single --json n.json
        expect_moves 252
    done
    # Whole descents are the same on all engines: every move and every cost.
    for type in 2opt 3opt 3opt-complete; do
        expect 0 "$MCO" vrp neighbourhood giant.vrp --type "$type" --engine reference --sweeps 5 --json r.json --solution s.sol
        made r.json > reference.txt
        [ "$(wc -l < reference.txt)" -gt 10 ] || fail "$type: no moves in the result file"
        while read -r options; do
            # shellcheck disable=SC2086
            expect 0 "$MCO" vrp neighbourhood giant.vrp --type "$type" --sweeps 5 $options --json n.json --solution t.sol
            made n.json > other.txt
            cmp -s reference.txt other.txt || fail "--type $type $options: another descent"
            cmp -s s.sol t.sol || fail "--type $type $options: other routes"
            expect_moves "$(moves r.json)"
        done << 'END'
--engine cpu --threads 1
--engine cpu --threads 2
--engine cpu --simd portable
--engine cpu --hierarchy 0
--engine cpu --hierarchy 2
--engine auto
END
    done
    expect 0 "$MCO" vrp neighbourhood small.vrp --start bad-start.sol --engine cpu --sweeps 0 --json -
    expect_json out kind '"vrp"'
}

# Starts that break a rule, and bad options.
other_neighbourhoods() {
    # All customers in one route are too heavy. With two vehicles, one cut mends it.
    printf 'Route #1: 1 2 3 4\n' > heavy.sol
    expect 0 "$MCO" vrp neighbourhood small.vrp --vehicles 2 --start heavy.sol --engine reference --sweeps 0 --json n.json
    expect_json n.json objective 42
    expect_json n.json outcome '"feasible"'
    expect 0 "$MCO" vrp neighbourhood small.vrp --vehicles 1 --start heavy.sol --engine reference --sweeps 0 --json n.json
    expect_json n.json outcome '"unknown"'
    expect_json n.json ok null
    expect_text err "the end breaks a rule, as the start did"
    printf 'Route #1: 1 2\nRoute #2: 3 1\nCost 41\n' > repeated.sol
    expect 2 "$MCO" vrp neighbourhood small.vrp --start repeated.sol
    expect 2 "$MCO" vrp solve small.vrp --start repeated.sol
    expect 2 "$MCO" vrp neighbourhood small.vrp --engine cpu --gpus 0
    expect_text err "--gpus 0 is for --engine gpu"
    expect 2 "$MCO" vrp neighbourhood small.vrp --hierarchy 3
    expect 2 "$MCO" vrp neighbourhood small.vrp --iterations 3
}

# Changed solutions fail the check, which says what is wrong.
tampered() {
    local solution message
    while IFS='|' read -r solution message; do
        printf '%b' "$solution" > bad.sol
        expect 1 "$MCO" vrp check small.vrp bad.sol
        expect_text err "$message"
    done << 'END'
Route #1: 1 2\nRoute #2: 3\nCost 41\n|customer 4
Route #1: 1 2\nRoute #2: 3 1\nCost 41\n|customer 1
Route #1: 1 2 3 4\nCost 41\n|route 1
Route #1: 1 2\nRoute #2: 3 4\nCost 43\n|the solution costs 42 with --distance rounded, its file says 43
Route #1: 1 2\nRoute #2: 3 5\nCost 42\n|bad.sol:2:
Route #1: 1 2\nRoute #2: 3 x\nCost 42\n|bad.sol:2:
|bad.sol:1:1: the file is empty
{"solution": {"routes": [[1, 2], [3, 4|bad.sol:1:
END
    printf 'Route #1: 1 2\nRoute #2: 3 4\nCost 42\n' > good.sol
    expect 0 "$MCO" vrp check small.vrp good.sol
    expect_text out "valid: cost 42, 2 routes"
    expect_text out "1              2         21      2: 1 2"
    expect 1 "$MCO" vrp check small.vrp good.sol --vehicles 1
    expect 1 "$MCO" vrp check small.vrp good.sol --capacity 1
    expect 1 "$MCO" vrp check small.vrp good.sol --max-length 20
    expect 0 "$MCO" vrp check small.vrp good.sol --max-length 21
    expect 3 "$MCO" vrp check small.vrp missing.sol
    expect 2 "$MCO" vrp check small.vrp
    # A solution with more routes than a summary shows.
    expect 0 "$MCO" vrp neighbourhood g200.vrp --engine reference --construct single --sweeps 1 --solution many.sol
    expect 0 "$MCO" vrp check g200.vrp many.sol
    expect_text out "more routes"
}

# infeasible TEXT OPTIONS...: exit code 1, outcome infeasible, no files but the result, not even old ones; all say why.
infeasible() {
    local text=$1
    shift
    echo "yesterday" > none.sol
    echo "yesterday" > none.svg
    expect 1 "$MCO" vrp solve "$@" --time-limit 100 --json i.json --solution none.sol --plot none.svg
    expect_text out "outcome    infeasible (finished): "
    expect_text out "$text"
    expect_text err "warning: there is no solution: the old file none.sol is removed"
    expect_text i.json "$text"
    expect_json i.json outcome '"infeasible"'
    expect_json i.json objective null
    expect_json i.json bound null
    expect_json i.json routes null
    expect_no_file none.sol none.svg
    # A stream stays as it is.
    expect 1 "$MCO" vrp solve "$@" --solution /dev/null --plot -
}

infeasible_instances() {
    sed 's/^5 1$/5 3/' small.vrp > heavy.vrp
    infeasible "customer 4" heavy.vrp
    infeasible "customer 1" small.vrp --max-length 19
    infeasible "all demands are 4, the vehicles carry 2: 1 of capacity 2" small.vrp --vehicles 1
    expect 2 "$MCO" vrp neighbourhood heavy.vrp
    expect_text err "customer 4"
    # The total capacity is enough, but customers of 2 do not share a vehicle of 3. That is proved for few of them. For
    # many, no solution is found.
    printf 'name,x,y,demand\ndepot,0,0,0\na,1,0,2\nb,0,1,2\nc,1,1,2\n' > packing.csv
    infeasible "every partition of the 3 customers into at most 2 routes breaks the capacity 3" packing.csv --capacity 3 \
        --vehicles 2
    infeasible "breaks the capacity 3 or the longest route 3" packing.csv --capacity 3 --vehicles 2 --max-length 3 \
        --iterations 100
    for name in d e f g h i j k l m n; do echo "$name,1,1,2"; done >> packing.csv
    expect 1 "$MCO" vrp solve packing.csv --capacity 3 --vehicles 10 --time-limit 1 --json r.json --solution none.sol
    expect_json r.json outcome '"unknown"'
    expect_json r.json objective null
    expect_no_file none.sol
}

# Few customers are decided exactly, on every engine.
few_customers() {
    local engine
    for engine in auto cpu reference; do
        expect 0 "$MCO" vrp solve small.vrp --engine "$engine" --json r.json
        expect_text out "outcome    optimal (finished)"
        expect_text out "bound      42   gap 0.000%"
        expect_json r.json outcome '"optimal"'
        expect_json r.json objective 42
        expect_json r.json bound 42
    done
    # 0, 1.4 and 2.8 on a line: there and back is 6 for the second customer alone, 1 + 1 + 3 behind the first.
    cat > rounded.vrp << 'END'
TYPE : CVRP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 2
DISTANCE : 5
NODE_COORD_SECTION
1 0 0
2 1.4 0
3 2.8 0
DEMAND_SECTION
1 0
2 1
3 1
DEPOT_SECTION
1
-1
EOF
END
    for engine in cpu reference; do
        expect 0 "$MCO" vrp solve rounded.vrp --engine "$engine" --json r.json --solution s.sol
        expect_json r.json objective 5
        expect 0 "$MCO" vrp solve rounded.vrp --engine "$engine" --start s.sol --iterations 10 --json r.json
        expect_json r.json objective 5
    done
    expect 0 "$MCO" vrp solve rounded.vrp --engine cpu --iterations 1000 --json r.json
    expect_json r.json objective 5
    infeasible "customer 2: there and back is at least 4 with its service, the longest route allowed 3" rounded.vrp \
        --max-length 3
}

# Where no saving is positive, one vehicle takes all customers as well: the depot between them, and all in one place.
one_vehicle() {
    local engine i
    echo name,x,y,demand > between.csv
    echo depot,0,0,0 >> between.csv
    cp between.csv together.csv
    for i in $(seq 20); do
        echo "c$i,$((i % 2 ? 100 : -100)),0,1" >> between.csv
        echo "c$i,0,0,1" >> together.csv
    done
    for engine in cpu reference; do
        expect 0 "$MCO" vrp solve between.csv --capacity 20 --vehicles 1 --engine "$engine" --iterations 1000 --json r.json
        expect_json r.json routes 1
        expect 0 "$MCO" vrp solve together.csv --capacity 20 --vehicles 1 --engine "$engine" --iterations 1000 --json r.json
        expect_json r.json objective 0
    done
}

# A gap needs a bound.
gap() {
    expect 0 "$MCO" vrp solve g200.vrp --engine cpu --gap 0.5 --iterations 100
    expect_text err "warning: --gap 0.5 cannot end this run: no bound is known; --lower-bound gives one"
    expect 0 "$MCO" vrp solve g200.vrp --engine cpu --gap 0.5 --lower-bound 1 --iterations 100
    if grep -q 'cannot end' err; then fail "--gap with a bound is warned of"; fi
}

# Changed instances that are still the same.
same_instances() {
    local change
    while read -r change; do
        sed "$change" small.vrp > same.vrp
        expect 0 "$MCO" vrp solve same.vrp --engine cpu --iterations 100 --json r.json
        expect_json r.json objective 42
    done << 'END'
s/$/\r/
s/ /\t/g
s/ : /:/
/COMMENT/d
s/^CAPACITY.*/&\nCOMMENT : another/
/^EOF/d
END
    # Sections in any order.
    {
        sed -n '1,6p' small.vrp
        sed -n '/^DEPOT_SECTION/,/^-1/p' small.vrp
        sed -n '/^DEMAND_SECTION/,/^5 1$/p' small.vrp
        sed -n '/^NODE_COORD/,/^5 -10/p' small.vrp
        echo EOF
    } > same.vrp
    expect 0 "$MCO" vrp solve same.vrp --engine cpu --iterations 100 --json r.json
    expect_json r.json objective 42
}

# Changed instances that are refused, with the place of the error.
bad_instances() {
    local change message
    rm -f bad*.json
    while IFS='|' read -r change message; do
        sed "$change" small.vrp > bad.vrp
        expect 3 "$MCO" vrp solve bad.vrp --time-limit 5 --json bad.json --solution bad-out.sol
        expect_text err "$message"
        if [ -s out ]; then fail "something was printed for a file that is refused"; fi
        expect_no_file bad.json* bad-out.sol*
    done << 'END'
s/CAPACITY : 2/CAPACITY : 0/|bad.vrp:6:12: CAPACITY is 0
/^CAPACITY/d|without CAPACITY
/^DEMAND_SECTION/,/^5 1$/d|without DEMAND_SECTION
/^NODE_COORD/,/^5 -10/d|without NODE_COORD_SECTION
/^DEPOT_SECTION/,$d|without DEPOT_SECTION
s/DIMENSION : 5/DIMENSION : 6/|DIMENSION is 6
s/DIMENSION : 5/DIMENSION : 4/|DIMENSION is 4
s/DIMENSION : 5/DIMENSION : 99999999999/|bad.vrp:4:13: DIMENSION is 99999999999
s/EUC_2D/XRAY2/|bad.vrp:5:20: EDGE_WEIGHT_TYPE is "XRAY2"
s/^3 10 1/3 10 nan/|bad.vrp:10:6:
s/^3 1$/3 -1/|bad.vrp:16:3:
s/TYPE : CVRP/TYPE : TSP/|bad.vrp:3:8: TYPE is TSP
s/^1 0 0/1 0 0 0/|bad.vrp:8:1:
END
    : > bad.vrp
    expect 3 "$MCO" vrp solve bad.vrp --json bad.json
    expect_text err "bad.vrp:1:1"
    expect 3 "$MCO" vrp solve missing.vrp
    expect_text err "cannot read missing.vrp"
}

# All customers at one place; no customer; one customer.
tiny_instances() {
    sed 's/^3 10 1/3 10 0/; s/^5 -10 1/5 0 0/; s/^4 -10 0/4 10 0/' small.vrp > same.vrp
    expect 0 "$MCO" vrp solve same.vrp --engine cpu --iterations 100 --json r.json --plot p.svg
    expect_json r.json objective 40
    sed 's/DIMENSION : 5/DIMENSION : 1/; /^[2-5] /d' small.vrp > none.vrp
    expect 0 "$MCO" vrp solve none.vrp --json r.json --solution s.sol --plot p.svg
    expect_json r.json objective 0
    expect_json r.json outcome '"optimal"'
    expect_valid r.json none.vrp
    sed 's/DIMENSION : 5/DIMENSION : 2/; /^[3-5] /d' small.vrp > one.vrp
    expect 0 "$MCO" vrp solve one.vrp --json r.json --solution s.sol --plot p.svg
    expect_json r.json objective 20
    expect_json r.json outcome '"optimal"'
    expect_valid s.sol one.vrp
    expect 0 "$MCO" vrp neighbourhood none.vrp --engine cpu --json n.json
    expect_moves 0
}

usage() {
    expect 2 "$MCO" vrp
    expect 2 "$MCO" vrp solve
    expect_text err "usage: mco vrp solve"
    expect 2 "$MCO" vrp solve small.vrp other.vrp
    expect_text err '"other.vrp" is one argument too many'
    expect 2 "$MCO" vrp solve small.vrp --vehicle 3
    expect_text err "did you mean --vehicles?"
    expect 2 "$MCO" vrp solve small.vrp --distance euclid
    expect_text err "one of rounded|real|geo was expected"
    expect 2 "$MCO" vrp solve small.vrp --engine hybrid
    expect 2 "$MCO" vrp solve small.vrp --capacity 0
    expect_text err '--capacity is "0"'
    expect 2 "$MCO" vrp solve small.vrp --iterations -1
    expect 2 "$MCO" vrp solve small.vrp --target nan
    expect 2 "$MCO" vrp solve small.vrp --gap 2
    expect 2 "$MCO" vrp solve small.vrp --sweeps 2
    expect 2 "$MCO" vrp neighbourhood small.vrp --type 4opt
    expect_text err "one of 2opt|3opt|3opt-complete was expected"
    expect 2 "$MCO" vrp neighbourhood small.vrp --construct random
    expect 2 "$MCO" vrp solve small.vrp --json same --plot same
    expect_text err "two outputs go to same"
    cp small.vrp precious.vrp
    expect 2 "$MCO" vrp solve precious.vrp --solution ./precious.vrp
    expect_text err "it would replace the input"
    cmp -s small.vrp precious.vrp || fail "the input was replaced"
    expect 0 "$MCO" help vrp
    expect_text out "mco vrp neighbourhood"
    expect_text out "check: test that"
    expect 0 "$MCO" help
    expect_text out "vrp"
}

standard_streams() {
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 --json -
    head -n 1 out > first && expect_text first "{"
    expect_json out objective 42
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 --solution - --quiet
    cp out piped.sol
    expect 0 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 --solution s.sol
    cmp -s piped.sol s.sol || fail "--solution - and --solution F differ"
    [ -w /dev/full ] || return 0
    local flag
    for flag in --json --solution --plot --history; do
        expect 3 "$MCO" vrp solve small.vrp --engine cpu --iterations 100 "$flag" /dev/full
        expect_text err "No space left on device"
        expect 3 timeout 60 "$MCO" vrp solve g200.vrp --time-limit 100 "$flag" no/such/folder/file
        expect_text err "cannot write no/such/folder/file: No such file or directory"
    done
}

# The limit counts from the start of the process.
time_limit() {
    expect 0 "$MCO" vrp solve g200.vrp --engine cpu --time-limit 0.3 --threads 2 --json r.json --solution s.sol
    expect_time_limit r.json 0.3 0.15
    expect_json r.json outcome '"feasible"'
    expect_valid r.json g200.vrp
    expect_valid s.sol g200.vrp
    expect 0 "$MCO" vrp solve g200.vrp --engine cpu --lower-bound 1 --gap 0.9999999 --time-limit 20 --json r.json
    expect_json r.json stop '"gap"'
}

# threads_of FILE: the number of threads that a result file gives for the engine.
threads_of() {
    sed -n '/^  "engine": {/,/^  }/p' "$1" > engine.json
    json engine.json threads
}

# expect_threads MOST COMMAND...: the command succeeds, and no sample of its threads shows more than MOST.
expect_threads() {
    local pid limit=$1 most=0 seen=0
    shift
    local all="${*/#$MCO/mco}"
    "$@" > out 2> err &
    pid=$!
    while kill -0 "$pid" 2> why; do
        set -- /proc/"$pid"/task/*
        if [ $# -gt "$most" ]; then most=$#; fi
    done
    wait "$pid" || seen=$?
    [ "$seen" -eq 0 ] || fail "exit code $seen instead of 0: $all"
    [ "$most" -le "$limit" ] || fail "$most threads at once instead of $limit at most: $all"
}

# The cpu engine takes a worker for each processor that the process may use, and in no stage more than --threads.
threads() {
    local processor action
    command -v taskset > why && [ -d /proc/self/task ] || return 0
    processor=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
    for action in solve neighbourhood; do
        expect 0 taskset -c "$processor" "$MCO" vrp "$action" g200.vrp --engine cpu --time-limit 0.1 --json r.json
        [ "$(threads_of r.json)" = 1 ] || fail "$action on one processor takes $(threads_of r.json) threads"
        expect 0 "$MCO" vrp "$action" g200.vrp --engine cpu --threads 3 --time-limit 0.1 --json r.json
        [ "$(threads_of r.json)" = 3 ] || fail "$action --threads 3 takes $(threads_of r.json) threads"
    done
    if [ -n "${MCO_SANITIZE:-}" ]; then return 0; fi
    # At most three threads: the calling one, a worker that waits for tasks, and one of the construction.
    expect 0 "$MCO" vrp generate --customers 20000 --output g20000.vrp
    expect_threads 3 "$MCO" vrp solve g20000.vrp --engine cpu --iterations 20000 --threads 1
    expect_threads 3 taskset -c "$processor" "$MCO" vrp solve g20000.vrp --engine cpu --iterations 20000
    expect_threads 3 "$MCO" vrp solve g200.vrp --engine cpu --iterations 100000 --threads 1
    expect_threads 2 "$MCO" vrp neighbourhood g20000.vrp --construct savings --engine cpu --time-limit 0 --threads 1
}

# Ctrl-C writes the result; SIGKILL leaves the last good solution.
interrupted() {
    local pid seen=0
    rm -f r.json s.sol
    "$MCO" vrp solve g200.vrp --engine cpu --time-limit inf --json r.json --solution s.sol > out 2> err &
    pid=$!
    wait_for test -s s.sol
    cp s.sol now.sol
    "$MCO" vrp check g200.vrp now.sol > why || fail "s.sol is no solution while the run goes on"
    kill -INT "$pid"
    wait "$pid" || seen=$?
    [ "$seen" -eq 130 ] || fail "exit code $seen after Ctrl-C"
    expect_text out "outcome    feasible (cancelled)"
    expect_json r.json stop '"cancelled"'
    expect_json r.json outcome '"feasible"'
    expect_valid r.json g200.vrp
    expect_valid s.sol g200.vrp
    "$MCO" vrp solve g200.vrp --engine cpu --time-limit inf --json killed.json --solution k.sol > k.out 2> k.err &
    pid=$!
    wait_for test -s k.sol
    kill -KILL "$pid"
    wait "$pid" 2> why || true
    expect_no_file killed.json
    expect 0 "$MCO" vrp check g200.vrp k.sol
}

# An interrupted descent keeps the sweeps that it has made.
interrupted_neighbourhood() {
    local pid seen=0
    expect 0 "$MCO" vrp generate --customers 700 --seed 1 --output g700.vrp
    "$MCO" vrp neighbourhood g700.vrp --type 3opt --engine reference --sweeps 0 --json n.json > out 2> err &
    pid=$!
    wait_for is_solving "$pid" 50
    kill -INT "$pid"
    wait "$pid" || seen=$?
    [ "$seen" -eq 130 ] || fail "exit code $seen after Ctrl-C (neighbourhood)"
    expect_text out "(cancelled)"
    expect_json n.json stop '"cancelled"'
    expect_json n.json outcome '"feasible"'
    cp n.json r.json
    expect_valid n.json g700.vrp
}

# Places on three continents. The proof that customers are too far away ends with the time.
far_places() {
    printf 'capacity,10\nname,latitude,longitude,demand\nLondon,51.5,-0.13,\nTokyo,35.68,139.69,1\nLA,34.05,-118.24,1\n' > world.csv
    expect 0 "$MCO" vrp solve world.csv --time-limit 1
    expect_text out "cost       27133103"
    expect 0 "$MCO" vrp generate --customers 15000 --seed 3 --output many.vrp
    expect 1 "$MCO" vrp solve many.vrp --max-length 900 --time-limit 0.5 --threads 1 --json r.json
    expect_time_limit r.json 0.5 1.5
}

# Without a GPU the engine says so; with a GPU it makes the same moves as the others.
gpu() {
    local seen=0
    expect 0 "$MCO" vrp neighbourhood giant.vrp --type 3opt-complete --engine cpu --sweeps 3 --json r.json --solution s.sol
    "$MCO" vrp neighbourhood giant.vrp --type 3opt-complete --engine gpu --sweeps 3 --json n.json --solution t.sol \
        > out 2> err || seen=$?
    if [ "$seen" -eq 4 ]; then
        expect_text err "no GPU: "
        expect 4 "$MCO" vrp solve giant.vrp --engine gpu --time-limit 1
        expect_text err "no GPU: "
        return 0
    fi
    [ "$seen" -eq 0 ] || fail "exit code $seen with --engine gpu"
    cmp -s s.sol t.sol || fail "the GPU gives other routes"
    expect_moves "$(moves r.json)"
    expect 0 "$MCO" vrp solve giant.vrp --engine gpu --time-limit 3 --json r.json --solution s.sol
    expect_valid s.sol giant.vrp
}

small_instance > small.vrp
all_files
distances
reference
generated
repeatable
sources
ids
degrees
whole_files
stated_options
unsupported
starts
tampered
neighbourhoods
other_neighbourhoods
infeasible_instances
few_customers
one_vehicle
same_instances
bad_instances
tiny_instances
usage
standard_streams
time_limit
expect 0 "$MCO" vrp generate --customers 6000 --seed 3 --output slow.vrp
slow_input slow.vrp vrp
far_places
gap
threads
interrupted
interrupted_neighbourhood
gpu
