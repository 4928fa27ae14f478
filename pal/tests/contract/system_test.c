/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pal.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/process.h"
#include "kit/resources.h"
#include "kit/seccomp.h"
#include "kit/test.h"

static DWORD count(void)
{
    SYSTEM_INFO info;

    GetSystemInfo(&info);
    return info.dwNumberOfProcessors;
}

static void pin_to(unsigned processor)
{
    cpu_set_t mask;

    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
}

PAL_TEST(system, every_member_is_set)
{
    SYSTEM_INFO info;
    long page = sysconf(_SC_PAGESIZE);
    struct kit_resources before = kit_resources_now();

    memset(&info, 0x5a, sizeof info);
    SetLastError(4711);
    GetSystemInfo(&info);
    EXPECT_EQ(GetLastError(), 4711u);
    EXPECT_EQ(info.dwPageSize, page);
    EXPECT_EQ(info.dwAllocationGranularity, page);
    EXPECT_GE(info.dwNumberOfProcessors, 1u);
    EXPECT_LE(info.dwNumberOfProcessors, sysconf(_SC_NPROCESSORS_CONF));
    EXPECT_EQ(info.wProcessorArchitecture_PAL_Undefined, 0);
    EXPECT_EQ(info.wReserved_PAL_Undefined, 0);
    EXPECT_EQ(info.dwActiveProcessorMask_PAL_Undefined, 0u);
    EXPECT_EQ(info.dwProcessorType_PAL_Undefined, 0u);
    EXPECT_EQ(info.wProcessorLevel_PAL_Undefined, 0);
    EXPECT_EQ(info.wProcessorRevision_PAL_Undefined, 0);
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
}

PAL_TEST(system, null_is_ignored)
{
    SetLastError(4711);
    GetSystemInfo(NULL);
    EXPECT_EQ(GetLastError(), 4711u);
}

static void expect_inside(const SYSTEM_INFO *info, const void *address)
{
    EXPECT_GE((uintptr_t)address, (uintptr_t)info->lpMinimumApplicationAddress);
    EXPECT_LE((uintptr_t)address, (uintptr_t)info->lpMaximumApplicationAddress);
}

PAL_TEST(system, addresses)
{
    SYSTEM_INFO info;
    static int data;
    int on_stack;
    void *allocated = malloc(1);

    GetSystemInfo(&info);
    expect_inside(&info, &data);
    expect_inside(&info, &on_stack);
    expect_inside(&info, allocated);
    EXPECT_GE((uintptr_t)info.lpMinimumApplicationAddress, info.dwPageSize);
    EXPECT_EQ(((uintptr_t)info.lpMaximumApplicationAddress + 1) % info.dwPageSize, 0u);
    free(allocated);
}

PAL_TEST(system, lowest_address_can_be_mapped)
{
    SYSTEM_INFO info;

    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer has its memory there");
    GetSystemInfo(&info);
    void *mapped = mmap(info.lpMinimumApplicationAddress, info.dwPageSize, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* only a wish: it may be taken */
    EXPECT_EQ(mapped, info.lpMinimumApplicationAddress);
}

static void deny_open(void)
{
#ifdef SYS_open
    SKIP_UNLESS(kit_deny_syscall(SYS_open, EACCES) == 0, "no filters");
#endif
    SKIP_UNLESS(kit_deny_syscall(SYS_openat, EACCES) == 0, "no filters");
}

static void ask_without_files(void *unused)
{
    SYSTEM_INFO info;

    (void)unused;
    pin_to(GetCurrentProcessorNumber());
    deny_open();
    RETURN_IF_SKIPPED();
    GetSystemInfo(&info);
    EXPECT_EQ(info.dwNumberOfProcessors, 1u);
    EXPECT_EQ((uintptr_t)info.lpMinimumApplicationAddress, 65536u);
}

PAL_TEST(system, works_without_proc)
{
    struct kit_child_result result = kit_run_child(ask_without_files, NULL);
    EXPECT_CHILD_OK(result);
}

PAL_TEST(system, count_honours_affinity)
{
    pin_to(GetCurrentProcessorNumber());
    EXPECT_EQ(count(), 1u);
}

static void ask_without_affinity(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_deny_syscall(SYS_sched_getaffinity, EPERM) == 0, "no filters");
    EXPECT_GE(count(), 1u);
    EXPECT_LE(count(), sysconf(_SC_NPROCESSORS_ONLN));
}

PAL_TEST(system, count_where_affinity_is_denied)
{
    struct kit_child_result result = kit_run_child(ask_without_affinity, NULL);
    EXPECT_CHILD_OK(result);
}

static bool write_file(const char *directory, const char *name, const char *text)
{
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        (void)close(fd);
    return written;
}

/* A control group with a quota of half a processor; version 1 first. */
static bool make_group(char group[64])
{
    (void)snprintf(group, 64, "/sys/fs/cgroup/cpu/pal-test-%d", (int)getpid());
    if (mkdir(group, 0755) == 0)
        return write_file(group, "cpu.cfs_quota_us", "50000");
    (void)snprintf(group, 64, "/sys/fs/cgroup/pal-test-%d", (int)getpid());
    return mkdir(group, 0755) == 0 && write_file(group, "cpu.max", "50000 100000");
}

static void ask_in_group(void *group)
{
    SKIP_UNLESS(write_file(group, "cgroup.procs", "0"), "cannot enter a control group");
    EXPECT_EQ(count(), 1u);
}

PAL_TEST(system, count_honours_the_quota)
{
    char group[64];
    unsigned turns = 0;
    double deadline = kit_clock() + 5;

    SKIP_UNLESS(count() > 1, "one processor: there is nothing to limit");
    if (make_group(group)) {
        struct kit_child_result result = kit_run_child(ask_in_group, group);
        EXPECT_CHILD_OK(result);
    } else {
        kit_skip(__FILE__, __LINE__, "no control group with a quota can be made");
    }
    while (rmdir(group) != 0 && errno == EBUSY && kit_clock() < deadline)
        kit_pause(&turns);
}

PAL_TEST(system, current_processor)
{
    cpu_set_t mask;

    SKIP_UNLESS(sched_getaffinity(0, sizeof mask, &mask) == 0,
                "more processors than the test knows");
    SetLastError(4711);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mask)) {
            pin_to(i);
            EXPECT_EQ(GetCurrentProcessorNumber(), i);
        }
    EXPECT_EQ(GetLastError(), 4711u);
}
