/* SPDX-License-Identifier: GPL-2.0-only */
/* Verbs as drivers see them: entry, return, and arguments. */
#ifndef GLASS_BPF_VERBS_H
#define GLASS_BPF_VERBS_H

#include "common/shared.h"

#define VERB_ARGS_LEN 160 /* like the driver's text, with its NUL */
#define VERB_REGS     5

enum verb_source {
	BY_GLASS,  /* trace events: the arguments are text */
	BY_DRIVER, /* functions of another driver: the arguments are numbers */
	BY_PROBE,  /* the provider's probes: calls that never enter the kernel */
};

/* Calls that probes report, numbered behind enum glass_verb */
enum probe_verb { PROBE_POST_SEND = 200, PROBE_POST_RECV, PROBE_POLL };

struct verb_event {
	struct event_head head; /* ns: time of the return; pid, comm: the caller */
	__u64 took;		/* ns; 0: no duration */
	__s64 ret;
	__u32 num; /* number of the object of that kind; 0 with kind none: unknown */
	__u8 verb, kind, source, pad;
	__u64 arg[VERB_REGS];
	char args[VERB_ARGS_LEN];
};

#endif
