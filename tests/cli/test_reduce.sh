# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco reduce: files and generated data give the same bits on every engine; segments; the result file; refusals.

# Compares engine with engine, and a file with the generator that made it.
same_everywhere() {
    local type op reference
    for type in i32 u64 f32 f64; do
        expect 0 "$MCO" reduce generate --type "$type" --count 70001 --seed 9 --output "data.$type"
        for op in sum prod min argmax count-nonzero; do
            expect 0 "$MCO" reduce run --op "$op" --type "$type" --count 70001 --seed 9 --engine reference --solution reference.txt
            expect 0 "$MCO" reduce run --op "$op" --type "$type" --count 70001 --seed 9 --engine cpu --threads 3 --solution cpu.txt
            expect 0 "$MCO" reduce run --op "$op" --type "$type" --engine cpu --solution file.txt "data.$type"
            INPUT=data.$type expect 0 "$MCO" reduce run --op "$op" --type "$type" --solution stdin.txt -
            for reference in cpu.txt file.txt stdin.txt; do
                cmp -s reference.txt "$reference" || fail "$op of $type: $reference differs from the reference"
            done
        done
    done
}

known_values() {
    printf '\001\000\000\000\377\377\377\377\005\000\000\000\377\377\377\377' > four.i32
    expect 0 "$MCO" reduce run --op sum --type i32 four.i32 --json r.json
    expect_text out "sum        4   i64 0x0000000000000004"
    expect_json r.json kind '"reduce"'
    expect_json r.json name '"four.i32"'
    expect_json r.json count 4
    expect_json r.json outcome '"optimal"'
    expect_json r.json objective 4
    expect_json r.json value '"4"'
    expect_json r.json bits '"0x0000000000000004"'
    expect_json r.json index null
    expect_json r.json chunks 1
    expect_json r.json bytes 16
    expect_json r.json ok true
    expect 0 "$MCO" reduce run --op argmin --type i32 four.i32 --json r.json
    expect_json r.json value '"-1"'
    expect_json r.json index 1
    expect 0 "$MCO" reduce run --op max --type u32 four.i32 --json -
    expect_json out value '"4294967295"'
    expect 0 "$MCO" reduce run --op sum --type f32 --count 0 --quiet
    expect_text out "sum        0   f32 0x00000000"
    if [ -s err ]; then fail "--quiet is not quiet"; fi
    printf '\000\000\300\177' > nan.f32
    expect 0 "$MCO" reduce run --op min nan.f32 --json r.json
    expect_json r.json objective null
    expect_json r.json value '"nan"'
    expect_json r.json bits '"0x7fc00000"'
    expect 0 "$MCO" reduce run --count 100000 --compensated --repeat 3 --engine cpu --json r.json
    expect_json r.json compensated true
    expect_json r.json repeat 3
    expect_json r.json repeats 3
}

segments() {
    expect 0 "$MCO" reduce run --op argmin --type f32 --count 10000 --segments 10 --json r.json --solution s.txt
    [ "$(wc -l < s.txt)" -eq 10 ] || fail "10 segments and not as many lines"
    expect_json r.json segments 10
    expect 0 "$MCO" reduce run --op sum --count 10001 --segment-length 1000 --solution s.txt --check off
    [ "$(wc -l < s.txt)" -eq 11 ] || fail "11 segments and not as many lines"
    expect 0 "$MCO" reduce generate --count 10001 --output ten
    expect 0 "$MCO" reduce run --op sum --segment-length 1000 --solution t.txt ten
    cmp -s s.txt t.txt || fail "segments of a file and of the same generated data differ"
    head -c 4000 ten > first
    expect 0 "$MCO" reduce run --op sum --solution one.txt first
    [ "$(head -n 1 s.txt)" = "$(cat one.txt)" ] || fail "a segment differs from the same data alone"
}

refusals() {
    expect 2 "$MCO" reduce
    expect 2 "$MCO" reduce sum
    expect 2 "$MCO" reduce run
    expect_text err "a file or --count is needed"
    expect 2 "$MCO" reduce run --count 5 file
    expect_text err "a file and --count exclude each other"
    expect 2 "$MCO" reduce run --op mean --count 5
    expect_text err "one of sum|prod|min|max|argmin|argmax|and|or|xor|count-nonzero was expected"
    expect 2 "$MCO" reduce run --op xor --type f64 --count 5
    expect_text err "xor is for integers, the type is f64"
    expect 2 "$MCO" reduce run --op argmin --count 0
    expect_text err "argmin of no elements"
    expect 2 "$MCO" reduce run --op prod --compensated --count 5
    expect_text err "compensated is for the sum of f32 or f64, not for prod of f32"
    expect 2 "$MCO" reduce run --count 10 --segments 3
    expect_text err "10 elements are no multiple of it"
    expect 2 "$MCO" reduce run --count 10 --segments 2 --segment-length 5
    expect 2 "$MCO" reduce run --count 10 --gpus 0 --engine cpu
    expect 2 "$MCO" reduce run --count 10 --repeat 0
    expect 2 "$MCO" reduce generate
    printf '1234567' > odd
    expect 3 "$MCO" reduce run --type f32 odd --json bad.json
    expect_text err "odd has 7 bytes, a multiple of 4 was expected (f32)"
    expect 3 "$MCO" reduce run missing --json bad.json
    expect_text err "cannot read missing: No such file or directory"
    mkdir folder
    expect 3 "$MCO" reduce run folder --json bad.json
    expect_text err "cannot read folder: it is a folder"
    expect 3 "$MCO" reduce run --count 5 --json nowhere/r.json
    expect_no_file bad.json*
    expect 0 "$MCO" help reduce
    expect_text out "mco reduce run"
}

# One segment more than the reduction takes is refused before memory is asked for its values.
too_many_segments() {
    expect 3 "$MCO" reduce run --count 2147483648 --segment-length 1
    expect_text err "2147483648 segments, at most 2147483647 are supported"
}

# Without a GPU the engine says so; with a GPU it gives the same bits as the others.
gpu() {
    local seen=0
    "$MCO" reduce run --count 100000 --engine gpu --solution gpu.txt > out 2> err || seen=$?
    if [ "$seen" -eq 4 ]; then
        expect_text err "no GPU: "
        return 0
    fi
    [ "$seen" -eq 0 ] || fail "exit code $seen with --engine gpu"
    expect 0 "$MCO" reduce run --count 100000 --engine reference --solution reference.txt
    cmp -s gpu.txt reference.txt || fail "the gpu differs from the reference"
}

same_everywhere
known_values
segments
refusals
too_many_segments
gpu
