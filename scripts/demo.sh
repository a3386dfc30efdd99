#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds mco and solves Taillard's instance ta030 to proven optimality. Writes the schedule as a picture, and the result
# file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

need gcc libc6-dev cmake make
want zlib1g-dev || echo "without zlib: compressed instances cannot be read"
want libmetis-dev || echo "without METIS: networks with wide separators have another order"
want libzip-dev libprotobuf-c-dev protobuf-c-compiler || echo "without libzip and protobuf-c: feeds in archives and maps cannot be read"
want coinor-libclp-dev coinor-libcbc-dev || echo "without Clp and Cbc: no bounds by linear programs"
want libhdf5-dev || echo "without HDF5: matrices in .omx cannot be read"
# Kernels take minutes to compile, so they are compiled only if there is a GPU to run them.
cuda=OFF
if nvidia-smi -L > /dev/null 2>&1; then cuda=AUTO; fi
cmake --preset release -DMCO_WERROR=OFF -DMCO_CUDA=$cuda > /dev/null
cmake --build build -j "$(nproc)" --target mco_command

echo
echo "mco flowshop solve ta030 --plot mco-demo-ta030.svg --json mco-demo-ta030.json"
build/mco flowshop solve ta030 --plot mco-demo-ta030.svg --json mco-demo-ta030.json
echo
echo "picture:     mco-demo-ta030.svg"
echo "result file: mco-demo-ta030.json"
cat << 'END'

To go on, here in this folder:

  export PATH=$PWD/build:$PATH      # so that the shell finds mco
  mco vrp solve examples/bakery.csv --time-limit 2 --plot mco-demo-map.svg
  mco help vrp

examples/README.md has one file and one command for each problem: put your own numbers in.
END
