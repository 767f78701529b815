// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>

#include "model/device.h"
#include "model/ring.h"
#include "model/share.h"
#include "model/shared.h"
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
		 "limit of the kernel memory that Glass allocates for the programs of one user: 1 to 99 percent of the machine's memory (default 25), or 100 for no limit. The limit for all users together is three times as much, but at most 75 percent, or the limit of one user if that is higher");

/*
 * The memory limit for all users together is USERS_TOGETHER times the limit of one user, but no
 * more than PERCENT_TOGETHER percent of the machine's memory. If the limit of one user exceeds
 * these PERCENT_TOGETHER percent, it is also the limit for all users together.
 */
#define USERS_TOGETHER 3
#define PERCENT_TOGETHER 75

/* The last eighth of a table is reserved for kernel consumers and callers with CAP_SYS_RESOURCE. */
#define RESERVED 8

/*
 * The limits of each kind. `all`: number of places of an adapter. `user`: number of places that one
 * user may have. `full`: the error of a verb when all places are taken.
 */
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
	/* one user may have half of the bytes, because the tests of rdma-core allocate that much */
	[GLASS_SHARE_DM_BYTES] = { GLASS_MAX_DM_BYTES, GLASS_MAX_DM_BYTES / 2, -ENOMEM },
	[GLASS_SHARE_MCAST] = { GLASS_MAX_MCAST_GRP, GLASS_MAX_MCAST_GRP / 4, -ENOMEM },
	[GLASS_SHARE_MCAST_QP] = { GLASS_MAX_MCAST_QP, GLASS_MAX_MCAST_QP / 4, -ENOMEM },
};

/* A user has two accounts: one counts ordinary bills, the other counts exempt bills. */
struct account {
	atomic64_t bytes;
	/*
	 * Number of places taken, by adapter and kind. Writers hold the mutex `places`;
	 * glass_share_taken() reads without it.
	 */
	u32 taken[GLASS_MAX_HCAS][GLASS_SHARE_COUNT];
};

struct glass_share {
	/* references of contexts and bills; becomes 0 only under the lock of `books` */
	refcount_t users;
	kuid_t uid;
	struct account account[2]; /* [false]: for ordinary bills; [true]: for exempt bills */
	u64 refused[GLASS_SHARE_COUNT]; /* under `places` */
};

/* The books of all users, by user number. */
static DEFINE_XARRAY(books);
/* Protects account.taken, glass_share.refused and glass_dev.taken. */
static DEFINE_MUTEX(places);
/* The sum of account[false].bytes of all users. */
static atomic64_t all_bytes;

/* ---- users */

