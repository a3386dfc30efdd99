# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco vrp bound | relax | solve --prove: result files, fleet rules, pictures, ends, refusals.

# Two pairs of customers, 10 to the right and 10 to the left of the depot; the optimum is 42 = 2 (10 + 1 + 10).
square() {
    cat << 'END'
NAME : square
TYPE : CVRP
DIMENSION : 5
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 2
NODE_COORD_SECTION
1 0 0
2 10 0
3 10 1
4 -10 0
5 -10 1
DEMAND_SECTION
1 0
2 1
3 1
4 1
5 1
DEPOT_SECTION
1
-1
EOF
END
}

# matrix DISTANCES CAPACITY DEMAND...: an instance of three customers with a full matrix.
matrix() {
    printf 'NAME : matrix\nTYPE : CVRP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nCAPACITY : %s\n' "$2"
    printf 'EDGE_WEIGHT_SECTION\n%s\nDEMAND_SECTION\n1 0\n2 %s\n3 %s\n4 %s\nDEPOT_SECTION\n1\n-1\nEOF\n' "$1" "$3" "$4" "$5"
}

# expect_no_more FILE OTHER: the bound of FILE is at most the objective of OTHER.
expect_no_more() {
    local bound cost
    bound=$(json "$1" bound)
    cost=$(json "$2" objective)
    [ "${bound%.*}" -le "${cost%.*}" ] || fail "the bound $bound of $1 is above the cost $cost of $2"
}

relaxations() {
    local digest kind
    for kind in q through-q ng; do
        expect 0 "$MCO" vrp relax square.vrp --distance rounded --relaxation "$kind" --ng-size 3 --engine reference --json r.json
        digest=$(json r.json digest)
        expect_text out "digest     ${digest//\"/}"
        expect_text out "relaxation $kind"
        expect 0 "$MCO" vrp relax square.vrp --relaxation "$kind" --ng-size 3 --engine cpu --threads 2 --json r.json
        expect_json r.json digest "$digest"
        expect_json r.json objective null
    done
    expect 0 "$MCO" vrp relax square.vrp --relaxation q --json r.json --quiet
    expect_json r.json value 20
    expect_json r.json bound null
    expect_json r.json outcome '"unknown"'
    expect 0 "$MCO" vrp relax square.vrp --relaxation through-q --json r.json --quiet
    expect_json r.json value 42
    expect_json r.json bound 42
    expect 1 "$MCO" vrp relax square.vrp --time-limit 0 --json r.json
    expect_json r.json value null
    expect_json r.json stop '"time"'
}

