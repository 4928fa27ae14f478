/* SPDX-License-Identifier: MIT */
/* Names of threads: what the kernel gets to see of them, and what is given back. */
#include <errno.h>
#include <pal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/child.h"
#include "kit/seccomp.h"
#include "kit/test.h"

static bool same(const char16_t *left, const char16_t *right)
{
    while (*left == *right && *left != 0) {
        left++;
        right++;
    }
    return *left == *right;
}

static void expect_description(HANDLE thread, const char16_t *expected)
{
    PWSTR description = NULL;

    EXPECT_EQ(GetThreadDescription(thread, &description), S_OK);
    EXPECT_TRUE(description != NULL && same(description, expected));
    EXPECT_EQ(LocalFree(description), NULL);
}

static void expect_comm(DWORD id, const char *expected)
{
    char comm[COMM_SIZE];

    read_comm(id, comm);
    EXPECT_STREQ(comm, expected);
}

static const struct {
    const char16_t *description;
    const char *comm;
} names[] = {
    {u"x", "x"},
    {u"abcdefghijklmn", "abcdefghijklmn"},                            /* 14 bytes */
    {u"abcdefghijklmno", "abcdefghijklmno"},                          /* 15 */
    {u"abcdefghijklmnop", "abcdefghijklmno"},                         /* 16 */
    {u"abcdefghijklmnopqrstuvwxyz0123456789ABCD", "abcdefghijklmno"}, /* 40 */
    /* Two, three and four bytes that just fit, and that do not. */
    {u"abcdefghijklm\u00e9", "abcdefghijklm\xc3\xa9"},
    {u"abcdefghijklmn\u00e9", "abcdefghijklmn"},
    {u"abcdefghijklmn\u00e9o", "abcdefghijklmn"},
    {u"abcdefghijkl\u20ac", "abcdefghijkl\xe2\x82\xac"},
    {u"abcdefghijklm\u20ac", "abcdefghijklm"},
    {u"abcdefghijklmn\u20ac", "abcdefghijklmn"},
    {u"abcdefghijk\U0001f600", "abcdefghijk\xf0\x9f\x98\x80"},
    {u"abcdefghijkl\U0001f600", "abcdefghijkl"},
    {u"abcdefghijklm\U0001f600", "abcdefghijklm"},
    {u"abcdefghijklmn\U0001f600", "abcdefghijklmn"},
    {u"\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac",
     "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"},
};
enum { NAMES = sizeof names / sizeof names[0] };

static DWORD PALAPI name_itself(LPVOID unused)
{
    (void)unused;
    for (int i = 0; i < NAMES; i++) {
        SetLastError(4711);
        EXPECT_EQ(SetThreadDescription(GetCurrentThread(), names[i].description), S_OK);
        EXPECT_EQ(GetLastError(), 4711u);
        expect_comm(GetCurrentThreadId(), names[i].comm);
        expect_description(GetCurrentThread(), names[i].description);
    }
    return 0;
}

PAL_TEST(thread_description, by_itself)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    thread_finish(thread_start(name_itself, NULL));
    PAL_Terminate();
}

PAL_TEST(thread_description, by_another_thread)
{
    struct held held;
    char own_before[COMM_SIZE];

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    read_comm(GetCurrentThreadId(), own_before);
    ASSERT_TRUE(held_start(&held));
    for (int i = 0; i < NAMES; i++) {
        EXPECT_EQ(SetThreadDescription(held.handle, names[i].description), S_OK);
        expect_comm(held.id, names[i].comm);
        expect_description(held.handle, names[i].description);
    }
    expect_comm(GetCurrentThreadId(), own_before);
    expect_description(GetCurrentThread(), u"");
    held_finish(&held);
    PAL_Terminate();
}

PAL_TEST(thread_description, of_the_main_thread)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"the main thread it is"), S_OK);
    expect_comm((DWORD)getpid(), "the main thread");
    expect_description(GetCurrentThread(), u"the main thread it is");
    PAL_Terminate();
}

static bool is_utf8(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != 0;) {
        const int more = *at < 0x80                   ? 0
                         : *at >= 0xc2 && *at <= 0xdf ? 1
                         : *at >= 0xe0 && *at <= 0xef ? 2
                         : *at >= 0xf0 && *at <= 0xf4 ? 3
                                                      : -1;
        if (more < 0)
            return false;
        unsigned character = more == 0 ? *at : *at & (0x3fu >> more);
        for (int i = 1; i <= more; i++) {
            if ((at[i] & 0xc0) != 0x80)
                return false;
            character = character << 6 | (at[i] & 0x3fu);
        }
        if (character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff) ||
            (more == 2 && character < 0x800) || (more == 3 && character < 0x10000))
            return false;
        at += more + 1;
    }
    return true;
}

static void expect_utf8(const char16_t *description)
{
    char comm[COMM_SIZE];

    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), description), S_OK);
    read_comm(GetCurrentThreadId(), comm);
    EXPECT_LE(strlen(comm), 15u);
    EXPECT_TRUE(is_utf8(comm));
    expect_description(GetCurrentThread(), description);
}

