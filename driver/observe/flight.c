// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The flight recorder (flight.h): its rings, the errors and commands that stop or rearm it, and the
 * reading of its records.
 */
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "observe/flight_record.h"
#include "wire/roce.h"
#include "wire/train.h"

/* After an error, the recorder continues for this time, to record the NAK and the peer's answer. */
#define AFTER_NS (2 * NSEC_PER_MSEC)
/*
 * After AFTER_NS, the recorder still records this many packets of the failed QP, because on a slow
 * machine the NAK comes later.
 */
#define AFTER_PACKETS 16
#define NO_QP ~0ULL /* frozen_qp if a command, not an error, stopped the recorder */

struct glass_flight_reader {
	struct glass_cap_state state;
	u64 to_real; /* CLOCK_REALTIME minus ktime_get_ns(), ns */
	u32 dev; /* index of the HCA */
	u32 n, at; /* number of records; index of the record to show next */
	/*
	 * The step of the packet's way to show next. 0: the sender. 1: the arrival at the first
	 * switch or passive CA on the way (hop[0]). 2: the departure from this node. Two steps for
	 * each further node follow. The last step is the receiver.
	 */
	u32 step;
	void (*node_name)(u16 number, char to[GLASS_CAP_NODE]);
	u32 part; /* if record `at` is a train: index of the packet in it to show next; else 0 */
	bool told_state, told_end; /* was the STATE record made? was the END record made? */
	struct glass_flight_record *records; /* copies, sorted by time */
	u8 made[GLASS_CAP_RECORD_MAX]; /* the record that read() returns next, made_len bytes */
	u32 made_len; /* 0: made[] has no record */
};

bool glass_flight_enabled = true; /* written under switch_lock */
bool glass_flight_hops; /* written under switch_lock */
/* the next error of a QP stops the recorder; under state_lock */
static bool flight_armed;
static DEFINE_MUTEX(switch_lock);

DEFINE_PER_CPU(struct glass_flight_ring, glass_flight_rings);
static enum cpuhp_state hotplug;

/* protects `stopped`, and writes of glass_flight_frozen_at and frozen_qp */
static DEFINE_SPINLOCK(state_lock);
/* the error or the command that stopped the recorder; frozen_ns is a ktime_get_ns() here */
static struct glass_cap_state stopped;
u64 glass_flight_frozen_at;
static u64 frozen_qp; /* flight_qp() of the failed QP; NO_QP: a command stopped the recorder */
static atomic_t late_left; /* how many of the AFTER_PACKETS packets may still be recorded */

/*
 * Returns a number that identifies a QP on this host. The QPN alone does not, because QPs of
 * different adapters may have the same QPN.
 */
static u64 flight_qp(u8 hca, u32 qpn)
{
	return (u64)hca << 32 | qpn;
}

bool glass_flight_late(const struct glass_flight_end *tx, const struct glass_flight_end *rx)
{
	u64 qp = READ_ONCE(frozen_qp);

	return ((tx && flight_qp(tx->dev, tx->qpn) == qp) ||
		(rx && flight_qp(rx->dev, rx->qpn) == qp)) &&
	       atomic_add_unless(&late_left, -1, 0);
}

void glass_flight_snap_take(struct glass_flight_snap *s, const struct glass_pkt *pkt)
{
	glass_flight_snap(s, pkt);
}

void glass_flight_packet(const struct glass_flight_end *tx, const struct glass_flight_end *rx,
			 const struct glass_pkt *pkt, const struct glass_flight_snap *snap, u64 when)
{
	glass_flight_write(tx->port, tx, tx->port, tx->reason, rx->port, rx, rx->port, rx->reason,
			   pkt, snap, when);
}

