// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Capture sessions: their commands, the writing of packets, and read() (capture.h). */
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "observe/capture.h"
#include "observe/capture_frame.h"
#include "observe/capture_ring.h"
#include "observe/hops.h"

enum session_state {
	SESSION_NEW,
	SESSION_RUNNING,
	SESSION_ENDED, /* no record will be added to the ring any more */
	SESSION_TOLD, /* a reader has got the END record */
};

struct glass_capture {
	u32 dev; /* as in glass_view; if `nodes` is true, it may also be GLASS_CAPTURE_ALL */
	bool nodes; /* the session observes switches and passive CAs; false: an HCA */
	u32 num_ports; /* the highest port that the command `port` takes */
	/* set by commands before the session runs */
	u32 port; /* 0: all ports */
	u32 snap; /* record at most this many bytes of a packet; 0: all */
	bool snap_given; /* a command has set `snap` */
	u32 size; /* bytes of the ring, a power of two */
	u32 nmatch;
	struct glass_match match[GLASS_CAP_MATCHES];

	struct mutex control; /* serializes commands; taken before sessions_lock */
	/*
	 * capture_start() and capture_put_last() store `state` by a release, which pairs with the
	 * acquires of copy_out() and is_over(). tell_end() stores `state` without a release.
	 */
	enum session_state state;

	struct glass_cap_ring ring;
	/* number of unfinished records, plus 1 until capture_stop(); at 0, the session ends */
	atomic_t busy;
	struct mutex reading; /* admits one reader of the ring at a time */
};

/* the count of this key: number of running captures, plus 1 while the flight recorder is on */
DEFINE_STATIC_KEY_TRUE(glass_watch_key);
u32 glass_captures_running; /* written under sessions_lock */

static DEFINE_MUTEX(sessions_lock);
/* running sessions; changed under sessions_lock, read under RCU */
static struct glass_capture __rcu *sessions[GLASS_CAPTURES];
/* no session runs at this place or a later one; changed and read like `sessions` */
static u32 sessions_end;

/* Call it when a place of `sessions` was taken or given back. */
static void sessions_changed(void)
{
	u32 end = GLASS_CAPTURES;

	lockdep_assert_held(&sessions_lock);
	while (end && !rcu_access_pointer(sessions[end - 1]))
		end--;
	WRITE_ONCE(sessions_end, end);
}

/* Decrements `busy`. If it becomes 0, the session ends. */
static noinline void capture_put_last(struct glass_capture *c)
{
	/* pairs with the last synchronize_rcu() of glass_capture_free(), which then frees *c */
	rcu_read_lock();
	if (atomic_dec_and_test(&c->busy)) {
		/*
		 * Pairs with the acquire of copy_out(): a reader that sees ENDED sees all records.
		 * capture_put() orders the records of other writers before this store.
		 */
		smp_store_release(&c->state, SESSION_ENDED);
		wake_up_interruptible(&c->ring.wait);
		/* pairs with the barrier of wait_var_event(): the waiter is woken, or sees ENDED */
		smp_mb();
		wake_up_var(&c->state);
	}
	rcu_read_unlock();
}

/*
 * Decrements `busy`. Call it when a record was written or given up, and when the session was
 * stopped. If `busy` becomes 0, the session ends. If it does not, *c may be freed at once.
 */
static void capture_put(struct glass_capture *c)
{
	/* fully ordered: pairs with capture_put_last() of the context that ends the session */
	if (unlikely(!atomic_add_unless(&c->busy, -1, 1)))
		capture_put_last(c);
}

/* Does the session observe this port? */
static __always_inline bool capture_is_of(const struct glass_capture *c,
					  const struct glass_view *view)
{
	if (c->port && c->port != view->port)
		return false;
	if (!view->node)
		return !c->nodes && c->dev == view->dev;
	return c->nodes && (c->dev == view->dev || c->dev == GLASS_CAPTURE_ALL);
}

