// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Obituaries (gone.h): two rings, each under a lock of its own. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "observe/gone.h"

static DEFINE_SPINLOCK(gone_qps_lock); /* irqs off; an innermost lock */
static struct glass_gone_qp *gone_qps; /* by (seq - 1) % GLASS_GONE_QPS */
static u64 gone_qps_seq; /* number of the last entry */

static DEFINE_SPINLOCK(gone_keys_lock); /* irqs off; an innermost lock */
static struct glass_gone_key *gone_keys; /* by (seq - 1) % GLASS_GONE_KEYS */
static u64 gone_keys_seq;

void glass_gone_caller(struct glass_gone_by *by, u8 how, bool by_program, bool unplug)
{
	by->how = how;
	by->signal = 0;
	by->pid = current->mm || current->flags & PF_EXITING ? task_tgid_nr(current) : 0;
	get_task_comm(by->comm, current);
	if (by_program)
		return;
	by->how = unplug ? GLASS_GONE_UNPLUG : GLASS_GONE_CLOSE;
	if (unplug || !(current->flags & PF_EXITING))
		return;
	by->how = GLASS_GONE_EXIT;
	/* as wait() tells it: the low 7 bits are the signal that ended the process */
	by->signal = current->exit_code & 0x7f;
}

void glass_gone_qp(struct glass_gone_qp *g)
{
	unsigned long flags;

	g->when = ktime_get_ns();
	spin_lock_irqsave(&gone_qps_lock, flags);
	g->seq = ++gone_qps_seq;
	gone_qps[(g->seq - 1) & (GLASS_GONE_QPS - 1)] = *g;
	spin_unlock_irqrestore(&gone_qps_lock, flags);
}

void glass_gone_key(struct glass_gone_key *g)
{
	unsigned long flags;

	g->when = ktime_get_ns();
	spin_lock_irqsave(&gone_keys_lock, flags);
	g->seq = ++gone_keys_seq;
	gone_keys[(g->seq - 1) & (GLASS_GONE_KEYS - 1)] = *g;
	spin_unlock_irqrestore(&gone_keys_lock, flags);
}

u32 glass_gone_find_qps(u8 hca, u32 qpn, struct glass_gone_qp *to, u32 most)
{
	const struct glass_gone_qp *g;
	unsigned long flags;
	u32 i, n = 0;

	spin_lock_irqsave(&gone_qps_lock, flags);
	for (i = 1; i <= GLASS_GONE_QPS && i <= gone_qps_seq && n < most; i++) {
		g = &gone_qps[(gone_qps_seq - i) & (GLASS_GONE_QPS - 1)];
		if (g->qpn == qpn && g->hca == hca)
			to[n++] = *g;
	}
	spin_unlock_irqrestore(&gone_qps_lock, flags);
	return n;
}

u32 glass_gone_find_keys(u8 hca, u32 key, struct glass_gone_key *to, u32 most)
{
	const struct glass_gone_key *g;
	unsigned long flags;
	u32 i, n = 0;

	spin_lock_irqsave(&gone_keys_lock, flags);
	for (i = 1; i <= GLASS_GONE_KEYS && i <= gone_keys_seq && n < most; i++) {
		g = &gone_keys[(gone_keys_seq - i) & (GLASS_GONE_KEYS - 1)];
		if ((g->rkey == key || g->lkey == key) && g->hca == hca)
			to[n++] = *g;
	}
	spin_unlock_irqrestore(&gone_keys_lock, flags);
	return n;
}

int glass_gone_init(void)
{
	gone_qps = kvcalloc(GLASS_GONE_QPS, sizeof(*gone_qps), GFP_KERNEL);
	gone_keys = kvcalloc(GLASS_GONE_KEYS, sizeof(*gone_keys), GFP_KERNEL);
	if (gone_qps && gone_keys)
		return 0;
	glass_gone_exit();
	return -ENOMEM;
}

void glass_gone_exit(void)
{
	kvfree(gone_qps);
	kvfree(gone_keys);
	gone_qps = NULL;
	gone_keys = NULL;
}