static void flight_freeze(const char *dev, u8 hca, u32 qpn, u64 wr_id, u8 status, u8 event, bool by_hand)
{
	unsigned long flags;

	spin_lock_irqsave(&state_lock, flags);
	if (!glass_flight_frozen_at) {
		memset(&stopped, 0, sizeof(stopped));
		stopped.frozen_ns = ktime_get_ns();
		stopped.qpn = qpn;
		stopped.wr_id = wr_id;
		stopped.status = status;
		stopped.event = event;
		stopped.by_hand = by_hand;
		strscpy(stopped.dev, dev, sizeof(stopped.dev));
		WRITE_ONCE(frozen_qp, by_hand ? NO_QP : flight_qp(hca, qpn));
		atomic_set(&late_left, AFTER_PACKETS);
		WRITE_ONCE(glass_flight_frozen_at, stopped.frozen_ns + (by_hand ? 0 : AFTER_NS));
	}
	spin_unlock_irqrestore(&state_lock, flags);
}

void glass_flight_error(const char *dev, u8 hca, u32 qpn, u64 wr_id, u8 status, u8 event)
{
	if (READ_ONCE(flight_armed) && glass_flight_on() && !READ_ONCE(glass_flight_frozen_at))
		flight_freeze(dev, hca, qpn, wr_id, status, event, false);
}

static void flight_switch(bool on)
{
	mutex_lock(&switch_lock);
	if (on && !glass_flight_enabled)
		static_branch_inc(&glass_watch_key);
	else if (!on && glass_flight_enabled)
		static_branch_dec(&glass_watch_key);
	WRITE_ONCE(glass_flight_enabled, on);
	mutex_unlock(&switch_lock);
}

static void flight_switch_hops(bool on)
{
	mutex_lock(&switch_lock);
	if (on && !glass_flight_hops)
		glass_hops_get();
	else if (!on && glass_flight_hops)
		glass_hops_put();
	WRITE_ONCE(glass_flight_hops, on);
	mutex_unlock(&switch_lock);
}

/* Lets the recorder run on. armed: does the next error of a QP stop it? */
static void flight_go_on(bool armed)
{
	unsigned long flags;

	spin_lock_irqsave(&state_lock, flags);
	WRITE_ONCE(flight_armed, armed);
	WRITE_ONCE(glass_flight_frozen_at, 0);
	spin_unlock_irqrestore(&state_lock, flags);
}

int glass_flight_command(const char *dev, const char *line, size_t len)
{
	if (len == 5 && !memcmp(line, "rearm", 5)) {
		flight_go_on(true);
	} else if (len == 3 && !memcmp(line, "run", 3)) {
		flight_go_on(false);
	} else if (len == 6 && !memcmp(line, "freeze", 6)) {
		flight_freeze(dev, 0, 0, 0, 0, 0, true);
	} else if (len == 2 && !memcmp(line, "on", 2)) {
		flight_switch(true);
	} else if (len == 3 && !memcmp(line, "off", 3)) {
		flight_switch(false);
	} else if (len == 4 && !memcmp(line, "hops", 4)) {
		flight_switch_hops(true);
	} else if (len == 6 && !memcmp(line, "nohops", 6)) {
		flight_switch_hops(false);
	} else {
		return -EINVAL;
	}
	return 0;
}

/*
 * Compares two records for sort(): by time, and at equal times in the order in which one CPU wrote
 * them.
 */
static int by_time(const void *a, const void *b)
{
	const struct glass_flight_record *x = a, *y = b;

	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return 0;
}

/*
 * Was the packet seen at the end `dir` of its path, and does this end belong to this HCA? The
 * answer may be wrong if the record is being written; copy_record() detects that.
 */
static bool record_is_of(const struct glass_flight_record *r, u32 dev, u32 dir)
{
	return data_race(r->end[dir].port && r->end[dir].dev == dev);
}

