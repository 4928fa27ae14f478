/* SPDX-License-Identifier: MIT */
/* Mappings: for items that stay, and for stacks. */
#ifndef OS_MEMORY_H
#define OS_MEMORY_H

#include <stddef.h>

/* `size` bytes that can be read and written, zero. Returns 0 or -errno. */
int os_memory_map(size_t size, void **ret_memory);

/* `size` bytes for a stack; below them, part of the size, `guard` bytes that may not be touched. */
int os_stack_map(size_t size, size_t guard, void **ret_base);

void os_memory_unmap(void *memory, size_t size);

/* Gives the pages back to the system; they read as zero when next touched. */
void os_memory_drop(void *memory, size_t size);

#endif
