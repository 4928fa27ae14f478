/* SPDX-License-Identifier: MIT */
#include "os/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int os_lines_open(struct os_lines *lines, const char *path, char *buffer, size_t size)
{
    *lines = (struct os_lines){.size = size};
    lines->buffer = buffer;
    lines->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return lines->fd < 0 ? -errno : 0;
}

void os_lines_close(struct os_lines *lines)
{
    (void)close(lines->fd);
}

/* Moves what is left to the front and reads more behind it; false: no room, no more, an error. */
static bool read_more(struct os_lines *lines)
{
    size_t left = lines->end - lines->next;
    size_t room = lines->size - 1 - left; /* 1: the NUL of a line that is cut */
    ssize_t got;

    memmove(lines->buffer, lines->buffer + lines->next, left);
    lines->next = 0;
    lines->end = left;
    if (room == 0)
        return false;
    do
        got = read(lines->fd, lines->buffer + left, room);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    lines->end += (size_t)got;
    return true;
}

char *os_lines_next(struct os_lines *lines)
{
    for (;;) {
        char *line = lines->buffer + lines->next;
        size_t length = lines->end - lines->next;
        char *newline = memchr(line, '\n', length);
        if (!newline && read_more(lines))
            continue;
        line = lines->buffer + lines->next;
        if (!newline && length == 0)
            return NULL;

        bool rest_of_cut = lines->cut;
        lines->cut = !newline;
        if (newline)
            length = (size_t)(newline - line);
        line[length] = '\0';
        lines->next += newline ? length + 1 : length;
        if (!rest_of_cut)
            return line;
    }
}

char *os_lines_first(const char *path, char *buffer, size_t size)
{
    struct os_lines lines;

    if (os_lines_open(&lines, path, buffer, size) != 0)
        return NULL;
    char *line = os_lines_next(&lines);
    os_lines_close(&lines);
    return line;
}