/* Copies a record. False: the record belongs to other HCAs, is empty, or is being written. */
static bool copy_record(struct glass_flight_record *to, const struct glass_flight_record *from, u32 dev)
{
	/* pairs with the release of glass_flight_write(): a record whose seq is not 0 is whole */
	u64 seq = smp_load_acquire(&from->seq);

	if (!seq ||
	    !(record_is_of(from, dev, GLASS_DIR_TX) || record_is_of(from, dev, GLASS_DIR_RX)))
		return false;
	/* glass_flight_write() may overwrite the record during the copy: it waits for no reader */
	data_race(memcpy(to, from, sizeof(*to)));
	/*
	 * pairs with the smp_wmb() of glass_flight_write(): if *to has a word of a newer record,
	 * seq has changed
	 */
	smp_rmb();
	return READ_ONCE(from->seq) == seq && to->seq == seq;
}

static u32 count_records(u32 dev)
{
	u32 n = 0, i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct glass_flight_record *r = READ_ONCE(per_cpu(glass_flight_rings, cpu).records);

		for (i = 0; r && i < GLASS_FLIGHT_RECORDS; i++)
			n += READ_ONCE(r[i].seq) && (record_is_of(&r[i], dev, GLASS_DIR_TX) ||
						     record_is_of(&r[i], dev, GLASS_DIR_RX));
		cond_resched();
	}
	return n;
}

static void copy_records(struct glass_flight_reader *reader, u32 dev, u32 room)
{
	u32 i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct glass_flight_record *r = READ_ONCE(per_cpu(glass_flight_rings, cpu).records);

		for (i = 0; r && i < GLASS_FLIGHT_RECORDS && reader->n < room; i++)
			reader->n += copy_record(&reader->records[reader->n], &r[i], dev);
		cond_resched();
	}
}

struct glass_flight_reader *
glass_flight_take(u32 dev, void (*node_name)(u16 number, char to[GLASS_CAP_NODE]))
{
	struct glass_flight_reader *r = kvzalloc(sizeof(*r), GFP_KERNEL);
	u32 room = count_records(dev) + 256; /* 256: for records that are written meanwhile */

	if (!r)
		return ERR_PTR(-ENOMEM);
	r->dev = dev;
	r->node_name = node_name;
	r->records = vmalloc(array_size(room, sizeof(*r->records)));
	if (!r->records) {
		kvfree(r);
		return ERR_PTR(-ENOMEM);
	}
	spin_lock_irq(&state_lock);
	if (glass_flight_frozen_at)
		r->state = stopped;
	/* exact, so that all readers give a record the same time, and the packets of two HCAs one order */
	r->to_real = ktime_to_ns(ktime_mono_to_real(0));
	spin_unlock_irq(&state_lock);
	r->state.state = r->state.frozen_ns     ? GLASS_FLIGHT_FROZEN :
			 !glass_flight_on()     ? GLASS_FLIGHT_OFF :
			 READ_ONCE(flight_armed) ? GLASS_FLIGHT_ARMED : GLASS_FLIGHT_RUNNING;
	if (r->state.frozen_ns)
		r->state.frozen_ns += r->to_real;
	copy_records(r, dev, room);
	sort(r->records, r->n, sizeof(*r->records), by_time, NULL);
	return r;
}

void glass_flight_free(struct glass_flight_reader *r)
{
	vfree(r->records);
	kvfree(r);
}

/* Begins a record in r->made: writes its header. `bytes`: size of the data that follow. */
static struct glass_cap_record *record_of(struct glass_flight_reader *r, u8 kind, u32 bytes)
{
	struct glass_cap_record *c = (struct glass_cap_record *)r->made;

	memset(c, 0, sizeof(*c));
	c->header = sizeof(*c);
	c->version = GLASS_CAP_VERSION;
	c->kind = kind;
	c->time_ns = ktime_get_real_ns();
	c->cap_len = bytes;
	c->len = sizeof(*c) + ALIGN(bytes, 8);
	r->made_len = c->len;
	return c;
}

/*
 * Writes the wire bytes of a packet to `to`, as far as the record f has them. `train`: the packet
 * was sent in a train. `first`: the packet is the first packet of f; the recorded payload belongs
 * to this packet. A packet whose whole payload was recorded, and that was not in a train, also gets
 * its CRCs. Returns the number of bytes, or a negative errno.
 */
