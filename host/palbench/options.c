/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"

error_t options_begin(struct argp_state *state)
{
    /* getopt's line stays; without a stream, argp leaves out "Try ... --help" and does not exit. */
    state->err_stream = NULL;
    return 0;
}

void options_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    if (argp_parse(argp, argc, argv, ARGP_IN_ORDER, NULL, input) != 0)
        exit(EXIT_BAD_USAGE);
}

unsigned long options_number(const char *option, const char *text, unsigned long least,
                             unsigned long most)
{
    char *end;

    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || number < least || number > most)
        errx(EXIT_BAD_USAGE, "%s takes a number from %lu to %lu, not '%s'", option, least, most,
             text);
    return number;
}

uint32_t options_set(const char *option, const char *list, const char *const *names, size_t count)
{
    uint32_t set = 0;

    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        size_t i = 0;
        while (i < count && (strncmp(names[i], name, length) != 0 || names[i][length]))
            i++;
        if (i == count)
            errx(EXIT_BAD_USAGE, "%s does not know '%.*s'; --help lists what it takes", option,
                 (int)length, name);
        set |= UINT32_C(1) << i;
        name += length;
        if (!*name)
            return set;
    }
}
