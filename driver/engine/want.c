// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Brings in the on-demand pages that a QP wants (want.h; struct glass_want, model/objects.h): first
 * by a work item of the QP, then by a thread.
 */
#include <linux/hugetlb.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat/gup.h"
#include "engine/engine.h"
#include "engine/odp.h"
#include "engine/party.h"
#include "engine/want.h"

/*
 * The work tries once without waiting, and then TRIES times again, after pauses of 1, 2, 4, 8 and
 * 16 ms. If the pages still have not come, the work starts a thread that waits.
 */
#define TRIES 5
/* While no thread can be started, the work goes on trying, with pauses of at most this many ms. */
#define TRY_MS 1000
/*
 * If a QP loses its pages again and again, the work waits up to 1 << SLOWEST ms before it brings
 * them in.
 */
#define SLOWEST 6U
/* Pages that were brought in remain pinned for the QP for this many jiffies. */
#define HOLD_JIFFIES HZ
/*
 * A failure is remembered for this many jiffies. During this time an access to the pages fails at
 * once.
 */
#define BAD_JIFFIES (HZ / 4)

/* A thread that waits for the pages of one QP. */
struct glass_sleeper {
	/* the QP that wants the pages; NULL: it is being destroyed; protected by sleepers_lock */
	struct glass_qp *qp;
	struct task_struct *task;
	struct glass_party *group; /* with a reference */
	struct glass_odp *odp; /* with a reference to the structure */
	u64 user;
	u32 n;
	bool write;
	struct page *page[GLASS_WANT_PAGES];
};

static DEFINE_SPINLOCK(sleepers_lock); /* never held together with another spinlock of Glass */

static struct glass_qp *to_qp(struct glass_want *w)
{
	return container_of(w, struct glass_qp, want);
}

static void want_queue_work(struct glass_want *w, unsigned long jiffies_from_now)
{
	queue_delayed_work(glass_slow_wq, &w->work, jiffies_from_now);
}

/*
 * Pins pages without waiting. Returns the number of pages that came. Returns 0 if the first page
 * cannot come without waiting, and a negative errno if it cannot come at all.
 */
static long try_without_waiting(struct glass_odp *odp, u64 user, u32 n, bool write, struct page **page)
{
	struct mm_struct *mm = glass_odp_mm(odp);
	struct glass_odp_fetch fetch;
	int locked = 1;
	long got = 0;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	glass_odp_fetch_begin(odp, &fetch, user, n, write);
	if (mmap_read_trylock(mm)) {
		got = glass_pin_remote(mm, user, n, FOLL_NOWAIT | (write ? FOLL_WRITE : 0), page, &locked);
		if (locked)
			mmap_read_unlock(mm);
	}
	glass_odp_fetch_end(odp, &fetch, page, got);
	mmput_async(mm);
	return got == -EAGAIN || got == -EBUSY ? 0 : got;
}

/*
 * Pins pages, and waits until they come or the thread is killed. Returns the number of pages that
 * came, or a negative errno.
 */
static long wait_for_pages(struct glass_sleeper *s)
{
	struct mm_struct *mm = glass_odp_mm(s->odp);
	struct glass_odp_fetch fetch;
	int locked = 1;
	long got;

	if (!mmget_not_zero(mm))
		return -EFAULT;
	glass_odp_fetch_begin(s->odp, &fetch, s->user, s->n, s->write);
	got = mmap_read_lock_killable(mm);
	if (!got) {
		got = glass_pin_remote(mm, s->user, s->n, s->write ? FOLL_WRITE : 0, s->page, &locked);
		if (locked)
			mmap_read_unlock(mm);
	}
	glass_odp_fetch_end(s->odp, &fetch, s->page, got);
	mmput(mm);
	return got ?: -EFAULT;
}

/*
 * Clears the QP's want. Returns the previous w->odp, which may be NULL. The caller must drop the
 * want's reference to it.
 */
static struct glass_odp *forget_wanted(struct glass_want *w)
{
	struct glass_odp *odp = w->odp;

	lockdep_assert_held(&w->lock);
	w->odp = NULL;
	w->tries = 0;
	return odp;
}

/*
 * Called when the wanted pages came, or cannot come. `got` is the number of pages that came, or a
 * negative errno. Keeps the pages pinned for the QP, or remembers the failure. Then lets the QP
 * look the pages up again.
 */
