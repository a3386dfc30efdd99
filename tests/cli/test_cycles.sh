# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco cycles: counts by every method, lists in every format and their check, files of graphs, bad input, closed pipes, full disks.

counts() {
    local method
    for method in auto frontier search labels; do
        expect 0 "$MCO" cycles count --grid 5x6 --method $method --json r.json
        expect_text out "cycles     749 longer than 3, 0 triangles"
        expect_json r.json cycles 749
        expect_json r.json triangles 0
        expect_json r.json 4 20
        expect_json r.json outcome '"optimal"'
    done
    expect_json r.json method_reason '"labels: as asked for"'
    expect 0 "$MCO" cycles count --grid 5x6 --engine reference --json r.json
    expect_text r.json '"name": "reference"'
    expect_json r.json method_reason '"labels: the reference engine"'
    expect 0 "$MCO" cycles count --grid 7x10 --json r.json
    expect_json r.json cycles 8136453
    expect_json r.json kind '"cycles"'
    expect_json r.json name '"grid-7x10"'
    expect_json r.json vertices 70
    expect_json r.json edges 123
    expect_text r.json '"method": "frontier"'
    expect_json r.json cycles_exact null
    expect 0 "$MCO" cycles count --complete-bipartite 50,50
    expect_text out "cycles     1500625 longer than 3"
    expect 0 "$MCO" cycles count --wheel 100
    expect_text out "cycles     1 longer than 3, 100 triangles"
    expect 0 "$MCO" cycles count --cycle 100
    expect_text out "lengths    100 to 100"
    expect 0 "$MCO" cycles count --complete 10
    expect_text out "cycles     0 longer than 3, 120 triangles"
    expect 0 "$MCO" cycles count --complete 10 --min-length 4
    expect_text out "cycles     0 longer than 3"
    if grep -q triangle out; then fail "triangles are told that were not asked for"; fi
    expect 0 "$MCO" cycles count --grid 12x12 --json r.json
    expect_json r.json cycles 421587920205546
    expect 0 "$MCO" cycles count --road 6x6 --share 0.1 --seed 3 --quiet
    if [ -s err ]; then fail "--quiet is not quiet"; fi
}

# Every format of a list has as many cycles as were counted, and passes the check.
lists() {
    local format
    for format in text jsonl bits factored; do
        expect 0 "$MCO" cycles list --grid 4x10 --format $format --output "l.$format" --json r.json
        expect_json r.json cycles 1823
        expect_text out "cycles     1823 longer than 3"
        expect 0 "$MCO" cycles check --grid 4x10 "l.$format"
        expect_text out "valid      1823 chordless cycles, all different"
        expect 0 "$MCO" cycles list --wheel 7 --format $format --output w
        expect 0 "$MCO" cycles check --wheel 7 w
        expect_text out "valid      8 chordless cycles"
    done
    [ "$(wc -l < l.text)" -eq 1823 ] || fail "the text has $(wc -l < l.text) lines"
    [ "$(wc -l < l.jsonl)" -eq 1823 ] || fail "the JSON lines are $(wc -l < l.jsonl)"
    expect 0 "$MCO" cycles list --grid 4x10 --method search --format text --output s.text
    sort l.text > a && sort s.text > b
    cmp -s a b || fail "search and frontier list different cycles"
    expect 0 "$MCO" cycles list --grid 4x10 --output l.gz
    gzip -dc l.gz | sort > b
    cmp -s a b || fail "the compressed list differs"
    expect 0 "$MCO" cycles check --grid 4x10 l.gz
    expect 0 "$MCO" cycles list --grid 2x3
    cp out list
    sort list > b
    printf '1 2 5 4\n2 3 6 5\n' | cmp -s - b || fail "the list of a 2x3 grid is $(cat b)"
    expect 0 "$MCO" cycles list --grid 4x10 --limit 7 --output l --json r.json
    [ "$(wc -l < l)" -eq 7 ] || fail "--limit 7 gives $(wc -l < l) lines"
    expect_json r.json outcome '"feasible"'
    expect_json r.json stop '"target"'
    expect 0 "$MCO" cycles list --grid 4x10 --format none
    expect_text out "cycles     1823"
    expect 0 "$MCO" cycles list --grid 4x10 --min-length 6 --max-length 12 --output l
    awk 'NF < 6 || NF > 12 { exit 1 }' l || fail "a cycle has a wrong length"
    expect 0 "$MCO" cycles list --grid 4x4 --through 6,11 --output l
    awk '{ s = " " $0 " "; if (s !~ / 6 / || s !~ / 11 /) exit 1 }' l || fail "a cycle leaves out a vertex of --through"
    [ -s l ] || fail "no cycle goes through 6 and 11"
}

