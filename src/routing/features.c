// SPDX-License-Identifier: MIT
#include "routing/features.h"

#include <ctype.h>
#include <string.h>

typedef struct feature {
    const char *part, *what;  // a part of the word, in capitals; what it stands for
} feature;

#define WINDOWS "time windows"
#define PAIRS "pickups and deliveries"
#define DEPOTS "several depots"
#define FLEETS "vehicles of several kinds"
#define BACKHAULS "backhauls"
#define ENERGY "batteries and stations"

// Keywords of VRPLIB and titles of columns.
static const feature words[] = {
    {"TIME_WINDOW", WINDOWS}, {"TIME WINDOW", WINDOWS}, {"TIMEWINDOW", WINDOWS}, {"TW_", WINDOWS},       {"READY", WINDOWS},
    {"DUE", WINDOWS},         {"EARLIEST", WINDOWS},    {"LATEST", WINDOWS},     {"RELEASE", "release times"},
    {"PICKUP", PAIRS},        {"BACKHAUL", BACKHAULS}, {"LINEHAUL", BACKHAULS},
    {"DEPOTS", DEPOTS},       {"VEHICLES_DEPOT", DEPOTS}, {"VEHICLES_", FLEETS}, {"VEHICLE_TYPE", FLEETS}, {"FLEET", FLEETS},
    {"PRIZE", "prizes"},      {"PROFIT", "prizes"},     {"STATION", ENERGY},     {"ENERGY", ENERGY},      {"FUEL", ENERGY},
    {"EXCLUSIVE", "groups of customers"}, {"STANDTIME", WINDOWS}, {"SKILL", "skills"},
};

// Values of TYPE: VRPTW, PDPTW, MDVRP, HFVRP, ... The first that fits counts.
static const feature types[] = {
    {"TW", WINDOWS},  {"PD", PAIRS},        {"MD", DEPOTS},          {"HF", FLEETS},      {"HVRP", FLEETS},
    {"HCVRP", FLEETS}, {"FSM", FLEETS},     {"VRPB", BACKHAULS},     {"EVRP", ENERGY},    {"SD", "split deliveries"},
    {"OVRP", "open routes"}, {"OCVRP", "open routes"}, {"PVRP", "periods of several days"}, {"CARP", "demands on edges"},
    {"PC", "prizes"}, {"2E", "two echelons"},
};

static bool holds(mco_slice word, const char *part)
{
    const size_t size = strlen(part);
    for (size_t i = 0; i + size <= word.size; i++) {
        size_t k = 0;
        while (k < size && toupper((unsigned char)word.data[i + k]) == part[k])
            k++;
        if (k == size)
            return true;
    }
    return false;
}

static const char *find(const feature *list, size_t count, mco_slice word)
{
    for (size_t i = 0; i < count; i++)
        if (holds(word, list[i].part))
            return list[i].what;
    return NULL;
}

static mco_status refuse(mco_text *text, mco_slice word, const char *what, const char *missing)
{
    if (missing == NULL)
        return MCO_OK;
    return mco_text_fail(text, word.line, word.column, "%s \"%.*s\": %s are not supported", what, mco_slice_shown(word),
                         word.data, missing);
}

mco_status routing_refuse_feature(mco_text *text, mco_slice word, const char *what)
{
    return refuse(text, word, what, find(words, sizeof words / sizeof words[0], word));
}

mco_status routing_refuse_type(mco_text *text, mco_slice value)
{
    return refuse(text, value, "TYPE is", find(types, sizeof types / sizeof types[0], value));
}

// Solomon's files have a name, then the lines VEHICLE and "NUMBER CAPACITY".
static bool is_solomon(mco_text ahead, mco_slice *line)
{
    mco_text_line(&ahead, line);
    const bool has_title = !mco_slice_is(mco_slice_trim(*line), "VEHICLE");
    if (has_title && (!mco_text_skip_blank(&ahead) || !mco_text_line(&ahead, line)))
        return false;
    mco_slice next;
    return mco_slice_is(mco_slice_trim(*line), "VEHICLE") && mco_text_skip_blank(&ahead) && mco_text_line(&ahead, &next) &&
           mco_slice_is(mco_slice_before(next, ' '), "NUMBER");
}

static bool is_numbers(mco_slice line)
{
    mco_slice token;
    int count = 0;
    for (; mco_slice_token(&line, &token); count++)
        for (size_t i = 0; i < token.size; i++)
            if (!isdigit((unsigned char)token.data[i]) && strchr("+-.", token.data[i]) == NULL)
                return false;
    return count > 1;
}

mco_status routing_refuse_format(const mco_text *text)
{
    mco_text ahead = *text;
    mco_slice line;
    if (!mco_text_skip_blank(&ahead))
        return MCO_OK;
    const mco_text first = ahead;
    if (is_solomon(first, &line))
        return mco_text_fail(&ahead, line.line, line.column,
                             "this is a file of Solomon or of Gehring and Homberger: " WINDOWS " are not supported");
    mco_text_line(&ahead, &line);
    if (is_numbers(line))
        return mco_text_fail(&ahead, line.line, line.column,
                             "the file begins with numbers alone; the formats of Cordeau (" DEPOTS ", periods, " WINDOWS
                             ") and of Li and Lim (" PAIRS ") are not supported, VRPLIB and CSV are");
    return MCO_OK;
}