bounds() {
    local method cuts kind limit seen
    expect 0 "$MCO" vrp bound square.vrp --distance rounded --relaxation ng --ng-size 8 --cuts all --method auto --engine cpu \
        --time-limit 100 --json b.json --plot b.svg
    expect_text out "fleet      free: any number of routes"
    expect_text out "bound      42"
    expect_json b.json bound 42
    expect_json b.json fleet_rule '"free"'
    expect_json b.json fleet null
    expect 0 "$MCO" vrp solve square.vrp --iterations 10 --solution s.sol --quiet
    expect 0 "$MCO" vrp bound square.vrp --start s.sol --time-limit 100 --json b.json
    expect_text out "outcome    optimal"
    expect_json b.json outcome '"optimal"'
    expect_json b.json objective 42
    expect_json b.json gap 0
    expect 0 "$MCO" vrp bound square.vrp --known 42 --time-limit 100 --vehicles 3 --json b.json
    expect_text out "fleet      at most 3 routes"
    expect_json b.json fleet 3
    expect_json b.json is_bound_rechecked true
    expect_json b.json bound_checked '"all of it"'
    expect_text out "recheck    all of it"
    # A cost that no plan has.
    expect 0 "$MCO" vrp bound square.vrp --known 30 --time-limit 100 --json b.json
    expect_text out "outcome    every plan costs at least 42, more than the known cost 30"
    expect_json b.json bound 30
    # One cell of ng tables leaves no room: the bound is one of q-routes, and the recheck is told.
    expect 0 "$MCO" vrp bound square.vrp --memory 1 --time-limit 100 --json b.json
    expect_text out "recheck    all of it"
    expect 1 "$MCO" vrp bound square.vrp --time-limit 0 --json b.json
    expect_json b.json is_bound_rechecked false
    expect_text out "outcome    unknown (time): there was no time for a bound"
    # What is left of limits that end before the first pass is 0: no answer, and nothing to recheck.
    expect 0 "$MCO" vrp generate --customers 2000 --output late.vrp
    for limit in 0.01 0.02 0.05 0.1 0.2 0.3; do
        rm -f b.json
        seen=0
        "$MCO" vrp bound late.vrp --time-limit $limit --json b.json > out 2> err || seen=$?
        if [ ! -e b.json ] || [ "$(json b.json bound)" != 0 ]; then continue; fi
        [ "$seen" -eq 1 ] || fail "exit code $seen for a bound of 0"
        expect_json b.json is_bound_rechecked false
        expect_text out "outcome    unknown (time): there was no time for a bound"
    done
    sed 's/DIMENSION : 5/DIMENSION : 1/; /^[2-5] /d' square.vrp > none.vrp
    expect 0 "$MCO" vrp bound none.vrp --json b.json
    expect_json b.json is_bound_rechecked true
    expect_json b.json bound_checked '"all of it"'
    for kind in q through-q ng; do
        expect 2 "$MCO" vrp relax none.vrp --relaxation "$kind"
        expect_text err "the instance has no customers"
    done
    # All customers at one place: no plan costs anything, and the construction is optimal.
    {
        printf 'NAME : place\nTYPE : CVRP\nDIMENSION : 21\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\nNODE_COORD_SECTION\n'
        seq 1 21 | sed 's/$/ 5 5/'
        printf 'DEMAND_SECTION\n1 0\n'
        seq 2 21 | sed 's/$/ 3/'
        printf 'DEPOT_SECTION\n1\n-1\nEOF\n'
    } > place.vrp
    expect 0 "$MCO" vrp bound place.vrp --time-limit 100 --json b.json
    expect_json b.json outcome '"optimal"'
    expect_json b.json objective 0
    expect_json b.json is_bound_rechecked true
    # A search that ends at its target leaves the proof no time, and nobody has cancelled it.
    expect 0 "$MCO" vrp generate --customers 60 --output aim.vrp
    expect 0 "$MCO" vrp solve aim.vrp --prove --target 1e9 --time-limit 100 --json b.json
    expect_json b.json stop '"target"'
    case $(json b.json bound_checked) in
        *cancelled* | *"time was over"*) fail "the recheck says $(json b.json bound_checked)" ;;
    esac
    for method in ascent auto; do
        for cuts in none capacity all; do
            for kind in q through-q ng; do
                expect 0 "$MCO" vrp bound square.vrp --method "$method" --cuts "$cuts" --relaxation "$kind" --time-limit 100 --json b.json
                expect_no_more b.json s.json
            done
        done
    done
}

# Tables of ng-routes that have no room: the result says what was priced.
priced() {
    local customers=120 demand=1-100 memory=4
    if [ -n "${MCO_SANITIZE:-}" ]; then customers=25 memory=1; fi
    expect 0 "$MCO" vrp generate --customers "$customers" --depot c --placement r --demand "$demand" --route-size 10 --seed 3 --output n.vrp
    expect 0 "$MCO" vrp bound n.vrp --ng-size 8 --root-only --cuts none --time-limit 100 --json b.json
    if [ "$(json b.json relaxation_used)" = '"ng"' ]; then
        expect_text out "relaxation ng(8)"
        expect 0 "$MCO" vrp bound n.vrp --ng-size 8 --root-only --cuts none --time-limit 100 --memory "$memory" --json b.json
        expect_json b.json relaxation_used '"q"'
        expect_text out "relaxation q (ng was asked for)"
    fi
    expect 0 "$MCO" vrp bound n.vrp --method ascent --time-limit 100 --json b.json
    expect_json b.json relaxation_used '"through-q"'
    expect_text out "relaxation through-q (ng was asked for)"
    expect_json b.json used_cores false
}

