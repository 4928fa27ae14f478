/* SPDX-License-Identifier: MIT */
/* The names of threads: UTF-16 and whole for the host, cut UTF-8 for the kernel. */
#ifndef THREAD_DESCRIPTION_H
#define THREAD_DESCRIPTION_H

#include "thread/thread.h"

/* Names the thread. ERROR_NOT_ENOUGH_MEMORY. */
PAL_ERROR description_set(struct thread *thread, const char16_t *text);

/* A copy of the name, "" if there is none, to be freed. ERROR_NOT_ENOUGH_MEMORY. */
PAL_ERROR description_get(struct thread *thread, char16_t **ret_text);

/* From the thread itself, once its id is known: a name that it was given before that. */
void description_apply_to_self(struct thread *thread);

#endif
