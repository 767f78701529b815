// SPDX-License-Identifier: GPL-2.0-only
#include "common/verbs.bpf.h"
#include "mrlat.h"

static __always_inline bool verb_wanted(__u32 verb)
{
	return verb == GLASS_VERB_REG_MR || verb == GLASS_VERB_REREG_MR ||
	       verb == GLASS_VERB_DEREG_MR;
}
