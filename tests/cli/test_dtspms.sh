# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco dtspms: instances by name, pair and table; solutions that `check` accepts and refuses; whole neighbourhoods; ends
# of a search; refusals.

# matrix FILE TYPE DIMENSION: makes a TSPLIB file of the rows on standard input.
matrix() {
    {
        printf 'NAME: %s\nTYPE: %s\nDIMENSION: %s\n' "$1" "$2" "$3"
        printf 'EDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n'
        cat
        echo EOF
    } > "$1"
}

# Two small instances: a symmetric one with 4 orders and an asymmetric one with 6. Their optima on 2 stacks, 82 and 72,
# come from an enumeration of all pickup orders, stacks and delivery orders.
small_instances() {
    matrix four_p.tsp TSP 5 << 'END'
0 13 16 14 7
13 0 7 13 2
16 7 0 14 15
14 13 14 0 15
7 2 15 15 0
END
    matrix four_d.tsp TSP 5 << 'END'
0 10 16 14 7
10 0 2 14 10
16 2 0 10 12
14 14 10 0 1
7 10 12 1 0
END
    matrix six_p.tsp ATSP 7 << 'END'
0 20 3 20 17 2 12
15 0 17 4 15 20 10
13 14 0 15 5 2 3
14 3 18 0 10 12 14
19 19 12 19 0 2 17
20 7 17 14 3 0 1
1 17 12 3 19 8 0
END
    matrix six_d.tsp ATSP 7 << 'END'
0 3 15 16 4 2 1
12 0 10 19 8 5 20
1 17 0 5 10 2 18
3 11 13 0 2 9 10
1 13 14 8 0 6 13
12 6 18 11 6 0 8
20 14 14 16 15 15 0
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
    expect 0 "$MCO" dtspms check "$@" "$file"
    expect_text out "valid: cost $(json r.json objective) = "
}

all_files() {
    expect 0 "$MCO" dtspms solve four_p.tsp four_d.tsp --stacks 2 --method exact --json r.json --solution s.txt \
        --plot p.svg --history h.csv --seed 5
    expect_text out "4 orders, 2 stacks of 2"
    expect_text out "outcome    optimal (finished)"
    expect_text out "cost       82 = 52 pickup + 30 delivery"
    expect_text out "bound      82   gap 0.00%"
    expect_text p.svg ": length 82, optimal</text>"
    expect_text p.svg ">2 of 2</text>"
    expect_text out "method     exact"
    expect_text out "stack 2"
    expect_text out "engine "
    members r.json schema tool.git problem.kind problem.sizes.heights options.start engine.devices time.wall_s time.cpu_s \
        counters.method counters.iterations counters.walks counters.tours counters.relaxations counters.tours_skipped \
        counters.lane_bits counters.simd history solution.pickup solution.delivery solution.stacks check.ok check.objective
    expect_json r.json kind '"dtspms"'
    expect_json r.json orders 4
    expect_json r.json capacity 2
    expect_json r.json heights "[2, 2]"
    expect_json r.json outcome '"optimal"'
    expect_json r.json stop '"finished"'
    expect_json r.json objective 82
    expect_json r.json bound 82
    expect_json r.json gap 0
    expect_json r.json seed 5
    expect_json r.json time-limit null
    expect_json r.json method '"exact"'
    expect_json r.json ok true
    expect_text p.svg "<svg"
    expect_text p.svg "</svg>"
    head -n 1 h.csv > first && expect_text first "time_s,cost,bound"
    tail -n 1 h.csv | grep -q ',82,[0-9]*$' || fail "the history does not end with cost 82"
    expect_valid r.json four_p.tsp four_d.tsp
    expect_valid s.txt four_p.tsp four_d.tsp
    INPUT=r.json expect_valid - four_p.tsp four_d.tsp
    local left
    left=$(find . -name '*.tmp-*')
    [ -z "$left" ] || fail "left behind: $left"
    expect 0 "$MCO" dtspms solve six_p.tsp six_d.tsp --stacks 2 --method exact --json r.json --quiet
    if [ -s err ]; then fail "--quiet is not quiet"; fi
    expect_json r.json objective 72
    expect_valid r.json six_p.tsp six_d.tsp
}

