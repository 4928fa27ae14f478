/* SPDX-License-Identifier: MIT */
#include "os/futex.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "os/fault.h"

/* The kernel's ABI, spelt out: musl's toolchain comes without the kernel's headers. */
#define WAKE_PRIVATE (1 | 128)
#define WAIT_BITSET_PRIVATE (9 | 128)
#define ANY_BIT UINT32_MAX

/* The kernel's timespec of the call that is used: 64-bit seconds where a 32-bit machine has both.
 */
#if defined(SYS_futex_time64) && __SIZEOF_LONG__ == 4
#define FUTEX_CALL SYS_futex_time64
typedef struct {
    int64_t tv_sec;
    int64_t tv_nsec;
} futex_timespec;
#else
#define FUTEX_CALL SYS_futex
typedef struct timespec futex_timespec;
#endif

int os_futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
    int error = os_fault(OS_CALL_FUTEX_WAIT);
    if (error)
        return error;

    futex_timespec deadline = {
        .tv_sec = (int64_t)(deadline_ns / 1000000000u),
        .tv_nsec = (int64_t)(deadline_ns % 1000000000u),
    };
    /* WAIT_BITSET, since its time is absolute. */
    long result = syscall(FUTEX_CALL, word, WAIT_BITSET_PRIVATE, expected,
                          deadline_ns == OS_FOREVER ? NULL : &deadline, NULL, ANY_BIT);
    return result == 0 ? 0 : -errno;
}

void os_futex_wake_all(_Atomic uint32_t *word)
{
    (void)syscall(FUTEX_CALL, word, WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
