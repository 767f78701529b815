// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Lint findings about verbs: those that the driver detects, and those that providers report. */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "engine/engine.h"
#include "verbs/lint.h"

__printf(8, 0) static int lint_vtell(const struct glass_lint_client *who, u32 stack, u32 code,
				     enum glass_kind kind, u32 num, u64 seen, u64 expected,
				     const char *fmt, va_list ap)
{
	struct glass_lint_report r = {
		.who = who,
		.code = code,
		.kind = kind,
		.num = num,
		.seen = seen,
		.expected = expected,
		.stack = stack,
	};

	return glass_lint_wants(who, code) ? glass_lint_vfound(&r, fmt, ap) : 0;
}

/* Reports a finding about the verb that the calling thread is in. */
__printf(7, 8) static int lint_tell(const struct glass_lint_client *who, u32 code,
				    enum glass_kind kind, u32 num, u64 seen, u64 expected,
				    const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = lint_vtell(who, glass_lint_now(who), code, kind, num, seen, expected, fmt, ap);
	va_end(ap);
	return err;
}

/* Reports a finding about an earlier verb, by its call stack. */
__printf(8, 9) static int lint_tell_at(const struct glass_lint_client *who, u32 stack, u32 code,
				       enum glass_kind kind, u32 num, u64 seen, u64 expected,
				       const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = lint_vtell(who, stack, code, kind, num, seen, expected, fmt, ap);
	va_end(ap);
	return err;
}

void glass_lint_create_qp(struct ib_qp *ib, const struct ib_qp_init_attr *init,
			  struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &init->cap;
	const struct {
		const char *name;
		u32 value, limit;
	} fields[] = {
		{ "max_send_wr", cap->max_send_wr, GLASS_MAX_QP_WR },
		{ "max_recv_wr", cap->max_recv_wr, GLASS_MAX_QP_WR },
		{ "max_send_sge", cap->max_send_sge, GLASS_MAX_SGE },
		{ "max_recv_sge", cap->max_recv_sge, GLASS_MAX_SGE },
		{ "max_inline_data", cap->max_inline_data, GLASS_MAX_INLINE },
	};
	const struct glass_lint_client *who = glass_lint_of(udata);
	u32 pdn = to_gpd(ib->pd)->pdn, i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (fields[i].value <= fields[i].limit)
			continue;
		lint_tell(who, GLASS_LINT_CREATE_QP_INVALID, GLASS_KIND_PD, pdn, fields[i].value,
			  fields[i].limit, "create_qp with %s %u, but the device's limit is %u",
			  fields[i].name, fields[i].value, fields[i].limit);
		return;
	}
	lint_tell(who, GLASS_LINT_CREATE_QP_INVALID, GLASS_KIND_PD, pdn, init->qp_type, 0,
		  "create_qp with a type (%u) or flags (0x%x) that the device does not have",
		  init->qp_type, init->create_flags);
}

static void add_wanted(struct glass_cq *cq, u32 n, bool more)
{
	unsigned long flags;

	if (!cq)
		return;
	spin_lock_irqsave(&cq->lock, flags);
	cq->lint.wanted += more ? n : -n;
	spin_unlock_irqrestore(&cq->lock, flags);
}

void glass_lint_count_caps(struct glass_qp *qp, bool more)
{
	add_wanted(qp->send_cq, qp->cap.max_send_wr, more);
	/*
	 * Do not count a max_recv_wr of 1: the program may have asked for 0, which create_qp raises
	 * to 1. For a QP with an SRQ, max_recv_wr is 0, so receives of the SRQ do not count.
	 */
	add_wanted(qp->recv_cq, qp->cap.max_recv_wr > 1 ? qp->cap.max_recv_wr : 0, more);
	if (more && glass_linting()) {
		glass_lint_cq_caps(qp->send_cq);
		if (qp->recv_cq != qp->send_cq)
			glass_lint_cq_caps(qp->recv_cq);
	}
}

#define BIT_NAME(n) { IB_QP_##n, "IBV_QP_" #n }