/* Does any of `lines`, which capture_matching() returned, also match the drop reason? */
static noinline bool still_matching(const struct glass_capture *c, u32 lines,
				    enum glass_drop reason)
{
	u32 i;

	for (i = 0; i < c->nmatch; i++)
		if ((lines & BIT(i)) && glass_match_reason(&c->match[i], reason))
			return true;
	return false;
}

static void capture_subject(struct glass_match_subject *s, const struct glass_view *view,
			    const struct glass_pkt *pkt)
{
	s->keys = 0;
	glass_match_set(s, GLASS_MATCH_PORT, view->port);
	glass_match_set(s, GLASS_MATCH_DIR, view->dir);
	if (view->flags & GLASS_CAP_HAS_QP) {
		glass_match_set(s, GLASS_MATCH_QPN, view->qpn);
		glass_match_set(s, GLASS_MATCH_QPTYPE, view->qptype);
	}
	if (view->flags & GLASS_CAP_HAS_OWNER) {
		glass_match_set(s, GLASS_MATCH_PID, view->pid);
		s->keys |= BIT(GLASS_MATCH_COMM);
		memcpy(s->comm, view->comm, sizeof(s->comm));
	}
	if (pkt)
		glass_match_packet(s, pkt);
}

/*
 * Returns the match lines that match, as bits. Ignores the key `reason` of the lines, because the
 * packet's fate is not known yet. Out of line, because few sessions have match lines.
 */
static noinline_for_stack u32 capture_matching(const struct glass_capture *c,
					       const struct glass_view *view,
					       const struct glass_pkt *pkt)
{
	struct glass_match_subject s;
	u32 i, lines = 0;

	capture_subject(&s, view, pkt);
	for (i = 0; i < c->nmatch; i++)
		if (glass_match_holds(&c->match[i], &s, BIT(GLASS_MATCH_REASON)))
			lines |= BIT(i);
	return lines;
}

/*
 * Writes a record of a packet, without its fate, for every session that wants the packet, and adds
 * the records to *slots. The caller holds rcu_read_lock().
 */
static __always_inline void capture_take_slots(struct glass_capture_slots *slots,
					       const struct glass_view *view,
					       const struct glass_cap_frame *f)
{
	u32 end = READ_ONCE(sessions_end), i;

	for (i = 0; i < end; i++) {
		struct glass_capture *c = rcu_dereference(sessions[i]);
		struct glass_cap_record *r;
		u32 lines = BIT(0);

		if (!c || !capture_is_of(c, view))
			continue;
		if (c->nmatch)
			lines = capture_matching(c, view, f->pkt);
		if (!lines)
			continue;
		atomic_inc(&c->busy);
		r = glass_cap_write(&c->ring, c->snap, view, f);
		if (unlikely(!r)) {
			capture_put(c);
			continue;
		}
		slots->at[slots->n].session = c;
		slots->at[slots->n].lines = lines;
		slots->at[slots->n++].record = r;
	}
}

void glass_capture_begin(struct glass_capture_slots *slots, const struct glass_view *view,
			 const struct glass_pkt *pkt)
{
	struct glass_cap_frame f;

	slots->n = 0;
	/* skip a train (several packets as one), which was in flight when the capture began */
	if (pkt->more)
		return;
	glass_cap_frame_of(&f, pkt);
	rcu_read_lock();
	capture_take_slots(slots, view, &f);
	rcu_read_unlock();
}

void glass_capture_end(struct glass_capture_slots *slots, const struct glass_fate *fate)
{
	u32 i;

	for (i = 0; i < slots->n; i++) {
		struct glass_capture *c = slots->at[i].session;
		struct glass_cap_record *r = slots->at[i].record;

		r->reason = fate->reason;
		if (unlikely(fate->rule[0]))
			strscpy(r->rule, fate->rule, sizeof(r->rule));
		if (!c->nmatch || still_matching(c, slots->at[i].lines, fate->reason))
			glass_cap_ring_commit(&c->ring, r, GLASS_CAP_PACKET);
		else
			glass_cap_ring_discard(&c->ring, r);
		capture_put(c);
	}
}

