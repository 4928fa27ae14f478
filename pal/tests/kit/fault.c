/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order is published by its error: 0 means that there is none. */
struct order {
    atomic_int calls;
    atomic_int skip;
    atomic_int count;
    atomic_int error;
};

static struct order orders[OS_CALL_COUNT];

static const char *const names[] = {
    [OS_CALL_PAGE_SIZE] = "page_size",
    [OS_CALL_CLOCK] = "clock",
    [OS_CALL_AFFINITY] = "affinity",
    [OS_CALL_AT_FORK] = "at_fork",
    [OS_CALL_UNSHARE] = "unshare",
    [OS_CALL_MEMBARRIER_QUERY] = "membarrier_query",
    [OS_CALL_MEMBARRIER_REGISTER] = "membarrier_register",
    [OS_CALL_MEMBARRIER_PRIVATE] = "membarrier_private",
    [OS_CALL_MEMBARRIER_GLOBAL] = "membarrier_global",
    [OS_CALL_MMAP] = "mmap",
    [OS_CALL_MPROTECT] = "mprotect",
    [OS_CALL_MLOCK] = "mlock",
    [OS_CALL_EVENTFD] = "eventfd",
    [OS_CALL_THREAD_START] = "thread_start",
    [OS_CALL_THREAD_CREATE] = "thread_create",
    [OS_CALL_THREAD_KEY] = "thread_key",
    [OS_CALL_MEMORY_MAP] = "memory_map",
    [OS_CALL_STACK_MAP] = "stack_map",
    [OS_CALL_FUTEX_WAIT] = "futex_wait",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == OS_CALL_COUNT, "a call has no name");

int os_fault(enum os_call call)
{
    struct order *order = &orders[call];
    const int turn = atomic_fetch_add(&order->calls, 1);
    const int error = atomic_load(&order->error);
    if (error == 0) {
        return 0;
    }
    const int after = turn - atomic_load(&order->skip);
    return after >= 0 && after < atomic_load(&order->count) ? -error : 0;
}

void kit_fault(enum os_call call, int skip, int count, int error)
{
    struct order *order = &orders[call];
    atomic_store(&order->error, 0);
    atomic_store(&order->skip, skip);
    atomic_store(&order->count, count);
    atomic_store(&order->calls, 0);
    atomic_store(&order->error, error);
}

void kit_fault_clear(void)
{
    for (int call = 0; call < OS_CALL_COUNT; call++) {
        kit_fault((enum os_call)call, 0, 0, 0);
    }
}

int kit_fault_calls(enum os_call call)
{
    return atomic_load(&orders[call].calls);
}

static int find_call(const char *name)
{
    for (int call = 0; call < OS_CALL_COUNT; call++) {
        if (strcmp(names[call], name) == 0) {
            return call;
        }
    }
    return -1;
}

static int number(const char *text)
{
    return strcmp(text, "forever") == 0 ? KIT_FOREVER : (int)strtol(text, NULL, 10);
}

/* A part that cannot be read would leave a test that tests nothing: end the process instead. */
static void take_part(char *part)
{
    char *rest = NULL;
    const char *name = strtok_r(part, ":", &rest);
    const char *skip = strtok_r(NULL, ":", &rest);
    const char *count = strtok_r(NULL, ":", &rest);
    const char *error = strtok_r(NULL, ":", &rest);
    const int call = name != NULL ? find_call(name) : -1;
    if (call == -1 || error == NULL || number(error) <= 0) {
        (void)fprintf(stderr, "PAL_TEST_FAULT: bad part: %s\n", name != NULL ? name : "");
        abort();
    }
    kit_fault((enum os_call)call, number(skip), number(count), number(error));
}

/* Early: constructors of the library make calls of their own. */
__attribute__((constructor(101))) static void take_environment(void)
{
    const char *value = getenv("PAL_TEST_FAULT");
    if (value == NULL) {
        return;
    }
    char text[512];
    (void)snprintf(text, sizeof(text), "%s", value);
    char *rest = NULL;
    for (char *part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
        take_part(part);
    }
}