/* What is no text all the same comes back as it was, and the kernel gets text. */
static DWORD PALAPI take_lone_surrogates(LPVOID unused)
{
    const char16_t high_last[] = {u'a', 0xD83D, 0};
    const char16_t high_alone[] = {0xD83D, u'a', 0};
    const char16_t low_alone[] = {0xDE00, u'a', 0};
    const char16_t wrong_way_round[] = {0xDE00, 0xD83D, u'b', 0};
    const char16_t two_high[] = {0xD83D, 0xD83D, 0xDE00, 0};
    char16_t cut_pair[] = u"abcdefghijklmno\U0001f600";

    (void)unused;
    expect_utf8(high_last);
    expect_utf8(high_alone);
    expect_utf8(low_alone);
    expect_utf8(wrong_way_round);
    expect_utf8(two_high);
    cut_pair[14] = 0xD83D; /* lone, and past what fits */
    expect_utf8(cut_pair);
    cut_pair[12] = 0xDE00; /* lone, and the last to fit */
    expect_utf8(cut_pair);
    return 0;
}

PAL_TEST(thread_description, lone_surrogates)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    thread_finish(thread_start(take_lone_surrogates, NULL));
    PAL_Terminate();
}

static char16_t random_unit(unsigned *state)
{
    static const char16_t starts[] = {u'a', 0x00e9, 0x20ac, 0xd83d, 0xde00, 0xffff};
    return (char16_t)(starts[next_random(state) % 6] + next_random(state) % 3 * (unsigned)-1);
}

static DWORD PALAPI take_random_names(LPVOID unused)
{
    unsigned state = 20240914;

    (void)unused;
    for (int i = 0; i < 500; i++) {
        char16_t name[32];
        const unsigned length = 1 + next_random(&state) % 30;
        for (unsigned at = 0; at < length; at++)
            name[at] = random_unit(&state);
        name[length] = 0;
        expect_utf8(name);
    }
    return 0;
}

PAL_TEST(thread_description, anything_at_all)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    thread_finish(thread_start(take_random_names, NULL));
    PAL_Terminate();
}

struct named {
    struct kit_latch named;
    char comm[COMM_SIZE];
};

static DWORD PALAPI tell_name(LPVOID parameter)
{
    struct named *named = parameter;

    kit_latch_wait(&named->named);
    (void)prctl(PR_SET_NAME, "overwritten");
    (void)prctl(PR_GET_NAME, named->comm);
    return 0;
}

static DWORD PALAPI tell_its_comm(LPVOID parameter)
{
    struct named *named = parameter;

    kit_latch_wait(&named->named);
    read_comm(GetCurrentThreadId(), named->comm);
    return 0;
}

/* Whoever comes later, the one that names or the thread itself, sees to it: many, to meet both. */
PAL_TEST(thread_description, before_the_thread_has_run)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    for (int i = 0; i < 300; i++) {
        struct named named = {.comm = ""};
        kit_latch_init(&named.named, 1);
        HANDLE thread = thread_start(tell_its_comm, &named);
        ASSERT_NE(thread, NULL);
        EXPECT_EQ(SetThreadDescription(thread, u"an early name, long"), S_OK);
        kit_latch_arrive(&named.named);
        EXPECT_EQ(thread_finish(thread), 0u);
        ASSERT_STREQ(named.comm, "an early name, ");
    }
    PAL_Terminate();
}

PAL_TEST(thread_description, while_suspended)
{
    struct named named = {.comm = ""};
    DWORD id = 0;

    kit_latch_init(&named.named, 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE thread = CreateThread(NULL, 0, tell_its_comm, &named, CREATE_SUSPENDED, &id);
    ASSERT_NE(thread, NULL);
    EXPECT_EQ(SetThreadDescription(thread, u"suspended"), S_OK);
    expect_comm(id, "suspended");
    expect_description(thread, u"suspended");
    EXPECT_EQ(ResumeThread(thread), 1u);
    EXPECT_EQ(thread_finish(thread), 0u);
    EXPECT_STREQ(named.comm, "suspended");
    PAL_Terminate();
}

PAL_TEST(thread_description, after_its_end)
{
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    EXPECT_EQ(SetThreadDescription(held.handle, u"while it lived"), S_OK);
    kit_latch_arrive(&held.release);
    EXPECT_EQ(WaitForSingleObject(held.handle, INFINITE), (DWORD)WAIT_OBJECT_0);
    expect_description(held.handle, u"while it lived");
    EXPECT_EQ(SetThreadDescription(held.handle, u"in memory of it"), S_OK);
    expect_description(held.handle, u"in memory of it");
    EXPECT_TRUE(CloseHandle(held.handle));
    PAL_Terminate();
}

/* The kernel's name stays what the host made of it. */
PAL_TEST(thread_description, none_and_empty)
{
    struct named named = {.comm = ""};
    struct held held;

    kit_latch_init(&named.named, 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    expect_description(held.handle, u"");
    EXPECT_EQ(SetThreadDescription(held.handle, u"something"), S_OK);
    EXPECT_EQ(SetThreadDescription(held.handle, u""), S_OK);
    expect_description(held.handle, u"");
    expect_comm(held.id, "something");
    held_finish(&held);

    HANDLE thread = thread_start(tell_name, &named);
    ASSERT_NE(thread, NULL);
    EXPECT_EQ(SetThreadDescription(thread, u""), S_OK);
    kit_latch_arrive(&named.named);
    EXPECT_EQ(thread_finish(thread), 0u);
    EXPECT_STREQ(named.comm, "overwritten");
    PAL_Terminate();
}

/* Far beyond what any buffer on a stack would hold. */
PAL_TEST(thread_description, very_long)
{
    enum { LENGTH = 100000 };
    char16_t *name = malloc((LENGTH + 1) * sizeof *name);

    ASSERT_TRUE(name != NULL);
    for (int i = 0; i < LENGTH; i++)
        name[i] = (char16_t)(u'a' + i % 26);
    name[LENGTH] = 0;
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), name), S_OK);
    expect_description(GetCurrentThread(), name);
    expect_comm(GetCurrentThreadId(), "abcdefghijklmno");
    PAL_Terminate();
    free(name);
}