void glass_capture_bad(const struct glass_view *view, const void *bytes, u32 len,
		       enum glass_drop reason)
{
	struct glass_capture_slots slots = { .n = 0 };
	const struct glass_cap_frame f = { .bytes = bytes, .len = len };
	const struct glass_fate fate = { .reason = reason };
	struct glass_view bad = *view;

	bad.flags |= GLASS_CAP_BAD;
	rcu_read_lock();
	capture_take_slots(&slots, &bad, &f);
	rcu_read_unlock();
	glass_capture_end(&slots, &fate);
}

void glass_capture_mark(u32 dev, const char *text, u32 len)
{
	const struct glass_view view = { .dev = dev };
	u32 i;

	if (WARN_ON_ONCE(len > GLASS_CAP_MARK_MAX) || !READ_ONCE(glass_captures_running))
		return;
	rcu_read_lock();
	for (i = 0; i < GLASS_CAPTURES; i++) {
		struct glass_capture *c = rcu_dereference(sessions[i]);
		struct glass_cap_record *r;

		if (!c || c->nodes || c->dev != dev)
			continue;
		atomic_inc(&c->busy);
		r = glass_cap_ring_reserve(&c->ring, len);
		if (r) {
			r->flow = 0;
			r->wr_id = 0;
			r->orig_len = 0;
			r->cap_len = len;
			glass_cap_fill(r, &view, 0);
			r->reason = GLASS_DROP_NONE;
			memcpy(r + 1, text, len);
			glass_cap_ring_commit(&c->ring, r, GLASS_CAP_MARK);
		}
		capture_put(c);
	}
	rcu_read_unlock();
}

struct glass_capture *glass_capture_new(u32 dev, u32 num_ports)
{
	struct glass_capture *c = kvzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return ERR_PTR(-ENOMEM);
	c->dev = dev;
	c->num_ports = num_ports;
	c->size = GLASS_CAP_RING;
	mutex_init(&c->control);
	mutex_init(&c->reading);
	glass_cap_ring_init(&c->ring);
	return c;
}

struct glass_capture *glass_capture_new_nodes(void)
{
	struct glass_capture *c = glass_capture_new(GLASS_CAPTURE_ALL, U8_MAX);

	if (!IS_ERR(c))
		c->nodes = true;
	return c;
}

int glass_capture_choose(struct glass_capture *c, u32 id, u32 num_ports)
{
	int err = 0;

	mutex_lock(&c->control);
	if (c->state != SESSION_NEW)
		err = -EBUSY;
	else if (c->port > num_ports)
		err = -EINVAL;
	else
		c->dev = id;
	mutex_unlock(&c->control);
	return err;
}

static int capture_start(struct glass_capture *c)
{
	u32 i;

	lockdep_assert_held(&c->control);
	/* one packet may make many records: thousands of switches may each copy it to 254 ports */
	if (c->nodes && c->dev == GLASS_CAPTURE_ALL && !c->snap_given)
		c->snap = GLASS_CAP_ALL_SNAP;
	if (glass_cap_ring_alloc(&c->ring, c->size))
		return -ENOMEM;
	mutex_lock(&sessions_lock);
	for (i = 0; i < GLASS_CAPTURES; i++)
		if (!rcu_access_pointer(sessions[i]))
			break;
	if (i == GLASS_CAPTURES) {
		mutex_unlock(&sessions_lock);
		glass_cap_ring_free(&c->ring);
		return -EBUSY;
	}
	atomic_set(&c->busy, 1);
	/*
	 * Pairs with the acquire of copy_out(): a reader that sees RUNNING sees the ring's memory.
	 */
	smp_store_release(&c->state, SESSION_RUNNING);
	rcu_assign_pointer(sessions[i], c);
	sessions_changed();
	static_branch_inc(&glass_watch_key);
	if (c->nodes)
		glass_hops_get();
	WRITE_ONCE(glass_captures_running, glass_captures_running + 1);
	mutex_unlock(&sessions_lock);
	return 0;
}

