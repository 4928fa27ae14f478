/* SPDX-License-Identifier: MIT */
#include "os/eventfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fault.h"

#define FIRST_FD_OF_OURS 3

int os_eventfd_open(void)
{
    int error = os_fault(OS_CALL_EVENTFD);
    if (error)
        return error;

    int fd = (int)syscall(SYS_eventfd2, 0, EFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fd >= FIRST_FD_OF_OURS)
        return fd;

    /* The host runs with a standard descriptor closed: what it opens next must get that number. */
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD_OF_OURS);
    error = moved < 0 ? -errno : 0;
    if (error == -EINVAL)
        error = -EMFILE; /* what fcntl(2) says when the limit is that low */
    (void)close(fd);
    return error ? error : moved;
}

/* An eventfd has no file type; a file, pipe or socket of the host's has one. */
static bool is_anonymous(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

void os_eventfd_close(int fd)
{
    if (is_anonymous(fd))
        (void)close(fd);
}

int os_eventfd_signal(int fd)
{
    uint64_t one = 1;
    ssize_t written;

    if (!is_anonymous(fd))
        return -EBADF;
    do
        written = write(fd, &one, sizeof one);
    while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : 0;
}

int os_eventfd_wait(int fd)
{
    uint64_t count;
    ssize_t got;

    do
        got = read(fd, &count, sizeof count);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : 0;
}
