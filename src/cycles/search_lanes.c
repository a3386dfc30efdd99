// SPDX-License-Identifier: MIT
// The walkers of the search (search.h), compiled once for each vector unit and written once for all widths (search_words.h).
#include "base/lanes.h"
#include "cycles/search.h"
#include "cycles/search_vector.h"

#define WORDS 1
#include "cycles/search_words.h"
#define WORDS 2
#include "cycles/search_words.h"
#define WORDS 4
#include "cycles/search_words.h"
#define WORDS 8
#include "cycles/search_words.h"
#define WORDS 16
#include "cycles/search_words.h"

const search_build VARIANT(search_build) = {
    .build = {.simd = LANE_SIMD, .bits = 0},
    .walk = {start_1, start_2, start_4, start_8, start_16},
};
