# SPDX-License-Identifier: MIT
# mco paths trees | matrix | route.

cat > g.gr << 'END'
p sp 5 5
a 1 2 3
a 2 3 4
a 3 1 2
a 4 4 1
a 3 5 7
END
printf '# where\n1\n4\n\n2 # two\n' > sources.txt
printf '1 5\n4 1\n2 2\n' > queries.txt

# ---- trees
for method in auto dijkstra buckets sweep; do
    expect 0 "$MCO" paths trees g.gr --sources sources.txt --method $method --output trees.txt
    expect_text out "distances  3 done, 9 with a path"
    printf '# source 1\n1 0\n2 3\n3 7\n5 14\n# source 4\n4 0\n# source 2\n1 6\n2 0\n3 4\n5 11\n' | cmp - trees.txt || fail "trees by $method"
done
expect 0 "$MCO" paths check g.gr trees.txt
expect_text out "3 trees"
expect 0 "$MCO" paths prepare g.gr --output g.mcoh
expect 0 "$MCO" paths trees g.mcoh --sources sources.txt --output again.txt --json result.json
cmp trees.txt again.txt || fail "trees of a hierarchy"
expect_text result.json '"done": 3'
expect 2 "$MCO" paths trees g.gr --output trees.txt
expect_text err "--sources is missing"
expect 2 "$MCO" paths trees g.gr --sources sources.txt --method tiles
expect 2 "$MCO" paths trees g.gr --sources sources.txt --parents
printf '1\n9\n' > wrong.txt
expect 3 "$MCO" paths trees g.gr --sources wrong.txt
expect_text err "wrong.txt:2:1: "
printf '1\n2 3\n' > wrong.txt
expect 3 "$MCO" paths trees g.gr --sources wrong.txt
expect_text err 'wrong.txt:2:3: "3" follows the vertex'
expect 3 "$MCO" paths trees g.gr --sources absent.txt

# ---- matrix
expect 0 "$MCO" paths matrix g.mcoh --sources sources.txt --output -
printf 'source,1,4,2\n1,0,,3\n4,,0,\n2,6,,0\n' | cmp - out || fail "matrix"
printf '5\n' > targets.txt
expect 0 "$MCO" paths matrix g.gr --sources sources.txt --targets targets.txt --output matrix.csv
printf 'source,5\n1,14\n4,\n2,11\n' | cmp - matrix.csv || fail "matrix of targets"
expect 2 "$MCO" paths matrix g.gr --sources sources.txt --engine gpu
expect 2 "$MCO" paths matrix g.gr --sources sources.txt --output sources.txt

# ---- route
expect 0 "$MCO" paths route g.mcoh --queries queries.txt --paths --output -
printf '1 5 14 1 2 3 5\n4 1 none\n2 2 0 2\n' | cmp - out || fail "routes"
expect 0 "$MCO" paths route g.gr --queries queries.txt --output routes.txt
printf '1 5 14\n4 1 none\n2 2 0\n' | cmp - routes.txt || fail "distances of routes"
expect 3 "$MCO" paths route g.gr --queries sources.txt
expect_text err "sources.txt:2:1: one vertex, a source and a target were expected"
expect 2 "$MCO" paths route g.gr --queries queries.txt --geojson map.json
expect_text err "the places of g.gr are unknown"

# ---- places, names, a consumer that closes the pipe, a time limit
expect 0 "$MCO" paths generate grid --size 60x60 --output grid.gr
for k in $(seq 1 300); do echo "$k $((3600 - k))"; done > many.txt
cut -d ' ' -f 1 many.txt > firsts.txt
expect 0 "$MCO" paths prepare grid.gr --output grid.mcoh
expect 0 "$MCO" paths route grid.mcoh --queries many.txt --geojson map.json --output routes.txt
expect_text map.json '"type":"FeatureCollection"'
[ "$(grep -c LineString map.json)" -eq 300 ] || fail "a line for each query"
{ "$MCO" paths trees grid.mcoh --sources firsts.txt --output - 2> err || echo "code $?" > code; } | head -n 1 > /dev/null
[ ! -e code ] || fail "a closed pipe: $(cat code)"
expect 1 "$MCO" paths trees grid.mcoh --sources firsts.txt --time-limit 0
printf 'source,target,weight\nHome,"the Shop",5\n' > named.csv
printf 'Home "the Shop"\n' > named.txt
expect 0 "$MCO" paths route named.csv --queries named.txt --paths --output -
expect_text out 'Home "the Shop" 5 Home "the Shop"'

# ---- files without a vertex
printf '# nothing\n\n' > empty.txt
expect 3 "$MCO" paths trees grid.gr --sources empty.txt --output none.txt
expect_text err "empty.txt: no line has a vertex"
expect 3 "$MCO" paths matrix grid.mcoh --sources empty.txt --output none.txt
expect 3 "$MCO" paths route grid.mcoh --queries empty.txt --output none.txt
expect_text err "empty.txt: no line has a source and a target"
expect_no_file none.txt
