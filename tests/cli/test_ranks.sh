# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Several ranks of a launcher: results equal to one process, what they refuse, how they fail.

# For Open MPI: as root, and more ranks than processors. MPICH needs neither.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# on RANKS COMMAND...
on() {
    local count=$1
    shift
    "$MCO_MPIEXEC" -n "$count" "$@"
}

# Without MPI in this build, or by a launcher that is not its own.
foreign_launcher() {
    expect 2 env OMPI_COMM_WORLD_SIZE=4 "$MCO" cycles count --grid 3x3
    if [ "$MCO_HAVE_MPI" = ON ]; then
        expect_text err "the launcher started 4 processes (OMPI_COMM_WORLD_SIZE), and MPI knows of 1"
    else
        expect_text err "a launcher started 4 processes (OMPI_COMM_WORLD_SIZE), and this mco is built without MPI"
    fi
    expect 2 env PMI_SIZE=2 PMI_RANK=0 "$MCO" cycles list --grid 3x3
    expect_text err "mco cycles list runs in one process, and a launcher started 2 (PMI_SIZE)"
    expect 2 env PMI_SIZE=2 PMI_RANK=1 "$MCO" cycles list --grid 3x3
    if [ -s err ]; then fail "a second process speaks"; fi
    expect 0 env PMI_SIZE=2 MCO_RANKS=1 "$MCO" cycles count --grid 3x3
    expect 0 env PMI_SIZE=1 "$MCO" cycles count --grid 3x3
    expect 0 env SLURM_NTASKS=4 SLURM_PROCID=0 "$MCO" cycles count --grid 3x3  # a batch script
}

refusals() {
    expect 2 on 2 "$MCO" cycles list --grid 3x3
    expect 2 on 2 "$MCO" cycles count --grid 3x3 --limit 5
    expect_text err "cycles are listed by one process"
    expect 2 on 2 "$MCO" cycles count -
    expect_text err "2 ranks have to read it"
    expect 3 on 2 "$MCO" cycles count nothing.txt
    [ "$(grep -c "^mco: " err)" -eq 1 ] || fail "an error is told more than once"
    expect 3 on 3 "$MCO" cycles count --grid 3x3 --json nowhere/r.json
}

cycles() {
    local ranks
    expect 0 "$MCO" cycles count --grid 7x9 --method search --json one.json --quiet
    for ranks in 4; do
        expect 0 on $ranks "$MCO" cycles count --grid 7x9 --method search --json many.json --plot many.svg
        expect_text err "ranks $ranks on 1 machine"
        [ "$(grep -c "^cycles" out)" -eq 1 ] || fail "$ranks ranks print the summary more than once"
        expect_json many.json cycles "$(json one.json cycles)"
        expect_json many.json longest "$(json one.json longest)"
        [ -s many.svg ] || fail "there is no picture"
    done
    expect 0 on 2 "$MCO" cycles count --grid 12x12 --quiet --json many.json
    expect_json many.json cycles 421587920205546
}

overlay() {
    expect 0 "$MCO" overlay generate --group grafo250b-14 --output group.csv
    expect 0 "$MCO" overlay bound group.csv --method dist --iterations 20 --json one.json
    expect 0 on 3 "$MCO" overlay bound group.csv --method dist --iterations 20 --json many.json
    expect_json many.json bound "$(json one.json bound)"
    expect_json many.json best_iteration "$(json one.json best_iteration)"
    expect 2 on 2 "$MCO" overlay bound group.csv --method lp
    expect_text err "the method lp runs in one process, 2 were started"
}

# numbered FOLDER COMMAND...: writes the number of each rank's process to a file of the folder.
numbered() {
    local folder=$1
    shift
    # shellcheck disable=SC2016
    on 3 sh -c 'echo $$ > "$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"; exec "$@"' "$folder" "$@"
}

# Without common iterations the bound is another one, but near, and no overlay is worth more. A rank that stops ends nothing.
asynchronous() {
    local job iterations seen=0
    expect 2 "$MCO" overlay bound group.csv --asynchronous
    expect_text err "--asynchronous is for several ranks of a launcher, and there is one"
    expect 2 on 2 "$MCO" overlay bound group.csv --asynchronous --method jump
    expect 2 on 2 "$MCO" overlay bound group.csv --silence 3
    expect 0 "$MCO" overlay generate --group grafo500b-14 --output large.csv
    expect 0 "$MCO" overlay bound large.csv --json one.json
    expect 0 on 3 "$MCO" overlay bound large.csv --asynchronous --iterations 200 --json many.json
    near many.json
    mkdir -p numbers
    for iterations in 10000 100000; do  # ranks on a machine that delays this script may be through with a few
        rm -f err
        numbered numbers "$MCO" overlay bound large.csv --asynchronous --iterations $iterations --silence 5 --json stopped.json > out 2> err &
        job=$!
        wait_for grep -q "without each other" err  # a rank that stops before is one that all wait for
        if kill -STOP "$(cat numbers/2)"; then break; fi
    done
    wait $job || seen=$?
    [ $seen -eq 0 ] || fail "exit code $seen with a stopped rank"
    expect_text err "rank 2 has not answered for"
    near stopped.json
}

