// SPDX-License-Identifier: MIT
// mco PROBLEM ACTION [OPTIONS] INSTANCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/output.h"
#include "cli/cli.h"
#include "mco/devices.h"
#include "mco/version.h"
#include "render/report.h"

// The problems, one a line. src/NAME/command.c defines cli_NAME.
#define PROBLEM_LIST(X) \
    X(cycles)           \
    X(dtspms)           \
    X(flowshop)         \
    X(guillotine)       \
    X(overlay)          \
    X(paths)            \
    X(reduce)           \
    X(traffic)          \
    X(vrp)
#define DECLARE_PROBLEM(name) extern const cli_problem cli_##name;
#define LIST_PROBLEM(name) &cli_##name,
PROBLEM_LIST(DECLARE_PROBLEM)
static const cli_problem *const problems[] = {PROBLEM_LIST(LIST_PROBLEM)};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static const cli_problem *find_problem(const char *name)
{
    for (size_t i = 0; i < PROBLEMS; i++)
        if (strcmp(problems[i]->name, name) == 0)
            return problems[i];
    return NULL;
}

static const char *const commands[] = {"help", "devices"};

static int refuse_problem(const char *name)
{
    const char *likely = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < PROBLEMS; i++)
        if (cli_is_likely(name, problems[i]->name, &least))
            likely = problems[i]->name;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (cli_is_likely(name, commands[i], &least))
            likely = commands[i];
    fprintf(stderr, "mco: no problem is named \"%s\"", name);
    if (likely != NULL)
        fprintf(stderr, "; did you mean \"mco %s\"?\n", likely);
    else
        fprintf(stderr, ": \"mco help\" lists the problems\n");
    return EXIT_USAGE;
}

static void help(FILE *file)
{
    fputs("mco: many-core combinatorial optimisation\n\n"
          "usage: mco PROBLEM ACTION [OPTIONS] INSTANCE\n"
          "       mco help PROBLEM [--all] | devices [--json F] | --version\n\n"
          "problems:\n",
          file);
    for (size_t i = 0; i < PROBLEMS; i++)
        fprintf(file, "  %-10s %s\n", problems[i]->name, problems[i]->text);
    fputs("\nexamples (" CLI_EXAMPLES "):\n", file);
    for (size_t i = 0; i < PROBLEMS; i++)
        cli_help_example(file, problems[i]);
    fputs("\nmco help PROBLEM has its options and the columns of its CSV files\n", file);
}

// The "model name" of /proc/cpuinfo, or the machine type of uname() if there is none.
static void processor_name(char *name, size_t size)
{
    struct utsname machine;
    char line[256];
    snprintf(name, size, "%s", uname(&machine) == 0 ? machine.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || value == NULL || value[1] == '\0')
            continue;
        snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    if (file != NULL)
        fclose(file);
}

// What `mco devices` shows.
typedef struct machine {
    char cpu[256];
    double memory_gib;
    mco_gpu gpus[MCO_MAX_GPUS];
    char unusable[MCO_MAX_GPUS][256];  // why this GPU cannot be used; "" if it can
    int gpu_count;
    const char *gpu_reason;  // why there is no GPU
} machine;

// A GPU that fails is listed as unusable. It is no failure of the command.
static mco_status find_gpus(mco_context *ctx, machine *m)
{
    mco_status st = mco_gpus_list(ctx, m->gpus, &m->gpu_count, &m->gpu_reason);
    for (int i = 0; st == MCO_OK && i < m->gpu_count; i++)
        if (mco_gpu_free_bytes(ctx, &m->gpus[i], &m->gpus[i].free_bytes) != MCO_OK)
            snprintf(m->unusable[i], sizeof m->unusable[i], "%s", mco_context_error(ctx));
    return st;
}

static mco_status write_devices(mco_context *ctx, const char *path, const machine *m)
{
    mco_output o;
    mco_json json;
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    mco_json_begin(&json, o.file);
    mco_json_open(&json, NULL, '{');
    mco_json_open(&json, "cpu", '{');
    mco_json_text(&json, "name", m->cpu);
    mco_json_integer(&json, "processors", mco_cpu_count());
    mco_json_text(&json, "simd", mco_simd_name());
    mco_json_real(&json, "memory_gib", m->memory_gib);
    mco_json_close(&json, '}');
    mco_json_open(&json, "gpus", '[');
    for (int i = 0; i < m->gpu_count; i++)
        mco_report_write_gpu(&json, &m->gpus[i], m->unusable[i][0] != '\0' ? m->unusable[i] : NULL);
    mco_json_close(&json, ']');
    mco_json_text(&json, "gpu_reason", m->gpu_reason);
    mco_json_close(&json, '}');
    mco_json_end(&json);
    return mco_output_commit(ctx, &o, false);
}

