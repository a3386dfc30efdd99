// SPDX-License-Identifier: MIT
// Integer programs by Cbc (Forrest and others), which is loaded with the first of them and runs in a process of its own.
//
// Cbc prints, keeps state of the process, looks at the time too rarely, and cannot be cancelled from outside. So a forked process solves
// and writes what it found into a pipe. Cbc has a time limit just before ours, and ends there with the best solution so far. This
// process reads the pipe, looks at the clock, and kills the other one soon after the limit, or at once upon a cancel. A known solution
// is the cutoff, so the other process need not know it. What arrives is tested against the model; the bound is Cbc's word.
#include "lp/lp.h"

#ifdef MCO_HAVE_CBC
#include <Cbc_C_Interface.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/library.h"

enum { LOOK_MS = 20 };               // time between looks at the clock
static const double GRACE_S = 0.06;  // to come to an end behind the limit: with a look and the end of a process, some 0.1 s
static const double EARLY_S = 0.03;  // how much earlier Cbc's own limit is, at least; else a part EARLY of the time
static const double EARLY = 0.02;
static const double TOLERANCE = 1e-6;

#define SYMBOLS(SYMBOL) \
    SYMBOL(Cbc_newModel) SYMBOL(Cbc_loadProblem) SYMBOL(Cbc_setInteger) SYMBOL(Cbc_setCutoff) SYMBOL(Cbc_setAllowableFractionGap) \
    SYMBOL(Cbc_setLogLevel) SYMBOL(Cbc_setParameter) SYMBOL(Cbc_setMaximumSeconds) SYMBOL(Cbc_solve) SYMBOL(Cbc_bestSolution) \
    SYMBOL(Cbc_getColSolution) SYMBOL(Cbc_getNumIntegers) SYMBOL(Cbc_getBestPossibleObjValue) \
    SYMBOL(Cbc_getObjValue) SYMBOL(Cbc_isProvenOptimal) SYMBOL(Cbc_isProvenInfeasible) SYMBOL(Cbc_isContinuousUnbounded) SYMBOL(Cbc_isAbandoned) SYMBOL(Cbc_status)
static struct {
    SYMBOLS(MCO_SYMBOL_POINTER)
} cbc;
static const char *const names[] = {SYMBOLS(MCO_SYMBOL_NAME)};
static mco_library library = {.file = MCO_CBC_FILE, .folder = MCO_CBC_FOLDER, .purpose = "Cbc, which solves integer programs (Debian: coinor-libcbc3)",
                              .count = sizeof names / sizeof *names, .names = names, .symbols = &cbc};

// What the other process writes: this, and then the values if there are any.
typedef struct finding {
    int32_t end;         // mco_lp_end
    int32_t has_values;
    double bound;
} finding;

// ---- In the other process

