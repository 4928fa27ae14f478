/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct kit_test *first;
static struct kit_test **last = &first;

static void print_failure(const char *file, int line, const char *text)
{
    (void)printf("%s:%d: failure\n%s\n", file, line, text);
    (void)fflush(stdout);
}

static void ignore_skip(const char *file, int line, const char *reason)
{
    (void)file;
    (void)line;
    (void)reason;
}

static const struct kit_sink printing = {print_failure, ignore_skip};

static _Atomic(const struct kit_sink *) present = &printing;
static atomic_int failures;

/* Only the first skip counts: the thread that moves 0 to 1 writes the reason, 2 publishes it. */
static atomic_int skip_state;
static char skip_reason[256];

struct kit_test *kit_tests(void)
{
    return first;
}

void kit_register(struct kit_test *test)
{
    *last = test;
    last = &test->next;
}

void kit_set_sink(const struct kit_sink *sink)
{
    atomic_store(&present, sink != NULL ? sink : &printing);
}

int kit_failures(void)
{
    return atomic_load(&failures);
}

bool kit_skipped(void)
{
    return atomic_load(&skip_state) == 2 && kit_failures() == 0;
}

const char *kit_skip_reason(void)
{
    return atomic_load(&skip_state) == 2 ? skip_reason : "";
}

void kit_fail_text(const char *file, int line, const char *text)
{
    atomic_fetch_add(&failures, 1);
    atomic_load(&present)->fail(file, line, text);
}

void kit_fail(const char *file, int line, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    kit_fail_text(file, line, text);
}

void kit_skip(const char *file, int line, const char *reason)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&skip_state, &none, 1)) {
        return;
    }
    (void)snprintf(skip_reason, sizeof(skip_reason), "%s", reason);
    /* The reason is one line in the log whatever it was made of. */
    for (char *at = strchr(skip_reason, '\n'); at != NULL; at = strchr(at, '\n')) {
        *at = ' ';
    }
    atomic_store(&skip_state, 2);
    atomic_load(&present)->skip(file, line, skip_reason);
}

void kit_start_over(void)
{
    atomic_store(&failures, 0);
    atomic_store(&skip_state, 0);
}

/* Both runners would take an exit(0) in the middle of a test for its success. */
static pid_t running_in;

static void on_exit_of_process(void)
{
    if (running_in == getpid()) {
        (void)printf("the test called exit\n");
        (void)fflush(stdout);
        _exit(1);
    }
}

void kit_run_test(const struct kit_test *test)
{
    static bool guarded;
    if (!guarded) {
        guarded = atexit(on_exit_of_process) == 0;
    }
    kit_start_over();
    running_in = getpid();
    test->body();
    running_in = 0;
    if (kit_skipped()) {
        (void)printf("SKIPPED %s.%s: %s\n", test->suite, test->name, kit_skip_reason());
        (void)fflush(stdout);
    }
}
