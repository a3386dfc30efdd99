# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Usage errors exit with 2, unusable files with 3 and the place of the error, malformed solutions with 1. In these cases
# nothing is written.

# ---- Files of another problem
other_problems() {
    printf 'name,x,y,demand\ndepot,0,0,\na,3,4,2\nb,6,8,1\n' > routes.csv
    printf 'plate,60,40\nwidth,height,value\n10,20,200\n' > pieces.csv
    printf 'name,pickup_x,pickup_y,delivery_x,delivery_y\n,0,0,0,0\na,1,2,3,4\n' > orders.csv
    printf 'NAME : x\nTYPE : CVRP\nDIMENSION : 2\n' > x.vrp
    local file problem own
    for own in vrp:routes.csv guillotine:pieces.csv dtspms:orders.csv vrp:x.vrp; do
        file=${own#*:}
        for problem in flowshop guillotine vrp dtspms; do
            if [ "$problem" = "${own%:*}" ]; then continue; fi
            if [ "$file" = x.vrp ] && [ "$problem" = dtspms ]; then continue; fi  # TSPLIB too
            expect 3 "$MCO" "$problem" solve "$file" --time-limit 1
            expect_text err "this is a file for mco ${own%:*}, not for mco $problem"
        done
    done
    expect 0 "$MCO" guillotine solve pieces.csv --json cut.json
    printf '2 2\n1 2\n3 4\n' > two.txt
    expect 0 "$MCO" flowshop solve two.txt --json two.json
    expect 1 "$MCO" vrp check routes.csv two.json --capacity 5
    expect_text err "this is a result of mco flowshop, one of mco vrp was expected"
    expect 1 "$MCO" flowshop check two.txt cut.json
    expect_text err "this is a result of mco guillotine, one of mco flowshop was expected"
    expect 1 "$MCO" guillotine check pieces.csv two.json
    expect_text err "this is a result of mco flowshop"
    for problem in flowshop guillotine vrp dtspms overlay; do
        expect 3 "$MCO" "$problem" solve two.json
        expect_text err "a result file"
    done
    expect 3 "$MCO" cycles count two.json
    expect_text err "two.json:1:1: this is JSON, perhaps a result file, and an instance was expected"
    expect 3 "$MCO" vrp solve ""
    expect_text err "cannot read: the path is empty"
    expect 3 "$MCO" dtspms solve orders.csv --start two.json
    expect_text err "this is a result of mco flowshop"
}

# ---- Usage
usage_errors() {
    expect 2 "$MCO"
    expect 2 "$MCO" knapsack
    expect_text err 'no problem is named "knapsack"'
    expect 2 "$MCO" flowshop
    expect 2 "$MCO" flowshop improve ta001
    expect 2 "$MCO" flowshop solve
    expect 2 "$MCO" flowshop solve ta001 ta002
    expect_text err '"ta002" is one argument too many'
    expect 2 "$MCO" flowshop solve --thread 2 ta001
    expect_text err "did you mean --threads?"
    expect 2 "$MCO" flowshop solve ta001 --thread=2
    expect_text err "unknown option --thread=2; did you mean --threads?"
    expect 2 "$MCO" flowshp solve ta001
    expect_text err 'no problem is named "flowshp"; did you mean "mco flowshop"?'
    expect 2 "$MCO" help vpr
    expect_text err 'did you mean "mco vrp"?'
    expect 2 "$MCO" vrp neighborhood a.vrp
    expect_text err 'vrp has no action "neighborhood"; did you mean "mco vrp neighbourhood"?'
    expect 2 "$MCO" flowshop solve --threads 0x2 ta001
    expect_text err '--threads is "0x2", an integer from 0 to 1024 was expected'
    expect 2 "$MCO" flowshop solve --threads=-1 ta001
    expect 2 "$MCO" flowshop solve --time-limit soon ta001
    expect_text err '--time-limit is "soon"'
    expect 2 "$MCO" flowshop solve --bound lb3 ta001
    expect_text err "one of auto|lb1|lb2 was expected"
    expect 2 "$MCO" flowshop solve ta001 --json
    expect_text err "--json needs a value"
    expect 2 "$MCO" flowshop solve --quiet=yes ta001
    expect 2 "$MCO" flowshop solve ta000
    expect_text err "they are ta001 to ta120"
    expect 2 "$MCO" flowshop check ta001
    expect 2 "$MCO" flowshop generate
    expect 2 "$MCO" flowshop generate --jobs 5
    expect 2 "$MCO" flowshop generate --taillard ta001 --jobs 5
    expect 2 "$MCO" flowshop generate --jobs 5 --machines 0
    expect 2 "$MCO" flowshop generate --jobs 5 --machines 5 --seed 0
    expect 2 "$MCO" help knapsack
    local words
    for words in -h "flowshop -h" "flowshop solve -h" "flowshop solve ta001 --help" "help flowshop solve"; do
        # shellcheck disable=SC2086
        expect 0 "$MCO" $words
        expect_text out "mco flowshop solve"
    done
    expect 0 "$MCO" help flowshop
    expect_text out "auto|cpu|gpu|reference|hybrid"
    if grep -qe '--pool' -e gpu-tree out; then fail "the help for users shows what is for study"; fi
    expect 0 "$MCO" help flowshop --all
    expect_text out "--pool N"
    expect_text out "gpu-tree"
    expect 2 "$MCO" flowshop solve ta001 --pool 16
    expect_text err "--pool is 16, but engine auto has no pool"
    expect 0 "$MCO" --version
}

# refused NAME TEXT: solve, check and bound refuse the file `bad` with exit code 3 and this text.
refused() {
    local text=$1
    expect 3 "$MCO" flowshop solve bad --json bad.json --solution bad.txt --plot bad.svg
    expect_text err "$text"
    expect 3 "$MCO" flowshop bound bad
    expect_text err "$text"
    expect 3 "$MCO" flowshop check bad order
    expect_text err "$text"
    expect_no_file bad.json* bad.txt* bad.svg*
    if [ -s out ]; then fail "something was printed for a file that is refused"; fi
}

# ---- Instances
bad_instances() {
    echo "1 2 3" > order
    printf '' > bad && refused "bad:1:1: the file is empty"
    printf '3 2\n1 2 3\n4 5' > bad && refused "bad:3:4: the text ends where the time of job 3 on machine 2 was expected"
    printf '3 2\n1 2 3\n4 -5 6\n' > bad && refused "bad:3:3: the time of job 2 on machine 2 is -5, allowed is 0 to 1000000"
    printf '3 2\n1 2 3\n4 five 6\n' > bad && refused 'bad:3:3: the time of job 2 on machine 2 is "five", a number was expected'
    printf '3 2\n1 2 3 4\n5 6 7\n' > bad && refused "bad:2:7: the row of machine 1 has more than 3 numbers"
    printf '1000000000 5\n1 2 3\n' > bad && refused "bad:1:1: the number of jobs is 1000000000, allowed is 0 to 20000"
    printf '3 1001\n' > bad && refused "bad:1:3: the number of machines is 1001, allowed is 1 to 1000"
    printf '1 1\n1000001\n' > bad && refused "bad:2:1: the time of job 1 on machine 1 is 1000001, allowed is 0 to 1000000"
    awk 'BEGIN { print "2148 1"; for (i = 0; i < 2148; i++) printf "1000000 " }' > bad
    refused "(2148 + 1 - 1) * 1000000 = 2148000000, allowed is 2147483647"
    head -c 5000 "$MCO" > bad && refused "bad: not a text file"
    printf 'job,A,B\nJ1,1\n' > bad && refused "bad:2:1: the row of job 1 has 1 times, 2 were expected"
    rm bad && refused "cannot read bad: No such file or directory"
    mkdir bad && refused "cannot read bad: it is a folder"
    rmdir bad
}

several_instances() {
    printf '2 1\n3 4\n2 1\n5 6\n' > two
    expect 2 "$MCO" flowshop bound two
    expect_text err "two holds 2 instances: choose one with --instance 1..2"
    expect 2 "$MCO" flowshop bound --instance 3 two
    expect 0 "$MCO" flowshop bound --instance 2 two
    expect_text out "makespan >= 11"
}

cut_compressed() {
    command -v gzip > /dev/null || return 0
    "$MCO" --version | grep -q "no zlib" && return 0
    "$MCO" flowshop generate --jobs 50 --machines 20 > whole
    gzip -c whole > whole.gz
    head -c $(($(wc -c < whole.gz) / 2)) whole.gz > bad && refused "the compressed file is cut"
    rm bad
}

# A stream that is closed, or open the wrong way, gets nothing from another file that took its number.
closed_streams() {
    local code=0
    printf '2 2\n1 2\n3 4\n' > two.txt
    "$MCO" flowshop solve - <&- > out 2> err || code=$?
    [ "$code" -eq 3 ] || fail "exit code $code instead of 3 with a closed standard input"
    expect_text err "cannot read standard input: it is closed, or not open for reading"
    "$MCO" flowshop check two.txt - 0> empty > out 2> err && fail "standard input that is open for writing was read"
    expect_text err "cannot read standard input: it is closed, or not open for reading"
    code=0
    "$MCO" flowshop solve two.txt --json two.json >&- 2> err || code=$?
    [ "$code" -eq 3 ] || fail "exit code $code instead of 3 with a closed standard output"
    expect_text err "cannot write standard output: Bad file descriptor"
    code=0
    "$MCO" flowshop solve two.txt --json - >&- 2> err || code=$?
    [ "$code" -eq 3 ] || fail "exit code $code instead of 3 with a closed standard output"
    expect_text err "cannot write -: Bad file descriptor"
    "$MCO" flowshop solve two.txt --json - -v > out 2>&- || fail "a closed standard error ends a run"
    if grep -v '^[{} ]' out; then fail "the log is in the result file"; fi
}

# ---- Solutions: `check` fails with 1; for `--start` they are unusable files
bad_solutions() {
    printf 'job,A,B,C,D\nJ1,5,3,4,1\nJ2,2,2,1,4\nJ3,1,3,5,2\n' > example.csv
    local text message
    while IFS='|' read -r text message; do
        printf '%b' "$text" > order
        expect 1 "$MCO" flowshop check example.csv order
        expect_text err "$message"
        expect 3 "$MCO" flowshop solve example.csv --start order --json bad.json
        expect_text err "$message"
        expect_no_file bad.json*
    done << 'END'
|order:1:1: the order has 0 jobs, the instance has 3
1 2\n|order:2:1: the order has 2 jobs, the instance has 3
1 2 3 3\n|order:1:7: the order goes on after all 3 jobs
1 2 2\n|order:1:5: job J2 stands at position 2 and again at position 3
1 2 4\n|order:1:5: a job is 4, allowed is 1 to 3
J1 J2 J4\n|order:1:7: a job is "J4", a row's number or a name of the instance was expected
{"solution": {"order": [1, 2, 2]}}|order:1:31: job J2 stands at position 2 and again at position 3
{"solution": {"order": [1, 2,|order:1:30: the text ends where a job was expected
END
    expect 3 "$MCO" flowshop check example.csv missing
    printf 'J2 J3 J1\n' > order
    expect 0 "$MCO" flowshop check example.csv order
    expect_text out "valid: makespan 17"
}

usage_errors
bad_instances
several_instances
cut_compressed
closed_streams
bad_solutions
other_problems