static const char *bit_name(u32 bit)
{
	static const struct {
		u32 bit;
		const char *name;
	} names[] = {
		BIT_NAME(STATE), BIT_NAME(CUR_STATE), BIT_NAME(EN_SQD_ASYNC_NOTIFY),
		BIT_NAME(ACCESS_FLAGS), BIT_NAME(PKEY_INDEX), BIT_NAME(PORT), BIT_NAME(QKEY),
		BIT_NAME(AV), BIT_NAME(PATH_MTU), BIT_NAME(TIMEOUT), BIT_NAME(RETRY_CNT),
		BIT_NAME(RNR_RETRY), BIT_NAME(RQ_PSN), BIT_NAME(MAX_QP_RD_ATOMIC), BIT_NAME(ALT_PATH),
		BIT_NAME(MIN_RNR_TIMER), BIT_NAME(SQ_PSN), BIT_NAME(MAX_DEST_RD_ATOMIC),
		BIT_NAME(PATH_MIG_STATE), BIT_NAME(CAP), BIT_NAME(DEST_QPN),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].bit == bit)
			return names[i].name;
	return "?";
}

void glass_lint_modify_qp(struct glass_qp *qp, const struct ib_qp_attr *attr, u32 mask, u32 bad)
{
	static const char *const states[] = GLASS_WORDS(GLASS_QP_STATES);
	u32 from = READ_ONCE(qp->core.state), to = mask & IB_QP_STATE ? attr->qp_state : from;
	u32 psn = bad == IB_QP_SQ_PSN ? attr->sq_psn : bad == IB_QP_RQ_PSN ? attr->rq_psn : 0;

	if (!qp->core.is_user || from >= ARRAY_SIZE(states) || to >= ARRAY_SIZE(states))
		return;
	if ((mask & bad) && psn > GLASS_PSN_MASK) {
		glass_lint_qp(qp, NULL, GLASS_LINT_PSN_TOO_WIDE, psn, psn & GLASS_PSN_MASK,
			      "%s 0x%x of QP 0x%x has more than 24 bits",
			      bad == IB_QP_SQ_PSN ? "sq_psn" : "rq_psn", psn, qp->core.qpn);
		return;
	}
	if (!bad)
		glass_lint_qp(qp, NULL, GLASS_LINT_MODIFY_QP_MASK, from, to,
			      "modify_qp from %s to %s: there is no such transition", states[from],
			      states[to]);
	else
		glass_lint_qp(qp, NULL, GLASS_LINT_MODIFY_QP_MASK, mask, bad,
			      "modify_qp from %s to %s: %s %s", states[from], states[to],
			      bit_name(bad),
			      mask & bad ? "or its value is not allowed" : "is missing");
}

#define HUGE_REGION (1ULL << 30)

int glass_lint_reg_mr(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length, int access)
{
	const struct glass_lint_client *who = glass_lint_of(udata);
	unsigned long brk_start = 0, brk_end = 0;
	struct mm_struct *mm = current->mm;
	bool heap;

	if (!(access & (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)))
		return 0;
	if (mm) {
		mmap_read_lock(mm);
		brk_start = PAGE_ALIGN(mm->start_brk);
		brk_end = mm->brk & PAGE_MASK;
		mmap_read_unlock(mm);
	}
	heap = brk_end > brk_start && start <= brk_start && start + length >= brk_end;
	if (!heap && length < HUGE_REGION)
		return 0;
	return lint_tell(who, GLASS_LINT_WHOLE_HEAP, GLASS_KIND_PD, to_gpd(pd)->pdn, length,
			 HUGE_REGION,
			 "%llu bytes at 0x%llx are registered for remote access (0x%x)%s", length,
			 start, access, heap ? ": all of the heap" : "");
}

void glass_lint_reg_mr_failed(struct ib_udata *udata, struct ib_pd *pd, u64 start, u64 length,
			      int err)
{
	const struct glass_lint_client *who = glass_lint_of(udata);
	u64 limit = rlimit(RLIMIT_MEMLOCK), pinned, wants;

	if (err != -ENOMEM || !current->mm || capable(CAP_IPC_LOCK))
		return;
	wants = (PAGE_ALIGN(start + length) - (start & PAGE_MASK));
	pinned = (u64)atomic64_read(&current->mm->pinned_vm) << PAGE_SHIFT;
	if (pinned + wants <= limit)
		return;
	lint_tell(who, GLASS_LINT_MEMLOCK_LIMIT, GLASS_KIND_PD, to_gpd(pd)->pdn, pinned + wants,
		  limit,
		  "reg_mr of %llu bytes with %llu pinned already: RLIMIT_MEMLOCK is %llu (ulimit -l)",
		  length, pinned, limit);
}

