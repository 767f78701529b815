// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The black box (blackbox.h): its places, the failures that wait, and the work that writes them. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "observe/blackbox.h"
#include "observe/box_share.h"
#include "observe/env.h"

enum slot_stage {
	SLOT_FREE,
	SLOT_TAKEN, /* glass_box_note() copies the object */
	SLOT_BEGIN, /* the work copies the rest */
	SLOT_LATER, /* the work waits for packets that follow */
};

/* A failure whose story is not complete. */
struct box_slot {
	struct delayed_work work;
	void *story; /* memory of debugfs/ (env.h) */
	u8 stage; /* enum slot_stage; under box_lock */
	u8 waits; /* how often the work has waited for packets */
	u32 uid; /* under box_lock */
	struct glass_failure f; /* a copy; from SLOT_BEGIN on, only the work uses it */
};

/* A failure in the box. */
struct box_entry {
	struct glass_failure f;
	struct glass_box_text *text; /* NULL: no story, or none yet */
};

/* Protects all below but the slots' work, story and f. Taken with irqs off: the innermost lock. */
static DEFINE_SPINLOCK(box_lock);
static struct glass_box_shares *shares; /* NULL: the box is not open */
static struct box_entry *entries; /* by place of `shares` */
static struct box_slot *slots; /* GLASS_FAILURES_WAITING */
static u32 waiting; /* number of slots that are not free */
static u32 last_id;

static struct workqueue_struct *box_wq; /* one work item at a time */
static DECLARE_WAIT_QUEUE_HEAD(box_moved); /* woken after each change of a stage to a later one */

void glass_box_put(struct glass_box_text *text)
{
	if (text && refcount_dec_and_test(&text->refs))
		kvfree(text);
}

/*
 * Texts of failures that others pushed out. kvfree() may not be called where a failure happens, so
 * a work item drops the references.
 */
static LLIST_HEAD(box_dead);

static void dead_work_fn(struct work_struct *work)
{
	struct glass_box_text *text, *next;

	llist_for_each_entry_safe(text, next, llist_del_all(&box_dead), dead)
		glass_box_put(text);
}

static DECLARE_WORK(dead_work, dead_work_fn);

/* ---- taking a failure */

/* Returns a free slot for a user, or NULL if there is none, or if his share is used up. */
static struct box_slot *slot_get(u32 uid)
{
	struct box_slot *s, *found = NULL;
	u32 mine = 0;

	lockdep_assert_held(&box_lock);
	for (s = slots; s < slots + GLASS_FAILURES_WAITING; s++) {
		if (s->stage == SLOT_FREE)
			found = s;
		else
			mine += s->uid == uid;
	}
	if (!found || !glass_box_may_wait(mine, GLASS_FAILURES_WAITING - waiting))
		return NULL;
	found->stage = SLOT_TAKEN;
	found->uid = uid;
	WRITE_ONCE(waiting, waiting + 1);
	return found;
}

/* Puts a failure into the box under a new id. */
static void box_enter(struct glass_failure *f)
{
	struct box_entry *e;
	u32 evicted;

	lockdep_assert_held(&box_lock);
	if (!++last_id)
		++last_id;
	f->id = last_id;
	e = &entries[glass_box_enter(shares, f->id, f->uid, &evicted)];
	if (e->text && llist_add(&e->text->dead, &box_dead))
		queue_work(box_wq, &dead_work);
	e->text = NULL;
	e->f = *f;
}

u32 glass_box_note(struct glass_failure *f, void *object, u32 first)
{
	struct box_slot *s;
	unsigned long flags;

	f->when = ktime_get_ns();
	f->real = ktime_get_real_ns();
	spin_lock_irqsave(&box_lock, flags);
	s = slot_get(f->uid);
	spin_unlock_irqrestore(&box_lock, flags);
	if (s)
		glass_box_env_copy(s->story, f, object, first);
	else
		f->missing |= BIT(GLASS_MISSING_BUSY);
	spin_lock_irqsave(&box_lock, flags);
	box_enter(f);
	if (s) {
		s->f = *f;
		s->stage = SLOT_BEGIN;
	}
	spin_unlock_irqrestore(&box_lock, flags);
	if (s)
		queue_delayed_work(box_wq, &s->work, 0);
	return f->id;
}

/* Returns the entry of a failure, or NULL if it is no longer in the box. */
static struct box_entry *box_at(u32 id)
{
	u32 i;

