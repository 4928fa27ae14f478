/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hello.h"

#define EXIT_USAGE 2
#define MOST_THREADS 4096

static const char help[] =
    "Usage: palhost hello [OPTION]...\n"
    "Initialise the PAL, print \"Hello, world!\", terminate the PAL.\n"
    "\n"
    "  --order=membarrier-first|worker-first\n"
    "                   register for membarrier before the first thread (default), or\n"
    "                   after the worker has started, which is the wrong order\n"
    "  --worker=eager|lazy\n"
    "                   start the sync manager's worker now (default), or when needed\n"
    "  --flush=METHOD   membarrier, mprotect, global or none; default: the best one\n"
    "  --threads=N      start N sleeping threads before the PAL, as an embedding host\n"
    "  --trace[=json]   print to stderr what initialisation did: a table, or one JSON\n"
    "                   object. A failure is told in one line whether or not\n"
    "  --help           print this and exit\n"
    "  --version        print the version and exit\n"
    "\n"
    "Exit code: 0 success, 2 bad usage, 3 failure.\n";

enum option_id {
    OPTION_ORDER = 1,
    OPTION_WORKER,
    OPTION_FLUSH,
    OPTION_THREADS,
    OPTION_TRACE,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option options_taken[] = {
    {"order", required_argument, NULL, OPTION_ORDER},
    {"worker", required_argument, NULL, OPTION_WORKER},
    {"flush", required_argument, NULL, OPTION_FLUSH},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"trace", optional_argument, NULL, OPTION_TRACE},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static _Noreturn void bad_usage(const char *what, const char *value)
{
    (void)fprintf(stderr, "palhost: %s%s%s; try 'palhost --help'\n", what, value ? ": " : "",
                  value ? value : "");
    exit(EXIT_USAGE);
}

static void set_order(struct hello_options *options, const char *value)
{
    if (strcmp(value, "worker-first") == 0)
        options->flags |= PAL_INITIALIZE_WORKER_FIRST;
    else if (strcmp(value, "membarrier-first") == 0)
        options->flags &= ~(DWORD)PAL_INITIALIZE_WORKER_FIRST;
    else
        bad_usage("--order takes membarrier-first or worker-first", value);
}

static void set_worker(struct hello_options *options, const char *value)
{
    if (strcmp(value, "eager") == 0)
        options->flags |= PAL_INITIALIZE_SYNC_THREAD;
    else if (strcmp(value, "lazy") == 0)
        options->flags &= ~(DWORD)PAL_INITIALIZE_SYNC_THREAD;
    else
        bad_usage("--worker takes eager or lazy", value);
}

static void set_flush(struct hello_options *options, const char *value)
{
    static const char *const methods[] = {"membarrier", "mprotect", "global", "none"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(value, methods[i]) == 0)
            options->flush = methods[i];
    if (!options->flush || strcmp(value, options->flush) != 0)
        bad_usage("--flush takes membarrier, mprotect, global or none", value);
}

static void set_threads(struct hello_options *options, const char *value)
{
    char *end;

    errno = 0;
    unsigned long count = strtoul(value, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || errno || count > MOST_THREADS)
        bad_usage("--threads takes a number from 0 to 4096", value);
    options->threads = (unsigned)count;
}

static void set_trace(struct hello_options *options, const char *value)
{
    if (!value)
        options->trace = TRACE_TEXT;
    else if (strcmp(value, "json") == 0)
        options->trace = TRACE_JSON;
    else
        bad_usage("--trace takes json or nothing", value);
}

static void set_option(struct hello_options *options, int id, char *const *argv)
{
    switch (id) {
    case OPTION_ORDER:
        set_order(options, optarg);
        break;
    case OPTION_WORKER:
        set_worker(options, optarg);
        break;
    case OPTION_FLUSH:
        set_flush(options, optarg);
        break;
    case OPTION_THREADS:
        set_threads(options, optarg);
        break;
    case OPTION_TRACE:
        set_trace(options, optarg);
        break;
    case OPTION_HELP:
        (void)fputs(help, stdout);
        exit(EXIT_SUCCESS);
    case OPTION_VERSION:
        (void)printf("palhost %s\n", PAL_GetVersion());
        exit(EXIT_SUCCESS);
    default:
        bad_usage("unknown option or missing value", argv[optind - 1]);
    }
}

int main(int argc, char *argv[])
{
    struct hello_options options = {.flags = PAL_INITIALIZE_CORECLR};
    int id;

    opterr = 0;
    while ((id = getopt_long(argc, argv, "", options_taken, NULL)) != -1)
        set_option(&options, id, argv);
    if (optind == argc)
        bad_usage("no command", NULL);
    if (strcmp(argv[optind], "hello") != 0)
        bad_usage("unknown command", argv[optind]);
    if (optind + 1 < argc)
        bad_usage("too many arguments", argv[optind + 1]);
    return hello(&options);
}
