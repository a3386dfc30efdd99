# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco overlay: generate, bound, solve, check and export; outputs and exit codes; hostile files.

peers() {
    printf 'least,2\nname,uptime,bandwidth\na,0.5,10\nb,0.5,4\nc,1,3\n' > three.csv
    printf 'from,to,bandwidth\na,b,4\na,c,3\n' > kept.csv
}

generates() {
    expect 0 "$MCO" overlay generate --group grafo50b-14 --output b.csv
    [ "$(wc -l < b.csv)" -eq 52 ] || fail "50 nodes, a limit, a header and not as many lines"
    expect 0 "$MCO" overlay generate --group grafo50b-14 --output -
    cmp -s b.csv out || fail "the same seed gives another instance"
    expect 0 "$MCO" overlay generate --group grafo50b-14 --seed 2 --output other.csv
    if cmp -s b.csv other.csv; then fail "another seed gives the same instance"; fi
    expect 0 "$MCO" overlay generate --nodes 40 --degree 4 --output d.csv
    grep -q '^from,to$' d.csv || fail "a sparse instance lacks its links"
    expect 2 "$MCO" overlay generate
    expect_text err "none of --group and --nodes is given, one was expected"
    expect 2 "$MCO" overlay generate --group grafo7a-14
    expect 2 "$MCO" overlay generate --nodes 9 --degree 9
    expect 2 "$MCO" overlay generate --nodes 1000000001
}

# Jumps are below the other methods on this instance; engines and units agree to the last bit.
bounds() {
    local method
    expect 0 "$MCO" overlay bound b.csv --json jump.json --history h.csv
    expect_text out "b.csv: 50 nodes, 1225 possible links"
    expect_text out "jumps: near the least bound, in the least time of all methods"
    expect_json jump.json kind '"overlay"'
    expect_text jump.json '"method": "jump"'
    expect_json jump.json nodes 50
    expect_json jump.json links 1225
    expect_json jump.json complete true
    [ -s h.csv ] || fail "no history"
    expect 0 "$MCO" overlay bound b.csv --engine reference --json reference.json
    expect_json reference.json exact_bound "$(json jump.json exact_bound)"
    expect 0 "$MCO" overlay bound b.csv --simd portable --threads 2 --json portable.json
    expect_json portable.json exact_bound "$(json jump.json exact_bound)"
    for method in std dist; do
        expect 0 "$MCO" overlay bound b.csv --method "$method" --iterations 20 --json "$method.json"
        expect_json "$method.json" stop '"iterations"'
        awk -v a="$(json jump.json bound)" -v b="$(json "$method.json" bound)" 'BEGIN { exit !(a <= b) }' || fail "$method is below jumps"
    done
    expect 0 "$MCO" overlay bound b.csv --time-limit 0 --json late.json
    expect_json late.json stop '"time"'
    expect 2 "$MCO" overlay bound b.csv --method best
    expect 2 "$MCO" overlay bound b.csv --method std --inner 3
    expect_text err "--inner is for jump and dist, a node of std has one step in an iteration"
    expect 2 "$MCO" overlay bound b.csv --std-constant 0.001
    expect_text err "--std-constant is for --method std"
    expect 2 "$MCO" overlay bound b.csv --method dist --std-norm plain
    expect_text err "--std-norm is for --method std"
    expect 2 "$MCO" overlay bound b.csv --method std --dist-step sign
    expect_text err "--dist-step is for --method dist"
    expect 2 "$MCO" overlay bound b.csv --method jump --dist-keep mean
    expect_text err "--dist-keep is for --method dist"
    expect 0 "$MCO" overlay bound b.csv --method dist --dist-keep mean --dist-step sign --iterations 3
    expect 0 "$MCO" overlay bound b.csv --method std --std-norm plain --std-constant 0.001 --iterations 3
    expect 2 "$MCO" overlay bound b.csv --iterations 0
    expect_no_file bad.json
}

