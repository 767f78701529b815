// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast groups of a device. Packets find a group by its MGID; debugfs lists groups by id. The
 * members of a group are in a set, which holds a reference to each member. A set never gets or
 * loses a member: if a QP joins or leaves, the group gets a new set. So the packet path walks a set
 * without a lock. copies.c delivers to the members.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "compat/array.h"
#include "engine/engine.h"
#include "engine/mcast.h"
#include "engine/packet.h"

static atomic64_t last_joined;

struct glass_mcast_group {
	struct hlist_node node; /* dev->mcast_groups */
	struct rcu_head rcu;
	unsigned long id; /* index in dev->mcast_by_id; newer groups have higher ids */
	union ib_gid mgid;
	u16 mlid; /* MLID of the first attach */
	u64 created_ns;
	struct glass_mcast_set __rcu *set;
};

/*
 * If the device has GLASS_MAX_MCAST_GRP groups, a bucket has 8 groups on average. Programs choose
 * the MGIDs, so the hash has a secret seed. Without the seed, programs could put all groups into
 * one bucket.
 */
#define BUCKETS 1024

struct glass_mcast_table {
	u32 seed;
	u32 n; /* groups; under mcast_lock */
	struct hlist_head bucket[BUCKETS]; /* read under RCU, changed under mcast_lock */
};

void glass_mcast_set_put(struct glass_mcast_set *set)
{
	u32 i;

	if (!set || !refcount_dec_and_test(&set->users))
		return;
	for (i = 0; i < set->n; i++)
		glass_ref_put(&set->member[i].qp->ref);
	kvfree_rcu(set, rcu);
}

static struct hlist_head *mcast_bucket(struct glass_dev *dev, const u8 *mgid)
{
	struct glass_mcast_table *t = dev->mcast_groups;

	return &t->bucket[jhash(mgid, sizeof(union ib_gid), t->seed) % BUCKETS];
}

/*
 * Finds a group by its MGID. Returns NULL if there is none. The caller holds mcast_lock or
 * rcu_read_lock().
 */
static struct glass_mcast_group *mcast_find_group(struct glass_dev *dev, const u8 *mgid)
{
	struct glass_mcast_group *g;

	hlist_for_each_entry_rcu(g, mcast_bucket(dev, mgid), node,
				 lockdep_is_held(&dev->mcast_lock))
		if (glass_gid_equal(g->mgid.raw, mgid))
			return g;
	return NULL;
}

/*
 * Makes a group with this set of members. Returns 0 if it succeeds, and the group then owns the
 * set. Returns -ENOMEM if there is no memory, or if the device has GLASS_MAX_MCAST_GRP groups
 * already. The caller holds mcast_lock.
 */
static int add_group(struct glass_dev *dev, const union ib_gid *mgid, u16 mlid, struct glass_mcast_set *set)
{
	struct glass_mcast_group *g;
	int err;

	lockdep_assert_held(&dev->mcast_lock);
	if (dev->mcast_groups->n >= GLASS_MAX_MCAST_GRP)
		return -ENOMEM;
	g = kzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);
	if (!g)
		return -ENOMEM;
	g->mgid = *mgid;
	g->mlid = mlid;
	g->created_ns = ktime_get_ns();
	g->id = dev->mcast_next;
	RCU_INIT_POINTER(g->set, set);
	err = xa_insert(&dev->mcast_by_id, g->id, g, GFP_KERNEL_ACCOUNT);
	if (err) {
		kfree(g);
		return err;
	}
	hlist_add_head_rcu(&g->node, mcast_bucket(dev, mgid->raw));
	dev->mcast_groups->n++;
	dev->mcast_next++;
	return 0;
}

/*
 * Copies a set: leaves out the member `without`, and adds the new member `with`. Each of these two
 * may be NULL. `old` is the set, or NULL for an empty set. Returns NULL if there is no memory. But
 * a copy for a detach (with `without`) always succeeds: after the exit of a program, nothing would
 * repeat a failed detach, and the destruction of the QP would wait for ever for the set's
 * reference.
 */