# One network, drawn from a seed: as a name, as a pair of files, and as a table.
sources() {
    expect 0 "$MCO" dtspms generate --orders 9 --seed-pickup 3 --seed-delivery 4 --pickup g_p.tsp --delivery g_d.tsp
    expect 0 "$MCO" dtspms generate --orders 5 --seed-pickup 3 --seed-delivery 4 --pickup - --delivery h_d.tsp
    cp out h_p.tsp
    expect_text g_p.tsp EUC_2D
    if cmp -s g_p.tsp g_d.tsp; then fail "two seeds give equal networks"; fi
    local arguments cost=""
    for arguments in "g_p.tsp g_d.tsp --orders 5" "h_p.tsp h_d.tsp"; do
        # shellcheck disable=SC2086
        expect 0 "$MCO" dtspms solve $arguments --method exact --json r.json
        expect_json r.json orders 5
        [ -z "$cost" ] || expect_json r.json objective "$cost"
        cost=$(json r.json objective)
    done
    cat > t.csv << 'END'
name,pickup_x,pickup_y,delivery_x,delivery_y
depot,0,0,0,0
Aarhus,3,4,6,8
Bilbao,3,0,0,5
Cadiz,0,4,6,0
END
    expect 0 "$MCO" dtspms solve t.csv --method exact --json r.json --solution s.txt
    expect_json r.json objective 40
    expect_text out Bilbao
    expect_valid s.txt t.csv
    INPUT=t.csv expect 0 "$MCO" dtspms solve - --method exact --json r.json
    expect_json r.json objective 40
    expect 0 "$MCO" dtspms solve R07 --orders 5 --method exact --json r.json --solution s.txt
    expect_json r.json orders 5
    expect_valid s.txt R07 --orders 5
    cp t.csv R07
    expect 0 "$MCO" dtspms solve R07 --method exact --json r.json
    expect_json r.json objective 40
    rm R07
    expect 0 "$MCO" dtspms solve r07 --orders 5 --method exact --json r.json
    expect_json r.json name '"R07"'
    printf 'name,pickup_x,pickup_y,delivery_x,delivery_y\r\ndepot,0,0,0,0\r\n"A, B",1,1,1,1\r\n' > c.csv
    expect 0 "$MCO" dtspms solve c.csv
    expect_text out "A, B"
    expect 0 "$MCO" dtspms solve R00 --orders 0 --json r.json
    expect_json r.json objective 0
    expect_json r.json outcome '"optimal"'
}

# The optimum of R00's first 12 orders is 694 (Petersen, Madsen 2009, table 3): no search goes below.
searches() {
    local method
    for method in tabu ils auto; do
        expect 0 "$MCO" dtspms solve R00 --orders 12 --method "$method" --iterations 40 --json r.json --solution s.txt \
            --history h.csv
        expect_text err "cost"
        expect_json r.json stop '"iterations"'
        [ "$(json r.json objective)" -ge 694 ] || fail "--method $method: $(json r.json objective) is below the optimum"
        [ "$(json r.json bound)" -le 694 ] || fail "--method $method: bound $(json r.json bound) is above the optimum"
        [ "$(json r.json iterations)" -le 40 ] || [ "$method" != tabu ] || fail "$(json r.json iterations) iterations of 40"
        expect_valid r.json R00 --orders 12
        expect_valid s.txt R00 --orders 12
        expect_valid s.txt R00 --orders 12 --capacity 4
        [ "$(wc -l < h.csv)" -ge 2 ] || fail "the history is empty"
    done
    expect 0 "$MCO" dtspms solve R00 --orders 12 --target 900 --time-limit 20 --json r.json
    expect_json r.json stop '"target"'
    [ "$(json r.json objective)" -le 900 ] || fail "the target 900 is not reached: $(json r.json objective)"
    expect 0 "$MCO" dtspms solve R00 --orders 12 --gap 0.9 --time-limit 20 --json r.json
    expect_json r.json stop '"gap"'
}

