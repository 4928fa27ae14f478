/* SPDX-License-Identifier: MIT */
/* Threads that pal did not create: they attach at first use and are detached at their end. */
#include <limits.h>
#include <pal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/threads.h"
#include "kit/child.h"
#include "kit/process.h"
#include "kit/resources.h"
#include "kit/test.h"

static HANDLE duplicate_self(void)
{
    HANDLE self = NULL;

    (void)DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &self, 0,
                          FALSE, DUPLICATE_SAME_ACCESS);
    return self;
}

/* A foreign thread that attaches, and stays until it is let go. */
struct guest {
    pthread_t thread;
    struct kit_latch attached;
    struct kit_latch release;
    HANDLE handle;
    DWORD id;
    void (*end)(void);
};

static void *visit(void *arg)
{
    struct guest *guest = arg;

    guest->id = (DWORD)syscall(SYS_gettid);
    guest->handle = duplicate_self();
    kit_latch_arrive(&guest->attached);
    kit_latch_wait(&guest->release);
    if (guest->end)
        guest->end();
    return NULL;
}

static void guest_start(struct guest *guest, void (*end)(void))
{
    *guest = (struct guest){.end = end};
    kit_latch_init(&guest->attached, 1);
    kit_latch_init(&guest->release, 1);
    ASSERT_EQ(pthread_create(&guest->thread, NULL, visit, guest), 0);
    kit_latch_wait(&guest->attached);
    EXPECT_NE(guest->handle, NULL);
}

static void guest_join(struct guest *guest)
{
    kit_latch_arrive(&guest->release);
    EXPECT_EQ(pthread_join(guest->thread, NULL), 0);
}

static void leave_by_pthread_exit(void)
{
    pthread_exit(NULL);
}

static void leave_by_cancellation(void)
{
    (void)pthread_cancel(pthread_self());
    pthread_testcancel();
}

static void leave_by_exit_thread(void)
{
    ExitThread(17);
}