static struct glass_mcast_set *set_copy(const struct glass_mcast_set *old, const struct glass_qp *without,
					struct glass_qp *with)
{
	u32 i, n = (old ? old->n : 0) + (with ? 1 : 0) - (without ? 1 : 0);
	struct glass_mcast_set *set =
		kvzalloc(struct_size(set, member, n), GFP_KERNEL_ACCOUNT | (without ? __GFP_NOFAIL : 0));
	u32 to = 0;

	if (!set)
		return NULL;
	refcount_set(&set->users, 1);
	set->n = n;
	for (i = 0; old && i < old->n; i++)
		if (old->member[i].qp != without)
			set->member[to++] = old->member[i];
	if (with)
		set->member[to++] = (struct glass_membership){
			.qp = with,
			.joined = atomic64_inc_return(&last_joined),
			.attached = 1,
		};
	/*
	 * cannot fail: the old set has a reference to each of its members, and the caller has one
	 * to `with`
	 */
	for (i = 0; i < n; i++)
		WARN_ON_ONCE(!glass_ref_get(&set->member[i].qp->ref));
	return set;
}

/* Returns the QP's entry in a set of members, or NULL. The caller holds mcast_lock. */
static struct glass_membership *member_of(struct glass_mcast_set *set, const struct glass_qp *qp)
{
	u32 i;

	lockdep_assert_held(&qp->dev->mcast_lock);
	for (i = 0; set && i < set->n; i++)
		if (set->member[i].qp == qp)
			return &set->member[i];
	return NULL;
}

/*
 * Returns the number of members that have the same user as the QP, and the same value of
 * bill.exempt (model/share.h). The caller holds mcast_lock.
 */
static u32 members_of_user(const struct glass_mcast_set *set, const struct glass_qp *qp)
{
	u32 i, n = 0;

	lockdep_assert_held(&qp->dev->mcast_lock);
	for (i = 0; set && i < set->n; i++)
		n += set->member[i].qp->bill.share == qp->bill.share &&
		     set->member[i].qp->bill.exempt == qp->bill.exempt;
	return n;
}

/*
 * Bytes charged for each member (model/share.h). They include the group and the set, because the
 * member may be the only one.
 */
#define MEMBER_BYTES                                                                               \
	(sizeof(struct glass_mcast_group) + sizeof(struct glass_mcast_set) + sizeof(struct glass_membership))

static struct glass_payer mcast_payer(const struct glass_qp *qp)
{
	return (struct glass_payer){
		.dev = qp->dev,
		.share = qp->bill.share,
		.lint = qp->owner.lint,
	};
}

/*
 * May the QP's user have one more member in a group? `old` is the set of the group's members, or
 * NULL if the group is new. `mine` is the number of the user's members in `old`. A group counts
 * against the share of each user that has a member in the group, because the user that made the
 * group may leave first. Returns 0, or -ENOMEM with the reason in *why. The caller holds
 * mcast_lock.
 */
static int mcast_share_allows(const struct glass_payer *payer, const struct glass_qp *qp,
			      const struct glass_mcast_set *old, u32 mine,
			      struct glass_refusal *why)
{
	struct glass_dev *dev = qp->dev;
	int err;

	lockdep_assert_held(&dev->mcast_lock);
	err = glass_share_allows(payer, GLASS_SHARE_MCAST_QP, mine, old ? old->n : 0, why);
	if (!err && !mine)
		/* only a new group counts against the limit for all users together */
		err = glass_share_allows(payer, GLASS_SHARE_MCAST, glass_share_taken(&qp->bill, GLASS_SHARE_MCAST),
					 old ? 0 : dev->mcast_groups->n, why);
	return err;
}

/*
 * Uncharges the memory of one member. Does not need mcast_lock: ib_uverbs runs only one attach or
 * detach of a program's QP at a time, and QPs of kernel consumers are not charged.
 */
