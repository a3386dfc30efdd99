// SPDX-License-Identifier: MIT
// The members of an instance.
#ifndef MCO_FLOWSHOP_INSTANCE_H
#define MCO_FLOWSHOP_INSTANCE_H

#include <stdio.h>

#include "base/context.h"
#include "base/text.h"
#include "mco/flowshop.h"

// Times, makespans and bounds are integers inside: multiples of 1 / scale of the file's unit.
struct mco_flowshop {
    int32_t jobs, machines;
    int32_t *times;       // [machines * jobs], machine-major
    int32_t scale;        // 10^places
    int places;           // decimals of the times in the file, 0 to FLOWSHOP_MOST_PLACES
    char **job_names;     // [jobs]
    char **machine_names; // [machines]
    char *names;          // the characters of the default names
    char **given_names[2];  // what owns the names of jobs and of machines that a file gives; NULL: none
    bool has_names;         // a file gives names to jobs
    bool has_numbers;       // the name of some job is a number other than its own row's: outputs say which they show
    char name[64];
    int32_t seed;                    // of Taillard's generator; 0 if there is none
    int64_t best_makespan, best_bound;  // -1 while unknown
};

enum { FLOWSHOP_MOST_PLACES = 6 };  // 10^6 is the largest time, so a time of 1 may have so many decimals

// Read from an open text. The readers of files and the fuzz targets share these functions.
mco_status flowshop_read_text(mco_context *ctx, mco_text *text, int32_t which, mco_flowshop **out);
mco_status flowshop_read_solution_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, int32_t *order,
                                       double *makespan);

// A time, makespan or bound in the file's unit. The quotient is rounded once, so equal numbers stay equal.
static inline double flowshop_units(const mco_flowshop *shop, int64_t value)
{
    return (double)value / shop->scale;
}

// The same as text, exact, with all decimals of the file; for values of at least 0. Returns `text`.
enum { FLOWSHOP_UNITS_TEXT = 32 };
const char *flowshop_units_text(const mco_flowshop *shop, int64_t value, char text[FLOWSHOP_UNITS_TEXT]);

// Writes the name of a job so that it can be read back from a line of names.
void flowshop_write_name(const mco_flowshop *shop, int32_t job, FILE *file);

// FNV-1a hash of the sizes and times. It ties a checkpoint to its instance.
uint64_t flowshop_fingerprint(const mco_flowshop *shop);

#endif
