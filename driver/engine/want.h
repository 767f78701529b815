/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A page on demand that a QP found absent. The QP alone waits for it: it is brought in by work of
 * the QP's own, first by tries that do not wait themselves, and if that does not help by a thread
 * that is killed when the QP is destroyed. So a page that never comes (userfaultfd, FUSE), or one
 * that comes by way of this QP, holds up no lane, no other QP and no verb.
 */
#ifndef GLASS_ENGINE_WANT_H
#define GLASS_ENGINE_WANT_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct glass_odp;
struct glass_qp;
struct glass_sleeper; /* the thread */
struct page;

/* Pages that are brought in at a time, and held until the QP has looked again: as long as no train's. */
#define GLASS_WANT_PAGES 16
/* Threads that wait for pages at a time, of one group (party.h). Who has so many tries on without waiting. */
#define GLASS_SLEEPERS 16

/* Part of a QP. All of it under `lock`, but for `sleeper`. */
struct glass_want {
	spinlock_t lock; /* taken within the QP's */
	bool active; /* the work has a reference to the QP, and is queued or running, or the thread is there */
	bool dead; /* the QP is destroyed */
	struct glass_odp *odp; /* whose pages are wanted, with a reference to the structure; NULL: none are */
	u64 user; /* address of the first */
	u32 n;
	bool write;
	u32 tries;
	/* what was brought in last, and how often in a row: it comes later and later if the QP does not find it */
	const struct glass_odp *last; /* to be compared only */
	u64 last_user;
	unsigned long last_at; /* jiffies */
	u32 again;
	/* brought in, and pinned until the QP has looked: else memory that is short could take them first */
	struct page *page[GLASS_WANT_PAGES];
	u32 npages;
	/* what cannot be brought in, for a while: the access fails when it comes again */
	const struct glass_odp *bad; /* to be compared only */
	u64 bad_user;
	unsigned long bad_until; /* jiffies */
	struct glass_sleeper *sleeper; /* under a lock of want.c */
	struct delayed_work work;
};

void glass_want_init(struct glass_qp *qp);

/*
 * The QP wants n pages of a process from `user` on, a page's first address. Returns 0: they are being
 * brought in, or others that the QP waits for are; glass_pqp_pages() is called then, and the QP runs. Or
 * -EFAULT: it was tried, and there are none. The caller holds qp->lock and knows that odp exists.
 */
long glass_want_pages(struct glass_qp *qp, struct glass_odp *odp, u64 user, u32 n, bool write);

/* The QP is dead and wants nothing: before the last reference goes. Does not wait. */
void glass_want_end(struct glass_qp *qp);
/* The last of it: after that. May sleep. */
void glass_want_free(struct glass_qp *qp);

#endif