static bool write_all(int file, const void *data, size_t bytes)
{
    for (const char *next = data; bytes > 0;) {
        const ssize_t written = write(file, next, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        bytes -= (size_t)written;
    }
    return true;
}

// A copy with Cbc's infinity, DBL_MAX, and room for one more, which is zero.
static double *copy_numbers(const double *from, int32_t count)
{
    double *copy = calloc((size_t)count + 1, sizeof *copy);
    for (int32_t k = 0; copy != NULL && k < count; k++)
        copy[k] = fmax(-DBL_MAX, fmin(DBL_MAX, from[k]));
    return copy;
}

// Hands the program over. Cbc does not take one without rows or columns: then there is one more of both, and zero is its only value.
static Cbc_Model *load(const mco_lp_model *m, const mco_mip_settings *settings, double cutoff)
{
    const int32_t more = m->rows == 0 || m->columns == 0, entries = (int32_t)m->first[m->columns];
    Cbc_Model *model = cbc.Cbc_newModel();
    CoinBigIndex *start = calloc((size_t)m->columns + 2, sizeof *start);
    int *row = calloc((size_t)entries + 1, sizeof *row);
    double *value = copy_numbers(m->value, entries), *cost = copy_numbers(m->cost, m->columns);
    double *least = copy_numbers(m->column_least, m->columns), *most = copy_numbers(m->column_most, m->columns);
    double *row_least = copy_numbers(m->row_least, m->rows), *row_most = copy_numbers(m->row_most, m->rows);
    if (model == NULL || start == NULL || row == NULL || value == NULL || cost == NULL || least == NULL || most == NULL || row_least == NULL ||
        row_most == NULL)
        return NULL;
    for (int32_t j = 0; j <= m->columns; j++)
        start[j] = (CoinBigIndex)m->first[j];
    start[m->columns + more] = entries + more;
    for (int32_t k = 0; k < entries; k++)
        row[k] = m->row[k];
    if (more > 0) {
        row[entries] = m->rows;
        value[entries] = 1;
    }
    cbc.Cbc_loadProblem(model, m->columns + more, m->rows + more, start, row, value, least, most, cost, row_least, row_most);
    for (int32_t j = 0; j < m->columns; j++)
        if (m->is_integer != NULL && m->is_integer[j])
            cbc.Cbc_setInteger(model, j);
    cbc.Cbc_setLogLevel(model, 0);
    cbc.Cbc_setAllowableFractionGap(model, settings->gap);
    if (cutoff < INFINITY)
        cbc.Cbc_setCutoff(model, cutoff);
    if (settings->stop_s < INFINITY) {
        const double rest_s = settings->stop_s - mco_clock_s();
        cbc.Cbc_setParameter(model, "timeMode", "elapsed");
        cbc.Cbc_setMaximumSeconds(model, fmax(0, rest_s - fmax(EARLY_S, EARLY * rest_s)));
    }
    return model;
}

static mco_lp_end say_end(Cbc_Model *model)
{
    enum { FINISHED = 0 };  // Cbc_status()
    if (cbc.Cbc_isProvenOptimal(model))
        return MCO_LP_OPTIMAL;
    if (cbc.Cbc_isContinuousUnbounded(model))
        return MCO_LP_UNBOUNDED;
    if (cbc.Cbc_isProvenInfeasible(model))
        return MCO_LP_INFEASIBLE;
    return cbc.Cbc_isAbandoned(model) || cbc.Cbc_status(model) == FINISHED ? MCO_LP_FAILED : MCO_LP_STOPPED;
}

// Solves and writes. Memory goes with the process.
static bool solve_and_write(const mco_lp_model *m, const mco_mip_settings *settings, double cutoff, int file)
{
    Cbc_Model *const model = load(m, settings, cutoff);
    if (model == NULL)
        return false;
    cbc.Cbc_solve(model);
    const mco_lp_end end = say_end(model);
    const bool is_continuous = cbc.Cbc_getNumIntegers(model) == 0;
    const double *values = !is_continuous ? cbc.Cbc_bestSolution(model) : end == MCO_LP_OPTIMAL ? cbc.Cbc_getColSolution(model) : NULL;
    const double bound = is_continuous && values != NULL ? cbc.Cbc_getObjValue(model) : cbc.Cbc_getBestPossibleObjValue(model);
    const finding found = {(int32_t)end, values != NULL, bound};
    return write_all(file, &found, sizeof found) && (values == NULL || write_all(file, values, (size_t)m->columns * sizeof *values));
}

static void run_other(const mco_lp_model *m, const mco_mip_settings *settings, double cutoff, int file)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    signal(SIGINT, SIG_IGN);  // the first process decides
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL); // the first process is gone
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    _exit(solve_and_write(m, settings, cutoff, file) ? 0 : 1);
}

// ---- In this process

static bool must_stop(const mco_context *ctx, double stop_s)
{
    return mco_clock_s() >= stop_s || mco_is_cancelled(ctx);
}

// Reads `bytes`, or what there is until the other process is gone, the run is cancelled, or GRACE_S behind its end. Waits end after LOOK_MS.
static size_t read_all(const mco_context *ctx, double stop_s, int file, void *data, size_t bytes)
{
    size_t seen = 0;
    while (seen < bytes && !mco_is_cancelled(ctx) && mco_clock_s() < stop_s + GRACE_S) {
        struct pollfd wait = {.fd = file, .events = POLLIN};
        if (poll(&wait, 1, LOOK_MS) <= 0)
            continue;
        const ssize_t got = read(file, (char *)data + seen, bytes - seen);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            break;
        seen += got > 0 ? (size_t)got : 0;
    }
    return seen;
}

