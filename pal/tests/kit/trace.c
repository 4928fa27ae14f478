/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "process.h"
#include "tracer.h"

/* The child waits on `gate` until it is traced. */
static _Noreturn void be_traced(const int gate[2], int report, void (*body)(void *), void *arg)
{
    char byte;
    (void)close(gate[1]);
    if (read(gate[0], &byte, 1) != 1) {
        _exit(0); /* the parent could not trace it */
    }
    (void)close(gate[0]);
    kit_child_enter(report);
    kit_trace_mark(KIT_MARK_BEGIN);
    body(arg);
    kit_trace_mark(KIT_MARK_END);
    kit_child_leave();
}

static int record(pid_t pid, int gate, struct kit_trace_log *log)
{
    int error = kit_tracer_seize(pid);
    if (error == 0 && write(gate, "", 1) == 1) {
        return kit_tracer_record(pid, kit_clock() + KIT_CHILD_SECONDS, log);
    }
    (void)kill(pid, SIGKILL);
    int status;
    while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
    }
    return error != 0 ? error : -EIO;
}

static void repeat_report(int report, const struct kit_trace_log *log)
{
    static char text[KIT_CHILD_TEXT];
    kit_report_read(report, text, sizeof(text));
    kit_report_repeat(text);
    if (log->timed_out) {
        kit_fail(__FILE__, __LINE__, "traced child: killed after %d s", KIT_CHILD_SECONDS);
    }
}

static int fork_and_record(int report, void (*body)(void *), void *arg, struct kit_trace_log *log)
{
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) == -1) {
        return -errno;
    }
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        be_traced(gate, report, body, arg);
    }
    int error = -errno;
    (void)close(gate[0]);
    if (pid != -1) {
        error = record(pid, gate[1], log);
    }
    (void)close(gate[1]);
    return error;
}

int kit_trace(void (*body)(void *), void *arg, struct kit_trace_log *log)
{
    *log = (struct kit_trace_log){.exit_code = -1};
    const int report = kit_report_open("report");
    if (report == -1) {
        return -errno;
    }
    const int error = fork_and_record(report, body, arg, log);
    if (error == 0) {
        repeat_report(report, log);
    } else {
        kit_trace_free(log);
    }
    (void)close(report);
    return error;
}

struct program {
    char *const *argv;
    char *const *envp_extra;
};

static void be_program(void *arg)
{
    const struct program *program = arg;
    if (KIT_ASAN) {
        (void)setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* LeakSanitizer cannot be traced */
    }
    const int error = kit_exec(program->argv, program->envp_extra);
    (void)fprintf(stderr, "%s: %s\n", program->argv[0], strerror(error));
    _exit(KIT_CHILD_NO_EXEC);
}

int kit_trace_program(char *const argv[], char *const envp_extra[], struct kit_trace_log *log)
{
    struct program program = {argv, envp_extra};
    return kit_trace(be_program, &program, log);
}

void kit_trace_free(struct kit_trace_log *log)
{
    free(log->calls);
    log->calls = NULL;
    log->count = 0;
}

static bool argument_is(unsigned long argument, long wanted)
{
    if (wanted == KIT_ANY) {
        return true;
    }
#if LONG_MAX > INT32_MAX
    if (wanted >= INT32_MIN && wanted <= (long)UINT32_MAX) {
        return (uint32_t)argument == (uint32_t)wanted;
    }
#endif
    return argument == (unsigned long)wanted;
}

int kit_trace_find(const struct kit_trace_log *log, int from, long nr, long arg0)
{
    for (int i = from < 0 ? 0 : from; i < log->count; i++) {
        const struct kit_trace_call *call = &log->calls[i];
        if ((nr == KIT_ANY || call->nr == nr) && argument_is(call->args[0], arg0)) {
            return i;
        }
    }
    return -1;
}

void kit_trace_mark(int id)
{
    const int error = errno;
    (void)syscall(SYS_prctl, KIT_MARK_OPTION, id, 0, 0, 0);
    errno = error;
}

int kit_trace_find_mark(const struct kit_trace_log *log, int from, int id)
{
    int at = from - 1;
    do {
        at = kit_trace_find(log, at + 1, SYS_prctl, KIT_MARK_OPTION);
    } while (at != -1 && (int)log->calls[at].args[1] != id);
    return at;
}

void kit_trace_print(const struct kit_trace_log *log)
{
    for (int i = 0; i < log->count; i++) {
        const struct kit_trace_call *call = &log->calls[i];
        (void)printf("%4d task %d (%d/%d) nr %ld(%#lx, %#lx, %#lx, %#lx)", i, call->task,
                     (int)call->pid, (int)call->tid, call->nr, call->args[0], call->args[1],
                     call->args[2], call->args[3]);
        if (call->finished) {
            (void)printf(" = %ld, before %d\n", call->result, call->end);
        } else {
            (void)printf(" ...\n");
        }
    }
    (void)fflush(stdout);
}
