/* SPDX-License-Identifier: MIT */
/* What the tests of the flush have in common. */
#ifndef THREAD_FLUSH_FIXTURE_H
#define THREAD_FLUSH_FIXTURE_H

#include <pal.h>
#include <stdbool.h>

/* What this machine has. */
bool membarrier_works(void);
bool mprotect_is_sound(void);

/* PAL_GetFlushInfo, which is expected to answer. */
PAL_FLUSH_INFO info(void);

/* Another thread is alive between the two. */
void begin_other(void);
void end_other(void);

/* Until no registration is under way on another thread. */
void wait_for_registration(void);

/* Without a worker, whatever else a sanitizer has running. */
void initialize_and_register(void);

#endif
