# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the command writes: the result file, solution, picture and history, each whole or not at all; and where it reads
# from.

printf '3 4\n5 2 1\n3 2 3\n4 1 5\n1 4 2\n' > example.txt

# no_leftovers: no temporary file may stay behind.
no_leftovers() {
    local left
    left=$(find . -name '*.tmp-*')
    [ -z "$left" ] || fail "left behind: $left"
}

all_files() {
    expect 0 "$MCO" flowshop solve example.txt --json r.json --solution s.txt --plot p.svg --history h.csv --seed 5
    expect_text out "makespan   16"
    expect_json r.json schema 1
    expect_json r.json kind '"flowshop"'
    expect_json r.json name '"example.txt"'
    expect_json r.json jobs 3
    expect_json r.json machines 4
    expect_json r.json outcome '"optimal"'
    expect_json r.json stop '"finished"'
    expect_json r.json objective 16
    expect_json r.json bound 16
    expect_json r.json gap 0
    expect_json r.json seed 5
    expect_json r.json time-limit null
    expect_json r.json order "[3, 2, 1]"
    expect_json r.json ok true
    head -n 1 s.txt > first && expect_text first "3 2 1"
    expect_text p.svg "<svg"
    expect_text p.svg "example.txt: makespan 16, optimal</text>"
    expect_text p.svg "</svg>"
    head -n 1 h.csv > first && expect_text first "time_s,makespan,bound"
    tail -n 1 h.csv | grep -q ',16,[0-9]*$' || fail "the history does not end with makespan 16"
    no_leftovers
}

# A build without GPU engines does not announce that it will look for a GPU.
log_of_auto() {
    expect 0 "$MCO" devices
    if ! grep -q "this build has no GPU engine" out; then return; fi
    expect 0 "$MCO" flowshop solve example.txt
    expect_text err "engine cpu, "
}

# A file that is replaced keeps its mode; a new one has what umask says.
modes() {
    rm -f m.json new.json
    touch m.json && chmod 640 m.json
    (umask 027 && expect 0 "$MCO" flowshop solve example.txt --json m.json --solution new.txt)
    [ "$(stat -c %a m.json)" = 640 ] || fail "the mode of a replaced file is $(stat -c %a m.json)"
    [ "$(stat -c %a new.txt)" = 640 ] || fail "the mode of a new file is $(stat -c %a new.txt)"
    chmod 604 m.json
    expect 0 "$MCO" flowshop solve example.txt --json m.json
    [ "$(stat -c %a m.json)" = 604 ] || fail "the mode of a replaced file is $(stat -c %a m.json)"
    no_leftovers
}

# Killed runs leave temporary files: the next run to the same path sweeps them, and nothing else.
leftovers() {
    rm -f victim
    echo "precious" > victim
    echo "half" > r.json.tmp-abcdefghijkl
    ln -s victim r.json.tmp-abcdefghijkm
    echo "mine" > r.json.tmp-mine
    echo "mine" > r.json.tmp-abcdefghijkL
    (
        exec 9> r.json.tmp-abcdefghijkn
        flock -n 9
        expect 0 "$MCO" flowshop solve example.txt --json r.json
        [ -e r.json.tmp-abcdefghijkn ] || fail "a file that another process writes was removed"
    )
    expect_no_file r.json.tmp-abcdefghijkl
    [ -e r.json.tmp-mine ] && [ -e r.json.tmp-abcdefghijkL ] || fail "files of other names were removed"
    [ "$(cat victim)" = "precious" ] || fail "a temporary file was written through a link"
    rm -f r.json.tmp-*
}

# A link that someone plants under a name made of the path and the number of the process is not written through. exec keeps
# the number.
planted_links() {
    echo "precious" > victim
    bash -c 'ln -s victim "r.json.tmp-$$" && exec "$0" flowshop solve example.txt --quiet --json r.json' "$MCO" > out
    [ "$(cat victim)" = "precious" ] || fail "a planted link was written through"
    [ -f r.json ] && [ ! -L r.json ] || fail "r.json is a link"
    expect_json r.json objective 16
    rm -f victim r.json.tmp-*
}