static void mcast_uncharge_member(struct glass_qp *qp)
{
	if (!qp->bill.share)
		return;
	if (atomic_read(&qp->mcast))
		glass_bill_less(&qp->mcast_bill, MEMBER_BYTES);
	else
		glass_bill_close(&qp->mcast_bill);
}

/*
 * As glass_mcast_attach(), but the caller holds mcast_lock. *joined becomes true if the QP becomes
 * a member; otherwise (an error, or the QP is a member already) it does not change. If the user's
 * share is used up, *why gets the reason (mcast_share_allows()).
 */
static int mcast_attach_locked(struct glass_qp *qp, const struct glass_payer *payer,
			       const union ib_gid *mgid, u16 mlid, bool *joined,
			       struct glass_refusal *why)
{
	struct glass_dev *dev = qp->dev;
	struct glass_mcast_group *g = mcast_find_group(dev, mgid->raw);
	struct glass_mcast_set *old, *set;
	struct glass_membership *m;
	u32 mine;
	int err;

	old = g ? rcu_dereference_protected(g->set, lockdep_is_held(&dev->mcast_lock)) : NULL;
	m = member_of(old, qp);
	if (m) {
		/* no program reaches this limit: it has at most one attachment for each MLID */
		if (m->attached == U32_MAX)
			return -ENOMEM;
		m->attached++;
		return 0;
	}
	if (old && old->n >= GLASS_MAX_MCAST_QP)
		return -EINVAL;
	mine = members_of_user(old, qp);
	err = mcast_share_allows(payer, qp, old, mine, why);
	if (err)
		return err;
	set = set_copy(old, NULL, qp);
	if (!set)
		return -ENOMEM;
	if (!g) {
		err = add_group(dev, mgid, mlid, set);
		if (err) {
			glass_mcast_set_put(set);
			return err;
		}
	} else {
		rcu_assign_pointer(g->set, set);
		glass_mcast_set_put(old);
	}
	if (!mine)
		glass_share_count(&qp->bill, GLASS_SHARE_MCAST, 1);
	atomic_inc(&qp->mcast);
	*joined = true;
	return 0;
}

int glass_mcast_attach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid)
{
	struct glass_payer payer = mcast_payer(qp);
	struct glass_refusal why = {};
	bool joined = false;
	int err;

	/*
	 * Charge before mutex_lock(), because glass_bill_add() may first free memory that
	 * programs have unmapped, and this may take long.
	 */
	err = glass_bill_add(&qp->mcast_bill, &payer, MEMBER_BYTES);
	if (err)
		return err;
	mutex_lock(&qp->dev->mcast_lock);
	err = mcast_attach_locked(qp, &payer, mgid, mlid, &joined, &why);
	mutex_unlock(&qp->dev->mcast_lock);
	if (!joined)
		mcast_uncharge_member(qp);
	glass_share_refused(&payer, &why);
	return err;
}

/*
 * As glass_mcast_detach(), but the caller holds mcast_lock. *left becomes true if the QP is no
 * member any more.
 */
static int mcast_detach_locked(struct glass_qp *qp, const union ib_gid *mgid, bool *left)
{
	struct glass_dev *dev = qp->dev;
	struct glass_mcast_group *g = mcast_find_group(dev, mgid->raw);
	struct glass_mcast_set *old, *set;
	struct glass_membership *m;

	old = g ? rcu_dereference_protected(g->set, lockdep_is_held(&dev->mcast_lock)) : NULL;
	m = member_of(old, qp);
	if (!m)
		return -EINVAL;
	if (--m->attached)
		return 0;
	if (old->n == 1) {
		hlist_del_rcu(&g->node);
		dev->mcast_groups->n--;
		xa_erase(&dev->mcast_by_id, g->id);
		RCU_INIT_POINTER(g->set, NULL);
		kfree_rcu(g, rcu);
	} else {
		set = set_copy(old, qp, NULL);
		rcu_assign_pointer(g->set, set);
	}
	if (members_of_user(old, qp) == 1)
		glass_share_count(&qp->bill, GLASS_SHARE_MCAST, -1);
	atomic_dec(&qp->mcast);
	glass_mcast_set_put(old);
	*left = true;
	return 0;
}

