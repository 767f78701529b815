// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Obituaries (gone.h): two logs, each of parts that are rings under a lock of their own. */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "fabric/topology.h"
#include "observe/gone.h"

/* A part of a log: a ring of entries. Entries begin with a u64, the time of the end. */
struct part {
	spinlock_t lock; /* irqs off; an innermost lock. Protects what follows */
	u64 n; /* number of entries that were written so far */
	void *entries; /* entry i is at index i % log.room */
};

struct gone_log {
	struct part part[GLASS_GONE_PARTS];
	size_t size; /* bytes of an entry */
	u32 room; /* entries of a part; a power of two */
	/* by device: when the newest of its entries that are overwritten was written; 0: none is */
	atomic64_t lost[GLASS_TOPO_MAX_HCAS];
	/* by device: one more than the highest number that was given since the module was loaded */
	atomic_t given[GLASS_TOPO_MAX_HCAS];
};

static_assert(!offsetof(struct glass_gone_qp, when) && !offsetof(struct glass_gone_key, when));

static struct gone_log qp_log = { .size = sizeof(struct glass_gone_qp), .room = GLASS_GONE_QPS };
static struct gone_log key_log = { .size = sizeof(struct glass_gone_key), .room = GLASS_GONE_KEYS };

void glass_gone_caller(struct glass_gone_by *by, u8 how, bool by_program, bool unplug,
		       const struct glass_lint_client *lint)
{
	by->how = how;
	by->signal = 0;
	by->stack = by_program ? glass_lint_now(lint) : 0;
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

/* ---- numbers that were given */

/* Raises *to to `value`, if it is lower. Numbers are below 2^24 + 1. */
static void raise_to(atomic_t *to, int value)
{
	int was = atomic_read(to);

	while (was < value && !atomic_try_cmpxchg(to, &was, value))
		;
}

void glass_gone_qpn_given(u8 hca, u32 qpn)
{
	raise_to(&qp_log.given[hca], qpn + 1);
}

void glass_gone_key_given(u8 hca, u32 key)
{
	raise_to(&key_log.given[hca], (key >> 8) + 1);
}

/* ---- the logs */

static struct part *part_of_log(struct gone_log *log, u8 hca, u32 uid)
{
	return &log->part[hash_64((u64)uid << 8 | hca, ilog2(GLASS_GONE_PARTS))];
}

static void *entry_at(const struct gone_log *log, const struct part *p, u64 i)
{
	return p->entries + (i & (log->room - 1)) * log->size;
}

/* Writes an entry of device hca. hca_at: offset of the field in an entry that has the device. */
static void log_add(struct gone_log *log, u8 hca, u32 uid, const void *entry, size_t hca_at)
{
	struct part *p = part_of_log(log, hca, uid);
	unsigned long flags;
	void *at;

	spin_lock_irqsave(&p->lock, flags);
	at = entry_at(log, p, p->n);
	if (p->n >= log->room) {
		atomic64_t *lost = &log->lost[*(u8 *)(at + hca_at)];
		s64 was = atomic64_read(lost);

		while (was < *(s64 *)at && !atomic64_try_cmpxchg(lost, &was, *(s64 *)at))
			;
	}
	memcpy(at, entry, log->size);
	p->n++;
	spin_unlock_irqrestore(&p->lock, flags);
}

void glass_gone_qp(struct glass_gone_qp *g)
{
	g->when = ktime_get_ns();
	log_add(&qp_log, g->hca, g->uid, g, offsetof(struct glass_gone_qp, hca));
}

void glass_gone_key(struct glass_gone_key *g)
{
	g->when = ktime_get_ns();
	log_add(&key_log, g->hca, g->uid, g, offsetof(struct glass_gone_key, hca));
}

static bool is_qp(const void *entry, u8 hca, u32 qpn)
{
	const struct glass_gone_qp *g = entry;

	return g->qpn == qpn && g->hca == hca;
}

static bool is_key(const void *entry, u8 hca, u32 key)
{
	const struct glass_gone_key *g = entry;

	return (g->rkey == key || g->lkey == key) && g->hca == hca;
}

/* Puts an entry into to[], which has n entries, newest first, and room for `most`. Returns n. */
static u32 log_take(const struct gone_log *log, void *to, u32 n, u32 most, const void *entry)
{
	u32 i = n;

	while (i && *(u64 *)(to + (i - 1) * log->size) < *(const u64 *)entry)
		i--;
	if (i == most)
		return n;
	if (n < most)
		n++;
	memmove(to + (i + 1) * log->size, to + i * log->size, (n - 1 - i) * log->size);
	memcpy(to + i * log->size, entry, log->size);
	return n;
}

static u32 log_find(struct gone_log *log, u8 hca, u32 num, void *to, u32 most,
		    bool (*is)(const void *entry, u8 hca, u32 num))
{
	unsigned long flags;
	struct part *p;
	u32 n = 0;
	u64 i;

	for (p = log->part; p < log->part + GLASS_GONE_PARTS; p++) {
		spin_lock_irqsave(&p->lock, flags);
		for (i = 1; i <= log->room && i <= p->n; i++)
			if (is(entry_at(log, p, p->n - i), hca, num))
				n = log_take(log, to, n, most, entry_at(log, p, p->n - i));
		spin_unlock_irqrestore(&p->lock, flags);
	}
	return n;
}

u32 glass_gone_find_qps(u8 hca, u32 qpn, struct glass_gone_qp *to, u32 most)
{
	return log_find(&qp_log, hca, qpn, to, most, is_qp);
}

u32 glass_gone_find_keys(u8 hca, u32 key, struct glass_gone_key *to, u32 most)
{
	return log_find(&key_log, hca, key, to, most, is_key);
}

static bool log_without(struct gone_log *log, u8 hca, u32 num, u64 since)
{
	return num >= (u32)atomic_read(&log->given[hca]) ||
	       (u64)atomic64_read(&log->lost[hca]) <= since;
}

bool glass_gone_no_qp(u8 hca, u32 qpn, u64 since)
{
	return log_without(&qp_log, hca, qpn, since);
}

bool glass_gone_no_key(u8 hca, u32 key, u64 since)
{
	return log_without(&key_log, hca, key >> 8, since);
}

/* ---- life */

static int log_init(struct gone_log *log)
{
	struct part *p;

	for (p = log->part; p < log->part + GLASS_GONE_PARTS; p++) {
		spin_lock_init(&p->lock);
		p->entries = kvcalloc(log->room, log->size, GFP_KERNEL);
		if (!p->entries)
			return -ENOMEM;
	}
	return 0;
}

static void log_exit(struct gone_log *log)
{
	struct part *p;

	for (p = log->part; p < log->part + GLASS_GONE_PARTS; p++) {
		kvfree(p->entries);
		p->entries = NULL;
	}
}

int glass_gone_init(void)
{
	if (!log_init(&qp_log) && !log_init(&key_log))
		return 0;
	glass_gone_exit();
	return -ENOMEM;
}

void glass_gone_exit(void)
{
	log_exit(&qp_log);
	log_exit(&key_log);
}
