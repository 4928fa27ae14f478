/* SPDX-License-Identifier: MIT */
#include "os/processors.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/fault.h"
#include "kit/resources.h"
#include "kit/test.h"

static void pin_to(int processor)
{
    cpu_set_t mask;

    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
}

PAL_TEST(processors, count_is_that_of_the_affinity)
{
    cpu_set_t mask;

    SKIP_UNLESS(sched_getaffinity(0, sizeof mask, &mask) == 0,
                "more processors than the test knows");
    EXPECT_EQ(os_processor_count(), (unsigned)CPU_COUNT(&mask));
    pin_to((int)os_processor_current());
    EXPECT_EQ(os_processor_count(), 1u);
    EXPECT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
    EXPECT_EQ(os_processor_count(), (unsigned)CPU_COUNT(&mask));
}

PAL_TEST(processors, the_mask_grows)
{
    unsigned count = os_processor_count();

    pin_to((int)os_processor_current());
    kit_fault(OS_CALL_AFFINITY, 0, 5, EINVAL);
    EXPECT_EQ(os_processor_count(), 1u);
    EXPECT_EQ(kit_fault_calls(OS_CALL_AFFINITY), 6);
    SKIP_UNLESS(count > 1, "one processor: the answer could be anyone's");
}

/* What the affinity is does not matter then: it is not asked. */
PAL_TEST(processors, count_where_affinity_is_denied)
{
    static const int errors[] = {EPERM, ENOSYS, ENOMEM, EINVAL};

    pin_to((int)os_processor_current());
    for (int i = 0; i < 4; i++) {
        kit_fault(OS_CALL_AFFINITY, 0, KIT_FOREVER, errors[i]);
        EXPECT_EQ(os_processor_count(), (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
        EXPECT_EQ(kit_fault_calls(OS_CALL_AFFINITY), errors[i] == EINVAL ? 11 : 1);
    }
}

PAL_TEST(processors, current_is_the_one_that_runs_us)
{
    cpu_set_t mask;

    SKIP_UNLESS(sched_getaffinity(0, sizeof mask, &mask) == 0,
                "more processors than the test knows");
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mask)) {
            pin_to(i);
            EXPECT_EQ(os_processor_current(), (unsigned)i);
        }
}
