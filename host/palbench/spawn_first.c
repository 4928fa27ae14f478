/* SPDX-License-Identifier: MIT */
#include "spawn_first.h"

#include <err.h>
#include <jansson.h>
#include <string.h>

#include "exit_code.h"
#include "pace.h"
#include "program.h"
#include "progress.h"
#include "shuffle.h"

#define NS_PER_US 1e3
#define LIMIT 1.05
#define TEXT_SIZE 256

static double told_ns(const char *path, enum spawn_impl_id impl)
{
    char *const argv[] = {"palfirst", (char *)spawn_impls[impl].name, NULL};
    char text[TEXT_SIZE];
    char reason[TEXT_SIZE];
    struct program_result result;
    int error = program_run_captured(path, argv, text, sizeof text, &result);

    if (error || !program_succeeded(&result, reason, sizeof reason)) {
        progress_clear();
        errx(EXIT_INTERNAL, "cannot measure '%s %s': %s", path, argv[1],
             error ? strerror(error) : reason);
    }
    json_t *json = json_loads(text, 0, NULL);
    json_t *create_ns = json_object_get(json, "create_ns");
    if (!json_is_number(create_ns)) {
        progress_clear();
        errx(EXIT_INTERNAL, "cannot measure '%s %s': it tells no create_ns", path, argv[1]);
    }
    double ns = json_number_value(create_ns);
    json_decref(json);
    return ns;
}

/* spawn_case: NULL drops the times. */
static void lap(const char *path, unsigned short generator[3], struct spawn_case *spawn_case)
{
    size_t order[SPAWN_IMPL_COUNT];

    shuffle(order, SPAWN_IMPL_COUNT, generator);
    for (size_t i = 0; i < SPAWN_IMPL_COUNT; i++) {
        double ns = told_ns(path, order[i]);
        if (spawn_case)
            spawn_case_add(spawn_case, order[i], ns);
    }
}

void spawn_first(const struct spawn_first_plan *plan, struct spawn_case *ret_case)
{
    struct pace pace = {.planned = plan->runs, .deadline_ns = plan->deadline_ns};
    unsigned short generator[3] = {0x6669, 0x7273, 0x7421};

    *ret_case = (struct spawn_case){.name = "create-default-first",
                                    .unit = "us",
                                    .unit_ns = NS_PER_US,
                                    .limit = LIMIT,
                                    .threads = 1};
    for (size_t i = 0; i < plan->warmup; i++)
        lap(plan->path, generator, NULL);
    while (pace_again(&pace)) {
        progress_show("fresh processes", pace.begun - 1, pace.planned);
        lap(plan->path, generator, ret_case);
    }
    progress_clear();
}
