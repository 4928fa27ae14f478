/* SPDX-License-Identifier: MIT */
/* Everything that pal offers. Each header below can also be included by itself. */
#ifndef PAL_H
#define PAL_H

#include <pal/error.h>
#include <pal/flush.h>
#include <pal/handle.h>
#include <pal/init.h>
#include <pal/process.h>
#include <pal/sync.h>
#include <pal/system.h>
#include <pal/thread.h>
#include <pal/time.h>
#include <pal/types.h>

#endif
