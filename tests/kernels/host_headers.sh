#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: host_headers.sh, with SOURCE (the repository) and NVCC from CTest; skipped (77) without nvcc. No .cu file of
# src/ may reach a header of the host side: kernels share plain headers with it. A failure names the headers on the way.
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
NVCC=${NVCC:-nvcc}
if ! command -v "$NVCC" > /dev/null; then
    echo "no nvcc"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$SOURCE"
failures=0
files=0

# chains FILE: prints the way to each header of the host side. With -H the preprocessor names each header that it opens,
# behind as many dots as it is deep. Fails if it names none.
chains() {
    awk -v file="$1" '
        $1 ~ /^\.+$/ && NF == 2 {
            headers++
            depth = length($1)
            chain[depth] = $2
            text = file
            for (k = 1; k <= depth; k++)
                text = text " -> " chain[k]
            if ($2 ~ /(^|\/)(base\/context|stdatomic|pthread)\.h$/ && !told[text]++)
                print text
        }
        END { exit headers == 0 }'
}

for file in $(find src -name '*.cu' | sort); do
    files=$((files + 1))
    if ! "$NVCC" -M -std=c++17 -I src -I include -DMCO_HAVE_CUDA -Xcompiler -H "$file" > /dev/null 2> "$scratch/headers"; then
        cat "$scratch/headers"
        echo "failed: nvcc -M $file"
        failures=$((failures + 1))
    elif ! chains "$file" < "$scratch/headers" > "$scratch/chains"; then
        echo "failed: nvcc tells of no header of $file"
        failures=$((failures + 1))
    elif [ -s "$scratch/chains" ]; then
        sed 's/^/failed: /' "$scratch/chains"
        failures=$((failures + 1))
    fi
done
echo "$files files, $failures failures"
[ "$files" -gt 0 ] && [ "$failures" -eq 0 ]
