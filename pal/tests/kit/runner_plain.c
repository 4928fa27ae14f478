/* SPDX-License-Identifier: MIT */
/*
 * Runs the tests without GoogleTest: each in a process of its own, unless told otherwise.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "test.h"

enum outcome { PASSED, FAILED, SKIPPED };

/* What the process of a test leaves for the runner, in memory that both map. */
struct verdict {
    bool finished; /* the body returned: an exit(0) in its middle is no success */
    int failures;
    bool skipped;
    char reason[256];
};

struct options {
    const char *filter;
    double timeout;
    bool isolate;
    bool list;
};

static void run_here(const struct kit_test *test, struct verdict *verdict)
{
    kit_run_test(test);
    verdict->failures = kit_failures();
    verdict->skipped = kit_skipped();
    (void)snprintf(verdict->reason, sizeof(verdict->reason), "%s", kit_skip_reason());
    verdict->finished = true;
}

static enum outcome judge(const struct verdict *verdict, char *reason, size_t size)
{
    if (verdict->failures > 0) {
        (void)snprintf(reason, size, "%d failure%s", verdict->failures,
                       verdict->failures == 1 ? "" : "s");
        return FAILED;
    }
    (void)snprintf(reason, size, "%s", verdict->reason);
    return verdict->skipped ? SKIPPED : PASSED;
}

static enum outcome judge_process(const struct verdict *verdict, int status, char *reason,
                                  size_t size)
{
    char buffer[16];
    if (WIFSIGNALED(status)) {
        (void)snprintf(reason, size, "%s", kit_signal_name(WTERMSIG(status), buffer));
        return FAILED;
    }
    if (!verdict->finished || WEXITSTATUS(status) != 0) {
        (void)snprintf(reason, size, "exited with %d%s", WEXITSTATUS(status),
                       verdict->finished ? "" : " before its end");
        return FAILED;
    }
    return judge(verdict, reason, size);
}

static enum outcome run_isolated(const struct kit_test *test, const struct options *options,
                                 struct verdict *verdict, char *reason, size_t size)
{
    *verdict = (struct verdict){0};
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == -1) {
        (void)snprintf(reason, size, "fork failed");
        return FAILED;
    }
    if (pid == 0) {
        (void)setpgid(0, 0);
        run_here(test, verdict);
        exit(0); /* not _exit: leak checkers do their work here */
    }
    (void)setpgid(pid, pid);
    int status;
    if (!kit_wait_until(pid, kit_clock() + options->timeout, -pid, &status)) {
        char buffer[16];
        (void)snprintf(reason, size, "timed out after %g s (%s)", options->timeout,
                       kit_signal_name(WTERMSIG(status), buffer));
        return FAILED;
    }
    return judge_process(verdict, status, reason, size);
}

static enum outcome run(const struct kit_test *test, const struct options *options,
                        struct verdict *verdict)
{
    static const char *const words[] = {[PASSED] = " OK ", [FAILED] = "FAIL", [SKIPPED] = "SKIP"};
    char reason[300] = "";
    enum outcome outcome;
    if (options->isolate) {
        outcome = run_isolated(test, options, verdict, reason, sizeof(reason));
    } else {
        *verdict = (struct verdict){0};
        run_here(test, verdict);
        outcome = judge(verdict, reason, sizeof(reason));
    }
    (void)printf("[%s] %s.%s%s%s\n", words[outcome], test->suite, test->name,
                 reason[0] != '\0' ? ": " : "", reason);
    (void)fflush(stdout);
    return outcome;
}

static bool chosen(const struct kit_test *test, const char *filter)
{
    char name[256];
    (void)snprintf(name, sizeof(name), "%s.%s", test->suite, test->name);
    return filter == NULL || fnmatch(filter, name, 0) == 0;
}

static int run_all(const struct options *options)
{
    int counts[3] = {0};
    struct verdict *verdict =
        mmap(NULL, sizeof(*verdict), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (verdict == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    for (const struct kit_test *test = kit_tests(); test != NULL; test = test->next) {
        if (!chosen(test, options->filter)) {
            continue;
        }
        if (options->list) {
            (void)printf("%s.%s\n", test->suite, test->name);
        } else {
            counts[run(test, options, verdict)]++;
        }
    }
    if (options->list) {
        return 0;
    }
    (void)printf("%d passed, %d failed, %d skipped\n", counts[PASSED], counts[FAILED],
                 counts[SKIPPED]);
    return counts[FAILED] == 0 && counts[PASSED] + counts[SKIPPED] > 0 ? 0 : 1;
}

static int usage(const char *program)
{
    (void)fprintf(stderr, "usage: %s [--list] [--filter=GLOB] [--no-isolate] [--timeout=SECONDS]\n",
                  program);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"list", no_argument, NULL, 'l'},
        {"filter", required_argument, NULL, 'f'},
        {"no-isolate", no_argument, NULL, 'n'},
        {"timeout", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {.filter = NULL, .timeout = 60, .isolate = true, .list = false};
    int letter;
    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        char *end = NULL;
        switch (letter) {
        case 'l':
            options.list = true;
            break;
        case 'f':
            options.filter = optarg;
            break;
        case 'n':
            options.isolate = false;
            break;
        case 't':
            options.timeout = strtod(optarg, &end);
            if (end == optarg || *end != '\0' || !(options.timeout > 0)) {
                return usage(argv[0]);
            }
            break;
        default:
            return usage(argv[0]);
        }
    }
    return optind == argc ? run_all(&options) : usage(argv[0]);
}
