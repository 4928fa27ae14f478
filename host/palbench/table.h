/* SPDX-License-Identifier: MIT */
/* Text for a reader: a table with aligned columns, and the characters that the terminal has. */
#ifndef PALBENCH_TABLE_H
#define PALBENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_CELL_SIZE 256 /* bytes; longer text is cut */

struct table {
    size_t columns;
    size_t cells; /* filled so far, row by row */
    char (*text)[TABLE_CELL_SIZE];
};

/* Adds the next cell, to be filled in. Ends the program when memory runs out. */
char *table_next(struct table *table);
#define table_add(table, ...) ((void)snprintf(table_next(table), TABLE_CELL_SIZE, __VA_ARGS__))

/* Prints the first row as a heading; the first column is left-aligned, the others right-aligned. */
void table_print(const struct table *table, FILE *stream);
void table_free(struct table *table);

/* Whether the locale's characters are UTF-8. */
bool text_is_utf8(void);

/* "±" and "µ", or what ASCII has for them. */
const char *text_plus_minus(void);
const char *text_micro(void);

/* A time in the unit that suits it: "162 ns", "15.6 µs", "10.01 ms". */
void text_ns(char *text, size_t size, double ns);

#endif