static void expect_end(void (*end)(void), DWORD expected)
{
    struct guest guest;
    DWORD code = 0;

    guest_start(&guest, end);
    EXPECT_EQ(GetThreadId(guest.handle), guest.id);
    EXPECT_EQ(WaitForSingleObject(guest.handle, 0), (DWORD)WAIT_TIMEOUT);
    EXPECT_TRUE(GetExitCodeThread(guest.handle, &code));
    EXPECT_EQ(code, (DWORD)STILL_ACTIVE);
    guest_join(&guest);
    EXPECT_EQ(WaitForSingleObject(guest.handle, 0), (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(GetExitCodeThread(guest.handle, &code));
    EXPECT_EQ(code, expected);
    EXPECT_EQ(GetThreadId(guest.handle), guest.id);
    EXPECT_TRUE(CloseHandle(guest.handle));
}

PAL_TEST(foreign_thread, is_signalled_at_its_end)
{
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    expect_end(NULL, 0);
    expect_end(leave_by_pthread_exit, 0);
    expect_end(leave_by_cancellation, 0);
    expect_end(leave_by_exit_thread, 17);
    PAL_Terminate();
}

static DWORD PALAPI wait_for(LPVOID handle)
{
    return WaitForSingleObject(handle, INFINITE);
}

PAL_TEST(foreign_thread, can_be_waited_for)
{
    struct guest guest;
    DWORD id = 0;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    guest_start(&guest, NULL);
    HANDLE waiter = CreateThread(NULL, 0, wait_for, guest.handle, 0, &id);
    ASSERT_NE(waiter, NULL);
    wait_until_asleep(id);
    guest_join(&guest);
    EXPECT_EQ(thread_finish(waiter), (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(CloseHandle(guest.handle));
    PAL_Terminate();
}

struct stranger {
    struct kit_latch ready;
    struct kit_latch go_on;
    struct kit_latch attached;
    struct kit_latch release;
    DWORD id;
};

/* Steps of which only the last attaches. */
static void *be_shy(void *arg)
{
    struct stranger *stranger = arg;
    DWORD code;

    stranger->id = GetCurrentThreadId();
    EXPECT_EQ(GetThreadId(GetCurrentThread()), stranger->id);
    EXPECT_FALSE(GetExitCodeThread(GetCurrentThread(), NULL));
    EXPECT_FALSE(GetExitCodeThread(NULL, &code));
    kit_latch_arrive(&stranger->ready);
    kit_latch_wait(&stranger->go_on);
    EXPECT_TRUE(GetExitCodeThread(GetCurrentThread(), &code));
    kit_latch_arrive(&stranger->attached);
    kit_latch_wait(&stranger->release);
    return NULL;
}

PAL_TEST(foreign_thread, attaches_when_it_needs_a_record)
{
    struct stranger stranger;
    pthread_t thread;

    kit_latch_init(&stranger.ready, 1);
    kit_latch_init(&stranger.go_on, 1);
    kit_latch_init(&stranger.attached, 1);
    kit_latch_init(&stranger.release, 1);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(pthread_create(&thread, NULL, be_shy, &stranger), 0);
    kit_latch_wait(&stranger.ready);
    EXPECT_EQ(OpenThread(SYNCHRONIZE, FALSE, stranger.id), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    kit_latch_arrive(&stranger.go_on);
    kit_latch_wait(&stranger.attached);
    HANDLE opened = OpenThread(SYNCHRONIZE, FALSE, stranger.id);
    ASSERT_NE(opened, NULL);
    EXPECT_EQ(WaitForSingleObject(opened, 0), (DWORD)WAIT_TIMEOUT);
    kit_latch_arrive(&stranger.release);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(WaitForSingleObject(opened, 0), (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(CloseHandle(opened));
    EXPECT_EQ(OpenThread(SYNCHRONIZE, FALSE, stranger.id), NULL);
    PAL_Terminate();
}

static void *come_and_go(void *arg)
{
    const DWORD *slots = arg;
    PWSTR name = NULL;

    EXPECT_TRUE(TlsSetValue(slots[0], &name));
    EXPECT_TRUE(TlsSetValue(slots[1], &name));
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"a foreign thread"), S_OK);
    HANDLE self = duplicate_self();
    EXPECT_TRUE(CloseHandle(self));
    return NULL;
}

static void visits(DWORD *slots, int count)
{
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        ASSERT_EQ(pthread_create(&thread, NULL, come_and_go, slots), 0);
        ASSERT_EQ(pthread_join(thread, NULL), 0);
    }
}

PAL_TEST(foreign_thread, leaves_nothing_behind)
{
    DWORD slots[2];

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    slots[0] = TlsAlloc();
    while ((slots[1] = TlsAlloc()) < TLS_MINIMUM_AVAILABLE)
        ;
    visits(slots, 100);
    const struct kit_resources before = kit_resources_now();
    const long memory_before = anonymous_kib();
    visits(slots, 3000);
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
    expect_no_growth(memory_before, anonymous_kib());
    PAL_Terminate();
}

PAL_TEST(foreign_thread, initialisation_gives_its_key_back)
{
    struct guest guest;
    const struct kit_resources before = kit_resources_now();

    ASSERT_EQ(PAL_InitializeDLL(), 0);
    guest_start(&guest, NULL);
    guest_join(&guest);
    HANDLE self = duplicate_self();
    EXPECT_TRUE(CloseHandle(self));
    EXPECT_TRUE(CloseHandle(guest.handle));
    PAL_Terminate();
    EXPECT_EQ(kit_resources_now().free_keys, before.free_keys);
}

/*
 * Destructors of another library, one key older than pal's and one younger, so that one of them
 * runs ahead of it in every round and one after it. Each keeps coming until the last round.
 */
static pthread_key_t older;
static pthread_key_t younger;

struct calls {
    int first_attach; /* the round in which it first uses a record; 1: as early as may be */
    atomic_int rounds[2];
    atomic_int worked;
    atomic_int refused;
    HANDLE handle; /* of the first call that worked */
    DWORD slot;
    DWORD id;
};

static struct calls calls;

/* A sanitizer leaves in the last one, and nothing of ours may run after it. */
enum { LAST_ROUND = PTHREAD_DESTRUCTOR_ITERATIONS - KIT_SANITIZED };

/* Each call works or says that there is no record. Returns whether it worked. */
static bool call_all(void)
{
    HANDLE self = NULL;
    DWORD code = 0;
    const BOOL duplicated = DuplicateHandle(GetCurrentProcess(), GetCurrentThread(),
                                            GetCurrentProcess(), &self, 0, FALSE, 0);
    const DWORD error = GetLastError();

    EXPECT_EQ(GetCurrentThreadId(), calls.id);
    (void)TlsGetValue(calls.slot);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_SUCCESS);
    if (!duplicated) {
        EXPECT_EQ(error, (DWORD)ERROR_NOT_READY);
        EXPECT_FALSE(TlsSetValue(calls.slot, &calls));
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
        EXPECT_FALSE(GetExitCodeThread(GetCurrentThread(), &code));
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
        EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"late"),
                  HRESULT_FROM_WIN32(ERROR_NOT_READY));
        EXPECT_EQ(WaitForSingleObject(GetCurrentThread(), 0), (DWORD)WAIT_FAILED);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
        EXPECT_EQ(OpenThread(SYNCHRONIZE, FALSE, calls.id), NULL);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
        return false;
    }
    if (!calls.handle)
        calls.handle = self;
    else
        EXPECT_TRUE(CloseHandle(self));
    EXPECT_TRUE(TlsSetValue(calls.slot, &calls));
    EXPECT_EQ(TlsGetValue(calls.slot), (void *)&calls);
    EXPECT_TRUE(GetExitCodeThread(GetCurrentThread(), &code));
    EXPECT_EQ(code, (DWORD)STILL_ACTIVE);
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"late"), S_OK);
    EXPECT_EQ(WaitForSingleObject(GetCurrentThread(), 0), (DWORD)WAIT_TIMEOUT);
    return true;
}