# near FILE: its bound is that of one rank to 1 %, and no less than the fractional overlay that one rank found.
near() {
    awk -v a="$(json "$1" bound)" -v b="$(json one.json bound)" -v v="$(json one.json objective)" 'BEGIN { exit !(a >= v && a < 1.01 * b) }' \
        || fail "the bound $(json "$1" bound) is not near $(json one.json bound)"
}

traffic() {
    expect 0 "$MCO" traffic generate --family grid --size 12x12 --zones 60 --destinations 20 --load 0.6 --network g.tntp --trips gt.tntp
    expect 0 "$MCO" traffic assign g.tntp gt.tntp --method bfw --iterations 20 --flows one.csv --json one.json
    expect 0 on 3 "$MCO" traffic assign g.tntp gt.tntp --method bfw --iterations 20 --flows many.csv --json many.json
    cmp one.csv many.csv || fail "flows differ"
    expect_json many.json objective "$(json one.json objective)"
    expect 2 on 2 "$MCO" traffic assign g.tntp gt.tntp --method pairs
    expect_text err "fw, cfw and bfw on cores share their loads"
}

islands() {
    expect 0 "$MCO" vrp generate --customers 40 --output r.vrp
    expect 0 on 3 "$MCO" vrp solve r.vrp --time-limit 0.5 --solution r.sol --json many.json
    expect 0 "$MCO" vrp check r.vrp r.sol
    expect 2 on 2 "$MCO" vrp solve r.vrp --prove
    expect_text err "a proof beside the search takes one process, 2 were started"
    expect 0 on 3 "$MCO" dtspms solve R00 --orders 20 --iterations 50 --json many.json
    expect 0 "$MCO" dtspms check R00 --orders 20 many.json
    # A bound of the first leg, which the short ones have no time for, is the bound of all. The log is one table.
    expect 0 on 3 "$MCO" dtspms solve R00 --orders 33 --time-limit 1.5 --json many.json
    [ "$(grep -c "found by" err)" -eq 1 ] || fail "each leg has a table of its own"
    expect_text err "all ranks"
    [ "$(json many.json bound)" -ge "$(sed -n 's/.*; bound \([0-9]*\) = .*/\1/p' err)" ] || fail "the bound of the first leg is lost"
}

# Without cuts there is a tree, whose nodes ranks solve in turn. The tree may differ, what it proves does not.
bounds() {
    expect 0 "$MCO" vrp generate --customers 22 --output b.vrp
    expect 0 "$MCO" vrp bound b.vrp --cuts none --json one.json
    expect 0 on 3 "$MCO" vrp bound b.vrp --cuts none -v --json many.json --solution b.sol
    if [ "$(json one.json nodes)" -gt 0 ]; then expect_text err "rounds of 3 ranks"; fi  # 0: no solver of linear programs here
    for key in bound cost outcome root_bound; do expect_json many.json $key "$(json one.json $key)"; done
    expect 0 "$MCO" vrp check b.vrp b.sol
    expect 3 on 2 "$MCO" vrp bound nothing.vrp
    expect 2 on 2 "$MCO" vrp bound b.vrp --known 1e9
    [ "$(grep -c "^mco: " err)" -eq 1 ] || fail "an error is told more than once"
    expect 2 on 2 "$MCO" vrp relax b.vrp
}

# The time ends: the answer is partial, files are complete.
time_limit() {
    expect 0 on 2 "$MCO" cycles count --grid 12x12 --method search --time-limit 0.3 --json many.json
    expect_json many.json stop '"time"'
    expect_json many.json outcome '"feasible"'
}

[ -z "$MCO_SANITIZE" ] || skip "the libraries of MPI leak"
foreign_launcher
if [ "$MCO_HAVE_MPI" = ON ] && [ -x "$MCO_MPIEXEC" ] && on 2 true 2> err; then
    refusals
    cycles
    overlay
    asynchronous
    traffic
    islands
    bounds
    time_limit
else
    [ "$failures" -gt 0 ] || skip "no MPI, or no launcher that starts two processes here"
fi
