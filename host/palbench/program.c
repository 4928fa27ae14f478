/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "exit_code.h"

#define US_PER_S 1e6

extern char **environ;

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / US_PER_S;
}

static int null_device(void)
{
    static int fd = -1;

    if (fd < 0)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        err(EXIT_INTERNAL, "cannot open /dev/null");
    return fd;
}

static int start(const char *path, char *const argv[], int stderr_fd, uint64_t *ret_begin,
                 pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int null_fd = null_device();
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;

    error = posix_spawn_file_actions_adddup2(&actions, null_fd, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, null_fd, STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDERR_FILENO);
    if (!error) {
        *ret_begin = clock_now_ns();
        error = posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void reap(pid_t pid, uint64_t begin, struct program_result *ret_result)
{
    struct rusage usage;
    int status;

    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            err(EXIT_INTERNAL, "cannot wait for the program");
    *ret_result = (struct program_result){
        .wall_ns = (double)(clock_now_ns() - begin),
        .user_s = seconds(usage.ru_utime),
        .system_s = seconds(usage.ru_stime),
        .status = status,
    };
}

int program_run(const char *path, char *const argv[], struct program_result *ret_result)
{
    uint64_t begin;
    pid_t pid;
    int error = start(path, argv, null_device(), &begin, &pid);

    if (!error)
        reap(pid, begin, ret_result);
    return error;
}

/* Reads to the end of file, so that the program never waits for us. */
static void read_all(int fd, char *text, size_t size)
{
    char dropped[256];
    size_t filled = 0;

    for (;;) {
        size_t room = size - 1 - filled;
        ssize_t count = room ? read(fd, text + filled, room) : read(fd, dropped, sizeof dropped);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        if (room)
            filled += (size_t)count;
    }
    text[filled] = '\0';
}

int program_run_captured(const char *path, char *const argv[], char *text, size_t size,
                         struct program_result *ret_result)
{
    uint64_t begin;
    pid_t pid;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int error = start(path, argv, ends[1], &begin, &pid);
    (void)close(ends[1]);
    if (!error) {
        read_all(ends[0], text, size);
        reap(pid, begin, ret_result);
    }
    (void)close(ends[0]);
    return error;
}

bool program_succeeded(const struct program_result *result, char *text, size_t size)
{
    if (WIFEXITED(result->status) && WEXITSTATUS(result->status) == 0)
        return true;
    if (WIFEXITED(result->status))
        (void)snprintf(text, size, "exited with code %d", WEXITSTATUS(result->status));
    else
        (void)snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(result->status),
                       strsignal(WTERMSIG(result->status)));
    return false;
}