static void come_again(int which, pthread_key_t key)
{
    const int round = atomic_fetch_add(&calls.rounds[which], 1) + 1;

    if (round >= calls.first_attach) {
        if (call_all()) {
            EXPECT_EQ(atomic_load(&calls.refused), 0); /* no second life */
            atomic_fetch_add(&calls.worked, 1);
        } else {
            atomic_fetch_add(&calls.refused, 1);
        }
    }
    if (round < LAST_ROUND)
        (void)pthread_setspecific(key, &calls);
}

static void destroy_older(void *unused)
{
    (void)unused;
    come_again(0, older);
}

static void destroy_younger(void *unused)
{
    (void)unused;
    come_again(1, younger);
}

static void set_keys(void)
{
    calls.id = (DWORD)syscall(SYS_gettid);
    EXPECT_EQ(pthread_setspecific(older, &calls), 0);
    EXPECT_EQ(pthread_setspecific(younger, &calls), 0);
}

static void *end_foreign(void *attach)
{
    set_keys();
    if (attach)
        EXPECT_TRUE(TlsSetValue(calls.slot, NULL));
    return NULL;
}

static DWORD PALAPI end_created(LPVOID unused)
{
    (void)unused;
    set_keys();
    return 33;
}

static void prepare(int first_attach)
{
    ASSERT_EQ(pthread_key_create(&older, destroy_older), 0);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(pthread_key_create(&younger, destroy_younger), 0);
    calls.first_attach = first_attach;
    calls.slot = TlsAlloc();
}

/* Whoever had a record is off the books, and whoever has a handle knows. */
static void expect_gone(void)
{
    EXPECT_EQ(atomic_load(&calls.rounds[0]), LAST_ROUND);
    EXPECT_EQ(atomic_load(&calls.rounds[1]), LAST_ROUND);
    EXPECT_EQ(OpenThread(SYNCHRONIZE, FALSE, calls.id), NULL);
    EXPECT_EQ(GetLastError(), (DWORD)ERROR_INVALID_PARAMETER);
    if (calls.handle) {
        EXPECT_EQ(WaitForSingleObject(calls.handle, 0), (DWORD)WAIT_OBJECT_0);
        EXPECT_TRUE(CloseHandle(calls.handle));
    }
    PAL_Terminate();
}

