/* SPDX-License-Identifier: MIT */
#include "os/cgroup_text.h"

#include <stdio.h>
#include <string.h>

#include "kit/test.h"

PAL_TEST(cgroup_text, group_of_version_2)
{
    EXPECT_STREQ(os_cgroup_group("0::/user.slice/a:b", OS_CGROUP_V2), "/user.slice/a:b");
    EXPECT_STREQ(os_cgroup_group("0::/../..", OS_CGROUP_V2), "/../..");
    EXPECT_EQ((void *)os_cgroup_group("4:cpu:/a", OS_CGROUP_V2), NULL);
    EXPECT_EQ((void *)os_cgroup_group("1:name=systemd:/a", OS_CGROUP_V2), NULL);
    EXPECT_EQ((void *)os_cgroup_group("10::/a", OS_CGROUP_V2), NULL);
}

PAL_TEST(cgroup_text, group_of_version_1)
{
    EXPECT_STREQ(os_cgroup_group("4:cpu:/a", OS_CGROUP_V1), "/a");
    EXPECT_STREQ(os_cgroup_group("4:cpu,cpuacct:/a b", OS_CGROUP_V1), "/a b");
    EXPECT_STREQ(os_cgroup_group("14:cpuacct,cpu:/", OS_CGROUP_V1), "/");
    EXPECT_EQ((void *)os_cgroup_group("4:cpuacct:/a", OS_CGROUP_V1), NULL);
    EXPECT_EQ((void *)os_cgroup_group("4:cpuset,mycpu:/a", OS_CGROUP_V1), NULL);
    EXPECT_EQ((void *)os_cgroup_group("0::/cpu", OS_CGROUP_V1), NULL);
}

PAL_TEST(cgroup_text, what_is_no_group_line)
{
    static const char *const lines[] = {"", ":", "0", "0:", "cpu", "4:cpu"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        EXPECT_EQ((void *)os_cgroup_group(lines[i], OS_CGROUP_V1), NULL);
        EXPECT_EQ((void *)os_cgroup_group(lines[i], OS_CGROUP_V2), NULL);
    }
}

static void expect_mount(const char *text, enum os_cgroup_version version, const char *root,
                         const char *point)
{
    char line[256];
    struct os_cgroup_mount mount;

    (void)snprintf(line, sizeof line, "%s", text);
    ASSERT_TRUE(os_cgroup_mount(line, version, &mount));
    EXPECT_STREQ(mount.root, root);
    EXPECT_STREQ(mount.point, point);
}

static void expect_no_mount(const char *text, enum os_cgroup_version version)
{
    char line[256];
    struct os_cgroup_mount mount;

    (void)snprintf(line, sizeof line, "%s", text);
    if (os_cgroup_mount(line, version, &mount))
        kit_fail(__FILE__, __LINE__, "taken for a mount: %s", text);
}

PAL_TEST(cgroup_text, mount)
{
    expect_mount("31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate",
                 OS_CGROUP_V2, "/", "/sys/fs/cgroup");
    expect_mount(
        "32 31 0:29 /docker/1 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct",
        OS_CGROUP_V1, "/docker/1", "/sys/fs/cgroup/cpu,cpuacct");
    expect_mount("32 31 0:29 / /c rw shared:1 master:2 unbindable - cgroup none rw,cpuacct,cpu",
                 OS_CGROUP_V1, "/", "/c");
}

PAL_TEST(cgroup_text, mount_of_something_else)
{
    expect_no_mount("32 31 0:29 / /c rw - cgroup cgroup rw,cpu", OS_CGROUP_V2);
    expect_no_mount("32 31 0:29 / /c rw - cgroup2 cgroup rw,cpu", OS_CGROUP_V1);
    expect_no_mount("32 31 0:29 / /c rw - cgroup cgroup rw,cpuset,cpuacct", OS_CGROUP_V1);
    expect_no_mount("32 31 0:29 / /c rw - cgroup cgroup rw,name=cpu", OS_CGROUP_V1);
    expect_no_mount("27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,cpu", OS_CGROUP_V1);
    expect_no_mount("", OS_CGROUP_V2);
    expect_no_mount(" - ", OS_CGROUP_V2);
    expect_no_mount("1 2 3 - cgroup2 none rw", OS_CGROUP_V2);
    expect_no_mount("32 31 0:29 / /c rw - cgroup2", OS_CGROUP_V2);
}

PAL_TEST(cgroup_text, mount_with_escapes)
{
    expect_mount("31 23 0:28 /a\\134x2d\\040b /m\\040p\\011\\012\\134040 rw - cgroup2 none rw",
                 OS_CGROUP_V2, "/a\\x2d b", "/m p\t\n\\040");
    expect_mount("31 23 0:28 /\\ /\\12 rw - cgroup2 none rw", OS_CGROUP_V2, "/\\", "/\\12");
    expect_mount("31 23 0:28 /\\089 /\\ rw - cgroup2 none rw", OS_CGROUP_V2, "/\\089", "/\\");
}

PAL_TEST(cgroup_text, below)
{
    EXPECT_STREQ(os_cgroup_below("/", "/"), "");
    EXPECT_STREQ(os_cgroup_below("/", "/a/b"), "/a/b");
    EXPECT_STREQ(os_cgroup_below("/docker/1", "/docker/1"), "");
    EXPECT_STREQ(os_cgroup_below("/docker/1", "/docker/1/a"), "/a");
    EXPECT_EQ((void *)os_cgroup_below("/docker/1", "/docker/12"), NULL);
    EXPECT_EQ((void *)os_cgroup_below("/docker/1", "/docker"), NULL);
    EXPECT_EQ((void *)os_cgroup_below("/docker/1", "/"), NULL);
}

PAL_TEST(cgroup_text, below_across_a_namespace)
{
    /* The mount shows the groups above the namespace: only its root is known to be above ours. */
    EXPECT_STREQ(os_cgroup_below("/../..", "/"), "");
    EXPECT_STREQ(os_cgroup_below("/../..", "/a"), "");
    EXPECT_STREQ(os_cgroup_below("/../..", "/../a"), "");
    EXPECT_EQ((void *)os_cgroup_below("/../../x", "/"), NULL);

    EXPECT_STREQ(os_cgroup_below("/../..", "/../.."), "");
    EXPECT_STREQ(os_cgroup_below("/../..", "/../../x/y"), "/x/y");
    EXPECT_STREQ(os_cgroup_below("/../x", "/../x/y"), "/y");

    /* The process is outside: what is mounted does not hold for it. */
    EXPECT_EQ((void *)os_cgroup_below("/", "/../.."), NULL);
    EXPECT_EQ((void *)os_cgroup_below("/", "/../x"), NULL);
    EXPECT_EQ((void *)os_cgroup_below("/..", "/../../x"), NULL);

    EXPECT_STREQ(os_cgroup_below("/", "/..a"), "/..a"); /* a name like another */
}
