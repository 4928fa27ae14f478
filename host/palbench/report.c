/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <err.h>
#include <fcntl.h>
#include <pal/init.h>
#include <string.h>
#include <unistd.h>

#include "exit_code.h"
#include "machine.h"
#include "ratio.h"

#define JSON_INDENTATION 2
#define FILE_MODE 0666

struct report report_open(const char *json_path)
{
    struct report report = {.json_path = json_path, .text = stdout};

    if (!json_path)
        return report;
    if (strcmp(json_path, "-") == 0) {
        report.text = stderr;
        report.json = stdout;
        return report;
    }
    int fd = open(json_path, O_WRONLY | O_CREAT | O_CLOEXEC, FILE_MODE);
    report.json = fd < 0 ? NULL : fdopen(fd, "w");
    if (!report.json)
        err(EXIT_BAD_USAGE, "cannot write '%s'", json_path);
    return report;
}

json_t *report_json(const char *command)
{
    return json_pack("{s:s, s:s, s:s, s:o}", "tool", "palbench", "version", PAL_GetVersion(),
                     "command", command, "machine", machine_json());
}

json_t *report_ratio_json(const struct ratio *ratio)
{
    return json_pack("{s:f, s:f, s:f}", "median", ratio->value, "low", ratio->low, "high",
                     ratio->high);
}

static void write_json(const struct report *report, json_t *json)
{
    /* What an earlier run left; a pipe or a device has nothing to cut. */
    if (report->json != stdout)
        (void)!ftruncate(fileno(report->json), 0);
    if (json_dumpf(json, report->json, JSON_INDENT(JSON_INDENTATION)) != 0 ||
        fputc('\n', report->json) == EOF || fclose(report->json) != 0)
        err(EXIT_INTERNAL, "cannot write '%s'", report->json_path);
}

void report_close(struct report *report, json_t *json)
{
    if (fflush(report->text) != 0 || ferror(report->text))
        err(EXIT_INTERNAL, "cannot write the table");
    if (report->json_path)
        write_json(report, json);
    json_decref(json);
}
