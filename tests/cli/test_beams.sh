# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Beams are killed again and again and resume from their checkpoints. They end as undisturbed ones. A damaged or foreign
# checkpoint is refused and stays as it is.

beams=(ta081 --method beam --threads 1 --iterations 30)

# Kills the beams with signal $1 as soon as there is a new checkpoint. A signal that can be caught keeps the state.
killed_and_resumed() {
    local from=() leg code=1 legs_killed=0
    rm -f c c.prev
    for leg in 1 2 3 4; do
        : > err  # a checkpoint that is newer comes from this leg
        "$MCO" flowshop solve "${beams[@]}" "${from[@]}" --checkpoint c --checkpoint-interval 0.01 --json legs.json \
            > out 2>> err &
        local pid=$! waited
        for waited in $(seq 200); do
            if [ -n "$(find . -name c -newer err)" ] || ! kill -0 "$pid" 2> /dev/null; then break; fi
            sleep 0.02
        done
        kill -"$1" "$pid" 2> /dev/null || true
        code=0
        wait "$pid" 2> /dev/null || code=$?
        if [ "$code" -eq 0 ]; then break; fi
        [ "$code" -eq "$2" ] || fail "leg $leg: exit code $code after $waited looks"
        legs_killed=$((legs_killed + 1))
        if [ -e c ]; then from=(--resume c); fi
    done
    if [ "$code" -ne 0 ]; then expect 0 "$MCO" flowshop solve "${beams[@]}" "${from[@]}" --json legs.json; fi
    echo "$legs_killed legs ended by $1"
    for member in objective bound iterations beam_width; do
        expect_json legs.json "$member" "$(json whole.json "$member")"
    done
    expect_json legs.json order "$(json whole.json order)"
}

damaged() {
    expect 0 "$MCO" flowshop solve "${beams[@]}" --checkpoint whole.ckpt
    head -c 100 whole.ckpt > cut.ckpt
    sed 's/"bound": /"bound": 1/' whole.ckpt > changed.ckpt
    local file
    for file in cut.ckpt changed.ckpt; do
        cp "$file" before
        expect 3 "$MCO" flowshop solve "${beams[@]}" --resume "$file" --checkpoint "$file"
        expect_text err "$file"
        cmp "$file" before || fail "a damaged checkpoint was overwritten"
    done
    expect 3 "$MCO" flowshop solve ta082 --method beam --resume whole.ckpt
    expect_text err "the checkpoint of another instance"
    expect 3 "$MCO" flowshop solve ta081 --resume whole.ckpt
    expect_text err "not a checkpoint of --method bb"
    expect 0 "$MCO" flowshop solve ta081 --time-limit 0.1 --checkpoint tree.ckpt
    expect 3 "$MCO" flowshop solve ta081 --method beam --resume tree.ckpt
    expect_text err "not a checkpoint of --method beam"
    expect 2 "$MCO" flowshop solve ta001 --memory 10
    expect_text err "it is for --method beam and heuristic"
}

# Another engine and another limit of memory go on from the same file.
resumed_elsewhere() {
    expect 0 "$MCO" flowshop solve "${beams[@]}" --iterations 16 --checkpoint half.ckpt
    expect 0 "$MCO" flowshop solve "${beams[@]}" --iterations 20 --json straight.json
    expect 0 "$MCO" flowshop solve "${beams[@]}" --iterations 20 --engine reference --resume half.ckpt --json elsewhere.json
    for member in objective bound iterations beam_width order; do
        expect_json elsewhere.json "$member" "$(json straight.json "$member")"
    done
    local narrow=(ta051 --method beam --threads 1) width
    expect 0 "$MCO" flowshop solve "${narrow[@]}" --memory 1 --checkpoint narrow.ckpt --json narrow.json
    expect_text out "(memory)"
    width=$(json narrow.json beam_width)
    grep -q "\"width\": $((2 * width))\b" narrow.ckpt || fail "after $width: $(cat narrow.ckpt)"
    expect 0 "$MCO" flowshop solve "${narrow[@]}" --memory 1 --resume narrow.ckpt --json again.json
    expect_text out "(memory)"
    expect_json again.json objective "$(json narrow.json objective)"
    expect_json again.json beam_width "$width"
    expect 0 "$MCO" flowshop solve "${narrow[@]}" --memory 64 --iterations 14 --resume narrow.ckpt --json wide.json
    [ "$(json wide.json beam_width)" -ge $((2 * width)) ] || fail "width $(json wide.json beam_width) after $width"
}

# Before the first beam there is a schedule, and it is kept.
kept_at_once() {
    expect 0 "$MCO" flowshop solve ta081 --method beam --target 100000 --checkpoint first.ckpt
    expect 0 "$MCO" flowshop solve ta081 --method beam --iterations 0 --resume first.ckpt
    expect_text out "(iterations)"
}

expect 0 "$MCO" flowshop solve "${beams[@]}" --json whole.json
killed_and_resumed KILL 137
killed_and_resumed TERM 143
damaged
resumed_elsewhere
kept_at_once
