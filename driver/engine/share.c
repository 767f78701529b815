// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>

#include "engine/engine.h"
#include "engine/ring.h"
#include "engine/share.h"
#include "engine/shared.h"
#include "observe/observe.h"

#define PERCENT_MAX 100

static unsigned int user_memory_percent = 25;

static int set_percent(const char *text, const struct kernel_param *param)
{
	unsigned int percent;
	int err = kstrtouint(text, 0, &percent);

	if (!err && (percent < 1 || percent > PERCENT_MAX))
		err = -EINVAL;
	if (!err)
		WRITE_ONCE(user_memory_percent, percent);
	return err;
}

static const struct kernel_param_ops percent_ops = {
	.set = set_percent,
	.get = param_get_uint,
};
module_param_cb(user_memory_percent, &percent_ops, &user_memory_percent, 0644);
MODULE_PARM_DESC(user_memory_percent,
		 "most of the machine's memory that programs of one user make Glass allocate, 1 to 100 percent; 100: no limit (default 25)");

/* The last eighth of a table is for kernel consumers and for CAP_SYS_RESOURCE. */
#define RESERVED 8

/* of an adapter, of one user, and what is said when there is no more */
static const struct {
	u32 all, user;
	int full;
} room[GLASS_SHARE_COUNT] = {
	[GLASS_SHARE_QP] = { GLASS_MAX_QP, GLASS_MAX_QP / 4, -ENOMEM },
	[GLASS_SHARE_CQ] = { GLASS_MAX_CQ, GLASS_MAX_CQ / 4, -ENOSPC },
	[GLASS_SHARE_SRQ] = { GLASS_MAX_SRQ, GLASS_MAX_SRQ / 4, -ENOSPC },
	[GLASS_SHARE_MR] = { GLASS_MAX_MR, GLASS_MAX_MR / 4, -ENOMEM },
	[GLASS_SHARE_PD] = { GLASS_MAX_PD, GLASS_MAX_PD / 4, -ENOSPC },
	[GLASS_SHARE_XRCD] = { GLASS_MAX_XRCD, GLASS_MAX_XRCD / 4, -ENOSPC },
	[GLASS_SHARE_AH] = { GLASS_MAX_AH, GLASS_MAX_AH / 4, -ENOSPC },
	[GLASS_SHARE_DM] = { GLASS_MAX_DM, GLASS_MAX_DM / 4, -ENOSPC },
	/* a half: rdma-core's own tests take that much */
	[GLASS_SHARE_DM_BYTES] = { GLASS_MAX_DM_BYTES, GLASS_MAX_DM_BYTES / 2, -ENOMEM },
	[GLASS_SHARE_MCAST] = { GLASS_MAX_MCAST_GRP, GLASS_MAX_MCAST_GRP / 4, -ENOMEM },
	[GLASS_SHARE_MCAST_QP] = { GLASS_MAX_MCAST_QP, GLASS_MAX_MCAST_QP / 4, -ENOMEM },
};

struct glass_share {
	refcount_t users; /* 0 only under the lock of `books` */
	kuid_t uid;
	atomic64_t bytes;
	/* under `places`; read without it to be shown */
	u64 refused[GLASS_SHARE_COUNT];
	u32 taken[GLASS_MAX_HCAS][GLASS_SHARE_COUNT];
};

/* By user number. */
static DEFINE_XARRAY(books);
/* glass_share.taken and refused, glass_dev.taken */
static DEFINE_MUTEX(places);

/* ---- users */

