/* SPDX-License-Identifier: MIT */
#include "os/cgroup_text.h"

#include <stddef.h>
#include <string.h>

/* Whether a comma-separated list has the word. */
static bool list_has(const char *list, size_t length, const char *word)
{
    const char *end = list + length;
    size_t word_length = strlen(word);

    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *item_end = comma ? comma : end;
        if ((size_t)(item_end - list) == word_length && memcmp(list, word, word_length) == 0)
            return true;
        list = item_end + 1;
    }
    return false;
}

/* The line is ID:CONTROLLERS:PATH; that of version 2 has ID 0 and no controllers. */
const char *os_cgroup_group(const char *line, enum os_cgroup_version version)
{
    const char *colon = strchr(line, ':');
    const char *controllers = colon ? colon + 1 : "";
    const char *path = strchr(controllers, ':');
    if (!path)
        return NULL;

    size_t length = (size_t)(path - controllers);
    bool wanted = version == OS_CGROUP_V1 ? list_has(controllers, length, "cpu")
                                          : length == 0 && strncmp(line, "0:", 2) == 0;
    return wanted ? path + 1 : NULL;
}

static bool is_octal(char digit)
{
    return digit >= '0' && digit <= '7';
}

/* In place: the kernel writes a space, tab, newline or backslash as \ooo. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; to++) {
        if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3])) {
            *to = (char)(((from[1] - '0') << 6) | ((from[2] - '0') << 3) | (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* The line is ID PARENT DEVICE ROOT POINT OPTIONS [OPTIONAL...] - TYPE SOURCE SUPER_OPTIONS. */
bool os_cgroup_mount(char *line, enum os_cgroup_version version, struct os_cgroup_mount *ret_mount)
{
    enum { ROOT = 3, POINT = 4, FIELDS = 6 };
    char *fields[FIELDS];
    char *rest = strstr(line, " - ");
    if (!rest)
        return false;
    *rest = '\0';
    rest += 3;

    const char *type = strsep(&rest, " ");
    (void)strsep(&rest, " ");
    if (strcmp(type, version == OS_CGROUP_V1 ? "cgroup" : "cgroup2") != 0 || !rest)
        return false;
    if (version == OS_CGROUP_V1 && !list_has(rest, strlen(rest), "cpu"))
        return false;

    for (int i = 0; i < FIELDS; i++) {
        fields[i] = strsep(&line, " ");
        if (!fields[i])
            return false;
    }
    unescape(fields[ROOT]);
    unescape(fields[POINT]);
    *ret_mount = (struct os_cgroup_mount){.root = fields[ROOT], .point = fields[POINT]};
    return true;
}

/* How many ".." a path begins with; *ret_rest is what follows. */
static int count_ups(const char *path, const char **ret_rest)
{
    int ups = 0;

    while (strncmp(path, "/..", 3) == 0 && (path[3] == '/' || path[3] == '\0')) {
        path += 3;
        ups++;
    }
    *ret_rest = path;
    return ups;
}

static const char *without_lone_slash(const char *path)
{
    return strcmp(path, "/") == 0 ? "" : path;
}

const char *os_cgroup_below(const char *root, const char *group)
{
    int root_ups = count_ups(root, &root);
    int group_ups = count_ups(group, &group);
    root = without_lone_slash(root);
    group = without_lone_slash(group);

    if (root_ups > group_ups && *root == '\0')
        return "";
    size_t length = strlen(root);
    if (root_ups != group_ups || strncmp(root, group, length) != 0)
        return NULL;
    group += length;
    return *group == '/' || *group == '\0' ? group : NULL;
}
