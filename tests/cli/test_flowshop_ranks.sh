# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Several ranks of a launcher search one tree. The incumbent is fixed, so nodes and leaves are those of one process.

if [ "$MCO_HAVE_MPI" != ON ] || [ ! -x "$MCO_MPIEXEC" ]; then skip "no MPI"; fi
[ -z "$MCO_SANITIZE" ] || skip "the libraries of MPI leak"

# For Open MPI: as root, and more ranks than processors. MPICH needs neither.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# on RANKS COMMAND...
on() {
    local count=$1
    shift
    "$MCO_MPIEXEC" -n "$count" "$@"
}

expect_same_counts() {
    local key
    for key in nodes leaves bounds upper_bound_used; do expect_json "$1" "$key" "$(json one.json "$key")"; done
    expect_json "$1" outcome '"none_below"'
}

on 2 true 2> err || skip "$MCO_MPIEXEC starts no two processes here"

search=(ta030 --upper-bound 2178 --engine cpu)
expect 0 "$MCO" flowshop solve "${search[@]}" --json one.json --quiet
for ranks in 2 4; do
    expect 0 on $ranks "$MCO" flowshop solve "${search[@]}" --json many.json
    expect_same_counts many.json
done

# What several ranks leave at a limit, other ranks finish, or one process.
expect 1 on 3 "$MCO" flowshop solve ta022 --upper-bound 2099 --engine cpu --time-limit 1 --checkpoint c
cp c d
expect 0 "$MCO" flowshop solve ta022 --upper-bound 2099 --engine cpu --json one.json --quiet
expect 0 on 2 "$MCO" flowshop solve ta022 --resume c --engine cpu --json many.json
expect_same_counts many.json
expect 0 "$MCO" flowshop solve ta022 --resume d --engine cpu --json many.json
expect_same_counts many.json

# One command begins and goes on.
both=(ta030 --upper-bound 2178 --engine cpu --resume e --checkpoint e)
expect 1 on 3 "$MCO" flowshop solve ta022 --upper-bound 2099 --engine cpu --time-limit 0.5 --resume e --checkpoint e
expect_text err "there is no e yet"
expect 0 on 2 "$MCO" flowshop solve ta022 --upper-bound 2099 --engine cpu --resume e --checkpoint e --json many.json
expect_same_counts many.json
mv e e.prev
expect 3 "$MCO" flowshop solve "${both[@]}"

# Where the launcher lets the others go on, a killed worker costs what it did since its last report.
killed() {
    local job seen=0
    # shellcheck disable=SC2016
    on 4 --enable-recovery sh -c 'echo $$ > "worker$OMPI_COMM_WORLD_RANK"; exec "$@"' sh "$MCO" flowshop solve ta022 --upper-bound 2099 \
        --engine cpu --threads 1 --silence 5 --json many.json > out 2> err &
    job=$!
    wait_for grep -q "3 workers" err
    kill -KILL "$(cat worker2)" || fail "the worker was through before it was killed"
    wait $job || seen=$?
    [ $seen -eq 0 ] || fail "exit code $seen with a killed worker"
    grep -Eq "rank( has|s have) not answered" err || fail "nobody misses the killed worker: $(cat err)"
    expect_same_counts many.json
}
if "$MCO_MPIEXEC" --version 2>&1 | grep -q "(Open MPI) 4"; then killed; fi

# A rank that fails says so, and the others search on. Where all fail their failure is the job's.
without=(--engine gpu --gpus 15)
expect 0 "$MCO" flowshop solve "${search[@]}" --json one.json --quiet
expect 0 on 2 "$MCO" flowshop solve "${search[@]}" --json many.json : -n 1 "$MCO" flowshop solve "${search[@]:0:3}" "${without[@]}"
expect_text err "mco: rank 2 takes no part: "
expect_same_counts many.json
if on 3 "$MCO" flowshop solve "${search[@]:0:3}" "${without[@]}" --checkpoint g > out 2> err; then fail "ranks without their GPU have searched"; fi
expect_text err "mco: rank 1: "

# The first rank alone is through: the heuristic proves the optimum, or it refuses.
expect 0 on 3 "$MCO" flowshop solve ta001 --json many.json
expect_json many.json bound 1278
expect 2 on 3 "$MCO" flowshop solve ta001 --engine reference
expect 2 on 2 "$MCO" flowshop solve ta001 --method beam
expect_text err "several ranks need --method bb"
expect 2 on 2 "$MCO" flowshop solve ta001 --listen 7000 --key key
expect_text err "--listen is for one process"