	lockdep_assert_held(&box_lock);
	for (i = 0; i < GLASS_FAILURES_MAX; i++)
		if (id && shares->place[i].id == id)
			return &entries[i];
	return NULL;
}

/* Adds the values of *f that *to does not have. */
static void add_values(struct glass_failure *to, const struct glass_failure *f)
{
	if (f->kind == GLASS_FAILURE_COMPLETION && !to->status) {
		to->kind = f->kind;
		to->status = f->status;
		to->op = f->op;
		to->wr_id = f->wr_id;
		to->has_wr = true;
		to->stack = f->stack;
	}
	if (f->event != GLASS_BOX_NO_WORD && to->event == GLASS_BOX_NO_WORD)
		to->event = f->event;
	if (!to->syndrome)
		to->syndrome = f->syndrome;
	if (!to->has_psn) {
		to->has_psn = f->has_psn;
		to->psn = f->psn;
	}
}

void glass_box_add(u32 id, const struct glass_failure *f)
{
	struct box_entry *e;
	unsigned long flags;

	spin_lock_irqsave(&box_lock, flags);
	e = box_at(id);
	if (e)
		add_values(&e->f, f);
	spin_unlock_irqrestore(&box_lock, flags);
}

void glass_box_state(u32 id, u8 state)
{
	struct box_entry *e;
	unsigned long flags;

	spin_lock_irqsave(&box_lock, flags);
	e = box_at(id);
	if (e)
		e->f.state = state;
	spin_unlock_irqrestore(&box_lock, flags);
}

/* ---- writing it down */

static void slot_move(struct box_slot *s, enum slot_stage stage)
{
	unsigned long flags;

	spin_lock_irqsave(&box_lock, flags);
	s->stage = stage;
	if (stage == SLOT_FREE)
		WRITE_ONCE(waiting, waiting - 1);
	spin_unlock_irqrestore(&box_lock, flags);
	wake_up_all(&box_moved);
}

/* Gives a story to its failure, if the failure is still in the box. */
static void box_keep(const struct glass_failure *f, struct glass_box_text *text)
{
	struct box_entry *e;
	unsigned long flags;

	spin_lock_irqsave(&box_lock, flags);
	e = box_at(f->id);
	if (e) {
		e->text = text;
		e->f.packets = f->packets;
		e->f.missing = f->missing;
		memcpy(e->f.dlid_port, f->dlid_port, sizeof(e->f.dlid_port));
		e->f.connected = f->connected;
		e->f.has_connected = f->has_connected;
		e->f.bytes = text ? text->len + sizeof(*text) : 0;
		if (!e->f.peer_comm[0]) {
			e->f.peer_pid = f->peer_pid;
			memcpy(e->f.peer_comm, f->peer_comm, sizeof(e->f.peer_comm));
		}
		text = NULL;
	}
	spin_unlock_irqrestore(&box_lock, flags);
	glass_box_put(text);
}

/* Each time twice as long: 2, 4, ... ms */
static void box_wait(struct box_slot *s)
{
	unsigned long ns = (unsigned long)GLASS_STORY_LATER_NS << s->waits++;

	queue_delayed_work(box_wq, &s->work, nsecs_to_jiffies(ns) + 1);
}

/* A story that waits keeps its slot: when slots get scarce, none waits longer than it must. */
static bool box_may_wait(const struct box_slot *s)
{
	return s->waits < GLASS_STORY_WAITS && READ_ONCE(waiting) <= GLASS_FAILURES_WAITING / 2;
}

static void box_work(struct work_struct *work)
{
	struct box_slot *s = container_of(to_delayed_work(work), struct box_slot, work);

	if (READ_ONCE(s->stage) == SLOT_BEGIN) {
		glass_box_env_begin(s->story, &s->f);
		slot_move(s, SLOT_LATER);
		s->waits = 0;
		box_wait(s);
		return;
	}
	if (box_may_wait(s) && glass_box_env_waits(s->story, &s->f)) {
		box_wait(s);
		return;
	}
	box_keep(&s->f, glass_box_env_end(s->story, &s->f));
	slot_move(s, SLOT_FREE);
}

/*
 * Does a story wait, of a failure up to `last`, that is to copy this QP, or of a QP with the number to
 * which this QP is connected?
 */
