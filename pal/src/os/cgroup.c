/* SPDX-License-Identifier: MIT */
#include "os/cgroup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "os/cgroup_text.h"
#include "os/lines.h"

/* Too large for a small stack. */
struct search {
    const char *root;
    enum os_cgroup_version version;
    char group[PATH_MAX];
    char path[2 * PATH_MAX];
    char line[2 * PATH_MAX];
};

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool append(char *path, size_t size, const char *more)
{
    size_t length = strlen(path);
    size_t more_length = strlen(more);

    if (length + more_length >= size)
        return false;
    memcpy(path + length, more, more_length + 1);
    return true;
}

static bool path_is(struct search *search, const char *a, const char *b)
{
    search->path[0] = '\0';
    return append(search->path, sizeof search->path, search->root) &&
           append(search->path, sizeof search->path, a) &&
           append(search->path, sizeof search->path, b);
}

/* "max", "-1" and text that is no number are no quota. */
static unsigned processors(const char *quota_text, const char *period_text)
{
    char *end;
    long long quota = strtoll(quota_text, &end, 10);
    long long period = strtoll(period_text ? period_text : end, NULL, 10);
    if (quota <= 0 || period <= 0)
        return OS_CGROUP_NO_LIMIT;

    long long count = quota / period + (quota % period != 0);
    return count < OS_CGROUP_NO_LIMIT ? (unsigned)count : OS_CGROUP_NO_LIMIT;
}

/* The first line of a file in the directory search->path. */
static char *read_in_path(struct search *search, const char *name, char *text, size_t size)
{
    size_t length = strlen(search->path);
    char *line = NULL;

    if (append(search->path, sizeof search->path, name))
        line = os_lines_first(search->path, text, size);
    search->path[length] = '\0';
    return line;
}

/* The quota of the group whose directory is search->path. */
static unsigned limit_here(struct search *search)
{
    char quota_text[64];
    char period_text[64];

    if (search->version == OS_CGROUP_V2) {
        char *both = read_in_path(search, "/cpu.max", quota_text, sizeof quota_text);
        return both ? processors(both, NULL) : OS_CGROUP_NO_LIMIT;
    }
    char *quota = read_in_path(search, "/cpu.cfs_quota_us", quota_text, sizeof quota_text);
    char *period = read_in_path(search, "/cpu.cfs_period_us", period_text, sizeof period_text);
    return quota && period ? processors(quota, period) : OS_CGROUP_NO_LIMIT;
}

/* The least quota on the way from the group up to the root of the mount. */
static unsigned limit_below(struct search *search, const struct os_cgroup_mount *mount)
{
    const char *below = os_cgroup_below(mount->root, search->group);
    if (!below || !path_is(search, mount->point, below))
        return OS_CGROUP_NO_LIMIT;

    char *top = search->path + strlen(search->root) + strlen(mount->point);
    unsigned limit = limit_here(search);
    for (char *slash = strrchr(top, '/'); slash; slash = strrchr(top, '/')) {
        *slash = '\0';
        limit = least(limit, limit_here(search));
    }
    return limit;
}

static bool open_lines(struct search *search, struct os_lines *lines, const char *path)
{
    return path_is(search, path, "") &&
           os_lines_open(lines, search->path, search->line, sizeof search->line) == 0;
}

static bool find_group(struct search *search)
{
    struct os_lines lines;
    const char *group = NULL;

    if (!open_lines(search, &lines, "/proc/self/cgroup"))
        return false;
    for (char *line = os_lines_next(&lines); line && !group; line = os_lines_next(&lines)) {
        group = os_cgroup_group(line, search->version);
        if (group) {
            search->group[0] = '\0';
            (void)append(search->group, sizeof search->group, group);
        }
    }
    os_lines_close(&lines);
    return group != NULL;
}

/* A hierarchy may be mounted several times, each with a root of its own. */
static unsigned limit_in_hierarchy(struct search *search, enum os_cgroup_version version)
{
    struct os_lines lines;
    struct os_cgroup_mount mount;
    unsigned limit = OS_CGROUP_NO_LIMIT;

    search->version = version;
    if (!find_group(search) || !open_lines(search, &lines, "/proc/self/mountinfo"))
        return OS_CGROUP_NO_LIMIT;
    for (char *line = os_lines_next(&lines); line; line = os_lines_next(&lines))
        if (os_cgroup_mount(line, version, &mount))
            limit = least(limit, limit_below(search, &mount));
    os_lines_close(&lines);
    return limit;
}

unsigned os_cgroup_cpu_limit(const char *root)
{
    struct search *search =
        mmap(NULL, sizeof *search, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (search == MAP_FAILED)
        return OS_CGROUP_NO_LIMIT;

    search->root = root;
    unsigned limit =
        least(limit_in_hierarchy(search, OS_CGROUP_V1), limit_in_hierarchy(search, OS_CGROUP_V2));
    (void)munmap(search, sizeof *search);
    return limit;
}
