/* SPDX-License-Identifier: MIT */
/* The lines of a text file, such as /proc has, without allocating memory. */
#ifndef OS_LINES_H
#define OS_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct os_lines {
    int fd;
    char *buffer; /* the caller's */
    size_t size;
    size_t next; /* buffer[next .. end) was read and not handed out */
    size_t end;
    bool cut; /* the line before this was longer than the buffer */
};

/* Returns 0 or -errno; after 0, os_lines_close is due. */
int os_lines_open(struct os_lines *lines, const char *path, char *buffer, size_t size);
void os_lines_close(struct os_lines *lines);

/*
 * The next line, without its newline, to be changed at will until the next call; NULL after the
 * last and where reading fails. A line of `size` bytes or more loses its end.
 */
char *os_lines_next(struct os_lines *lines);

/* The first line of a file, in `buffer`; NULL when there is none or the file cannot be read. */
char *os_lines_first(const char *path, char *buffer, size_t size);

#endif
