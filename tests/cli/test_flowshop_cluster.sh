# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A coordinator and workers on this machine. In slow_flowshop_cluster.sh workers are killed, frozen and told to leave, and
# the coordinator is killed and resumes from its checkpoint. The incumbent is fixed, so the nodes and leaves must be
# those of one process.

port=$((20000 + $$ % 12000))  # below those that the system gives to others
search=(ta030 --upper-bound 2178)
if [ -n "${has_misfortunes:-}" ] && [ -z "$MCO_SANITIZE" ]; then search=(ta022 --upper-bound 2099); fi
workers=()

if lacks_zeromq; then skip "this build has no ZeroMQ"; fi

# begin_coordinator OPTIONS...: its process is $coordinator, its output host.out.
begin_coordinator() {
    "$MCO" flowshop solve "$@" --listen "$port" --key key > host.out 2> host.err &
    coordinator=$!
    wait_for grep -q "listens on port" host.err
}

# begin_worker NAME OPTIONS...: adds its process to workers.
begin_worker() {
    local name=$1
    shift
    "$MCO" flowshop work --join "localhost:$port" --key key --engine cpu --threads 1 --report 0.1 --silence 3 --patience 60 "$@" > "$name.out" 2>&1 &
    workers+=($!)
}

# expect_exit CODE PROCESS NAME
expect_exit() {
    local seen=0
    wait "$2" 2> /dev/null || seen=$?
    [ "$seen" -eq "$1" ] || { fail "$3: exit code $seen instead of $1"; sed 's/^/    /' "$3".*; }
}

expect_same_counts() {
    local key
    for key in nodes leaves bounds; do expect_json "$1" "$key" "$(json whole.json "$key")"; done
    expect_json "$1" outcome '"none_below"'
}

plain() {
    expect 0 "$MCO" flowshop solve "${search[@]}" --json whole.json
    workers=()
    begin_coordinator "${search[@]}" --json plain.json
    begin_worker a
    begin_worker b "${search[0]}"
    expect_exit 0 "$coordinator" host
    expect_exit 0 "${workers[0]}" a
    expect_exit 0 "${workers[1]}" b
    expect_same_counts plain.json
    grep -Eq "^time .* (1 worker at a time, worth 1 core|2 workers at a time, worth 2 cores)" host.out || fail "the summary tells no workers"
}

# Everything that can happen to workers.
misfortune_of_workers() {
    local worker
    workers=()
    begin_coordinator "${search[@]}" --silence 2 --json lost.json
    begin_worker a
    begin_worker b
    for worker in 0 1; do wait_for is_solving "${workers[worker]}" 20; done
    kill -KILL "${workers[0]}"
    begin_worker c
    kill -STOP "${workers[1]}"  # longer than the silence: the others get its work
    wait_for is_solving "${workers[2]}" 20
    kill -TERM "${workers[2]}"  # it reports and leaves
    begin_worker d
    (sleep 2.5; kill -CONT "${workers[1]}" 2> /dev/null || true) &
    expect_exit 0 "$coordinator" host
    expect_exit 137 "${workers[0]}" a
    expect_exit 143 "${workers[2]}" c
    expect_exit 0 "${workers[3]}" d
    kill -KILL "${workers[1]}" 2> /dev/null || true
    wait
    expect_same_counts lost.json
    expect_text host.err "workers lost"
}

# The coordinator is killed. The workers join its successor by themselves. Then one process resumes what is left.
misfortune_of_the_coordinator() {
    workers=()
    begin_coordinator "${search[@]}" --checkpoint c --checkpoint-interval 0.05
    begin_worker a --patience 15  # the last coordinator may end before they have found it
    begin_worker b --patience 15
    for _ in 1 2; do
        sleep 0.5
        wait_for test -s c
        kill -KILL "$coordinator" 2> /dev/null || true  # or it is through already
        wait "$coordinator" 2> /dev/null || true
        begin_coordinator "${search[@]}" --checkpoint c --checkpoint-interval 0.05 --resume c --json resumed.json
    done
    kill -TERM "$coordinator"  # or it is through already
    wait "$coordinator" || true
    wait
    expect 0 "$MCO" flowshop solve "${search[0]}" --resume c --json resumed.json
    expect_same_counts resumed.json
}

