/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Hooks at which packets, completions and verbs consult the injection rules: the only interface of
 * injection for engine/, link/ and verbs/. Each hook stands behind glass_injecting(), a static
 * branch that is off while no device has a rule on packets, completions or verbs.
 */
#ifndef GLASS_INJECT_HOOKS_H
#define GLASS_INJECT_HOOKS_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/* The slow half of glass_qp_concerned(): asks the rules in force, and sets qp->concerned. */
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
 * Call with each packet between QP and link, while there are rules. True: the packet is taken care
 * of: a rule consumed it, or the hook passed it on. False: the caller passes it on. qp: its sender,
 * or its receiver (NULL: a multicast group); run: the caller's. May sleep.
 */
bool glass_inject_sent(struct glass_dev *dev, u32 port, struct glass_qp *qp,
		       const struct glass_pkt *pkt, struct glass_run *run);
bool glass_inject_arrived(struct glass_dev *dev, u32 port, struct glass_qp *qp,
			  const struct glass_pkt *pkt, struct glass_run *run);

/*
 * Call before a completion goes to its CQ, while there are rules. Returns how often to put it there
 * (0: it is lost, or delayed). A rule may change *c to an error: then the QP fails, too
 * (glass_qp.inject_fail). The caller holds the QP's lock.
 */
u32 glass_inject_complete(struct glass_qp *qp, struct glass_cq *cq, struct glass_cqe *c);

/* Does a rule make this verb fail for the current process? Returns the negative errno, or 0. */
int glass_inject_verb(struct glass_dev *dev, enum glass_verb verb);

/* The same, if a program asked for the verb; rules never fail a verb of the kernel (!asked). */
#define glass_verb_fault(dev, VERB, asked)                                                         \
	(glass_injecting() && (asked) ? glass_inject_verb(dev, GLASS_VERB_##VERB) : 0)

/*
 * Delays a completion by `ns`; later completions of the CQ wait behind it, so that none overtakes
 * it. rule: the id of the rule that orders it, or GLASS_LATE_STRICT: strict mode does. The caller
 * holds the QP's lock. False: no memory, so the completion is not delayed.
 */
#define GLASS_LATE_STRICT ~0U
void glass_late_init(struct glass_cq *cq);
bool glass_late_add(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c, u32 rule, u64 ns);
/*
 * Queues a completion behind the late ones of its CQ (glass_cq.nlate), whether or not the rule that
 * delayed them is still in force. The caller holds the locks of QP and CQ, and calls
 * glass_cq_tell() with *told after it releases the CQ's. False: no late completion is left, and the
 * caller puts this one into the CQ.
 */
bool glass_late_behind(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
		       struct glass_cq_told *told);
/*
 * Makes due the completions that this rule (0: any) delays. Waits until the CQs have them, except
 * those behind a completion that is not due. May sleep.
 */
void glass_late_release(struct glass_dev *dev, u32 id);
/*
 * Drops late completions of a CQ (NULL: does nothing): those of the QP from before its last reset,
 * all of it if it is destroyed, or with qp NULL all: the CQ is destroyed. May sleep.
 */
void glass_late_forget(struct glass_cq *cq, const struct glass_qp *qp);
/*
 * The same in all CQs of the device, for an XRC target: its receives complete into the CQs of SRQs.
 * May sleep.
 */
void glass_late_forget_everywhere(struct glass_dev *dev, const struct glass_qp *qp);
/* Drops the late completions of a destroyed XRC SRQ, in its CQ. */
void glass_late_forget_srq(struct glass_cq *cq, u32 srqn);

#endif