# Many writers of one path: each file is whole.
writers() {
    local k
    for k in 1 2 3 4 5 6 7 8; do "$MCO" flowshop solve example.txt --quiet --json same.json > /dev/null & done
    wait
    [ "$(tail -n 1 same.json)" = "}" ] || fail "the file is not whole"
    expect 0 "$MCO" flowshop check example.txt same.json
    no_leftovers
}

# Writers that begin one after the other sweep: none takes the file that another one is about to rename.
sweepers() {
    local k runs=40
    if [ -n "${MCO_SANITIZE:-}" ]; then runs=8; fi
    for k in 1 2 3; do
        (for _ in $(seq "$runs"); do "$MCO" flowshop solve example.txt --quiet --threads 1 --json same.json > /dev/null || echo failed; done \
            > "sweep$k" 2>&1) &
    done
    wait
    if [ -s sweep1 ] || [ -s sweep2 ] || [ -s sweep3 ]; then fail "a file was lost: $(cat sweep?)"; fi
    no_leftovers
}

# A name may have 255 bytes. A stream takes the last solution only.
long_names() {
    local name
    name=$(printf 'n%.0s' $(seq 250))
    expect 0 "$MCO" flowshop solve example.txt --json "$name.json"
    rm "$name.json"
    no_leftovers
    expect 0 "$MCO" flowshop solve ta051 --method heuristic --time-limit 1.5 --quiet --solution /dev/stdout
    cp out stream.txt
    expect 0 "$MCO" flowshop check ta051 stream.txt
}

spellings() {
    mkdir -p sub
    expect 2 "$MCO" flowshop solve example.txt --json one --solution "../$(basename "$PWD")/one"
    expect_text err "two outputs go to"
    expect 2 "$MCO" flowshop solve example.txt --json one --solution sub/../one
    expect_text err "two outputs go to"
    expect 2 "$MCO" flowshop solve example.txt --json "$PWD/one" --solution .//one
    expect_text err "two outputs go to"
    expect 0 "$MCO" flowshop solve example.txt --json one --solution sub/one
    rm -r sub one
}

# A result file, a solution file and one on standard input are all solutions.
read_back() {
    expect 0 "$MCO" flowshop check example.txt r.json
    expect_text out "valid: makespan 16"
    expect 0 "$MCO" flowshop check example.txt s.txt
    INPUT=s.txt expect 0 "$MCO" flowshop check example.txt -
    expect_text out "valid: makespan 16"
    expect 0 "$MCO" flowshop solve example.txt --start r.json --method heuristic --iterations 0 --json again.json
    expect_json again.json objective 16
}

standard_streams() {
    INPUT=example.txt expect 0 "$MCO" flowshop solve - --json -
    head -n 1 out > first && expect_text first "{"
    expect_json out objective 16
    expect_json out name '"stdin"'
    local one two
    for one in - /dev/stdout /dev/fd/1; do
        [ "$one" = - ] || [ -e "$one" ] || continue
        expect 0 "$MCO" flowshop solve example.txt --json "$one"
        if grep -v '^[{} ]' out; then fail "the summary is in the result file"; fi
        for two in - /dev/stdout; do
            expect 2 "$MCO" flowshop solve example.txt --json "$one" --solution "$two"
            expect_text err "two outputs go to $two"
        done
    done
    expect 0 "$MCO" flowshop solve example.txt --solution - --quiet
    expect_text out "3 2 1"
    if [ -s err ]; then fail "--quiet is not quiet"; fi
    expect 0 "$MCO" flowshop generate --taillard ta001
    cp out generated
    INPUT=generated expect 0 "$MCO" flowshop bound - --bound lb1
    cp out from_file
    expect 0 "$MCO" flowshop bound ta001 --bound lb1
    [ "$(sed 's/.*>= //' out)" = "$(sed 's/.*>= //' from_file)" ] || fail "ta001 and its file differ in the bound"
}

compressed() {
    command -v gzip > /dev/null || return 0
    "$MCO" --version | grep -q "no zlib" && return 0
    gzip -c example.txt > example.txt.gz
    expect 0 "$MCO" flowshop solve example.txt.gz --json z.json
    expect_json z.json objective 16
    INPUT=example.txt.gz expect 0 "$MCO" flowshop bound -
}

