/* SPDX-License-Identifier: MIT */
#include "flush_raw.h"

#include <err.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exit_code.h"

static volatile char *page;
static size_t page_size;

static int supported(int command)
{
    long mask = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

    if (mask < 0)
        return -errno;
    return mask & command ? 0 : -ENOSYS;
}

int flush_raw_open_membarrier(void)
{
    int error = supported(MEMBARRIER_CMD_PRIVATE_EXPEDITED);

    if (!error && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        error = -errno;
    return error;
}

int flush_raw_open_global(void)
{
    return supported(MEMBARRIER_CMD_GLOBAL);
}

int flush_raw_open_mprotect(void)
{
#if defined(__x86_64__) || defined(__i386__)
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    /* Between two that only ever can be read: next to a mapping of the same rights, the kernel
     * would split and merge the two in every call. */
    char *mapped = mmap(NULL, 3 * page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return -errno;
    page = mapped + page_size;
    if (mprotect((void *)page, page_size, PROT_READ | PROT_WRITE) != 0)
        return -errno;
    /* As the PAL does it: a page in memory, or an unlocked one where the limit is too low. */
    (void)mlock((void *)page, page_size);
    return 0;
#else
    /* A change of protection interrupts nobody here: it would not be a flush. */
    return -EOPNOTSUPP;
#endif
}

void flush_raw_membarrier(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        err(EXIT_INTERNAL, "membarrier(PRIVATE_EXPEDITED)");
}

void flush_raw_mprotect(void)
{
    if (mprotect((void *)page, page_size, PROT_READ | PROT_WRITE) != 0)
        err(EXIT_INTERNAL, "mprotect");
    *page = 1;
    if (mprotect((void *)page, page_size, PROT_NONE) != 0)
        err(EXIT_INTERNAL, "mprotect");
}

void flush_raw_global(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0)
        err(EXIT_INTERNAL, "membarrier(GLOBAL)");
}