/* Returns the user whose books are charged (glass_share_get()). */
static kuid_t payer_uid(void)
{
	kuid_t uid = current_uid();
	const struct user_namespace *ns;

	for (ns = current_user_ns(); ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

uid_t glass_share_uid(void)
{
	return __kuid_val(payer_uid());
}

static struct glass_share *share_find(kuid_t uid)
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
		s = share_find(uid);
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

static void account_check(const struct account *a)
{
	u32 hca, of;

	WARN_ON_ONCE(atomic64_read(&a->bytes));
	for (hca = 0; hca < GLASS_MAX_HCAS; hca++)
		for (of = 0; of < GLASS_SHARE_COUNT; of++)
			WARN_ON_ONCE(a->taken[hca][of]);
}

static void share_free(struct glass_share *s)
{
	account_check(&s->account[false]);
	account_check(&s->account[true]);
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

/* ---- refusals */

/*
 * Is the caller exempt? Makes no audit record, because an allocation is not an attempt to use the
 * capability.
 */
static bool is_exempt(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

static int share_refuse(struct glass_refusal *why, enum glass_share_of of, bool everyone, u64 used,
			u64 more, u64 limit)
{
	*why = (struct glass_refusal){ of, everyone, used, more, limit };
	return -ENOMEM;
}

static void share_report(const struct glass_payer *p, const struct glass_refusal *why, uid_t uid)
{
	static const char *const words[] = GLASS_WORDS(GLASS_SHARES);
	struct glass_lint_report r = {
		.who = p->lint,
		.code = GLASS_LINT_USER_SHARE,
		.kind = GLASS_KIND_DEVICE,
		.seen = why->used + why->more,
		.expected = why->limit,
		.stack = glass_lint_now(p->lint),
	};

	if (!glass_linting() || !glass_lint_wants(p->lint, r.code))
		return;
	if (why->of != GLASS_SHARE_MEMORY)
		glass_lint_found(&r, "user %u wants %llu more of %s; this user or all users together have %llu, and the limit for that is %llu", uid,
				 why->more, words[why->of], why->used, why->limit);
	else if (why->everyone)
		glass_lint_found(&r, "all users together have %llu bytes of kernel memory, and user %u wants %llu more; the limit for all users together is %llu (user_memory_percent)",
				 why->used, uid, why->more, why->limit);
	else
		glass_lint_found(&r, "user %u has %llu bytes of kernel memory and wants %llu more; the limit for one user is %llu (user_memory_percent)",
				 uid, why->used, why->more, why->limit);
}

void glass_share_refused(const struct glass_payer *p, const struct glass_refusal *why)
{
	uid_t uid;

	if (!why->more || p->quiet)
		return;
	mutex_lock(&places);
	p->share->refused[why->of]++;
	mutex_unlock(&places);
	uid = from_kuid(&init_user_ns, p->share->uid);
	trace_glass_share(glass_dev_name(p->dev), uid, why->of, why->used, why->more, why->limit);
	share_report(p, why, uid);
}

/* ---- memory */

static u64 memory_limit(bool everyone)
{
	unsigned int percent = READ_ONCE(user_memory_percent);

	if (percent >= PERCENT_MAX)
		return U64_MAX;
	if (everyone)
		percent = max_t(unsigned int, percent, min_t(unsigned int, USERS_TOGETHER * percent, PERCENT_TOGETHER));
	return mult_frac((u64)totalram_pages() << PAGE_SHIFT, (u64)percent, (u64)PERCENT_MAX);
}

static bool add_within(atomic64_t *count, u64 bytes, u64 limit)
{
	s64 used = atomic64_read(count);

	do {
		if (bytes > limit || used > limit - bytes)
			return false;
	} while (!atomic64_try_cmpxchg(count, &used, used + bytes));
	return true;
}

static void share_uncharge(struct glass_share *s, bool exempt, u64 bytes)
{
	atomic64_sub(bytes, &s->account[exempt].bytes);
	if (!exempt)
		atomic64_sub(bytes, &all_bytes);
}

/* Charges memory if the limits allow it. Returns 0, or -ENOMEM with the reason in *why. */
static int charge_within(struct glass_share *s, bool exempt, u64 bytes, struct glass_refusal *why)
{
	u64 limit = memory_limit(false), all_limit = memory_limit(true);
	atomic64_t *used = &s->account[exempt].bytes;

	if (!add_within(used, bytes, limit))
		return share_refuse(why, GLASS_SHARE_MEMORY, false, atomic64_read(used), bytes,
				    limit);
	if (exempt || add_within(&all_bytes, bytes, all_limit))
		return 0;
	atomic64_sub(bytes, used);
	return share_refuse(why, GLASS_SHARE_MEMORY, true, atomic64_read(&all_bytes), bytes,
			    all_limit);
}

/*
 * Charges memory to the payer. If `exempt` is true, charges the user's account for exempt bills,
 * because the memory belongs to such a bill. If the calling process itself is exempt
 * (`caller_exempt`), no limit applies, even if the bill is an ordinary one. Returns 0 or -ENOMEM.
 */
static int share_charge(const struct glass_payer *p, bool exempt, bool caller_exempt, u64 bytes)
{
	struct glass_refusal why = {};
	int err;

	if (caller_exempt) {
		atomic64_add(bytes, &p->share->account[exempt].bytes);
		if (!exempt)
			atomic64_add(bytes, &all_bytes);
		return 0;
	}
	err = charge_within(p->share, exempt, bytes, &why);
	if (!err)
		return 0;
	/* memory that programs have unmapped may still be charged: free it (shared.c) and retry */
	glass_shared_sweep();
	err = charge_within(p->share, exempt, bytes, &why);
	if (err)
		glass_share_refused(p, &why);
	return err;
}

bool glass_share_lend(const struct glass_bill *object, u64 bytes)
{
	struct glass_share *s = object->share;
	struct glass_refusal why;

	if (s && object->exempt)
		atomic64_add(bytes, &s->account[true].bytes);
	return !s || object->exempt || !charge_within(s, false, bytes, &why);
}

void glass_share_returned(const struct glass_bill *object, u64 bytes)
{
	if (object->share)
		share_uncharge(object->share, object->exempt, bytes);
}

/* ---- places */

/*
 * May the user have n more places? The user has `mine` places, and the programs of all users
 * together have `all`. Returns 0 or -ENOMEM. After -ENOMEM, *why has the reason.
 */
static int room_allows(enum glass_share_of of, u32 mine, u32 all, u32 n, struct glass_refusal *why)
{
	u32 programs = room[of].all - room[of].all / RESERVED;

	if (all + n > programs)
		return share_refuse(why, of, true, all, n, programs);
	if (mine + n > room[of].user)
		return share_refuse(why, of, false, mine, n, room[of].user);
	return 0;
}

static int share_take(const struct glass_payer *p, bool exempt, enum glass_share_of of, u32 n)
{
	u32 *mine = &p->share->account[exempt].taken[p->dev->index][of], *all = &p->dev->taken[of];
	struct glass_refusal why = {};
	int err = 0;

	if (n > room[of].all)
		return room[of].full;
	mutex_lock(&places);
	if (*all + n > room[of].all)
		err = room[of].full;
	else if (!exempt)
		err = room_allows(of, *mine, *all, n, &why);
	if (!err) {
		WRITE_ONCE(*mine, *mine + n);
		*all += n;
	}
	mutex_unlock(&places);
	glass_share_refused(p, &why);
	return err;
}

static void share_give(const struct glass_bill *b)
{
	u32 *mine = &b->share->account[b->exempt].taken[b->dev->index][b->of];

	mutex_lock(&places);
	WRITE_ONCE(*mine, *mine - b->places);
	b->dev->taken[b->of] -= b->places;
	mutex_unlock(&places);
}

int glass_share_allows(const struct glass_payer *p, enum glass_share_of of, u32 mine, u32 all,
		       struct glass_refusal *why)
{
	if (!p->share || is_exempt())
		return 0;
	return room_allows(of, mine, all, 1, why);
}

void glass_share_count(const struct glass_bill *b, enum glass_share_of of, int n)
{
	u32 *mine;

	if (!b->share)
		return;
	mine = &b->share->account[b->exempt].taken[b->dev->index][of];
	mutex_lock(&places);
	WRITE_ONCE(*mine, *mine + n);
	mutex_unlock(&places);
}

u32 glass_share_taken(const struct glass_bill *b, enum glass_share_of of)
{
	return b->share ? READ_ONCE(b->share->account[b->exempt].taken[b->dev->index][of]) : 0;
}

/* ---- bills */

int glass_bill_open(struct glass_bill *b, const struct glass_payer *p, enum glass_share_of of, u32 n, u64 bytes)
{
	struct glass_bill opened = {
		.share = p->share,
		.dev = p->dev,
		.bytes = bytes,
		.places = n,
		.of = of,
	};
	int err = 0;

	*b = (struct glass_bill){};
	if (!p->share)
		return 0;
	opened.exempt = is_exempt();
	if (of != GLASS_SHARE_MEMORY)
		err = share_take(p, opened.exempt, of, n);
	if (err)
		return err;
	err = share_charge(p, opened.exempt, opened.exempt, bytes);
	if (err) {
		if (of != GLASS_SHARE_MEMORY)
			share_give(&opened);
		return err;
	}
	glass_share_hold(p->share);
	*b = opened;
	return 0;
}

int glass_bill_add(struct glass_bill *b, const struct glass_payer *p, u64 bytes)
{
	int err;

	if (!p->share || !bytes)
		return 0;
	if (!b->share)
		return glass_bill_open(b, p, GLASS_SHARE_MEMORY, 0, bytes);
	err = share_charge(p, b->exempt, is_exempt(), bytes);
	if (!err)
		WRITE_ONCE(b->bytes, b->bytes + bytes);
	return err;
}

void glass_bill_less(struct glass_bill *b, u64 bytes)
{
	if (!b->share)
		return;
	share_uncharge(b->share, b->exempt, bytes);
	WRITE_ONCE(b->bytes, b->bytes - bytes);
}

void glass_bill_close(struct glass_bill *b)
{
	struct glass_bill had = *b;

	*b = (struct glass_bill){};
	if (!had.share)
		return;
	share_uncharge(had.share, had.exempt, had.bytes);
	if (had.of != GLASS_SHARE_MEMORY)
		share_give(&had);
	glass_share_put(had.share);
}

/* ---- the table `share` of debugfs */

/*
 * Fills the line of a user and a kind (info->of). False: the user has nothing of this kind, and no
 * request for it was refused. Always true for memory.
 */
static bool share_describe(const struct glass_share *s, const struct glass_dev *dev,
			   struct glass_share_info *info)
{
	const struct account *ordinary = &s->account[false], *exempt = &s->account[true];
	enum glass_share_of of = info->of;

	info->uid = from_kuid(&init_user_ns, s->uid);
	info->refused = s->refused[of];
	if (of == GLASS_SHARE_MEMORY) {
		info->exempt = atomic64_read(&exempt->bytes);
		info->used = atomic64_read(&ordinary->bytes) + info->exempt;
		info->limit = memory_limit(false);
		info->all = atomic64_read(&all_bytes);
		info->all_limit = memory_limit(true);
		return true;
	}
	info->exempt = exempt->taken[dev->index][of];
	info->used = ordinary->taken[dev->index][of] + info->exempt;
	info->limit = room[of].user;
	/* not counted here: engine/mcast.c counts the groups of all users, and their members */
	info->all = of == GLASS_SHARE_MCAST || of == GLASS_SHARE_MCAST_QP ? U64_MAX : dev->taken[of];
	info->all_limit = room[of].all - room[of].all / RESERVED;
	return info->used || info->refused;
}

bool glass_share_next(const struct glass_dev *dev, unsigned long *uid, struct glass_share_info *info)
{
	const unsigned long at = *uid;
	const struct glass_share *s;
	bool found = false;

	mutex_lock(&places);
	/* keeps all books alive: glass_share_put() takes this lock before it frees any of them */
	xa_lock(&books);
	s = xa_find(&books, uid, ULONG_MAX, XA_PRESENT);
	/* user `at` has no books (any more): begin with the first kind of the next user */
	if (*uid != at)
		info->of = 0;
	for (; s; s = xa_find_after(&books, uid, ULONG_MAX, XA_PRESENT)) {
		for (; info->of < GLASS_SHARE_COUNT; info->of++) {
			found = share_describe(s, dev, info);
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
