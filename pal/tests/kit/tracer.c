/* SPDX-License-Identifier: MIT */
#include "tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

struct task {
    pid_t tid;
    pid_t pid;
    int call; /* the one that it is in, or -1 */
    bool alive;
};

struct tracer {
    struct kit_trace_log *log;
    int room; /* of log->calls */
    struct task *tasks;
    int count;
    int task_room;
    pid_t main;
    bool recording;
    int error;
};

static void *grow(void *items, int *room, size_t size)
{
    const int more = *room == 0 ? 256 : *room * 2;
    void *grown = realloc(items, (size_t)more * size);
    if (grown == NULL) {
        perror("tracer");
        abort();
    }
    *room = more;
    return grown;
}

static pid_t process_of(pid_t tid)
{
    char path[64];
    char line[128];
    int pid = tid;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return tid;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "Tgid:", 5) == 0) {
            pid = (int)strtol(line + 5, NULL, 10);
            break;
        }
    }
    (void)fclose(file);
    return pid;
}

static struct task *find_task(const struct tracer *tracer, pid_t tid)
{
    for (int i = 0; i < tracer->count; i++) {
        if (tracer->tasks[i].alive && tracer->tasks[i].tid == tid) {
            return &tracer->tasks[i];
        }
    }
    return NULL;
}

static struct task *add_task(struct tracer *tracer, pid_t tid)
{
    if (tracer->count == tracer->task_room) {
        tracer->tasks = grow(tracer->tasks, &tracer->task_room, sizeof(struct task));
    }
    struct task *task = &tracer->tasks[tracer->count++];
    *task = (struct task){.tid = tid, .pid = process_of(tid), .call = -1, .alive = true};
    return task;
}

/* The marks around the body switch the recording and are not recorded. */
static bool is_switch(struct tracer *tracer, const struct __ptrace_syscall_info *info)
{
    if (info->entry.nr != SYS_prctl || (unsigned)info->entry.args[0] != KIT_MARK_OPTION) {
        return false;
    }
    const int id = (int)info->entry.args[1];
    if (id == KIT_MARK_BEGIN || id == KIT_MARK_END) {
        tracer->recording = id == KIT_MARK_BEGIN;
        return true;
    }
    return false;
}

static void enter(struct tracer *tracer, struct task *task,
                  const struct __ptrace_syscall_info *info)
{
    task->call = -1;
    if (is_switch(tracer, info) || !tracer->recording) {
        return;
    }
    struct kit_trace_log *log = tracer->log;
    if (log->count == tracer->room) {
        log->calls = grow(log->calls, &tracer->room, sizeof(struct kit_trace_call));
    }
    struct kit_trace_call *call = &log->calls[log->count];
    *call = (struct kit_trace_call){
        .tid = task->tid,
        .pid = task->pid,
        .task = (int)(task - tracer->tasks),
        .nr = (long)info->entry.nr,
    };
    for (int i = 0; i < 6; i++) {
        call->args[i] = (unsigned long)info->entry.args[i];
    }
    task->call = log->count++;
}

static void leave(const struct tracer *tracer, struct task *task, long result)
{
    if (task->call == -1) {
        return;
    }
    struct kit_trace_call *call = &tracer->log->calls[task->call];
    call->finished = true;
    call->result = result;
    call->end = tracer->log->count;
    task->call = -1;
}

static void on_syscall(struct tracer *tracer, struct task *task)
{
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof(info), &info) == -1) {
        if (errno != ESRCH) {
            tracer->error = errno == EIO ? -ENOSYS : -errno;
        }
        return;
    }
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        enter(tracer, task, &info);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
        leave(tracer, task, (long)info.exit.rval);
    }
}

/* A thread that executes a program takes over the id of its process; its own goes unheard. */
static void on_exec(struct tracer *tracer, struct task *task)
{
    unsigned long former = 0;
    if (ptrace(PTRACE_GETEVENTMSG, task->tid, NULL, &former) == -1 || (pid_t)former == task->tid) {
        return;
    }
    struct task *executing = find_task(tracer, (pid_t)former);
    if (executing != NULL) {
        executing->alive = false;
        task->call = executing->call;
    }
}

static void on_stop(struct tracer *tracer, struct task *task, int status)
{
    const int event = status >> 16;
    const int signal = WSTOPSIG(status);
    long deliver = 0;
    if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        (void)ptrace(PTRACE_LISTEN, task->tid, NULL, NULL); /* it stays stopped until SIGCONT */
        return;
    }
    if (event == PTRACE_EVENT_EXEC) {
        on_exec(tracer, task);
    } else if (event == 0 && signal == (SIGTRAP | 0x80)) {
        on_syscall(tracer, task);
    } else if (event == 0) {
        deliver = signal;
    }
    (void)ptrace(PTRACE_SYSCALL, task->tid, NULL, deliver);
}

static void on_end(const struct tracer *tracer, pid_t tid, int status)
{
    struct task *task = find_task(tracer, tid);
    if (task != NULL) {
        task->alive = false;
    }
    if (tid == tracer->main) {
        tracer->log->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        tracer->log->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
}

static void kill_all(const struct tracer *tracer)
{
    for (int i = 0; i < tracer->count; i++) {
        if (tracer->tasks[i].alive) {
            (void)kill(tracer->tasks[i].pid, SIGKILL);
        }
    }
}

static bool any_alive(const struct tracer *tracer)
{
    for (int i = 0; i < tracer->count; i++) {
        if (tracer->tasks[i].alive) {
            return true;
        }
    }
    return false;
}

int kit_tracer_seize(pid_t pid)
{
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SEIZE, pid, NULL, options) == -1 ||
        ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == -1) {
        return -errno;
    }
    return 0;
}

/* Takes one report. False: there was none. */
static bool step(struct tracer *tracer)
{
    int status;
    const pid_t tid = waitpid(-1, &status, __WALL | __WNOTHREAD | WNOHANG);
    if (tid <= 0) {
        return false;
    }
    if (!WIFSTOPPED(status)) {
        on_end(tracer, tid, status);
        return true;
    }
    struct task *task = find_task(tracer, tid);
    on_stop(tracer, task != NULL ? task : add_task(tracer, tid), status);
    return true;
}

int kit_tracer_record(pid_t pid, double deadline, struct kit_trace_log *log)
{
    struct tracer tracer = {.log = log, .main = pid};
    bool killed = false;
    unsigned turns = 0;
    (void)add_task(&tracer, pid);
    while (any_alive(&tracer)) {
        if (step(&tracer)) {
            turns = 0;
        } else {
            kit_pause(&turns);
        }
        const bool late = kit_clock() > deadline;
        if (!killed && (late || tracer.error != 0)) {
            log->timed_out = late;
            kill_all(&tracer);
            killed = true;
        }
        if (killed && kit_clock() > deadline + 10) {
            break;
        }
    }
    free(tracer.tasks);
    return tracer.error;
}