pictures() {
    expect 0 "$MCO" cycles count --grid 4x5 --plot p.svg
    expect_text p.svg "length 14: 17 cycles"
    expect_text p.svg "one of the cycles, of length 14"
    expect 0 "$MCO" cycles count --complete 3 --plot p.svg
    expect 0 "$MCO" cycles count --grid 1x5 --plot p.svg
    expect_text p.svg "there are no chordless cycles"
    expect 2 "$MCO" cycles count --grid 4x5 --plot q.svg --by-length off
    expect_no_file q.svg
}

# Graphs in files: names, directions, loops and parallel edges, a food web.
files() {
    expect 0 "$MCO" cycles generate --grid 4x10 --output g.col
    expect 0 "$MCO" cycles count g.col
    expect_text out "cycles     1823"
    expect 0 "$MCO" cycles generate --grid 4x10 --output g.graphml --output-format graphml
    expect 0 "$MCO" cycles count g.graphml
    expect_text out "cycles     1823"
    INPUT=g.col expect 0 "$MCO" cycles count -
    printf 'source,target\nUlm,Bonn\nBonn,Kiel\nKiel,"Bad Ems"\n"Bad Ems",Ulm\nUlm,Ulm\nBonn,Ulm\n' > towns.csv
    expect 0 "$MCO" cycles list towns.csv --output l --json r.json
    expect_text l "Ulm Bonn Kiel \"Bad Ems\""
    expect_json r.json loops 1
    expect_json r.json parallel 1
    expect_text out "ignored    1 loop, 1 parallel edge"
    expect 0 "$MCO" cycles check towns.csv l
    expect 0 "$MCO" cycles list towns.csv --format jsonl --output l
    expect_text l '{"length":4,"vertices":["Ulm","Bonn","Kiel","Bad Ems"]}'
    expect 0 "$MCO" cycles check towns.csv l
    expect 0 "$MCO" cycles count towns.csv --through Kiel,Ulm
    expect 2 "$MCO" cycles count towns.csv --through Kiel,Rome
    expect_text err "the graph has no vertex Rome"
    printf '1 2\n2 3\n3 1\n3 4\n4 3\n' > arcs
    expect 0 "$MCO" cycles count arcs --directed
    expect_text out "cycles     0 longer than 3, 1 triangle, 1 pair of opposite arcs"
    expect 0 "$MCO" cycles list arcs --directed --output l
    printf '1 2 3\n' | cmp -s - l || fail "the directed list is $(cat l)"
    expect 0 "$MCO" cycles check arcs l --directed
    expect 2 "$MCO" cycles count arcs --directed --direction undirected
    expect_text err "the graph is undirected"
    expect 2 "$MCO" cycles count arcs --directed --method frontier
    # Two predators share a prey; the four make a square.
    printf 'a w\na x\nb x\nb y\nc y\nc z\nd z\nd w\n' > web
    expect 0 "$MCO" cycles count web --food-web
    expect_text out "cycles     1 longer than 3"
    expect 2 "$MCO" cycles count --grid 3x3 --food-web
}