# --start without iterations: its plan is priced anew and becomes the solution.
starts() {
    expect 0 "$MCO" dtspms solve R00 --orders 12 --method tabu --iterations 3 --json r.json --solution s.txt
    local file
    for file in r.json s.txt; do
        expect 0 "$MCO" dtspms solve R00 --orders 12 --method tabu --iterations 0 --start "$file" --json again.json
        expect_json again.json objective "$(json r.json objective)"
    done
    expect_json again.json start '"s.txt"'
    grep '^stack' s.txt > plan.txt
    expect 0 "$MCO" dtspms solve R00 --orders 12 --method tabu --iterations 0 --start plan.txt --json again.json
    expect_json again.json objective "$(json r.json objective)"
    expect 1 "$MCO" dtspms check R00 --orders 12 plan.txt
    expect_text err "the solution has no pickup tour"
    expect 3 "$MCO" dtspms solve R00 --orders 12 --iterations 1 --start missing
    echo "what" > bad
    expect 3 "$MCO" dtspms solve R00 --orders 12 --iterations 1 --start bad --json bad.json
    expect_text err "bad:1:"
    expect_no_file bad.json*
}

# With --iterations, equal seeds give equal bytes on every engine.
repeatable() {
    local method iterations options
    while read -r method iterations; do
        rm -f first.txt
        while read -r options; do
            # shellcheck disable=SC2086
            expect 0 "$MCO" dtspms solve R03 --orders 11 --method "$method" --iterations "$iterations" --seed 3 $options \
                --solution s.txt --history h.csv
            cut -d, -f2- h.csv >> s.txt
            [ -e first.txt ] || cp s.txt first.txt
            cmp -s s.txt first.txt || fail "--method $method: $options gives another solution or history"
        done << 'END'
--engine reference
--engine cpu --threads 1
--engine cpu --threads 3
--engine cpu --simd portable
END
    done << 'END'
tabu 6
ils 50
END
}

# expect_move OBJECTIVE MOVE SUM: n.json must hold these values.
expect_move() {
    expect_json n.json objective "$1"
    expect_json n.json best_move "$2"
    expect_json n.json cost_sum "$3"
}

# The enumeration gives all costs around the plan (1,2), (3,4) of the instance with 4 orders.
neighbourhoods() {
    echo '{"solution": {"pickup": [1, 2, 3, 4], "delivery": [2, 1, 4, 3], "stacks": [[1, 2], [3, 4]]}}' > plan.json
    local engine
    for engine in reference cpu; do
        expect 0 "$MCO" dtspms neighbourhood four_p.tsp four_d.tsp --stacks 2 --move swap --start plan.json \
            --engine "$engine" --json n.json
        expect_text out "plan       cost 84, from plan.json"
        expect_text out "moves      6 of swap"
        expect_text out "best move  0, positions 0, 1"
        expect_text out "cost       83 = "
        expect_text out "tours/s"
        expect_text out "relaxations/s"
        expect_move 83 0 508
        expect_json n.json moves 6
        expect_json n.json plan_cost 84
        expect_json n.json positions "[0, 1]"
        expect_json n.json rotation null
        expect_json n.json tours 12
        members n.json problem.sizes.heights counters.relaxations counters.tours_skipped counters.simd solution.stacks
        expect 0 "$MCO" dtspms neighbourhood four_p.tsp four_d.tsp --stacks 2 --start plan.json \
            --engine "$engine" --json n.json
        expect_text out "moves      8 of 3-exchange"
        expect_move 82 0 676
        expect_json n.json positions "[0, 1, 2]"
        expect_json n.json rotation 0
        expect_json n.json tours 16
        expect_json n.json history "[]"
        cp n.json r.json
        expect_valid n.json four_p.tsp four_d.tsp
    done
}

