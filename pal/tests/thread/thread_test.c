/* SPDX-License-Identifier: MIT */
/* Threads that cannot be made: what is told, and that nothing is left of them. */
#include "thread/thread.h"

#include <errno.h>
#include <pal.h>

#include "kit/fault.h"
#include "kit/resources.h"
#include "kit/test.h"
#include "thread/roster.h"

static DWORD PALAPI nothing(LPVOID unused)
{
    (void)unused;
    return 0;
}

static bool nobody_is_on_the_roster(void)
{
    threads_lock();
    bool nobody = !roster_first();
    threads_unlock();
    return nobody;
}

static void finish(HANDLE thread)
{
    ASSERT_NE(thread, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, INFINITE), (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(CloseHandle(thread));
}

struct failure {
    enum os_call call;
    int error;
    DWORD code;
};

PAL_TEST(thread, failures_leave_nothing)
{
    static const struct failure failures[] = {
        {OS_CALL_STACK_MAP, ENOMEM, ERROR_NOT_ENOUGH_MEMORY},
        {OS_CALL_STACK_MAP, EAGAIN, ERROR_NOT_ENOUGH_MEMORY},
        {OS_CALL_THREAD_CREATE, EAGAIN, ERROR_MAX_THRDS_REACHED},
        {OS_CALL_THREAD_CREATE, EPERM, ERROR_MAX_THRDS_REACHED},
    };

    kit_resources_warm_up();
    struct kit_resources before = kit_resources_now();
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        DWORD id = 4711;
        ASSERT_EQ(PAL_InitializeDLL(), 0);
        kit_fault(failures[i].call, 0, 1, failures[i].error);
        SetLastError(ERROR_SUCCESS);
        errno = 0;
        EXPECT_EQ(CreateThread(NULL, 0, nothing, NULL, 0, &id), NULL);
        EXPECT_EQ(errno, failures[i].error);
        EXPECT_EQ(GetLastError(), failures[i].code);
        EXPECT_EQ(id, 4711u);
        EXPECT_TRUE(nobody_is_on_the_roster());
        finish(CreateThread(NULL, 0, nothing, NULL, 0, NULL)); /* the next one is fine */
        PAL_Terminate();
        if (!KIT_SANITIZED) {
            struct kit_resources after = kit_resources_after(&before);
            EXPECT_RESOURCES_EQ(before, after);
        }
    }
}

/* Suspended threads hold on to their records until there is no memory for another. */
PAL_TEST(thread, no_memory_for_a_record)
{
    enum { MOST = 200 };
    HANDLE threads[MOST];
    int count = 0;

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_fault(OS_CALL_MEMORY_MAP, 0, KIT_FOREVER, ENOMEM);
    do {
        errno = 0;
        threads[count] = CreateThread(NULL, 0, nothing, NULL, CREATE_SUSPENDED, NULL);
    } while (threads[count] && ++count < MOST);
    EXPECT_GT(count, 0);
    ASSERT_LT(count, MOST);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_EQ(errno, ENOMEM);
    kit_fault_clear();
    for (int i = 0; i < count; i++) {
        EXPECT_EQ(ResumeThread(threads[i]), 1u);
        finish(threads[i]);
    }
    finish(CreateThread(NULL, 0, nothing, NULL, 0, NULL));
    PAL_Terminate();
}

PAL_TEST(thread, no_handle_to_be_had)
{
    HANDLE self = NULL;
    int handles = 0;

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    kit_fault(OS_CALL_MEMORY_MAP, 0, KIT_FOREVER, ENOMEM);
    while (DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self, 0,
                           FALSE, DUPLICATE_SAME_ACCESS))
        handles++;
    EXPECT_GT(handles, 0);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_EQ(CreateThread(NULL, 0, nothing, NULL, 0, NULL), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_ENOUGH_MEMORY);
    EXPECT_EQ(errno, ENOMEM);
    kit_fault_clear();
    finish(CreateThread(NULL, 0, nothing, NULL, 0, NULL));
    PAL_Terminate();
}
