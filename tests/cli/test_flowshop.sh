# SPDX-License-Identifier: MIT
# Flow shop files of one's own: names that are numbers, decimals, what a file states, the table of a schedule; limits
# and signals of `bound`; what a tree search says that finds nothing.

# ---- Names
names() {
    printf 'job,saw,drill\n3,1,5\nbig table,2,2\n101,4,1\n1,3,3\n' > own.csv
    expect 0 "$MCO" flowshop solve own.csv --json r.json --solution s.txt --plot g.svg
    expect_text out "ids        names"
    expect_text out '"big table"'
    expect_text r.json '"names": ['
    expect_text r.json '"big table"'
    expect_text s.txt "# ids: rows"
    expect_text s.txt '# 2 "big table"'
    expect_text g.svg "jobs by name"
    # What the summary prints reads back under its statement, and what the files hold as it is.
    { echo "# ids: names" && sed -n 's/^order *//p' out; } > names.txt
    local file order
    order=$(grep "^order" out)
    for file in names.txt s.txt r.json; do
        expect 0 "$MCO" flowshop check own.csv "$file"
        expect_text out "valid: makespan 12"
        expect_text out "$order"
        expect 0 "$MCO" flowshop solve own.csv --start "$file" --method heuristic --iterations 0
        expect_text out "makespan   12"
    done
    # Without a statement a number is a row; one that is only a name says what to do.
    echo '3 1 2 4' > rows.txt
    expect 0 "$MCO" flowshop check own.csv rows.txt
    expect_text out 'order      101 3 "big table" 1'
    echo '3 1 "big table" 101' > rows.txt
    expect 1 "$MCO" flowshop check own.csv rows.txt
    expect_text err 'rows.txt:1:17: a job is 101, rows are 1 to 4. It is the name of row 3: for names put the line "# ids: names"'
    # Names of the usual kind need no statement.
    printf 'job,saw\ntable,1\nchair,2\n' > own.csv
    expect 0 "$MCO" flowshop solve own.csv
    if grep -q "^ids" out; then fail "ids are stated where no name is a number"; fi
}

duplicates() {
    printf 'job,saw\ntable,1\nchair,2\ntable,3\n' > twice.csv
    expect 3 "$MCO" flowshop solve twice.csv
    expect_text err 'twice.csv:4:1: the name "table" stands in line 2 and in line 4'
    printf 'job,saw,saw\ntable,1,2\n' > twice.csv
    expect 3 "$MCO" flowshop bound twice.csv
    expect_text err 'twice.csv:1:9: a second machine is named "saw": a name may stand once'
}

# ---- Decimals
decimals() {
    printf 'job;saw;drill\nA;0,5;2\nB;1,25;1\nC;2;0,75\n' > own.csv
    expect 0 "$MCO" flowshop solve own.csv --json r.json --history h.csv --solution s.txt
    expect_text err "times are exact, in units of 0.01"
    expect_text out "makespan   4.50"
    expect_text out "bound      4.50"
    expect_json r.json objective 4.5
    expect_json r.json bound 4.5
    expect_text h.csv ",4.5,"
    expect_text s.txt "# makespan: 4.50"
    expect 0 "$MCO" flowshop check own.csv r.json
    expect 0 "$MCO" flowshop check own.csv s.txt
    expect 0 "$MCO" flowshop bound own.csv
    expect_text out "makespan >= 4.50"
    # Limits are in the file's unit.
    expect 0 "$MCO" flowshop solve own.csv --upper-bound 5
    expect_text out "makespan   4.50"
    expect 0 "$MCO" flowshop solve own.csv --upper-bound 4 --json r.json
    expect_text out "no schedule below 4.00"
    expect_json r.json bound 4
    expect_json r.json rule_bound 4
    expect 0 "$MCO" flowshop solve own.csv --method heuristic --target 4.5 --time-limit 20
    expect_text out "(target)"
    # A search with decimals goes on from a checkpoint.
    awk 'BEGIN { srand(4); print "job,a,b,c,d,e,f,g,h"; for (j = 1; j <= 16; j++) { printf "j%d", j
                 for (k = 1; k <= 8; k++) printf ",%.1f", 1 + int(rand() * 98) / 10; print "" } }' > wide.csv
    expect 0 "$MCO" flowshop solve wide.csv --json whole.json
    expect 0 "$MCO" flowshop solve wide.csv --iterations 0 --target 1000 --checkpoint c
    expect 0 "$MCO" flowshop solve wide.csv --resume c --json legs.json
    [ "$(json whole.json objective)" = "$(json legs.json objective)" ] || fail "the resumed search ends at another makespan"
    expect_json legs.json outcome '"optimal"'
}

