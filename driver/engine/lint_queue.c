// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lint's findings about CQs, SRQs, posts to a QP in ERR, and AHs of another PD (lint.h). Also
 * counts asynchronous events.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>

#include "engine/complete.h"
#include "engine/engine.h"
#include "engine/lint.h"

static const char *cause_word(u32 cause)
{
	static const char *const words[] = GLASS_WORDS(GLASS_CAUSES);

	return cause < ARRAY_SIZE(words) && words[cause] ? words[cause] : "?";
}

void glass_lint_ah_pd(struct glass_qp *qp, u32 ah, u32 pdn)
{
	/* the request is being fetched */
	glass_lint_begin(qp, (u64)glass_flow_high(qp) << 32 | qp->core.req.head);
	glass_lint_qp(qp, NULL, GLASS_LINT_AH_OTHER_PD, pdn, qp->pdn,
		      "address handle %u is of PD %u, QP 0x%x is of PD %u", ah, pdn, qp->core.qpn,
		      qp->pdn);
	glass_lint_end(qp);
}

/*
 * Has the program polled all completions that were in the CQ when the QP failed? `total` is the
 * value of glass_cq.total at that time.
 */
static bool has_polled(struct glass_cq *cq, u64 total)
{
	unsigned long flags;
	bool yes;

	if (!cq)
		return true;
	spin_lock_irqsave(&cq->lock, flags);
	yes = cq->total - min(glass_cq_used(cq), cq->cqe) >= total;
	spin_unlock_irqrestore(&cq->lock, flags);
	return yes;
}

/* Called when the engine took n sends from the ring of a QP in ERR. */
static void posted_in_err(struct glass_qp *qp, u32 n)
{
	const struct glass_error *e = &qp->core.first_error;

	if (e->cause == GLASS_CAUSE_NONE || !has_polled(qp->send_cq, qp->lint.err_stotal) ||
	    !has_polled(qp->recv_cq, qp->lint.err_rtotal))
		return;
	qp->lint.err_posts += n;
	/*
	 * one send is no finding: when it is flushed, the program knows that all earlier ones are
	 */
	if (qp->lint.err_posts > 1)
		glass_lint_qp(qp, NULL, GLASS_LINT_POSTS_IN_ERR, qp->lint.err_posts, 0,
			      "%u sends posted to QP 0x%x after the program polled the QP's error (first cause %s, wr_id 0x%llx)",
			      qp->lint.err_posts, qp->core.qpn, cause_word(e->cause), e->wr_id);
}

void glass_lint_qp_failed(struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	qp->lint.err_stotal = qp->send_cq ? READ_ONCE(qp->send_cq->total) : 0;
	qp->lint.err_rtotal = qp->recv_cq ? READ_ONCE(qp->recv_cq->total) : 0;
	qp->lint.err_posts = 0;
}

void glass_lint_event(const struct glass_lint_client *who, enum glass_event ev)
{
	struct glass_ucontext *u;

	if (!glass_linting())
		return;
	if (who && (ev == GLASS_EV_SQ_DRAINED || ev == GLASS_EV_SRQ_LIMIT_REACHED)) {
		u = container_of((struct glass_lint_client *)who, struct glass_ucontext, lint);
		atomic_inc(&u->nasked);
		return;
	}
	if (!who || (ev != GLASS_EV_QP_FATAL && ev != GLASS_EV_QP_REQ_ERR &&
		     ev != GLASS_EV_QP_ACCESS_ERR && ev != GLASS_EV_CQ_ERR && ev != GLASS_EV_SRQ_ERR))
		return;
	u = container_of((struct glass_lint_client *)who, struct glass_ucontext, lint);
	atomic_inc(&u->nfatal);
}

void glass_lint_posted(struct glass_qp *qp, u32 n)
{
	lockdep_assert_held(&qp->lock);
	if (!qp->core.is_user || qp->core.state != GLASS_QPS_ERR)
		return;
	/* the last of them */
	glass_lint_begin(qp, (u64)glass_flow_high(qp) << 32 | (qp->core.req.head - 1));
	posted_in_err(qp, n);
	glass_lint_end(qp);
}

/* Can the attached queues make more completions than the CQ has room for? */
static bool is_tight(const struct glass_cq *cq)
{
	return cq && READ_ONCE(cq->lint.wanted) > cq->cqe;
}

