# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco traffic: every action, its files and exit codes; engines agree; bad input and refusals.

make_files() {
    cat > braess_net.tntp <<'END'
<NUMBER OF ZONES> 2
<NUMBER OF NODES> 4
<FIRST THRU NODE> 1
<NUMBER OF LINKS> 5
<END OF METADATA>
~ 	init_node	term_node	capacity	length	free_flow_time	b	power	speed	toll	link_type	;
	1	3	1	100	0.00000001	1000000000	1	0	0	1	;
	1	4	1	100	50	0.02	1	0	0	1	;
	3	2	1	100	50	0.02	1	0	0	1	;
	3	4	1	100	10	0.1	1	0	0	1	;
	4	2	1	100	0.00000001	1000000000	1	0	0	1	;
END
    cat > braess_trips.tntp <<'END'
<NUMBER OF ZONES> 2
<TOTAL OD FLOW> 6.0
<END OF METADATA>

Origin 	1
    2 :     6.0;
END
    cat > braess_node.tntp <<'END'
Node	X	Y	;
1	0	0	;
2	3	0	;
3	1	1	;
4	2	-1	;
END
}

assigning() {
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --nodes braess_node.tntp --gap 1e-12 --json r.json --flows f.tntp \
        --plot p.svg --convergence c.svg --history h.csv --state s.bin
    expect_text out "objective  386.0000000"
    expect_text out "(certified)"
    expect_json r.json kind '"traffic"'
    expect_json r.json outcome '"optimal"'
    expect_json r.json stop '"gap"'
    expect_text r.json '"method": "pairs"'
    expect_json r.json dropped_pairs 0
    expect_json r.json links 5
    expect_text h.csv "time_s,objective,gap"
    expect_text f.tntp "From"
    expect_text p.svg "<svg"
    expect_text c.svg "<svg"
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --gap 1e-12 --state s.bin --quiet
    if [ -s err ]; then fail "--quiet is not quiet"; fi
    for method in fw cfw bfw; do
        expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --method $method --gap 1e-5 --json m.json
        expect_json m.json method "\"$method\""
        expect 0 "$MCO" traffic check braess_net.tntp braess_trips.tntp m.json
    done
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --method bfw --gap 1e-6 --start f.tntp --json m.json
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --objective so --gap 1e-10 --json so.json
    expect_text out "objective  498.000000"
}

# All engines end at one answer.
engines_agree() {
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --engine reference --gap 1e-12 --flows reference.csv
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --engine cpu --threads 2 --gap 1e-12 --flows cpu.csv
    expect 0 "$MCO" traffic compare reference.csv cpu.csv
    expect_text out "0 have more flow, 0 less, 5 the same"
}

checking() {
    for flows in r.json f.tntp; do
        expect 0 "$MCO" traffic check braess_net.tntp braess_trips.tntp $flows
        expect_text out "total cost 552.0000000"
        expect_text out "gap "
    done
    expect 0 "$MCO" traffic check braess_net.tntp braess_trips.tntp f.tntp --objective so
    sed 's/^1[[:space:]]*3[[:space:]].*$/1 3 9 90/' f.tntp > bad.tntp
    expect 1 "$MCO" traffic check braess_net.tntp braess_trips.tntp bad.tntp
    expect_text err "trips and links differ by"
    printf 'From To Volume Cost\n1 3 six 1\n' > bad.tntp
    expect 1 "$MCO" traffic check braess_net.tntp braess_trips.tntp bad.tntp
    expect 2 "$MCO" traffic check braess_net.tntp braess_trips.tntp
}