void glass_lint_left(struct ib_udata *udata, enum glass_kind kind, const struct glass_owner *o)
{
	struct glass_ucontext *u = rdma_udata_to_drv_context(udata, struct glass_ucontext, ib);

	if (kind < ARRAY_SIZE(u->left))
		u->left[kind]++;
	if (!u->left_since || o->created_ns < u->left_since) {
		u->left_since = o->created_ns;
		u->left_stack = o->stack;
	}
}

void glass_lint_closed(struct glass_ucontext *uctx)
{
	u32 *n = uctx->left, all = 0, i;

	for (i = 0; i < ARRAY_SIZE(uctx->left); i++)
		all += n[i];
	/* a killed program cannot destroy its objects: no finding */
	if (!all || glass_killed())
		return;
	lint_tell_at(&uctx->lint, uctx->left_stack, GLASS_LINT_LEFT_AT_CLOSE, GLASS_KIND_UCONTEXT, uctx->num, all, 0,
		  "left when the context was closed: %u qp, %u cq, %u srq, %u mr, %u ah, %u pd; the oldest is %llu ms old",
		  n[GLASS_KIND_QP], n[GLASS_KIND_CQ], n[GLASS_KIND_SRQ], n[GLASS_KIND_MR],
		  n[GLASS_KIND_AH], n[GLASS_KIND_PD],
		  div_u64(ktime_get_ns() - uctx->left_since, NSEC_PER_MSEC));
}

/* ---- reports of providers */

