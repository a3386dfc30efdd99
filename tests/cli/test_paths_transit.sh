# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# mco paths itinerary | itineraries | isochrone | check-journeys | timetable: a city of a grid, and a real one where there are data.

expect 0 "$MCO" paths timetable --grid 8x9 --output grid
expect 2 "$MCO" paths timetable --grid 8 --output bad
expect_text err 'two numbers like 7x10 were expected'
city=(--gtfs grid --date 2019-05-15)

itineraries() {
    expect 0 "$MCO" paths itinerary "${city[@]}" --from 0.001,0.002 --to 0.024,0.027 --depart 08:00 --json r.json --plot p.svg --geojson p.geojson
    expect_text out 'outcome    optimal (finished)'
    expect_text out ' rides, '
    expect_text out 'arrival'
    expect_json r.json kind '"transit"'
    expect_json r.json journeys 1
    expect_text r.json '"vehicle": "bus"'
    expect_text p.svg '<svg'
    expect_text p.geojson '"FeatureCollection"'
    expect 0 "$MCO" paths itinerary "${city[@]}" --from 0.001,0.002 --to 0.024,0.027 --depart 08:00 --window 60 --json r.json
    [ "$(json r.json journeys)" -gt 2 ] || fail "an hour has $(json r.json journeys) journeys"
    expect 0 "$MCO" paths itinerary "${city[@]}" --modes walk --from 0.001,0.002 --to 0.024,0.027 --depart 08:00 --json r.json
    expect_json r.json rides 0
}

