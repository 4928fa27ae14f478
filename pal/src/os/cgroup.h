/* SPDX-License-Identifier: MIT */
/* What the control groups allow this process. */
#ifndef OS_CGROUP_H
#define OS_CGROUP_H

#include <limits.h>

#define OS_CGROUP_NO_LIMIT UINT_MAX

/*
 * The CPU quota in processors, rounded up: the least of those of the process's group and of the
 * groups above it that are mounted, in versions 1 and 2. OS_CGROUP_NO_LIMIT when there is none;
 * what cannot be read limits nothing. `root` is put before every path: "" but in tests.
 */
unsigned os_cgroup_cpu_limit(const char *root);

#endif
