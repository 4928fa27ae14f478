/* SPDX-License-Identifier: MIT */
#include "flush_threads.h"

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "exit_code.h"

#define STACK_SIZE ((size_t)64 * 1024)

static struct {
    pthread_t handles[FLUSH_THREADS_MOST];
    size_t count;
    sem_t running;
    sem_t wake;
    atomic_bool stop; /* relaxed: nothing is handed over by it */
} threads;

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        if (errno != EINTR)
            err(EXIT_INTERNAL, "cannot wait for a thread");
}

static void *spin(void *unused)
{
    (void)sem_post(&threads.running);
    while (!atomic_load_explicit(&threads.stop, memory_order_relaxed))
        continue;
    return unused;
}

static void *sleep_until_woken(void *unused)
{
    (void)sem_post(&threads.running);
    wait_for(&threads.wake);
    return unused;
}

static cpu_set_t one_cpu(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return set;
}

/* The first processor of the set after `cpu`, going round; -1 to begin with. */
static int next_cpu(const cpu_set_t *cpus, int cpu)
{
    do
        cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, cpus));
    return cpu;
}

void flush_threads_pin_caller(const cpu_set_t *cpus)
{
    cpu_set_t first = one_cpu(next_cpu(cpus, -1));

    if (sched_setaffinity(0, sizeof first, &first) != 0)
        err(EXIT_INTERNAL, "cannot pin a thread to a processor");
}

static void start(void *(*run)(void *), const cpu_set_t *where)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);

    if (!error)
        error = pthread_attr_setstacksize(&attributes, STACK_SIZE);
    if (!error)
        error = pthread_attr_setaffinity_np(&attributes, sizeof *where, where);
    if (!error)
        error = pthread_create(&threads.handles[threads.count], &attributes, run, NULL);
    if (error) {
        errno = error;
        err(EXIT_INTERNAL, "cannot start thread %zu", threads.count + 1);
    }
    (void)pthread_attr_destroy(&attributes);
    threads.count++;
}

void flush_threads_start(size_t spinning, size_t sleeping, const cpu_set_t *cpus)
{
    int first = next_cpu(cpus, -1);
    int cpu = first;

    threads.count = 0;
    atomic_store_explicit(&threads.stop, false, memory_order_relaxed);
    (void)sem_init(&threads.running, 0, 0);
    (void)sem_init(&threads.wake, 0, 0);
    for (size_t i = 0; i < spinning; i++) {
        cpu = next_cpu(cpus, cpu);
        if (cpu == first)
            cpu = next_cpu(cpus, cpu);
        cpu_set_t where = one_cpu(cpu);
        start(spin, &where);
    }
    for (size_t i = 0; i < sleeping; i++)
        start(sleep_until_woken, cpus);
    for (size_t i = 0; i < threads.count; i++)
        wait_for(&threads.running);
}

void flush_threads_stop(void)
{
    atomic_store_explicit(&threads.stop, true, memory_order_relaxed);
    for (size_t i = 0; i < threads.count; i++)
        (void)sem_post(&threads.wake);
    for (size_t i = 0; i < threads.count; i++)
        (void)pthread_join(threads.handles[i], NULL);
}
