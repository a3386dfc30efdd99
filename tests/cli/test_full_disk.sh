# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The disk under the checkpoint is full for a while: a search and a coordinator go on and say so once, the earlier file stays whole,
# and later checkpoints are written again. The disk is a small one in memory, in a mount namespace of its own.

if unshare -m true 2> /dev/null; then space=(unshare -m); else space=(unshare -rm); fi
mkdir disk
"${space[@]}" mount -t tmpfs -o size=64k none disk 2> mount.err || skip "no disk can be mounted here: $(head -c 200 mount.err)"

# Adds to the filler until the disk is full; fails while checkpoints still find room.
fill_disk() {
    head -c 64K /dev/zero >> disk/filler || true
    grep -q "cannot write disk/c" "$1"
}

# full_disk NAME OPTIONS...: runs in the name space of the disk.
full_disk() {
    local name=$1 process code=0
    shift
    mount -t tmpfs -o size=64k none disk
    "$MCO" flowshop solve ta056 --upper-bound 3679 --checkpoint disk/c --checkpoint-interval 0.03 --json "$name.json" "$@" > "$name.out" \
        2> "$name.err" &
    process=$!
    wait_for test -s disk/c.prev
    wait_for fill_disk "$name.err"
    cp disk/c whole
    sleep 0.3
    cmp disk/c whole || fail "$name: a checkpoint was written to a full disk"
    kill -0 "$process" || fail "$name: the search has ended"
    expect_text "$name.err" "No space left on device; the search goes on"
    rm disk/filler
    wait_for grep -q "the checkpoint is written again" "$name.err"
    [ "$(grep -c "cannot write" "$name.err")" -eq 1 ] || fail "$name: said more than once: $(cat "$name.err")"
    kill -TERM "$process"
    wait "$process" || code=$?
    [ "$code" -eq 143 ] || fail "$name: exit code $code instead of 143"
    expect 1 "$MCO" flowshop solve ta056 --resume whole --time-limit 0.01
    expect_text err "resumed:"
    expect 1 "$MCO" flowshop solve ta056 --resume disk/c.prev --time-limit 0.01
    umount disk
}

cluster_on_full_disk() {
    local port=$((20000 + $$ % 12000))  # below those that the system gives to others
    "$MCO" flowshop work --join "localhost:$port" --key key --threads 1 --engine cpu --patience 20 > /dev/null 2>&1 &
    full_disk host --listen "$port" --key key
    wait
}

if [ -z "${in_space:-}" ]; then
    code=0
    in_space=1 "${space[@]}" bash "$(dirname "${BASH_SOURCE[0]}")/runner.sh" "${BASH_SOURCE[0]}" || code=$?
    [ "$code" -eq 0 ] || fail "in the name space: exit code $code"
    return
fi
full_disk alone --threads 1
if lacks_zeromq; then echo "without ZeroMQ: no cluster"; else cluster_on_full_disk; fi
