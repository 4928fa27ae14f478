/* SPDX-License-Identifier: MIT */
#include "startup_report.h"

#include <string.h>

#include "clock.h"
#include "histogram.h"
#include "report.h"
#include "table.h"

#define NS_PER_MS 1e6
#define NS_PER_US 1e3
#define NAME_SIZE 28 /* bytes; the rest of a longer command line is not shown */

/* How many bytes of a name are shown: no character is cut in two. */
static int shown_length(const char *name)
{
    size_t length = strnlen(name, NAME_SIZE);

    while (length > 0 && (name[length] & 0xc0) == 0x80)
        length--;
    return (int)length;
}

static void print_table(const struct startup_findings *findings, FILE *stream)
{
    struct table table = {.columns = 8};

    table_add(&table, "ms");
    table_add(&table, "min");
    table_add(&table, "median");
    table_add(&table, "mean %s sd", text_plus_minus());
    table_add(&table, "p95");
    table_add(&table, "max");
    table_add(&table, "median / bare [95%%]");
    table_add(&table, "init in process");
    for (size_t i = 0; i < findings->rows.count; i++) {
        const struct startup_row *row = &findings->rows.row[i];
        const struct ratio *ratio = &findings->ratio[i];
        struct samples_stats stats = samples_stats(row->wall_ns.values, row->wall_ns.count);

        table_add(&table, "%.*s", shown_length(row->name), row->name);
        table_add(&table, "%.2f", stats.min / NS_PER_MS);
        table_add(&table, "%.2f", stats.median / NS_PER_MS);
        table_add(&table, "%.2f %s %.2f", stats.mean / NS_PER_MS, text_plus_minus(),
                  stats.stddev / NS_PER_MS);
        table_add(&table, "%.2f", stats.p95 / NS_PER_MS);
        table_add(&table, "%.2f", stats.max / NS_PER_MS);
        table_add(&table, "%.2f [%.2f, %.2f]", ratio->value, ratio->low, ratio->high);
        if (row->init_ns.count)
            table_add(&table, "%.1f %ss",
                      samples_stats(row->init_ns.values, row->init_ns.count).median / NS_PER_US,
                      text_micro());
        else
            table_add(&table, "-");
    }
    table_print(&table, stream);
    table_free(&table);
}

static void print_ratios_to_raw(const struct startup_findings *findings, FILE *stream)
{
    struct table table = {.columns = 2};

    for (size_t i = 0; i < findings->rows.count; i++) {
        const struct startup_row *row = &findings->rows.row[i];
        const struct ratio *ratio = &findings->to_raw[i];
        if (!row->init_ns.count)
            continue;
        table_add(&table, "%s / %s", row->name, findings->rows.row[row->raw].name);
        table_add(&table, "%.2f [%.2f, %.2f]", ratio->value, ratio->low, ratio->high);
    }
    (void)fprintf(stream, "\nratios of medians, with the PAL to without [95%%]\n");
    table_print(&table, stream);
    table_free(&table);
}

static void print_histograms(const struct startup_findings *findings, FILE *stream)
{
    struct histogram_axis axis = {0};
    struct table table = {.columns = 2};
    char line[HISTOGRAM_TEXT_SIZE];

    for (size_t i = 0; i < findings->rows.count; i++)
        histogram_fit(&axis, &findings->rows.row[i].wall_ns);
    for (size_t i = 0; i < findings->rows.count; i++) {
        const struct startup_row *row = &findings->rows.row[i];
        histogram_draw(&axis, &row->wall_ns, line);
        table_add(&table, "%.*s", shown_length(row->name), row->name);
        table_add(&table, "|%s|", line);
    }
    (void)fprintf(stream, "\nruns by time, %.2f to %.2f ms, logarithmic\n", axis.least / NS_PER_MS,
                  axis.most / NS_PER_MS);
    table_print(&table, stream);
    table_free(&table);
}