static int put_packet(u8 *to, struct glass_pkt *pkt, const struct glass_flight_record *f, bool train,
		      bool first)
{
	u32 snap = glass_flight_snap_bytes(f), n;
	struct glass_seg seg = { (void *)f->payload, snap };
	int hdr;

	pkt->fate = NULL;
	pkt->wire = NULL;
	if (glass_pkt_is_roce(pkt)) {
		seg.len = first ? min(snap, pkt->len) : 0;
		pkt->seg = &seg;
		pkt->nseg = seg.len ? 1 : 0;
		n = glass_roce_bytes(pkt);
		if (train || seg.len < pkt->len)
			n = glass_roce_cut(pkt, n - 1) - (pkt->len - seg.len);
		return glass_roce_put(pkt, to, n) ? n : -EINVAL;
	}
	if (!train && snap == pkt->len) {
		pkt->seg = &seg;
		pkt->nseg = snap ? 1 : 0;
		return glass_pkt_build(pkt, to, GLASS_PKT_WIRE_MAX);
	}
	hdr = glass_pkt_build_headers(pkt, to, GLASS_PKT_HDR_MAX);
	if (hdr < 0)
		return hdr;
	n = first ? min(snap, pkt->len) : 0;
	memcpy(to + hdr, f->payload, n);
	return hdr + n;
}

static void flight_fill_end(struct glass_cap_record *c, const struct glass_flight_record *f,
			    u32 dir)
{
	const struct glass_flight_end *end = &f->end[dir];

	c->port = end->port;
	c->dir = dir;
	c->reason = end->reason;
	c->flags |= end->flags;
	if (end->flags & GLASS_CAP_HAS_QP) {
		c->qptype = end->qptype;
		c->qpn = end->qpn;
	}
	if (end->flags & GLASS_CAP_HAS_OWNER) {
		c->pid = end->pid;
		memcpy(c->comm, end->comm, sizeof(c->comm));
	}
}

/* Returns the number of steps of a packet's way (glass_flight_reader.step). */
static u32 flight_steps(const struct glass_flight_record *f)
{
	return 2 + 2 * glass_flight_nhops(f);
}

/* Returns the port of the node at this step, and sets *dir. step: neither the first nor the last. */
static u8 flight_hop_port(const struct glass_flight_record *f, u32 step, u32 *dir)
{
	const struct glass_fate_hop *h = &f->hop[(step - 1) / 2];

	*dir = step % 2 ? GLASS_DIR_RX : GLASS_DIR_TX;
	return step % 2 ? h->in : h->out;
}

/*
 * Is there anything to show at this step of the packet's way? The sender and the receiver are shown
 * if they belong to this HCA. The arrival at a node, and the departure from a node, are shown if
 * the sender belongs to this HCA. But if the packet did not arrive or depart, the port of the step
 * is 0, and nothing is shown.
 */
static bool flight_shows(const struct glass_flight_record *f, u32 dev, u32 step)
{
	u32 dir;

	if (!step)
		return record_is_of(f, dev, GLASS_DIR_TX);
	if (step == flight_steps(f) - 1)
		return record_is_of(f, dev, GLASS_DIR_RX);
	return record_is_of(f, dev, GLASS_DIR_TX) && flight_hop_port(f, step, &dir);
}

static void flight_fill_step(struct glass_flight_reader *r, struct glass_cap_record *c,
			     const struct glass_flight_record *f)
{
	u32 dir;

	if (!r->step) {
		flight_fill_end(c, f, GLASS_DIR_TX);
	} else if (r->step == flight_steps(f) - 1) {
		flight_fill_end(c, f, GLASS_DIR_RX);
	} else {
		c->port = flight_hop_port(f, r->step, &dir);
		c->dir = dir;
		c->flags |= GLASS_CAP_HOP;
		r->node_name(f->hop[(r->step - 1) / 2].node, c->node);
	}
}