# A path that cannot be written is reported before the solve, which would never end here.
unwritable() {
    local flag
    for flag in --json --solution --plot --history --checkpoint; do
        expect 3 timeout 60 "$MCO" flowshop solve ta051 "$flag" no/such/folder/file
        expect_text err "cannot write no/such/folder/file: No such file or directory"
        expect 3 timeout 60 "$MCO" flowshop solve ta051 "$flag" ""
    done
    expect 3 "$MCO" flowshop generate --taillard ta001 --output no/such/folder/file
}

full_disk() {
    [ -w /dev/full ] || return 0
    local flag
    for flag in --json --solution --plot --history; do
        expect 3 "$MCO" flowshop solve example.txt "$flag" /dev/full
        expect_text err "No space left on device"
    done
    local code=0
    "$MCO" flowshop solve example.txt --quiet > /dev/full 2> err || code=$?
    [ "$code" -eq 3 ] || fail "exit code $code instead of 3 when standard output is full"
    expect 3 "$MCO" flowshop generate --taillard ta001 --output /dev/full
}

# The old file stays under its name until the new file is whole.
keeps_old_files() {
    echo old > kept.json
    printf 'x' > bad
    expect 3 "$MCO" flowshop solve bad --json kept.json
    expect_text kept.json old
    expect 2 "$MCO" flowshop solve example.txt --json kept.json --threads none
    expect_text kept.json old
    expect 0 "$MCO" flowshop solve example.txt --json kept.json
    expect_json kept.json objective 16
    # Where the machine lacks what the run needs, no file of an earlier run may pass for its result.
    cp kept.json old.txt && cp kept.json old.svg && cp kept.json old.csv && cp kept.json old.json
    expect 4 env CUDA_VISIBLE_DEVICES= "$MCO" flowshop solve example.txt --engine gpu --json old.json --solution old.txt \
        --plot old.svg --history old.csv
    expect_text err "mco: no GPU"
    expect_text err "there is no solution: the old file old.txt is removed"
    expect_no_file old.json old.txt old.svg old.csv
    ln -s kept.json link.json
    expect 0 "$MCO" flowshop solve example.txt --json link.json
    [ -L link.json ] || fail "the link was replaced"
    no_leftovers
}

# No output replaces what the action reads: the instance, --start, --resume, the files of a list, by whatever name.
keeps_inputs() {
    local flag
    expect 0 "$MCO" flowshop solve example.txt --solution start.txt --checkpoint state.ckpt
    cp start.txt start.copy && cp state.ckpt state.copy
    ln -s start.txt start.link
    for flag in --json --solution --plot --history --checkpoint; do
        expect 2 "$MCO" flowshop solve example.txt --start start.txt "$flag" ./start.txt
        expect_text err "an output goes to ./start.txt: it would replace the input; give it another path"
        expect 2 "$MCO" flowshop solve example.txt --start start.link "$flag" start.txt
    done
    for flag in --json --solution --plot --history; do
        expect 2 "$MCO" flowshop solve example.txt --resume state.ckpt "$flag" ./state.ckpt
        expect_text err "an output goes to ./state.ckpt: it would replace the input"
    done
    cmp start.txt start.copy || fail "the start was replaced"
    cmp state.ckpt state.copy || fail "the checkpoint was replaced"
    expect 0 "$MCO" flowshop solve example.txt --resume state.ckpt --checkpoint state.ckpt
    printf '2\n10 10\n3 3 9\n4 4 16\n' > plate.txt
    printf 'plate,10,10\nwidth,height\n3,3\n' > plate.csv
    printf 'plate.csv x2\nplate.txt\n' > plates
    cp plate.txt plate.copy
    expect 2 "$MCO" guillotine solve --batch plates --json "$PWD/plate.txt"
    expect_text err "it would replace the input"
    expect 2 "$MCO" guillotine solve --batch plates --json plates
    expect_text err "it would replace the input"
    cmp plate.txt plate.copy || fail "a file of the list was replaced"
    expect 0 "$MCO" guillotine solve --batch plates --json plates.json
}

