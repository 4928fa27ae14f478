/* SPDX-License-Identifier: MIT */
/* palbench flush: what a process-wide memory barrier costs, by each method. */
#include "flush.h"

#include <err.h>

#include "clock.h"
#include "exit_code.h"
#include "flush_report.h"
#include "flush_threads.h"
#include "machine.h"
#include "options.h"
#include "report.h"

#define ROUNDS 150
#define QUICK_ROUNDS 40
#define LIMIT_NS (UINT64_C(34) * NS_PER_S)
#define QUICK_LIMIT_NS (UINT64_C(8) * NS_PER_S)

static const struct flush_case cases[] = {{"alone", 0, 0},    {"spin-1", 1, 0}, {"spin-2", 2, 0},
                                          {"spin-4", 4, 0},   {"spin-8", 8, 0}, {"sleep-8", 0, 8},
                                          {"sleep-64", 0, 64}};
#define CASE_COUNT (sizeof cases / sizeof *cases)
_Static_assert(CASE_COUNT <= FLUSH_CASES_MOST, "the findings hold them all");

enum option_key { OPTION_CASES = 0x100, OPTION_METHODS, OPTION_JSON, OPTION_QUICK };

static const struct argp_option options[] = {
    {"cases", OPTION_CASES, "LIST", 0,
     "What else runs in the process, of alone, spin-1, spin-2, spin-4, spin-8 (that many spinning "
     "threads), sleep-8, sleep-64 (blocked threads); all by default",
     0},
    {"methods", OPTION_METHODS, "LIST", 0,
     "How to flush, of membarrier, mprotect, signal, global; all by default", 0},
    {"json", OPTION_JSON, "FILE", 0,
     "Write JSON to FILE; - is stdout, and the table then goes to stderr", 0},
    {"quick", OPTION_QUICK, NULL, 0, "Make fewer calls, in at most 10 seconds", 0},
    {0}};

static const char documentation[] =
    "Times FlushProcessWriteBuffers by each method that the PAL has (pal-METHOD), and the bare "
    "system calls that the method consists of (raw-METHOD), interleaved in one process.\v"
    "The calling thread is pinned to the first processor that it may use and spinning threads to "
    "the "
    "others in turn; on one processor they share it. Ratios are of medians, with the interval by "
    "bootstrap over blocks of calls. It takes at most 40 seconds.\n\n"
    "Exit code: 0 when something was measured, 2 when nothing of what was asked for works on this "
    "machine and for bad usage, 3 for an internal failure.\n\n"
    "Examples:\n"
    "  palbench flush\n"
    "  palbench flush --cases alone,spin-1 --methods membarrier --json flush.json\n";

struct flush_options {
    uint32_t cases; /* bit i: cases[i] */
    uint32_t methods;
    const char *json_path;
    bool quick;
};

static uint32_t case_set(const char *list)
{
    const char *names[CASE_COUNT];

    for (size_t i = 0; i < CASE_COUNT; i++)
        names[i] = cases[i].name;
    return options_set("--cases", list, names, CASE_COUNT);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct flush_options *chosen = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        return options_begin(state);
    case OPTION_CASES:
        chosen->cases = case_set(argument);
        return 0;
    case OPTION_METHODS:
        chosen->methods = options_set("--methods", argument, flush_method_names, METHOD_COUNT);
        return 0;
    case OPTION_JSON:
        chosen->json_path = argument;
        return 0;
    case OPTION_QUICK:
        chosen->quick = true;
        return 0;
    case ARGP_KEY_ARG:
        errx(EXIT_BAD_USAGE, "flush takes no argument '%s'", argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Says whether there is anything to measure. */
static bool choose_impls(const struct flush_options *chosen, struct flush_findings *findings,
                         struct flush_plan *plan)
{
    bool any = false;

    flush_impls_try(chosen->methods, findings->availability);
    for (size_t i = 0; i < IMPL_COUNT; i++) {
        plan->wanted[i] = (chosen->methods & (UINT32_C(1) << flush_impls[i].method)) &&
                          !*findings->availability[i].reason;
        any = any || plan->wanted[i];
    }
    return any;
}

static void measure(const struct flush_options *chosen, struct flush_plan *plan,
                    struct flush_findings *findings)
{
    plan->rounds = chosen->quick ? QUICK_ROUNDS : ROUNDS;
    plan->limit_ns =
        (chosen->quick ? QUICK_LIMIT_NS : LIMIT_NS) / (uint64_t)__builtin_popcount(chosen->cases);
    plan->timer_ns = findings->timer_ns = flush_measure_timer();
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (!(chosen->cases & (UINT32_C(1) << i)))
            continue;
        findings->flush_case[findings->cases] = &cases[i];
        flush_measure(&cases[i], plan, findings->figures[findings->cases++]);
    }
}

static void free_figures(struct flush_findings *findings)
{
    for (size_t i = 0; i < findings->cases; i++)
        for (size_t impl = 0; impl < IMPL_COUNT; impl++) {
            samples_free(&findings->figures[i][impl].ns);
            samples_free(&findings->figures[i][impl].block_medians);
        }
}

int flush_command(int argc, char **argv)
{
    const struct argp argp = {options, parse_option, NULL, documentation, 0, 0, 0};
    struct flush_options chosen = {
        .cases = (UINT32_C(1) << CASE_COUNT) - 1,
        .methods = (UINT32_C(1) << METHOD_COUNT) - 1,
    };
    options_parse(&argp, argc, argv, &chosen);

    static struct flush_findings findings; /* large for a stack */
    struct flush_plan plan = {.cpus = machine_allowed_cpus()};
    struct report report = report_open(chosen.json_path);
    json_t *json = report_json("flush"); /* before pinning, which changes what may be used */
    findings.cpus = machine_cpus();
    bool any = choose_impls(&chosen, &findings, &plan);
    if (any) {
        flush_threads_pin_caller(&plan.cpus);
        measure(&chosen, &plan, &findings);
    }
    flush_report_text(&findings, report.text);
    flush_report_json(&findings, json);
    report_close(&report, json);
    free_figures(&findings);
    return any ? EXIT_YES : EXIT_CANNOT_TELL;
}
