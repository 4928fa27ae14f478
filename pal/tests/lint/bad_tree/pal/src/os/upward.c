/* SPDX-License-Identifier: MIT */
/* Includes that the lint of the layers has to find. */
#include "api/api.h"
#include "clock.h"
