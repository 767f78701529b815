// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The memories of call stacks, by number (where.h). */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "observe/where.h"

/* the numbers of stacks are 32 bits wide */
#define NUMBERS XA_LIMIT(1, (1U << (32 - GLASS_WHERE_SHIFT)) - 1)

static_assert(GLASS_WHERE_STACKS == 1 << GLASS_WHERE_SHIFT);

static DEFINE_XARRAY_FLAGS(wheres, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
static u32 wheres_next;
/* memories without references: freed by work, because the last reference may be dropped anywhere */
static LLIST_HEAD(wheres_dead);

static void where_bury(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&wheres_dead);
	struct glass_where *w, *next;

	llist_for_each_entry_safe(w, next, list, dead) w->free(w);
}
static DECLARE_WORK(burial, where_bury);

int glass_where_add(struct glass_where *w)
{
	int err;

	refcount_set(&w->users, 1);
	err = xa_alloc_cyclic_irq(&wheres, &w->number, w, NUMBERS, &wheres_next, GFP_KERNEL);
	return err < 0 ? err : 0;
}

struct glass_where *glass_where_get(struct glass_where *w)
{
	if (w)
		refcount_inc(&w->users);
	return w;
}

void glass_where_put(struct glass_where *w)
{
	unsigned long flags;

	if (!w || !refcount_dec_and_test(&w->users))
		return;
	xa_lock_irqsave(&wheres, flags);
	__xa_erase(&wheres, w->number);
	xa_unlock_irqrestore(&wheres, flags);
	if (llist_add(&w->dead, &wheres_dead))
		schedule_work(&burial);
}

struct glass_where *glass_where_find(u32 stack)
{
	struct glass_where *w;
	unsigned long flags;

	if (!stack)
		return NULL;
	xa_lock_irqsave(&wheres, flags);
	w = xa_load(&wheres, stack >> GLASS_WHERE_SHIFT);
	if (w && !refcount_inc_not_zero(&w->users))
		w = NULL;
	xa_unlock_irqrestore(&wheres, flags);
	return w;
}

struct glass_where *glass_where_next(const void *of, u32 number)
{
	unsigned long flags, at;
	struct glass_where *w;

	xa_lock_irqsave(&wheres, flags);
	xa_for_each_start(&wheres, at, w,
			  number) if (w->of == of && refcount_inc_not_zero(&w->users)) break;
	xa_unlock_irqrestore(&wheres, flags);
	return w;
}

void glass_where_exit(void)
{
	flush_work(&burial);
}

u32 glass_where_now(const struct glass_where *w)
{
	u32 tid = task_pid_vnr(current);
	u64 now;

	if (!w)
		return 0;
	now = READ_ONCE(w->area->now[tid % GLASS_WHERE_THREADS]);
	return now >> 32 == tid ? glass_where_stack(w, (u32)now) : 0;
}

bool glass_where_copy_stack(const struct glass_where *w, u32 index, struct glass_where_stack *to)
{
	/* pairs with the provider's release: the stack is written before it is counted */
	u32 n = smp_load_acquire(&w->area->nstacks);

	if (!index || index > n || index >= GLASS_WHERE_STACKS)
		return false;
	memcpy(to, &w->area->stack[index], sizeof(*to));
	barrier();
	to->nframes = min_t(u32, to->nframes, GLASS_WHERE_FRAMES);
	return true;
}

bool glass_where_copy_module(const struct glass_where *w, u32 index, struct glass_where_module *to)
{
	/* as above */
	u32 n = smp_load_acquire(&w->area->nmodules);

	if (!index || index > n || index >= GLASS_WHERE_MODULES)
		return false;
	memcpy(to, &w->area->module[index], sizeof(*to));
	barrier();
	to->build_id_bytes = min_t(u8, to->build_id_bytes, sizeof(to->build_id));
	to->path[sizeof(to->path) - 1] = 0;
	return true;
}
