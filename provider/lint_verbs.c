// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Findings about verbs: objects destroyed or registered, verbs that failed, unread events, and
 * forks.
 */
#define _GNU_SOURCE
#include <config.h>

#include <errno.h>
#include <link.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lint.h"

int glass_lint_destroy_qp(struct glass_qp *qp)
{
	struct ibv_context *context = qp->ibv.qp.context;
	uint32_t tail = atomic_load(&qp->sq.tail);

	if (!glass_linting(context))
		return 0;
	glass_lint_closes(to_gcontext(context));
	/* report only a signaled send whose completion the program did not poll */
	if (!qp->sq.any_signaled || (int32_t)(qp->sq.signaled - tail) < 0 ||
	    qp->ibv.qp.state == IBV_QPS_ERR || qp->ibv.qp.state == IBV_QPS_RESET)
		return 0;
	return glass_lint(context, GLASS_LINT_DESTROYED_UNDRAINED, GLASS_KIND_QP, qp->ibv.qp.qp_num,
			  qp->sq.producer - tail, 0);
}

#define IN_A_ROW 16

/*
 * Is the last send that used the address handle still in its queue? Another thread may destroy that
 * QP.
 */
static bool in_flight(struct glass_context *ctx, const struct glass_ah *ah)
{
	const struct glass_qp *qp;
	bool is = false;

	pthread_mutex_lock(&ctx->qp_lock);
	qp = glass_qp_find(ctx, ah->used_qpn);
	if (qp && qp == ah->used_by) {
		is = (int32_t)(ah->used_index - atomic_load(&qp->sq.tail)) >= 0;
		/*
		 * an unsignaled send may be done without a completion: check the driver's index,
		 * too
		 */
		if (is && !ah->used_signaled)
			is = (int32_t)(ah->used_index -
				       glass_load_acquire(&qp->sq.ring.hdr->consumer)) >= 0;
	}
	pthread_mutex_unlock(&ctx->qp_lock);
	return is;
}

int glass_lint_destroy_ah(struct glass_ah *ah)
{
	struct ibv_context *context = ah->ibv.context;
	struct glass_context *ctx = to_gcontext(context);

	if (!glass_linting(context) || !ah->uses)
		return 0;
	if (ah->uses > 1)
		atomic_store(&ctx->lint_ahs, 0);
	else if (atomic_fetch_add(&ctx->lint_ahs, 1) + 1 == IN_A_ROW)
		glass_lint(context, GLASS_LINT_AH_FOR_EACH_SEND, GLASS_KIND_UCONTEXT, 0, IN_A_ROW,
			   0);
	if (!in_flight(ctx, ah))
		return 0;
	return glass_lint(context, GLASS_LINT_AH_DESTROYED_IN_USE, GLASS_KIND_AH, ah->num,
			  ah->used_qpn, 0) ? EBUSY : 0;
}

#define PSN_MASK 0xffffffu

int glass_lint_psns(struct ibv_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	uint32_t psn = 0;

	if ((mask & IBV_QP_SQ_PSN) && attr->sq_psn > PSN_MASK)
		psn = attr->sq_psn;
	if ((mask & IBV_QP_RQ_PSN) && attr->rq_psn > PSN_MASK)
		psn = attr->rq_psn;
	if (!psn || !glass_linting(qp->context))
		return 0;
	return glass_lint(qp->context, GLASS_LINT_PSN_TOO_WIDE, GLASS_KIND_QP, qp->qp_num, psn,
			  psn & PSN_MASK);
}

void glass_lint_modify_failed(struct ibv_qp *qp, const struct ibv_qp_attr *attr, int mask, int err)
{
	enum glass_lint_bad_gid bad;

	if (!glass_linting(qp->context))
		return;
	if (err == EPERM && (mask & IBV_QP_QKEY) && attr->qkey >> 31)
		glass_lint(qp->context, GLASS_LINT_CONTROLLED_QKEY, GLASS_KIND_QP, qp->qp_num,
			   attr->qkey, 0x7fffffff);
	bad = mask & IBV_QP_AV ? glass_lint_refused_gid(qp->context, &attr->ah_attr) :
				GLASS_LINT_GID_GOOD;
	if (bad != GLASS_LINT_GID_GOOD)
		glass_lint(qp->context, GLASS_LINT_GRH_NEEDED, GLASS_KIND_QP, qp->qp_num,
			   attr->ah_attr.grh.sgid_index, bad);
}

