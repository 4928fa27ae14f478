/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "limits.h"
#include "test.h"

static void limit_descriptors(void *arg)
{
    (void)arg;
    ASSERT_EQ(kit_limit(RLIMIT_NOFILE, 3), 0);
    EXPECT_EQ(open("/dev/null", O_RDONLY | O_CLOEXEC), -1);
    EXPECT_EQ(errno, EMFILE);
}

PAL_TEST(kit_limits, limits)
{
    const struct kit_child_result result = kit_run_child(limit_descriptors, NULL);
    EXPECT_CHILD_OK(result);
}

static void expect_no_capabilities(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    ASSERT_NE(file, NULL);
    char line[256];
    int seen = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "CapPrm:", 7) == 0 || strncmp(line, "CapEff:", 7) == 0) {
            EXPECT_STREQ(line + 8, "0000000000000000\n");
            seen++;
        }
    }
    EXPECT_EQ(seen, 2);
    (void)fclose(file);
}

static void drop(void *arg)
{
    (void)arg;
    const uid_t before = geteuid();
    ASSERT_EQ(kit_drop_privileges(), 0);
    EXPECT_EQ(geteuid(), before == 0 ? 65534 : before);
    if (before == 0) {
        EXPECT_EQ(getgroups(0, NULL), 0);
        EXPECT_EQ(getegid(), 65534u);
    }
    EXPECT_EQ(access("/proc/self/fd", R_OK), 0);
    expect_no_capabilities();
}

PAL_TEST(kit_limits, drops_privileges)
{
    const struct kit_child_result result = kit_run_child(drop, NULL);
    EXPECT_CHILD_OK(result);
}

static void enter_and_fork(void *arg)
{
    ASSERT_EQ(kit_cgroup_enter(arg), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        _exit(0);
    }
    EXPECT_EQ(pid, -1);
    EXPECT_EQ(errno, EAGAIN);
}

PAL_TEST(kit_limits, a_group_limits_tasks)
{
    struct kit_cgroup cgroup;
    SKIP_UNLESS(kit_cgroup_create(&cgroup, 1) == 0, "no pids control group can be made");
    const struct kit_child_result result = kit_run_child(enter_and_fork, &cgroup);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(kit_cgroup_remove(&cgroup), 0);
    EXPECT_EQ(access(cgroup.path, F_OK), -1);
}
