/* SPDX-License-Identifier: MIT */
#include "os/thread_name.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void os_thread_name(uint32_t tid, bool self, const char *name)
{
    char path[64];

    if (self) {
        (void)prctl(PR_SET_NAME, name, 0, 0, 0);
        return;
    }
    (void)snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t written = write(fd, name, strlen(name));
    (void)written;
    (void)close(fd);
}
