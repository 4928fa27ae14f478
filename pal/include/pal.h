/* SPDX-License-Identifier: MIT */
/* Everything that pal offers. Each header below can also be included by itself. */
#ifndef PAL_H
#define PAL_H

#include <pal/error.h>
#include <pal/flush.h>
#include <pal/init.h>
#include <pal/types.h>

#endif
