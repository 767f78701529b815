/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Hooks at which packets, completions and verbs consult the injection rules: the only interface of
 * injection for engine/, link/ and verbs/. Each hook stands behind glass_injecting(), a static
 * branch that is off while no device has a rule.
 */
#ifndef GLASS_INJECT_HOOKS_H
#define GLASS_INJECT_HOOKS_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/* The slow half of glass_qp_concerned(): matches the current rules. */
unsigned long glass_qp_ask_concerned(struct glass_qp *qp);

/*
 * May an injection rule of that site match at this QP? Rules for other QPs cost a QP only this
 * test. Any context.
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
 * A packet passes between QP and link, while there are rules. True: a rule consumed the packet. qp:
 * its sender, or its receiver (NULL: a multicast group). May sleep.
 */
bool glass_inject_sent(struct glass_dev *dev, u32 port, struct glass_qp *qp,
		       const struct glass_pkt *pkt, struct glass_run *run);
bool glass_inject_arrived(struct glass_dev *dev, u32 port, struct glass_qp *qp,
			  const struct glass_pkt *pkt, struct glass_run *run);

/*
 * A completion is about to go to its CQ, while there are rules. Returns how often to put it there
 * (0: it is lost, or delayed). *c may become an error; the QP fails then (glass_qp.inject_fail).
 * The caller holds the QP's lock.
 */
u32 glass_inject_complete(struct glass_qp *qp, struct glass_cq *cq, struct glass_cqe *c);

/* Does a rule make this verb fail for the current process? Returns the negative errno, or 0. */
int glass_inject_verb(struct glass_dev *dev, enum glass_verb verb);

/* The same for a verb of a program (asked), or of the kernel (!asked), which rules never fail. */
#define glass_verb_fault(dev, VERB, asked)                                                         \
	(glass_injecting() && (asked) ? glass_inject_verb(dev, GLASS_VERB_##VERB) : 0)

/*
 * Delays a completion, by a rule or strict mode; later completions of the same CQ wait behind it
 * and never overtake it. rule: id, or GLASS_LATE_STRICT; ns: the delay. The caller holds the QP's
 * lock. False: no memory, so it is not delayed.
 */
#define GLASS_LATE_STRICT ~0U
void glass_late_init(struct glass_cq *cq);
bool glass_late_add(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c, u32 rule, u64 ns);
/*
 * Queues a completion behind the late ones of its CQ (glass_cq.nlate), whether or not the rule that
 * delayed them is still in force. The caller holds the locks of QP and CQ, and calls
 * glass_cq_tell() after it releases that of the CQ. False: none is late any more, and the caller
 * puts the completion in.
 */
bool glass_late_behind(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
		       struct glass_cq_told *told);
/* Releases the completions that this rule (0: any) delays. May sleep. */
void glass_late_release(struct glass_dev *dev, u32 id);
/*
 * Drops the late completions from before a QP's last reset, all of a QP that is destroyed, or
 * (NULL) all of a CQ that is destroyed. May sleep.
 */
void glass_late_forget(struct glass_cq *cq, const struct glass_qp *qp);
/* The same in all CQs: an XRC target's receives complete into those of SRQs. May sleep. */
void glass_late_forget_everywhere(struct glass_dev *dev, const struct glass_qp *qp);
/* Drops the late completions of a destroyed XRC SRQ, in its CQ. */
void glass_late_forget_srq(struct glass_cq *cq, u32 srqn);

#endif
