# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco paths: trees by every method on cores, files of distances and their check, generated networks, bad input.

# 1 -> 2 -> 3 -> 4 with a detour, one vertex apart, and places.
sample() {
    printf 'p sp 5 5\na 1 2 10\na 2 3 0\na 1 3 25\na 3 4 5\na 4 1 1\n' > s.gr
    printf 'p aux sp co 5\nv 1 0 0\nv 2 10 0\nv 3 10 10\nv 4 0 10\nv 5 5 5\n' > s.co
}

trees() {
    local method
    sample
    for method in auto dijkstra buckets; do
        expect 0 "$MCO" paths tree s.gr --source 1 --method $method --engine cpu --json r.json --output d.txt --quiet
        if [ "$(tr '\n' ' ' < d.txt)" != "# source 1 1 0 2 10 3 10 4 15 " ]; then fail "method $method finds other distances"; fi
        expect_json r.json kind '"paths"'
        expect_json r.json outcome '"optimal"'
        expect_json r.json reached 4
        expect_json r.json farthest 15
        expect_json r.json vertices 5
        expect_json r.json arcs 5
    done
    expect_json r.json method_reason '"it was asked for"'
    expect 0 "$MCO" paths tree s.gr --source 4 --engine reference --output d.txt --parent-output p.txt --plot p.svg --json r.json
    expect_text out "distances  from 4 to 4 vertices, the farthest at 11"
    expect_text p.txt "3 2"
    expect_text p.svg "</svg>"
    expect_text r.json '"method": "dijkstra"'
    expect_json r.json source '"4"'
    expect 1 "$MCO" paths tree s.gr --source 1 --time-limit 0 --quiet --json r.json
    : > nothing.txt
    expect 2 "$MCO" paths tree nothing.txt --source 1
    expect_text err "nothing.txt has no vertex 1, it has none at all"
}

files() {
    local end
    sample
    for end in txt bin json txt.gz bin.gz json.gz; do
        expect 0 "$MCO" paths tree s.gr --source 2 --output "d.$end" --quiet
        expect 0 "$MCO" paths check s.gr "d.$end"
        expect_text out "valid      1 tree of shortest paths"
    done
    expect 0 "$MCO" paths tree s.gr --source 1 --output d.txt --quiet
    sed -i 's/^4 15$/4 14/' d.txt
    expect 1 "$MCO" paths check s.gr d.txt
    expect_text err "vertex 4 has distance 14, the arcs into it give 15 at least"
    sed -i 's/^4 14$/4 16/' d.txt
    expect 1 "$MCO" paths check s.gr d.txt
    expect_text err "arc 3 from 3 to 4: distance 10 and weight 5 give 15, and 4 has distance 16"
    sed -i '/^4 16$/d' d.txt
    expect 1 "$MCO" paths check s.gr d.txt
    expect_text err "and 4 has no distance"
}

generators() {
    local family
    for family in grid road; do
        expect 0 "$MCO" paths generate $family --size 20x30 --seed 3 --output g.gr
        expect 0 "$MCO" paths generate $family --size 20x30 --seed 3 --output h.gr
        cmp -s g.gr h.gr || fail "one seed gives two networks"
        expect 0 "$MCO" paths tree g.gr --source 1 --output d.bin --plot p.svg
        expect_text out "to 600 vertices"
        expect 0 "$MCO" paths check g.gr d.bin
    done
    expect 0 "$MCO" paths generate road --size 20x30 --seed 3 --output folder/ --order order.txt
    if [ "$(sort -n order.txt | uniq | wc -l)" -ne 600 ]; then fail "the order is no permutation"; fi
    expect 0 "$MCO" paths tree folder --source 0 --output e.bin --quiet
    expect 0 "$MCO" paths check folder e.bin
    expect 0 "$MCO" paths generate random --vertices 50 --arcs 200 --output r.gr
    expect_text r.gr "p sp 50 200"
}