static void want_settle(struct glass_want *w, struct page **page, long got)
{
	struct glass_qp *qp = to_qp(w);
	struct glass_odp *odp;
	long i, kept = 0;
	/* do not keep hugetlbfs pages: reclaim cannot take them, and their pool may be small */
	bool keep = got > 0 && !PageHuge(page[0]);

	spin_lock(&w->lock);
	if (got > 0) {
		while (keep && !w->dead && kept < got && w->npages < GLASS_WANT_PAGES)
			w->page[w->npages++] = page[kept++];
	} else {
		w->bad = w->odp;
		w->bad_user = w->user;
		w->bad_until = jiffies + BAD_JIFFIES;
	}
	odp = forget_wanted(w);
	spin_unlock(&w->lock);
	for (i = kept; i < got; i++)
		unpin_user_page(page[i]);
	if (odp)
		glass_odp_drop(odp);
	spin_lock(&qp->lock);
	if (!qp->dead)
		glass_pqp_pages(&qp->core);
	spin_unlock(&qp->lock);
	glass_qp_kick(qp, NULL);
}

/*
 * Hands the want over from the thread to the work, which does nothing while the thread is there. The
 * QP may want other pages since want_settle(): the work brings them in at once.
 */
static void sleeper_ends(struct glass_want *w, const struct glass_sleeper *s)
{
	spin_lock(&sleepers_lock);
	if (w->sleeper == s)
		WRITE_ONCE(w->sleeper, NULL);
	spin_unlock(&sleepers_lock);
	/* glass_want_pages() queues the work under this lock, so neither delays what the other needs */
	spin_lock(&w->lock);
	mod_delayed_work(glass_slow_wq, &w->work, w->odp || w->dead ? 0 : HOLD_JIFFIES);
	spin_unlock(&w->lock);
}

/* The thread: waits for the pages. If the QP still exists then, lets the QP look them up again. */
static int sleep_for_pages(void *arg)
{
	struct glass_sleeper *s = arg;
	struct glass_qp *qp;
	long got = 0;
	bool wanted;

	allow_signal(SIGKILL);
	/*
	 * A SIGKILL that came before allow_signal() was lost. So test s->qp, which glass_want_end()
	 * clears before it sends SIGKILL.
	 */
	spin_lock(&sleepers_lock);
	wanted = s->qp;
	spin_unlock(&sleepers_lock);
	if (wanted)
		got = wait_for_pages(s);
	spin_lock(&sleepers_lock);
	qp = s->qp;
	/*
	 * A verb that destroys the QP calls glass_want_end(), which clears s->qp under this lock,
	 * and only then drops the creator's reference. So while s->qp is not NULL, the QP exists.
	 */
	if (qp && WARN_ON(!glass_ref_get(&qp->ref)))
		qp = NULL;
	spin_unlock(&sleepers_lock);
	if (qp) {
		want_settle(&qp->want, s->page, got);
		sleeper_ends(&qp->want, s);
		glass_ref_put(&qp->ref);
	} else if (got > 0) {
		unpin_user_pages(s->page, got);
	}
	glass_odp_drop(s->odp);
	atomic_dec(&s->group->sleepers);
	glass_party_put(s->group);
	kfree(s);
	module_put_and_kthread_exit(0);
}

/*
 * Starts a thread that waits for the pages. Returns false if the QP belongs to a kernel consumer,
 * and so to no group, if its group has GLASS_SLEEPERS threads already, or if the thread cannot be
 * created.
 */
static bool start_sleeper(struct glass_want *w, struct glass_odp *odp, u64 user, u32 n, bool write)
{
	struct glass_qp *qp = to_qp(w);
	struct glass_party *group = qp->party ? qp->party->group : NULL;
	struct glass_sleeper *s;
	struct task_struct *task;

	if (!group || atomic_inc_return(&group->sleepers) > GLASS_SLEEPERS)
		goto err_count;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		goto err_count;
	*s = (struct glass_sleeper){ .qp = qp, .group = group, .odp = odp, .user = user, .n = n, .write = write };
	task = kthread_create(sleep_for_pages, s, "glass_page/%x", qp->core.qpn);
	if (IS_ERR(task))
		goto err_free;
	s->task = task;
	/* the thread runs code of the module; module_put_and_kthread_exit() drops this reference */
	__module_get(THIS_MODULE);
	refcount_inc(&group->users);
	glass_odp_hold(odp);
	spin_lock(&sleepers_lock);
	WRITE_ONCE(w->sleeper, s);
	spin_unlock(&sleepers_lock);
	wake_up_process(task);
	/*
	 * Pairs with smp_mb() in glass_want_end(): either glass_want_end() sees the thread, or this
	 * function sees `dead`.
	 */
	smp_mb();
	if (READ_ONCE(w->dead))
		glass_want_end(qp);
	return true;

err_free:
	kfree(s);
err_count:
	if (group)
		atomic_dec(&group->sleepers);
	return false;
}

/*
 * Called when the QP wants no pages and HOLD_JIFFIES have passed, or when the QP is dead. Unpins
 * the pages, and drops the work's reference to the QP. If odp is not NULL, also drops the want's
 * reference to odp.
 */
