#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: headers.sh, with SOURCE (the repository) and CC from CTest. Every public header must compile alone, in every
# version of C from C99 and of C++ from C++11 on, without a warning. So must initialisers.c, which has all _INIT macros
# and is run.
set -euo pipefail
here=$SOURCE/tests/library
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
checked=0
seen=

fail() {
    echo "failed: $1"
    failures=$((failures + 1))
}

# standard_name COMPILER LANGUAGE NAME...: prints the first of these names that the compiler knows. A version has a
# provisional name until it becomes a standard.
standard_name() {
    local compiler=$1 language=$2 name
    shift 2
    for name in "$@"; do
        if "$compiler" -x "$language" "-std=$name" -fsyntax-only /dev/null 2> /dev/null; then
            echo "$name"
            return
        fi
    done
}

# compile COMPILER LANGUAGE STANDARD ARGUMENT...
compile() {
    local compiler=$1 language=$2 standard=$3
    shift 3
    local -a warnings=(-Wall -Wextra -Wpedantic -Wconversion -Werror)
    [ "$language" = c ] || warnings+=(-Wold-style-cast)
    "$compiler" -x "$language" "-std=$standard" -I "$SOURCE/include" "${warnings[@]}" "$@" ||
        fail "$standard with $compiler"
}

for header in "$SOURCE"/include/mco/*.h; do
    echo "#include <mco/$(basename "$header")>" > "$scratch/$(basename "$header" .h).c"
    for macro in $(sed -nE 's/^#define (MCO_[A-Z_]+_INIT) .*/\1/p' "$header"); do
        grep -qw "$macro" "$here/initialisers.c" || fail "initialisers.c has no $macro"
    done
done

for pair in "$CC:c" gcc:c clang:c g++:c++ clang++:c++; do
    language=${pair##*:}
    compiler=$(command -v "${pair%:*}") || continue
    real=$(readlink -f "$compiler")
    [[ "$seen" != *" $real:$language "* ]] || continue
    seen+=" $real:$language "
    versions=(c99 c11 c17 "c23 c2x")
    [ "$language" = c ] || versions=(c++11 c++14 c++17 "c++20 c++2a" "c++23 c++2b")
    for version in "${versions[@]}"; do
        # shellcheck disable=SC2086 # the names of one version, as words
        standard=$(standard_name "$compiler" "$language" $version)
        [ -n "$standard" ] || continue
        checked=$((checked + 1))
        echo "$compiler $standard"
        compile "$compiler" "$language" "$standard" -fsyntax-only "$scratch"/*.c
        compile "$compiler" "$language" "$standard" "$here/initialisers.c" -o "$scratch/initialisers"
        "$scratch/initialisers" || fail "line $? of initialisers.c, $standard with $compiler"
    done
done
echo "$checked versions, $failures failures"
[ "$checked" -gt 0 ] && [ "$failures" -eq 0 ]
