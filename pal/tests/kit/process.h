/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a process with a deadline, whether a thread sleeps, and the names of signals.
 */
#ifndef KIT_PROCESS_H
#define KIT_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Seconds on the monotonic clock. */
double kit_clock(void);

/* Sleeps a little longer each time, up to a millisecond; `*turns` starts at 0. */
void kit_pause(unsigned *turns);

/*
 * Waits for a child to end. Past the deadline it kills `victim` (the pid, or minus its process
 * group), reaps the child, and returns false; `*status` is valid either way.
 */
bool kit_wait_until(pid_t pid, double deadline, pid_t victim, int *status);

/* Whether a thread of this process sleeps in the kernel: it has come to what it has to wait for. */
bool kit_is_asleep(pid_t tid);

/* "SIGSEGV"; "signal 40" for one without a name. The buffer serves the latter. */
const char *kit_signal_name(int number, char buffer[16]);

#endif