# What is said to those who mistype, and of graphs that are not what was meant.
messages() {
    printf '"Ulm, west" Bonn\nBonn Kiel\nKiel Cham\nCham "Ulm, west"\n' > commas
    expect 0 "$MCO" cycles count commas --through '"Ulm, west",Kiel'
    expect_text out "cycles     1 longer than 3"
    expect 2 "$MCO" cycles count commas --through 'Bonn,,Kiel'
    expect_text err "--through has an empty name"
    expect 2 "$MCO" cycles list --grid 3x3 --format none --output l.none
    expect_text err "--format none writes no list"
    expect_no_file l.none
    printf '# vertices: 1\n' > lone
    expect 0 "$MCO" cycles count lone
    expect_text out "1 vertex, 0 edges"
    printf '0 1 1\n1 0 1\n0 1 0\n' > one_way.mat
    expect 0 "$MCO" cycles count one_way.mat
    expect_text err "the arcs are taken as edges"
    expect_text out "cycles     0 longer than 3, 1 triangle"
    expect 0 "$MCO" cycles count one_way.mat --directed
    if grep -q "taken as edges" err; then fail "arcs of a directed count are taken as edges"; fi
    expect 0 "$MCO" cycles count --grid 1200x1200 --time-limit 0.1 --json r.json
    expect_json r.json method_reason '"it was stopped before a method was chosen"'
    expect_json r.json outcome '"feasible"'
    expect_json r.json vertices 1440000
}

# A wrong list fails its check.
checks() {
    printf '1 2 \0335 4\n' > control
    expect 3 "$MCO" cycles check --grid 2x3 control
    expect_text err "control:1:5: not a text file (byte 0x1b)"
    printf '1\n' > single
    expect 1 "$MCO" cycles check --grid 2x3 single
    expect_text err "the cycle has 1 vertex, 3 or more were expected"
    printf '1 2 5 4\n1 2 3 6 5 4\n' > chord
    expect 1 "$MCO" cycles check --grid 2x3 chord
    expect_text err "chord:2: vertices 2 and 5 are joined by a chord"
    printf '1 2 5 4\n2 5 4 1\n' > twice
    expect 1 "$MCO" cycles check --grid 2x3 twice
    expect_text err "twice:2: cycle 2 has the vertices of cycle 1"
    printf '1 2 9\n' > outside
    expect 3 "$MCO" cycles check --grid 2x3 outside
    expect_text err "outside:1:5: the graph has no vertex \"9\""
    expect 0 "$MCO" cycles list --grid 4x4 --format bits --output l
    expect 1 "$MCO" cycles check --grid 4x5 l
    expect_text err "the list is of a graph of 16 vertices and 24 edges"
    { head -c 8 l && printf '\003' && tail -c +10 l; } > header
    expect 3 "$MCO" cycles check --grid 4x4 header
    expect_text err "the header says neither 0 nor 1"
    head -c 200 l > cut
    expect 3 "$MCO" cycles check --grid 4x4 cut
    expect_text err "the list ends inside a part"
    expect 3 "$MCO" cycles check --grid 4x4 missing
}

bad_input() {
    : > empty
    expect 0 "$MCO" cycles count empty
    expect_text out "graph      empty, 0 vertices, 0 edges"
    expect 0 "$MCO" cycles count --grid 1x1
    expect_text out "cycles     0 longer than 3, 0 triangles"
    printf '0 1 0\n1 0 1\n1 0 0\n' > asymmetric
    expect 0 "$MCO" cycles count asymmetric --input-format matrix
    printf '1 2\n2 3\n3 4\n4 1\n5 6\n6 7\n7 8\n8 5\n9 9\n' > two
    expect 0 "$MCO" cycles count two
    expect_text out "cycles     2 longer than 3"
    expect_text out "ignored    1 loop"
    expect 2 "$MCO" cycles
    expect 2 "$MCO" cycles count
    expect_text err "a file or a graph to generate, such as --grid 7x10, is needed"
    expect 2 "$MCO" cycles count --grid 3x3 two
    expect_text err "a file and a graph to generate exclude each other"
    expect 2 "$MCO" cycles count --grid 3x3 --wheel 5
    expect_text err "2 graphs to generate were named"
    expect 2 "$MCO" cycles count --grid 3,3
    expect_text err "two numbers like 7x10 were expected"
    expect 2 "$MCO" cycles count --grid 4x4 --min-length 9 --max-length 5
    expect 2 "$MCO" cycles count --grid 4x4 --engine reference --method search
    expect 2 "$MCO" cycles list --grid 4x4 --format factored --limit 5 --output l
    expect 2 "$MCO" cycles generate
    expect 3 "$MCO" cycles count missing --json bad.json
    expect_no_file bad.json
    expect 3 "$MCO" cycles list --grid 3x3 --output nowhere/l
    expect 0 "$MCO" help cycles
    expect_text out "mco cycles list"
}

