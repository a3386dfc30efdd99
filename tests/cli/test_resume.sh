# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A search is killed again and again and resumes from its checkpoints. The incumbent is fixed, so it must end with the
# node count of an undisturbed search. A damaged checkpoint is refused and stays as it is.

search=(ta030 --upper-bound 2178 --threads 2)

killed_and_resumed() {
    expect 0 "$MCO" flowshop solve "${search[@]}" --json whole.json
    local from=() leg code legs_killed=0
    for leg in 1 2 3 4; do
        "$MCO" flowshop solve "${search[@]}" "${from[@]}" --checkpoint c --checkpoint-interval 0.02 --json legs.json \
            > out 2> err &
        local pid=$! waited
        for waited in $(seq 200); do
            if [ -n "$(find . -name c -newer err)" ] || ! kill -0 "$pid" 2> /dev/null; then break; fi
            sleep 0.02
        done
        kill -KILL "$pid" 2> /dev/null || true
        code=0
        wait "$pid" 2> /dev/null || code=$?
        if [ "$code" -eq 0 ]; then break; fi
        [ "$code" -eq 137 ] || fail "leg $leg: exit code $code after $waited looks"
        legs_killed=$((legs_killed + 1))
        if [ -e c ]; then from=(--resume c); fi
    done
    if [ "$code" -ne 0 ]; then expect 0 "$MCO" flowshop solve "${search[@]}" "${from[@]}" --json legs.json; fi
    echo "$legs_killed legs killed, $(json legs.json nodes_resumed) of $(json legs.json nodes) nodes resumed"
    expect_json legs.json outcome '"none_below"'
    expect_json legs.json reason '"no schedule below 2178"'
    expect_json legs.json bound 2178
    expect_json legs.json nodes "$(json whole.json nodes)"
    expect_json legs.json leaves "$(json whole.json leaves)"
}

damaged() {
    expect 0 "$MCO" flowshop solve "${search[@]}" --checkpoint whole.ckpt
    head -c 100 whole.ckpt > cut.ckpt
    sed 's/"leaves": /"leaves": 1/' whole.ckpt > changed.ckpt
    local file
    for file in cut.ckpt changed.ckpt; do
        cp "$file" before
        expect 3 "$MCO" flowshop solve ta030 --resume "$file" --checkpoint "$file"
        expect_text err "$file"
        cmp "$file" before || fail "a damaged checkpoint was overwritten"
    done
    expect_text err "there is no checkpoint before it (changed.ckpt.prev)"
    cp whole.ckpt cut.ckpt.prev
    expect 3 "$MCO" flowshop solve ta030 --resume cut.ckpt
    expect_text err "not a whole checkpoint (100 bytes without its last line"
    expect_text err "--resume cut.ckpt.prev goes on from the checkpoint before it"
    expect 0 "$MCO" flowshop solve ta030 --resume cut.ckpt.prev
    expect 3 "$MCO" flowshop solve ta029 --resume whole.ckpt
    expect_text err "the checkpoint of another instance"
    expect 3 "$MCO" flowshop solve ta030 --resume missing
}

# A search that does not go on with a checkpoint leaves it alone, and the one before it too.
spared() {
    local other
    cp whole.ckpt kept
    cp whole.ckpt kept.prev
    for other in "" "--resume cut.ckpt" "--method beam"; do
        # shellcheck disable=SC2086
        expect 2 "$MCO" flowshop solve ta001 --checkpoint kept $other
        expect_text err "kept is there, and this search would replace it: --resume kept goes on with an earlier search"
    done
    rm kept
    expect 2 "$MCO" flowshop solve ta001 --checkpoint kept
    expect_text err "--resume kept.prev goes on"
    cmp kept.prev whole.ckpt || fail "the checkpoint before was replaced"
    expect 0 "$MCO" flowshop solve ta030 --checkpoint kept --resume kept.prev
    expect 0 "$MCO" flowshop solve ta030 --checkpoint kept --resume ./kept
    : > empty  # as mktemp(1) makes it
    expect 0 "$MCO" flowshop solve ta001 --checkpoint empty
}

killed_and_resumed
damaged
spared
