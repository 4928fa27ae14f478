/* SPDX-License-Identifier: MIT */
/* A descriptor to wake one thread by. */
#ifndef OS_EVENTFD_H
#define OS_EVENTFD_H

/* A new eventfd, close-on-exec and never 0, 1 or 2. Returns it or -errno. */
int os_eventfd_open(void);

/*
 * The number may have been closed by someone else and given to a file, pipe or socket of the host's
 * since: that is left alone, by both of these.
 */
void os_eventfd_close(int fd);

/* Wakes the waiter, now or at its next wait. Returns 0 or -errno; -EBADF: the number is not ours.
 */
int os_eventfd_signal(int fd);

/* Blocks until signalled since the last wait. Returns 0 or -errno, never -EINTR. */
int os_eventfd_wait(int fd);

#endif
