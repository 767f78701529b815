/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Where packets, completions and verbs ask whether an injection rule wants something of them. All that engine/, link/
 * and verbs/ know of injection. Each hook stands behind glass_injecting(), a static branch while no device has a rule.
 */
#ifndef GLASS_INJECT_HOOKS_H
#define GLASS_INJECT_HOOKS_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/* The slow half of glass_qp_concerned(): looks at the rules there are now. */
unsigned long glass_qp_ask_concerned(struct glass_qp *qp);

/*
 * May an injection rule of that site hold for what passes at the QP? Rules for other
 * QPs cost a QP this look, and nothing else. Any context.
 */
static inline bool glass_qp_concerned(struct glass_qp *qp, enum glass_inject_site site)
{
	unsigned long known;

	if (!glass_injecting())
		return false;
	known = READ_ONCE(qp->concerned);
	if (unlikely(known >> GLASS_INJECT_SITES != READ_ONCE(qp->dev->inject->generation)))
		known = glass_qp_ask_concerned(qp);
	return known & BIT(site);
}

/*
 * A packet passes between QP and link, or between link and QP, while there are rules. True: a rule had it, and has
 * done with it what it wanted. qp: whose it is, or the one it is for (NULL: a multicast group). May sleep.
 */
bool glass_inject_sent(struct glass_dev *dev, u32 port, struct glass_qp *qp,
		       const struct glass_pkt *pkt, struct glass_run *run);
bool glass_inject_arrived(struct glass_dev *dev, u32 port, struct glass_qp *qp,
			  const struct glass_pkt *pkt, struct glass_run *run);

/*
 * A completion on its way to its CQ while there are rules. Returns how often it is to be put there (0: it is lost, or
 * waits); *c may become an error, and the QP fails then (glass_qp.inject_fail). The caller holds the QP's lock.
 */
u32 glass_inject_complete(struct glass_qp *qp, struct glass_cq *cq, struct glass_cqe *c);

/* Does a rule want that the current process fails with this verb? The negative errno, or 0. */
int glass_inject_verb(struct glass_dev *dev, enum glass_verb verb);

/* The same for a verb of a program, or (asked: false) of the kernel, which never fails so. */
#define glass_verb_fault(dev, VERB, asked)                                                         \
	(glass_injecting() && (asked) ? glass_inject_verb(dev, GLASS_VERB_##VERB) : 0)

/*
 * Completions that are late, by a rule or by strict mode, and those of the same CQ behind them, which never overtake
 * them. rule: id, or GLASS_LATE_STRICT; ns: how long. The caller holds the QP's lock; false: no memory, it does not
 * wait.
 */
#define GLASS_LATE_STRICT ~0U
void glass_late_init(struct glass_cq *cq);
bool glass_late_add(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c, u32 rule, u64 ns);
/*
 * Completions of the CQ are late (glass_cq.nlate), whether or not what delayed them is
 * still in force: this one has to wait behind them. The caller holds the locks of QP and CQ, and
 * calls glass_cq_tell() when it has let that of the CQ go. False: none is late any more, the
 * caller puts it in.
 */
bool glass_late_behind(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
		       struct glass_cq_told *told);
/* The completions of that rule (0: of any) wait no longer. May sleep. */
void glass_late_release(struct glass_dev *dev, u32 id);
/*
 * Drops the late completions that a QP had before it was last reset, all of one that is destroyed, or (NULL) all of a
 * CQ that is destroyed. May sleep.
 */
void glass_late_forget(struct glass_cq *cq, const struct glass_qp *qp);
/* The same in all CQs: an XRC target's receives complete into those of SRQs. May sleep. */
void glass_late_forget_everywhere(struct glass_dev *dev, const struct glass_qp *qp);
/* Drops the late completions of an XRC SRQ that is destroyed, in its CQ. */
void glass_late_forget_srq(struct glass_cq *cq, u32 srqn);

#endif