# A link without a file: the file is made where the link leads, and the link stays.
dangling_links() {
    mkdir -p far/near
    ln -s far/near/to link
    ln -s ../../made far/near/to
    expect 0 "$MCO" flowshop solve example.txt --json link
    [ -L link ] && [ -L far/near/to ] || fail "a link was replaced"
    expect_json made objective 16
    rm made
    expect 2 "$MCO" flowshop solve example.txt --json link --solution made
    expect_text err "two outputs go to"
    expect_no_file made
    echo "half" > made.tmp-abcdefghijkl
    expect 0 "$MCO" flowshop solve example.txt --json link
    expect_no_file made.tmp-abcdefghijkl
    expect 0 "$MCO" flowshop solve example.txt --upper-bound 16 --solution link
    expect_text err "there is no solution: the old file link is removed"
    expect_no_file made
    [ -L link ] || fail "the link was removed"
    rm link
    ln -s missing/folder/file link
    expect 3 "$MCO" flowshop solve example.txt --json link
    expect_text err "cannot write missing/folder/file: No such file or directory"
    rm link
    ln -s link link
    expect 3 "$MCO" flowshop solve example.txt --json link
    expect_text err "cannot write link: it is a link, and the links lead round in a circle"
    [ -L link ] || fail "a link was replaced"
    rm -r link far
    no_leftovers
}

# Equal seed and threads give equal schedules and equal histories.
repeatable() {
    local run
    for run in 1 2; do
        expect 0 "$MCO" flowshop solve ta011 --method heuristic --iterations 200 --seed 3 --threads 2 \
            --solution "s$run" --history "h$run"
        cut -d, -f2- "h$run" > "o$run"
    done
    cmp s1 s2 || fail "the solutions of two equal runs differ"
    cmp o1 o2 || fail "the histories of two equal runs differ"
}

# Routes that an early writing left in the file are not written again at the end, unless somebody took the file away.
written_once() {
    local limit pid
    "$MCO" vrp generate --customers 50 --output places.vrp
    for limit in 2 6 20; do  # in a short one a slow machine may still find better routes at the end
        expect 0 "$MCO" vrp solve places.vrp --time-limit $limit --json r.json --solution s.sol
        if [ r.json -nt s.sol ]; then break; fi
    done
    [ r.json -nt s.sol ] || fail "the routes were written at the end though nothing had changed"
    expect 0 "$MCO" vrp check places.vrp s.sol
    rm s.sol
    "$MCO" vrp solve places.vrp --time-limit 4 --solution s.sol > out 2> err &
    pid=$!
    wait_for test -s s.sol
    sleep 0.5
    rm -f s.sol
    wait "$pid"
    expect 0 "$MCO" vrp check places.vrp s.sol
}

# One stream cannot be two files.
shared_stdin() {
    local arguments
    for arguments in "flowshop check - -" "vrp check - -" "guillotine check - -" "dtspms check - -" "dtspms solve - -" \
        "vrp solve - --start -" "overlay solve - --links -" "overlay bound - --events -" "flowshop solve - --resume -" \
        "paths itinerary --gtfs - --osm - --from a --to b --date 2019-05-15"; do
        # shellcheck disable=SC2086
        INPUT=example.txt expect 2 "$MCO" $arguments
        expect_text err '2 inputs are "-", standard input can be one of them'
    done
}

no_jobs() {
    printf '0 3\n' > empty
    expect 0 "$MCO" flowshop solve empty --json e.json --solution e.txt --plot e.svg
    expect_json e.json objective 0
    expect_json e.json outcome '"optimal"'
    expect 0 "$MCO" flowshop check empty e.json
}

all_files
log_of_auto
modes
leftovers
planted_links
writers
sweepers
long_names
spellings
read_back
standard_streams
compressed
unwritable
full_disk
keeps_old_files
keeps_inputs
dangling_links
repeatable
written_once
slow_input /dev/null flowshop  # a writer that says nothing
shared_stdin
no_jobs