#define S r->seen
#define E r->expected
#define SAY(code, fmt, ...)                                                                        \
	case code:                                                                                 \
		return lint_tell(who, code, r->object_kind, r->object_num, S, E, fmt, ##__VA_ARGS__)

static const char *word_of_state(u64 state)
{
	static const char *const words[] = GLASS_WORDS(GLASS_QP_STATES);

	return state < ARRAY_SIZE(words) ? words[state] : "?";
}

/* Returns the rest of the sentence that names a GID index: why the address is wrong. */
static const char *lint_bad_gid_text(u64 bad)
{
	switch (bad) {
	case GLASS_LINT_GID_FAMILY:
		return ": one of that GID and the peer's is an IPv4 address, the other is not";
	case GLASS_LINT_GID_LINK_LOCAL:
		return ": the peer's GID is link-local, and no node on the link of that GID has it";
	case GLASS_LINT_GID_ROUTER:
		return ": that GID is link-local, but the peer is behind a router, which does not forward such packets";
	case GLASS_LINT_GID_NETDEV:
		return ": the network interface of that GID has no route to the peer, and another one has";
	default:
		return ", which the port does not have or which is empty";
	}
}

static int lint_say(const struct glass_lint_client *who, const struct glass_report *r)
{
	u32 n = r->object_num;

	switch (r->lint_code) {
	SAY(GLASS_LINT_NEVER_SIGNALED,
	    "%llu sends are in the queue of QP 0x%x and none is signaled: the queue stays full", S, n);
	SAY(GLASS_LINT_INLINE_TOO_LONG,
	    "%llu bytes inline, but max_inline_data of QP 0x%x is %llu", S, n, E);
	SAY(GLASS_LINT_NO_ROOM_FOR_GRH,
	    "UD receive of %llu bytes posted to QP 0x%x: 40 are for the GRH alone", S, n);
	SAY(GLASS_LINT_AH_DESTROYED_IN_USE,
	    "address handle %u destroyed with a send in flight on QP 0x%llx", n, S);
	SAY(GLASS_LINT_AH_FOR_EACH_SEND,
	    "%llu address handles in a row were made for one send each", S);
	SAY(GLASS_LINT_AH_OTHER_PD,
	    "an address handle of PD %llu was posted to QP 0x%x, which is of PD %llu", S, n, E);
	SAY(GLASS_LINT_REMOTE_WITHOUT_LOCAL,
	    "reg_mr with access 0x%llx: remote write or atomic without LOCAL_WRITE", S);
	SAY(GLASS_LINT_ZERO_LENGTH_SGE, "SGE %llu of a request for %s 0x%x has length 0", S,
	    r->object_kind == GLASS_KIND_SRQ ? "SRQ" : "QP", n);
	SAY(GLASS_LINT_PSN_TOO_WIDE,
	    "PSN 0x%llx of QP 0x%x has more than 24 bits: only 0x%llx of it is used", S, n, E);
	case GLASS_LINT_GRH_NEEDED:
		if (E == GLASS_LINT_GID_NO_GRH)
			return lint_tell(who, GLASS_LINT_GRH_NEEDED, r->object_kind, n, S, E,
					 "address without a GRH, which each address of an Ethernet port must have");
		return lint_tell(who, GLASS_LINT_GRH_NEEDED, r->object_kind, n, S, E,
				 "address with GID index %llu%s", S, lint_bad_gid_text(E));
	SAY(GLASS_LINT_POST_WRONG_STATE,
	    "posted to QP 0x%x in %s; that is allowed from %s on", n, word_of_state(S),
	    word_of_state(E));
	SAY(GLASS_LINT_RECV_WITH_SRQ,
	    "post_recv on QP 0x%x, whose receives come from an SRQ", n);
	SAY(GLASS_LINT_RESET_LOSES_CQES,
	    "%llu completions of QP 0x%x were in its CQs when it was reset", S, n);
	SAY(GLASS_LINT_BUFFER_CHANGED,
	    "the buffer of send %llu of QP 0x%x was changed before its completion", S, n);
	SAY(GLASS_LINT_EVENTS_UNACKED,
	    "destroy of %s %u waits until the program acknowledges all events that it got: it has acknowledged %llu",
	    r->object_kind == GLASS_KIND_CQ ? "CQ" : r->object_kind == GLASS_KIND_SRQ ? "SRQ" : "QP", n,
	    S);
	SAY(GLASS_LINT_FORK_WITH_MRS,
	    "fork with %llu regions registered, and nothing in the program calls ibv_fork_init", S);
	SAY(GLASS_LINT_REG_FOR_EACH_MESSAGE,
	    "%llu regions in a row were registered for one message each", S);
	SAY(GLASS_LINT_IGNORES_BAD_WR,
	    "wr_id 0x%llx was posted again to QP 0x%x: the failed post had queued it, because it stood before bad_wr",
	    S, n);
	SAY(GLASS_LINT_CONTROLLED_QKEY,
	    "Q_Key 0x%llx of QP 0x%x: its high bit is for privileged programs", S, n);
	case GLASS_LINT_ROUNDED_UP_CAPS:
		return lint_tell(who, GLASS_LINT_ROUNDED_UP_CAPS, r->object_kind, n, S, E,
				 "%llu %s of %s 0x%x are used, but %llu were asked for", S,
				 r->posts_invalid ? "bytes inline" : "work requests",
				 r->object_kind == GLASS_KIND_SRQ ? "SRQ" : "QP", n, E);
	case GLASS_LINT_MEMORY_UNMAPPED:
		return lint_tell(who, GLASS_LINT_MEMORY_UNMAPPED, r->object_kind, n, S, E,
				 r->object_kind == GLASS_KIND_MR ?
				 "memory at 0x%llx of MR %u is not mapped any more, but the region still exists" :
				 "the buffer of send %llu of QP 0x%x was unmapped before its completion",
				 S, n);
	case GLASS_LINT_POST_NO_ROOM:
		return lint_tell(who, GLASS_LINT_POST_NO_ROOM, r->object_kind, n, S, E,
				 r->posts_invalid ?
				 "a work request has %llu SGEs, but %s 0x%x takes %llu" :
				 "a post needs room for %llu work requests, but %s 0x%x has room for %llu",
				 S, r->object_kind == GLASS_KIND_SRQ ? "SRQ" : "QP", n, E);
	default:
		return -EOPNOTSUPP;
	}
}

static bool qp_is_up(struct glass_dev *dev, u32 qpn)
{
	struct glass_qp *qp = glass_qp_find(dev, 0, qpn);
	bool up;

	if (!qp)
		return false;
	spin_lock(&qp->lock);
	up = qp->core.state == GLASS_QPS_RTS || qp->core.state == GLASS_QPS_SQD;
	spin_unlock(&qp->lock);
	glass_ref_put(&qp->ref);
	return up;
}

static bool owner_is_of(const struct glass_owner *o, const struct glass_ucontext *uctx)
{
	/* compare processes, not clients: an XRC target has a client of its own */
	return o->lint && o->lint->tgid == uctx->lint.tgid;
}

#define FIND_IN(table, type)                                                                       \
	do {                                                                                       \
		const struct type *o;                                                              \
		xa_lock_irq(&dev->table);                                                          \
		o = xa_load(&dev->table, num);                                                     \
		is = o && owner_is_of(&o->owner, uctx);                                            \
		xa_unlock_irq(&dev->table);                                                        \
	} while (0)

/*
 * Does the program own an object of this kind and number? If not, the finding is false. The driver
 * keeps a limited number of findings, so false findings could leave no room for true ones.
 */
static bool is_its_own(struct glass_ucontext *uctx, u8 kind, u32 num)
{
	struct glass_dev *dev = uctx->dev;
	struct glass_qp *qp;
	bool is = false;

	switch (kind) {
	case GLASS_KIND_UCONTEXT:
		/* number 0: the finding is about the program, not about an object */
		return !num || num == uctx->num;
	case GLASS_KIND_QP:
		qp = num > 1 ? glass_qp_find(dev, 0, num) : NULL;
		if (qp) {
			is = owner_is_of(&qp->owner, uctx);
			glass_ref_put(&qp->ref);
		}
		break;
	case GLASS_KIND_PD:
		FIND_IN(pds, glass_pd);
		break;
	case GLASS_KIND_CQ:
		FIND_IN(cqs, glass_cq);
		break;
	case GLASS_KIND_SRQ:
		FIND_IN(srqs, glass_srq);
		break;
	case GLASS_KIND_AH:
		FIND_IN(ahs, glass_ah);
		break;
	case GLASS_KIND_MR:
		FIND_IN(mrs, glass_mr);
		break;
	}
	return is;
}

/*
 * Unread events are a finding in two cases. The driver has raised at least one event about a failed
 * object (glass_ucontext.nfatal), or it has raised at least ASKED_UNREAD events that the program
 * had asked for (glass_ucontext.nasked).
 */
#define ASKED_UNREAD 4

int glass_lint_reported(struct glass_ucontext *uctx, const struct glass_report *r)
{
	const struct glass_lint_client *who = &uctx->lint;

	if (!r->lint_code || r->lint_code > GLASS_LINT_COUNT || r->object_kind >= GLASS_KIND_COUNT)
		return -EINVAL;
	if (!glass_linting() || !glass_lint_wants(who, r->lint_code))
		return -ENOENT;
	/* with EVENTS_UNACKED, the object may be destroyed already */
	if (r->lint_code != GLASS_LINT_EVENTS_UNACKED &&
	    !is_its_own(uctx, r->object_kind, r->object_num))
		return -ENXIO;
	if (r->lint_code == GLASS_LINT_DESTROYED_UNDRAINED) {
		/* report this only in RTS and SQD: in SQE and ERR the QP flushes the sends */
		if (r->object_num < 2 || !qp_is_up(uctx->dev, r->object_num))
			return 0;
		return lint_tell(who, GLASS_LINT_DESTROYED_UNDRAINED, GLASS_KIND_QP, r->object_num,
				 S, 0,
				 "QP 0x%x destroyed with %llu sends whose completions were not polled",
				 r->object_num, S) ? -EBUSY : 0;
	}
	if (r->lint_code == GLASS_LINT_ASYNC_UNREAD) {
		int fatal = atomic_read(&uctx->nfatal), asked = atomic_read(&uctx->nasked);

		/* other unread events, such as COMM_EST, are harmless */
		if (!fatal && asked < ASKED_UNREAD)
			return 0;
		return lint_tell(who, GLASS_LINT_ASYNC_UNREAD, GLASS_KIND_UCONTEXT, uctx->num,
				 fatal + asked, 0,
				 "asynchronous events are unread; the driver has raised %d about failed objects and %d that the program asked for",
				 fatal, asked);
	}
	/*
	 * The provider reports EVENTS_UNACKED of a CQ when ibv_destroy_cq() takes long: after the
	 * destroy_cq verb, which sets gone_cqn, ibv_destroy_cq() waits in user space for
	 * acknowledgements. Report nothing if a later destroy_cq has replaced gone_cqn, or if the
	 * program has acknowledged all completion events of the CQ. The acquire pairs with the
	 * release in glass_destroy_cq().
	 */
	if (r->lint_code == GLASS_LINT_EVENTS_UNACKED && r->object_kind == GLASS_KIND_CQ &&
	    (smp_load_acquire(&uctx->gone_cqn) != r->object_num ||
	     r->seen >= READ_ONCE(uctx->gone_events)))
		return 0;
	return lint_say(who, r);
}
