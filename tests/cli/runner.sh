#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: runner.sh SCRIPT. Runs a test of the command in an empty folder, which is removed afterwards. The script sees
# $MCO, the path of the command, and the functions below.
set -Eeuo pipefail
: "${MCO:?names the mco command to test}"
script=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d "$PWD/cli-XXXXXX")
trap 'jobs -rp | xargs -r kill -KILL 2> /dev/null; rm -rf "$folder"' EXIT  # a test that fails leaves nobody who computes on
cd "$folder"
failures=0
trap 'echo "stopped: line $LINENO of ${BASH_SOURCE[0]##*/} failed"' ERR

skip() {
    echo "skipped: $1"
    exit 77
}

# Whether the build has no ZeroMQ. A pipe to grep would fail with the command.
lacks_zeromq() {
    [[ $("$MCO" flowshop work --join localhost:1 --key none 2>&1 || true) == *"needs ZeroMQ"* ]]
}

# fail MESSAGE: notes a failure and continues; the test fails at its end.
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# expect CODE COMMAND...: runs the command with output in `out` and `err`, and compares the exit code.
expect() {
    local code=$1 seen=0
    shift
    "$@" > out 2> err < "${INPUT:-/dev/null}" || seen=$?
    if [ "$seen" -ne "$code" ]; then
        fail "exit code $seen instead of $code: ${*/#$MCO/mco}"
        sed 's/^/    /' err
    fi
}

# expect_text FILE TEXT: the file must hold the text.
expect_text() {
    grep -qF -e "$2" "$1" || { fail "\"$2\" is not in $1:"; head -c 2000 "$1" | sed 's/^/    /'; }
}

# expect_no_file PATTERN...: no file may match any of the patterns.
expect_no_file() {
    local path
    for path in "$@"; do
        if [ -e "$path" ]; then fail "$path exists"; fi
    done
}

# json FILE KEY: the value of a member that stands on its own line, as mco writes it.
json() {
    sed -n "s/^ *\"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1" | head -n 1
}

# expect_json FILE KEY VALUE
expect_json() {
    local value
    value=$(json "$1" "$2")
    [ "$value" = "$3" ] || fail "$2 is $value instead of $3 in $1"
}

# wait_for COMMAND...: until it succeeds. The limit is far beyond what a loaded machine needs, so that a hang alone meets it.
wait_for() {
    local end=$((SECONDS + 120))
    until "$@" 2> /dev/null; do
        if [ "$SECONDS" -ge "$end" ]; then
            fail "waited in vain for: $*"
            return 1
        fi
        sleep 0.02
    done
}

# handles_interrupts PROCESS: it catches SIGINT, the second bit of the mask. A solve does once its input is read.
handles_interrupts() {
    local mask
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status")
    [ $((0x$mask & 2)) -ne 0 ]
}

# is_solving PROCESS HUNDREDTHS: a solve has also taken so much time of the processors.
is_solving() {
    local -a stat
    handles_interrupts "$1" && read -ra stat < "/proc/$1/stat" && [ $((stat[13] + stat[14])) -ge "$2" ]
}

# within_cpu SECONDS COMMAND...: runs the command, which is killed once it has taken so much time of the processors.
within_cpu() {
    (ulimit -t "$1" && exec "${@:2}")
}

# expect_time_limit FILE SECONDS LATE_S: the run with this result, with --threads N and this --time-limit, ended by the clock and at most
# LATE_S late. How late is judged by the time of the processors: a busy machine delays an end, and takes none of it. So no load of the
# machine fails a run that ends when it should.
expect_time_limit() {
    local late=$3
    if [ -n "${MCO_SANITIZE:-}" ]; then late=1; fi
    expect_json "$1" stop '"time"'
    awk -v limit="$2" -v late="$late" -v threads="$(json "$1" threads)" -v wall="$(json "$1" wall_s)" -v cpu="$(json "$1" cpu_s)" \
        'BEGIN { exit !(wall >= 0.9 * limit && cpu <= threads * (limit + late)) }' ||
        fail "time limit $2 s: $(json "$1" cpu_s) s of $(json "$1" threads) threads within $(json "$1" wall_s) s"
}

# slow_input FILE PROBLEM: a solve reads the first 60000 bytes of the file, fewer than a pipe holds, and then its standard input gives
# neither more nor an end. The time limit, which counts from the start of the command, ends it: no solution, not even an old one.
slow_input() {
    mkfifo slow
    exec 9<> slow
    head -c 60000 "$1" >&9
    echo old > old.txt
    INPUT=slow expect 1 timeout 60 "$MCO" "$2" solve - --time-limit 0.5 --solution old.txt
    exec 9>&-
    rm slow
    expect_text err "standard input: the time limit, which counts from the start of the command, ended while the file was read"
    expect_no_file old.txt
}

# shellcheck source=/dev/null
. "$script"
[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
