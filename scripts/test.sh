#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds in build/ and runs the quick tests. Installs what is missing on Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

need gcc libc6-dev cmake make pkg-config gzip libcmocka-dev zlib1g-dev libmetis-dev libzip-dev libprotobuf-c-dev protobuf-c-compiler libhdf5-dev \
    coinor-libclp-dev coinor-libcbc-dev
want libzmq3-dev libopenmpi-dev openmpi-bin || echo "without ZeroMQ and MPI: searches over several machines are not tested"
cmake --preset release -DMCO_WERROR=OFF -DMCO_CUDA=AUTO
cmake --build build -j "$(nproc)"

code=0
ctest --test-dir build -LE 'slow|bench' -j "$(nproc)" --output-on-failure | tee build/test.log || code=$?
echo "skipped tests: $(grep -c '\*\*\*Skipped' build/test.log || true)"
exit "$code"