static kuid_t payer_uid(void)
{
	kuid_t uid = current_uid();
	const struct user_namespace *ns;

	for (ns = current_user_ns(); ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

static struct glass_share *find(kuid_t uid)
{
	struct glass_share *s;

	xa_lock(&books);
	s = xa_load(&books, __kuid_val(uid));
	if (s)
		refcount_inc(&s->users);
	xa_unlock(&books);
	return s;
}

struct glass_share *glass_share_get(void)
{
	kuid_t uid = payer_uid();
	struct glass_share *s;
	int err;

	for (;;) {
		s = find(uid);
		if (s)
			return s;
		s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
		if (!s)
			return NULL;
		refcount_set(&s->users, 1);
		s->uid = uid;
		err = xa_insert(&books, __kuid_val(uid), s, GFP_KERNEL);
		if (!err)
			return s;
		kfree(s);
		if (err != -EBUSY)
			return NULL;
	}
}

struct glass_share *glass_share_hold(struct glass_share *s)
{
	refcount_inc(&s->users);
	return s;
}

static void share_free(struct glass_share *s)
{
	u32 hca, of;

	WARN_ON_ONCE(atomic64_read(&s->bytes));
	for (hca = 0; hca < GLASS_MAX_HCAS; hca++)
		for (of = 0; of < GLASS_SHARE_COUNT; of++)
			WARN_ON_ONCE(s->taken[hca][of]);
	kfree(s);
}

void glass_share_put(struct glass_share *s)
{
	if (!s || !refcount_dec_and_lock(&s->users, &books.xa_lock))
		return;
	__xa_erase(&books, __kuid_val(s->uid));
	xa_unlock(&books);
	share_free(s);
}

/* ---- what is refused */

static void report(const struct glass_payer *p, enum glass_share_of of, u64 used, u64 more, u64 limit)
{
	static const char *const words[] = GLASS_WORDS(GLASS_SHARES);
	struct glass_lint_report r = {
		.who = p->lint,
		.code = 62,
		.kind = GLASS_KIND_DEVICE,
		.seen = used + more,
		.expected = limit,
	};
	uid_t uid = from_kuid(&init_user_ns, p->share->uid);

	trace_glass_share(glass_dev_name(p->dev), uid, of, used, more, limit);
	if (!glass_linting() || !glass_lint_wants(p->lint, r.code))
		return;
	if (of == GLASS_SHARE_MEMORY)
		glass_lint_found(&r, "user %u has %llu bytes of kernel memory and wants %llu more; the share is %llu (user_memory_percent)",
				 uid, used, more, limit);
	else
		glass_lint_found(&r, "user %u wants %llu of %s besides %llu; the share of programs is %llu", uid,
				 more, words[of], used, limit);
}

static int refuse(const struct glass_payer *p, enum glass_share_of of, u64 used, u64 more, u64 limit)
{
	lockdep_assert_held(&places);
	p->share->refused[of]++;
	report(p, of, used, more, limit);
	return -ENOMEM;
}

/* ---- memory */

static u64 memory_limit(void)
{
	unsigned int percent = READ_ONCE(user_memory_percent);

	if (percent >= PERCENT_MAX)
		return U64_MAX;
	return mult_frac((u64)totalram_pages() << PAGE_SHIFT, (u64)percent, (u64)PERCENT_MAX);
}

static bool charge_within(struct glass_share *s, u64 bytes, u64 limit)
{
	s64 used = atomic64_read(&s->bytes);

	do {
		if (bytes > limit || used > limit - bytes)
			return false;
	} while (!atomic64_try_cmpxchg(&s->bytes, &used, used + bytes));
	return true;
}

static int charge(const struct glass_payer *p, u64 bytes)
{
	u64 limit = memory_limit();
	int err;

	if (charge_within(p->share, bytes, limit))
		return 0;
	if (capable(CAP_SYS_RESOURCE)) {
		atomic64_add(bytes, &p->share->bytes);
		return 0;
	}
	/* what the program has unmapped meanwhile is still charged */
	glass_shared_sweep();
	if (charge_within(p->share, bytes, limit))
		return 0;
	mutex_lock(&places);
	err = refuse(p, GLASS_SHARE_MEMORY, atomic64_read(&p->share->bytes), bytes, limit);
	mutex_unlock(&places);
	return err;
}

bool glass_share_lend(struct glass_share *s, u64 bytes)
{
	return !s || charge_within(s, bytes, memory_limit());
}

void glass_share_returned(struct glass_share *s, u64 bytes)
{
	if (s)
		atomic64_sub(bytes, &s->bytes);
}

/* ---- places */

/* Under `places`. May the user have n more, when it has `mine` and programs together have `all`? */
static int allows(const struct glass_payer *p, enum glass_share_of of, u32 mine, u32 all, u32 n)
{
	u32 programs = room[of].all - room[of].all / RESERVED;
	u32 limit = room[of].user, used = mine;

	lockdep_assert_held(&places);
	if (all + n > programs) {
		limit = programs;
		used = all;
	}
	if (used + n <= limit || capable(CAP_SYS_RESOURCE))
		return 0;
	return refuse(p, of, used, n, limit);
}

static int take(const struct glass_payer *p, enum glass_share_of of, u32 n)
{
	u32 *mine = &p->share->taken[p->dev->index][of], *all = &p->dev->taken[of];
	int err;

	if (n > room[of].all)
		return room[of].full;
	mutex_lock(&places);
	err = *all + n > room[of].all ? room[of].full : allows(p, of, *mine, *all, n);
	if (!err) {
		WRITE_ONCE(*mine, *mine + n);
		*all += n;
	}
	mutex_unlock(&places);
	return err;
}

static void give(struct glass_share *s, struct glass_dev *dev, enum glass_share_of of, u32 n)
{
	u32 *mine = &s->taken[dev->index][of];

	mutex_lock(&places);
	WRITE_ONCE(*mine, *mine - n);
	dev->taken[of] -= n;
	mutex_unlock(&places);
}

int glass_share_allows(const struct glass_payer *p, enum glass_share_of of, u32 mine, u32 all)
{
	int err;

	if (!p->share)
		return 0;
	mutex_lock(&places);
	err = allows(p, of, mine, all, 1);
	mutex_unlock(&places);
	return err;
}

void glass_share_count(struct glass_share *s, const struct glass_dev *dev, enum glass_share_of of, int n)
{
	u32 *mine;

	if (!s)
		return;
	mine = &s->taken[dev->index][of];
	mutex_lock(&places);
	WRITE_ONCE(*mine, *mine + n);
	mutex_unlock(&places);
}

u32 glass_share_taken(const struct glass_share *s, const struct glass_dev *dev, enum glass_share_of of)
{
	return s ? READ_ONCE(s->taken[dev->index][of]) : 0;
}

/* ---- bills */

int glass_bill_open(struct glass_bill *b, const struct glass_payer *p, enum glass_share_of of, u32 n, u64 bytes)
{
	int err = 0;

	*b = (struct glass_bill){};
	if (!p->share)
		return 0;
	if (of != GLASS_SHARE_MEMORY)
		err = take(p, of, n);
	if (err)
		return err;
	err = charge(p, bytes);
	if (err) {
		if (of != GLASS_SHARE_MEMORY)
			give(p->share, p->dev, of, n);
		return err;
	}
	*b = (struct glass_bill){ glass_share_hold(p->share), p->dev, bytes, n, of };
	return 0;
}

int glass_bill_add(struct glass_bill *b, const struct glass_payer *p, u64 bytes)
{
	int err;

	if (!p->share)
		return 0;
	if (!b->share)
		return glass_bill_open(b, p, GLASS_SHARE_MEMORY, 0, bytes);
	err = charge(p, bytes);
	if (!err)
		WRITE_ONCE(b->bytes, b->bytes + bytes);
	return err;
}

void glass_bill_less(struct glass_bill *b, u64 bytes)
{
	if (!b->share)
		return;
	atomic64_sub(bytes, &b->share->bytes);
	WRITE_ONCE(b->bytes, b->bytes - bytes);
}

void glass_bill_close(struct glass_bill *b)
{
	struct glass_bill had = *b;

	*b = (struct glass_bill){};
	if (!had.share)
		return;
	atomic64_sub(had.bytes, &had.share->bytes);
	if (had.of != GLASS_SHARE_MEMORY)
		give(had.share, had.dev, had.of, had.places);
	glass_share_put(had.share);
}

/* ---- to be shown */

static u64 with_rings(const struct glass_bill *b, size_t rings)
{
	return b->share ? b->bytes + rings : 0;
}

u64 glass_qp_memory(const struct glass_qp *qp)
{
	lockdep_assert_held(&qp->lock);
	/* rings of the driver's own are in the bill */
	return with_rings(&qp->bill, glass_ring_bytes(&qp->sq) - glass_ring_own_bytes(&qp->sq) +
				     glass_ring_bytes(&qp->rq) - glass_ring_own_bytes(&qp->rq)) +
	       qp->res_bill.bytes + data_race(qp->mcast_bill.bytes);
}

u64 glass_cq_memory(const struct glass_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	return with_rings(&cq->bill, glass_ring_bytes(&cq->ring));
}

u64 glass_srq_memory(const struct glass_srq *srq)
{
	lockdep_assert_held(&srq->lock);
	return with_rings(&srq->bill, glass_ring_bytes(&srq->ring));
}

u64 glass_mr_memory(const struct glass_mr *mr)
{
	/* rereg_mr changes it meanwhile */
	return mr->bill.bytes + data_race(mr->pages_bill.bytes);
}

/* Is there something to tell? */
static bool tell(const struct glass_share *s, const struct glass_dev *dev, struct glass_share_info *info)
{
	enum glass_share_of of = info->of;

	info->uid = from_kuid(&init_user_ns, s->uid);
	info->refused = s->refused[of];
	if (of == GLASS_SHARE_MEMORY) {
		info->used = atomic64_read(&s->bytes);
		info->limit = memory_limit();
		return true;
	}
	info->used = s->taken[dev->index][of];
	info->limit = room[of].user;
	return info->used || info->refused;
}

bool glass_share_next(const struct glass_dev *dev, unsigned long *uid, struct glass_share_info *info)
{
	const struct glass_share *s;
	bool found = false;

	mutex_lock(&places);
	/* books are freed only after they left the table under its lock */
	xa_lock(&books);
	for (s = xa_find(&books, uid, ULONG_MAX, XA_PRESENT); s;
	     s = xa_find_after(&books, uid, ULONG_MAX, XA_PRESENT)) {
		for (; info->of < GLASS_SHARE_COUNT; info->of++) {
			found = tell(s, dev, info);
			if (found)
				goto out;
		}
		info->of = 0;
	}
out:
	xa_unlock(&books);
	mutex_unlock(&places);
	return found;
}
