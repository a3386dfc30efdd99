#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: runner.sh SCRIPT. Runs a test of the command in an empty folder, which is removed afterwards. The script sees
# $MCO, the path of the command, and the functions below.
set -Eeuo pipefail
: "${MCO:?names the mco command to test}"
script=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d "$PWD/cli-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0
trap 'echo "stopped: line $LINENO of ${BASH_SOURCE[0]##*/} failed"' ERR

skip() {
    echo "skipped: $1"
    exit 77
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

# shellcheck source=/dev/null
. "$script"
[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
