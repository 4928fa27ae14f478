/* SPDX-License-Identifier: MIT */
#include "init/environment.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "thread/flush.h"
#include "thread/flush_choice.h"

static bool parse_flush(const char *value, int *ret_wish)
{
    for (int method = PAL_FLUSH_METHOD_NONE; method <= PAL_FLUSH_METHOD_GLOBAL; method++) {
        const char *name = flush_method_name((PAL_FLUSH_METHOD)method);
        if (name && strcmp(name, value) == 0) {
            *ret_wish = method;
            return true;
        }
    }
    return false;
}

/* Bytes: decimal, or hexadecimal after 0x. */
static bool parse_size(const char *value, size_t *ret_size)
{
    char *end;

    /* strtoull would take a sign and leading space. */
    if (*value < '0' || *value > '9')
        return false;
    errno = 0;
    unsigned long long size = strtoull(value, &end, 0);
    *ret_size = (size_t)size;
    return *end == '\0' && errno == 0 && size > 0 && size <= SIZE_MAX;
}

struct environment environment_parse(const char *pal_flush, const char *pal_stack_size,
                                     const char *pal_trace)
{
    struct environment environment = {.flush_wish = FLUSH_WISH_AUTO};

    /* Set but empty counts as not set, so that a script can clear what it inherits. */
    if (pal_flush && *pal_flush && !parse_flush(pal_flush, &environment.flush_wish))
        environment.error = -EINVAL;
    if (pal_stack_size && *pal_stack_size && !parse_size(pal_stack_size, &environment.stack_size))
        environment.error = -EINVAL;
    if (pal_trace && *pal_trace) {
        environment.trace_init = strcmp(pal_trace, "init") == 0;
        if (!environment.trace_init)
            environment.error = -EINVAL;
    }
    return environment;
}

struct environment environment_read(void)
{
    return environment_parse(secure_getenv("PAL_FLUSH"), secure_getenv("PAL_STACK_SIZE"),
                             secure_getenv("PAL_TRACE"));
}
