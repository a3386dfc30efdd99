# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
# A coordinator and its workers in two network namespaces: through a relay that delays what is sent, and over a link that
# is cut for a while. The incumbent is fixed, so nodes and leaves must be those of one process.
#
# Longer, with rows "kind,seed,cut at s,wall s,nodes,leaves,workers lost,idle share of a,of b":
#   SEARCH="ta022 --upper-bound 2099" SEEDS="1 2 3" CUT_S=15 SILENCE_S=15 MOST_S=8 MCO=build/mco tests/cli/runner.sh THIS
# KINDS chooses among direct, relay and cut.

read -ra search <<< "${SEARCH:-ta022 --upper-bound 2099}"
read -ra seeds <<< "${SEEDS:-1 2}"
kinds=" ${KINDS:-relay cut} "
cut_s=${CUT_S:-3} silence_s=${SILENCE_S:-2} most_s=${MOST_S:-0.5}
host=mco-host-$$ node=mco-node-$$
port=7000

if lacks_zeromq; then skip "this build has no ZeroMQ"; fi
command -v python3 > /dev/null || skip "no python3"
command -v ip > /dev/null || skip "no ip command"
ip netns add "$host" 2> err || skip "no network namespaces: $(head -n 1 err)"

end_network() {
    local name
    for name in "$host" "$node"; do
        ip netns pids "$name" 2> /dev/null | xargs -r kill -KILL 2> /dev/null || true
        ip netns del "$name" 2> /dev/null || true
    done
}
trap 'end_network; rm -rf "$folder"' EXIT

begin_network() {
    ip netns add "$node"
    ip link add cable netns "$host" type veth peer name cable netns "$node" || skip "no pair of network devices"
    ip -n "$host" address add 10.77.0.1/24 dev cable
    ip -n "$node" address add 10.77.0.2/24 dev cable
    for name in "$host" "$node"; do
        ip -n "$name" link set lo up
        ip -n "$name" link set cable up
    done
}

# run KIND SEED: two workers of one thread each join; the counts must be those of one process.
run() {
    local kind=$1 seed=$2 address=10.77.0.1:$port at=0 begin end lost coordinator key
    ip netns exec "$host" "$MCO" flowshop solve "${search[@]}" --listen $port --key key --silence "$silence_s" --json "$kind.json" \
        > host.out 2> host.err &
    coordinator=$!
    wait_for grep -q "listens on port" host.err
    if [ "$kind" = relay ]; then
        address=localhost:$port
        ip netns exec "$node" python3 "$(dirname "$script")/relay.py" $port "10.77.0.1:$port" 0.02 0.01 0.2 "$seed" > relay.out 2> relay.err &
        wait_for grep -q listens relay.out
    fi
    begin=$(date +%s.%N)
    for name in a b; do
        # Over a link that is cut, one worker stays beside the coordinator.
        where=$node to=$address
        if [ "$kind$name" = cutb ]; then where=$host to=localhost:$port; fi
        ip netns exec "$where" "$MCO" flowshop work --join "$to" --key key --engine cpu --threads 1 --report 0.5 --silence "$silence_s" \
            > "$name.out" 2>&1 &
    done
    if [ "$kind" = cut ]; then
        at=$(awk -v seed="$seed" -v most="$most_s" 'BEGIN { srand(seed); printf "%.2f", most * rand() }')
        wait_for grep -q "  2 workers" host.err
        sleep "$at"
        ip -n "$node" link set cable down
        sleep "$cut_s"
        ip -n "$node" link set cable up
    fi
    wait "$coordinator" || fail "$kind $seed: the coordinator has exit code $?"
    end=$(date +%s.%N)
    ip netns pids "$node" | xargs -r kill 2> /dev/null || true
    wait
    for key in nodes leaves; do expect_json "$kind.json" "$key" "$(json whole.json "$key")"; done
    lost=$(sed -n 's/.* \([0-9]*\) workers lost.*/\1/p' host.err)
    idle=$(sed -n 's/.* s, \(.*%\) of it idle.*/\1/p' a.out b.out | paste -s -d,)
    echo "$kind,$seed,$at,$(awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.2f", b - a }'),$(json "$kind.json" nodes),$(json "$kind.json" leaves),$lost,$idle"
}

begin_network
expect 0 "$MCO" flowshop solve "${search[@]}" --json whole.json
for seed in "${seeds[@]}"; do
    for kind in direct relay cut; do
        if [[ $kinds == *" $kind "* ]]; then run $kind "$seed"; fi
    done
done
