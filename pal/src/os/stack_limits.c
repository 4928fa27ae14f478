/* SPDX-License-Identifier: MIT */
#include "os/stack_limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/lines.h"

/* A stack does not grow closer to the mapping below it: the kernel's default of stack_guard_gap. */
#define GUARD_GAP_PAGES 256

#define USUAL_LIMIT ((uintptr_t)8 << 20)

struct stack {
    uintptr_t low;   /* how far it may grow */
    uintptr_t start; /* where it begins at present */
    uintptr_t high;
};

struct mapping {
    uintptr_t start;
    uintptr_t end;
    bool accessible;
};

static bool contains(const struct stack *stack, uintptr_t address)
{
    return stack->start <= address && address < stack->high;
}

/* The line begins START-END PERMISSIONS, the former two in hexadecimal. */
static struct mapping parse_mapping(const char *line)
{
    char *text;
    struct mapping mapping = {.start = strtoul(line, &text, 16)};

    mapping.end = strtoul(text + (*text == '-'), &text, 16);
    mapping.accessible = strncmp(text, " ---", 4) != 0;
    return mapping;
}

/*
 * Where the mapping that ends at `high` starts, and where the one below it ends. The stack may be
 * several mappings, if someone changed the protection of a part; a part without any is a guard.
 */
static bool find_mapping(uintptr_t high, uintptr_t *ret_start, uintptr_t *ret_below)
{
    char text[128];
    struct os_lines lines;
    struct mapping before = {0};
    uintptr_t start = 0;
    uintptr_t below = 0;

    if (os_lines_open(&lines, "/proc/self/maps", text, sizeof text) != 0)
        return false;
    for (char *line = os_lines_next(&lines); line && before.end < high;
         line = os_lines_next(&lines)) {
        struct mapping mapping = parse_mapping(line);
        if (mapping.start != before.end || !before.accessible) {
            start = mapping.start;
            below = before.end;
        }
        before = mapping;
    }
    os_lines_close(&lines);
    *ret_start = start;
    *ret_below = below;
    return before.end == high;
}

/* The kernel puts the program's name at the very end of the main thread's stack. */
static uintptr_t main_stack_end(uintptr_t page)
{
    const char *name = (const char *)getauxval(AT_EXECFN); /* NOLINT(performance-no-int-to-ptr) */
    return name ? ((uintptr_t)name + strlen(name) + page) & ~(page - 1) : 0;
}

/* The stack's limit in bytes. It counts from the end of the stack, in whole pages. */
static uintptr_t main_stack_size(uintptr_t page, bool is_checked)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < UINTPTR_MAX)
        return (uintptr_t)limit.rlim_cur & ~(page - 1);
    return is_checked ? UINTPTR_MAX : USUAL_LIMIT;
}

/* By hand: glibc needs /proc for it, musl tells what the stack has grown to, neither the gap. */
static bool find_main_stack(struct stack *ret_stack)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t high = main_stack_end(page);
    uintptr_t start = high;
    uintptr_t below = 0;
    if (high == 0)
        return false;

    bool is_mapped = find_mapping(high, &start, &below);
    uintptr_t size = main_stack_size(page, is_mapped);
    uintptr_t low = size < high ? high - size : 0;
    uintptr_t floor = below + GUARD_GAP_PAGES * page;
    if (low < floor)
        low = floor;
    if (is_mapped && low > start)
        low = start; /* the limit was lowered since it grew, or a guard is next to it */
    *ret_stack = (struct stack){.low = low, .start = is_mapped ? start : low, .high = high};
    return true;
}

/* What libc knows of a thread's stack is without the guard. */
static int find_thread_stack(struct stack *ret_stack)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;

    int error = pthread_getattr_np(pthread_self(), &attributes);
    if (error)
        return -error;
    error = pthread_attr_getstack(&attributes, &low, &size);
    (void)pthread_attr_destroy(&attributes);
    uintptr_t start = (uintptr_t)low;
    *ret_stack = (struct stack){.low = start, .start = start, .high = start + size};
    return -error;
}

/* In a child of fork the main thread is the one that forked, and runs on that one's stack. */
int os_stack_limits(void **ret_low, void **ret_high)
{
    struct stack main = {0};
    struct stack stack = {0};
    bool is_main = syscall(SYS_gettid) == getpid() && find_main_stack(&main);

    if (is_main && contains(&main, (uintptr_t)__builtin_frame_address(0))) {
        stack = main;
    } else {
        int error = find_thread_stack(&stack);
        if (error)
            return error;
        /* The main thread on another stack for a while, that of its signals, say. */
        if (is_main && contains(&main, stack.high - 1))
            stack = main;
    }
    *ret_low = (void *)stack.low;   /* NOLINT(performance-no-int-to-ptr) */
    *ret_high = (void *)stack.high; /* NOLINT(performance-no-int-to-ptr) */
    return 0;
}
