// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The counters of a port that come from its QPs. A QP has one set of counters, which continue when
 * the QP moves to another port. The value of a port's counter is the sum of two parts: the counts
 * of its present QPs since they joined the port, and the counts of past QPs while they were on the
 * port (glass_hca_port.gone). A past QP was destroyed, or moved to another port.
 */
#include "model/device.h"
#include "uapi/glass-counters.h"

enum {
#define COUNTER_AT(name, unit, meaning) AT_##name,
	GLASS_COUNTERS_QP(COUNTER_AT)
	QP_COUNTERS,
};

/* stats_add_qp() uses the structure of a QP's counters as an array */
static_assert(sizeof(struct glass_pqp_stats) == QP_COUNTERS * sizeof(u64));
#define COUNTER_CHECK(name, unit, meaning)                                                         \
	static_assert(offsetof(struct glass_pqp_stats, name) == AT_##name * sizeof(u64));
GLASS_COUNTERS_QP(COUNTER_CHECK)

/* Adds to the sum all that the QP has counted since it joined its port. */
static void stats_add_qp(u64 *sum, const struct glass_qp *qp)
{
	const u64 *now = (const u64 *)&qp->core.stats;
	const u64 *before = (const u64 *)&qp->stats_before;
	u32 i;

	for (i = 0; i < QP_COUNTERS; i++)
		sum[i] += READ_ONCE(now[i]) - before[i];
}

/*
 * Called when a QP leaves its port. A walk (glass_stats_sum()) first reads glass_hca_port.gone, and
 * then visits the QPs one after the other. If the QP leaves its port after the walk has read
 * `gone`, and before the walk visits the QP, the walk finds the counts of the QP in neither place.
 * So this function adds these counts to the walk's sum. Thus the sum contains each QP once, and is
 * never less than the sum of an earlier walk.
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

/*
 * Begins a walk: adds up the counts of past QPs, of QP0 and of QP1. QP0 and QP1 never change their
 * port.
 */
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
 * A walk releases stats_lock after this many QPs. The number is small, because glass_stats_move()
 * waits for stats_lock while its caller holds the QP's lock.
 */
#define WALK_PIECE 64

/*
 * Looks at the next WALK_PIECE QPs of the device, and adds those that are on the port. False: no QP
 * is left.
 */
static bool walk_on(struct glass_dev *dev)
{
	struct glass_stats_walk *walk = &dev->stats_walk;
	unsigned long qpn = walk->next;
	const struct glass_qp *qp;
	u32 i;

	/* RCU keeps the memory of a QP that is being destroyed; the stats_port of such a QP is 0 */
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
