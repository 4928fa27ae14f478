/* SPDX-License-Identifier: MIT */
#include "startup_rows.h"

#include <err.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "tool.h"

#define ARGUMENTS 6 /* the most there are: the program, its arguments, NULL */
#define WORKER_FIRST "--order=worker-first"
#define THREADS "--threads=4"
#define TRACE "--trace=json"

/* Not constant, since argv is not. */
static struct {
    char *name;
    char *argv[ARGUMENTS];
    char *in_process_argv[ARGUMENTS];
    enum startup_row_id raw;
} builtin_rows[] = {
    [ROW_BARE] = {"bare", {"palraw", "bare"}, {NULL}, ROW_BARE},
    [ROW_RAW_EARLY] = {"raw-early", {"palraw", "early"}, {NULL}, ROW_BARE},
    [ROW_RAW_LATE] = {"raw-late", {"palraw", "late"}, {NULL}, ROW_BARE},
    [ROW_PAL_EARLY] = {"pal-early",
                       {"palhost", "hello"},
                       {"palhost", "hello", TRACE},
                       ROW_RAW_EARLY},
    [ROW_PAL_LATE] = {"pal-late",
                      {"palhost", "hello", WORKER_FIRST},
                      {"palhost", "hello", WORKER_FIRST, TRACE},
                      ROW_RAW_LATE},
    [ROW_RAW_THREADED] = {"raw-threaded", {"palraw", "threaded"}, {NULL}, ROW_BARE},
    [ROW_PAL_THREADED] = {"pal-threaded",
                          {"palhost", "hello", THREADS},
                          {"palhost", "hello", THREADS, TRACE},
                          ROW_RAW_THREADED},
    [ROW_PAL_THREADED_LATE] = {"pal-threaded-late",
                               {"palhost", "hello", THREADS, WORKER_FIRST},
                               {"palhost", "hello", THREADS, WORKER_FIRST, TRACE},
                               ROW_RAW_THREADED},
};

static char *floor_argv[] = {"palraw", "floor", NULL};

static void *allocated(void *memory)
{
    if (!memory)
        err(EXIT_INTERNAL, "cannot list the programs");
    return memory;
}

/* As execvp(3) does it, once instead of in every run. */
static char *find_command(const char *name)
{
    if (strchr(name, '/')) {
        if (!tool_executable(name))
            errx(EXIT_BAD_USAGE, "cannot run '%s': no such program", name);
        return allocated(strdup(name));
    }

    const char *path = getenv("PATH");
    for (const char *directory = path ? path : "/bin:/usr/bin"; *name; directory++) {
        size_t length = strcspn(directory, ":");
        char *candidate;
        if (asprintf(&candidate, "%.*s/%s", length ? (int)length : 1, length ? directory : ".",
                     name) < 0)
            err(EXIT_INTERNAL, "cannot list the programs");
        if (tool_executable(candidate))
            return candidate;
        free(candidate);
        directory += length;
        if (!*directory)
            break;
    }
    errx(EXIT_BAD_USAGE, "cannot run '%s': no such program in PATH", name);
}

/* The arguments with blanks between them; JSON wants UTF-8, so other bytes are shown as '?'. */
static char *command_line(char **argv)
{
    size_t length = 0;

    for (char **argument = argv; *argument; argument++)
        length += strlen(*argument) + 1;
    char *line = allocated(malloc(length));
    char *end = line;
    for (char **argument = argv; *argument; argument++)
        end = stpcpy(stpcpy(end, argument == argv ? "" : " "), *argument);

    json_t *valid = json_string(line);
    for (char *byte = line; !valid && *byte; byte++)
        if ((unsigned char)*byte > 0x7f)
            *byte = '?';
    json_decref(valid);
    return line;
}

void startup_rows_open(struct startup_rows *rows, char **command)
{
    *rows = (struct startup_rows){.count = ROW_COMMAND};

    if (*command) {
        rows->row[ROW_COMMAND] = (struct startup_row){
            .name = command_line(command), .argv = command, .path = find_command(*command)};
        rows->count = ROW_COUNT;
    }
    for (size_t i = 0; i < ROW_COMMAND; i++)
        rows->row[i] = (struct startup_row){
            .name = allocated(strdup(builtin_rows[i].name)),
            .path = tool_find(builtin_rows[i].argv[0]),
            .argv = builtin_rows[i].argv,
            .in_process_argv =
                builtin_rows[i].in_process_argv[0] ? builtin_rows[i].in_process_argv : NULL,
            .raw = builtin_rows[i].raw,
        };
    rows->floor = (struct startup_row){
        .name = allocated(strdup("floor")),
        .path = tool_find(floor_argv[0]),
        .in_process_argv = floor_argv,
    };
}

static void close_row(struct startup_row *row)
{
    free(row->name);
    free(row->path);
    samples_free(&row->wall_ns);
    samples_free(&row->init_ns);
}

void startup_rows_close(struct startup_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        close_row(&rows->row[i]);
    close_row(&rows->floor);
}
