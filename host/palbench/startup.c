/* SPDX-License-Identifier: MIT */
/* palbench startup: what a start of the PAL costs, in the right and in the wrong order. */
#include "startup.h"

#include <stdlib.h>

#include "clock.h"
#include "exit_code.h"
#include "machine.h"
#include "options.h"
#include "report.h"
#include "startup_report.h"

#define DEFAULT_ROUNDS 200
#define QUICK_ROUNDS 40
#define DEFAULT_WARMUP 10
#define MOST_ROUNDS 1000000
#define LIMIT_NS (UINT64_C(36) * NS_PER_S)
#define QUICK_LIMIT_NS (UINT64_C(8) * NS_PER_S)

enum option_key { OPTION_RUNS = 0x100, OPTION_WARMUP, OPTION_JSON, OPTION_QUICK };

static const struct argp_option options[] = {
    {"runs", OPTION_RUNS, "N", 0, "Run each program N times (200), however long it takes", 0},
    {"warmup", OPTION_WARMUP, "N", 0, "Run each program N times before that (10)", 0},
    {"json", OPTION_JSON, "FILE", 0,
     "Write hyperfine's JSON to FILE; - is stdout, and the table then goes to stderr", 0},
    {"quick", OPTION_QUICK, NULL, 0, "Run each program 40 times, in at most 10 seconds", 0},
    {0}};

static const char documentation[] =
    "Times whole processes that say hello: without the PAL, with it, and in the wrong order, where "
    "the registration for membarrier comes after another thread has started. All are run in turn, "
    "without a shell. COMMAND, a program of yours, is run along with them.\v"
    "Without --runs it takes at most 40 seconds, and says so when that made it stop early.\n\n"
    "Exit code: 0 when the wrong order is slower, 1 when it makes no difference, 2 when this "
    "machine "
    "or so few runs cannot tell (the figures are printed all the same) and for bad usage, 3 for an "
    "internal failure.\n\n"
    "Examples:\n"
    "  palbench startup\n"
    "  palbench startup --runs 1000 --json startup.json\n"
    "  palbench startup --quick -- dotnet hello.dll\n";

struct startup_options {
    unsigned long runs; /* 0: not given */
    unsigned long warmup;
    const char *json_path;
    bool quick;
    char **command;
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct startup_options *chosen = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        return options_begin(state);
    case OPTION_RUNS:
        chosen->runs = options_number("--runs", argument, 1, MOST_ROUNDS);
        return 0;
    case OPTION_WARMUP:
        chosen->warmup = options_number("--warmup", argument, 0, MOST_ROUNDS);
        return 0;
    case OPTION_JSON:
        chosen->json_path = argument;
        return 0;
    case OPTION_QUICK:
        chosen->quick = true;
        return 0;
    case ARGP_KEY_ARGS:
        chosen->command = state->argv + state->next;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct startup_plan plan_of(const struct startup_options *chosen)
{
    if (chosen->runs)
        return (struct startup_plan){.warmup = chosen->warmup, .rounds = chosen->runs};
    return (struct startup_plan){
        .warmup = chosen->warmup,
        .rounds = chosen->quick ? QUICK_ROUNDS : DEFAULT_ROUNDS,
        .limit_ns = chosen->quick ? QUICK_LIMIT_NS : LIMIT_NS,
    };
}

static void conclude(struct startup_findings *findings)
{
    const struct startup_row *row = findings->rows.row;
    struct verdict_facts facts = {
        .cpus = machine_cpus(),
        .slow_path_seen =
            verdict_clearly_slower(&row[ROW_RAW_EARLY].wall_ns, &row[ROW_RAW_LATE].wall_ns),
    };

    findings->ratio[ROW_BARE] = (struct ratio){1, 1, 1};
    for (size_t i = ROW_BARE + 1; i < findings->rows.count; i++) {
        findings->ratio[i] = ratio_of_medians(&row[i].wall_ns, &row[ROW_BARE].wall_ns);
        findings->to_raw[i] = ratio_of_medians(&row[i].wall_ns, &row[row[i].raw].wall_ns);
    }
    findings->verdict =
        verdict_decide(&row[ROW_PAL_EARLY].wall_ns, &row[ROW_PAL_LATE].wall_ns, facts);
}

static int exit_code_of(enum verdict_answer answer)
{
    switch (answer) {
    case VERDICT_SLOWER:
        return EXIT_YES;
    case VERDICT_NO_DIFFERENCE:
        return EXIT_NO;
    default:
        return EXIT_CANNOT_TELL;
    }
}

int startup_command(int argc, char **argv)
{
    const struct argp argp = {options, parse_option, "[-- COMMAND...]", documentation, 0, 0, 0};
    char *no_command = NULL;
    struct startup_options chosen = {.warmup = DEFAULT_WARMUP, .command = &no_command};
    options_parse(&argp, argc, argv, &chosen);

    struct startup_findings findings = {.plan = plan_of(&chosen)};
    startup_rows_open(&findings.rows, chosen.command);
    struct report report = report_open(chosen.json_path);
    startup_run(&findings.rows, &findings.plan);
    conclude(&findings);
    startup_report_text(&findings, report.text);
    report_close(&report, startup_report_json(&findings));
    startup_rows_close(&findings.rows);
    return exit_code_of(findings.verdict.answer);
}
