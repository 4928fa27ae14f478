/* SPDX-License-Identifier: MIT */
/* Each public function, called ahead of any initialisation. */
#include <pal.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "kit/child.h"
#include "kit/resources.h"
#include "kit/test.h"

PAL_TEST(before_init, last_error)
{
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    SetLastError(4711);
    EXPECT_EQ(GetLastError(), 4711u);
}

PAL_TEST(before_init, flush_works)
{
    PAL_FLUSH_INFO info;
    struct kit_resources before = kit_resources_now();

    SetLastError(4711);
    FlushProcessWriteBuffers();
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_TRUE(PAL_GetFlushInfo(&info));

    /* It was no initialisation: there is nothing to terminate, and a real one adds the rest. */
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(PAL_GetInitTrace(NULL, 0), 7u);
    PAL_Terminate();
    FlushProcessWriteBuffers();
    EXPECT_EQ(kit_resources_after(&before).descriptors, before.descriptors);
}

PAL_TEST(before_init, flush_info_is_not_ready)
{
    PAL_FLUSH_INFO info;
    PAL_FLUSH_INFO untouched;

    memset(&info, 0x5a, sizeof info);
    untouched = info;
    EXPECT_FALSE(PAL_GetFlushInfo(&info));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    EXPECT_EQ(memcmp(&info, &untouched, sizeof info), 0);
    EXPECT_FALSE(PAL_GetFlushInfo(NULL));
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
}

PAL_TEST(before_init, trace_is_empty)
{
    PAL_INIT_PHASE phase;
    EXPECT_EQ(PAL_GetInitTrace(&phase, 1), 0u);
}

PAL_TEST(before_init, terminate_is_an_error)
{
    PAL_Terminate();
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
}

static void terminate_ex(void *unused)
{
    (void)unused;
    PAL_TerminateEx(7);
}

PAL_TEST(before_init, terminate_ex_ends_the_process)
{
    struct kit_child_result result = kit_run_child(terminate_ex, NULL);
    EXPECT_EQ(result.exit_code, 7);
}

PAL_TEST(before_init, names_and_version)
{
    EXPECT_STREQ(PAL_FlushMethodName(PAL_FLUSH_METHOD_MEMBARRIER), "membarrier");
    EXPECT_STREQ(PAL_FlushMethodName(PAL_FLUSH_METHOD_NONE), "none");
    EXPECT_EQ((const void *)PAL_FlushMethodName((PAL_FLUSH_METHOD)99), NULL);
    EXPECT_EQ((const void *)PAL_FlushMethodName((PAL_FLUSH_METHOD)-1), NULL);
    EXPECT_STREQ(PAL_GetVersion(), PAL_VERSION_STRING);
}

static void ignore(LPCSTR message)
{
    (void)message;
}

PAL_TEST(before_init, panic_handler)
{
    EXPECT_TRUE(PAL_SetPanicHandler(ignore) == NULL);
    EXPECT_TRUE(PAL_SetPanicHandler(NULL) == ignore);
}

static void flush_with(void *assignment)
{
    (void)putenv(assignment);
    FlushProcessWriteBuffers();
}

/* It cannot return an error; it must not say that the machine has no barrier either. */
PAL_TEST(before_init, early_flush_tells_of_a_bad_environment)
{
    char flush[] = "PAL_FLUSH=bogus";
    char trace[] = "PAL_TRACE=bogus";
    char *const bad[] = {flush, trace};

    for (size_t i = 0; i < 2; i++) {
        struct kit_child_result result = kit_run_child(flush_with, bad[i]);
        EXPECT_EQ(result.signal, SIGABRT);
        EXPECT_STRHAS(result.output, "row 'environment' failed: PAL_FLUSH takes membarrier");
        EXPECT_STRHAS(result.output, "errno 22");
    }
}