# No cycle is possible in a tree: no method runs.
tree() {
    awk 'BEGIN { for (v = 2; v <= 1000001; v++) print int(v / 2), v }' > tree
    expect 0 "$MCO" cycles count tree --json r.json
    expect_json r.json cycles 0
    expect_json r.json edges 1000000
    expect_json r.json blocks 0
    expect_text out "no method is needed"
    rm tree
}

# A reader that leaves ends the list with exit code 0. A full disk is an error, and the old file stays.
pipes_and_disks() {
    local codes
    "$MCO" cycles list --grid 7x10 2> err | head -n 1 > out
    codes=("${PIPESTATUS[@]}")
    [ "${codes[0]}" -eq 0 ] || fail "exit code ${codes[0]} for a closed pipe"
    [ "$(wc -l < out)" -eq 1 ] || fail "head has $(wc -l < out) lines"
    "$MCO" cycles list --grid 7x10 --format bits --quiet 2> err | head -c 1000 > out
    codes=("${PIPESTATUS[@]}")
    [ "${codes[0]}" -eq 0 ] || fail "exit code ${codes[0]} for a closed pipe of packed sets"
    if [ -w /dev/full ]; then
        expect 3 "$MCO" cycles list --grid 5x10 --output /dev/full
        expect_text err "cannot write /dev/full: No space left on device"
        "$MCO" cycles list --grid 5x10 > /dev/full 2> err && fail "a list went to a full disk"
        expect_text err "cannot write standard output: No space left on device"
        expect 3 "$MCO" cycles count --grid 5x10 --json /dev/full
    fi
    echo kept > old
    expect 2 "$MCO" cycles list --grid 4x4 --format factored --limit 1 --output old
    grep -q kept old || fail "an old list was lost"
}

# A frontier that is wider than the memory allows: auto falls back to the search and says so, frontier fails.
fallback() {
    expect 0 "$MCO" cycles count --regular 60,3 --seed 4 --method search --json s.json
    expect 0 "$MCO" cycles count --regular 60,3 --seed 4 --memory 1 --json r.json
    expect_json r.json cycles "$(json s.json cycles)"
    expect_text r.json '"method": "search"'
    expect_text out "method     search: the frontier "
    expect 3 "$MCO" cycles count --regular 60,3 --seed 4 --memory 1 --method frontier
    expect_text err "1048576 are allowed"
    expect 0 "$MCO" cycles list --regular 60,3 --seed 4 --memory 1 --output l
    [ "$(wc -l < l)" -eq "$(($(json s.json cycles) + $(json s.json triangles)))" ] || fail "the list has $(wc -l < l) lines"
}

# Without a GPU the engine says so.
gpu() {
    local seen=0
    "$MCO" cycles count --grid 5x6 --engine gpu --json g.json > out 2> err || seen=$?
    if [ "$seen" -eq 4 ]; then
        expect_text err "GPU"
        return 0
    fi
    [ "$seen" -eq 0 ] || fail "exit code $seen with --engine gpu"
    expect_json g.json cycles 749
}

counts
lists
pictures
files
messages
checks
bad_input
tree
pipes_and_disks
fallback
gpu