/*
 * Removes a session from sessions[place]. The caller must then wait for an RCU grace period, and
 * call capture_put(). After the grace period, no new record of the session is begun.
 */
static void capture_unlink(u32 place)
{
	lockdep_assert_held(&sessions_lock);
	if (rcu_dereference_protected(sessions[place],
				      lockdep_is_held(&sessions_lock))->nodes)
		glass_hops_put();
	RCU_INIT_POINTER(sessions[place], NULL);
	sessions_changed();
	WRITE_ONCE(glass_captures_running, glass_captures_running - 1);
	static_branch_dec(&glass_watch_key);
}

/*
 * Stops a session, if it runs. Records that are being written are still added to its ring. The
 * session ends after the last of these records; this function does not wait for its end. May sleep.
 */
static void capture_stop(struct glass_capture *c)
{
	bool was = false;
	u32 i;

	mutex_lock(&sessions_lock);
	for (i = 0; i < GLASS_CAPTURES && !was; i++) {
		was = rcu_access_pointer(sessions[i]) == c;
		if (was)
			capture_unlink(i);
	}
	mutex_unlock(&sessions_lock);
	if (!was)
		return;
	synchronize_rcu();
	capture_put(c);
}

void glass_capture_gone(u32 dev)
{
	struct glass_capture *c;
	u32 i;

	for (i = 0; i < GLASS_CAPTURES; i++) {
		mutex_lock(&sessions_lock);
		c = rcu_dereference_protected(sessions[i], lockdep_is_held(&sessions_lock));
		if (c && c->dev == dev)
			capture_unlink(i);
		else
			c = NULL;
		mutex_unlock(&sessions_lock);
		if (!c)
			continue;
		synchronize_rcu();
		capture_put(c);
	}
}

/* Has the session ended? Also true if it never ran. */
static bool is_over(const struct glass_capture *c)
{
	/* pairs with the release of capture_put_last() */
	return smp_load_acquire(&c->state) != SESSION_RUNNING;
}

void glass_capture_free(struct glass_capture *c)
{
	capture_stop(c);
	wait_var_event(&c->state, is_over(c));
	/* wait until the context that ended the session has left capture_put_last() */
	synchronize_rcu();
	glass_cap_ring_free(&c->ring);
	mutex_destroy(&c->control);
	mutex_destroy(&c->reading);
	kvfree(c);
}

