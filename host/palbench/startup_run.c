/* SPDX-License-Identifier: MIT */
#include "startup_run.h"

#include <err.h>
#include <jansson.h>
#include <string.h>

#include "clock.h"
#include "exit_code.h"
#include "progress.h"
#include "shuffle.h"

#define TRACE_SIZE 8192
#define REASON_SIZE 80

/* What part of the time limit is over at the latest when a kind of round ends. */
#define WARMUP_SHARE 0.15
#define TIMED_SHARE 0.65

/* Rows take a new order each round. In a fixed one, the program after a slow one would always start
 * on processors that had gone to sleep meanwhile. */
struct run {
    struct startup_rows *rows;
    unsigned short generator[3];
};

static void require_success(const struct startup_rows *rows, const struct startup_row *row,
                            int error, const struct program_result *result)
{
    bool callers = row == &rows->row[ROW_COMMAND];
    char reason[REASON_SIZE];

    if (!error && program_succeeded(result, reason, sizeof reason))
        return;
    progress_clear();
    errx(callers ? EXIT_BAD_USAGE : EXIT_INTERNAL, "cannot measure '%s': %s", row->name,
         error ? strerror(error) : reason);
}

static void timed_run(struct run *run, struct startup_row *row, struct program_result *ret_result)
{
    int error = program_run(row->path, row->argv, ret_result);

    require_success(run->rows, row, error, ret_result);
}

static void warm_up_round(struct run *run)
{
    struct program_result dropped;
    size_t order[ROW_COUNT];

    shuffle(order, run->rows->count, run->generator);
    for (size_t i = 0; i < run->rows->count; i++)
        timed_run(run, &run->rows->row[order[i]], &dropped);
}

static void timed_round(struct run *run)
{
    size_t order[ROW_COUNT];

    shuffle(order, run->rows->count, run->generator);
    for (size_t i = 0; i < run->rows->count; i++) {
        struct startup_row *row = &run->rows->row[order[i]];
        struct program_result result;
        timed_run(run, row, &result);
        samples_add(&row->wall_ns, result.wall_ns);
        row->user_s += result.user_s;
        row->system_s += result.system_s;
    }
}

static void in_process_run(struct run *run, struct startup_row *row)
{
    char trace[TRACE_SIZE];
    struct program_result result;
    int error = program_run_captured(row->path, row->in_process_argv, trace, sizeof trace, &result);

    require_success(run->rows, row, error, &result);
    json_t *json = json_loads(trace, 0, NULL);
    json_t *init_ns = json_object_get(json, "init_ns");
    if (!json_is_number(init_ns)) {
        progress_clear();
        errx(EXIT_INTERNAL, "cannot measure '%s': it tells no init_ns", row->name);
    }
    samples_add(&row->init_ns, json_number_value(init_ns));
    json_decref(json);
}

static void in_process_round(struct run *run)
{
    size_t order[ROW_COUNT];

    shuffle(order, run->rows->count, run->generator);
    in_process_run(run, &run->rows->floor);
    for (size_t i = 0; i < run->rows->count; i++)
        if (run->rows->row[order[i]].in_process_argv)
            in_process_run(run, &run->rows->row[order[i]]);
}

/* deadline: 0, or when to be done, going by the longest round so far. */
static void repeat(struct run *run, void (*round)(struct run *), const char *what, size_t rounds,
                   uint64_t deadline)
{
    uint64_t longest = 0;

    for (size_t done = 0; done < rounds; done++) {
        uint64_t begin = clock_now_ns();
        if (deadline && done > 0 && begin + longest > deadline)
            break;
        progress_show(what, done, rounds);
        round(run);
        uint64_t took = clock_now_ns() - begin;
        if (took > longest)
            longest = took;
    }
    progress_clear();
}

static uint64_t deadline_at(uint64_t begin, uint64_t limit_ns, double share)
{
    return limit_ns ? begin + (uint64_t)(share * (double)limit_ns) : 0;
}

void startup_run(struct startup_rows *rows, const struct startup_plan *plan)
{
    struct run run = {.rows = rows, .generator = {0x726f, 0x7773, 0x2121}};
    uint64_t begin = clock_now_ns();

    repeat(&run, warm_up_round, "warming up", plan->warmup,
           deadline_at(begin, plan->limit_ns, WARMUP_SHARE));
    repeat(&run, timed_round, "whole processes", plan->rounds,
           deadline_at(begin, plan->limit_ns, TIMED_SHARE));
    repeat(&run, in_process_round, "in-process times", plan->rounds,
           deadline_at(begin, plan->limit_ns, 1));
}
