/* SPDX-License-Identifier: MIT */
#include "os/memory.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/panic.h"
#include "os/fault.h"

static int map(size_t size, int flags, void **ret_memory)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    *ret_memory = memory;
    return 0;
}

int os_memory_map(size_t size, void **ret_memory)
{
    int error = os_fault(OS_CALL_MEMORY_MAP);
    return error ? error : map(size, 0, ret_memory);
}

int os_stack_map(size_t size, size_t guard, void **ret_base)
{
    int error = os_fault(OS_CALL_STACK_MAP);
    if (error)
        return error;

    error = map(size, MAP_STACK | MAP_NORESERVE, ret_base);
    if (error)
        return error;
    if (mprotect(*ret_base, guard, PROT_NONE) == 0)
        return 0;
    error = -errno;
    os_memory_unmap(*ret_base, size);
    return error;
}

void os_memory_unmap(void *memory, size_t size)
{
    if (munmap(memory, size) != 0)
        PANIC(errno, "munmap of memory of our own");
}

void os_memory_drop(void *memory, size_t size)
{
    (void)madvise(memory, size, MADV_DONTNEED);
}
