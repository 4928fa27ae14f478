/* SPDX-License-Identifier: MIT */
/* What the PAL is compared with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "kit/test.h"
#include "kit/trace.h"
#include "palbench_fixture.h"

#define REGISTER (1 << 4) /* MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED */

/* -1, 0 or 1: the registration comes before the only thread, is not made, or comes after it. */
static int order_of(const char *mode)
{
    char *const argv[] = {PALRAW, (char *)mode, NULL};
    struct kit_trace_log log;
    int thread = -1;

    if (kit_trace_program(argv, NULL, &log) != 0) {
        kit_skip(__FILE__, __LINE__, "ptrace is not to be had");
        return 0;
    }
    EXPECT_EQ(log.exit_code, 0);
    int registration = kit_trace_find(&log, 0, SYS_membarrier, REGISTER);
    for (int i = 0; i < log.count && thread < 0; i++)
        if (makes_a_thread(log.calls[i].nr))
            thread = i;
    EXPECT_EQ(thread >= 0, strcmp(mode, "bare") != 0);
    kit_trace_free(&log);
    if (registration < 0)
        return 0;
    return registration < thread ? -1 : 1;
}

/* What the PAL is compared with does what the rows are called. */
PAL_TEST(palraw, registers_early_or_late_or_not_at_all)
{
    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts a thread of its own");
    EXPECT_EQ(order_of("bare"), 0);
    RETURN_IF_SKIPPED();
    EXPECT_EQ(order_of("early"), -1);
    EXPECT_EQ(order_of("late"), 1);
    EXPECT_EQ(order_of("threaded"), 0);
    EXPECT_EQ(order_of("floor"), -1);
}
