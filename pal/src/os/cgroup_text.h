/* SPDX-License-Identifier: MIT */
/* What /proc says about control groups, taken apart. Knows text only, no files. */
#ifndef OS_CGROUP_TEXT_H
#define OS_CGROUP_TEXT_H

#include <stdbool.h>

/* Both may be in use at a time; the cpu controller is then in one of them. */
enum os_cgroup_version { OS_CGROUP_V1, OS_CGROUP_V2 };

/*
 * From a line of /proc/self/cgroup, the path of the process's group: in version 1, in the hierarchy
 * that has the cpu controller. NULL when the line is about another one.
 */
const char *os_cgroup_group(const char *line, enum os_cgroup_version version);

struct os_cgroup_mount {
    const char *root;  /* the group that is mounted */
    const char *point; /* where */
};

/*
 * Whether a line of /proc/self/mountinfo mounts that hierarchy. Takes the line apart, which the
 * strings of the result lie in.
 */
bool os_cgroup_mount(char *line, enum os_cgroup_version version, struct os_cgroup_mount *ret_mount);

/*
 * Where below a mount's root the group is: "" for the root itself, else "/a/b"; NULL when it is not
 * below. A root above the namespace's with names that we do not know in between ("/../..") gives
 * "": what holds there holds for the group.
 */
const char *os_cgroup_below(const char *root, const char *group);

#endif
