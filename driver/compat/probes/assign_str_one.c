// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does __assign_str() have one argument? */
#include <linux/stringify.h>
#include <asm/bitsperlong.h>
#include <trace/stages/stage6_event_callback.h>

const char *probe = __stringify(__assign_str(field));
