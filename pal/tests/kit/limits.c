/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

int kit_limit(int resource, unsigned long value)
{
    const struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(resource, &limit) == -1 ? -errno : 0;
}

static int clear_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    return syscall(SYS_capset, &header, none) == -1 ? -errno : 0;
}

int kit_drop_privileges(void)
{
    if (geteuid() == 0 && (setgroups(0, NULL) == -1 || setresgid(NOBODY, NOBODY, NOBODY) == -1 ||
                           setresuid(NOBODY, NOBODY, NOBODY) == -1)) {
        return -errno;
    }
    const int error = clear_capabilities();
    if (error != 0) {
        return error;
    }
    /* A change of user makes the files of /proc/self root's. */
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1 ? -errno : 0;
}