# Four routes are the ways there and back: 80.
fleets() {
    local other
    expect 0 "$MCO" vrp bound square.vrp --vehicles-exactly 4 --time-limit 100 --json b.json
    expect_text out "fleet      exactly 4 routes"
    expect_json b.json bound 80
    expect_json b.json outcome '"optimal"'
    expect_json b.json is_bound_rechecked true
    expect 1 "$MCO" vrp bound square.vrp --vehicles-exactly 5 --json b.json
    expect_json b.json outcome '"infeasible"'
    expect_text out "4 customers make at most 4 routes, exactly 5 are asked for"
    expect 1 "$MCO" vrp bound square.vrp --vehicles-exactly 1 --json b.json
    expect_text out "all demands are 4, 1 vehicle carries 2"
    expect 1 "$MCO" vrp bound square.vrp --vehicles 1 --json b.json
    expect_json b.json outcome '"infeasible"'
    expect 2 "$MCO" vrp bound square.vrp --vehicles 3 --vehicles-exactly 2
    expect_text err "one of them was expected"
    expect 2 "$MCO" vrp bound square.vrp --vehicles-exactly 3 --start s.sol
    expect_text err "the plan to start with has 2 routes, --vehicles-exactly 3 was given"
    # The same of a search: few customers are decided exactly, unless iterations are counted.
    for other in "" "--iterations 200 --prove" "--iterations 200"; do
        # shellcheck disable=SC2086
        expect 0 "$MCO" vrp solve square.vrp --vehicles-exactly 4 --time-limit 100 $other --json e.json --solution e.sol
        expect_text out "fleet      exactly 4 routes"
        expect_json e.json objective 80
        expect_json e.json routes 4
        expect 0 "$MCO" vrp check square.vrp e.sol
        # shellcheck disable=SC2086
        expect 1 "$MCO" vrp solve square.vrp --vehicles-exactly 5 $other --json e.json
        expect_json e.json outcome '"infeasible"'
        # shellcheck disable=SC2086
        expect 2 "$MCO" vrp solve square.vrp --vehicles 3 --vehicles-exactly 2 $other
        expect_text err "one of them was expected"
        # shellcheck disable=SC2086
        expect 2 "$MCO" vrp solve square.vrp --vehicles-exactly 3 --start s.sol $other
        expect_text err "the plan to start with has 2 routes"
    done
    expect 0 "$MCO" vrp solve square.vrp --vehicles-exactly 4 --iterations 200 --prove --json e.json --solution e.sol
    expect_json e.json outcome '"optimal"'
    # The rule belongs to the instance: the checker takes it from the result file, or from the option.
    expect 0 "$MCO" vrp check square.vrp e.json
    expect 0 "$MCO" vrp check square.vrp e.sol --vehicles-exactly 4
    expect 1 "$MCO" vrp check square.vrp e.sol --vehicles-exactly 3
    expect_text err "4 routes, exactly 3 were expected"
    sed 's/"vehicles-exactly": 4/"vehicles-exactly": 2/' e.json > changed.json
    expect 1 "$MCO" vrp check square.vrp changed.json
    expect_text err "4 routes, exactly 2 were expected"
    expect_json e.json is_bound_rechecked true
    expect 0 "$MCO" vrp solve square.vrp --vehicles-exactly 2 --start s.sol --iterations 200 --json e.json
    expect_json e.json objective 42
    expect 0 "$MCO" vrp generate --customers 20 --depot c --placement r --demand 1-10 --route-size 5 --seed 9 --output f.vrp
    expect 0 "$MCO" vrp bound f.vrp --vehicles-exactly 8 --time-limit 100 --json b.json
    expect 0 "$MCO" vrp solve f.vrp --vehicles-exactly 8 --prove --time-limit 100 --json e.json
    expect_json e.json outcome '"optimal"'
    expect_json e.json routes 8
    expect_json e.json objective "$(json b.json objective)"
}