# Engines agree, reuse finds the same move, and seeds give different plans.
neighbourhood_engines() {
    local move options best
    for move in swap 3-exchange; do
        expect 0 "$MCO" dtspms neighbourhood R01 --orders 13 --move "$move" --plan-seed 9 --engine reference --json r.json
        expect_json r.json seed 9
        best="$(json r.json objective) $(json r.json best_move)"
        while read -r options; do
            # shellcheck disable=SC2086
            expect 0 "$MCO" dtspms neighbourhood R01 --orders 13 --move "$move" --plan-seed 9 $options --json n.json
            [ "$(json n.json objective) $(json n.json best_move)" = "$best" ] || fail "$move, $options: another best move"
        done << 'END'
--engine cpu --threads 1
--engine cpu --simd portable
--engine cpu --reuse on
--engine reference --reuse on
END
        expect_json n.json cost_sum null
        expect 0 "$MCO" dtspms neighbourhood R01 --orders 13 --move "$move" --plan-seed 10 --json n.json
        [ "$(json n.json plan_cost)" != "$(json r.json plan_cost)" ] || fail "two seeds give plans of equal cost"
    done
    expect 0 "$MCO" dtspms neighbourhood R01 --orders 1 --json n.json
    expect_json n.json moves 0
    expect_json n.json objective null
    expect_json n.json best_move null
    expect 0 "$MCO" dtspms neighbourhood R01 --orders 7 --json -
    expect_json out kind '"dtspms"'
    expect 2 "$MCO" dtspms neighbourhood R01 --orders 7 --capacity 2
    expect 2 "$MCO" dtspms neighbourhood R01 --orders 7 --solution s.txt
    expect 2 "$MCO" dtspms neighbourhood R01 --orders 7 --engine cpu --gpus 0
    expect_text err "--gpus 0 is for --engine gpu"
}

