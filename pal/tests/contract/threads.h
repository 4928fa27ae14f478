/* SPDX-License-Identifier: MIT */
/*
 * What the tests of threads have in common. A helper that cannot do its work fails the test.
 */
#ifndef CONTRACT_THREADS_H
#define CONTRACT_THREADS_H

#include <pal.h>
#include <stdbool.h>

#include "kit/latch.h"
#include "kit/resources.h"

/* A size and flags that matter to no test; NULL when there is no thread. */
HANDLE thread_start(LPTHREAD_START_ROUTINE start, LPVOID parameter);

/* Waits for its end, closes the handle, and returns the exit code. */
DWORD thread_finish(HANDLE thread);

/* Returns its parameter, or ends with it. */
DWORD PALAPI thread_returns(LPVOID code);
DWORD PALAPI thread_exits(LPVOID code);

/* A thread that lives until it is let go: it has begun when held_start returns. */
struct held {
    struct kit_latch running;
    struct kit_latch release;
    HANDLE handle;
    DWORD id;
};

bool held_start(struct held *held);
void held_finish(struct held *held);

/* For CreateThread: what such a thread runs. */
DWORD PALAPI held_body(LPVOID held);
void held_init(struct held *held);

/* Waits until a thread sleeps in the kernel. */
void wait_until_asleep(DWORD id);

/* /proc/self/task/ID/comm without its newline; "?" when it cannot be read. */
enum { COMM_SIZE = 32 };
void read_comm(DWORD id, char comm[COMM_SIZE]);

/* Writes to each page of this many bytes of the calling thread's stack, from here on down. */
void touch_stack(size_t size);

/* What the caller and the compiler take of a stack for themselves, generously. */
extern const size_t stack_slack;

/*
 * Memory of no file that the process has written to, in KiB; -1 where the kernel does not tell.
 * (Its private dirty memory would have pages of a program that was just built, as long as nobody
 * else runs it.)
 */
long anonymous_kib(void);

/* What the process holds once no more than so many tasks are left: an end takes an instant more. */
struct kit_resources resources_when_settled(int tasks);

/* How often something changes nothing: fails where memory grew by more than libc's whims. */
void expect_no_growth(long before_kib, long after_kib);

/* A sequence that is the same in each run. */
unsigned next_random(unsigned *state);

#endif