# Without a GPU the engine says so; with a GPU it gives the bits of the reference.
gpu() {
    local seen=0
    "$MCO" overlay bound b.csv --engine gpu --iterations 20 --json gpu.json > out 2> err || seen=$?
    expect 2 "$MCO" overlay bound b.csv --engine cpu --gpus 0
    expect_text err "--gpus is for the gpu engine"
    if [ "$seen" -eq 4 ]; then
        expect_no_file gpu.json
        expect 4 "$MCO" overlay solve b.csv --gpus 0
        expect_text err "no GPU: "
        return 0
    fi
    [ "$seen" -eq 0 ] || fail "exit code $seen with --engine gpu"
    expect 0 "$MCO" overlay bound b.csv --engine reference --iterations 20 --json reference.json
    expect_json gpu.json exact_bound "$(json reference.json exact_bound)"
}

program() {
    local seen=0
    "$MCO" overlay bound b.csv --method lp --json lp.json > out 2> err || seen=$?
    if [ "$seen" -eq 3 ] || [ "$seen" -eq 4 ]; then return 0; fi  # no solver of linear programs here
    [ "$seen" -eq 0 ] || fail "exit code $seen with --method lp"
    expect_json lp.json outcome '"optimal"'
    awk -v a="$(json lp.json bound)" -v b="$(json jump.json bound)" 'BEGIN { exit !(a <= b * (1 + 1e-9)) }' || fail "jumps are below the program"
}

solves() {
    expect 0 "$MCO" overlay solve three.csv --json r.json --solution s.csv --history h.csv
    expect_text out "three.csv: 3 nodes, 3 possible links"
    expect_json r.json kind '"overlay"'
    expect_json r.json kept 2
    case $(json r.json objective) in 2.49999999*) ;; *) fail "the worth is $(json r.json objective)" ;; esac
    printf 'from,to,bandwidth\na,b,4\na,c,3\n' | cmp -s - s.csv || fail "another overlay than a-b, a-c"
    expect 0 "$MCO" overlay check three.csv s.csv
    expect_text out "valid: worth 2.499999999, 2 links"
    expect 0 "$MCO" overlay check three.csv r.json
    INPUT=three.csv expect 0 "$MCO" overlay solve - --quiet
    gzip -k three.csv
    expect 0 "$MCO" overlay solve three.csv.gz
    expect 0 "$MCO" overlay solve b.csv --iterations 200 --threads 1 --json one.json --solution one.csv
    expect_json one.json stop '"iterations"'
    expect 0 "$MCO" overlay solve b.csv --iterations 200 --threads 2 --solution two.csv
    cmp -s one.csv two.csv || fail "two threads give another overlay than one"
    expect 0 "$MCO" overlay check b.csv one.csv
    expect 0 "$MCO" overlay check b.csv one.json
    expect 0 "$MCO" overlay solve d.csv --time-limit 0.2 --solution d.sol
    expect 0 "$MCO" overlay check d.csv d.sol
    printf 'from,to\na,b\n' > graph.csv
    expect 0 "$MCO" overlay solve three.csv --links graph.csv --least 1 --most 3 --solution s.csv
    printf 'from,to,bandwidth\na,b,3\n' | cmp -s - s.csv || fail "--links, --least and --most are not obeyed"
    # Names of a graph are not those of nodes that have none; numbers are.
    expect 3 "$MCO" overlay solve b.csv --links graph.csv
    expect_text err "the graph has the vertex a, and the instance has no such node among its 50"
    printf 'from,to\n5,9\n' > numbers.csv
    expect 0 "$MCO" overlay solve b.csv --links numbers.csv --solution s.csv
    grep -q '^5,9,' s.csv || fail "vertices 5 and 9 are other nodes"
}

