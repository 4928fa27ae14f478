/* SPDX-License-Identifier: MIT */
/* Over a directory made up to look like a machine's /proc and /sys. */
#include "os/cgroup.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/child.h"
#include "kit/limits.h"
#include "kit/resources.h"
#include "kit/test.h"

#define MOUNT_V2 "31 23 0:28 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define MOUNT_V1 "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define V2 "/sys/fs/cgroup"
#define V1 "/sys/fs/cgroup/cpu,cpuacct"

static char root[64];

static void make_parents(char *path)
{
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
}

static void put(const char *name, const char *text)
{
    char path[1024];

    if (root[0] == '\0') {
        (void)strcpy(root, "/tmp/pal-test-XXXXXX");
        ASSERT_NE((void *)mkdtemp(root), NULL);
    }
    (void)snprintf(path, sizeof path, "%s%s", root, name);
    make_parents(path);
    FILE *file = fopen(path, "we");
    ASSERT_NE((void *)file, NULL);
    EXPECT_GE(fputs(text, file), 0);
    EXPECT_EQ(fclose(file), 0);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *position)
{
    (void)status;
    (void)type;
    (void)position;
    return remove(path);
}

static void remove_all(void)
{
    EXPECT_EQ(nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    root[0] = '\0';
}

/* The limit in the tree that was put, which is then gone. */
static unsigned limit(void)
{
    unsigned result = os_cgroup_cpu_limit(root);

    remove_all();
    return result;
}

static unsigned limit_of_cpu_max(const char *text)
{
    put("/proc/self/cgroup", "0::/a\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/a/cpu.max", text);
    return limit();
}

PAL_TEST(cgroup, quota_of_version_2)
{
    EXPECT_EQ(limit_of_cpu_max("200000 100000\n"), 2u);
    EXPECT_EQ(limit_of_cpu_max("200001 100000\n"), 3u);
    EXPECT_EQ(limit_of_cpu_max("1000 100000\n"), 1u);
    EXPECT_EQ(limit_of_cpu_max("6400000 100000\n"), 64u);
    EXPECT_EQ(limit_of_cpu_max("50000 10000"), 5u);
}

PAL_TEST(cgroup, no_quota_of_version_2)
{
    EXPECT_EQ(limit_of_cpu_max("max 100000\n"), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cpu_max(""), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cpu_max("100000\n"), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cpu_max("100000 0\n"), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cpu_max("0 100000\n"), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cpu_max("9223372036854775807 1\n"), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cpu_max("4294967297 1\n"), OS_CGROUP_NO_LIMIT);
}

static unsigned limit_of_cfs(const char *quota, const char *period)
{
    put("/proc/self/cgroup", "9:cpuset:/b\n4:cpu,cpuacct:/a\n");
    put("/proc/self/mountinfo", MOUNT_V1);
    put(V1 "/a/cpu.cfs_quota_us", quota);
    put(V1 "/a/cpu.cfs_period_us", period);
    return limit();
}

PAL_TEST(cgroup, quota_of_version_1)
{
    EXPECT_EQ(limit_of_cfs("200000\n", "100000\n"), 2u);
    EXPECT_EQ(limit_of_cfs("150000\n", "100000\n"), 2u);
    EXPECT_EQ(limit_of_cfs("5000\n", "100000\n"), 1u);
    EXPECT_EQ(limit_of_cfs("-1\n", "100000\n"), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cfs("100000\n", "0\n"), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cfs("100000\n", ""), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(limit_of_cfs("", "100000\n"), OS_CGROUP_NO_LIMIT);
}

/* The least quota on the way up is the one that counts, wherever it is. */
PAL_TEST(cgroup, quota_of_an_ancestor)
{
    static const char *const names[] = {V2 "/cpu.max", V2 "/a/cpu.max", V2 "/a/b/cpu.max",
                                        V2 "/a/b/c/cpu.max"};

    for (int least = 0; least < 4; least++) {
        put("/proc/self/cgroup", "0::/a/b/c\n");
        put("/proc/self/mountinfo", MOUNT_V2);
        for (int i = 0; i < 4; i++)
            put(names[i], i == least ? "300000 100000\n" : "700000 100000\n");
        EXPECT_EQ(limit(), 3u);
    }
}

PAL_TEST(cgroup, ancestors_without_the_file)
{
    put("/proc/self/cgroup", "0::/a/b (deleted)\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/a/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3u);
}

PAL_TEST(cgroup, what_is_above_the_mount_is_not_read)
{
    put("/proc/self/cgroup", "0::/a\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/a/cpu.max", "300000 100000\n");
    put("/sys/fs/cpu.max", "100000 100000\n");
    put("/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(), 3u);
}

PAL_TEST(cgroup, both_versions_at_once)
{
    static const char *const mounts = "33 31 0:30 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n"
                                      "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup "
                                      "rw,cpuset\n" MOUNT_V1;

    put("/proc/self/cgroup", "3:cpuset:/x\n2:cpu,cpuacct:/one\n0::/two\n");
    put("/proc/self/mountinfo", mounts);
    put(V1 "/one/cpu.cfs_quota_us", "300000\n");
    put(V1 "/one/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(limit(), 3u);

    put("/proc/self/cgroup", "3:cpuset:/x\n0::/two\n");
    put("/proc/self/mountinfo", mounts);
    put("/sys/fs/cgroup/unified/two/cpu.max", "200000 100000\n");
    put("/sys/fs/cgroup/cpuset/x/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(), 2u);
}

/* A container that sees its own group mounted, and the path that the host knows it by. */
PAL_TEST(cgroup, mount_of_a_group)
{
    put("/proc/self/cgroup", "2:cpu,cpuacct:/docker/12/sub\n");
    put("/proc/self/mountinfo", "32 31 0:29 /docker/12 " V1 " ro - cgroup cgroup rw,cpu,cpuacct\n");
    put(V1 "/cpu.cfs_quota_us", "200000\n");
    put(V1 "/cpu.cfs_period_us", "100000\n");
    put(V1 "/sub/cpu.cfs_quota_us", "300000\n");
    put(V1 "/sub/cpu.cfs_period_us", "100000\n");
    put(V1 "/docker/12/sub/cpu.cfs_quota_us", "100000\n");
    put(V1 "/docker/12/sub/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(limit(), 2u);
}

PAL_TEST(cgroup, mount_of_another_group)
{
    put("/proc/self/cgroup", "0::/docker/123\n");
    put("/proc/self/mountinfo", "32 31 0:29 /docker/12 " V2 " rw - cgroup2 none rw\n");
    put(V2 "/cpu.max", "100000 100000\n");
    put(V2 "/3/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(), OS_CGROUP_NO_LIMIT);
}

PAL_TEST(cgroup, several_mounts)
{
    put("/proc/self/cgroup", "0::/a/b\n");
    put("/proc/self/mountinfo", "32 31 0:29 /other /x rw - cgroup2 none rw\n"
                                "33 31 0:29 /a /y rw - cgroup2 none rw\n"
                                "34 31 0:29 / /z rw - cgroup2 none rw\n");
    put("/x/cpu.max", "100000 100000\n");
    put("/y/b/cpu.max", "400000 100000\n");
    put("/z/a/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3u);
}

PAL_TEST(cgroup, namespaces)
{
    put("/proc/self/cgroup", "0::/\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3u);

    put("/proc/self/cgroup", "0::/\n");
    put("/proc/self/mountinfo", "32 31 0:29 /../.. " V2 " rw - cgroup2 none rw\n");
    put(V2 "/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3u);

    put("/proc/self/cgroup", "0::/../..\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/cpu.max", "300000 100000\n");
    put("/sys/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(), OS_CGROUP_NO_LIMIT);
}

PAL_TEST(cgroup, escapes)
{
    put("/proc/self/cgroup", "0::/a\\x2db/c d\n");
    put("/proc/self/mountinfo", "32 31 0:29 /a\\134x2db /my\\040groups rw - cgroup2 none rw\n");
    put("/my groups/c d/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3u);
}

PAL_TEST(cgroup, many_and_long_lines)
{
    size_t size = 200000;
    char *text = calloc(1, size);

    ASSERT_NE((void *)text, NULL);
    memset(text, 'x', size);
    (void)strcpy(text + 20000, " - overlay overlay rw\n");
    for (int i = 0; i < 1000; i++)
        (void)strcat(text, "22 27 0:21 / /somewhere/else rw,relatime - tmpfs tmpfs rw\n");
    (void)strcat(text, MOUNT_V2);
    put("/proc/self/cgroup", "0::/a\n");
    put("/proc/self/mountinfo", text);
    put(V2 "/a/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3u);
    free(text);
}

/* Longer than any that the kernel can tell: the mount's own limit is what is left. */
PAL_TEST(cgroup, path_that_is_too_long)
{
    char line[6000] = "0::";

    memset(line + 3, 'x', sizeof line - 4);
    line[3] = '/';
    put("/proc/self/cgroup", line);
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3u);
}

PAL_TEST(cgroup, what_cannot_be_read_limits_nothing)
{
    put("/proc/self/mountinfo", MOUNT_V2);
    EXPECT_EQ(limit(), OS_CGROUP_NO_LIMIT);
    put("/proc/self/cgroup", "0::/a\n");
    EXPECT_EQ(limit(), OS_CGROUP_NO_LIMIT);
    put("/proc/self/cgroup", "0::/a\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    EXPECT_EQ(limit(), OS_CGROUP_NO_LIMIT);
    EXPECT_EQ(os_cgroup_cpu_limit("/nowhere/at/all"), OS_CGROUP_NO_LIMIT);
}

static void ask_without_memory(void *unused)
{
    (void)unused;
    SKIP_UNLESS(kit_limit(RLIMIT_AS, 1) == 0, "no limit on memory");
    EXPECT_EQ(os_cgroup_cpu_limit(root), OS_CGROUP_NO_LIMIT);
}

PAL_TEST(cgroup, no_memory_limits_nothing)
{
    SKIP_UNLESS(!KIT_SANITIZED, "a sanitizer needs memory of its own");
    put("/proc/self/cgroup", "0::/a\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/a/cpu.max", "300000 100000\n");
    struct kit_child_result result = kit_run_child(ask_without_memory, NULL);
    EXPECT_CHILD_OK(result);
    EXPECT_EQ(limit(), 3u);
}

PAL_TEST(cgroup, nothing_stays_open_or_mapped)
{
    put("/proc/self/cgroup", "0::/a\n");
    put("/proc/self/mountinfo", MOUNT_V2);
    put(V2 "/a/cpu.max", "300000 100000\n");
    struct kit_resources before = kit_resources_now();
    EXPECT_EQ(os_cgroup_cpu_limit(root), 3u);
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
    remove_all();
}
