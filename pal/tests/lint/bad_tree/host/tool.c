/* SPDX-License-Identifier: MIT */
#include "os/membarrier.h"