checks() {
    expect 0 "$MCO" overlay check three.csv kept.csv
    printf 'from,to,bandwidth\na,b,5\n' > w.csv
    expect 1 "$MCO" overlay check three.csv w.csv
    expect_text err "link 1, between a and b, carries 5; allowed is 2 to 4"
    printf 'from,to,bandwidth\na,b,1\n' > w.csv
    expect 1 "$MCO" overlay check three.csv w.csv
    printf 'from,to,bandwidth\na,b,2.5\n' > w.csv
    expect 1 "$MCO" overlay check three.csv w.csv
    expect_text err "w.csv:2:5: the bandwidth is 2.5, at most 0 decimals are allowed"
    printf 'from,to,bandwidth\na,b,3\nb,c,2\n' > w.csv
    expect 1 "$MCO" overlay check three.csv w.csv
    expect_text err "the links of node b carry 5, its bandwidth is 4"
    printf 'from,to,bandwidth\na,b,2\nb,a,2\n' > w.csv
    expect 1 "$MCO" overlay check three.csv w.csv
    expect_text err "the link between a and b stands twice"
    sed 's/"objective": 2\.4/"objective": 2.6/' r.json > w.json
    expect 1 "$MCO" overlay check three.csv w.json
    expect_text err "its file says 2.6"
    expect 1 "$MCO" overlay check b.csv jump.json
    expect_text err "the result file has no overlay: its solution lacks from"
    expect 3 "$MCO" overlay check missing kept.csv
    expect 2 "$MCO" overlay check three.csv
}

# Nodes that have no room for any link: numbers of links prove it.
no_room() {
    expect 0 "$MCO" overlay solve b.csv --least 1000 --iterations 10 --json none.json
    expect_json none.json outcome '"optimal"'
    expect_json none.json bound 0
}

# Few peers are solved by branching, and a matching proves the overlay of peers that fit one link each.
proves() {
    expect 0 "$MCO" overlay generate --nodes 10 --seed 1 --output ten.csv
    expect 0 "$MCO" overlay solve ten.csv --solution ten.txt --json ten.json
    expect_text out "outcome    optimal (finished): the bound is that of a branch and bound"
    expect 0 "$MCO" overlay check ten.csv ten.txt
    expect 0 "$MCO" overlay generate --group grafo50b-128 --output pairs.csv
    expect 0 "$MCO" overlay solve pairs.csv --solution pairs.txt
    expect_text out "outcome    optimal (finished): the bound is that of a matching"
    expect_text out "of 25 kept links"
    expect 0 "$MCO" overlay check pairs.csv pairs.txt
}

exports() {
    expect 0 "$MCO" overlay export three.csv --output p.lp
    expect_text p.lp "Minimize"
    expect 0 "$MCO" overlay export three.csv --format mps --output p.mps
    expect_text p.mps "COLUMNS"
    [ "$(grep -c INTORG p.mps)" -ge 1 ] || fail "no integer columns"
    expect 0 "$MCO" overlay export three.csv --least 0 --format mps
    if grep -q INTORG out; then fail "binaries without a least bandwidth"; fi
    expect 3 "$MCO" overlay export three.csv --output nowhere/p.lp
}

