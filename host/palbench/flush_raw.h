/* SPDX-License-Identifier: MIT */
/*
 * The flushes without the PAL: the bare system calls, out of line in a file of their own as the
 * library's are, and ending the program when the kernel refuses one.
 */
#ifndef PALBENCH_FLUSH_RAW_H
#define PALBENCH_FLUSH_RAW_H

/* Registers, or maps the page, as the method needs it. Returns 0, or -errno. Call it once. */
int flush_raw_open_membarrier(void);
int flush_raw_open_mprotect(void);
int flush_raw_open_global(void);

void flush_raw_membarrier(void);
void flush_raw_mprotect(void);
void flush_raw_global(void);

#endif
