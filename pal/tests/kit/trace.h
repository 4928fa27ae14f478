/* SPDX-License-Identifier: MIT */
/*
 * Records the system calls of a child with all its threads and children, in order.
 *
 * The calling thread may have no other children meanwhile. Recording begins when the body does, and
 * ends with it, or with the last process when the body executes a program. What runs for more than
 * KIT_CHILD_SECONDS is killed, and the test has failed. Checks and skips in the body count, as they
 * do in kit_run_child; output is not captured.
 */
#ifndef KIT_TRACE_H
#define KIT_TRACE_H

#include <stdbool.h>
#include <sys/types.h>

struct kit_trace_call {
    pid_t tid;
    pid_t pid;
    int task; /* the ordinal of the thread among all that were seen: 0 is the body's */
    long nr;
    unsigned long args[6];
    bool finished; /* false: the thread ended in it, or the recording did */
    long result;   /* -errno on failure */
    int end;       /* calls[end] was the first to be entered after this one had returned */
};

struct kit_trace_log {
    struct kit_trace_call *calls; /* in the order of entry */
    int count;
    int exit_code; /* of the body's process; -1 when a signal ended it */
    int signal;    /* or 0 */
    bool timed_out;
};

/* Both return 0, or -errno when there was no tracing; the test is to skip then. */
int kit_trace(void (*body)(void *), void *arg, struct kit_trace_log *log);
/* `envp_extra` as for kit_run_program. */
int kit_trace_program(char *const argv[], char *const envp_extra[], struct kit_trace_log *log);

void kit_trace_free(struct kit_trace_log *log);

/* Matches any number, or any first argument. */
#define KIT_ANY (-0x5aa5a55aL)

/*
 * The index of the first call at `from` or later with this number and first argument, or -1. An
 * argument that fits into 32 bits is compared in 32 bits: an int's upper half is undefined.
 */
int kit_trace_find(const struct kit_trace_log *log, int from, long nr, long arg0);

/* In the body: leaves a mark, which is a prctl that fails. Ids are positive; errno is kept. */
void kit_trace_mark(int id);
int kit_trace_find_mark(const struct kit_trace_log *log, int from, int id);

/* Prints the log to stdout, to find out why a test failed. */
void kit_trace_print(const struct kit_trace_log *log);

#endif
