/* SPDX-License-Identifier: MIT */
/* palbench COMMAND: measures the PAL on this machine. */
#include <err.h>
#include <fcntl.h>
#include <locale.h>
#include <pal/init.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_code.h"
#include "flush.h"
#include "options.h"
#include "spawn_command.h"
#include "startup.h"

static const struct {
    const char *name;
    char *full_name; /* what messages and --help call it */
    int (*run)(int argc, char **argv);
} commands[] = {
    {"startup", "palbench startup", startup_command},
    {"flush", "palbench flush", flush_command},
    {"spawn", "palbench spawn", spawn_command},
};

static const char documentation[] =
    "Measures the PAL on this machine.\v"
    "Commands:\n"
    "  startup    what a start costs, in the right and in the wrong order\n"
    "  flush      what a process-wide memory barrier costs, by each method\n"
    "  spawn      what threads cost to create, and to let many of them spin\n\n"
    "palbench COMMAND --help tells the options of one.\n\n"
    "Exit code: 0 yes, 1 no, 2 cannot tell or bad usage, 3 internal failure.\n\n"
    "Examples:\n"
    "  palbench startup --json startup.json\n"
    "  palbench flush --quick\n";

static void print_version(FILE *stream, struct argp_state *state)
{
    (void)state;
    (void)fprintf(stream, "palbench %s\n", PAL_GetVersion());
}

struct command_line {
    char *name; /* NULL: none given */
    int place;  /* in argv */
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct command_line *line = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        return options_begin(state);
    case ARGP_KEY_ARG:
        line->name = argument;
        line->place = state->next - 1;
        state->next = state->argc; /* the rest is the command's */
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What is measured is not to depend on what the caller has set for other programs. */
static void clear_environment(void)
{
    (void)unsetenv("PAL_FLUSH");
    (void)unsetenv("PAL_STACK_SIZE");
    (void)unsetenv("PAL_TRACE");
}

/* A file that is opened where stdout is missing would get the table as well. */
static void check_standard_handles(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && fd == STDOUT_FILENO)
            errx(EXIT_INTERNAL, "standard output is closed");
        else if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) == -1)
            err(EXIT_INTERNAL, "/dev/null");
}

int main(int argc, char **argv)
{
    const struct argp argp = {NULL, parse_option, "COMMAND [OPTION...]", documentation, 0, 0, 0};
    struct command_line line = {0};

    check_standard_handles();
    clear_environment();
    (void)setlocale(LC_CTYPE, "");
    argp_program_version_hook = print_version;
    options_parse(&argp, argc, argv, &line);
    if (!line.name)
        errx(EXIT_BAD_USAGE, "no command; palbench --help lists them");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(line.name, commands[i].name) == 0) {
            argv[line.place] = commands[i].full_name;
            return commands[i].run(argc - line.place, argv + line.place);
        }
    errx(EXIT_BAD_USAGE, "no command '%s'; palbench --help lists them", line.name);
}
