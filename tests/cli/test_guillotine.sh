# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco guillotine: files; plans that `check` accepts and refuses; rules of cutting; tables; generated instances; batches.

printf '20 15\n5\n7 4 30\n5 6 33\n3 3 9\n4 9 41\n40 2 500\n' > example.txt
printf 'plate,20,15\nname,width,height,value\nshelf,7,4,30\ndoor,5,6,33\nfoot,3,3,9\nside,4,9,41\nrail,40,2,500\n' > example.csv

all_files() {
    expect 0 "$MCO" guillotine solve example.txt --json r.json --solution s.json --plot p.svg --table t.csv
    expect_text out "outcome    optimal (finished)"
    expect_text out "value      337"
    expect_text p.svg "example.txt: value 337, optimal</text>"
    expect_text out "5 pieces, 1 of them larger than the plate"
    expect_text out "1. cut the plate 20 x 15"
    expect_text out "|X| 18, |Y| 12"
    expect_text out "relaxations"
    expect_text err "1 of 5 piece types do not fit the plate"
    expect_text err "engine cpu"
    expect_json r.json kind '"guillotine"'
    expect_json r.json name '"example.txt"'
    expect_json r.json width 20
    expect_json r.json height 15
    expect_json r.json pieces 5
    expect_json r.json outcome '"optimal"'
    expect_json r.json stop '"finished"'
    expect_json r.json objective 337
    expect_json r.json bound 337
    expect_json r.json gap 0
    expect_json r.json value 337
    expect_json r.json stages null
    expect_json r.json patterns_x 18
    expect_json r.json patterns_y 12
    expect_json r.json pieces_too_large 1
    expect_json r.json ok true
    expect_text p.svg "<svg"
    expect_text t.csv "20,15,337"
    expect 0 "$MCO" guillotine solve example.csv --solution s.txt --quiet
    expect_text s.txt "1. cut the plate 20 x 15"
    expect_text s.txt "x piece side, 4 x 9"
    if [ -s err ]; then fail "--quiet is not quiet"; fi
    local left
    left=$(find . -name '*.tmp-*')
    [ -z "$left" ] || fail "left behind: $left"
}

standard_streams() {
    INPUT=example.txt expect 0 "$MCO" guillotine solve - --json -
    head -n 1 out > first && expect_text first "{"
    expect_json out objective 337
    expect 0 "$MCO" guillotine solve example.txt --solution -
    expect_text out '"plan": {'
    expect 0 "$MCO" guillotine solve example.txt --table /dev/stdout
    if grep -q optimal out; then fail "the summary is mixed with the table"; fi
    [ -w /dev/full ] || return 0
    local flag
    for flag in --json --solution --plot --table; do
        expect 3 "$MCO" guillotine solve example.txt "$flag" /dev/full
        expect_text err "No space left on device"
        expect 3 "$MCO" guillotine solve example.txt "$flag" no/such/folder/file
        expect_text err "cannot write no/such/folder/file: No such file or directory"
    done
}