proofs() {
    local options limit customers=25
    if [ -n "${MCO_SANITIZE:-}" ]; then customers=16; fi
    expect 0 "$MCO" vrp generate --customers "$customers" --depot c --placement r --demand 1-10 --route-size 5 --seed 4 --output g.vrp
    for options in "--threads 2" "--threads 1" "--iterations 3000" "--gap 0.5" "--engine reference"; do
        case $options in --iterations*|--gap*) if [ -n "${MCO_SANITIZE:-}" ]; then continue; fi ;; esac
        # shellcheck disable=SC2086
        expect 0 "$MCO" vrp solve g.vrp --prove --time-limit 100 $options --json p.json --solution g.sol
        expect_text out "bound      "
        expect_no_more p.json p.json
        expect 0 "$MCO" vrp check g.vrp g.sol
    done
    expect 0 "$MCO" vrp solve g.vrp --prove --time-limit 100 --vehicles 20
    expect_text out "fleet      at most 20 routes"
    expect 0 "$MCO" vrp solve g.vrp --prove --time-limit 100 --json p.json
    expect_text out "fleet      free: any number of routes"
    expect_json p.json outcome '"optimal"'
    expect_json p.json gap 0
    expect_json p.json is_bound_rechecked true
    expect_json p.json bound_checked '"all of it"'
    expect_text out "recheck    all of it"
    expect 0 "$MCO" vrp solve g.vrp --time-limit 0.2 --json p.json
    grep -q bound_checked p.json && fail "a solve without a proof tells of its recheck"
    expect 0 "$MCO" vrp solve g.vrp --prove --time-limit 100 --json p.json --threads 1
    expect_json p.json is_bound_rechecked true
    # Near enough: the proof ends, and is rechecked.
    expect 0 "$MCO" vrp solve g.vrp --prove --time-limit 100 --gap 0.05 --json q.json
    expect_json q.json is_bound_rechecked true
    # Long routes and a good plan to begin with: the search stalls long before the proof is done.
    expect 0 "$MCO" vrp generate --customers 60 --depot e --placement rc --demand 1-10 --route-size 20 --seed 7 --output long.vrp
    expect 0 "$MCO" vrp solve long.vrp --time-limit 2 --solution long.sol
    for options in 1 2; do
        if [ "$options" -eq 1 ] && [ -n "${MCO_SANITIZE:-}" ]; then continue; fi
        for limit in 6 20 60; do  # a slow machine still finds better plans at first
            expect 0 "$MCO" vrp solve long.vrp --start long.sol --prove --time-limit $limit --threads "$options" -v --json q.json
            if grep -q "nothing better" err; then break; fi
        done
        expect_text err "the search has found nothing better for"
        expect_no_more q.json q.json
    done
    # Sets beyond those of dense tables: labels price them.
    for options in 9 20 32; do
        if [ "$options" -eq 20 ] && [ -n "${MCO_SANITIZE:-}" ]; then continue; fi
        expect 0 "$MCO" vrp bound g.vrp --ng-size "$options" --cuts capacity --time-limit 100 --json b.json
        expect_json b.json outcome '"optimal"'
        expect_json b.json objective "$(json p.json objective)"
        [ "$(json b.json labels)" -gt 0 ] || fail "no labels for sets of $options"
    done
    # A leg of the search that is too short for its first routes does not end the run.
    if [ -z "${MCO_SANITIZE:-}" ]; then
        expect 0 "$MCO" vrp generate --customers 300000 --output many.vrp
        for limit in 4 20 60; do  # a slow machine may need the first to read the file
            if "$MCO" vrp solve many.vrp --prove --time-limit $limit --json p.json > out 2> err; then break; fi
        done
        expect_json p.json outcome '"feasible"'
        if [ "$(awk '/^MemTotal/ { print int($2 / 1048576) }' /proc/meminfo)" -lt 600 ]; then
            expect_text err "warning: the proof ended: all arcs of 300001 nodes need"
            expect 4 "$MCO" vrp bound many.vrp --time-limit 100
        fi
        awk -v s="$(json p.json wall_s)" -v limit=$limit 'BEGIN { exit !(s >= 0.875 * limit) }' ||
            fail "--time-limit $limit ended after $(json p.json wall_s) s"
    fi
    # Without a limit of time: the proof ends the run.
    expect 0 "$MCO" vrp solve g.vrp --prove --iterations 100 --threads 2 --json p.json
    expect_json p.json outcome '"optimal"'
    expect 0 "$MCO" vrp solve g.vrp --prove --iterations 0 --threads 1 --json p.json
    expect_json p.json outcome '"optimal"'
    expect 0 "$MCO" vrp solve g.vrp --prove --time-limit 100 --target 1e9 --json p.json
    expect_json p.json stop '"target"'
}