static void print_devices(const machine *m)
{
    printf("cpu   %s: %d processors, simd %s, %.1f GiB memory\n", m->cpu, mco_cpu_count(), mco_simd_name(),
           m->memory_gib);
    for (int i = 0; i < m->gpu_count; i++) {
        const mco_gpu *g = &m->gpus[i];
        printf("gpu %d %s: ", g->index, g->name);
        if (m->unusable[i][0] != '\0')
            printf("cannot be used: %s\n", m->unusable[i]);
        else
            printf("capability %d.%d, %d multiprocessors, %.1f of %.1f GiB memory free\n", g->major, g->minor,
                   g->multiprocessors, (double)g->free_bytes / (1 << 30), (double)g->memory_bytes / (1 << 30));
    }
    if (m->gpu_count == 0)
        printf("gpu   none: %s\n", m->gpu_reason);
}

static int devices(int argc, char **argv)
{
    mco_context *ctx = NULL;
    machine m = {.memory_gib = mco_machine_memory() / (1 << 30)};
    bool has_json = argc == 4 && strcmp(argv[2], "--json") == 0;
    if (argc != 2 && !has_json) {
        fprintf(stderr, "mco: usage: mco devices [--json F]\n");
        return EXIT_USAGE;
    }
    processor_name(m.cpu, sizeof m.cpu);
    mco_status st = mco_context_create(&ctx, NULL);
    if (st == MCO_OK)
        st = find_gpus(ctx, &m);
    if (st == MCO_OK && !(has_json && cli_is_stdout(argv[3])))
        print_devices(&m);
    if (st == MCO_OK && has_json)
        st = write_devices(ctx, argv[3], &m);
    int code = cli_tell(ctx, st, EXIT_USABLE);
    mco_context_destroy(&ctx);
    return code;
}

// mco help [PROBLEM [--all]]
static int help_command(int argc, char **argv)
{
    const cli_problem *p = argc > 2 ? find_problem(argv[2]) : NULL;
    if (argc > 2 && p == NULL)
        return refuse_problem(argv[2]);
    if (p != NULL)
        cli_help(stdout, p, argc > 3 && strcmp(argv[3], "--all") == 0);
    else
        help(stdout);
    return EXIT_USABLE;
}

static int refuse_action(const cli_problem *p, const char *name)
{
    const char *likely = NULL;
    size_t least = SIZE_MAX;
    for (const cli_action *a = p->actions; a->name != NULL; a++)
        if (cli_is_likely(name, a->name, &least))
            likely = a->name;
    if (likely != NULL) {
        fprintf(stderr, "mco: %s has no action \"%s\"; did you mean \"mco %s %s\"?\n", p->name, name, p->name, likely);
        return EXIT_USAGE;
    }
    fprintf(stderr, "mco: usage: mco %s ", p->name);
    for (const cli_action *a = p->actions; a->name != NULL; a++)
        fprintf(stderr, "%s%s", a == p->actions ? "" : "|", a->name);
    fprintf(stderr, " ... (see mco help %s)\n", p->name);
    return EXIT_USAGE;
}

static int run_action(const cli_problem *problem, const cli_action *action, int argc, char **argv)
{
    mco_context *ctx = NULL;
    const mco_status st = mco_context_create(&ctx, NULL);
    const int code = st == MCO_OK ? cli_run(ctx, problem, action, argc, argv) : cli_tell(NULL, st, EXIT_USABLE);
    cli_forget_context();
    mco_context_destroy(&ctx);
    return code;
}

static bool asks_for_help(const char *text)
{
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

static int run_problem(const cli_problem *p, int argc, char **argv)
{
    const char *name = argc > 2 ? argv[2] : "";
    const cli_action *action = p->actions;
    bool wants_help = asks_for_help(name) || strcmp(name, "help") == 0, has_study = false;
    for (int i = 3; i < argc; i++) {
        wants_help = wants_help || asks_for_help(argv[i]);
        has_study = has_study || strcmp(argv[i], "--all") == 0;
    }
    if (wants_help) {
        cli_help(stdout, p, has_study);
        return EXIT_USABLE;
    }
    while (action->name != NULL && strcmp(action->name, name) != 0)
        action++;
    return action->name != NULL ? run_action(p, action, argc, argv) : refuse_action(p, name);
}

static int run(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    const cli_problem *p = find_problem(command);
    if (p != NULL)
        return run_problem(p, argc, argv);
    if (strcmp(command, "--version") == 0) {
        printf("mco %s (git %s; %s)\n", mco_version(), mco_version_git(), mco_version_build());
        return EXIT_USABLE;
    }
    if (strcmp(command, "devices") == 0)
        return devices(argc, argv);
    if (strcmp(command, "help") == 0 || asks_for_help(command))
        return help_command(argc, argv);
    if (argc > 1)
        return refuse_problem(command);
    help(stderr);
    return EXIT_USAGE;
}

// Opens a closed standard stream the wrong way. Each use of it fails as before, but no file that is opened later takes its
// number and with it the summary or the log.
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN);  // a write to a closed standard output only fails; it is reported below
    int code = run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_USABLE) {
        if (errno != EPIPE)  // the reader has what it wants, such as "| head"
            fprintf(stderr, "mco: cannot write standard output: %s\n", strerror(errno));
        code = EXIT_FILE;
    }
    cli_raise_caught_signal();
    return code;
}
