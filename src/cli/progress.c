// SPDX-License-Identifier: MIT
// Log, live line, messages of failures, and signals, while a solve runs.
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "cli/cli.h"

// Between two writings of --solution during a solve lie this time and this many times the seconds of a writing.
static const double UPDATE_S = 0.5, PAUSE_PER_COST = 20;

static bool has_live_line, is_silent;

void cli_be_silent(void)
{
    is_silent = freopen("/dev/null", "w", stdout) != NULL;
}

void cli_end_live_line(void)
{
    if (has_live_line)
        fputs("\r\033[K", stderr);
    has_live_line = false;
}

static void log_line(mco_log_level level, const char *line, void *user)
{
    (void)user;
    cli_end_live_line();
    fprintf(stderr, level == MCO_LOG_WARNING ? "warning: %s\n" : "%s\n", line);
}

void cli_log_settings(mco_context *ctx, const cli_outputs *outputs)
{
    ctx->params.log = outputs->quiet || is_silent ? NULL : log_line;
    ctx->params.log_level = outputs->verbose ? MCO_LOG_DETAIL : MCO_LOG_INFO;
}

static int exit_code(mco_status status)
{
    switch (status) {
    case MCO_OK: return EXIT_USABLE;
    case MCO_ERR_CHECK:
    case MCO_ERR_STOPPED: return EXIT_NONE;
    case MCO_ERR_ARGUMENT: return EXIT_USAGE;
    case MCO_ERR_PARSE:
    case MCO_ERR_IO:
    case MCO_ERR_LIMIT: return EXIT_FILE;
    case MCO_ERR_MEMORY:
    case MCO_ERR_DEVICE: return EXIT_RESOURCES;
    case MCO_ERR_INTERNAL: break;
    }
    return EXIT_INTERNAL;
}

int cli_tell(mco_context *ctx, mco_status status, int code)
{
    const char *text = mco_context_error(ctx);
    if (status == MCO_OK)
        return code;
    cli_end_live_line();
    if (!is_silent)
        fprintf(stderr, "mco: %s\n", text[0] != '\0' ? text : mco_status_text(status));
    return code == EXIT_USABLE ? exit_code(status) : code;
}

bool cli_has_live_line(void)
{
    return !is_silent && isatty(STDERR_FILENO);
}

void cli_live_line(const mco_progress *progress)
{
    if (!cli_has_live_line())
        return;
    char best[32] = "none", bound[32] = "none";
    if (!isnan(progress->objective))
        snprintf(best, sizeof best, "%.15g", progress->objective);
    if (!isnan(progress->bound))
        snprintf(bound, sizeof bound, "%.15g", progress->bound);
    fprintf(stderr, "\r\033[K%8.1f s  best %s  bound %s  %.3g done", progress->time_s, best, bound, (double)progress->work);
    has_live_line = true;
}

cli_updates cli_updates_begin(const char *path, double cost_s, double stop_s)
{
    const bool is_file = path != NULL && strcmp(path, "-") != 0 && !mco_output_is_in_place(path);
    return (cli_updates){.path = is_file ? path : NULL, .objective = NAN, .cost_s = cost_s, .stop_s = stop_s,
                         .paused_s = mco_clock_s()};
}

bool cli_updates_are_due(const cli_updates *u, const mco_progress *progress, double now_s)
{
    enum { MARGIN = 2 };  // a writing may take longer than the one before
    const double pause_s = fmax(isnan(u->objective) ? 0 : UPDATE_S, PAUSE_PER_COST * u->cost_s);
    return u->path != NULL && progress->solution != NULL && progress->objective != u->objective &&
           now_s - u->paused_s >= pause_s && now_s + MARGIN * u->cost_s < u->stop_s;
}

void cli_updates_note(cli_updates *u, double objective, double begin_s, double end_s)
{
    u->objective = objective;
    u->paused_s = end_s;
    u->cost_s = end_s - begin_s;
}

static const double SAME_REQUEST_S = 1;  // timeout(1) and others signal a process and then its group

static mco_context *volatile signal_context;
static volatile sig_atomic_t caught_signal;
// Written before caught_signal: when, and which process sent it; 0: a terminal or the system.
static struct timespec caught_at;
static pid_t caught_from;

static void on_signal(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (caught_signal != 0) {
        const double passed_s = (double)(now.tv_sec - caught_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - caught_at.tv_nsec);
        if (number == caught_signal && passed_s < SAME_REQUEST_S)
            return;
        _exit(128 + number);
    }
    caught_at = now;
    caught_from = info->si_code <= 0 ? info->si_pid : 0;  // above 0 it is the system's own
    caught_signal = number;
    if (signal_context != NULL)
        mco_cancel(signal_context);
}

void cli_catch_signals(mco_context *ctx)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    signal_context = ctx;
    // One handler at a time.
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGHUP);
    // This also replaces an ignored signal, as in background jobs of a script: who sends one wants an answer.
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // Who ignores SIGHUP, as nohup(1) does, wants the run to outlive the terminal.
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

void cli_log_signal(mco_context *ctx)
{
    if (caught_signal == 0)
        return;
    if (caught_from != 0)
        mco_log(ctx, MCO_LOG_INFO, "signal %d (%s) from process %ld cancelled the run", (int)caught_signal, strsignal(caught_signal),
                (long)caught_from);
    else
        mco_log(ctx, MCO_LOG_INFO, "signal %d (%s) cancelled the run", (int)caught_signal, strsignal(caught_signal));
}

void cli_forget_context(void)
{
    signal_context = NULL;
}

void cli_raise_caught_signal(void)
{
    if (caught_signal == 0)
        return;
    fflush(NULL);
    signal(caught_signal, SIG_DFL);
    raise(caught_signal);
}
