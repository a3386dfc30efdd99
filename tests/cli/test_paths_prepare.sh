# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco paths prepare: hierarchies in files, orders that are given, and what is refused.

expect 0 "$MCO" paths generate road --size 40x40 --output road.gr --order road.txt
expect 0 "$MCO" paths prepare road.gr --output road.mcoh
expect_text out "1600 vertices, "
expect_text out "order by "
expect 0 "$MCO" paths prepare road.gr --output given.mcoh --order road.txt
expect_text out "order by given in "

# A hierarchy is a network as well.
expect 0 "$MCO" paths tree road.gr --source 7 --output plain.txt
expect 0 "$MCO" paths tree given.mcoh --source 7 --output prepared.txt
cmp plain.txt prepared.txt || fail "the network of a hierarchy has other distances"
expect 0 "$MCO" paths prepare given.mcoh --output again.mcoh --order road.txt
expect 0 "$MCO" paths tree again.mcoh --source 7 --output prepared.txt
cmp plain.txt prepared.txt || fail "the network of a hierarchy of a hierarchy has other distances"

# What is refused leaves no file.
expect 2 "$MCO" paths prepare road.gr
expect_text err "--output is missing"
expect 2 "$MCO" paths prepare road.gr --output other.txt
expect_text err "a name that ends with .mcoh was expected"
head -n 100 road.txt > short.txt
expect 3 "$MCO" paths prepare road.gr --output other.mcoh --order short.txt
expect_text err "the text ends where the vertex was expected"
{ head -n 1599 road.txt; head -n 1 road.txt; } > twice.txt
expect 2 "$MCO" paths prepare road.gr --output other.mcoh --order twice.txt
expect_text err "twice, again at place 1599"
head -c 1000 road.mcoh > cut.mcoh
expect 3 "$MCO" paths tree cut.mcoh --source 7 --output other.txt
expect_text err "the file has 1000 bytes, "
expect 1 "$MCO" paths prepare road.gr --output other.mcoh --time-limit 0
expect_text err "stopped while the order"
expect_no_file other.*

# A network without small separators is refused before its hierarchy is built.
expect 0 "$MCO" paths generate random --vertices 9000 --arcs 36000 --output random.gr
seq 1 9000 > random.txt
expect 3 "$MCO" paths prepare random.gr --output other.mcoh --order random.txt
expect_text err "at most 34359738368 triangles are supported"
expect_no_file other.mcoh
expect 0 "$MCO" paths generate random --vertices 2000 --arcs 8000 --output random.gr
seq 1 2000 > random.txt
expect 4 "$MCO" paths prepare random.gr --output other.mcoh --order random.txt --memory 1
expect_text err "MiB are needed, 1 MiB are allowed"
expect_no_file other.mcoh

# One vertex, and networks that are trees.
printf 'p sp 1 0\n' > one.gr
expect 0 "$MCO" paths prepare one.gr --output one.mcoh
expect_text out "1 vertex, 0 arcs, height 1, "
{ echo "p sp 100000 99999"; seq 2 100000 | sed 's/.*/a 1 & 3/'; } > star.gr
expect 0 within_cpu 20 "$MCO" paths prepare star.gr --output star.mcoh
expect_text out "100000 vertices, 99999 arcs, height 2, 0 triangles"
