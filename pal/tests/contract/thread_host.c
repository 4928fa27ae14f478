/* SPDX-License-Identifier: MIT */
/*
 * What takes a program of its own.
 *
 * thread_host stacks REQUEST=USABLE...: for each, a thread with a stack of the requested size
 * touches as many bytes as it may use: to be run under limits that count from a program's start.
 *
 * thread_host exit-main | exit-main-alone: ExitThread in the main thread, which a runner in C++
 * would take for an exception to catch.
 */
#include <pal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/threads.h"

static DWORD PALAPI use_stack(LPVOID size)
{
    touch_stack(*(size_t *)size - stack_slack);
    return 1;
}

static int use_stacks(int count, char **pairs)
{
    for (int i = 0; i < count; i++) {
        char *rest;
        const size_t request = strtoull(pairs[i], &rest, 10);
        size_t usable = strtoull(rest + 1, NULL, 10);
        HANDLE thread = CreateThread(NULL, request, use_stack, &usable, 0, NULL);
        if (!thread) {
            (void)printf("%zu: error %u\n", request, (unsigned)GetLastError());
            return 1;
        }
        if (thread_finish(thread) != 1)
            return 1;
    }
    (void)printf("%d threads\n", count);
    return 0;
}

static HANDLE main_thread;

static DWORD PALAPI outlive_main(LPVOID unused)
{
    DWORD code = 0;

    (void)unused;
    if (WaitForSingleObject(main_thread, INFINITE) == WAIT_OBJECT_0 &&
        GetExitCodeThread(main_thread, &code))
        (void)printf("main thread: %u\n", (unsigned)code);
    if (thread_finish(thread_start(thread_returns, (LPVOID)9)) == 9) /* life goes on */
        (void)printf("still here\n");
    return 3;
}

static void exit_main(bool alone)
{
    if (!alone && (!DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                                    &main_thread, 0, FALSE, DUPLICATE_SAME_ACCESS) ||
                   !thread_start(outlive_main, NULL)))
        exit(2);
    ExitThread(7);
}

int main(int argc, char **argv)
{
    if (argc < 2 || PAL_Initialize(0, NULL) != 0)
        return 2;
    if (strncmp(argv[1], "exit-main", 9) == 0)
        exit_main(strcmp(argv[1], "exit-main-alone") == 0);
    const int status = use_stacks(argc - 2, argv + 2);
    PAL_Terminate();
    return status;
}
