/* SPDX-License-Identifier: MIT */
/* The size of a page, and pages of our own. */
#ifndef OS_PAGE_H
#define OS_PAGE_H

#include <stddef.h>

/* Asks for the page size, once. Returns 0 or -errno. */
int os_page_size_init(void);

/* The page size in bytes. Panics ahead of os_page_size_init: an init row came too early. */
size_t os_page_size(void);

/* A private anonymous page that can be read and written. Returns 0 or -errno. */
int os_page_map(void **ret_page);
void os_page_unmap(void *page);

/* Changes the page's protection (PROT_*). Returns 0 or -errno. */
int os_page_protect(void *page, int protection);

/* Locks the page into memory. Returns 0 or -errno; a child of fork does not inherit the lock. */
int os_page_lock(void *page);

#endif
