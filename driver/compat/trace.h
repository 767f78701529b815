/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Macros that copy strings into trace events. Linux 6.10 removed the second argument of
 * __assign_str().
 */
#ifndef GLASS_COMPAT_TRACE_H
#define GLASS_COMPAT_TRACE_H

#include <linux/string.h>
#include <linux/types.h>

#include "compat/have.h"

#ifdef GLASS_HAVE_ASSIGN_STR_ONE
#define glass_assign_str(dst, src) __assign_str(dst)
#else
/*
 * strscpy() truncates a src that is too long: a rename of the device may have made the name longer
 * after the space for the event was reserved.
 */
#define glass_assign_str(dst, src) strscpy(__get_str(dst), src, __get_dynamic_array_len(dst))
#endif

/*
 * glass_string_name() and glass_assign_name() copy a device's name into an event. The buffer of the
 * name has at least eight bytes. Most names have fewer than eight characters, and are copied as one
 * 64-bit word. That is cheaper than strlen() and a copy byte by byte. In the event, the bytes after
 * the NUL of the name may have any value.
 */
#define GLASS_NAME_WORD sizeof(u64)

/* Returns 7 for a name of fewer than eight characters, otherwise the length of the name. */
static inline size_t glass_name_len(const char *name)
{
	u64 w;

	memcpy(&w, name, sizeof(w));
	if (likely((w - 0x0101010101010101ULL) & ~w & 0x8080808080808080ULL))
		return GLASS_NAME_WORD - 1;
	return strlen(name);
}

#define glass_string_name(dst, src) __string_len(dst, src, glass_name_len(src))

#define glass_assign_name(dst, src)                                                                \
	do {                                                                                       \
		if (likely(__get_dynamic_array_len(dst) == GLASS_NAME_WORD)) {                     \
			memcpy(__get_str(dst), src, GLASS_NAME_WORD);                              \
			__get_str(dst)[GLASS_NAME_WORD - 1] = 0;                                   \
		} else {                                                                           \
			glass_assign_str(dst, src);                                                \
		}                                                                                  \
	} while (0)

#endif
