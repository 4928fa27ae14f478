/* SPDX-License-Identifier: MIT */
/* What to do about a thread that could not be made. */
#ifndef THREAD_HINT_H
#define THREAD_HINT_H

/* One line about a positive errno, or NULL. */
const char *thread_hint(int error);

#endif