__printf(5, 6) static void about_cq(const struct glass_cq *cq, u32 code, u64 seen, u64 expected,
				    const char *fmt, ...)
{
	struct glass_lint_report r = {
		.who = cq->owner.lint,
		.code = code,
		.kind = GLASS_KIND_CQ,
		.num = cq->cqn,
		.seen = seen,
		.expected = expected,
		.stack = READ_ONCE(cq->owner.changed_stack) ?: cq->owner.stack,
	};
	va_list ap;

	if (!glass_lint_wants(r.who, code))
		return;
	va_start(ap, fmt);
	glass_lint_vfound(&r, fmt, ap);
	va_end(ap);
}

/*
 * Lint checks the size and the fill level only of CQs with at least this many CQEs. A few
 * completions nearly fill a smaller CQ.
 */
#define CQ_WORTH_IT 10

void glass_lint_cq_fill(const struct glass_cq *cq, u32 used)
{
	lockdep_assert_held(&cq->lock);
	/*
	 * Report only the completion that makes the CQ 90 % full, and only if the attached queues
	 * can make more completions than fit. Any other CQ cannot overrun.
	 */
	if (cq->cqe < CQ_WORTH_IT || used != cq->cqe - cq->cqe / 10 || !is_tight(cq))
		return;
	about_cq(cq, GLASS_LINT_SLOW_POLLING, used, cq->cqe,
		 "CQ %u has room for %u completions and holds %u that are not polled; the queues attached can make %u",
		 cq->cqn, cq->cqe, used, cq->lint.wanted);
}

void glass_lint_cq_caps(const struct glass_cq *cq)
{
	/*
	 * Report only a CQ whose queues can make at least twice as many completions as fit. Below
	 * that, the program may avoid an overrun by a limit on its outstanding requests.
	 */
	if (cq && cq->is_user && cq->cqe >= CQ_WORTH_IT && cq->lint.wanted / 2 >= cq->cqe)
		about_cq(cq, GLASS_LINT_CQ_TOO_SMALL, cq->cqe, cq->lint.wanted,
			 "CQ %u has room for %u, the queues attached can make %u", cq->cqn, cq->cqe,
			 cq->lint.wanted);
}

void glass_lint_cq_overrun(const struct glass_cq *cq)
{
	about_cq(cq, GLASS_LINT_CQ_TOO_SMALL, cq->cqe, cq->lint.wanted,
		 "CQ %u overran: it has room for %u, the queues attached can make %u", cq->cqn,
		 cq->cqe, cq->lint.wanted);
}

void glass_lint_cq_lost(struct glass_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	if (cq->lint.told_lost || !glass_lint_wants(cq->owner.lint, GLASS_LINT_CQ_TOO_SMALL))
		return;
	cq->lint.told_lost = true;
	about_cq(cq, GLASS_LINT_CQ_TOO_SMALL, cq->cqe, cq->lint.wanted,
		 "CQ %u lost its oldest completion: it ignores overruns, has room for %u, and the queues attached can make %u",
		 cq->cqn, cq->cqe, cq->lint.wanted);
}

/*
 * The program has this many ns after the SRQ's limit event to arm the limit again. During this time
 * an empty SRQ is a finding only if the program has posted a receive since the event.
 */
#define SRQ_TIME_TO_ARM (200 * NSEC_PER_MSEC)

void glass_lint_srq_dry(const struct glass_srq *srq)
{
	struct glass_lint_report r = {
		.who = srq->owner.lint,
		.code = GLASS_LINT_SRQ_LIMIT_NOT_REARMED,
		.kind = GLASS_KIND_SRQ,
		.num = srq->srqn,
		.expected = 1,
		.stack = READ_ONCE(srq->owner.changed_stack) ?: srq->owner.stack,
	};

	lockdep_assert_held(&srq->lock);
	if (srq->limit || !srq->limit_events ||
	    !glass_lint_wants(r.who, GLASS_LINT_SRQ_LIMIT_NOT_REARMED))
		return;
	/* the program may still be handling the event */
	if (READ_ONCE(srq->ring.hdr->producer) == srq->lint_producer &&
	    ktime_get_ns() - srq->lint_limit_ns < SRQ_TIME_TO_ARM)
		return;
	glass_lint_found(&r,
			 "SRQ %u is empty; its limit was reached %llu ms ago and was not armed again",
			 srq->srqn,
			 div_u64(ktime_get_ns() - srq->lint_limit_ns, NSEC_PER_MSEC));
}