bad_input() {
    local other room=100
    if [ -n "${MCO_SANITIZE:-}" ]; then room=8; fi  # fewer loads
    expect 2 "$MCO" vrp bound square.vrp --relaxation elementary
    expect_text err "q|through-q|ng"
    expect 2 "$MCO" vrp bound square.vrp --ng-size 33
    expect 2 "$MCO" vrp relax square.vrp --cuts none
    expect_text err "--cuts"
    expect 2 "$MCO" vrp relax square.vrp --engine cpu --gpus 0
    expect_text err "--gpus 0 is for --engine gpu"
    # Not even where there is no GPU.
    for other in relax bound "solve --iterations 10"; do
        # shellcheck disable=SC2086
        expect 2 "$MCO" vrp $other square.vrp --gpus nonsense
        expect_text err '--gpus is "nonsense", "all" or indices like "0,1" were expected'
    done
    expect 2 "$MCO" vrp bound square.vrp --gpus 0,0
    expect_text err 'names GPU 0 twice'
    expect 4 "$MCO" vrp bound square.vrp --gpus 63
    # A library without the functions stands before the solver of linear programs: one warning, and the bound of the ascent.
    other=$(ldd "$MCO" | awk '$1 ~ /^libm[.]so/ { print $3 }')
    if [ -n "$other" ]; then
        mkdir -p broken
        cp -L "$other" broken/libClp.so.1
        expect 0 env LD_LIBRARY_PATH=broken "$MCO" vrp bound square.vrp --time-limit 100 --json b.json
        [ "$(grep -c "no solver of linear programs" err)" -eq 1 ] || fail "not one warning: $(cat err)"
    fi
    # A known cost that no plan reaches, and one that is far from those of plans.
    expect 2 "$MCO" vrp bound square.vrp --known 1e15
    expect_text err "--known 1e+15: no plan of this instance costs more than"
    expect 0 "$MCO" vrp bound square.vrp --known 120 --time-limit 100 --json b.json
    expect_json b.json bound 42
    expect 0 "$MCO" vrp bound square.vrp --known 30 --time-limit 100 --json b.json
    expect_text out "every plan costs at least 42, more than the known cost 30"
    expect_json b.json outcome '"none_below"'
    # A bound without a plan says what is missing.
    expect 0 "$MCO" vrp bound square.vrp --method ascent --time-limit 100 --json b.json
    expect_json b.json outcome '"unknown"'
    expect_json b.json reason '"no plan was found; --start gives one"'
    # Customers without demand, a triangle that fails, an asymmetric matrix.
    matrix $'0 5 5 50\n5 0 1 1\n5 1 0 1\n50 1 1 0' 2 1 0 1 > triangle.vrp
    expect 0 "$MCO" vrp bound triangle.vrp --time-limit 100 --json b.json
    expect 0 "$MCO" vrp solve triangle.vrp --json s.json --quiet
    expect_no_more b.json s.json
    matrix $'0 5 6 7\n8 0 1 9\n2 3 0 4\n6 5 4 0' 2 1 1 1 > asymmetric.vrp
    expect 0 "$MCO" vrp bound asymmetric.vrp --time-limit 100 --json b.json
    expect 0 "$MCO" vrp solve asymmetric.vrp --json s.json --quiet
    expect_no_more b.json s.json
    # A capacity of 10^9: divided; else a pass is refused with the memory that its tables would need, and a bound takes coarse loads.
    matrix $'0 5 6 7\n5 0 1 9\n6 1 0 4\n7 9 4 0' 1000000000 300000000 300000000 400000000 > tons.vrp
    expect 0 "$MCO" vrp bound tons.vrp --time-limit 100 --json b.json
    matrix $'0 5 6 7\n5 0 1 9\n6 1 0 4\n7 9 4 0' 1000000000 300000001 300000000 400000000 > grams.vrp
    expect 3 "$MCO" vrp relax grams.vrp --relaxation q --memory 100
    expect_text err "at most 100 MiB may be taken"
    expect 0 "$MCO" vrp bound grams.vrp --memory "$room" --time-limit 100 --json b.json
    expect_json b.json outcome '"optimal"'
    # Three of these customers keep the coarse capacity, the instance's carries two.
    matrix $'0 5 5 5\n5 0 1 1\n5 1 0 1\n5 1 1 0' 600000001 200000001 200000001 200000003 > coarse.vrp
    expect 0 "$MCO" vrp bound coarse.vrp --memory "$room" --time-limit 100 --json b.json
    expect_json b.json outcome '"optimal"'
    expect 0 "$MCO" vrp check coarse.vrp b.json
    expect_text out "21"
}

square > square.vrp
"$MCO" vrp solve square.vrp --json s.json --quiet > out
relaxations
bounds
priced
fleets
proofs
bad_input
