/* SPDX-License-Identifier: GPL-2.0-only */
/* Verbs as drivers see them: entered, left, with what. */
#ifndef GLASS_BPF_VERBS_H
#define GLASS_BPF_VERBS_H

#include "common/shared.h"

#define VERB_ARGS_LEN 160 /* as the driver's text, with its NUL */
#define VERB_REGS     5

enum verb_source {
	BY_GLASS,  /* trace events: the arguments are text */
	BY_DRIVER, /* functions of another driver: the arguments are numbers */
	BY_PROBE,  /* the provider's probes: what never enters the kernel */
};

/* What probes tell of, behind enum glass_verb */
enum probe_verb { PROBE_POST_SEND = 200, PROBE_POST_RECV, PROBE_POLL };

struct verb_event {
	struct event_head head; /* ns: when it was left; by whom it was called */
	__u64 took;		/* ns; 0: a moment */
	__s64 ret;
	__u32 num; /* of the object, of that kind; 0 with kind none: not known */
	__u8 verb, kind, source, pad;
	__u64 arg[VERB_REGS];
	char args[VERB_ARGS_LEN];
};

#endif