/* Parses a text of len bytes, without a NUL, as one number. Returns 0 or a negative errno. */
static int capture_parse_number(const char *text, size_t len, u32 *value)
{
	char copy[16];

	if (!len || len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = 0;
	return kstrtou32(copy, 0, value);
}

static int capture_configure(struct glass_capture *c, const char *word, size_t word_len,
			     const char *rest, size_t len)
{
	size_t bad_at, bad_len;
	u32 n;

	if (word_len == 5 && !memcmp(word, "match", 5)) {
		if (c->nmatch == GLASS_CAP_MATCHES ||
		    glass_match_parse(rest, len, &c->match[c->nmatch], &bad_at, &bad_len))
			return -EINVAL;
		c->nmatch++;
		return 0;
	}
	if (capture_parse_number(rest, len, &n))
		return -EINVAL;
	if (word_len == 4 && !memcmp(word, "port", 4)) {
		if (!n || n > c->num_ports)
			return -EINVAL;
		c->port = n;
	} else if (word_len == 4 && !memcmp(word, "snap", 4)) {
		c->snap = n;
		c->snap_given = true;
	} else if (word_len == 4 && !memcmp(word, "ring", 4)) {
		if (n < GLASS_CAP_RING_MIN || n > GLASS_CAP_RING_MAX)
			return -EINVAL;
		c->size = roundup_pow_of_two(n);
	} else {
		return -EINVAL;
	}
	return 0;
}

int glass_capture_command(struct glass_capture *c, const char *line, size_t len)
{
	size_t word = 0, rest;
	int err = 0;

	while (word < len && line[word] != ' ')
		word++;
	for (rest = word; rest < len && line[rest] == ' ';)
		rest++;
	mutex_lock(&c->control);
	if (word == 5 && !memcmp(line, "start", 5) && rest == len) {
		err = READ_ONCE(c->state) == SESSION_NEW ? capture_start(c) : -EBUSY;
	} else if (word == 4 && !memcmp(line, "stop", 4) && rest == len) {
		if (READ_ONCE(c->state) == SESSION_NEW)
			err = -EINVAL;
		else
			capture_stop(c);
	} else {
		err = READ_ONCE(c->state) == SESSION_NEW ?
			      capture_configure(c, line, word, line + rest, len - rest) : -EBUSY;
	}
	mutex_unlock(&c->control);
	return err;
}

/* Would read() return at once? Takes no lock, so the answer is only a hint. */
static bool capture_readable(struct glass_capture *c)
{
	return READ_ONCE(c->state) >= SESSION_ENDED || glass_cap_ring_readable(&c->ring);
}

/* Copies the END record to a reader. Returns the number of bytes, or -EFAULT. */
static ssize_t tell_end(struct glass_capture *c, char __user *buf)
{
	struct glass_cap_record r = {
		.len = sizeof(r),
		.header = sizeof(r),
		.version = GLASS_CAP_VERSION,
		.kind = GLASS_CAP_END,
		.time_ns = ktime_get_real_ns(),
		.drops = c->ring.drops,
	};

	if (copy_to_user(buf, &r, sizeof(r)))
		return -EFAULT;
	WRITE_ONCE(c->state, SESSION_TOLD);
	return sizeof(r);
}

/*
 * Copies the available records that fit, or the END record if none is left. Returns the number of
 * bytes; 0: the END record was read before; -EAGAIN: no record is available yet; or -EFAULT.
 */
static ssize_t copy_out(struct glass_capture *c, char __user *buf, size_t count)
{
	/*
	 * Pairs with the releases of capture_start() and capture_put_last(): if this load reads
	 * ENDED, the loop below sees all records.
	 */
	enum session_state state = smp_load_acquire(&c->state);
	const void *from;
	ssize_t done = 0;
	u64 end;
	u32 n;

	lockdep_assert_held(&c->reading);
	if (state == SESSION_NEW)
		return -EAGAIN;
	do {
		n = min_t(size_t, count - done, GLASS_CAP_BATCH);
		n = glass_cap_ring_gather(&c->ring, n, &from, &end);
		if (n && copy_to_user(buf + done, from, n))
			return done ? done : -EFAULT;
		glass_cap_ring_passed(&c->ring, end);
		done += n;
		cond_resched();
	} while (n);
	if (done)
		return done;
	if (state == SESSION_ENDED)
		return tell_end(c, buf);
	return state == SESSION_TOLD ? 0 : -EAGAIN;
}

ssize_t glass_capture_read(struct glass_capture *c, char __user *buf, size_t count, bool wait)
{
	ssize_t n;

	if (count < GLASS_CAP_RECORD_MAX)
		return -EINVAL;
	for (;;) {
		if (mutex_lock_interruptible(&c->reading))
			return -ERESTARTSYS;
		n = copy_out(c, buf, count);
		mutex_unlock(&c->reading);
		if (n != -EAGAIN || !wait)
			return n;
		if (wait_event_interruptible(c->ring.wait, capture_readable(c)))
			return -ERESTARTSYS;
	}
}

__poll_t glass_capture_poll(struct glass_capture *c, struct file *file, poll_table *wait)
{
	poll_wait(file, &c->ring.wait, wait);
	return capture_readable(c) ? EPOLLIN | EPOLLRDNORM : 0;
}
