// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Counters of a port: `rdma statistic`, and hw_counters/ in sysfs. */
#include <rdma/ib_verbs.h>

#include "uapi/glass-counters.h"
#include "engine/engine.h"
#include "verbs/verbs.h"

enum {
#define COUNTER_AT(name, unit, meaning) AT_##name,
	GLASS_COUNTERS_QP(COUNTER_AT)
	QP_COUNTERS,
	/* index of the counter of a drop reason; the numbers of drop reasons begin at 1 */
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

struct rdma_hw_stats *glass_alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(descs, COUNTERS, RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int glass_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct glass_dev *dev = to_gdev(ib);
	struct glass_drop_count drops;
	u32 i;

	if (!port || port > dev->num_ports)
		return -EINVAL;
	glass_stats_sum(dev, port, stats->value);
	for (i = 1; i < GLASS_DROP_COUNT; i++) {
		glass_drops_get(&dev->drops, port, i, &drops);
		stats->value[DROP_AT(i)] = drops.packets;
	}
	return COUNTERS;
}
