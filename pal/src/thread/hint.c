/* SPDX-License-Identifier: MIT */
#include "thread/hint.h"

#include <errno.h>
#include <stddef.h>

const char *thread_hint(int error)
{
    switch (error) {
    case EAGAIN:
        return "a limit on threads was reached: ulimit -u, or the container's or cgroup's pids "
               "limit; or address space has run out";
    case EPERM:
        return "a sandbox or container profile denies clone3(2): it has to allow it, or to answer "
               "ENOSYS";
    case ENOMEM:
        return "free some memory or address space";
    default:
        return NULL;
    }
}
