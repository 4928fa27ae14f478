/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <err.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"

#define GROWTH_ROWS 16
#define NS_PER_US 1e3
#define NS_PER_MS 1e6

char *table_next(struct table *table)
{
    if (table->cells % (GROWTH_ROWS * table->columns) == 0) {
        size_t cells = table->cells + GROWTH_ROWS * table->columns;
        table->text = reallocarray(table->text, cells, sizeof *table->text);
        if (!table->text)
            err(EXIT_INTERNAL, "cannot make a table of %zu cells", cells);
    }
    return table->text[table->cells++];
}

void table_free(struct table *table)
{
    free(table->text);
}

/* Characters, not bytes: those that continue a UTF-8 character are left out. */
static size_t width(const char *text)
{
    size_t characters = 0;

    for (; *text; text++)
        characters += (*text & 0xc0) != 0x80;
    return characters;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t widest = 0;

    for (size_t i = column; i < table->cells; i += table->columns)
        if (width(table->text[i]) > widest)
            widest = width(table->text[i]);
    return widest;
}

void table_print(const struct table *table, FILE *stream)
{
    for (size_t i = 0; i < table->cells; i++) {
        size_t column = i % table->columns;
        int padding = (int)(column_width(table, column) - width(table->text[i]));
        if (column == 0)
            (void)fprintf(stream, "%s%*s", table->text[i], padding, "");
        else
            (void)fprintf(stream, "  %*s%s", padding, "", table->text[i]);
        if (column + 1 == table->columns)
            (void)fputc('\n', stream);
    }
}

bool text_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

const char *text_plus_minus(void)
{
    return text_is_utf8() ? "\u00b1" : "+-";
}

const char *text_micro(void)
{
    return text_is_utf8() ? "\u00b5" : "u";
}

void text_ns(char *text, size_t size, double ns)
{
    if (ns < NS_PER_US)
        (void)snprintf(text, size, "%.0f ns", ns);
    else if (ns < NS_PER_MS)
        (void)snprintf(text, size, "%.2f %ss", ns / NS_PER_US, text_micro());
    else
        (void)snprintf(text, size, "%.2f ms", ns / NS_PER_MS);
}
