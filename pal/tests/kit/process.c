/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

double kit_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void kit_pause(unsigned *turns)
{
    const unsigned turn = (*turns)++;
    if (turn < 20) {
        (void)sched_yield();
        return;
    }
    const long step = turn < 100 ? 50 * 1000L : 1000 * 1000L;
    const struct timespec pause = {0, step};
    (void)nanosleep(&pause, NULL);
}

static pid_t wait_for(pid_t pid, int *status, int flags)
{
    pid_t got;
    do {
        got = waitpid(pid, status, flags);
    } while (got == -1 && errno == EINTR);
    return got;
}

bool kit_wait_until(pid_t pid, double deadline, pid_t victim, int *status)
{
    unsigned turns = 0;
    *status = 0;
    while (wait_for(pid, status, WNOHANG) == 0) {
        if (kit_clock() > deadline) {
            (void)kill(victim, SIGKILL);
            (void)wait_for(pid, status, 0);
            return false;
        }
        kit_pause(&turns);
    }
    return true;
}

bool kit_is_asleep(pid_t tid)
{
    char path[64];
    char state = 0;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) {
            state = 0;
        }
        (void)fclose(file);
    }
    return state == 'S';
}

const char *kit_signal_name(int number, char buffer[16])
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGHUP, "SIGHUP"},   {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"},
        {SIGPIPE, "SIGPIPE"}, {SIGQUIT, "SIGQUIT"}, {SIGSEGV, "SIGSEGV"}, {SIGSTOP, "SIGSTOP"},
        {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGUSR1, "SIGUSR1"},
        {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].number == number) {
            return names[i].name;
        }
    }
    (void)snprintf(buffer, 16, "signal %d", number);
    return buffer;
}