# A result file and the file of --solution are both plans. Changed plans fail the check, with the node or the place.
plans() {
    local file text message
    for file in r.json s.json; do
        expect 0 "$MCO" guillotine check example.txt "$file"
        expect_text out "valid: value 337"
        INPUT=$file expect 0 "$MCO" guillotine check example.csv -
    done
    sed 's/"value": 337/"value": 336/' s.json > bad.json
    expect 1 "$MCO" guillotine check example.txt bad.json
    expect_text err "the plan is worth 337, its file says 336"
    while IFS='|' read -r text message; do
        printf '%s' "$text" > bad.json
        expect 1 "$MCO" guillotine check example.txt bad.json
        expect_text err "$message"
    done << 'END'
|bad.json:1:1: the file is empty
1. cut the plate|bad.json:1:1: '{' was expected, '1' found: a plan is a JSON object, lists of cuts are not read
{"value": "x"}|bad.json:1:11: "value": a whole number from 0 was expected
{"plan": {"x": 0, "y": 0, "w": 20, "h": 15, "cut": "x", "at": 7, "parts": [{"x": 0, "y": 0, "w": 7, "h": 15, "waste": true}, {"x": 5, "y": 0, "w": 15, "h": 15, "waste": true}]}}|node 2 (waste, 15 x 15 at 5,0): the cut leaves 13 x 15 at 7,0
{"value": 0}|the file holds no plan
{"plan": {"x": 0, "y": 0, "w": 20, "h": 15, "piece": 1}}|node 0 (piece 1, 20 x 15 at 0,0): this piece is 7 x 4
{"plan": {"x": 0, "y": 0, "w": 21, "h": 15, "waste": true}}|node 0 (waste, 21 x 15 at 0,0): the plate is 20 x 15
{"plan": {"x": 0, "y": 0, "w": 20, "h": 15, "piece": 6}}|bad.json:1:54: "piece" is 6, allowed is 1 to 5
{"plan": {"x": 0, "y": 0, "w": 20|bad.json:1:34:
END
    printf '{"plan": {"x": 0, "y": 0, "w": 20, "h": 15, "waste": true}}' > none.json
    expect 0 "$MCO" guillotine check example.txt none.json
    expect_text out "valid: value 0, 0 pieces, waste 100.000%"
    expect 3 "$MCO" guillotine check example.txt missing
    expect 3 "$MCO" guillotine check missing r.json
}

# rule VALUE OPTIONS...: the optimum under these rules must be VALUE, and the plan must keep the rules.
rule() {
    local value=$1 engine
    shift
    for engine in reference cpu; do
        if [ "$engine" = reference ] && [ -n "${MCO_SANITIZE:-}" ]; then continue; fi  # unit tests compare it with others
        expect 0 "$MCO" guillotine solve example.txt --engine "$engine" "$@" --json rule.json
        expect_json rule.json value "$value"
        expect_json rule.json name '"example.txt"'
        expect 0 "$MCO" guillotine check example.txt rule.json "$@"
        expect_text out "valid: value $value"
    done
}

# A brute force over all integer cuts gives these values.
rules() {
    rule 337
    rule 337 --rotate
    rule 337 --stages 3
    rule 337 --stages 2
    rule 300 --stages 2 --first-cut x
    rule 337 --stages 2 --first-cut y
    rule 205 --stages 1
    rule 99 --stages 1 --first-cut y
    rule 230 --stages 2 --first-cut x --kerf 1
    rule 233 --stages 2 --kerf 1
    rule 234 --kerf 1
    # The result file states its rules; those given come before them.
    expect 0 "$MCO" guillotine check example.txt rule.json
    expect_text err "--kerf 1 is taken from rule.json"
    expect 1 "$MCO" guillotine check example.txt rule.json --kerf 0
    expect_text err "the cut leaves"
    expect 1 "$MCO" guillotine check example.txt r.json --stages 1
    expect_text err "at most 1 allowed"
    rule 263 --kerf 1 --rotate
    sed -i 's/"rotate": true/"rotate": false/' rule.json
    expect 1 "$MCO" guillotine check example.txt rule.json
    expect_text err "rotation is not allowed"
}

# All engines, numbers of threads and vector units give the same table.
tables() {
    local options
    expect 0 "$MCO" guillotine generate testcut --width 300 --height 200 --pieces 30 --seed 4 --output g.txt
    expect 0 "$MCO" guillotine solve g.txt --engine reference --table reference.csv
    while read -r options; do
        # shellcheck disable=SC2086
        expect 0 "$MCO" guillotine solve g.txt --engine cpu $options --table t.csv
        cmp -s reference.csv t.csv || fail "the table of --engine cpu $options differs from the reference's"
    done << 'END'
--threads 1
--threads 3
--simd portable --threads 2
END
    head -n 1 reference.csv > first && expect_text first "x,y,value"
    expect 0 "$MCO" guillotine solve g.txt --table t.bin
    [ -s t.bin ] || fail "the binary table is empty"
}

generated() {
    expect 0 "$MCO" guillotine generate randcut --width 900 --height 700 --pieces 25 --seed 7 --output a.txt
    expect 0 "$MCO" guillotine generate randcut --width 900 --height 700 --pieces 25 --seed 7
    cmp -s a.txt out || fail "equal seeds give different instances"
    expect 0 "$MCO" guillotine generate randcut --width 900 --height 700 --pieces 25
    if cmp -s a.txt out; then fail "different seeds give equal instances"; fi
    expect 0 "$MCO" guillotine solve a.txt --json g.json
    expect_json g.json value 630000
    expect_json g.json waste 0
    expect 2 "$MCO" guillotine generate
    expect 2 "$MCO" guillotine generate gcut --width 9 --height 9 --pieces 2
    expect_text err "one of testcut|randcut was expected"
    expect 2 "$MCO" guillotine generate testcut --width 900 --pieces 3
    expect 2 "$MCO" guillotine generate testcut --width 0 --height 9 --pieces 3
    expect 2 "$MCO" guillotine generate randcut --width 2 --height 2 --pieces 5
    expect 3 "$MCO" guillotine generate randcut --width 9 --height 9 --pieces 3 --output no/such/folder/file
}

batches() {
    mkdir -p set/inner
    cp example.txt set/one.txt
    cp a.txt "set/inner/two words.txt"
    printf '# a set\n\none.txt x3\ninner/two words.txt\r\n  one.txt\n' > set/list
    expect 0 "$MCO" guillotine solve --batch set/list --json b.json
    expect_text out "set/list, 5 problems from 2 files"
    expect_text out "problems/s"
    [ "$(grep -c "630000  waste   0.000%  inner/two words.txt" out)" -eq 1 ] || fail "a file is not told once"
    expect_json b.json name '"set/list"'
    expect_json b.json outcome '"optimal"'
    expect_json b.json objective null
    expect_json b.json solved 5
    [ "$(grep -c '"value": 337' b.json)" -eq 4 ] || fail "not 4 results of one.txt"
    [ "$(grep -c '"file": "one.txt"' b.json)" -eq 4 ] || fail "not 4 names of one.txt"
    [ "$(sed -n 's/.*"file": "\(.*\)".*/\1/p' b.json | sed -n 4p)" = "inner/two words.txt" ] || fail "the list's order is lost"
    INPUT=set/one.txt expect 2 "$MCO" guillotine solve --batch set/list example.txt
    expect_text err "a file and --batch exclude each other"
    expect 2 "$MCO" guillotine solve --batch set/list --plot p.svg
    expect_text err "--plot is for one problem"
    printf '# nothing\n' > bad
    expect 3 "$MCO" guillotine solve --batch bad --json bad.json
    expect_text err "bad:2:1: the list names no file"
    printf 'one.txt\nset/one.txt x0\n' > bad
    expect 3 "$MCO" guillotine solve --batch bad
    expect_text err "bad:2:14: the number of times is 0, allowed is 1 to 1000000"
    printf 'set/one.txt x900000\nset/one.txt x100001\n' > bad
    expect 3 "$MCO" guillotine solve --batch bad
    expect_text err "bad:2: the list has 1000001 problems up to here, at most 1000000 are supported"
    printf 'set/one.txt\none.txt\n' > bad
    expect 3 "$MCO" guillotine solve --batch bad
    expect_text err "cannot read one.txt: No such file or directory"
}

refusals() {
    rm -f bad*
    expect 2 "$MCO" guillotine
    expect 2 "$MCO" guillotine solve
    expect_text err "a file or --batch is needed"
    expect 2 "$MCO" guillotine solve example.txt example.csv
    expect 2 "$MCO" guillotine solve example.txt --stages 0
    expect 2 "$MCO" guillotine solve example.txt --first-cut x
    expect_text err "give --stages too"
    expect 2 "$MCO" guillotine solve example.txt --kerf -1
    expect 2 "$MCO" guillotine solve example.txt --first-cut z
    expect_text err "one of any|x|y was expected"
    expect 2 "$MCO" guillotine solve example.txt --json same --plot same
    expect_text err "two outputs go to same"
    expect 2 "$MCO" guillotine solve example.txt --json ./same --plot same
    expect_text err "two outputs go to same"
    cp example.txt precious.txt
    expect 2 "$MCO" guillotine solve precious.txt --json ./precious.txt
    expect_text err "it would replace the input"
    cmp -s example.txt precious.txt || fail "the input was replaced"
    expect 2 "$MCO" guillotine check example.txt
    expect 2 "$MCO" guillotine check example.txt r.json --threads 2
    printf '10 10\n2\n3 3 9\n' > bad
    expect 3 "$MCO" guillotine solve bad --json bad.json --solution bad.txt --plot bad.svg --table bad.csv
    expect_text err "bad:"
    if [ -s out ]; then fail "something was printed for a file that is refused"; fi
    expect_no_file bad.json* bad.txt* bad.svg* bad.csv*
    expect 0 "$MCO" help guillotine
    expect_text out "mco guillotine solve"
}

no_pieces() {
    printf '10 10\n0\n' > empty
    expect 0 "$MCO" guillotine solve empty --json e.json
    expect_json e.json value 0
    expect_json e.json waste 1
    expect 0 "$MCO" guillotine check empty e.json
}

# Decimals are exact, whatever the separator; everything written is in the file's unit and reads back, without any option.
decimals() {
    printf 'plate;244,5;122\nname;width;height;value\n"shelf a";60,25;30,5;\n2;80;40;\n1;33,3;20;\n' > dec.csv
    expect 0 "$MCO" guillotine solve dec.csv --kerf 0.32 --rotate --json d.json --solution d.txt --table d.csv --plot d.svg
    expect_text err "dec.csv: sizes are multiples of 1/100 of the file's unit"
    expect_text out "plate 244.5 x 122"
    expect_json d.json width 244.5
    expect_json d.json kerf 0.32
    expect_text d.json '"name": "shelf a"'
    expect_text d.txt '60.25 x 30.5 (piece "shelf a"'
    expect_text d.txt "ids: names"
    expect_text d.svg "244.5"
    expect_text d.csv "0,0,0"
    expect 0 "$MCO" guillotine check dec.csv d.json
    expect_text out "valid: value $(json d.json objective)"
    expect 0 "$MCO" guillotine solve dec.csv --kerf 0.32 --rotate --solution d.plan
    expect 0 "$MCO" guillotine check dec.csv d.plan --kerf 0.32 --rotate
    expect 1 "$MCO" guillotine check dec.csv d.plan --kerf 0.33 --rotate
    expect_text err "the cut leaves"
    sed 's/^2;80/door;80/; s/^1;33/2;33/' dec.csv > changed.csv
    expect 1 "$MCO" guillotine check changed.csv d.json
    expect_text err "the rows of the instance have changed"
    expect 2 "$MCO" guillotine solve dec.csv --kerf 0.1234567
    expect_text err "at most 6 decimals are supported"
    printf '1\n7.5 3\n2.5 1.5 2.25\n' > dec.txt
    expect 0 "$MCO" guillotine solve dec.txt --json d.json
    expect_json d.json objective 13.5
    expect_json d.json waste 0
    printf 'plate,30,20\nwidth,height\n10,10\n' > whole.csv
    expect 0 "$MCO" guillotine solve whole.csv --kerf 0.5 --json d.json
    expect_json d.json objective 200
    expect 0 "$MCO" guillotine check whole.csv d.json
}

# A stopped run has a plan, which is a grid of one piece, and no table.
no_time() {
    local options side=5000
    if [ -n "${MCO_SANITIZE:-}" ]; then side=2000; fi
    expect 0 "$MCO" guillotine generate testcut --width "$side" --height "$side" --pieces 80 --seed 1 --output large.txt
    while read -r options; do
        # shellcheck disable=SC2086
        expect 0 "$MCO" guillotine solve large.txt --time-limit 0 $options --json n.json --solution n.txt --plot n.svg
        expect_json n.json stop '"time"'
        expect_json n.json outcome '"feasible"'
        expect_text out "outcome    feasible (time)"
        expect_text n.txt "waste:"
        expect_text n.svg "<svg"
        # shellcheck disable=SC2086
        expect 0 "$MCO" guillotine check large.txt n.json ${options#--engine reference}
    done << 'END'

--engine reference
--rotate --kerf 7
--stages 1
--stages 1 --first-cut y
--stages 2 --first-cut y --rotate
--stages 3 --kerf 2
END
    expect 1 "$MCO" guillotine solve large.txt --time-limit 0 --json n.json --table n.csv
    expect_text err "nothing is written to n.csv: the table is not complete (time)"
    expect_json n.json outcome '"feasible"'
    expect_no_file n.csv
    echo large.txt > large.list
    expect 0 "$MCO" guillotine solve --batch large.list --time-limit 0 --json n.json
    expect_json n.json stop '"time"'
    expect_json n.json solved 0
}

# Ctrl-C ends a run, and a batch in the middle of a problem; the result is still written.
interrupted() {
    local arguments pid seen side=30000
    if [ -n "${MCO_SANITIZE:-}" ]; then side=10000; fi
    expect 0 "$MCO" guillotine generate testcut --width "$side" --height "$side" --pieces 300 --seed 1 --output huge.txt
    echo huge.txt > huge.list
    for arguments in huge.txt "--batch huge.list"; do
        # shellcheck disable=SC2086
        "$MCO" guillotine solve $arguments --threads 1 --json i.json > out 2> err &
        pid=$!
        wait_for is_solving "$pid" 50
        kill -INT "$pid"
        seen=0
        wait "$pid" || seen=$?
        [ "$seen" -eq 130 ] || fail "exit code $seen after Ctrl-C ($arguments)"
        expect_json i.json stop '"cancelled"'
        expect_json i.json outcome '"feasible"'
        expect_text out "outcome    feasible (cancelled)"
    done
}

# Three large pieces on a plate of 10^9 are solved. Many positions are refused, with the memory that they would need.
large_sides() {
    printf '3\n1000000000 1000000000\n400000000 300000000 5\n350000001 333333333 5\n500000000 250000000 5\n' > wide.txt
    expect 0 "$MCO" guillotine solve wide.txt --json w.json
    expect_json w.json value 40
    printf '2\n1000000000 1000000000\n4 3 5\n3 4 5\n' > wide.txt
    expect 3 "$MCO" guillotine solve wide.txt
    expect_text err "a square table would need at least"
    expect 3 "$MCO" guillotine solve large.txt --memory 1
    expect_text err "at most 1.0 MiB allowed"
}

# Without a GPU the engine says so; with a GPU it gives the same values as the others.
gpu() {
    local seen=0
    "$MCO" guillotine solve g.txt --engine gpu --table gpu.csv > out 2> err || seen=$?
    if [ "$seen" -eq 4 ]; then
        expect_text err "GPU"
        return 0
    fi
    [ "$seen" -eq 0 ] || fail "exit code $seen with --engine gpu"
    cmp -s reference.csv gpu.csv || fail "the gpu's table differs from the reference's"
}

# Values beyond the digits of a double are written exactly, and read back.
exact_values() {
    printf 'plate,20,20\nname,width,height,value\na,1,1,9007199253.740991\nb,19,3,0.000003\n' > exact.csv
    expect 0 "$MCO" guillotine solve exact.csv --engine cpu --json exact.json --solution exact.plan
    expect_text out "value      3602879701496.3964"
    expect 0 "$MCO" guillotine check exact.csv exact.json
    expect 0 "$MCO" guillotine check exact.csv exact.plan
}

all_files
standard_streams
plans
rules
tables
generated
batches
refusals
no_pieces
decimals
no_time
interrupted
large_sides
gpu
awk 'BEGIN { print "plate,500,500\nwidth,height"; for (i = 0; i < 20000; i++) print 1 + i % 400 "," 1 + i % 300 }' > slow.csv
slow_input slow.csv guillotine
exact_values
