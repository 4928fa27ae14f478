/* SPDX-License-Identifier: MIT */
/* palbench spawn: what threads cost to create, and what becomes of many that spin at once. */
#include "spawn_command.h"

#include <err.h>
#include <pal/error.h>
#include <pal/init.h>
#include <stdlib.h>

#include "clock.h"
#include "exit_code.h"
#include "flush_threads.h"
#include "machine.h"
#include "options.h"
#include "report.h"
#include "spawn_first.h"
#include "spawn_report.h"
#include "tool.h"

#define DEFAULT_MOST_THREADS 256
#define RUNS 15
#define FIRST_WARMUP 3

enum option_key { OPTION_MAX = 0x100, OPTION_JSON, OPTION_QUICK };

static const struct argp_option options[] = {
    {"max", OPTION_MAX, "N", 0, "Go up to N threads, in powers of two (256)", 0},
    {"json", OPTION_JSON, "FILE", 0,
     "Write JSON to FILE; - is stdout, and the table then goes to stderr", 0},
    {"quick", OPTION_QUICK, NULL, 0, "Make fewer rounds and runs, in at most 10 seconds", 0},
    {0}};

static const char documentation[] =
    "Creates 1, 2, 4, ... threads that run rounds of spin barriers on sched_yield, at once "
    "(yield-N) and after a pthread_barrier_wait (barrier-N), and joins them; and creates and joins "
    "threads that do nothing, with stacks of 1.5 MiB (default), 256 KiB and 8 MiB. Each through "
    "the PAL and by bare pthreads, interleaved.\v"
    "create-*-first is the first thread of a fresh process, -repeat one thread after the other, "
    "-batch64 a thread of 64 that are created and then joined. Counts whose 15 runs of 1,000 "
    "rounds (200 with --quick) do not fit into the time get fewer rounds. It takes at most 40 "
    "seconds.\n\n"
    "Exit code: 0 when it was measured, whatever the figures; 2 for bad usage, 3 for an internal "
    "failure.\n\n"
    "Examples:\n"
    "  palbench spawn\n"
    "  palbench spawn --quick --max 16 --json spawn.json\n";

/* How much of everything, and by when after the start it is to be over. */
struct effort {
    size_t first_runs;
    uint64_t first_ns;
    size_t create_rounds;
    uint64_t create_ns;
    size_t sweep_rounds;
    uint64_t sweep_ns;
};

static const struct effort effort_default = {
    .first_runs = 800,
    .first_ns = 3 * (uint64_t)NS_PER_S,
    .create_rounds = 400,
    .create_ns = 7 * (uint64_t)NS_PER_S,
    .sweep_rounds = 1000,
    .sweep_ns = 36 * (uint64_t)NS_PER_S,
};

static const struct effort effort_quick = {
    .first_runs = 100,
    .first_ns = NS_PER_S / 2,
    .create_rounds = 60,
    .create_ns = 2 * (uint64_t)NS_PER_S,
    .sweep_rounds = 200,
    .sweep_ns = 8 * (uint64_t)NS_PER_S,
};

struct spawn_options {
    unsigned long most_threads;
    const char *json_path;
    bool quick;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct spawn_options *chosen = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        return options_begin(state);
    case OPTION_MAX:
        chosen->most_threads = options_number("--max", argument, 1, SPAWN_THREADS_MOST);
        return 0;
    case OPTION_JSON:
        chosen->json_path = argument;
        return 0;
    case OPTION_QUICK:
        chosen->quick = true;
        return 0;
    case ARGP_KEY_ARG:
        errx(EXIT_BAD_USAGE, "spawn takes no argument '%s'", argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void measure(const struct spawn_options *chosen, const char *first_path,
                    struct spawn_findings *findings)
{
    const struct effort *effort = chosen->quick ? &effort_quick : &effort_default;
    uint64_t begin = clock_now_ns();
    struct spawn_first_plan first = {first_path, FIRST_WARMUP, effort->first_runs,
                                     begin + effort->first_ns};
    struct spawn_create_plan create = {effort->create_rounds, begin + effort->create_ns};
    struct spawn_sweep_plan sweep = {chosen->most_threads, effort->sweep_rounds, RUNS,
                                     begin + effort->sweep_ns};

    findings->planned_rounds = sweep.rounds;
    findings->planned_runs = sweep.runs;
    spawn_first(&first, &findings->first);
    spawn_create(&create, findings->create);
    findings->sweep_cases = spawn_sweep(&sweep, findings->sweep);
}

/* Without the worker; but a second thread sleeps meanwhile, for with a single one libc leaves out
 * the atomics of its locks. */
static void measure_with_pal(const struct spawn_options *chosen, const char *first_path,
                             struct spawn_findings *findings)
{
    cpu_set_t cpus = machine_allowed_cpus();

    if (PAL_InitializeDLL() != 0)
        errx(EXIT_INTERNAL, "cannot initialise the PAL: error %u", GetLastError());
    flush_threads_start(0, 1, &cpus);
    measure(chosen, first_path, findings);
    flush_threads_stop();
    PAL_Terminate();
}

int spawn_command(int argc, char **argv)
{
    const struct argp argp = {options, parse_option, NULL, documentation, 0, 0, 0};
    struct spawn_options chosen = {.most_threads = DEFAULT_MOST_THREADS};
    options_parse(&argp, argc, argv, &chosen);

    static struct spawn_findings findings; /* large for a stack */
    char *first_path = tool_find("palfirst");
    struct report report = report_open(chosen.json_path);
    json_t *json = report_json("spawn");
    measure_with_pal(&chosen, first_path, &findings);
    spawn_report_text(&findings, report.text);
    spawn_report_json(&findings, json);
    report_close(&report, json);

    struct spawn_case *spawn_case;
    for (size_t i = 0; (spawn_case = spawn_findings_case(&findings, i)); i++)
        spawn_case_free(spawn_case);
    free(first_path);
    return EXIT_YES;
}