// Runs the other process. *found is STOPPED or FAILED, without values, if it did not tell more. Errors: IO (no pipe, no process).
static mco_status run_process(mco_context *ctx, const mco_lp_model *m, const mco_mip_settings *settings, double cutoff, finding *found,
                              double *values)
{
    int ends[2];
    finding told = {0};
    const size_t bytes = (size_t)m->columns * sizeof *values;
    if (pipe(ends) != 0)
        return mco_fail(ctx, MCO_ERR_IO, "an integer program: no pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    const pid_t other = fork();
    if (other == 0) {
        close(ends[0]);
        run_other(m, settings, cutoff, ends[1]);
    }
    const int reason = errno;
    close(ends[1]);
    if (other < 0) {
        close(ends[0]);
        return mco_fail(ctx, MCO_ERR_IO, "an integer program: no process: %s", strerror(reason));
    }
    bool is_told = read_all(ctx, settings->stop_s, ends[0], &told, sizeof told) == sizeof told;
    if (is_told && told.has_values)
        is_told = read_all(ctx, settings->stop_s, ends[0], values, bytes) == bytes;
    kill(other, SIGKILL);  // it has written everything, or must stop
    while (waitpid(other, NULL, 0) < 0 && errno == EINTR) {  // ends, for the process was killed
    }
    close(ends[0]);
    *found = is_told ? told : (finding){must_stop(ctx, settings->stop_s) ? MCO_LP_STOPPED : MCO_LP_FAILED, false, -INFINITY};
    return MCO_OK;
}

// ---- Tests

static mco_status test_model(mco_context *ctx, const mco_lp_model *m, const mco_mip_settings *settings)
{
    if (m->columns < 0 || m->columns >= INT_MAX || m->rows < 0 || m->rows >= INT_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d columns and %d rows, at most %d of each", m->columns, m->rows, INT_MAX - 1);
    if (m->first[m->columns] >= INT_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " entries, at most %d supported", m->first[m->columns], INT_MAX - 1);
    for (int32_t j = 0; j < m->columns; j++)
        if (!isfinite(m->cost[j]) || isnan(m->column_least[j]) || isnan(m->column_most[j]) || m->first[j] > m->first[j + 1])
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "column %d has cost %g between %g and %g", j, m->cost[j], m->column_least[j], m->column_most[j]);
    for (int32_t i = 0; i < m->rows; i++)
        if (isnan(m->row_least[i]) || isnan(m->row_most[i]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "row %d lies between %g and %g", i, m->row_least[i], m->row_most[i]);
    for (int64_t k = 0; k < m->first[m->columns]; k++)
        if (m->row[k] < 0 || m->row[k] >= m->rows || !isfinite(m->value[k]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "an entry %g in row %d, there are %d", m->value[k], m->row[k], m->rows);
    if (!(settings->gap >= 0) || isnan(settings->cutoff) || isnan(settings->stop_s))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "gap %g, cutoff %g, stop %g", settings->gap, settings->cutoff, settings->stop_s);
    return MCO_OK;
}

static bool lies_between(double value, double least, double most, double size)
{
    return value >= least - TOLERANCE * (1 + size) && value <= most + TOLERANCE * (1 + size);
}

// Rounds the integers among the values; whether the result keeps bounds and rows. Errors: MEMORY.
static mco_status test_values(mco_context *ctx, const mco_lp_model *m, double *values, bool *is_solution)
{
    mco_status st = MCO_OK;
    double *sum = NULL, *size = NULL;
    MCO_TRY(mco_alloc(ctx, &sum, m->rows));
    MCO_TRY(mco_alloc(ctx, &size, m->rows));
    *is_solution = true;
    for (int32_t j = 0; j < m->columns; j++) {
        if (m->is_integer != NULL && m->is_integer[j])
            values[j] = round(values[j]);
        *is_solution &= lies_between(values[j], m->column_least[j], m->column_most[j], fabs(values[j]));
        for (int64_t k = m->first[j]; k < m->first[j + 1]; k++) {
            sum[m->row[k]] += m->value[k] * values[j];
            size[m->row[k]] += fabs(m->value[k] * values[j]);
        }
    }
    for (int32_t i = 0; i < m->rows; i++)
        *is_solution &= lies_between(sum[i], m->row_least[i], m->row_most[i], size[i]);
done:
    mco_free(ctx, &size);
    mco_free(ctx, &sum);
    return st;
}

static double cost_of(const mco_lp_model *m, const double *values)
{
    double cost = 0;
    for (int32_t j = 0; j < m->columns; j++)
        cost += m->cost[j] * values[j];
    return cost;
}

// Takes the caller's solution as the answer so far. Errors: ARGUMENT (it is none), MEMORY.
static mco_status take_start(mco_context *ctx, const mco_lp_model *m, const double *start, mco_mip_answer *answer)
{
    mco_status st = MCO_OK;
    bool is_solution = false;
    MCO_TRY(mco_alloc(ctx, &answer->values, m->columns));
    memcpy(answer->values, start, (size_t)m->columns * sizeof *start);
    MCO_TRY(test_values(ctx, m, answer->values, &is_solution));
    if (!is_solution)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the start breaks a row, a bound or integrality");
    answer->objective = cost_of(m, answer->values);
done:
    return st;
}

// What the other process found, `values` moved to the answer if they are a better solution. A solution that fails the test means that
// Cbc has failed.
static mco_status take_finding(mco_context *ctx, const mco_lp_model *m, double cutoff, finding found, double **values, mco_mip_answer *answer)
{
    mco_status st = MCO_OK;
    bool is_solution = false;
    answer->end = (mco_lp_end)found.end;
    answer->bound = found.bound > -DBL_MAX ? found.bound : -INFINITY;
    if (found.has_values) {
        MCO_TRY(test_values(ctx, m, *values, &is_solution));
        const double cost = cost_of(m, *values);
        if (!is_solution)
            answer->end = MCO_LP_FAILED;
        else if (cost < cutoff) {
            mco_free(ctx, &answer->values);
            answer->values = *values;
            answer->objective = cost;
            *values = NULL;
        } else if (answer->end == MCO_LP_OPTIMAL)
            answer->end = MCO_LP_INFEASIBLE;  // the best one is at the cutoff
    } else if (answer->end == MCO_LP_OPTIMAL)
        answer->end = MCO_LP_FAILED;
    if (answer->end == MCO_LP_INFEASIBLE)
        answer->bound = cutoff;
    if (answer->end == MCO_LP_INFEASIBLE && answer->values != NULL)
        answer->end = MCO_LP_OPTIMAL;  // nothing is below the start
    if (answer->end == MCO_LP_FAILED || answer->end == MCO_LP_UNBOUNDED)
        answer->bound = -INFINITY;
    answer->bound = fmin(answer->bound, answer->objective);
done:
    return st;
}

bool mco_mip_is_there(void)
{
    return mco_library_open(NULL, &library, "integer programs") == MCO_OK;
}

mco_status mco_mip_solve(mco_context *ctx, const mco_lp_model *model, const mco_mip_settings *settings, mco_mip_answer *answer)
{
    mco_status st = MCO_OK;
    double *values = NULL;
    finding found = {MCO_LP_FAILED, false, -INFINITY};
    mco_mip_answer a = {.objective = INFINITY, .bound = -INFINITY};
    MCO_TRY(test_model(ctx, model, settings));
    MCO_TRY(mco_library_open(ctx, &library, "integer programs"));
    MCO_TRY(mco_alloc(ctx, &values, model->columns));
    if (settings->start != NULL)
        MCO_TRY(take_start(ctx, model, settings->start, &a));
    const double cutoff = fmin(settings->cutoff, a.objective);
    if (settings->start != NULL && a.objective >= settings->cutoff) {
        mco_free(ctx, &a.values);
        a.objective = INFINITY;
    }
    MCO_TRY(run_process(ctx, model, settings, cutoff, &found, values));
    MCO_TRY(take_finding(ctx, model, cutoff, found, &values, &a));
    *answer = a;
done:
    mco_free(ctx, &values);
    if (st != MCO_OK)
        mco_mip_answer_clear(ctx, &a);
    return st;
}
#else
bool mco_mip_is_there(void)
{
    return false;
}

mco_status mco_mip_solve(mco_context *ctx, const mco_lp_model *model, const mco_mip_settings *settings, mco_mip_answer *answer)
{
    (void)model, (void)settings, (void)answer;
    return mco_fail(ctx, MCO_ERR_IO, "this build lacks Cbc, which solves integer programs (Debian: coinor-libcbc-dev)");
}
#endif

void mco_mip_answer_clear(mco_context *ctx, mco_mip_answer *answer)
{
    mco_free(ctx, &answer->values);
    *answer = (mco_mip_answer){0};
}
