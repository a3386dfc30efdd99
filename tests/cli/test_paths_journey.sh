# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco paths journey, and generate multimodal.

expect 0 "$MCO" paths generate multimodal --size 16x16 --layers 60,50,40,30 --degree 5 --states 3 --automaton a.txt --output city.mm

journeys() {
    expect 0 "$MCO" paths journey city.mm a.txt --source 4 --target 200 --depart 07:00 --json r.json
    expect_text out 'outcome    optimal (finished)'
    expect_text out 'arrival    0'
    expect_json r.json kind '"paths"'
    arrival=$(json r.json arrival)
    expect 0 "$MCO" paths journey city.mm a.txt --source 4 --target 200 --depart 07:00 --engine reference --json r.json
    [ "$(json r.json arrival)" = "$arrival" ] || fail "the reference arrives at $(json r.json arrival), not at $arrival"
    expect 0 "$MCO" paths journey city.mm a.txt --source 4 --depart 25:10:30 --json r.json
    expect_text out 'pairs of vertex and state'
}

refusals() {
    expect 2 "$MCO" paths journey city.mm a.txt --source 4
    expect_text err '--depart HH:MM is missing'
    expect 2 "$MCO" paths journey city.mm a.txt --source 4 --depart noon
    expect_text err '--depart noon is no time'
    expect 2 "$MCO" paths journey city.mm a.txt --source 4000 --depart 07:00
    expect_text err '--source 4000: the network has vertices 1 to 436'
    echo 'states A' > bad.txt
    expect 3 "$MCO" paths journey city.mm bad.txt --source 4 --depart 07:00
    expect_text err 'the automaton has no start state'
    sed 's/^p mm/p mn/' city.mm > bad.mm
    expect 3 "$MCO" paths journey bad.mm a.txt --source 4 --depart 07:00
    expect_text err 'bad.mm:1:'
    expect 4 "$MCO" paths journey city.mm a.txt --source 4 --depart 07:00 --engine gpu --gpus 63
}

journeys
refusals
