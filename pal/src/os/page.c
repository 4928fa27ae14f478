/* SPDX-License-Identifier: MIT */
#include "os/page.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/panic.h"
#include "os/fault.h"

/* Written once with the init lock held; relaxed, since a page is only used behind later locks. */
static _Atomic size_t page_size;

int os_page_size_init(void)
{
    int error = os_fault(OS_CALL_PAGE_SIZE);
    if (error)
        return error;

    long size = sysconf(_SC_PAGESIZE);
    if (size <= 0)
        return -EINVAL;
    atomic_store_explicit(&page_size, (size_t)size, memory_order_relaxed);
    return 0;
}

size_t os_page_size(void)
{
    size_t size = atomic_load_explicit(&page_size, memory_order_relaxed);
    if (size == 0)
        PANIC(0, "the page size was used before it was known");
    return size;
}

int os_page_map(void **ret_page)
{
    int error = os_fault(OS_CALL_MMAP);
    if (error)
        return error;

    void *page =
        mmap(NULL, os_page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    /* A flag that neighbours lack keeps the kernel from merging the page with a stack's guard. */
    (void)madvise(page, os_page_size(), MADV_DONTDUMP);
    *ret_page = page;
    return 0;
}

void os_page_unmap(void *page)
{
    if (munmap(page, os_page_size()) != 0)
        PANIC(errno, "munmap of a page of our own");
}

int os_page_protect(void *page, int protection)
{
    int error = os_fault(OS_CALL_MPROTECT);
    if (error)
        return error;
    return mprotect(page, os_page_size(), protection) == 0 ? 0 : -errno;
}

int os_page_lock(void *page)
{
    int error = os_fault(OS_CALL_MLOCK);
    if (error)
        return error;
    return mlock(page, os_page_size()) == 0 ? 0 : -errno;
}
