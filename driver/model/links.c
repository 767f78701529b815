// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "compat/workqueue.h"
#include "mgmt/notice.h"
#include "model/links.h"

void glass_fabric_want_trap(struct glass_fabric *f, struct glass_net_node *n)
{
	struct glass_fabric_node *node;

	lockdep_assert_held(&f->lock);
	if (!n || !n->node || !glass_trap_sendable(n->node))
		return;
	node = glass_fabric_node(n);
	/* a packet that is on its way may still know a node that is being removed */
	if (node->gone)
		return;
	/*
	 * The work runs, or will, as long as f->trapping has a node. So packets that violate keys
	 * do not start it: a trap of this node is due when it is due.
	 */
	if (!list_empty(&node->trapping))
		return;
	list_add(&node->trapping, &f->trapping);
	mod_delayed_work(system_dfl_wq, &f->traps, 0);
}
