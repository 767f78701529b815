// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of a port: `rdma statistic`, and hw_counters/ in sysfs.
 *
 * QPs count for themselves and know nothing of this. A port's value is what its
 * QPs count, and what others counted while they were on it: those that died or
 * went to another port.
 */
#include <rdma/ib_verbs.h>

#include "uapi/glass-counters.h"
#include "engine/engine.h"
#include "verbs/verbs.h"

enum {
#define COUNTER_AT(name, unit, meaning) AT_##name,
	GLASS_COUNTERS_QP(COUNTER_AT)
	QP_COUNTERS,
	/* a reason's place follows from its value, of which the first is 1 */
#define DROP_AT(reason) (QP_COUNTERS + (reason) - 1)
	COUNTERS = DROP_AT(GLASS_DROP_COUNT),
};

static const struct rdma_stat_desc descs[] = {
#define COUNTER_DESC(name_, unit, meaning) [AT_##name_] = { .name = #name_ },
	GLASS_COUNTERS_QP(COUNTER_DESC)
#define DROP_DESC(NAME, word, value) [DROP_AT(value)] = { .name = "drop_" #word },
	GLASS_DROP_CLASSES(DROP_DESC)
};

static_assert(ARRAY_SIZE(descs) == COUNTERS);
/* the structure of a QP's counters is the array that add() takes it for */
static_assert(sizeof(struct glass_pqp_stats) == QP_COUNTERS * sizeof(u64));
#define COUNTER_CHECK(name, unit, meaning)                                                         \
	static_assert(offsetof(struct glass_pqp_stats, name) == AT_##name * sizeof(u64));
GLASS_COUNTERS_QP(COUNTER_CHECK)

/* Adds what the QP counted since it came to its port. */
static void add(u64 *sum, const struct glass_qp *qp)
{
	const u64 *now = (const u64 *)&qp->core.stats;
	const u64 *before = (const u64 *)&qp->stats_before;
	u32 i;

	for (i = 0; i < QP_COUNTERS; i++)
		sum[i] += READ_ONCE(now[i]) - before[i];
}

void glass_stats_move(struct glass_qp *qp, u32 port)
{
	struct glass_dev *dev = qp->dev;

	if (qp->stats_port == port)
		return;
	mutex_lock(&dev->stats_lock);
	if (qp->stats_port)
		add((u64 *)&dev->ports[qp->stats_port].gone, qp);
	qp->stats_before = qp->core.stats;
	qp->stats_port = port;
	mutex_unlock(&dev->stats_lock);
}

struct rdma_hw_stats *glass_alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, COUNTERS, RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int glass_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct glass_dev *dev = to_gdev(ib);
	struct glass_drop_count drops;
	struct glass_hca_port *hp;
	struct glass_qp *qp;
	unsigned long qpn;
	u32 i;

	if (!port || port > dev->num_ports)
		return -EINVAL;
	hp = &dev->ports[port];
	/* no QP leaves a table, and so is freed, under this lock */
	mutex_lock(&dev->stats_lock);
	memcpy(stats->value, &hp->gone, sizeof(hp->gone));
	for (i = 0; i < ARRAY_SIZE(hp->special); i++) {
		qp = rcu_dereference_protected(hp->special[i],
					       lockdep_is_held(&dev->stats_lock));
		if (qp && qp->stats_port == port)
			add(stats->value, qp);
	}
	xa_for_each(&dev->qps, qpn, qp)
		if (qp->stats_port == port)
			add(stats->value, qp);
	mutex_unlock(&dev->stats_lock);
	for (i = 1; i < GLASS_DROP_COUNT; i++) {
		glass_drops_get(&dev->drops, port, i, &drops);
		stats->value[DROP_AT(i)] = drops.packets;
	}
	return COUNTERS;
}
