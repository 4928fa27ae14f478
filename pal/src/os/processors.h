/* SPDX-License-Identifier: MIT */
/* Processors, as the scheduler counts them. */
#ifndef OS_PROCESSORS_H
#define OS_PROCESSORS_H

/*
 * How many the calling thread may run on; where that may not be asked, how many are on line, as far
 * as libc can tell. At least 1.
 */
unsigned os_processor_count(void);

/* The number of the one that the caller ran on just now; 0 where the system does not tell. */
unsigned os_processor_current(void);

#endif