/* ---- armed and forgotten */

#define ARMED_LONG (HZ / 5) /* jiffies from arming a CQ to the first check, and between checks */
/*
 * Of the checks that see the program run, the first ARMED_LOOKS report nothing, because the program
 * may still poll.
 */
#define ARMED_LOOKS 25

enum doing { SLEEPS, RUNS, STOPPED };

/*
 * Returns the state of a program. STOPPED means that a signal or a tracer has stopped one of its
 * threads. SLEEPS means that each of its threads sleeps interruptibly or has exited, or that the
 * program is gone. RUNS means any other state.
 */
static enum doing what_does(pid_t tgid)
{
	struct task_struct *leader, *t;
	enum doing doing = SLEEPS;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(tgid, &init_pid_ns), PIDTYPE_TGID);
	if (!leader)
		goto out;
	for_each_thread(leader, t) {
		unsigned int state = READ_ONCE(t->__state);

		if (READ_ONCE(t->exit_state) || state & TASK_INTERRUPTIBLE)
			continue;
		doing = state & (__TASK_STOPPED | __TASK_TRACED) ? STOPPED : RUNS;
		if (doing == STOPPED)
			break;
	}
out:
	rcu_read_unlock();
	return doing;
}

void glass_lint_armed(struct glass_cq *cq)
{
	struct glass_lint_cq_state *l = &cq->lint;

	lockdep_assert_held(&cq->lock);
	if (!cq->is_user || !(glass_lint_wants(cq->owner.lint, GLASS_LINT_ARM_WITHOUT_POLL) ||
			      glass_lint_wants(cq->owner.lint, GLASS_LINT_SOLICITED_NEVER_SENT)))
		return;
	l->armed = cq->armed;
	l->consumer = READ_ONCE(cq->ring.hdr->consumer);
	l->producer = cq->producer;
	l->looks = 0;
	if (cq->notify == 1 || l->producer != l->consumer)
		mod_delayed_work(glass_event_wq, &l->work, ARMED_LONG);
}

/*
 * Called for a CQ that the program has not polled since it armed the CQ. If the CQ has completions
 * for which no event comes, reports that.
 */
static void lint_cq_unpolled(const struct glass_cq *cq)
{
	const struct glass_lint_cq_state *l = &cq->lint;
	u32 there = l->producer - l->consumer, since = cq->producer - l->producer;

	if (cq->notify == 1 && since)
		about_cq(cq, GLASS_LINT_SOLICITED_NEVER_SENT, since, 0,
			 "CQ %u is armed for solicited completions; of the %u completions since then, none is solicited",
			 cq->cqn, since);
	else if (there)
		about_cq(cq, GLASS_LINT_ARM_WITHOUT_POLL, there, 0,
			 "CQ %u was armed with %u completions in it, and not polled since: no event comes for them",
			 cq->cqn, there);
}

void glass_lint_armed_work(struct work_struct *work)
{
	struct glass_cq *cq = container_of(to_delayed_work(work), struct glass_cq, lint.work);
	struct glass_lint_cq_state *l = &cq->lint;
	enum doing doing = what_does(cq->owner.pid);
	bool again;

	spin_lock_irq(&cq->lock);
	if (cq->armed == l->armed && cq->notify && !cq->failed && glass_linting() &&
	    READ_ONCE(cq->ring.hdr->consumer) == l->consumer) {
		/* a program that runs, or that a signal or debugger stopped, may still poll */
		again = doing == STOPPED || (doing == RUNS && l->looks++ < ARMED_LOOKS);
		if (!again) {
			lint_cq_unpolled(cq);
			/*
			 * Check again later if the CQ is armed for solicited completions, and no
			 * completion of any kind has come since.
			 */
			again = cq->notify == 1 && cq->producer == l->producer;
		}
		if (again)
			queue_delayed_work(glass_event_wq, &l->work, ARMED_LONG);
	}
	spin_unlock_irq(&cq->lock);
}
