/* SPDX-License-Identifier: MIT */
#include "os/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kit/resources.h"
#include "kit/test.h"

enum { BUFFER = 8 };

/* Opens a file with this text, which has no name but that of its descriptor. */
static void open_text(struct os_lines *lines, char buffer[BUFFER], const char *text)
{
    char path[32];
    int fd = memfd_create("lines", MFD_CLOEXEC);

    ASSERT_GE(fd, 0);
    EXPECT_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    EXPECT_EQ(os_lines_open(lines, path, buffer, BUFFER), 0);
    (void)close(fd);
}

PAL_TEST(lines, come_one_by_one)
{
    char buffer[BUFFER];
    struct os_lines lines = {0};
    struct kit_resources before = kit_resources_now();

    open_text(&lines, buffer, "one\n\nthree\nfour\nfive");
    EXPECT_NE(fcntl(lines.fd, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_STREQ(os_lines_next(&lines), "one");
    EXPECT_STREQ(os_lines_next(&lines), "");
    EXPECT_STREQ(os_lines_next(&lines), "three");
    EXPECT_STREQ(os_lines_next(&lines), "four");
    EXPECT_STREQ(os_lines_next(&lines), "five"); /* without a newline */
    EXPECT_EQ((void *)os_lines_next(&lines), NULL);
    EXPECT_EQ((void *)os_lines_next(&lines), NULL);
    os_lines_close(&lines);
    EXPECT_RESOURCES_EQ(before, kit_resources_now());
}

PAL_TEST(lines, a_long_one_is_cut)
{
    char buffer[BUFFER];
    struct os_lines lines = {0};

    open_text(&lines, buffer, "1234567\n12345678\nabc\n12345678901234567890\n\nend\n123456789");
    EXPECT_STREQ(os_lines_next(&lines), "1234567");
    EXPECT_STREQ(os_lines_next(&lines), "1234567");
    EXPECT_STREQ(os_lines_next(&lines), "abc");
    EXPECT_STREQ(os_lines_next(&lines), "1234567");
    EXPECT_STREQ(os_lines_next(&lines), "");
    EXPECT_STREQ(os_lines_next(&lines), "end");
    EXPECT_STREQ(os_lines_next(&lines), "1234567");
    EXPECT_EQ((void *)os_lines_next(&lines), NULL);
    os_lines_close(&lines);
}

PAL_TEST(lines, what_cannot_be_read_has_none)
{
    char buffer[BUFFER];
    struct os_lines lines;

    EXPECT_EQ(os_lines_open(&lines, "/nowhere/at/all", buffer, sizeof buffer), -ENOENT);
    EXPECT_EQ((void *)os_lines_first("/nowhere/at/all", buffer, sizeof buffer), NULL);
    EXPECT_EQ((void *)os_lines_first("/proc", buffer, sizeof buffer), NULL); /* a directory */
    EXPECT_EQ((void *)os_lines_first("/dev/null", buffer, sizeof buffer), NULL);
}
