/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Linux 6.13 added hrtimer_setup(), and 6.15 removed hrtimer_init(). */
#ifndef GLASS_COMPAT_HRTIMER_H
#define GLASS_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

#include "compat/have.h"

static inline void glass_hrtimer_setup(struct hrtimer *t,
				       enum hrtimer_restart (*fn)(struct hrtimer *),
				       clockid_t clock, enum hrtimer_mode mode)
{
#ifdef GLASS_HAVE_HRTIMER_SETUP
	hrtimer_setup(t, fn, clock, mode);
#else
	hrtimer_init(t, clock, mode);
	t->function = fn;
#endif
}

#endif