analysing() {
    expect 0 "$MCO" traffic compare r.json so.json --network braess_net.tntp --nodes braess_node.tntp --plot d.svg --output d.csv --top 2
    expect_text out "largest "
    expect_text d.csv "from,to,before,after,difference"
    expect_text d.svg "<svg"
    expect 0 "$MCO" traffic compare r.json f.tntp
    expect_text out "5 the same"
    printf 'from,to,cost,volume\n1,3,40,4\n1,4,52,2\n3,2,52,2\n3,4,12,2\n4,2,40,4.5\n' > own.csv
    expect 0 "$MCO" traffic compare f.tntp own.csv
    expect_text out "1 have more flow, 0 less, 4 the same"
    printf 'from,to,cost\n1,3,40\n' > own.csv
    expect 3 "$MCO" traffic compare f.tntp own.csv
    expect_text err "no column"
    expect 2 "$MCO" traffic compare r.json f.tntp --plot d.svg
    expect_text err "--plot needs --network"
    expect 0 "$MCO" traffic skim braess_net.tntp braess_trips.tntp --flows r.json --what cost --output skim.csv
    expect 2 "$MCO" traffic skim braess_net.tntp braess_trips.tntp --output skim.csv
    expect_text err "--flows is missing"
    expect 0 "$MCO" traffic select braess_net.tntp braess_trips.tntp --state s.bin --link 3-4 --output select.csv --share share.csv
    expect_text share.csv "from,to,trips"
    expect 2 "$MCO" traffic select braess_net.tntp braess_trips.tntp --state s.bin --link 4-3 --output select.csv
    expect_text err "no link leads from the first node to the second"
    expect 0 "$MCO" traffic paths braess_net.tntp braess_trips.tntp --state s.bin --output paths.csv
    [ "$(wc -l < paths.csv)" -eq 4 ] || fail "three paths were expected"
    mkdir -p named
    printf 'node_id,zone_id\n"a, b",z1\nmid,\nend,z2\n' > named/node.csv
    printf 'from_node_id,to_node_id,length,free_speed,capacity\n"a, b",mid,1,50,900\nmid,end,1,50,900\n' > named/link.csv
    printf 'origin,destination,trips\nz1,z2,5\n' > named/trips.csv
    expect 0 "$MCO" traffic assign named named/trips.csv --state named/n.bin
    expect 0 "$MCO" traffic paths named named/trips.csv --state named/n.bin --output named/paths.csv
    expect_text named/paths.csv 'trips,z1,z2,5,"a, b mid end"'
    expect 0 "$MCO" traffic generate --family grid --size 6x5 --network g.tntp --trips gt.tntp
    expect 0 "$MCO" traffic generate --family grid --size 6x5 --zones 4 --destinations 2 --network g.tntp --trips gt.tntp
    expect 0 "$MCO" traffic assign g.tntp gt.tntp --gap 1e-8
    expect 2 "$MCO" traffic generate --family grid --network g.tntp
    expect_text err "--size is missing"
}

bad_input() {
    sed 's/^\t1\t3\t1\t/\t1\t3\t-1\t/' braess_net.tntp > bad.tntp
    expect 3 "$MCO" traffic assign bad.tntp braess_trips.tntp
    sed 's/OF ZONES> 2/OF ZONES> 1000000000/' braess_net.tntp > bad.tntp
    expect 3 "$MCO" traffic assign bad.tntp braess_trips.tntp
    grep -v '^	1' braess_net.tntp | sed 's/LINKS> 5/LINKS> 3/' > cut.tntp
    expect 0 "$MCO" traffic assign cut.tntp braess_trips.tntp --json cut.json
    expect_json cut.json dropped_pairs 1
    expect_text out "6 dropped: 1 pair without a path"
    expect_text err "from 1 to 2"
    expect 0 "$MCO" traffic assign cut.tntp braess_trips.tntp --unreachable arc --arc-cost 500 --json cut.json
    expect_json cut.json dropped_pairs 0
    expect_text out "artificial arc"
    expect 0 "$MCO" traffic check cut.tntp braess_trips.tntp cut.json
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --demand-factor 0
    expect_text out "gap        0 (certified)"
    expect 2 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --gap 2
    expect 2 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --engine reference --threads 2
    expect 2 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --plot p.svg
    expect 3 "$MCO" traffic assign none.tntp braess_trips.tntp
    expect 1 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --time-limit 0 --json none.json
    expect_json none.json outcome '"unknown"'
    expect_json none.json objective null
}

