# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Every command that the documents, the help and the demo show runs as written, where examples/ is. So no command names a
# file that a reader lacks.
#
# A command is a line of a fenced block that begins with mco, build/mco or "$ mco". Those of one document run one after
# the other in a folder of their own, so that a later one may read what an earlier one has written. A time limit becomes
# one second, and a solve without one gets it; if a slow machine has no answer by then, it gets a minute. A command that
# names a GPU may end with "no GPU".
# shellcheck disable=SC2154
root=$(cd "$(dirname "$script")/../.." && pwd)

# commands_of FILE: the commands of the fenced blocks.
commands_of() {
    awk '/^```/ { is_code = !is_code; next } is_code' "$1" | shown_commands
}

# shown_commands: the commands among the lines of standard input.
shown_commands() {
    sed -nE 's/^ *(\$ )?(\.?\/?build\/)?mco /mco /p'
}

# shorten COMMAND SECONDS: the same with this limit.
shorten() {
    local command=${1%%  #*}
    if [[ $command == *--time-limit* ]]; then
        sed -E "s/--time-limit [^ ]+/--time-limit $2/" <<< "$command"
    elif [[ $command == *" solve "* ]]; then
        echo "$command --time-limit $2"
    else
        echo "$command"
    fi
}

mco() {
    "$MCO" "$@"
}

# run_all DOCUMENT COMMAND...: runs the commands in a new folder.
run_all() {
    local document=$1 command limit
    shift
    [ $# -gt 0 ] || { fail "$document shows no command"; return; }
    mkdir run
    cp -r "$root/examples" run/
    for command in "$@"; do
        local seen
        for limit in 1 60; do
            seen=0
            (cd run && eval "$(shorten "$command" $limit)") > out 2> err < /dev/null || seen=$?
            if [ "$seen" -ne 1 ]; then break; fi
        done
        if [ "$seen" -eq 4 ] && [[ $command =~ --engine\ (gpu|hybrid)|--gpus ]] && grep -q "no GPU" err; then continue; fi
        if [ "$seen" -ne 0 ]; then
            fail "$document: exit code $seen: $command"
            sed 's/^/    /' err
        fi
    done
    rm -r run
}

documents() {
    local file
    local -a commands
    while IFS= read -r file; do
        mapfile -t commands < <(commands_of "$file")
        case ${file#"$root"/} in
        README.md | examples/README.md | src/*/README.md) ;;  # these must show some
        *) if [ "${#commands[@]}" -eq 0 ]; then continue; fi ;;
        esac
        run_all "${file#"$root"/}" "${commands[@]}"
    done < <(find "$root" -path "$root/build*" -prune -o -name '*.md' -print | sort)
}

# The example of each problem, and the columns of its example file.
help_texts() {
    local problem column
    local -a commands problems
    "$MCO" help > help.txt
    mapfile -t problems < <(sed -n '/^problems:/,/^$/s/^  \([a-z]*\).*/\1/p' help.txt)
    mapfile -t commands < <(sed -n '/^examples/,/^$/p' help.txt | shown_commands)
    [ "${#commands[@]}" -eq "${#problems[@]}" ] || fail "${#commands[@]} examples of ${#problems[@]} problems in mco help"
    run_all "mco help" "${commands[@]}"
    for problem in "${problems[@]}"; do
        "$MCO" help "$problem" > help.txt
        mapfile -t commands < <(sed -n '/^example/,/^$/p' help.txt | shown_commands)
        run_all "mco help $problem" "${commands[@]}"
    done
    for problem in dtspms:pallets guillotine:boards guillotine:glass vrp:bakery; do
        "$MCO" help "${problem%:*}" | sed -n '/^CSV of/,/^$/p' > columns.txt
        for column in $(grep -m 1 '^name,' "$root/examples/${problem#*:}.csv" | tr ',' ' '); do
            grep -qE "^  ([a-z_]+(, | or ))*$column\b" columns.txt || fail "mco help ${problem%:*} lacks the column $column"
        done
    done
    expect 0 "$MCO" help flowshop
    expect_text out "CSV of INSTANCE"
}

# The demo ends with commands to go on.
demo() {
    local -a commands
    mapfile -t commands < <(shown_commands < "$root/scripts/demo.sh")
    run_all "scripts/demo.sh" "${commands[@]}"
}

documents
help_texts
demo
