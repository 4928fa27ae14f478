/* SPDX-License-Identifier: MIT */
/*
 * What the first thread of a process costs, told on stderr: created and joined through the PAL, or
 * by libc alone. The PAL is initialised, without its worker, in either case: what differs is the
 * thread.
 */
#include <pal/init.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "spawn_impls.h"

static int time_first(const struct spawn_impl *impl)
{
    struct spawn_stack stack;
    union spawn_thread thread;

    if (PAL_InitializeDLL() != 0)
        return 1;
    spawn_stack_open(&stack, 0);
    uint64_t begin = clock_now_ns();
    impl->create(&thread, &stack, &spawn_nothing, NULL);
    impl->join(&thread);
    uint64_t end = clock_now_ns();
    spawn_stack_close(&stack);
    PAL_Terminate();
    return fprintf(stderr, "{\"create_ns\":%llu}\n", (unsigned long long)(end - begin)) < 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < SPAWN_IMPL_COUNT; i++)
        if (strcmp(argv[1], spawn_impls[i].name) == 0)
            return time_first(&spawn_impls[i]);
    (void)fprintf(stderr, "palfirst: usage: palfirst pal|pthread\n");
    return 2;
}