# Nodes join and leave: bound and overlay after each round.
events() {
    expect 0 "$MCO" overlay generate --group grafo50b-14 --events 30 --output e.csv
    [ "$(wc -l < e.csv)" -eq 31 ] || fail "a header and 30 events, and not as many lines"
    expect 0 "$MCO" overlay bound b.csv --events e.csv --json rounds.json --history rounds.csv --plot rounds.svg
    expect_text out "rounds     30, with "
    expect_text out "a round    "
    expect_json rounds.json kind '"overlay"'
    expect_json rounds.json rounds 30
    expect_json rounds.json shakes 400
    expect_text rounds.json '"joins": ['
    expect_text rounds.svg 'worth of the overlay'
    expect 0 "$MCO" overlay bound b.csv --events e.csv --json again.json --threads 1 --simd portable
    [ "$(grep '"bound": \[\|"worth": \[' rounds.json)" = "$(grep '"bound": \[\|"worth": \[' again.json)" ] || fail "another unit gives other rounds"
    expect 0 "$MCO" overlay bound b.csv --events e.csv --time-limit 0 --json late.json
    expect_json late.json stop '"time"'
    printf 'event,node,to,uptime,bandwidth\njoin,new one,,0.9,30\nlink,new one,1\nlink,new one,2\nleave,2\n' > own.csv
    expect 0 "$MCO" overlay bound d.csv --events own.csv --sweeps 4 --shakes 10 --seed 3 --json own.json
    expect_json own.json rounds 2
    expect_json own.json seed 3
    INPUT=own.csv expect 0 "$MCO" overlay bound d.csv --events -
    expect 3 "$MCO" overlay bound b.csv --events own.csv --json bad.json
    expect_text err "own.csv:3:1: a link, and all pairs of this instance are possible links"
    expect 3 "$MCO" overlay bound b.csv --events missing.csv --json bad.json
    expect 3 "$MCO" overlay bound b.csv --events b.csv --json bad.json
    printf 'event,node\nleave,1\nleave,1\n' > twice.csv
    expect 3 "$MCO" overlay bound b.csv --events twice.csv --json bad.json
    expect_text err 'twice.csv:3:7: "1" leaves, and it is not there'
    printf 'name,uptime,bandwidth\nann,1,9\nbob,1,9\ncid,1,9\nfrom,to\nann,bob\n' > named.csv
    printf 'event,node,to\nlink,cid,ann\nlink,bob,ann\n' > linked.csv
    expect 2 "$MCO" overlay bound named.csv --events linked.csv --json bad.json
    expect_text err "the link between nodes bob and ann stands twice"
    { echo event,node,uptime,bandwidth; for node in p q r s; do echo "join,$node,0.5,1000000000"; done; } > heavy.csv
    expect 3 "$MCO" overlay bound b.csv --events heavy.csv --json bad.json
    expect_text err "round 4: after the event the links of a node may carry"
    expect 2 "$MCO" overlay bound b.csv --events e.csv --sweeps 0 --json bad.json
    expect 2 "$MCO" overlay bound b.csv --sweeps 4 --json bad.json
    expect_text err "--sweeps is for --events, and there are none"
    expect 2 "$MCO" overlay bound b.csv --shakes 400 --json bad.json
    expect_text err "--shakes is for --events, and there are none"
    expect 2 "$MCO" overlay bound b.csv --seed 1 --json bad.json
    expect_text err "--seed is for --events, and there are none"
    expect 4 "$MCO" overlay bound b.csv --events e.csv --engine gpu --json bad.json
    expect 2 "$MCO" overlay bound b.csv --events e.csv --json e.csv
    expect_no_file bad.json
}

# Instances as JSON are the same as their CSV.
as_json() {
    expect 0 "$MCO" overlay generate --nodes 40 --degree 4 --output d.json
    expect 0 "$MCO" overlay bound d.csv --json one.json
    expect 0 "$MCO" overlay bound d.json --json two.json
    expect_json two.json exact_bound "$(json one.json exact_bound)"
    printf '{"nodes": [{"uptime": 0.5, "bandwidth": 3}, {"uptime": 1.5, "bandwidth": 3}]}\n' > far.json
    expect 3 "$MCO" overlay solve far.json --json bad.json
    expect_text err "far.json:1:56: the uptime is 1.5, allowed is 0 to 1"
    printf '{"nodes": [{"name": "a\\nb", "uptime": 0.5, "bandwidth": 3}]}\n' > lines.json
    expect 3 "$MCO" overlay solve lines.json --json bad.json
    expect_text err "lines.json:1:21: the name holds the byte 0x0a"
    expect 3 "$MCO" overlay solve one.json --json bad.json
    expect_text err "this is a result file, and an instance was expected"
    expect_no_file bad.json
}