/*
 * Makes the record of the packet at r->at, r->step and r->part, if there is something to show. Then
 * advances r->part, r->step and r->at to the next packet.
 */
static void make_packet(struct glass_flight_reader *r)
{
	const struct glass_flight_record *f = &r->records[r->at];
	struct glass_pkt whole, one;
	struct glass_cap_record *c;
	int bytes = 0;

	memset(&whole, 0, sizeof(whole));
	memcpy(&whole, f->head, sizeof(f->head));
	whole.grh = f->grh;
	if (flight_shows(f, r->dev, r->step) && !glass_train_part(&whole, r->part, &one)) {
		c = (struct glass_cap_record *)r->made;
		bytes = put_packet((u8 *)(c + 1), &one, f, whole.more, !r->part);
	}
	if (bytes > 0) {
		c = record_of(r, GLASS_CAP_PACKET, bytes);
		/* add 1 ns for each step, so that sorting by time keeps the order of the steps */
		c->time_ns = f->when + r->step + r->to_real;
		c->orig_len = glass_pkt_is_roce(&one) ? glass_roce_bytes(&one) :
							glass_pkt_wire_bytes(&one);
		c->flags = whole.more ? GLASS_CAP_TRAIN : 0;
		if (glass_pkt_is_roce(&one))
			c->flags |= GLASS_CAP_ETHERNET;
		if (whole.flow) {
			c->flags |= GLASS_CAP_HAS_WR;
			c->flow = whole.flow;
			c->wr_id = whole.wr_id;
		}
		flight_fill_step(r, c, f);
	}
	if (r->part++ < whole.more)
		return;
	r->part = 0;
	if (++r->step < flight_steps(f))
		return;
	r->step = 0;
	r->at++;
}

/* If r->made has no record, makes the next one there. False: no record is left. */
static bool make_next(struct glass_flight_reader *r)
{
	while (!r->made_len) {
		if (!r->told_state) {
			memcpy(record_of(r, GLASS_CAP_STATE, sizeof(r->state)) + 1, &r->state,
			       sizeof(r->state));
			r->told_state = true;
		} else if (r->at < r->n) {
			make_packet(r);
		} else if (!r->told_end) {
			record_of(r, GLASS_CAP_END, 0);
			r->told_end = true;
		} else {
			return false;
		}
	}
	return true;
}

ssize_t glass_flight_read(struct glass_flight_reader *r, char __user *buf, size_t count)
{
	ssize_t done = 0;

	if (count < GLASS_CAP_RECORD_MAX)
		return -EINVAL;
	while (make_next(r)) {
		if (r->made_len > count - done)
			break;
		if (copy_to_user(buf + done, r->made, r->made_len))
			return done ? done : -EFAULT;
		done += r->made_len;
		r->made_len = 0;
		cond_resched();
	}
	return done;
}

/* Allocates the ring of a CPU that comes online. The ring remains when the CPU goes offline. */
static int cpu_prepare(unsigned int cpu)
{
	struct glass_flight_ring *ring = &per_cpu(glass_flight_rings, cpu);
	struct glass_flight_record *records;

	if (ring->records)
		return 0;
	records = vzalloc_node(array_size(GLASS_FLIGHT_RECORDS, sizeof(*records)),
			       cpu_to_node(cpu));
	if (!records)
		return -ENOMEM;
	/* readers that get this address by READ_ONCE() see zeroed records */
	smp_store_release(&ring->records, records);
	return 0;
}

static void free_rings(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu(glass_flight_rings, cpu).records);
		per_cpu(glass_flight_rings, cpu).records = NULL;
	}
}

int glass_flight_init(void)
{
	int state = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "glass/flight:prepare", cpu_prepare,
				      NULL);

	if (state < 0) {
		free_rings();
		return state;
	}
	hotplug = state;
	return 0;
}

void glass_flight_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug);
	free_rings();
}
