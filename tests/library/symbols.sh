#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: symbols.sh LIBRARY, with SOURCE (the repository) and NM from CTest. A shared or static library must show
# exactly the functions that the public headers declare.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "failed: $1"
    exit 1
}

sed -nE 's/^MCO_API [^(]*[ *](mco_[a-z0-9_]+)\(.*/\1/p' "$SOURCE"/include/mco/*.h | sort > "$scratch/declared"
[ "$(wc -l < "$scratch/declared")" -eq "$(cat "$SOURCE"/include/mco/*.h | grep -c '^MCO_API ')" ] ||
    fail "a declaration has no name on the line of MCO_API"
[ -s "$scratch/declared" ] || fail "the headers declare nothing"

dynamic=()
[[ "$1" != *.so* ]] || dynamic=(-D)
"$NM" "${dynamic[@]}" -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort > "$scratch/shown"
! grep -v '^mco_' "$scratch/shown" || fail "the symbols above do not begin with mco_"
diff "$scratch/declared" "$scratch/shown" || fail "< declared and not shown, > shown and not declared"
echo "$(basename "$1"): $(wc -l < "$scratch/shown") functions"
