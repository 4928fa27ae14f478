/* SPDX-License-Identifier: MIT */
/*
 * Makes calls of the library to the system fail: the other side of os/fault.h. For tests and
 * programs that link the library built with PAL_FAULT_INJECTION.
 *
 * From outside: PAL_TEST_FAULT="thread_start:0:1:11,mmap:2:forever:12" in the environment, each
 * part being call:skip:count:errno with the call named as in enum os_call.
 */
#ifndef KIT_FAULT_H
#define KIT_FAULT_H

#include <limits.h>

#include "os/fault.h"

#define KIT_FOREVER INT_MAX

/*
 * After `skip` further calls, the next `count` fail with -error. Replaces an earlier order for the
 * same call, and starts its kit_fault_calls from 0.
 */
void kit_fault(enum os_call call, int skip, int count, int error);

/* Nothing fails, and all counts are 0. */
void kit_fault_clear(void);

/* How often the library came to this call, failed ones included. */
int kit_fault_calls(enum os_call call);

#endif
