/* SPDX-License-Identifier: MIT */
#include "thread/flush_page.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "os/page.h"

/* Flush lock. */
static void *page;
static bool locked;

int flush_page_open(void)
{
    return page ? 0 : os_page_map(&page);
}

void flush_page_close(void)
{
    if (!page)
        return;
    os_page_unmap(page);
    page = NULL;
    locked = false;
}

void flush_page_lock(void)
{
    /* A page without access rights cannot be faulted in, which mlock has to do. */
    locked = page && os_page_protect(page, PROT_READ | PROT_WRITE) == 0 && os_page_lock(page) == 0;
}

bool flush_page_is_locked(void)
{
    return locked;
}

void flush_page_relock(void)
{
    if (locked)
        flush_page_lock();
}

int flush_page_flush(void)
{
    int error = os_page_protect(page, PROT_READ | PROT_WRITE);
    if (error)
        return error;

    /* Dirty, and so in this processor's TLB; a page that was never touched is in nobody's. */
    atomic_fetch_add_explicit((_Atomic int *)page, 1, memory_order_seq_cst);

    /* One round of interrupts; to PROT_READ it would take two. */
    return os_page_protect(page, PROT_NONE);
}