# No output replaces a file that the action reads, and two outputs never share a file.
keeping_inputs() {
    for what in "skim braess_net.tntp braess_trips.tntp --flows f.tntp --output f.tntp" \
        "select braess_net.tntp braess_trips.tntp --state s.bin --link 3-4 --output s.bin" \
        "paths braess_net.tntp braess_trips.tntp --state s.bin --output s.bin" \
        "compare f.tntp r.json --output r.json" \
        "assign braess_net.tntp braess_trips.tntp --nodes braess_node.tntp --flows braess_node.tntp" \
        "generate --family braess --network two.tntp --trips two.tntp"; do
        # shellcheck disable=SC2086
        expect 2 "$MCO" traffic $what
    done
    expect 0 "$MCO" traffic check braess_net.tntp braess_trips.tntp f.tntp
    mkdir -p town
    printf 'from_node_id,to_node_id,capacity,free_speed,length\n1,2,900,50,1\n2,1,900,50,1\n' > town/link.csv
    printf 'origin,destination,trips\n1,2,300\n' > town/trips.csv
    expect 0 "$MCO" traffic assign town town/trips.csv --flows town/flows.csv
    expect 2 "$MCO" traffic assign town town/trips.csv --flows town/link.csv
    expect_text err "would replace the input"
    expect 2 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --flows f.geojson
    expect_text err "GeoJSON needs places"
    expect 2 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --flows f.json
    expect_text err "--json writes the whole result"
    expect 2 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --method fw --state new.bin
    expect 2 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --start f.tntp --state s.bin
    expect 2 "$MCO" traffic compare f.tntp r.json --network braess_net.tntp --plot d.svg
    expect 0 "$MCO" traffic skim braess_net.tntp braess_trips.tntp --flows f.tntp --output -
    [ "$(wc -l < out)" -eq 3 ] || fail "a matrix of two zones has three lines, without a summary"
    expect 2 "$MCO" traffic check braess_net.tntp braess_trips.tntp f.tntp --method pairs
}

# Files that are something else, cut or of another network.
other_files() {
    expect 3 "$MCO" traffic assign braess_trips.tntp braess_net.tntp
    expect_text err "this is a file of trips"
    expect 3 "$MCO" traffic assign town/trips.csv town
    expect_text err "this is a table of trips; the network comes before it"
    head -c 300 s.bin > cut.bin
    expect 3 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --state cut.bin
    expect_text err "the file is cut off"
    expect 0 "$MCO" traffic assign braess_net.tntp braess_trips.tntp --demand-factor 2 --state s.bin
    expect_text err "the state has no flows for the trips of 1 of 1 origins, which begin anew: is it of this network"
    expect 1 "$MCO" traffic check braess_net.tntp braess_trips.tntp braess_net.tntp
    expect_text err "looks like a link of a network"
    expect 3 "$MCO" traffic compare f.tntp braess_net.tntp
    expect_text err "looks like a link of a network"
    sed 's/\t3\t4\t1\t100/\t4\t3\t1\t100/' braess_net.tntp > turned.tntp
    expect 3 "$MCO" traffic assign turned.tntp braess_trips.tntp --method bfw --start r.json
    expect_text err "flows of another network"
    sed 's/\t1\t3\t1\t100/\t1\t3\t100/' braess_net.tntp > narrow.tntp
    expect 0 "$MCO" traffic assign narrow.tntp braess_trips.tntp --gap 0.5
    expect_text err "narrow.tntp:7: 1 link has less than 10 columns"
    printf 'x,1,2\n1,0\n' > short.csv
    expect 3 "$MCO" traffic assign braess_net.tntp short.csv
    expect_text err "the header has 2 destinations"
    printf 'origin,destination,trips\n1,2\n' > short.csv
    expect 3 "$MCO" traffic assign braess_net.tntp short.csv
    expect_text err "the row ends before its trips"
}

# Which factors counted, and who named them.
factors() {
    sed 's/<TOTAL/<TOLL FACTOR> 0.5\n<TOTAL/' braess_trips.tntp > priced.tntp
    expect 0 "$MCO" traffic assign braess_net.tntp priced.tntp --json p.json
    expect_text out "factors    toll 0.5 (header of the trips), length 0 (default)"
    expect_text p.json '"toll_factors": [0.5]'
    expect 0 "$MCO" traffic assign braess_net.tntp priced.tntp --toll-factor 0.25 --distance-factor 0.1 --flows p.tntp
    expect_text out "factors    toll 0.25 (this call), length 0.1 (this call)"
    expect 0 "$MCO" traffic check braess_net.tntp priced.tntp p.tntp --toll-factor 0.25 --distance-factor 0.1
    expect_text out "factors    toll 0.25 (this call), length 0.1 (this call)"
}

