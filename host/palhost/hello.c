/* SPDX-License-Identifier: MIT */
#include "hello.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

#define EXIT_FAILED 3
#define SLEEPER_STACK_SIZE ((size_t)64 * 1024)

static void *sleep_for_good(void *unused)
{
    for (;;)
        pause();
    return unused;
}

/* Plays the host that has threads of its own before it loads the runtime. */
static int start_sleepers(unsigned count)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);

    if (error)
        return error;
    error = pthread_attr_setstacksize(&attributes, SLEEPER_STACK_SIZE);
    for (unsigned i = 0; i < count && error == 0; i++) {
        pthread_t thread;
        error = pthread_create(&thread, &attributes, sleep_for_good, NULL);
    }
    (void)pthread_attr_destroy(&attributes);
    return error;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static DWORD initialize(DWORD flags)
{
    if (flags == PAL_INITIALIZE_CORECLR)
        return PAL_InitializeCoreCLR("palhost", TRUE);
    return PAL_InitializeWithFlags(0, NULL, flags) == 0 ? ERROR_SUCCESS : GetLastError();
}

int hello(const struct hello_options *options)
{
    int error = start_sleepers(options->threads);
    if (error) {
        (void)fprintf(stderr, "palhost: cannot start %u threads: %s\n", options->threads,
                      strerror(error));
        return EXIT_FAILED;
    }
    if ((options->flush && setenv("PAL_FLUSH", options->flush, 1) != 0) ||
        (options->trace == TRACE_TEXT && setenv("PAL_TRACE", "init", 1) != 0)) {
        perror("palhost: setenv");
        return EXIT_FAILED;
    }

    if (options->trace == TRACE_JSON)
        (void)unsetenv("PAL_TRACE"); /* the JSON is to be alone on stderr */

    uint64_t begin_ns = now_ns();
    DWORD failure = initialize(options->flags);
    uint64_t init_ns = now_ns() - begin_ns;
    if (failure) {
        trace_print_failure(failure);
        return EXIT_FAILED;
    }
    if (options->trace == TRACE_JSON)
        trace_print_json(init_ns);

    int printed = puts("Hello, world!");
    PAL_Terminate();
    if (printed < 0 || fflush(stdout) != 0) {
        perror("palhost: stdout");
        return EXIT_FAILED;
    }
    return ferror(stderr) ? EXIT_FAILED : EXIT_SUCCESS;
}
