/* SPDX-License-Identifier: MIT */
#include "thread/flush_fixture.h"

#include <sched.h>

#include "kit/latch.h"
#include "kit/test.h"
#include "os/cpu.h"
#include "os/membarrier.h"
#include "thread/flush_choice.h"

bool membarrier_works(void)
{
    return flush_membarrier_offered(os_membarrier_query());
}

bool mprotect_is_sound(void)
{
    return flush_mprotect_is_sound(OS_ARCH, os_cpu_broadcasts_invalidation());
}

PAL_FLUSH_INFO info(void)
{
    PAL_FLUSH_INFO info = {0};

    EXPECT_TRUE(PAL_GetFlushInfo(&info));
    return info;
}

/* A thread that is alive from begin_other to end_other. */
static struct {
    struct kit_threads thread;
    struct kit_latch end;
} other;

static void be_alive(int index, void *arg)
{
    (void)index;
    (void)arg;
    kit_latch_wait(&other.end);
}

void begin_other(void)
{
    kit_latch_init(&other.end, 1);
    ASSERT_EQ(kit_threads_start(&other.thread, 1, be_alive, NULL), 1);
}

void end_other(void)
{
    kit_latch_arrive(&other.end);
    kit_threads_join(&other.thread);
}

void wait_for_registration(void)
{
    while (info().registration == PAL_FLUSH_REGISTRATION_STARTED)
        sched_yield();
}

void initialize_and_register(void)
{
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    FlushProcessWriteBuffers(); /* starts it where a sanitizer's thread is alive */
    wait_for_registration();
    EXPECT_EQ((int)info().registration, (int)PAL_FLUSH_REGISTRATION_DONE);
}
