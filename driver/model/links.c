// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <linux/hash.h>

#include "compat/workqueue.h"
#include "mgmt/notice.h"
#include "model/links.h"

struct hlist_head *glass_fabric_guid_head(struct glass_fabric *f, u64 guid)
{
	return &f->by_guid[hash_64(guid, GLASS_FABRIC_HASH_BITS)];
}

bool glass_fabric_has_guid(struct glass_fabric *f, u64 guid)
{
	struct glass_fabric_node *n;

	hlist_for_each_entry(n, glass_fabric_guid_head(f, guid), by_guid)
		if (n->guid == guid)
			return true;
	return false;
}

void glass_fabric_want_trap(struct glass_fabric *f, struct glass_net_node *n)
{
	struct glass_fabric_node *node;

	lockdep_assert_held(&f->lock);
	if (!n || !n->node || !glass_trap_sendable(n->node))
		return;
	node = glass_fabric_node(n);
	/* a packet in flight may still refer to a node that is being removed */
	if (node->gone)
		return;
	/*
	 * While a node is in f->trapping, the work f->traps is either running, or queued for the
	 * time when the node may send its next trap. Do not start the work earlier: otherwise each
	 * packet with a wrong P_Key or Q_Key would start it.
	 */
	if (!list_empty(&node->trapping))
		return;
	list_add(&node->trapping, &f->trapping);
	mod_delayed_work(system_dfl_wq, &f->traps, 0);
}
