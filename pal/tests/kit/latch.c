/* SPDX-License-Identifier: MIT */
#include "latch.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

void kit_latch_init(struct kit_latch *latch, int count)
{
    atomic_init(&latch->remaining, count);
}

void kit_latch_arrive(struct kit_latch *latch)
{
    if (atomic_fetch_sub(&latch->remaining, 1) == 1) {
        (void)syscall(SYS_futex, &latch->remaining, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

void kit_latch_wait(struct kit_latch *latch)
{
    int remaining;
    while ((remaining = atomic_load(&latch->remaining)) > 0) {
        (void)syscall(SYS_futex, &latch->remaining, FUTEX_WAIT, remaining, NULL, NULL, 0);
    }
}

void kit_latch_arrive_and_wait(struct kit_latch *latch)
{
    kit_latch_arrive(latch);
    kit_latch_wait(latch);
}

void *kit_shared_new(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void kit_shared_free(void *memory, size_t size)
{
    (void)munmap(memory, size);
}

static void *run_thread(void *arg)
{
    const struct kit_thread *thread = arg;
    thread->body(thread->index, thread->arg);
    return NULL;
}

int kit_threads_start(struct kit_threads *threads, int n, void (*body)(int index, void *arg),
                      void *arg)
{
    threads->count = 0;
    if (n > KIT_THREADS_MAX) {
        kit_fail(__FILE__, __LINE__, "%d threads are too many", n);
        n = KIT_THREADS_MAX;
    }
    while (threads->count < n) {
        struct kit_thread *thread = &threads->threads[threads->count];
        *thread = (struct kit_thread){.body = body, .arg = arg, .index = threads->count};
        const int error = pthread_create(&thread->id, NULL, run_thread, thread);
        if (error != 0) {
            kit_fail(__FILE__, __LINE__, "thread %d of %d: %s", threads->count, n, strerror(error));
            break;
        }
        threads->count++;
    }
    return threads->count;
}

void kit_threads_join(struct kit_threads *threads)
{
    for (int i = 0; i < threads->count; i++) {
        (void)pthread_join(threads->threads[i].id, NULL);
    }
    threads->count = 0;
}