bad_input() {
    sample
    expect 2 "$MCO" paths tree s.gr
    expect_text err "--source is missing"
    expect 2 "$MCO" paths tree s.gr --source 6
    expect_text err "s.gr has no vertex 6, its vertices are 1 to 5"
    expect 2 "$MCO" paths tree s.gr --source 1 --method sweep
    expect_text err "method sweep needs a hierarchy"
    expect 2 "$MCO" paths tree s.gr --source 1 --method tiles --engine cpu
    expect_text err "tiles need a GPU"
    printf 'p sp 2 1\na 1 2 -7\n' > bad.gr
    expect 3 "$MCO" paths tree bad.gr --source 1
    expect_text err "bad.gr: arc 0 from 1 to 2 has weight -7, 0 or more was expected"
    printf 'p sp 2 1\na 1 3 7\n' > bad.gr
    expect 3 "$MCO" paths tree bad.gr --source 1
    expect_text err "bad.gr:2:5"
    printf 'p sp 3 2\na 1 2 1073741800\na 2 3 100\n' > long.gr
    for engine in reference cpu; do
        expect 3 "$MCO" paths tree long.gr --source 1 --engine $engine
        expect_text err "a smaller scale helps"
        expect 0 "$MCO" paths tree long.gr --source 1 --engine $engine --scale 0.5 --quiet
    done
    mkdir -p vectors
    printf '\0\0\0\0\1\0\0\0\1\0\0\0' > vectors/first_out
    printf '\1\0\0\0' > vectors/head
    printf '\1\0\0\0\1\0\0\0' > vectors/travel_time
    expect 3 "$MCO" paths tree vectors --source 0
    expect_text err "travel_time has 8 bytes, 4 were expected: 4 for each arc"
    printf '\7\0\0\0' > vectors/head
    printf '\1\0\0\0' > vectors/travel_time
    expect 3 "$MCO" paths tree vectors --source 0
    expect_text err "head[0] is 7, there are vertices 0 to 1"
    printf '\1\0\0\0' > vectors/head
    cp vectors/head head.bin
    expect 2 "$MCO" paths tree vectors --source 0 --output vectors/head
    expect_text err "an output goes to vectors/head: it would replace the input"
    cmp vectors/head head.bin || fail "a vector of the input was replaced"
    expect 0 "$MCO" paths tree vectors --source 0 --output vectors/distances.txt
    expect 0 "$MCO" paths tree vectors --source 0 --output vectors/distances.txt --threads 1000
    expect_text err "threads in place of 1000"
    rm vectors/travel_time
    expect 3 "$MCO" paths tree vectors --source 0
    printf 'p aux sp co 5\nv 1 0 0\n' > s.co
    expect 3 "$MCO" paths tree s.gr --source 1
    expect_text err "s.co:3:1: the file has places of 1 vertices, the network has 5"
    rm s.co
    expect 2 "$MCO" paths tree s.gr --source 1 --plot p.svg
    expect_text err "has no places"
    expect 2 "$MCO" paths generate grid --vertices 5 --output g.gr
    expect 2 "$MCO" paths generate lattice --size 5x5
    expect_text err '"lattice" is no family of networks'
    expect 2 "$MCO" paths generate grid --size 5x5 --order o
}

journeys() {
    expect 0 "$MCO" paths generate multimodal --size 8x8 --layers 50,40 --output n.mm --automaton n.aut
    expect 0 "$MCO" paths journey n.mm n.aut --source 1 --target 154 --depart 08:00
    expect_text out "outcome    optimal (finished)"
    expect 2 "$MCO" paths journey n.mm n.aut --source 155 --depart 08:00
    expect_text err "--source 155: the network has vertices 1 to 154"
    expect 2 "$MCO" paths journey n.mm n.aut --source 1 --target 0 --depart 08:00
    grep -v start n.aut > nostart.aut
    expect 3 "$MCO" paths journey n.mm nostart.aut --source 1 --depart 08:00
    expect_text err "the automaton has no start state"
    grep -v final n.aut > nofinal.aut
    expect 3 "$MCO" paths journey n.mm nofinal.aut --source 1 --depart 08:00
    expect_text err "the automaton has no final state"
}

journeys
trees
files
generators
bad_input