plots() {
    expect 0 "$MCO" overlay solve three.csv --plot three.svg
    expect_text three.svg "nodes clockwise by uptime"
    expect 0 "$MCO" overlay generate --nodes 130 --output many.csv
    expect 0 "$MCO" overlay solve many.csv --iterations 10 --plot many.svg
    expect_text many.svg "too many for a circle"
    expect 0 "$MCO" overlay bound b.csv --plot bound.svg
    expect_text bound.svg "time in seconds"
    expect 3 "$MCO" overlay solve three.csv --plot nowhere/p.svg
}

# No node, one, two; a node without links; all without an overlay that is worth something.
tiny() {
    local nodes
    for nodes in 0 1 2; do
        { echo uptime,bandwidth; head -n "$nodes" <(printf '0.5,3\n1,2\n'); } > tiny.csv
        expect 0 "$MCO" overlay bound tiny.csv --json tiny.json
        expect_json tiny.json nodes "$nodes"
        expect 0 "$MCO" overlay solve tiny.csv --json tiny.json --solution tiny.sol --plot tiny.svg
        expect 0 "$MCO" overlay check tiny.csv tiny.sol
        expect 0 "$MCO" overlay check tiny.csv tiny.json
    done
    printf 'uptime,bandwidth\n0.5,3\n1,2\n0.5,4\nfrom,to\n1,2\n' > alone.csv
    expect 0 "$MCO" overlay solve alone.csv --solution tiny.sol
    expect 0 "$MCO" overlay check alone.csv tiny.sol
    printf 'event,node\nleave,1\nleave,2\nleave,3\n' > none.csv
    expect 0 "$MCO" overlay bound alone.csv --events none.csv
    expect_text out "0 nodes, bound 0, overlay 0 of 0 kept links"
}

# Cut, empty, huge and binary files are refused with their place; nothing is written.
hostile() {
    local size action
    : > empty.csv
    head -c 4000 /dev/zero > zero.csv
    head -c 4000 /dev/urandom > random.csv
    printf 'uptime,bandwidth\n0.5,99999999999999999999999999\n' > huge.csv
    printf 'uptime,bandwidth\n1e400,1\n' > far.csv
    printf 'uptime,bandwidth\n1,1000000000\n1,1000000000\n1,1000000000\n1,1000000000\n' > load.csv
    for action in solve bound export; do
        for size in empty zero random huge far; do
            expect 3 "$MCO" overlay "$action" "$size.csv"
            expect_text err "$size.csv"
        done
        expect 3 "$MCO" overlay "$action" load.csv
        expect_text err "the links of node 1 may carry 3000000000 in all, allowed is 2147483647"
    done
    for size in 1 5 20 30 33 38; do
        local seen=0
        head -c "$size" three.csv > cut.csv
        "$MCO" overlay solve cut.csv --json bad.json > out 2> err || seen=$?
        if [ "$seen" -ne 3 ] && [ "$seen" -ne 0 ]; then fail "exit code $seen with $size bytes"; fi
        [ "$seen" -eq 0 ] || expect_text err "cut.csv:"
        [ "$seen" -eq 0 ] || expect_no_file bad.json
        rm -f bad.json
    done
    expect 3 "$MCO" overlay solve random.csv --json bad.json
    expect 1 "$MCO" overlay check three.csv random.csv
    expect 1 "$MCO" overlay check three.csv empty.csv
    expect_no_file bad.json
    printf '2 2\n1 2\n' > shop.csv
    expect 3 "$MCO" overlay solve shop.csv
    expect 2 "$MCO" overlay
    expect 2 "$MCO" overlay solve
    expect 0 "$MCO" help overlay
    expect_text out "mco overlay solve"
}

peers
generates
bounds
gpu
program
solves
checks
no_room
proves
exports
events
as_json
plots
tiny
hostile
