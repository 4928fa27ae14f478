/* SPDX-License-Identifier: MIT */
#include "flush_report.h"

#include "ratio.h"
#include "report.h"
#include "table.h"

#define TIME_SIZE 24

static bool has_ratio(const struct flush_figures figures[IMPL_COUNT], size_t impl)
{
    enum flush_impl_id baseline = flush_impls[impl].baseline;

    return baseline != IMPL_NONE && figures[baseline].ns.count;
}

static struct ratio ratio_of(const struct flush_figures figures[IMPL_COUNT], size_t impl)
{
    return ratio_of_medians(&figures[impl].block_medians,
                            &figures[flush_impls[impl].baseline].block_medians);
}

static void add_row(struct table *table, const char *case_name, size_t impl,
                    const struct flush_figures figures[IMPL_COUNT])
{
    const struct samples *ns = &figures[impl].ns;
    struct samples_stats stats = samples_stats(ns->values, ns->count);
    char p50[TIME_SIZE];
    char p99[TIME_SIZE];

    text_ns(p50, sizeof p50, stats.median);
    text_ns(p99, sizeof p99, stats.p99);
    table_add(table, "%s", case_name);
    table_add(table, "%s", flush_impls[impl].name);
    table_add(table, "%s", p50);
    table_add(table, "%s", p99);
    table_add(table, "%zu", ns->count);
    if (has_ratio(figures, impl)) {
        struct ratio ratio = ratio_of(figures, impl);
        table_add(table, "%.3f [%.3f, %.3f]", ratio.value, ratio.low, ratio.high);
    } else {
        table_add(table, "-");
    }
}

static void print_figures(const struct flush_findings *findings, FILE *stream)
{
    static const char *const heading[] = {"case", "impl", "p50", "p99", "calls", "pal / raw [95%]"};
    struct table table = {.columns = sizeof heading / sizeof *heading};

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, "%s", heading[i]);
    for (size_t i = 0; i < findings->cases; i++)
        for (size_t impl = 0; impl < IMPL_COUNT; impl++)
            if (findings->figures[i][impl].ns.count)
                add_row(&table, findings->flush_case[i]->name, impl, findings->figures[i]);
    table_print(&table, stream);
    table_free(&table);

    (void)fprintf(stream, "\n%.0f ns, the median of timing nothing, are taken off each call\n",
                  findings->timer_ns);
    (void)fprintf(stream, "%s\n",
                  findings->cpus > 1
                      ? "the calling thread is alone on its processor, spinning threads share the "
                        "others"
                      : "one processor: the calling thread and spinning threads take turns on it");
}

void flush_report_text(const struct flush_findings *findings, FILE *stream)
{
    if (findings->cases)
        print_figures(findings, stream);
    for (size_t impl = 0; impl < IMPL_COUNT; impl++)
        if (*findings->availability[impl].reason)
            (void)fprintf(stream, "skipped %s: %s\n", flush_impls[impl].name,
                          findings->availability[impl].reason);
}

static json_t *result_json(const char *case_name, size_t impl,
                           const struct flush_figures figures[IMPL_COUNT])
{
    const struct samples *ns = &figures[impl].ns;
    struct samples_stats stats = samples_stats(ns->values, ns->count);
    json_t *json = json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:I}", "case",
                             case_name, "impl", flush_impls[impl].name, "unit", "ns", "median",
                             stats.median, "min", stats.min, "p95", stats.p95, "p99", stats.p99,
                             "mean", stats.mean, "max", stats.max, "calls", (json_int_t)ns->count);

    if (has_ratio(figures, impl)) {
        struct ratio ratio = ratio_of(figures, impl);
        (void)json_object_set_new(json, "ratio", report_ratio_json(&ratio));
    }
    return json;
}

void flush_report_json(const struct flush_findings *findings, json_t *json)
{
    json_t *results = json_array();
    json_t *skipped = json_array();

    for (size_t i = 0; i < findings->cases; i++)
        for (size_t impl = 0; impl < IMPL_COUNT; impl++)
            if (findings->figures[i][impl].ns.count)
                (void)json_array_append_new(results, result_json(findings->flush_case[i]->name,
                                                                 impl, findings->figures[i]));
    for (size_t impl = 0; impl < IMPL_COUNT; impl++)
        if (*findings->availability[impl].reason)
            (void)json_array_append_new(skipped,
                                        json_pack("{s:s, s:s}", "impl", flush_impls[impl].name,
                                                  "reason", findings->availability[impl].reason));
    (void)json_object_set_new(json, "results", results);
    (void)json_object_set_new(json, "skipped", skipped);
    (void)json_object_set_new(json, "timer_ns", json_real(findings->timer_ns));
}
