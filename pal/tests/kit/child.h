/* SPDX-License-Identifier: MIT */
/*
 * Child processes of a test.
 *
 * A check that fails in the body of a child fails the parent's test, with its place and text; a
 * skip skips it (RETURN_IF_SKIPPED). What else a child does, crash included, is for the test to
 * judge: EXPECT_CHILD_OK says that it ended well.
 */
#ifndef KIT_CHILD_H
#define KIT_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "test.h"

enum {
    KIT_CHILD_SECONDS = 60,  /* then it is killed */
    KIT_CHILD_FAILED = 121,  /* exit code: a check in the body failed */
    KIT_CHILD_SKIPPED = 122, /* exit code: the body skipped */
    KIT_CHILD_NO_EXEC = 123, /* exit code: the program could not be executed */
    KIT_CHILD_TEXT = 32768
};

struct kit_child_result {
    int start_error;             /* errno of the fork or of setting it up, or 0: nothing ran */
    int exit_code;               /* -1 when a signal ended it */
    int signal;                  /* or 0 */
    bool timed_out;              /* signal is then SIGKILL */
    char output[KIT_CHILD_TEXT]; /* the first of stdout and stderr together */
    char report[KIT_CHILD_TEXT]; /* failures and the skip, as kit_child_enter's sink wrote them */
};

/* Runs `body` in a forked child, which ends with _exit when it returns. */
struct kit_child_result kit_run_child(void (*body)(void *), void *arg);

/* The same without handing failures and skips on: for tests that expect them. */
struct kit_child_result kit_probe_child(void (*body)(void *), void *arg, double seconds);

/*
 * Runs a program: argv[0] is a path, or a name to look for in PATH. `envp_extra` (NULL for none) is
 * a list of NAME=VALUE that are set in its environment, and of NAME that are removed from it.
 */
struct kit_child_result kit_run_program(char *const argv[], char *const envp_extra[]);

/* `before_exec` (NULL for none) runs in the child: it may check, limit, filter, close descriptors.
 */
struct kit_child_result kit_run_program_after(char *const argv[], char *const envp_extra[],
                                              void (*before_exec)(void *), void *arg);

/* Becomes the program, in a child; returns errno. */
int kit_exec(char *const argv[], char *const envp_extra[]);

#define EXPECT_CHILD_OK(result) (void)kit_check_child(__FILE__, __LINE__, &(result), #result)
#define ASSERT_CHILD_OK(result)                                                                    \
    do {                                                                                           \
        if (!kit_check_child(__FILE__, __LINE__, &(result), #result)) {                            \
            return;                                                                                \
        }                                                                                          \
    } while (0)

/* Holds for exit code 0, and for a child that failed or skipped by itself, which has been told. */
bool kit_check_child(const char *file, int line, const struct kit_child_result *result,
                     const char *text);

/* For other headers of the kit that fork: what kit_run_child is made of. */

/* A descriptor for kit_child_enter to write to, or -1 with errno. */
int kit_report_open(const char *name);
/* In the child: checks report to `report` from here on. */
void kit_child_enter(int report);
/* In the child: ends it with the exit code that its checks have earned. */
_Noreturn void kit_child_leave(void);
/* In the parent: the first `size - 1` bytes of what was written. */
void kit_report_read(int report, char *text, size_t size);
/* In the parent: repeats the failures and the skip. Writes into `text`. */
void kit_report_repeat(char *text);

#endif
