// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The hook for verbs, and glass_qp_ask_concerned() (hooks.h). */
#include <linux/sched.h>

#include "inject/hooks.h"

int glass_inject_verb(struct glass_dev *dev, enum glass_verb verb)
{
	struct glass_passing p = {
		.site = GLASS_INJECT_VERBS,
		.dev = glass_dev_name(dev),
		.qpn = verb,
		.source = task_tgid_nr(current),
	};
	struct glass_subject s = {};
	struct glass_hit hit;
	u32 want;

	if (!glass_inject_wants(dev->inject, p.site, p.dir, &want))
		return 0;
	glass_subject_set(&s, GLASS_SEL_VERB, verb);
	glass_subject_set(&s, GLASS_SEL_PID, p.source);
	s.keys |= BIT(GLASS_SEL_COMM);
	get_task_comm(s.comm, current);
	return glass_inject_ask(dev->inject, &s, &p, &hit) ? -(int)hit.err : 0;
}

unsigned long glass_qp_ask_concerned(struct glass_qp *qp)
{
	struct glass_subject s = {};
	unsigned long known;
	u32 sites;

	glass_subject_set(&s, GLASS_SEL_QPN, qp->core.qpn);
	glass_subject_set(&s, GLASS_SEL_NQP, qp->born);
	if (qp->born_here)
		glass_subject_set(&s, GLASS_SEL_PQP, qp->born_here);
	glass_subject_set(&s, GLASS_SEL_PID, qp->owner.pid);
	s.keys |= BIT(GLASS_SEL_COMM);
	memcpy(s.comm, qp->owner.comm, sizeof(s.comm));
	sites = glass_inject_concerned(qp->dev->inject, &s, &known);
	known = known << GLASS_INJECT_SITES | sites;
	WRITE_ONCE(qp->concerned, known);
	return known;
}