static void run_foreign(int first_attach, bool attach_before)
{
    pthread_t thread;

    prepare(first_attach);
    ASSERT_EQ(pthread_create(&thread, NULL, end_foreign, attach_before ? &calls : NULL), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
}

PAL_TEST(foreign_thread, destructors_of_others_find_a_record)
{
    run_foreign(1, true);
    EXPECT_GE(atomic_load(&calls.worked), 2); /* in the first round both */
    expect_gone();
}

PAL_TEST(foreign_thread, destructors_of_others_in_a_created_thread)
{
    prepare(1);
    EXPECT_EQ(thread_finish(thread_start(end_created, NULL)), 33u);
    EXPECT_GE(atomic_load(&calls.worked), 2);
    /* The handle is signalled within a destructor; the rest of them come after that. */
    unsigned turns = 0;
    while (atomic_load(&calls.rounds[0]) < LAST_ROUND || atomic_load(&calls.rounds[1]) < LAST_ROUND)
        kit_pause(&turns);
    expect_gone();
}

/* The first use is a destructor's; in the last round it may be too late. */
PAL_TEST(foreign_thread, first_use_in_the_first_round)
{
    run_foreign(1, false);
    EXPECT_GE(atomic_load(&calls.worked), 2);
    expect_gone();
}

PAL_TEST(foreign_thread, first_use_in_the_second_round)
{
    run_foreign(2, false);
    expect_gone();
}

PAL_TEST(foreign_thread, first_use_in_the_third_round)
{
    SKIP_UNLESS(LAST_ROUND > 3, "the third is a sanitizer's last");
    run_foreign(3, false);
    expect_gone();
}

/* The last reference is given back while a foreign thread is attached. */
PAL_TEST(foreign_thread, stays_through_terminate)
{
    struct guest guest;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    guest_start(&guest, NULL);
    PAL_Terminate();
    guest_join(&guest);
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    expect_end(NULL, 0);
    PAL_Terminate();
}

static void use_record(void)
{
    DWORD slot = TlsAlloc();

    EXPECT_TRUE(TlsSetValue(slot, &slot));
    EXPECT_EQ(TlsGetValue(slot), (void *)&slot);
    EXPECT_TRUE(TlsFree(slot));
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"still a guest"), S_OK);
}

PAL_TEST(foreign_thread, stays_through_terminate_and_initialise)
{
    struct guest guest;

    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    guest_start(&guest, use_record);
    PAL_Terminate();
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    HANDLE opened = OpenThread(SYNCHRONIZE, FALSE, guest.id);
    guest_join(&guest);
    if (opened)
        EXPECT_EQ(WaitForSingleObject(opened, 0), (DWORD)WAIT_OBJECT_0);
    expect_end(NULL, 0);
    PAL_Terminate();
}

/* In the order that a host has no reason to avoid, nothing is left either. */
static void terminate_over_and_over(void)
{
    for (int i = 0; i < 50; i++) {
        struct guest guest;
        ASSERT_EQ(PAL_InitializeDLL(), 0);
        guest_start(&guest, NULL);
        EXPECT_TRUE(CloseHandle(guest.handle));
        PAL_Terminate();
        guest_join(&guest);
    }
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    PAL_Terminate();
}

PAL_TEST(foreign_thread, terminate_with_guests_leaks_nothing)
{
    terminate_over_and_over();
    const struct kit_resources before = kit_resources_now();
    terminate_over_and_over();
    EXPECT_RESOURCES_EQ(before, kit_resources_after(&before));
}

/* Who terminates is detached at once: without an initialisation there are no records. */
PAL_TEST(foreign_thread, caller_of_terminate_is_detached)
{
    const DWORD slot = TlsAlloc();

    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(PAL_Initialize(0, NULL), 0);
        EXPECT_EQ(TlsGetValue(slot), NULL);
        EXPECT_TRUE(TlsSetValue(slot, &calls));
        EXPECT_EQ(TlsGetValue(slot), (void *)&calls);
        PAL_Terminate();
        EXPECT_FALSE(TlsSetValue(slot, &calls));
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
        EXPECT_EQ(TlsGetValue(slot), NULL);
        EXPECT_EQ(duplicate_self(), NULL);
        EXPECT_EQ(GetLastError(), (DWORD)ERROR_NOT_READY);
    }
}

struct forked {
    HANDLE self;
    DWORD parent_id;
};