void glass_lint_ah_failed(struct ibv_pd *pd, const struct ibv_ah_attr *attr, int err)
{
	enum glass_lint_bad_gid bad = GLASS_LINT_GID_GOOD;

	if (err && glass_linting(pd->context))
		bad = glass_lint_refused_gid(pd->context, attr);
	if (bad != GLASS_LINT_GID_GOOD)
		glass_lint(pd->context, GLASS_LINT_GRH_NEEDED, GLASS_KIND_PD, to_gpd(pd)->pdn,
			   attr->grh.sgid_index, bad);
}

void glass_lint_reg_failed(struct ibv_pd *pd, int access, int err)
{
	if (err == EINVAL && glass_linting(pd->context) &&
	    (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) &&
	    !(access & IBV_ACCESS_LOCAL_WRITE))
		glass_lint(pd->context, GLASS_LINT_REMOTE_WITHOUT_LOCAL, GLASS_KIND_PD,
			   to_gpd(pd)->pdn, access, access | IBV_ACCESS_LOCAL_WRITE);
}

/* Returns the number of sends of the context's QPs that were posted while lint was on. */
static uint64_t posts(struct glass_context *ctx)
{
	return atomic_load_explicit(&ctx->lint_posts, memory_order_relaxed);
}

void glass_lint_registered(struct glass_context *ctx, struct glass_mr *mr)
{
	atomic_fetch_add(&ctx->lint_nmr, 1);
	mr->posts = glass_linting(&ctx->ibv.context) ? posts(ctx) : UINT64_MAX;
}

void glass_lint_deregistered(struct glass_context *ctx, struct glass_mr *mr)
{
	uint64_t used;

	atomic_fetch_sub(&ctx->lint_nmr, 1);
	if (!glass_linting(&ctx->ibv.context) || mr->posts == UINT64_MAX)
		return;
	used = posts(ctx) - mr->posts;
	if (used != 1)
		atomic_store(&ctx->lint_mrs, 0);
	else if (atomic_fetch_add(&ctx->lint_mrs, 1) + 1 == IN_A_ROW)
		glass_lint(&ctx->ibv.context, GLASS_LINT_REG_FOR_EACH_MESSAGE, GLASS_KIND_UCONTEXT,
			   0, IN_A_ROW, 0);
}

/* Is the memory of a region still mapped? Checked only while GL041 is observed. */
void glass_lint_still_mapped(struct glass_context *ctx, const struct glass_mr *mr)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), at = (uintptr_t)mr->ibv.ibv_mr.addr & ~(page - 1);
	uintptr_t end = (uintptr_t)mr->ibv.ibv_mr.addr + mr->ibv.ibv_mr.length;
	unsigned char in[1];

	if (!glass_lint_wants(&ctx->ibv.context, GLASS_LINT_MEMORY_UNMAPPED))
		return;
	for (; at < end; at += page) {
		if (!mincore((void *)at, 1, in) || errno != ENOMEM)
			continue;
		glass_lint(&ctx->ibv.context, GLASS_LINT_MEMORY_UNMAPPED, GLASS_KIND_MR,
			   mr->ibv.ibv_mr.lkey >> 8, at, 0);
		return;
	}
}

/* Reports unread events; the driver decides whether they matter. */
void glass_lint_closes(struct glass_context *ctx)
{
	struct pollfd fd = { .fd = ctx->ibv.context.async_fd, .events = POLLIN };

	if (glass_lint_wants(&ctx->ibv.context, GLASS_LINT_ASYNC_UNREAD) && poll(&fd, 1, 0) == 1 &&
	    (fd.revents & POLLIN))
		glass_lint(&ctx->ibv.context, GLASS_LINT_ASYNC_UNREAD, GLASS_KIND_UCONTEXT, 0, 1,
			   0);
}

/* ---- forks */

static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct glass_context *contexts;

