/* SPDX-License-Identifier: MIT */
#include "base/panic.h"
