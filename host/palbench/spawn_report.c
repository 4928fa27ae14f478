/* SPDX-License-Identifier: MIT */
#include "spawn_report.h"

#include <string.h>

#include "report.h"
#include "table.h"

#define TIME_SIZE 24
#define KINDS 2 /* of the sweep */

struct spawn_case *spawn_findings_case(struct spawn_findings *findings, size_t place)
{
    if (place < findings->sweep_cases)
        return &findings->sweep[place];
    place -= findings->sweep_cases;
    if (place == 0)
        return &findings->first;
    return place - 1 < SPAWN_CREATE_CASES ? &findings->create[place - 1] : NULL;
}

/* The time of a thread and round, in times of that with half as many threads; 0 for the first. */
static double growth(const struct spawn_findings *findings, size_t place, enum spawn_impl_id impl)
{
    if (place < KINDS)
        return 0;
    return spawn_case_share_ns(&findings->sweep[place], impl) /
           spawn_case_share_ns(&findings->sweep[place - KINDS], impl);
}

static void add_time(struct table *table, double ns)
{
    char text[TIME_SIZE];

    text_ns(text, sizeof text, ns);
    table_add(table, "%s", text);
}

static void add_row(struct table *table, const struct spawn_case *spawn_case)
{
    struct ratio ratio = spawn_case_ratio(spawn_case);

    table_add(table, "%s", spawn_case->name);
    for (size_t i = 0; i < SPAWN_IMPL_COUNT; i++) {
        const struct samples *ns = &spawn_case->figures[i].ns;
        struct samples_stats stats = samples_stats(ns->values, ns->count);
        add_time(table, stats.min);
        add_time(table, stats.median);
    }
    table_add(table, "%.3f [%.3f, %.3f]", ratio.value, ratio.low, ratio.high);
    table_add(table, "%s %.2f", spawn_case_answer(spawn_case, &ratio), spawn_case->limit);
    table_add(table, "%zu", spawn_case->figures[SPAWN_PAL].ns.count);
    if (spawn_case->rounds)
        table_add(table, "%zu", spawn_case->rounds);
    else
        table_add(table, "-");
}

static void print_cases(struct spawn_findings *findings, FILE *stream)
{
    static const char *const heading[] = {"case",         "pal best",       "pal median",
                                          "pthread best", "pthread median", "pal / pthread [95%]",
                                          "interval",     "runs",           "rounds"};
    struct table table = {.columns = sizeof heading / sizeof *heading};
    const struct spawn_case *spawn_case;

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, "%s", heading[i]);
    for (size_t i = 0; (spawn_case = spawn_findings_case(findings, i)); i++)
        add_row(&table, spawn_case);
    table_print(&table, stream);
    table_free(&table);
}

static void print_growth(const struct spawn_findings *findings, FILE *stream)
{
    struct table table = {.columns = 1 + KINDS * SPAWN_IMPL_COUNT};

    table_add(&table, "threads");
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t impl = 0; impl < SPAWN_IMPL_COUNT; impl++)
            table_add(&table, "%s %s", spawn_impls[impl].name, kind ? "barrier" : "yield");
    for (size_t i = 0; i < findings->sweep_cases; i++) {
        if (i % KINDS == 0)
            table_add(&table, "%zu", findings->sweep[i].threads);
        for (size_t impl = 0; impl < SPAWN_IMPL_COUNT; impl++) {
            char text[TIME_SIZE];
            text_ns(text, sizeof text, spawn_case_share_ns(&findings->sweep[i], impl));
            if (i < KINDS)
                table_add(&table, "%s     -", text);
            else
                table_add(&table, "%s x%.2f", text, growth(findings, i, impl));
        }
    }
    (void)fprintf(stream, "\ntime for each thread and round of barriers, and how it grew from the "
                          "count before: x1 is linear\n");
    table_print(&table, stream);
    table_free(&table);
}

static void print_notes(struct spawn_findings *findings, FILE *stream)
{
    const struct spawn_case *last = &findings->sweep[findings->sweep_cases - 1];
    const struct spawn_case *spawn_case;
    size_t above = 0;

    (void)fprintf(stream, "\ncreate-* are of one thread, created and joined\n");
    if (last->rounds < findings->planned_rounds)
        (void)fprintf(stream, "fewer rounds where %zu runs of %zu do not fit into the time\n",
                      findings->planned_runs, findings->planned_rounds);
    (void)fprintf(stream, "above its limit as a whole:");
    for (size_t i = 0; (spawn_case = spawn_findings_case(findings, i)); i++) {
        struct ratio ratio = spawn_case_ratio(spawn_case);
        if (ratio.low > spawn_case->limit)
            (void)fprintf(stream, "%s %s", above++ ? "," : "", spawn_case->name);
    }
    (void)fprintf(stream, "%s\n", above ? "" : " none");
}

void spawn_report_text(struct spawn_findings *findings, FILE *stream)
{
    print_cases(findings, stream);
    print_growth(findings, stream);
    print_notes(findings, stream);
}

static json_t *result_json(const struct spawn_case *spawn_case, enum spawn_impl_id impl)
{
    const struct samples *ns = &spawn_case->figures[impl].ns;
    struct samples_stats stats = samples_stats(ns->values, ns->count);
    double unit = spawn_case->unit_ns;
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "case", spawn_case->name,
                  "impl", spawn_impls[impl].name, "unit", spawn_case->unit, "median",
                  stats.median / unit, "min", stats.min / unit, "p95", stats.p95 / unit, "mean",
                  stats.mean / unit, "max", stats.max / unit, "runs", (json_int_t)ns->count,
                  "threads", (json_int_t)spawn_case->threads);

    if (impl == SPAWN_PAL) {
        struct ratio ratio = spawn_case_ratio(spawn_case);
        (void)json_object_set_new(json, "ratio", report_ratio_json(&ratio));
        (void)json_object_set_new(json, "limit", json_real(spawn_case->limit));
        (void)json_object_set_new(json, "interval",
                                  json_string(spawn_case_answer(spawn_case, &ratio)));
    }
    return json;
}

static void add_sweep(json_t *json, const struct spawn_findings *findings, size_t place,
                      enum spawn_impl_id impl)
{
    const struct spawn_case *spawn_case = &findings->sweep[place];
    double grew = growth(findings, place, impl);

    (void)json_object_set_new(json, "rounds", json_integer((json_int_t)spawn_case->rounds));
    (void)json_object_set_new(json, "thread_round_ns",
                              json_real(spawn_case_share_ns(spawn_case, impl)));
    (void)json_object_set_new(json, "growth", grew > 0 ? json_real(grew) : json_null());
}

void spawn_report_json(struct spawn_findings *findings, json_t *json)
{
    json_t *results = json_array();
    const struct spawn_case *spawn_case;

    for (size_t i = 0; (spawn_case = spawn_findings_case(findings, i)); i++)
        for (size_t impl = 0; impl < SPAWN_IMPL_COUNT; impl++) {
            json_t *result = result_json(spawn_case, impl);
            if (i < findings->sweep_cases)
                add_sweep(result, findings, i, impl);
            (void)json_array_append_new(results, result);
        }
    (void)json_object_set_new(json, "results", results);
    (void)json_object_set_new(json, "planned",
                              json_pack("{s:I, s:I}", "runs", (json_int_t)findings->planned_runs,
                                        "rounds", (json_int_t)findings->planned_rounds));
}