/* Does this object of the program refer to ibv_fork_init? Skips libibverbs, which defines it. */
static int names_fork_init(struct dl_phdr_info *info, size_t size, void *found)
{
	static const char name[] = "ibv_fork_init";
	const ElfW(Dyn) *d = NULL;
	const char *strings = NULL;
	size_t bytes = 0;
	int i;

	(void)size;
	if (strstr(info->dlpi_name, "libibverbs.so"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
		if (d->d_tag == DT_STRSZ)
			bytes = d->d_un.d_val;
	}
	/* the vDSO has addresses that are not relocated */
	if (!strings || (uintptr_t)strings < info->dlpi_addr)
		return 0;
	*(bool *)found |= memmem(strings, bytes, name, sizeof(name)) != NULL;
	return 0;
}

static bool calls_fork_init(void)
{
	bool found = getenv("RDMAV_FORK_SAFE") || getenv("IBV_FORK_SAFE");

	if (!found)
		dl_iterate_phdr(names_fork_init, &found);
	return found;
}

static void before_fork(void)
{
	struct glass_context *ctx;
	uint32_t n;

	pthread_mutex_lock(&contexts_lock);
	for (ctx = contexts; ctx; ctx = ctx->lint_next) {
		n = atomic_load(&ctx->lint_nmr);
		if (n && glass_lint_wants(&ctx->ibv.context, GLASS_LINT_FORK_WITH_MRS) &&
		    !calls_fork_init())
			glass_lint(&ctx->ibv.context, GLASS_LINT_FORK_WITH_MRS, GLASS_KIND_UCONTEXT,
				   0, n, 0);
	}
}

static void after_fork(void)
{
	pthread_mutex_unlock(&contexts_lock);
}

static void hook_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

void glass_lint_watch_forks(struct glass_context *ctx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hook_forks);
	pthread_mutex_lock(&contexts_lock);
	ctx->lint_next = contexts;
	contexts = ctx;
	pthread_mutex_unlock(&contexts_lock);
}

void glass_lint_forget(struct glass_context *ctx)
{
	struct glass_context **p;

	pthread_mutex_lock(&contexts_lock);
	for (p = &contexts; *p; p = &(*p)->lint_next) {
		if (*p == ctx) {
			*p = ctx->lint_next;
			break;
		}
	}
	pthread_mutex_unlock(&contexts_lock);
}

/* ---- destroy verbs that wait for acknowledged events */

#define WAITS_LONG 60000000 /* ns */

void glass_lint_got_cq_event(struct ibv_cq *cq)
{
	__atomic_fetch_add(&to_gcq(cq)->comp_events, 1, __ATOMIC_RELAXED);
}

void glass_lint_got_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	uint32_t *got;

	(void)context;
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		got = &to_gcq(event->element.cq)->async_events;
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		got = &to_gqp(event->element.qp)->async_events;
		break;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		got = &to_gsrq(event->element.srq)->async_events;
		break;
	default:
		return;
	}
	__atomic_fetch_add(got, 1, __ATOMIC_RELAXED);
}

/* Did the program get events without acknowledging them? Stores the counts of one such kind. */
static bool owes(const struct glass_lint_wait *w, uint32_t *got, uint32_t *acked)
{
	int i;

	for (i = 0; i < GLASS_LINT_EVENTS && w->events[i].got; i++) {
		*acked = __atomic_load_n(w->events[i].acked, __ATOMIC_RELAXED);
		*got = __atomic_load_n(w->events[i].got, __ATOMIC_RELAXED);
		if (*got != *acked)
			return true;
	}
	return false;
}

/* A long destroy verb may just be slow: report it only if it waits for events. */
static void *watch_wait(void *arg)
{
	struct glass_lint_wait *w = arg;
	uint32_t got, acked;
	struct timespec until;
	bool told = false;

	glass_where_set_current(w->stack);
	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&w->lock);
	while (!w->done && !told) {
		int ret = 0;

		until.tv_nsec += WAITS_LONG;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		while (!w->done && !ret)
			ret = pthread_cond_timedwait(&w->cond, &w->lock, &until);
		told = !w->done && owes(w, &got, &acked);
		if (told)
			glass_lint(w->context, GLASS_LINT_EVENTS_UNACKED, w->kind, w->num, acked,
				   got);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void glass_lint_wait_begin(struct glass_lint_wait *w, struct ibv_context *context,
			   enum glass_kind kind, uint32_t num,
			   const struct glass_lint_events *events)
{
	w->running = false;
	if (!glass_lint_wants(context, GLASS_LINT_EVENTS_UNACKED))
		return;
	w->context = context;
	w->kind = kind;
	w->num = num;
	memcpy(w->events, events, sizeof(w->events));
	w->stack = glass_where_current();
	w->done = false;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->cond, NULL);
	w->running = !pthread_create(&w->thread, NULL, watch_wait, w);
}

void glass_lint_wait_end(struct glass_lint_wait *w)
{
	if (!w->running)
		return;
	pthread_mutex_lock(&w->lock);
	w->done = true;
	pthread_cond_signal(&w->cond);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->cond);
	pthread_mutex_destroy(&w->lock);
}