# A limit far too short for the gap ends with flows, a proven gap and a bound.
# The short way turns right: a ban or a penalty of a movement leads around, as the same turn by nodes does.
movements() {
    mkdir -p crossing
    {
        echo 'link_id,from_node_id,to_node_id,vdf_fftt,capacity'
        printf 'a,1,2,1,100\nb,2,3,1,100\nc,2,4,2,100\nd,4,3,2,100\n'
    } > crossing/link.csv
    printf 'origin,destination,trips\n1,3,1\n' > one.csv
    expect 0 "$MCO" traffic assign crossing one.csv --json m.json
    expect_text out "objective  2.0000"
    printf 'ib_link_id,ob_link_id,node_id,penalty,allowed_uses\na,b,2,,none\n' > crossing/movement.csv
    expect 0 "$MCO" traffic assign crossing one.csv --json m.json
    expect_text out "objective  5.0000"
    expect 0 "$MCO" traffic check crossing one.csv m.json
    printf 'from,via,to,cost\n1,2,3,0.5\n' > half.csv
    expect 0 "$MCO" traffic assign crossing one.csv --turns half.csv
    expect_text out "objective  2.5000"
    printf 'ib_link_id,ob_link_id,penalty\na,b,30\n' > crossing/movement.csv
    expect 0 "$MCO" traffic assign crossing/link.csv one.csv
    expect_text out "objective  2.5000"
    printf 'ib_link_id,ob_link_id,penalty\na,b,30\na,d,30\n' > crossing/movement.csv
    expect 3 "$MCO" traffic assign crossing one.csv
    expect_text err "movement.csv:3:1: link a joins nodes 1 and 2, link d nodes 4 and 3"
}

# Flows of the gap that usually suffices leave an excess on single links here: passes without progress must ask for finer ones.
hard_capacities() {
    expect 0 "$MCO" traffic generate --family grid --size 8x8 --zones 20 --destinations 19 --load 0.4 --seed 1 --network g.tntp --trips gt.tntp
    expect 0 within_cpu 40 "$MCO" traffic assign g.tntp gt.tntp --capacities hard --demand-factor 0.9 --gap 1e-8 --json hard.json
    expect_json hard.json outcome '"optimal"'
    expect 1 "$MCO" traffic assign g.tntp gt.tntp --capacities hard --demand-factor 30 --gap 1e-8 --json hard.json
    expect_json hard.json outcome '"infeasible"'
    expect_text out "no flows respect the capacities: queues prove it"
}

# The ninth pass has a gap of 9.6e-7 by luck, out of reach of the passes behind it, which must not return to it for ever.
dependent_streets() {
    expect 0 "$MCO" traffic generate --family streets --size 40x40 --zones 50 --destinations 30 --load 0.6 --seed 2 --network s.csv --trips st.csv
    expect 0 within_cpu 60 "$MCO" traffic assign s.csv st.csv --method pairs --gap 1e-10 --threads 1 --json streets.json
    expect_text out "objective  none: the streets depend on flows of other links"
    expect_json streets.json outcome '"optimal"'
}

short_of_time() {
    expect 0 "$MCO" traffic generate --family grid --size 40x40 --zones 400 --destinations 100 --load 1.2 --network big.tntp --trips bigt.tntp
    for method in pairs bfw; do
        for limit in 1.5 10 60; do  # a slow machine may have no bound at first
            if "$MCO" traffic assign big.tntp bigt.tntp --method $method --gap 1e-15 --time-limit $limit --json big.json > out 2> err &&
                grep -q '"bound": [0-9]' big.json; then break; fi
        done
        grep -q '"bound": [0-9]' big.json || fail "a bound was expected"
        grep -q '"outcome": "feasible"' big.json || fail "flows were expected"
        expect 0 "$MCO" traffic check big.tntp bigt.tntp big.json
    done
}

make_files
assigning
engines_agree
checking
analysing
bad_input
keeping_inputs
other_files
factors
movements
hard_capacities
dependent_streets
short_of_time
