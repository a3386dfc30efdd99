# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Ends of a solve that would take years: signals and the time limit. After each, the incumbent and a whole result file
# must be there.

# start PROBLEM ARGUMENTS...: runs a solve in the background and waits until it has a solution.
start() {
    rm -f r.json s.txt err  # else the log of the run before would answer for this one
    "$MCO" "$1" solve --json r.json --solution s.txt "${@:2}" > out 2> err &
    pid=$!
    wait_for grep -q "makespan\|found by" err
}

start_solve() {
    start flowshop ta051 "$@"
}

# expect_end CODE: the run must end with this exit code, as a shell sees it.
expect_end() {
    local code=0
    wait "$pid" || code=$?
    [ "$code" -eq "$1" ] || fail "exit code $code instead of $1"
}

expect_incumbent() {
    expect_json r.json stop "\"$1\""
    expect_json r.json outcome '"feasible"'
    expect_json r.json ok true
    expect_text out "makespan"
    [ "$(tail -n 1 r.json)" = "}" ] || fail "the result file is not whole"
    expect 0 "$MCO" flowshop check ta051 r.json
    expect_text out "valid: makespan $(json r.json objective)"
    expect 0 "$MCO" flowshop check ta051 s.txt
    expect_text out "valid: makespan $(json r.json objective)"
}

signals() {
    local method
    for method in bb heuristic; do
        start_solve --method "$method"
        kill -INT "$pid"
        expect_end 130
        expect_text err "signal 2 (Interrupt) from process $BASHPID cancelled the run"
        expect_incumbent cancelled
    done
    start_solve
    kill -TERM "$pid"
    expect_end 143
    expect_text err "signal 15 (Terminated) from process $BASHPID cancelled the run"
    expect_incumbent cancelled
}

# SIGKILL leaves the last good file, and no half-written file under its name.
killed() {
    start_solve --method heuristic
    wait_for test -s s.txt
    kill -KILL "$pid"
    expect_end 137
    expect_no_file r.json
    expect 0 "$MCO" flowshop check ta051 s.txt
}

# The limit counts from the start of the process.
time_limit() {
    expect 0 "$MCO" flowshop solve ta051 --time-limit 0.5 --threads 2 "$@" --json r.json --solution s.txt
    expect_time_limit r.json 0.5 0.1
    expect_incumbent time
}

no_time() {
    expect 0 "$MCO" flowshop solve ta051 --time-limit 0 --json r.json --solution s.txt
    expect_json r.json stop '"time"'
}

# A limit of inf is an end that was given: searches that would never end do not choose one of their own.
no_limit() {
    "$MCO" vrp generate --customers 200 --output places.vrp  # too many to be decided
    start flowshop ta051 --method heuristic --time-limit inf
    kill -INT "$pid"
    expect_end 130
    expect_incumbent cancelled
    for arguments in "vrp places.vrp" "dtspms R00 --orders 33"; do
        # shellcheck disable=SC2086
        start $arguments --time-limit inf
        if grep "no end was given" err; then fail "--time-limit inf is not taken as given: $arguments"; fi
        kill -INT "$pid"
        expect_end 130
        expect_json r.json stop '"cancelled"'
        expect_json r.json time-limit null
    done
    expect 2 "$MCO" flowshop solve ta051 --time-limit none
    expect_text err "--time-limit is \"none\", a number from 0 to inf was expected"
}

# timeout(1) signals its child and then its group: two signals of one kind are one request. SIGHUP is one too, but not
# where it is ignored, as nohup(1) does.
repeated() {
    local run
    for run in 1 2 3 4; do
        start_solve --method heuristic
        kill -TERM "$pid" "$pid" 2> /dev/null || true  # it may have ended in between
        expect_end 143
        expect_incumbent cancelled
    done
    start_solve --method heuristic
    kill -TERM "$pid"
    kill -INT "$pid" 2> /dev/null || true  # another kind may end the process before its files are written
    wait "$pid" || true
    if [ $((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status) & 1)) -eq 0 ]; then  # not where nohup(1) runs this test
        start_solve --method heuristic
        kill -HUP "$pid"
        expect_end 129
        expect_incumbent cancelled
    fi
    rm err
    (trap '' HUP && exec "$MCO" flowshop solve ta051 --method heuristic --time-limit 2 --json r.json > out 2> err) &
    pid=$!
    wait_for grep -q makespan err
    kill -HUP "$pid" 2> /dev/null || true
    expect_end 0
    expect_json r.json stop '"time"'
}

# A proof that is cancelled does not blame the time for what was not rechecked.
cancelled_proof() {
    "$MCO" vrp generate --customers 200 --output proof.vrp
    start vrp proof.vrp --prove --time-limit 60
    kill -INT "$pid"
    expect_end 130
    expect_json r.json stop '"cancelled"'
    if grep "^recheck .*time" out; then fail "a cancelled proof blames the time"; fi
}

signals
repeated
cancelled_proof
killed
time_limit --method bb
time_limit --method heuristic
time_limit --select best
no_time
no_limit