static void be_the_child(void *arg)
{
    const struct forked *forked = arg;
    const DWORD id = (DWORD)syscall(SYS_gettid);

    EXPECT_NE(id, forked->parent_id);
    EXPECT_EQ(GetCurrentThreadId(), id);
    EXPECT_EQ(GetCurrentProcessId(), id);
    EXPECT_EQ(GetThreadId(GetCurrentThread()), id);
    EXPECT_EQ(GetThreadId(forked->self), id);
    EXPECT_EQ(WaitForSingleObject(forked->self, 0), (DWORD)WAIT_TIMEOUT);
    HANDLE opened = OpenThread(THREAD_ALL_ACCESS, FALSE, id);
    EXPECT_NE(opened, NULL);
    EXPECT_TRUE(CloseHandle(opened));
    EXPECT_EQ(SetThreadDescription(GetCurrentThread(), u"forked"), S_OK);
    EXPECT_EQ(thread_finish(thread_start(thread_returns, (LPVOID)5)), 5u);
}

static void fork_here(void)
{
    struct forked forked = {.self = duplicate_self(), .parent_id = GetCurrentThreadId()};
    struct kit_child_result result = kit_run_child(be_the_child, &forked);

    EXPECT_CHILD_OK(result);
    EXPECT_EQ(GetCurrentThreadId(), forked.parent_id);
    EXPECT_EQ(GetThreadId(forked.self), forked.parent_id);
    EXPECT_TRUE(CloseHandle(forked.self));
}

static void *fork_in_foreign(void *unused)
{
    fork_here();
    return unused;
}

static DWORD PALAPI fork_in_created(LPVOID unused)
{
    (void)unused;
    fork_here();
    return 0;
}

PAL_TEST(foreign_thread, forks)
{
    pthread_t thread;

    SKIP_UNLESS(!KIT_TSAN, "ThreadSanitizer starts no thread after a fork of several");
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    fork_here();
    ASSERT_EQ(pthread_create(&thread, NULL, fork_in_foreign, NULL), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    thread_finish(thread_start(fork_in_created, NULL));
    PAL_Terminate();
}

static void be_unattached_child(void *id_of_parent)
{
    EXPECT_NE(GetCurrentThreadId(), *(DWORD *)id_of_parent);
    EXPECT_EQ(GetCurrentThreadId(), (DWORD)syscall(SYS_gettid));
}

static void *fork_unattached(void *unused)
{
    DWORD id = GetCurrentThreadId(); /* which may be remembered */
    struct kit_child_result result = kit_run_child(be_unattached_child, &id);

    EXPECT_CHILD_OK(result);
    return unused;
}

PAL_TEST(foreign_thread, forks_unattached)
{
    pthread_t thread;

    (void)fork_unattached(NULL); /* before initialisation as well */
    ASSERT_EQ(PAL_InitializeDLL(), 0);
    (void)fork_unattached(NULL);
    ASSERT_EQ(pthread_create(&thread, NULL, fork_unattached, NULL), 0);
    ASSERT_EQ(pthread_join(thread, NULL), 0);
    PAL_Terminate();
}

static pthread_key_t forking;
static atomic_int fork_rounds;
static atomic_int child_status = -1;

static DWORD PALAPI return_seven(LPVOID unused)
{
    (void)unused;
    return 7;
}

/* Once pal's part of the thread's end is done. */
static void fork_late(void *value)
{
    if (atomic_fetch_add(&fork_rounds, 1) + 1 < PTHREAD_DESTRUCTOR_ITERATIONS) {
        (void)pthread_setspecific(forking, value);
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++)
            if (thread_finish(thread_start(return_seven, NULL)) != 7)
                _exit(1);
        _exit(0);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    atomic_store(&child_status, status);
}

static DWORD PALAPI end_by_forking(LPVOID unused)
{
    (void)unused;
    EXPECT_EQ(pthread_setspecific(forking, &forking), 0);
    return 0;
}

/* The child still runs on the stack of a thread that has ended: no other may get it. */
PAL_TEST(foreign_thread, fork_in_a_thread_that_has_ended)
{
    unsigned turns = 0;

    SKIP_UNLESS(!KIT_SANITIZED, "sanitizers have left by then");
    ASSERT_EQ(PAL_Initialize(0, NULL), 0);
    ASSERT_EQ(pthread_key_create(&forking, fork_late), 0);
    (void)thread_finish(thread_start(end_by_forking, NULL));
    while (atomic_load(&child_status) == -1)
        kit_pause(&turns);
    EXPECT_EQ(atomic_load(&child_status), 0);
    PAL_Terminate();
}