refusals() {
    # An output never replaces what the run reads: a table of a feed, a feed of a list, the queries.
    cp grid/stops.txt stops.txt
    expect 2 "$MCO" paths itinerary "${city[@]}" --from 0.001,0.002 --to 0.024,0.027 --depart 08:00 --json grid/stops.txt
    expect_text err 'an output goes to grid/stops.txt: it would replace the input'
    cmp grid/stops.txt stops.txt || fail "a table of the feed was replaced"
    mkdir -p other && cp grid/*.txt other
    expect 2 "$MCO" paths itinerary --gtfs grid,other --date 2019-05-15 --from 0.001,0.002 --to 0.024,0.027 --depart 08:00 --plot other/trips.txt
    printf 'from_lat,from_lon,to_lat,to_lon,depart\n0.001,0.002,0.024,0.027,08:00\n' > asked.csv
    expect 2 "$MCO" paths itineraries "${city[@]}" --queries asked.csv --json asked.csv
    expect_text err 'an output goes to asked.csv: it would replace the input'
    expect 2 "$MCO" paths itinerary "${city[@]}" --from 45,0 --to 0.024,0.027 --depart 08:00
    expect_text err 'which has latitudes 0.000000 to'
    expect 2 "$MCO" paths itinerary --gtfs grid --date 2031-05-15 --from 0.001,0.002 --to 0.024,0.027 --depart 08:00
    expect_text err 'no trip runs on 2031-05-15'
    expect 2 "$MCO" paths itinerary --gtfs grid --date soon --from 0.001,0.002 --to 0.024,0.027 --depart 08:00
    expect_text err 'a day like 2019-05-15 was expected'
    expect 2 "$MCO" paths itinerary "${city[@]}" --from here --to 0.024,0.027 --depart 08:00
    expect_text err 'latitude and longitude in degrees'
    expect 2 "$MCO" paths itinerary "${city[@]}" --from 0.001,0.002 --to 0.024,0.027 --depart noon
    expect_text err 'a time like 08:30 was expected'
    expect 2 "$MCO" paths itinerary "${city[@]}" --from 0.001,0.002 --depart 08:00
    expect_text err '--to is needed'
    expect 1 "$MCO" paths itinerary "${city[@]}" --days 1 --from 0.001,0.002 --to 0.024,0.027 --depart 40:00 --plot none.svg
    expect_text out 'no journey with at most 6 rides leaves after that time'
    expect_no_file none.svg
}

batches() {
    {
        echo from_lat,from_lon,to_lat,to_lon,depart
        echo 0.001,0.002,0.024,0.027,08:00
        echo 0.02,0.01,0.001,0.001,09:30:30
        echo 45,0,0.024,0.027,08:00
    } > q.csv
    expect 0 "$MCO" paths itineraries "${city[@]}" --queries q.csv --threads 2 --json r.json
    expect_text out 'queries    3 of 3, 2 with a journey, 1 with a place off the map'
    expect_text out 'queries a second'
    expect_json r.json found 2
    expect 0 "$MCO" paths check-journeys "${city[@]}" r.json
    expect_text out 'valid      2 journeys'
    sed -i 's/09:30:30/25 past/' q.csv
    expect 3 "$MCO" paths itineraries "${city[@]}" --queries q.csv
    expect_text err 'q.csv:3:'
}

# A journey of late evening takes the next day's first trips; the grid has none from 23:50 on.
late_journeys() {
    local late=("${city[@]}" --from 0.001,0.002 --to 0.024,0.027 --depart 23:50)
    expect 0 "$MCO" paths itinerary "${late[@]}" --json late.json
    expect_text out ' on 2019-05-15 and later'
    expect_text out '29:25 arrival'
    expect_json late.json days 2
    expect 1 "$MCO" paths itinerary "${late[@]}" --days 1
    expect 0 "$MCO" paths check-journeys "${city[@]}" late.json
    expect_text out 'valid      1 journey'
    expect 1 "$MCO" paths check-journeys "${city[@]}" --days 1 late.json
    expect_text err 'leaves at 05:02:40 and arrives at 05:11:02, the leg has 29:02:40 and 29:11:02'
    expect 2 "$MCO" paths itinerary "${late[@]}" --days 8
}

# Changes good.json by a sed script, and expects the check to name the fault.
spoil() {  # SCRIPT TEXT
    sed "$1" good.json > bad.json
    if cmp -s good.json bad.json; then fail "$1 changes nothing"; fi
    expect 1 "$MCO" paths check-journeys "${city[@]}" bad.json
    expect_text err "$2"
}

checks() {
    expect 0 "$MCO" paths itinerary "${city[@]}" --from 0.001,0.002 --to 0.024,0.027 --depart 08:00 --window 60 --json good.json
    expect 0 "$MCO" paths check-journeys "${city[@]}" good.json
    expect_text out "valid      $(json good.json journeys) journeys"
    local ride='/"move": "ride"/,/"trip"/'
    spoil "$ride"'s/"depart": "\(..:..\):../"depart": "\1:07/' 'journey 1, leg 2: trip "column0_0_18" leaves at 08:06:12'
    spoil "$ride"'s/"arrive": "\(..:..\):../"arrive": "\1:07/' 'journey 1, leg 2: trip "column0_0_18" leaves at 08:06:12'
    spoil "$ride"'s/"stop": "s4_0"/"stop": "s5_0"/' 'journey 1, leg 2: trip "column0_0_18" does not go from stop "s0_0" to stop "s5_0"'
    spoil "$ride"'s/"stops": 4/"stops": 5/;s/"stops": 4$/"stops": 5/' 'journey 1, leg 2: trip "column0_0_18" does not go'
    spoil 's/column0_0_18/column0_0_17/' 'journey 1, leg 2: trip "column0_0_17" leaves at'
    spoil 's/column0_0_18/none/' 'journey 1, leg 2: no trip "none" runs on 20190515'
    spoil 's/"metres": 323.24/"metres": 300/' 'journey 1, leg 1: a walk of 300.00 m, on the map it has 323.24 m'
    spoil 's/"rides": 3/"rides": 2/' 'journey 1: the journey states 2 rides, it has 3'
    spoil 's/"depart": "08:00:00"/"depart": "09:00:00"/' 'journey 1, leg 1: it sets out at'
    spoil 's/"kind": "transit"/"kind": "tree"/' 'this is a result of mco tree, one of mco transit was expected'
    expect 1 "$MCO" paths check-journeys "${city[@]}" --max-walk 10 good.json
    expect_text err 'at most 10 m are allowed'
    expect 0 "$MCO" paths isochrone "${city[@]}" --from 0.001,0.002 --depart 08:00 --json r.json
    expect 1 "$MCO" paths check-journeys "${city[@]}" r.json
    expect_text err 'the result has no journeys'
    expect 3 "$MCO" paths check-journeys "${city[@]}" missing.json
}

isochrones() {
    expect 0 "$MCO" paths isochrone "${city[@]}" --from 0.001,0.002 --depart 08:00 --minutes 10,20,60 --json r.json --plot p.svg
    expect_text out '  60 min   72 stops'
    expect_text p.svg '<svg'
    expect 2 "$MCO" paths isochrone "${city[@]}" --from 0.001,0.002 --depart 08:00 --minutes 20,10
    expect_text err 'ascending numbers'
}

real_city() {
    local roads=${MCO_DATA:-none}/roads
    if [ ! -r "$roads/osm/poa.osm.pbf" ]; then return 0; fi
    city=(--osm "$roads/osm/poa.osm.pbf" --gtfs "$roads/gtfs/poa_eptc.zip,$roads/gtfs/poa_trensurb.zip" --date 2019-05-15)
    expect 0 "$MCO" paths itinerary "${city[@]}" --from -30.03,-51.22 --to -30.06,-51.17 --depart 12:10 --plot p.svg --geojson p.geojson --json r.json
    expect_text out '12:10 to 12:40, 30 minutes, 2 rides'
    expect 0 "$MCO" paths check-journeys "${city[@]}" r.json
    expect_text out 'valid      1 journey'
    expect 0 "$MCO" paths isochrone "${city[@]}" --from -30.03,-51.22 --depart 12:10 --plot p.svg --geojson p.geojson
    expect_text out '  15 min   152 stops'
}

itineraries
refusals
batches
late_journeys
checks
isochrones
real_city
