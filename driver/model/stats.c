// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of a port. Each QP has counters of its own, which know no port. The value of a port is
 * the sum of what its QPs have counted since they joined it, and of what past QPs counted while
 * they were on it. Past QPs were destroyed, or moved to another port.
 */
#include "model/device.h"
#include "uapi/glass-counters.h"

enum {
#define COUNTER_AT(name, unit, meaning) AT_##name,
	GLASS_COUNTERS_QP(COUNTER_AT)
	QP_COUNTERS,
};

/* stats_add_qp() treats the structure of a QP's counters as an array */
static_assert(sizeof(struct glass_pqp_stats) == QP_COUNTERS * sizeof(u64));
#define COUNTER_CHECK(name, unit, meaning)                                                         \
	static_assert(offsetof(struct glass_pqp_stats, name) == AT_##name * sizeof(u64));
GLASS_COUNTERS_QP(COUNTER_CHECK)

/* Adds the QP's counts since it joined its port. */
static void stats_add_qp(u64 *sum, const struct glass_qp *qp)
{
	const u64 *now = (const u64 *)&qp->core.stats;
	const u64 *before = (const u64 *)&qp->stats_before;
	u32 i;

	for (i = 0; i < QP_COUNTERS; i++)
		sum[i] += READ_ONCE(now[i]) - before[i];
}

/*
 * Called when a QP leaves its port. A walk (glass_stats_sum()) first reads glass_hca_port.gone,
 * then the QPs. If the QP leaves between the two, the walk does not find it, so its counts are
 * added to the walk's sum here. Thus the sum contains each QP once, and never decreases.
 */
static void tell_walk(const struct glass_stats_walk *walk, const struct glass_qp *qp)
{
	if (unlikely(walk->port) && walk->port == qp->stats_port && qp->core.qpn >= walk->next)
		stats_add_qp(walk->sum, qp);
}

void glass_stats_move(struct glass_qp *qp, u32 port)
{
	struct glass_dev *dev = qp->dev;

	if (qp->stats_port == port)
		return;
	spin_lock(&dev->stats_lock);
	if (qp->stats_port) {
		stats_add_qp((u64 *)&dev->ports[qp->stats_port].gone, qp);
		tell_walk(&dev->stats_walk, qp);
	}
	qp->stats_before = qp->core.stats;
	qp->stats_port = port;
	spin_unlock(&dev->stats_lock);
}

/* The first step of a walk: sums past QPs, QP0 and QP1. The latter two never change their port. */
static void walk_begin(struct glass_dev *dev, u32 port, u64 *sum)
{
	struct glass_hca_port *hp = &dev->ports[port];
	const struct glass_qp *qp;
	u32 i;

	rcu_read_lock();
	spin_lock(&dev->stats_lock);
	memcpy(sum, &hp->gone, sizeof(hp->gone));
	for (i = 0; i < ARRAY_SIZE(hp->special); i++) {
		qp = rcu_dereference(hp->special[i]);
		if (qp && qp->stats_port == port)
			stats_add_qp(sum, qp);
	}
	dev->stats_walk = (struct glass_stats_walk){ .port = port, .next = ARRAY_SIZE(hp->special), .sum = sum };
	spin_unlock(&dev->stats_lock);
	rcu_read_unlock();
}

/*
 * Number of QPs that a walk sums before it releases stats_lock. glass_stats_move() waits for this
 * lock with the QP's lock held.
 */
#define WALK_PIECE 64

/* Sums the next WALK_PIECE QPs. False: these were the last. */
static bool walk_on(struct glass_dev *dev)
{
	struct glass_stats_walk *walk = &dev->stats_walk;
	unsigned long qpn = walk->next;
	const struct glass_qp *qp;
	u32 i;

	/* RCU: a QP that is destroyed meanwhile is not freed; its stats_port is 0 then */
	rcu_read_lock();
	spin_lock(&dev->stats_lock);
	for (i = 0; i < WALK_PIECE; i++) {
		qp = xa_find(&dev->qps, &qpn, ULONG_MAX, XA_PRESENT);
		if (!qp)
			break;
		if (qp->stats_port == walk->port)
			stats_add_qp(walk->sum, qp);
		qpn++;
	}
	if (i < WALK_PIECE)
		walk->port = 0;
	walk->next = qpn;
	spin_unlock(&dev->stats_lock);
	rcu_read_unlock();
	return i == WALK_PIECE;
}

void glass_stats_sum(struct glass_dev *dev, u32 port, u64 *sum)
{
	mutex_lock(&dev->stats_walk_lock);
	walk_begin(dev, port, sum);
	while (walk_on(dev))
		cond_resched();
	mutex_unlock(&dev->stats_walk_lock);
}
