/* SPDX-License-Identifier: MIT */
/*
 * The way of failures and skips from a child to its parent: records in a memory file. Unlike a pipe
 * it never fills up, and it outlives a child that crashes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"

/* A record: type, file, line and text, separated and ended by bytes that no text has. */
#define FIELD '\x1f'
#define RECORD '\x1e'

static int report_to = -1;

static void append(char type, const char *file, int line, const char *text)
{
    char record[5000];
    int length = snprintf(record, sizeof(record) - 1, "%c%c%s%c%d%c%s", type, FIELD, file, FIELD,
                          line, FIELD, text);
    if (length > (int)sizeof(record) - 2) {
        length = (int)sizeof(record) - 2;
    }
    record[length++] = RECORD;
    if (write(report_to, record, (size_t)length) != length) {
        /* The test has closed it, or may not write: the output is the next best place. */
        (void)printf("%s:%d: %s\n", file, line, text);
        (void)fflush(stdout);
    }
}

static void fail(const char *file, int line, const char *text)
{
    append('F', file, line, text);
}

static void skip(const char *file, int line, const char *reason)
{
    append('S', file, line, reason);
}

int kit_report_open(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);

    /* Threads write at once. Only at the end is a write one step: a position is shared unguarded.
     */
    if (fd != -1)
        (void)fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

void kit_child_enter(int report)
{
    static const struct kit_sink sink = {fail, skip};
    report_to = report;
    kit_start_over();
    kit_set_sink(&sink);
}

void kit_child_leave(void)
{
    (void)fflush(stdout);
    (void)fflush(stderr);
    if (kit_failures() > 0) {
        _exit(KIT_CHILD_FAILED);
    }
    _exit(kit_skipped() ? KIT_CHILD_SKIPPED : 0);
}

void kit_report_read(int report, char *text, size_t size)
{
    size_t used = 0;
    while (used < size - 1) {
        const ssize_t got = pread(report, text + used, size - 1 - used, (off_t)used);
        if (got == -1 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        used += (size_t)got;
    }
    text[used] = '\0';
}

/* Cuts the text before `end` off and moves `*at` behind it; NULL when there is no such end. */
static char *cut(char **at, char end)
{
    char *start = *at;
    char *found = strchr(start, end);
    if (found == NULL) {
        return NULL;
    }
    *found = '\0';
    *at = found + 1;
    return start;
}

void kit_report_repeat(char *text)
{
    char *record;
    while ((record = cut(&text, RECORD)) != NULL) {
        const char *type = cut(&record, FIELD);
        char *file = cut(&record, FIELD);
        const char *line = cut(&record, FIELD);
        if (type == NULL || file == NULL || line == NULL) {
            continue;
        }
        if (*type == 'S') {
            kit_skip(file, (int)strtol(line, NULL, 10), record);
        } else {
            kit_fail_text(file, (int)strtol(line, NULL, 10), record);
        }
    }
}