# Changed solutions fail the check, with the place of the error.
tampered() {
    local solution message
    while IFS='|' read -r solution message; do
        printf '%s' "$solution" > bad.json
        expect 1 "$MCO" dtspms check four_p.tsp four_d.tsp bad.json
        expect_text err "$message"
    done << 'END'
{"solution": {"pickup": [1, 2, 3, 4], "delivery": [2, 1, 4, 1], "stacks": [[1, 2], [3, 4]]}}|order 1 is visited again
{"solution": {"pickup": [1, 2, 3], "delivery": [2, 1, 4, 3], "stacks": [[1, 2], [3, 4]]}}|the pickup tour: 3 orders
{"solution": {"pickup": [1, 2, 3, 4], "delivery": [2, 1, 4, 3], "stacks": [[1, 2], [3]]}}|the stacks: 3 orders
{"solution": {"pickup": [1, 2, 3, 4], "delivery": [2, 1, 4, 3], "stacks": [[1, 2], [3, 3]]}}|order 3 lies there, and in
{"solution": {"pickup": [1, 2, 3, 5], "delivery": [2, 1, 4, 3]}}|bad.json:1:35: the order is 5, allowed is 1 to 4
{"solution": {"pickup": [2, 1, 3, 4], "delivery": [2, 1, 4, 3], "stacks": [[1, 2], [3, 4]]}}|pickup position 1
{"solution": {"pickup": [1, 2, 3, 4], "delivery": [2, 1, 3, 4], "stacks": [[1, 2], [3, 4]]}}|delivery position 3
{"solution": {"pickup": [1, 2, 3, 4], "delivery": [4, 3, 2, 1], "stacks": [[1, 2, 3], [4]]}}|at most 2 are allowed
{"objective":80,"solution":{"pickup":[1,2,3,4],"delivery":[2,1,4,3],"stacks":[[1,2],[3,4]]}}|costs 99, its file says 80
{"solution": {"pickup": [1, 2, 3, 4], "delivery": [2, 1|bad.json:1:
{"solution": {}}|the file holds no solution
|bad.json:1:1: the file is empty
END
    expect 0 "$MCO" dtspms check four_p.tsp four_d.tsp plan.json
    echo '{"solution": {"pickup": [1, 2, 3, 4], "delivery": [4, 3, 2, 1], "stacks": [[1, 2, 3], [4]]}}' > high.json
    expect 0 "$MCO" dtspms check --capacity 3 four_p.tsp four_d.tsp high.json
    expect 3 "$MCO" dtspms check four_p.tsp four_d.tsp missing
    expect 2 "$MCO" dtspms check R00 --orders 4
    local change
    expect 0 "$MCO" dtspms solve four_p.tsp four_d.tsp --stacks 2 --method exact --solution s.txt
    while IFS='|' read -r change message; do
        sed "$change" s.txt > bad.txt
        expect 1 "$MCO" dtspms check four_p.tsp four_d.tsp bad.txt
        expect_text err "$message"
    done << 'END'
s/^cost .*/cost 83/|the solution costs 82, its file says 83
/^pickup/s/[0-9]* *$//|the pickup tour: 3 orders, the instance has 4
/^delivery/s/[0-9]* *$/9/|bad.txt:
/^stack 2/d|the stacks: 2 orders, the instance has 4
/^stack 1/s/ \([0-9]\) \([0-9]\)/ \1 \1/|lies there, and in
/^pickup/s/ \([0-9]\) \([0-9]\) \([0-9]\) \([0-9]\)/ \4 \3 \2 \1/|below it, is missing
/^delivery/d|the solution has no delivery tour
END
}

# Names that are numbers of other rows, or have blanks, are printed, written and read back as names. Decimal commas are read.
names() {
    printf 'name;pickup_x;pickup_y;delivery_x;delivery_y\ndepot;0;0;0;0\n3;3,5;4;6;8\n"Mrs. Berg";1;9,25;2;2\n1;5;5;7;1\n' > ids.csv
    expect 0 "$MCO" dtspms solve ids.csv --stacks 2 --json r.json --solution s.txt
    expect_text out "ids        names"
    expect_text out '"Mrs. Berg"'
    expect_text s.txt "# ids: names"
    expect_text s.txt '"Mrs. Berg"'
    expect_text r.json '"pickup_names": ['
    expect 0 "$MCO" dtspms check ids.csv s.txt
    expect 0 "$MCO" dtspms check ids.csv r.json
    expect 0 "$MCO" dtspms solve ids.csv --stacks 2 --start s.txt
    printf '# ids: names\nstack 1: 3 "Mrs. Berg"\nstack 2: 1\npickup: 3 "Mrs. Berg" 1\ndelivery: 1 "Mrs. Berg" 3\n' > by_name.txt
    printf '# ids: rows\nstack 1: 1 2\nstack 2: 3\npickup: 1 2 3\ndelivery: 3 2 1\n' > by_row.txt
    expect 0 "$MCO" dtspms check ids.csv by_name.txt
    cp out first
    expect 0 "$MCO" dtspms check ids.csv by_row.txt
    cmp -s out first || fail "the same solution by name and by row differs"
    printf 'name,pickup_x,pickup_y,delivery_x,delivery_y\nd,0,0,0,0\n2,1,1,1,1\n,2,2,2,2\n' > twice.csv
    expect 3 "$MCO" dtspms solve twice.csv
    expect_text err "is the number of another row"
}

infeasible() {
    echo "yesterday" > none.txt
    expect 1 "$MCO" dtspms solve R00 --orders 12 --capacity 3 --json i.json --solution none.txt --plot none.svg \
        --history i.csv
    expect_text out "outcome    infeasible (finished): 12 orders"
    expect_text i.json '"reason": "12 orders'
    expect_json i.json outcome '"infeasible"'
    expect_json i.json objective null
    expect_json i.json bound null
    expect_json i.json pickup null
    expect_json i.json stacks 3
    expect_no_file none.txt none.svg
    expect 1 "$MCO" dtspms check R00 --orders 12 i.json
}

# refused TEXT FILE...: solve and neighbourhood refuse the files with exit code 3 and this text, and write nothing.
refused() {
    local text=$1
    shift
    expect 3 "$MCO" dtspms solve "$@" --json bad.json --solution bad.txt --plot bad.svg --history bad.csv
    expect_text err "$text"
    if [ -s out ]; then fail "something was printed for a file that is refused"; fi
    expect 3 "$MCO" dtspms neighbourhood "$@" --json bad.json
    expect_text err "$text"
    expect_no_file bad.json* bad.txt* bad.svg* bad.csv*
}

bad_files() {
    rm -f bad*
    refused "cannot read missing" missing four_d.tsp
    refused "cannot read missing" four_p.tsp missing
    refused "cannot read missing.csv" missing.csv
    refused "DIMENSION is 7, but 5 in four_p.tsp: both networks have the same orders" four_p.tsp six_d.tsp
    sed 's/13 0 7 13 2/13 0 7 nan 2/' four_p.tsp > bad.tsp
    refused "bad.tsp:8:" bad.tsp four_d.tsp
    sed 's/13 0 7 13 2/13 0 -7 13 2/' four_p.tsp > bad.tsp
    refused "bad.tsp:8:" bad.tsp four_d.tsp
    sed 's/^\(2 .*\) [0-9.]*$/\1 NaN/' g_p.tsp > bad.tsp
    refused "NaN" bad.tsp g_d.tsp
    head -n 8 four_p.tsp > bad.tsp
    refused "bad.tsp:" bad.tsp four_d.tsp
    printf 'name,pickup_x,pickup_y,delivery_x,delivery_y\ndepot,0,0,0,0\nAarhus,3,inf,6,8\n' > bad.tsp
    refused "bad.tsp:3:" bad.tsp
    : > bad.tsp
    refused "bad.tsp:1:1: the file is empty" bad.tsp
}

too_large() {
    expect 3 "$MCO" dtspms solve R00 --orders 1000000 --time-limit 5 --json bad.json
    grep -qE "need.*[MGTPE]iB" err || fail "the memory that a million orders need is not named: $(cat err)"
    expect 3 "$MCO" dtspms neighbourhood R00 --orders 1000000
    grep -qE "need.*[MGTPE]iB" err || fail "the memory that a million orders need is not named: $(cat err)"
    expect 3 "$MCO" dtspms solve R00 --orders 300 --memory 1 --time-limit 5 --json bad.json
    grep -qE "need.*[MGTPE]iB" err || fail "the memory that 300 orders need is not named: $(cat err)"
    expect 3 "$MCO" dtspms solve R00 --orders 13 --method exact
    expect_text err "12"
    expect_no_file bad.json
}

usage() {
    expect 2 "$MCO" dtspms
    expect 2 "$MCO" dtspms solve
    expect 2 "$MCO" dtspms solve R00
    expect_text err "R00: instances with a name, R00 to R19, have any number of orders: say how many with --orders N"
    expect 2 "$MCO" dtspms solve R20 --orders 12
    expect_text err "R20"
    expect 2 "$MCO" dtspms solve a b c
    expect_text err '"c" is one argument too many'
    expect 2 "$MCO" dtspms solve R00 --orders 12 --stack 3
    expect_text err "did you mean --stacks?"
    expect 2 "$MCO" dtspms solve R00 --orders 12 --stacks 7
    expect_text err '--stacks is "7", an integer from 2 to 6 was expected'
    expect 2 "$MCO" dtspms solve R00 --orders -1
    expect 2 "$MCO" dtspms solve R00 --orders 12 --capacity 0
    expect 2 "$MCO" dtspms solve R00 --orders 12 --method best
    expect_text err "one of auto|tabu|ils|exact was expected"
    expect 2 "$MCO" dtspms solve R00 --orders 12 --reuse on
    expect 2 "$MCO" dtspms neighbourhood R00 --orders 12 --move 2-exchange
    expect 2 "$MCO" dtspms solve four_p.tsp four_d.tsp --orders 5
    expect 2 "$MCO" dtspms solve R00 --orders 12 --json same --plot same
    expect_text err "two outputs go to same"
    cp four_d.tsp precious.tsp
    expect 2 "$MCO" dtspms solve four_p.tsp precious.tsp --json ./precious.tsp
    expect_text err "it would replace the input"
    cmp -s four_d.tsp precious.tsp || fail "the input was replaced"
    expect 2 "$MCO" dtspms generate --orders 5
    expect 2 "$MCO" dtspms generate --orders 5 --pickup same --delivery same
    expect 3 "$MCO" dtspms generate --orders 5 --pickup no/such/folder/file --delivery d.tsp
    expect_no_file d.tsp
    expect 0 "$MCO" help dtspms
    expect_text out "mco dtspms neighbourhood"
    expect_text out "check: test that"
    expect 0 "$MCO" help
    expect_text out "dtspms"
}

standard_streams() {
    expect 0 "$MCO" dtspms solve four_p.tsp four_d.tsp --stacks 2 --method exact --json -
    head -n 1 out > first && expect_text first "{"
    expect_json out objective 82
    expect 0 "$MCO" dtspms solve four_p.tsp four_d.tsp --stacks 2 --method exact --solution - --quiet
    cp out piped.txt
    expect 0 "$MCO" dtspms solve four_p.tsp four_d.tsp --stacks 2 --method exact --solution s.txt
    cmp -s piped.txt s.txt || fail "--solution - and --solution F differ"
    [ -w /dev/full ] || return 0
    local flag
    for flag in --json --solution --plot --history; do
        expect 3 "$MCO" dtspms solve four_p.tsp four_d.tsp --stacks 2 --method exact "$flag" /dev/full
        expect_text err "No space left on device"
        expect 3 timeout 60 "$MCO" dtspms solve R00 --orders 33 --time-limit 100 "$flag" no/such/folder/file
        expect_text err "cannot write no/such/folder/file: No such file or directory"
    done
}

# The limit counts from the start of the process.
time_limit() {
    expect 0 "$MCO" dtspms solve R00 --orders 33 --time-limit 0.2 --threads 2 "$@" --json r.json --solution s.txt
    expect_time_limit r.json 0.2 0.1
    expect_json r.json outcome '"feasible"'
    expect_valid r.json R00 --orders 33
    expect_valid s.txt R00 --orders 33
}

# Ctrl-C writes the result; SIGKILL leaves the last good solution.
interrupted() {
    local method pid seen
    for method in tabu ils; do
        rm -f r.json s.txt
        "$MCO" dtspms solve R00 --orders 33 --method "$method" --time-limit inf --json r.json --solution s.txt > out 2> err &
        pid=$!
        wait_for test -s s.txt
        expect_valid_now s.txt
        kill -INT "$pid"
        seen=0
        wait "$pid" || seen=$?
        [ "$seen" -eq 130 ] || fail "exit code $seen after Ctrl-C (--method $method)"
        expect_json r.json stop '"cancelled"'
        expect_json r.json outcome '"feasible"'
        expect_valid r.json R00 --orders 33
        expect_valid s.txt R00 --orders 33
    done
    "$MCO" dtspms solve R00 --orders 33 --time-limit inf --json killed.json --solution k.txt > k.out 2> k.err &
    pid=$!
    wait_for test -s k.txt
    kill -KILL "$pid"
    wait "$pid" 2> why || true
    expect_no_file killed.json
    expect_valid_now k.txt
}

# An interrupted neighbourhood has no best move, and says so.
interrupted_neighbourhood() {
    local pid seen=0
    "$MCO" dtspms neighbourhood R00 --orders 66 --engine reference --json n.json > out 2> err &
    pid=$!
    wait_for handles_interrupts "$pid"
    kill -INT "$pid"
    wait "$pid" || seen=$?
    [ "$seen" -eq 130 ] || fail "exit code $seen after Ctrl-C (neighbourhood)"
    expect_json n.json stop '"cancelled"'
    expect_json n.json outcome '"unknown"'
    expect_json n.json best_move null
    expect_json n.json pickup null
    expect_text out "interrupted"
    expect 1 "$MCO" dtspms neighbourhood R00 --orders 200 --time-limit 0.1 --json n.json
    expect_json n.json stop '"time"'
    expect_json n.json outcome '"unknown"'
    expect_text out "interrupted (time)"
}

# expect_valid_now FILE: holds a solution while the run is not over; `out` and `err` stay those of the run.
expect_valid_now() {
    cp "$1" now.txt
    "$MCO" dtspms check R00 --orders 33 now.txt > /dev/null || fail "$1 is no solution while the run goes on"
}

# Without a GPU the engine says so; with a GPU it finds the same move as the others.
gpu() {
    local seen=0
    expect 0 "$MCO" dtspms neighbourhood R02 --orders 12 --engine cpu --json r.json
    "$MCO" dtspms neighbourhood R02 --orders 12 --engine gpu --json n.json > out 2> err || seen=$?
    if [ "$seen" -eq 4 ]; then
        expect_text err "GPU"
        return 0
    fi
    [ "$seen" -eq 0 ] || fail "exit code $seen with --engine gpu"
    expect_move "$(json r.json objective)" "$(json r.json best_move)" "$(json r.json cost_sum)"
}

small_instances
all_files
sources
searches
starts
repeatable
neighbourhoods
neighbourhood_engines
tampered
names
infeasible
bad_files
too_large
usage
standard_streams
time_limit --method tabu
time_limit --method ils
interrupted
interrupted_neighbourhood
gpu
