/* SPDX-License-Identifier: MIT */
/*
 * The other threads of a process that flushes. The calling thread is to be on the first processor
 * that it may use; spinning threads go round the others, or share that one when there is no other.
 * Sleeping threads may be anywhere: they run nowhere.
 */
#ifndef PALBENCH_FLUSH_THREADS_H
#define PALBENCH_FLUSH_THREADS_H

#include <sched.h>
#include <stddef.h>

#define FLUSH_THREADS_MOST 64

/* Pins the calling thread to the first of the processors. */
void flush_threads_pin_caller(const cpu_set_t *cpus);

/* Starts them and waits until all run. One set at a time; ends the program when it cannot. */
void flush_threads_start(size_t spinning, size_t sleeping, const cpu_set_t *cpus);
void flush_threads_stop(void);

#endif
