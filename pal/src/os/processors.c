/* SPDX-License-Identifier: MIT */
#include "os/processors.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "os/fault.h"

#define BITS_AT_MOST (1 << 20)

/* The mask's bits; -EINVAL when the kernel's is larger. */
static int count_in_mask(int bits)
{
    int error = os_fault(OS_CALL_AFFINITY);
    if (error)
        return error;

    cpu_set_t *mask = CPU_ALLOC(bits);
    if (!mask)
        return -ENOMEM;
    size_t size = CPU_ALLOC_SIZE(bits);
    int count = sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : -errno;
    CPU_FREE(mask);
    return count;
}

unsigned os_processor_count(void)
{
    int count = -EINVAL;

    for (int bits = CPU_SETSIZE; count == -EINVAL && bits <= BITS_AT_MOST; bits *= 2)
        count = count_in_mask(bits);
    if (count > 0)
        return (unsigned)count;

    long on_line = sysconf(_SC_NPROCESSORS_ONLN);
    return on_line > 0 ? (unsigned)on_line : 1;
}

unsigned os_processor_current(void)
{
    int number = sched_getcpu();
    return number >= 0 ? (unsigned)number : 0;
}