int glass_mcast_detach(struct glass_qp *qp, const union ib_gid *mgid, u16 mlid)
{
	bool left = false;
	int err;

	mutex_lock(&qp->dev->mcast_lock);
	err = mcast_detach_locked(qp, mgid, &left);
	mutex_unlock(&qp->dev->mcast_lock);
	if (left)
		mcast_uncharge_member(qp);
	return err;
}

struct glass_mcast_set *glass_mcast_set_of(struct glass_dev *dev, const u8 *mgid)
{
	struct glass_mcast_set *set = NULL;
	struct glass_mcast_group *g;

	rcu_read_lock();
	g = mcast_find_group(dev, mgid);
	if (g)
		set = rcu_dereference(g->set);
	if (set && !refcount_inc_not_zero(&set->users))
		set = NULL;
	rcu_read_unlock();
	return set;
}

bool glass_mcast_member(struct glass_dev *dev, u32 port, const u8 *mgid)
{
	struct glass_mcast_group *g;
	struct glass_mcast_set *set;
	bool member = false;
	u32 i;

	rcu_read_lock();
	g = mcast_find_group(dev, mgid);
	set = g ? rcu_dereference(g->set) : NULL;
	for (i = 0; set && i < set->n && !member; i++)
		member = READ_ONCE(set->member[i].qp->core.attr.port) == port;
	rcu_read_unlock();
	return member;
}

int glass_mcast_init(struct glass_dev *dev)
{
	mutex_init(&dev->mcast_lock);
	xa_init(&dev->mcast_by_id);
	dev->mcast_groups = kvzalloc(sizeof(*dev->mcast_groups), GFP_KERNEL);
	if (!dev->mcast_groups)
		return -ENOMEM;
	dev->mcast_groups->seed = get_random_u32();
	return 0;
}

void glass_mcast_cleanup(struct glass_dev *dev)
{
	WARN_ON(dev->mcast_groups->n);
	kvfree(dev->mcast_groups);
	xa_destroy(&dev->mcast_by_id);
}

/* Fills *info with the description of a group. The caller holds mcast_lock. */
static void tell_group(const struct glass_dev *dev, const struct glass_mcast_group *g,
		       struct glass_mcast_info *info)
{
	info->id = g->id;
	info->mgid = g->mgid;
	info->mlid = g->mlid;
	info->created_ns = g->created_ns;
	info->n = rcu_dereference_protected(g->set, lockdep_is_held(&dev->mcast_lock))->n;
}

bool glass_mcast_next(struct glass_dev *dev, u64 id, struct glass_mcast_info *info)
{
	const struct glass_mcast_group *g;
	unsigned long at = id;

	mutex_lock(&dev->mcast_lock);
	g = xa_find(&dev->mcast_by_id, &at, ULONG_MAX, XA_PRESENT);
	if (g)
		tell_group(dev, g, info);
	mutex_unlock(&dev->mcast_lock);
	return g;
}

bool glass_mcast_members(struct glass_dev *dev, const u8 mgid[16], struct glass_mcast_info *info,
			 struct glass_mcast_member *to)
{
	const struct glass_mcast_group *g;
	const struct glass_mcast_set *set;
	u32 i;

	mutex_lock(&dev->mcast_lock);
	g = mcast_find_group(dev, mgid);
	if (g) {
		tell_group(dev, g, info);
		set = rcu_dereference_protected(g->set, lockdep_is_held(&dev->mcast_lock));
		for (i = 0; i < set->n; i++) {
			to[i].qpn = set->member[i].qp->core.qpn;
			to[i].port = READ_ONCE(set->member[i].qp->core.attr.port);
			to[i].state = READ_ONCE(set->member[i].qp->core.state);
			to[i].owner = set->member[i].qp->owner;
		}
	}
	mutex_unlock(&dev->mcast_lock);
	return g;
}