void startup_report_text(const struct startup_findings *findings, FILE *stream)
{
    const struct startup_rows *rows = &findings->rows;
    size_t rounds = rows->row[ROW_BARE].wall_ns.count;
    size_t in_process_rounds = rows->floor.init_ns.count;

    print_table(findings, stream);
    print_ratios_to_raw(findings, stream);
    print_histograms(findings, stream);
    (void)fprintf(stream, "\n%zu runs of each, interleaved", rounds);
    if (in_process_rounds != rounds)
        (void)fprintf(stream, "; %zu for the init in process", in_process_rounds);
    if (rounds < findings->plan.rounds || in_process_rounds < findings->plan.rounds)
        (void)fprintf(stream, "; stopped at the limit of %.0f s before the %zu planned",
                      (double)findings->plan.limit_ns / NS_PER_S, findings->plan.rounds);
    (void)fprintf(stream, "\nfloor of an init (registration, then pthread_create): %.1f %ss\n",
                  samples_stats(rows->floor.init_ns.values, in_process_rounds).median / NS_PER_US,
                  text_micro());
    (void)fprintf(stream, "pal-late against pal-early: %s: %s\n",
                  verdict_name(findings->verdict.answer), findings->verdict.reason);
}

static json_t *seconds(double ns)
{
    return json_real(ns / NS_PER_S);
}

static void add_runs(json_t *json, const struct samples *wall_ns)
{
    json_t *times = json_array();
    json_t *exit_codes = json_array();

    for (size_t i = 0; i < wall_ns->count; i++) {
        (void)json_array_append_new(times, seconds(wall_ns->values[i]));
        /* A run that fails ends the measurement. */
        (void)json_array_append_new(exit_codes, json_integer(0));
    }
    (void)json_object_set_new(json, "times", times);
    (void)json_object_set_new(json, "exit_codes", exit_codes);
}

static void add_init(json_t *json, const struct samples *init_ns, const struct ratio *to_raw)
{
    struct samples_stats stats = samples_stats(init_ns->values, init_ns->count);

    (void)json_object_set_new(
        json, "pal_init_ns",
        json_pack("{s:f, s:f, s:f}", "median", stats.median, "min", stats.min, "p95", stats.p95));
    (void)json_object_set_new(json, "ratio_to_raw", report_ratio_json(to_raw));
}

static json_t *row_json(const struct startup_findings *findings, size_t i)
{
    const struct startup_row *row = &findings->rows.row[i];
    const struct samples *wall_ns = &row->wall_ns;
    double runs = (double)wall_ns->count;
    struct samples_stats stats = samples_stats(wall_ns->values, wall_ns->count);
    /* As hyperfine has it, a single run has no deviation. */
    json_t *stddev = wall_ns->count > 1 ? seconds(stats.stddev) : json_null();
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:o}", "command", row->name, "mean",
                  seconds(stats.mean), "stddev", stddev, "median", seconds(stats.median), "user",
                  row->user_s / runs, "system", row->system_s / runs, "min", seconds(stats.min),
                  "max", seconds(stats.max), "ratio", report_ratio_json(&findings->ratio[i]));

    add_runs(json, wall_ns);
    if (row->init_ns.count)
        add_init(json, &row->init_ns, &findings->to_raw[i]);
    return json;
}

json_t *startup_report_json(const struct startup_findings *findings)
{
    const struct startup_rows *rows = &findings->rows;
    const struct samples *floor_ns = &rows->floor.init_ns;
    json_t *json = report_json("startup");
    json_t *results = json_array();

    for (size_t i = 0; i < rows->count; i++)
        (void)json_array_append_new(results, row_json(findings, i));
    (void)json_object_set_new(json, "results", results);
    (void)json_object_set_new(json, "pal_init_floor_ns",
                              json_real(samples_stats(floor_ns->values, floor_ns->count).median));
    (void)json_object_set_new(json, "verdict",
                              json_pack("{s:s, s:s}", "answer",
                                        verdict_name(findings->verdict.answer), "reason",
                                        findings->verdict.reason));
    return json;
}