# A limit ends the coordinator. The workers report what they have done before they end, and one process does the rest. Where the limit leaves
# a worker no time to join and to search, a longer one does.
limited() {
    local limit seen=0
    for limit in 0.8 4 15; do
        workers=()
        rm -f c c.prev
        begin_coordinator ta022 --upper-bound 2099 --time-limit "$limit" --checkpoint c --json limited.json
        begin_worker a --report 60 --patience 5
        expect_exit 1 "$coordinator" host
        seen=0
        wait "${workers[0]}" || seen=$?
        if [ "$(json limited.json nodes)" -gt 0 ]; then break; fi
    done
    [ "$seen" -eq 0 ] || fail "a: exit code $seen instead of 0: $(cat a.out)"
    if [ "$(json limited.json nodes)" -eq 0 ]; then fail "nothing was reported at the limit"; fi
    expect_json limited.json stop '"time"'
    if [ -n "$MCO_SANITIZE" ]; then return; fi
    expect 0 "$MCO" flowshop solve ta022 --resume c --json limited.json
    expect_json limited.json nodes 45955934
}

# SIGTERM ends the coordinator. The worker reports before it ends, and one process does the rest.
terminated() {
    workers=()
    rm -f c c.prev
    begin_coordinator ta022 --upper-bound 2099 --checkpoint c --json ended.json
    begin_worker a --report 60
    wait_for is_solving "${workers[0]}" 40
    kill -TERM "$coordinator"
    expect_exit 143 "$coordinator" host
    expect_exit 0 "${workers[0]}" a
    if [ "$(json ended.json nodes)" -eq 0 ]; then fail "nothing was reported at the end"; fi
    if [ -n "$MCO_SANITIZE" ]; then return; fi
    expect 0 "$MCO" flowshop solve ta022 --resume c --json ended.json
    expect_json ended.json nodes 45955934
}

refused() {
    workers=()
    begin_coordinator "${search[@]}" --json after.json
    expect 1 "$MCO" flowshop work --join "localhost:$port" --key key ta001
    expect_text err "the worker has another instance"
    expect 3 "$MCO" flowshop work --join "localhost:$port" --key missing
    expect 3 "$MCO" flowshop work --join "localhost:$port" --key .
    cp key open
    chmod 644 open
    expect 1 "$MCO" flowshop work --join "localhost:$port" --key open ta001
    expect_text err "open: others may read the key"
    echo short > short
    expect 3 "$MCO" flowshop work --join "localhost:$port" --key short
    expect_text err "short: no key of 40 characters"
    expect 1 "$MCO" flowshop solve ta001 --upper-bound 1278 --listen $((port + 1)) --key other --time-limit 0.1
    expect 3 "$MCO" flowshop work --join "localhost:$port" --key other --patience 1
    expect_text err "no coordinator has answered"
    local address
    for address in localhost localhost: localhost:0 localhost:65536 localhost:x ":$port"; do
        expect 2 timeout 20 "$MCO" flowshop work --join "$address" --key key
        expect_text err "--join is \"$address\", HOST:PORT was expected"
    done
    expect 2 "$MCO" flowshop solve ta001 --listen "$port"
    expect_text err "--key F is missing"
    expect 2 "$MCO" flowshop solve ta001 --listen "$port" --key key
    expect_text err "in use"
    expect 2 "$MCO" flowshop solve ta001 --key key
    expect 3 "$MCO" flowshop solve ta001 --listen $((port + 1)) --key nowhere/key
    expect_text err "nowhere/key: no key can be made"
    expect 3 "$MCO" flowshop solve ta001 --listen $((port + 1)) --key "$(printf 'k%.0s' $(seq 253))"
    expect_text err "no key can be made: File name too long"  # of the draft, in place of: the key does not exist
    expect_no_file key.* other.*
    expect 2 "$MCO" flowshop solve ta001 --listen "$port" --key key --engine reference
    expect 2 "$MCO" flowshop solve ta001 --listen "$port" --key key --gpus 0
    expect_text err "--gpus is for workers: mco flowshop work --gpus 0"
    kill -TERM "$coordinator"
    wait "$coordinator" || true
}

plain
if [ -n "${has_misfortunes:-}" ]; then
    misfortune_of_workers
    misfortune_of_the_coordinator
else
    limited
    terminated
    refused
fi
