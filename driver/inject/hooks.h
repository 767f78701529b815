/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The hooks. A hook asks the injection rules. engine/ and verbs/ call a hook for each packet,
 * completion and verb, but only while glass_injecting() is true: while there is a rule on packets,
 * completions or verbs. link/ calls a hook for each packet at a port of a switch or passive CA, but
 * only while an observer or a rule needs the packet's path through the fabric (observe/hops.h). The
 * functions for late completions, glass_late_*(), depend on neither.
 */
#ifndef GLASS_INJECT_HOOKS_H
#define GLASS_INJECT_HOOKS_H

#include "model/device.h"
#include "inject/inject.h"

struct glass_run;

/* Computes qp->concerned from the rules in force, and returns its new value. Any context. */
unsigned long glass_qp_ask_concerned(struct glass_qp *qp);

/* glass_qp_concerned() without the static branch */
static inline bool glass_qp_may_match(struct glass_qp *qp, enum glass_inject_site site)
{
	unsigned long known = READ_ONCE(qp->concerned);

	if (unlikely(known >> GLASS_INJECT_SITES != READ_ONCE(qp->dev->inject->generation)))
		known = glass_qp_ask_concerned(qp);
	return known & BIT(site);
}

/*
 * May an injection rule of this site match a packet or completion of this QP? If all rules select
 * other QPs, this test is their only cost for this QP. Any context.
 */
static inline bool glass_qp_concerned(struct glass_qp *qp, enum glass_inject_site site)
{
	return glass_injecting() && glass_qp_may_match(qp, site);
}

/* glass_inject_leaves() without what the QP remembers, which this function sets. */
bool glass_inject_ask_leaves(struct glass_qp *qp);

/*
 * Would glass_inject_sent() and glass_inject_arrived() leave a packet of this QP alone, because no rule can
 * match it, and no packet of its device waits? The QP remembers the last change of its device after which
 * that was so. The caller holds qp->lock.
 */
static __always_inline bool glass_inject_leaves(struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	return likely(qp->leaves_since == atomic_long_read(&qp->dev->inject->changes)) || glass_inject_ask_leaves(qp);
}

/*
 * The engine calls glass_inject_sent() before a packet of a QP goes to the link. The engine calls
 * glass_inject_arrived() before an arrived packet goes to its QP. Both return true if the caller is
 * done with the packet, because a rule took it, or because the hook has passed it on. Both return
 * false if the caller must pass the packet on. `qp` is the QP that sent the packet, or the QP for
 * which it arrived; NULL if the packet arrived for a multicast group. env.h describes `run`. May
 * sleep.
 */
bool glass_inject_sent(struct glass_dev *dev, u32 port, struct glass_qp *qp,
		       const struct glass_pkt *pkt, struct glass_run *run);
bool glass_inject_arrived(struct glass_dev *dev, u32 port, struct glass_qp *qp,
			  const struct glass_pkt *pkt, struct glass_run *run);

/*
 * Make and free the rules at ports of switches and passive CAs. glass_inject_new_nodes() returns
 * NULL if there is no memory. The caller of glass_inject_free_nodes() makes sure that
 * glass_inject_at_node() does not run any more. Both functions may sleep.
 */
struct glass_inject *glass_inject_new_nodes(void);
void glass_inject_free_nodes(struct glass_inject *in);

/*
 * link/ calls this for a packet at a port of a switch or passive CA, with the name of this node and
 * its id. Returns true if a rule drops the packet there. Any context.
 */
bool glass_inject_at_node(struct glass_inject *in, const char *node, u32 id, u32 port,
			  enum glass_dir dir, const struct glass_pkt *pkt);

/*
 * The engine calls this before it puts a completion into a CQ. Returns how often the engine must
 * put *c into the CQ: 0 if a rule drops or delays *c, 2 if a rule repeats *c, otherwise 1. If a
 * rule changes *c to an error, the QP fails, too (glass_qp.inject_fail). The caller holds the QP's
 * lock.
 */
u32 glass_inject_complete(struct glass_qp *qp, struct glass_cq *cq, struct glass_cqe *c);

/* Returns 0, or the negative errno with which a rule makes this call of the verb fail. */
int glass_inject_verb(struct glass_dev *dev, enum glass_verb verb);

/*
 * As glass_inject_verb(), for the verb GLASS_VERB_##VERB. `asked` is true if a program called the
 * verb. If it is false, the kernel itself made the call, and the result is 0: rules make only
 * calls by programs fail.
 */
#define glass_verb_fault(dev, VERB, asked)                                                         \
	(glass_injecting() && (asked) ? glass_inject_verb(dev, GLASS_VERB_##VERB) : 0)

/* used instead of a rule's id if strict mode (model/strict.h) delays the completion */
#define GLASS_LATE_STRICT ~0U
/* Sets up the list of late completions of a new CQ. */
void glass_late_init(struct glass_cq *cq);
/*
 * Delays a completion by `ns`. Later completions of the CQ wait behind it, so that none overtakes
 * it. `rule` is the id of the rule that orders the delay, or GLASS_LATE_STRICT. The caller holds
 * the QP's lock. Returns false if there is no memory. Then the caller puts the completion into the
 * CQ at once.
 */
bool glass_late_add(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c, u32 rule, u64 ns);
/*
 * Puts late completions that are due into the CQ. If late completions are left, queues *c behind
 * them, and returns true. If none is left, returns false, and the caller puts *c into the CQ. The
 * caller holds the locks of the QP and the CQ. After the caller has released the CQ's lock, it
 * calls glass_cq_tell() with *told (engine/complete.h).
 */
bool glass_late_behind(struct glass_qp *qp, struct glass_cq *cq, const struct glass_cqe *c,
		       struct glass_cq_told *told);
/*
 * Ends the delays that the rule with this id has ordered for completions. With the id
 * GLASS_LATE_STRICT, ends the delays of strict mode. With the id 0, ends all delays. Returns when
 * the delayed completions are in their CQs, except for completions that wait behind one that is not
 * due. May sleep.
 */
void glass_late_release(struct glass_dev *dev, u32 id);
/*
 * Drops late completions of a CQ. If qp is NULL, the CQ is being destroyed, and the function drops
 * all late completions of the CQ. If qp is being destroyed, the function drops all completions of
 * qp. Otherwise it drops the completions of qp from before the last reset of qp. Does nothing if cq
 * is NULL. May sleep.
 */
void glass_late_forget(struct glass_cq *cq, const struct glass_qp *qp);
/*
 * As glass_late_forget() for this QP, in all CQs of the device. An XRC target needs this, because
 * its receives complete into the CQs of SRQs. May sleep.
 */
void glass_late_forget_everywhere(struct glass_dev *dev, const struct glass_qp *qp);
/*
 * Drops the late completions of receives of an XRC SRQ that is being destroyed. `cq` is the SRQ's
 * CQ.
 */
void glass_late_forget_srq(struct glass_cq *cq, u32 srqn);

#endif