# ---- What a file states
stated() {
    printf '2 2\n3 1\n2 4\n' > own.txt
    expect 0 "$MCO" flowshop solve own.txt --json r.json --solution s.txt
    expect_json r.json objective 7
    sed 's/"objective": 7/"objective": 6/' r.json > wrong.json
    expect 1 "$MCO" flowshop check own.txt wrong.json
    expect_text err "the makespan of the order is 7, its file states 6"
    sed 's/makespan: 7/makespan: 6.5/' s.txt > wrong.txt
    expect 1 "$MCO" flowshop check own.txt wrong.txt
    expect_text err "the makespan of the order is 7, its file states 6.5"
    if [ -s out ]; then fail "something was printed for a solution that fails"; fi
}

# ---- The schedule as a table
table() {
    printf 'job,saw,"drill, big"\nA,3,2\nB,1,4\n' > own.csv
    expect 0 "$MCO" flowshop solve own.csv --solution t.csv
    printf 'job,machine,start,end,row\nB,saw,0,1,2\nA,saw,1,4,1\nB,"drill, big",1,5,2\nA,"drill, big",5,7,1\n' > wanted.csv
    cmp -s t.csv wanted.csv || fail "the table differs: $(cat t.csv)"
    expect 1 "$MCO" flowshop check own.csv t.csv
    expect_text err "t.csv:1:1: this is the table of a schedule: give the order or the result file"
}

# ---- Limits: LB2 of this instance takes minutes
limits() {
    "$MCO" flowshop generate --jobs 2000 --machines 1000 --output wide.txt
    expect 0 within_cpu 20 "$MCO" flowshop bound wide.txt --bound lb2 --time-limit 0.5
    expect_text out "(lb2, not all pairs: stopped, time)"
    local code=0
    (ulimit -t 30 && exec "$MCO" flowshop bound wide.txt --bound lb2 > out 2> err) &
    local process=$!
    wait_for is_solving "$process" 200
    kill -INT "$process"
    wait "$process" || code=$?
    [ "$code" -eq 130 ] || fail "exit code $code after SIGINT"
    expect_text out "(lb2, not all pairs: stopped, cancelled)"
    # A node of this instance takes the reference seconds with LB2.
    "$MCO" flowshop generate --jobs 33 --machines 1000 --output pairs.txt
    local way
    for way in "--engine reference" "--select best" "--engine cpu"; do
        # shellcheck disable=SC2086
        expect 1 "$MCO" flowshop solve pairs.txt --bound lb2 --upper-bound 200000 --time-limit 1 --threads 2 $way --json r.json
        expect_time_limit r.json 1 19
    done
}

# The schedules before a tree search take no longer than all orders of few jobs would.
few_jobs() {
    printf 'job,saw\nA,3\n' > one.csv
    expect 0 "$MCO" flowshop solve one.csv
    grep -qx "instance   one.csv, 1 job, 1 machine" out || fail "one job on one machine: $(head -n 1 out)"
    expect 0 "$MCO" flowshop generate --jobs 3 --machines 1000 --seed 1 --output few.txt
    expect 0 within_cpu 20 "$MCO" flowshop solve few.txt --json few.json
    expect_json few.json outcome '"optimal"'
}

# An optimum is known, and a tree of minutes proves it: who wants schedules is told of the other method. A proof, a part of the tree and a
# question about a bound say no such thing.
vain_tree() {
    echo "18 19 4 1 13 5 14 8 9 15 11 3 12 17 16 6 20 10 2 7" > best.txt
    expect 0 "$MCO" flowshop solve ta023 --start best.txt --iterations 1 --time-limit 1 --engine cpu
    expect_text err "the tree search found no shorter schedule in its time; --method heuristic"
    expect 0 "$MCO" flowshop solve ta023 --start best.txt --iterations 1 --time-limit 1 --engine cpu --interval 1,
    if grep -q "found no shorter" err; then fail "a part of the tree asks for another method"; fi
    expect 1 "$MCO" flowshop solve ta023 --upper-bound 2326 --time-limit 1 --engine cpu
    if grep -q "found no shorter" err; then fail "a question about a bound asks for another method"; fi
    expect 0 "$MCO" flowshop solve ta001 --engine cpu
    expect_text out "optimal"
    if grep -q "found no shorter" err; then fail "a proof asks for another method"; fi
}

names
duplicates
few_jobs
vain_tree
decimals
stated
table
limits
expect 0 "$MCO" flowshop generate --jobs 500 --machines 200 --seed 3 --output slow.txt
slow_input slow.txt flowshop
