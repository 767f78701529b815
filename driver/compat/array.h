/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Older kernels, such as Linux 6.1, lack __counted_by() and struct_size_t(). */
#ifndef GLASS_COMPAT_ARRAY_H
#define GLASS_COMPAT_ARRAY_H

#include <linux/compiler.h>
#include <linux/overflow.h>

#ifndef __counted_by
#define __counted_by(member)
#endif

#ifndef struct_size_t
#define struct_size_t(type, member, count) struct_size((type *)NULL, member, count)
#endif

#endif
