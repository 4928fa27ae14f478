/* SPDX-License-Identifier: MIT */
/*
 * Resource limits, lost privileges and a limit on tasks. The first two are for children: there is
 * no way back. Every function returns 0 or -errno.
 */
#ifndef KIT_LIMITS_H
#define KIT_LIMITS_H

/* Sets the soft and the hard limit of RLIMIT_*. */
int kit_limit(int resource, unsigned long value);

/*
 * Becomes user and group 65534 without further groups or capabilities. A process that is no root
 * keeps its user, having nothing to lose by it. /proc/self stays readable.
 */
int kit_drop_privileges(void);

/*
 * A control group under the present one that allows a number of tasks. The test makes and removes
 * it; its child, who moves in, must have ended by then. Needs root and a writable /sys/fs/cgroup.
 *
 * The limit stops fork and thread creation with EAGAIN, for root as well, unlike RLIMIT_NPROC.
 */
struct kit_cgroup {
    char path[512];
};

int kit_cgroup_create(struct kit_cgroup *cgroup, int tasks_max);
int kit_cgroup_enter(const struct kit_cgroup *cgroup);
int kit_cgroup_remove(const struct kit_cgroup *cgroup);

#endif
