/* SPDX-License-Identifier: MIT */
#include "contract/threads.h"

#include <alloca.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit/process.h"
#include "kit/test.h"

const size_t stack_slack = KIT_SANITIZED ? 8192 : 1024;

HANDLE thread_start(LPTHREAD_START_ROUTINE start, LPVOID parameter)
{
    HANDLE thread = CreateThread(NULL, 0, start, parameter, 0, NULL);

    if (thread == NULL)
        kit_fail(__FILE__, __LINE__, "CreateThread: error %u", (unsigned)GetLastError());
    return thread;
}

DWORD thread_finish(HANDLE thread)
{
    DWORD code = STILL_ACTIVE;

    EXPECT_EQ(WaitForSingleObject(thread, INFINITE), (DWORD)WAIT_OBJECT_0);
    EXPECT_TRUE(GetExitCodeThread(thread, &code));
    EXPECT_TRUE(CloseHandle(thread));
    return code;
}

DWORD thread_returns(LPVOID code)
{
    return (DWORD)(uintptr_t)code;
}

DWORD thread_exits(LPVOID code)
{
    ExitThread((DWORD)(uintptr_t)code);
}

DWORD held_body(LPVOID parameter)
{
    struct held *held = parameter;

    kit_latch_arrive(&held->running);
    kit_latch_wait(&held->release);
    return 0;
}

void held_init(struct held *held)
{
    *held = (struct held){.handle = NULL};
    kit_latch_init(&held->running, 1);
    kit_latch_init(&held->release, 1);
}

bool held_start(struct held *held)
{
    held_init(held);
    held->handle = CreateThread(NULL, 0, held_body, held, 0, &held->id);
    if (held->handle == NULL) {
        kit_fail(__FILE__, __LINE__, "CreateThread: error %u", (unsigned)GetLastError());
        return false;
    }
    kit_latch_wait(&held->running);
    return true;
}

void held_finish(struct held *held)
{
    kit_latch_arrive(&held->release);
    EXPECT_EQ(thread_finish(held->handle), 0u);
}

void wait_until_asleep(DWORD id)
{
    unsigned turns = 0;

    while (!kit_is_asleep((pid_t)id))
        kit_pause(&turns);
}

void read_comm(DWORD id, char comm[COMM_SIZE])
{
    char path[64];
    ssize_t length = -1;

    (void)snprintf(path, sizeof path, "/proc/self/task/%u/comm", (unsigned)id);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, comm, COMM_SIZE - 1);
        (void)close(fd);
    }
    if (length <= 0) {
        (void)strcpy(comm, "?");
        return;
    }
    comm[length] = '\0';
    if (comm[length - 1] == '\n')
        comm[length - 1] = '\0';
}

__attribute__((noinline)) void touch_stack(size_t size)
{
    volatile char *bytes = alloca(size);

    /* From above: the kernel may want the main thread's stack to grow by and by. */
    for (size_t at = size; at > 4096; at -= 4096)
        bytes[at - 1] = 1;
    bytes[0] = 1;
}

long anonymous_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "re");

    while (file && kib == -1 && fgets(line, sizeof line, file))
        if (sscanf(line, "Anonymous: %ld", &kib) != 1)
            kib = -1;
    if (file)
        (void)fclose(file);
    return kib;
}

struct kit_resources resources_when_settled(int tasks)
{
    const struct kit_resources expected = {.tasks = tasks};
    return kit_resources_after(&expected);
}

void expect_no_growth(long before_kib, long after_kib)
{
    /* A sanitizer remembers what was freed. */
    if (!KIT_SANITIZED)
        EXPECT_LE(after_kib, before_kib + 512);
}

unsigned next_random(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}
