// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Defines the trace events, and the part of glass_trace_enter() that is too long for a macro. */
#include <linux/kernel.h>
#include <linux/stdarg.h>

#define CREATE_TRACE_POINTS
#include "observe/observe.h"

/* Size of the text `args` of glass_api_enter, with its NUL; a longer text is cut. */
#define GLASS_API_ARGS_BYTES 160

void glass_api_enter_args(const char *dev, enum glass_verb verb, enum glass_kind kind, u32 num,
			  const char *fmt, ...)
{
	char args[GLASS_API_ARGS_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vscnprintf(args, sizeof(args), fmt, ap);
	va_end(ap);
	trace_glass_api_enter(dev, verb, kind, num, args);
}
