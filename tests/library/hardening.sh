#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: hardening.sh FILE..., with READELF and CONFIG from CTest. Each program or shared library must have full RELRO and
# no stack that can be executed. With optimisation its code must check its stack frames and the sizes of buffers.
set -euo pipefail
failures=0

# expect_line WHAT TEXT PATTERN: the text must have a line that the pattern matches.
expect_line() {
    grep -qE "$3" <<< "$2" || {
        echo "failed: $file has $1"
        failures=$((failures + 1))
    }
}

for file in "$@"; do
    segments=$("$READELF" -lW "$file")
    dynamic=$("$READELF" -dW "$file")
    symbols=$("$READELF" -sW "$file")
    expect_line "no read-only relocations (GNU_RELRO)" "$segments" '^ *GNU_RELRO '
    expect_line "no immediate binding (BIND_NOW)" "$dynamic" 'BIND_NOW|FLAGS_1\).* NOW'
    expect_line "a stack that can be executed" "$segments" '^ *GNU_STACK .* RW '
    if [ "$CONFIG" = Debug ]; then continue; fi
    expect_line "no check of stack frames" "$symbols" ' UND __stack_chk_fail'
    expect_line "no check of the sizes of buffers" "$symbols" ' UND __[a-z]+_chk'
done
[ "$failures" -eq 0 ]