static void want_finish(struct glass_want *w, struct glass_odp *odp)
{
	if (w->npages)
		unpin_user_pages(w->page, w->npages);
	w->npages = 0;
	if (odp)
		glass_odp_drop(odp);
	glass_ref_put(&to_qp(w)->ref);
}

static void work_fn(struct work_struct *work)
{
	struct glass_want *w = container_of(to_delayed_work(work), struct glass_want, work);
	struct page *page[GLASS_WANT_PAGES];
	struct glass_odp *odp;
	u32 n, tries;
	bool write;
	long got;
	u64 user;

	/* sleeper_ends() queues the work again; only this function starts a thread */
	if (READ_ONCE(w->sleeper))
		return;
	spin_lock(&w->lock);
	odp = w->odp;
	if (!w->active) {
		spin_unlock(&w->lock);
		return;
	}
	if (!odp || w->dead) {
		odp = forget_wanted(w);
		w->active = false;
		spin_unlock(&w->lock);
		want_finish(w, odp);
		return;
	}
	user = w->user;
	n = w->n;
	write = w->write;
	tries = w->tries++;
	spin_unlock(&w->lock);

	/*
	 * odp stays valid: only this work or the thread drops the want's reference, and no thread
	 * exists
	 */
	got = try_without_waiting(odp, user, n, write, page);
	if (got) {
		want_settle(w, page, got);
		want_queue_work(w, HOLD_JIFFIES);
	} else if (tries < TRIES || !start_sleeper(w, odp, user, n, write)) {
		want_queue_work(w, msecs_to_jiffies(min(1U << min(tries, 10U), (u32)TRY_MS)));
	}
}

void glass_want_init(struct glass_qp *qp)
{
	spin_lock_init(&qp->want.lock);
	INIT_DELAYED_WORK(&qp->want.work, work_fn);
}

/*
 * Returns how many jiffies the work waits before it brings the pages in. The delay is 0, unless the
 * QP wants the same pages again within HOLD_JIFFIES. In that case something probably invalidates
 * the pages again and again before the QP can use them. The delay then doubles each time, up to 64
 * ms (SLOWEST), so that the QP does not keep a CPU busy.
 */
static unsigned long want_delay(struct glass_want *w, const struct glass_odp *odp, u64 user)
{
	bool same = w->last == odp && w->last_user == user && time_before(jiffies, w->last_at + HOLD_JIFFIES);

	lockdep_assert_held(&w->lock);
	w->again = same ? w->again + 1 : 0;
	w->last = odp;
	w->last_user = user;
	w->last_at = jiffies;
	return same ? msecs_to_jiffies(1U << min(w->again, SLOWEST)) : 0;
}

long glass_want_pages(struct glass_qp *qp, struct glass_odp *odp, u64 user, u32 n, bool write)
{
	struct glass_want *w = &qp->want;
	long ret = -EFAULT;

	lockdep_assert_held(&qp->lock);
	spin_lock(&w->lock);
	if (w->dead || (w->bad == odp && w->bad_user == user && time_before(jiffies, w->bad_until)))
		goto out;
	ret = 0;
	if (w->odp)
		goto out;
	if (!w->active && !glass_ref_get(&qp->ref)) {
		ret = -EFAULT;
		goto out;
	}
	w->active = true;
	w->used = true;
	glass_odp_hold(odp);
	w->odp = odp;
	w->user = user;
	w->n = min_t(u32, n, GLASS_WANT_PAGES);
	w->write = write;
	w->tries = 0;
	mod_delayed_work(glass_slow_wq, &w->work, want_delay(w, odp, user));
out:
	spin_unlock(&w->lock);
	return ret;
}

void glass_want_end(struct glass_qp *qp)
{
	struct glass_want *w = &qp->want;
	struct glass_sleeper *s;
	bool active;

	spin_lock(&w->lock);
	w->dead = true;
	active = w->active;
	spin_unlock(&w->lock);
	/* then there is no thread either, and a dead QP gets neither work nor thread */
	if (!active)
		return;
	/* pairs with smp_mb() in start_sleeper() */
	smp_mb();
	spin_lock(&sleepers_lock);
	s = w->sleeper;
	WRITE_ONCE(w->sleeper, NULL);
	if (s) {
		s->qp = NULL;
		send_sig(SIGKILL, s->task, 1);
	}
	spin_unlock(&sleepers_lock);
	mod_delayed_work(glass_slow_wq, &w->work, 0);
}

void glass_want_free(struct glass_qp *qp)
{
	if (qp->want.used)
		cancel_delayed_work_sync(&qp->want.work);
}