PAL_TEST(thread_description, errors)
{
    const PWSTR untouched = (PWSTR)(uintptr_t)4711;
    PWSTR description = untouched;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    SetLastError(4711);
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), NULL),
              HRESULT_FROM_WIN32(ERROR_INVALID_PARAMETER));
    EXPECT_EQ(GetThreadDescription(GetCurrentThread(), NULL),
              HRESULT_FROM_WIN32(ERROR_INVALID_PARAMETER));
    EXPECT_EQ(SetThreadDescription(NULL, u"x"), HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE));
    EXPECT_EQ(GetThreadDescription(NULL, &description), HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE));
    EXPECT_EQ(description, untouched);
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_EQ(LocalFree(NULL), NULL);
    PAL_Terminate();
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"x"), HRESULT_FROM_WIN32(ERROR_NOT_READY));
    EXPECT_EQ(GetThreadDescription(GetCurrentThread(), &description),
              HRESULT_FROM_WIN32(ERROR_NOT_READY));
    EXPECT_EQ(description, untouched);
    EXPECT_EQ(GetLastError(), 4711u);
}

static void with_names_denied(void *unused)
{
    (void)unused;
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    SKIP_UNLESS(kit_deny_syscall_arg0(SYS_prctl, PR_SET_NAME, EPERM) == 0, "no seccomp here");
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"kept all the same"), S_OK);
    expect_description(GetCurrentThread(), u"kept all the same");
    PAL_Terminate();
}

PAL_TEST(thread_description, kept_where_the_kernel_refuses)
{
    struct kit_child_result result = kit_run_child(with_names_denied, NULL);
    EXPECT_CHILD_OK(result);
}

enum { NAMERS = 4, NAMINGS = 2000 };

struct namers {
    struct kit_latch begin[NAMINGS];
    struct kit_latch end[NAMINGS];
    HANDLE thread;
};

static void name_over_and_over(int index, void *arg)
{
    struct namers *namers = arg;
    char16_t name[] = u"0123456789abcdef";

    for (int i = 0; name[i] != 0; i++)
        name[i] = (char16_t)(u'a' + index);
    for (int i = 0; i < NAMINGS; i++) {
        PWSTR got = NULL;
        kit_latch_wait(&namers->begin[i]);
        EXPECT_EQ(SetThreadDescription(namers->thread, name), S_OK);
        EXPECT_EQ(GetThreadDescription(namers->thread, &got), S_OK);
        for (int at = 1; got && got[at] != 0; at++)
            EXPECT_EQ((int)got[at], (int)got[0]); /* one of them, whole */
        LocalFree(got);
        kit_latch_arrive(&namers->end[i]);
    }
}

/* Whoever wins, the kernel's name and ours are the same one. */
PAL_TEST(thread_description, by_many_at_once)
{
    static struct namers namers;
    struct kit_threads threads;
    struct held held;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_TRUE(held_start(&held));
    namers.thread = held.handle;
    for (int i = 0; i < NAMINGS; i++) {
        kit_latch_init(&namers.begin[i], 1);
        kit_latch_init(&namers.end[i], NAMERS);
    }
    ASSERT_EQ(kit_threads_start(&threads, NAMERS, name_over_and_over, &namers), NAMERS);
    for (int i = 0; i < NAMINGS; i++) {
        PWSTR last = NULL;
        char comm[COMM_SIZE];
        kit_latch_arrive(&namers.begin[i]);
        kit_latch_wait(&namers.end[i]);
        EXPECT_EQ(GetThreadDescription(held.handle, &last), S_OK);
        read_comm(held.id, comm);
        EXPECT_EQ((int)comm[0], last ? (int)last[0] : 0);
        LocalFree(last);
    }
    kit_threads_join(&threads);
    held_finish(&held);
    PAL_Terminate();
}