static bool box_wants(u8 hca, u32 qpn, u32 dest, u32 last)
{
	const struct box_slot *s;
	bool found = false;
	unsigned long flags;

	spin_lock_irqsave(&box_lock, flags);
	for (s = slots; s < slots + GLASS_FAILURES_WAITING && !found; s++)
		found = s->stage == SLOT_BEGIN && (s32)(s->f.id - last) <= 0 &&
			((s->f.peer_qpn == qpn && s->f.peer_dev[0] && s->f.peer_hca == hca) ||
			 (s->f.object == GLASS_KIND_QP && s->f.num == dest));
	spin_unlock_irqrestore(&box_lock, flags);
	return found;
}

void glass_box_settle(u8 hca, u32 qpn, u32 dest)
{
	u32 last;

	if (!READ_ONCE(waiting))
		return;
	last = READ_ONCE(last_id);
	wait_event(box_moved, !box_wants(hca, qpn, dest, last));
}

/* ---- reading */

bool glass_box_find(u32 id, struct glass_failure *f)
{
	const struct box_entry *found = NULL;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&box_lock, flags);
	for (i = 0; i < GLASS_FAILURES_MAX; i++)
		if (shares->place[i].id && shares->place[i].id >= id &&
		    (!found || shares->place[i].id < found->f.id))
			found = &entries[i];
	if (found)
		*f = found->f;
	spin_unlock_irqrestore(&box_lock, flags);
	return found;
}

/* Is the story of failure `id` still being written? */
static bool box_writes(u32 id)
{
	const struct box_slot *s;
	bool found = false;
	unsigned long flags;

	spin_lock_irqsave(&box_lock, flags);
	for (s = slots; s < slots + GLASS_FAILURES_WAITING && !found; s++)
		found = s->stage >= SLOT_BEGIN && s->f.id == id;
	spin_unlock_irqrestore(&box_lock, flags);
	return found;
}

int glass_box_read(u32 id, struct glass_failure *f, struct glass_box_text **text)
{
	const struct box_entry *e;
	unsigned long flags;
	int err;

	err = wait_event_interruptible(box_moved, !box_writes(id));
	if (err)
		return err;
	spin_lock_irqsave(&box_lock, flags);
	e = box_at(id);
	if (e) {
		*f = e->f;
		*text = e->text;
		if (e->text)
			refcount_inc(&e->text->refs);
	}
	spin_unlock_irqrestore(&box_lock, flags);
	return e ? 0 : -ENOENT;
}

void glass_box_clear(void)
{
	struct glass_box_text *text;
	unsigned long flags;
	u32 i;

	for (i = 0; i < GLASS_FAILURES_MAX; i++) {
		spin_lock_irqsave(&box_lock, flags);
		text = NULL;
		if (shares->place[i].id) {
			text = entries[i].text;
			entries[i].text = NULL;
			glass_box_leave(shares, i);
		}
		spin_unlock_irqrestore(&box_lock, flags);
		glass_box_put(text);
	}
}

/* ---- life */

static void free_memory(void)
{
	u32 i;

	for (i = 0; slots && i < GLASS_FAILURES_WAITING; i++)
		glass_box_env_free(slots[i].story);
	kvfree(slots);
	kvfree(entries);
	kvfree(shares);
	slots = NULL;
	entries = NULL;
	shares = NULL;
}

int glass_box_init(void)
{
	u32 i;

	shares = kvzalloc(sizeof(*shares), GFP_KERNEL);
	entries = kvcalloc(GLASS_FAILURES_MAX, sizeof(*entries), GFP_KERNEL);
	slots = kvcalloc(GLASS_FAILURES_WAITING, sizeof(*slots), GFP_KERNEL);
	if (!shares || !entries || !slots)
		goto failed;
	for (i = 0; i < GLASS_FAILURES_WAITING; i++) {
		INIT_DELAYED_WORK(&slots[i].work, box_work);
		slots[i].story = glass_box_env_new();
		if (!slots[i].story)
			goto failed;
	}
	box_wq = alloc_ordered_workqueue("glass_box", 0);
	if (!box_wq)
		goto failed;
	return 0;

failed:
	free_memory();
	return -ENOMEM;
}

void glass_box_exit(void)
{
	u32 i;

	/* no object is left that could fail: let each story come to its end */
	for (i = 0; i < GLASS_FAILURES_WAITING; i++)
		while (READ_ONCE(slots[i].stage) != SLOT_FREE)
			flush_delayed_work(&slots[i].work);
	/* runs dead_work to its end */
	destroy_workqueue(box_wq);
	glass_box_clear();
	free_memory();
}
