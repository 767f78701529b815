/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel objects that engine, verbs, port and control share.
 *
 * Life. An object is found by number in an xarray of its device. QPs and MRs are
 * looked up on the packet path: their memory is freed after an RCU grace period
 * and a reader takes a struct glass_ref. Other kinds are looked up under the
 * xarray's lock. Destroying an object takes it out of the xarray, lets go of the
 * creator's reference and waits until every other one is gone, so that after
 * destroy nothing in the driver knows the object.
 *
 * Locks, outermost first:
 *   glass_qp.lock      spinlock; the protocol core of one QP. Never two at once. Contexts that programs slow down or
 *                      stop (cpu.max) run a QP, and deliver to others': so no holder can be preempted, and none holds
 *                      it for more than a packet (64 KiB at most), or GLASS_TURN_WRS work requests
 *   glass_odp.lock     rwlock; the pages of a process that an access uses. Page table locks are taken within it
 *   glass_want.lock    spinlock; the pages that a QP waits for
 *   glass_dev.stats_lock  spinlock; which port's counters a QP counts for. Outside of it
 *                      glass_dev.stats_walk_lock, a mutex, with no QP's lock held
 *   glass_mr.window_lock  spinlock, irqs off; what a memory window is bound to
 *   glass_srq.lock     spinlock, irqs off; the SRQ's ring and limit
 *   glass_cq.lock      spinlock, irqs off; the CQ's ring, notification, error
 *   glass_qp.sq_lock   spinlock, irqs off; posting by kernel consumers
 *   glass_qp.rq_lock   the same for receives
 *   glass_fabric.lock  spinlock, irqs off; nodes, ports, switches, counters
 *   xa_lock of the xarrays, irqs off
 *   glass_cq.resize_lock, glass_srq.resize_lock, then glass_areas.lock
 *                      mutexes of verbs, taken with none of those above held
 *   sweep_lock of shared.c, places of share.c
 *                      mutexes, innermost of those of verbs; also in glass_dev.mcast_lock
 */
#ifndef GLASS_MODEL_OBJECTS_H
#define GLASS_MODEL_OBJECTS_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/iosys-map.h>
#include <linux/timer.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "compat/rdma.h"
#include "model/area.h"
#include "model/share.h"
#include "observe/flight.h"
#include "observe/lint.h"
#include "proto/env.h"
#include "uapi/glass-abi.h"

struct glass_dev;
struct glass_fabric;
struct glass_odp;
struct glass_sleeper; /* the thread of engine/want.c */
struct page;

/*
 * For memory whose size a program chooses: charged to the program's memory cgroup. Failure is the
 * program's ENOMEM, without a message in the kernel's log.
 */
#define GLASS_GFP_ASKED (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/* A reference count whose last user wakes the destroyer. */
struct glass_ref {
	refcount_t count;
	struct completion gone;
};

static inline void glass_ref_init(struct glass_ref *r)
{
	refcount_set(&r->count, 1);
	init_completion(&r->gone);
}

static inline bool glass_ref_get(struct glass_ref *r)
{
	return refcount_inc_not_zero(&r->count);
}

static inline void glass_ref_put(struct glass_ref *r)
{
	if (refcount_dec_and_test(&r->count))
		complete(&r->gone);
}

/* Drops the creator's reference and waits for all others. May sleep. */
static inline void glass_ref_kill(struct glass_ref *r)
{
	glass_ref_put(r);
	wait_for_completion(&r->gone);
}

/* Common deadline for QPs that are destroyed together (glass_qp_settle()). */
struct glass_deadline {
	unsigned long at; /* jiffies; 0: not started. Set once, by cmpxchg() */
};

/* The process that made an object, and the time. pid 0: the kernel. */
struct glass_owner {
	pid_t pid;
	char comm[TASK_COMM_LEN];
	u64 created_ns; /* ktime_get_ns() */
	/*
	 * Its user context, for lint: it outlives the object; NULL: the kernel's. XRC target:
	 * glass_qp.target_lint.
	 */
	const struct glass_lint_client *lint;
};

/* Memory that a program may map. */
struct glass_mmap {
	struct rdma_user_mmap_entry rdma;
	void *mem; /* an area's, device memory, or the device's control page */
	size_t bytes;
	bool shared; /* not freed with the entry; mapped read-only */
	bool mapped; /* it was mapped at some time */
	size_t unmapped; /* the bytes before this one are unmapped (shared.c) */
	struct list_head wait; /* for that */
	struct glass_bill bill;
};

/* Memory of a ring: shared with a program, or a kernel consumer's. */
struct glass_memory {
	void *mem; /* NULL: none */
	struct glass_chunk *chunk; /* NULL: a kernel consumer's */
	size_t bytes; /* of a kernel consumer's */
};

/*
 * A ring from the driver's side. A program shares everything behind hdr if the object is a user's:
 * read it once, never trust it. num and stride are the driver's own.
 */
struct glass_ring {
	struct glass_ring_hdr *hdr;
	u8 *entries;
	u32 num; /* a power of two */
	u32 stride;
	struct glass_memory head; /* of a ring that can be resized: the header's; else none */
	struct glass_memory body; /* the entries', and the header's before them if head has none */
};

static inline void *glass_ring_at(const struct glass_ring *r, u32 index)
{
	return r->entries + (size_t)(index & (r->num - 1)) * r->stride;
}

struct glass_ucontext {
	struct ib_ucontext ib;
	struct glass_dev *dev;
	u32 num;
	struct glass_owner owner;
	struct glass_lint_client lint;
	struct glass_payer payer; /* pays for objects of this context */
	struct glass_bill bill;
	struct glass_mmap *control;
	struct glass_deadline settle; /* of its QPs, when it is closed */
	struct glass_areas areas; /* where its rings lie */
	atomic_t npd, nmr, ncq, nsrq, nqp, nah;
	atomic_t qps_born;
	/* sums of the provider's reports. */
	u32 left[GLASS_KIND_COUNT]; /* by kind: objects that the kernel destroyed, for lint */
	u64 left_since; /* when the oldest of them was made */
	atomic_t nfatal; /* events about failed objects */
	atomic_t nasked; /* events that the program had asked for */
	u32 gone_cqn; /* the CQ that was destroyed last */
	u64 gone_events; /* its number of completion events */
	atomic64_t posts_refused, posts_invalid, events_unacked, bad_wr_reused;
};

struct glass_pd {
	struct ib_pd ib;
	u32 pdn;
	struct glass_owner owner;
	struct glass_bill bill;
	atomic_t nmr, nqp, nsrq, nah, nmw;
};

struct glass_xrcd {
	struct ib_xrcd ib;
	u32 num;
	struct glass_owner owner;
	struct glass_deadline settle; /* for its targets, when they are destroyed with it */
	struct glass_bill bill;
	atomic_t nqp, nsrq;
};

struct glass_ah {
	struct ib_ah ib;
	u32 num;
	struct glass_owner owner;
	struct glass_bill bill;
	u32 pdn;
	struct glass_av av;
};

/*
 * The rkey of a program's region is its lkey with this bit changed, so that an lkey sent as rkey is
 * refused.
 */
#define GLASS_RKEY_BIT 0x80

enum glass_mr_kind {
	GLASS_MR_USER, /* pages pinned by ib_umem */
	GLASS_MR_DMA, /* all of the kernel's memory: an address is a kernel address */
	GLASS_MR_FAST, /* pages of a kernel consumer's list, registered by work request */
	GLASS_MR_DM, /* device memory */
	GLASS_MR_DMABUF, /* a dma-buf, mapped by its exporter */
	GLASS_MR_ODP, /* of a process, whose pages are looked up for each access */
	GLASS_MR_WINDOW, /* no memory of its own: a key to a part of a GLASS_MR_USER */
};

/* Page list of a fast region from map_mr_sg(), which its key does not use yet. */
struct glass_page_list {
	spinlock_t lock; /* all of it: map_mr_sg() may race with a queued REG_MR */
	void **pages; /* kernel address of each; room for glass_mr.max_pages */
	u32 npages;
	u32 page_shift; /* each has 1 << page_shift bytes */
	u32 first_off; /* offset of the region's first byte in the first page */
	u64 length; /* bytes that were mapped: a page may reach beyond them */
	bool fresh; /* not yet installed by a REG_MR */
};

/* Device memory: pages of the kernel, which the program that has it may map. */
struct glass_dm {
	struct ib_dm ib;
	struct glass_dev *dev;
	u32 dmn;
	struct glass_owner owner;
	/* bill of a place, and of `length` bytes of device memory */
	struct glass_bill bill, bytes_bill;
	u64 length;
	struct glass_mmap *map; /* its memory, which lives as long as it is mapped */
	atomic_t nmr;
};

struct glass_mr {
	struct ib_mr ib;
	struct glass_ref ref;
	struct rcu_head rcu;
	struct glass_dev *dev;
	struct glass_owner owner;
	struct glass_bill bill;
	struct glass_bill pages_bill; /* bill of the memory's data: rereg_mr replaces it */
	enum glass_mr_kind kind;
	u32 key; /* lkey: index << 8 | variant */
	u32 rkey; /* 0: the same as the lkey */
	u32 access; /* enum ib_access_flags */
	struct ib_pd *pd;
	u32 pdn;
	u64 iova;
	u64 length;
	u64 start; /* user address */
	struct ib_umem *umem;
	u32 first_off; /* offset of iova in the first page */
	u32 npages;
	u32 page_shift; /* PAGE_SHIFT; GLASS_MR_FAST: chosen by the consumer */
	u64 list_length; /* GLASS_MR_FAST: bytes of the mapped list */
	void **pages; /* kernel address of each page */
	void *linear; /* dm, dmabuf: kernel address of iova; contiguous */
	struct glass_dm *dm;
	struct dma_buf *dmabuf;
	struct iosys_map dmabuf_map;
	struct glass_odp *odp; /* odp: the process's memory, with a reference (odp.h) */
	atomic64_t demanded, prefetched; /* odp: pages taken */
	/*
	 * GLASS_MR_FAST: does the key work? An access takes a reference and then reads this. An
	 * invalidation clears it and then waits for references (keys.c). The meaning of the key
	 * changes only while it is false.
	 */
	bool valid;
	u32 max_pages;
	/*
	 * GLASS_MR_FAST: the list of map_mr_sg(), which may run as soon as the LOCAL_INV of the old
	 * memory is posted. REG_MR installs it when it runs.
	 */
	struct glass_page_list mapped;
	/* GLASS_MR_USER: windows bound to it; negative while it is deregistered */
	atomic_t windows;
	/*
	 * GLASS_MR_WINDOW. Protects key, access, iova, length and the following fields. A region is
	 * not deregistered while a window is bound to it.
	 */
	spinlock_t window_lock;
	u8 window_type; /* 1 or 2 (2B) */
	struct glass_mr *region; /* NULL: not bound */
	u64 region_addr; /* region's address of the window's first byte */
	u64 qp_born; /* type 2: the one QP whose peer may use it (glass_qp.born) */
	u32 qpn; /* its number, for display */
	atomic64_t remote_reads, remote_writes, atomics; /* operations served */
	/* strict mode: it was deregistered, and is freed later */
	struct delayed_work late;
	void (*forget)(struct glass_mr *mr);
};

/* Lint's state of a CQ; under its lock. */
struct glass_lint_cq_state {
	u32 wanted; /* completions that the attached queues can make */
	u32 consumer, producer; /* indices when it was armed last */
	u64 armed; /* glass_cq.armed then */
	u32 looks; /* rechecks since then that found the program running */
	bool told_lost; /* lost completions were reported */
	struct delayed_work work;
};

/* Lint's state of a QP; under its lock. */
struct glass_lint_qp_state {
	u64 rnr_since, rnr_rx_since; /* RNR NAKs for that PSN, sent and received */
	u32 rnr_psn, rnr_rx_psn;
	u64 err_stotal, err_rtotal; /* completions of its CQs when it failed */
	u32 err_posts; /* sends posted since the program could see the error */
};

/* A memory window: what ib_core allocates, and the key that the packet path finds. */
struct glass_mw {
	struct ib_mw ib;
	struct glass_mr *window;
};

struct glass_cq {
	struct ib_cq ib;
	struct glass_ref ref;
	struct glass_dev *dev;
	u32 cqn;
	struct glass_owner owner;
	struct glass_bill bill;
	bool is_user;
	spinlock_t lock;
	struct glass_ring ring; /* glass_abi_cqe */
	struct ib_qp **qps; /* kernel consumers: the QP of each slot, NULL when it is gone */
	u32 producer; /* the driver's own copy */
	u32 consumer; /* kernel consumers: ours; users: last good value seen */
	u32 cqe; /* requested capacity; more is an overrun */
	u32 nlate; /* entries of `late`; written under lock */
	u8 notify; /* 0 no, 1 solicited only, 2 next */
	bool failed; /* overrun or injected: takes no more CQEs */
	u32 max_fill; /* high-water mark */
	u64 total; /* CQEs ever */
	u64 armed, events; /* req_notify calls; completion events */
	u64 errors; /* CQEs with a status that is not success */
	/* when full, overwrites the oldest CQE; the ring has one slot more than cqe */
	bool overwrites;
	u64 lost; /* CQEs that were overwritten before they were polled */
	u32 vector; /* completion vector */
	u32 resized; /* how often */
	struct mutex resize_lock; /* the entries are replaced under it and lock */
	struct work_struct tell_work; /* completion events, on the CPU of the vector */
	struct work_struct fail_work; /* takes the CQ's QPs to ERR */
	struct xarray qps_of; /* QPs that complete into it, and fail with it */
	struct xarray xrc_srqs; /* the same of XRC SRQs */
	struct list_head late; /* completions that wait (late.c), in order; under lock */
	struct delayed_work late_work;
	struct glass_lint_cq_state lint;
};

/* Work of glass_cq_tell() after the caller released the CQ's lock: raises the event, fails the CQ. */
struct glass_cq_told {
	bool notify, overrun;
};

struct glass_srq {
	struct ib_srq ib;
	struct glass_ref ref;
	struct glass_dev *dev;
	u32 srqn;
	struct glass_owner owner;
	struct glass_bill bill;
	bool is_user;
	u32 pdn;
	struct glass_xrcd *xrcd; /* XRC, else NULL */
	struct glass_cq *cq; /* XRC: of its receives */
	spinlock_t lock;
	struct glass_ring ring; /* glass_abi_recv_wqe */
	u32 consumer;
	u32 max_wr, max_sge, limit;
	bool failed;
	bool resizing; /* receives are being copied: do not reorder them; under lock */
	u64 total; /* WQEs ever taken */
	u64 limit_events;
	u64 lint_limit_ns; /* when the limit was reached last */
	u32 lint_producer; /* and the producer index then */
	u32 resized; /* how often */
	struct mutex resize_lock; /* entries, max_wr and limit change under it and lock */
	struct work_struct fail_work; /* takes the SRQ's QPs to ERR */
	struct xarray qps_of; /* QPs that receive from it */
	u32 in_cq; /* XRC: its place in its CQ's xrc_srqs */
};

/* glass_qp.run */
#define GLASS_RUN_QUEUED BIT(0) /* on a run list */
#define GLASS_RUN_ACTIVE BIT(1) /* an engine context is running it */
#define GLASS_RUN_AGAIN BIT(2) /* kicked while active */

/* A change of a QP's state. */
struct glass_state_change {
	u64 when; /* ktime_get_ns() */
	u8 from, to; /* enum glass_qp_state */
	u8 cause; /* enum glass_cause */
};

#define GLASS_HISTORY 16 /* changes that a QP remembers */

/* A region that a QP invalidates while its memory is still in use (keys.c). */
struct glass_retiring {
	u32 key; /* 0: none */
	unsigned long since; /* jiffies */
};

/*
 * Pages that are brought in at a time, and pinned until the QP has looked again: the length of a
 * train.
 */
#define GLASS_WANT_PAGES 16
/*
 * The on-demand page that a QP waits for (engine/want.c). `lock` protects all fields but `sleeper`.
 */
struct glass_want {
	spinlock_t lock; /* taken within the QP's */
	/* the work holds a reference to the QP, and is queued or running, or the thread exists */
	bool active;
	bool dead; /* the QP is destroyed */
	/* the memory of the wanted pages, with a reference to the structure; NULL: none wanted */
	struct glass_odp *odp;
	u64 user; /* address of the first */
	u32 n;
	bool write;
	u32 tries;
	/*
	 * The page brought in last, and how often in a row: each time the QP did not find it, it is
	 * brought in later.
	 */
	const struct glass_odp *last; /* to be compared only */
	u64 last_user;
	unsigned long last_at; /* jiffies */
	u32 again;
	/* brought in, and pinned until the QP has looked: reclaim could take them first. */
	struct page *page[GLASS_WANT_PAGES];
	u32 npages;
	/* pages that cannot be brought in, for a while: a repeated access fails. */
	const struct glass_odp *bad; /* to be compared only */
	u64 bad_user;
	unsigned long bad_until; /* jiffies */
	struct glass_sleeper *sleeper; /* under a lock of want.c */
	struct delayed_work work;
};

struct glass_qp {
	struct rcu_head rcu;
	struct glass_pqp core; /* under lock */
	spinlock_t lock;
	bool dead; /* destroyed; under lock */
	bool closing; /* a destroy waits for `run` to become 0 (glass_qp_settle()) */
	/*
	 * Struct glass_copies (engine/copies.h), in order: outstanding copies of the QP's last
	 * multicast datagram. Only the context that runs the QP uses the list; others only test
	 * whether it is empty.
	 */
	struct list_head copies;
	/*
	 * Budget of a new turn: GLASS_TURN, or GLASS_TURN_COPIES while there are copies; used like
	 * `copies`.
	 */
	int turn;

	struct glass_ref ref;
	struct glass_dev *dev;
	struct ib_qp *ib;
	struct glass_owner owner;
	struct glass_bill bill;
	struct glass_bill res_bill; /* of core.res; under lock */
	struct glass_bill mcast_bill; /* of its multicast groups; under dev->mcast_lock */
	struct glass_flight_end face; /* its data for observers, without port and reason */
	struct ib_pd *pd; /* NULL: an XRC target */
	u32 pdn;
	struct glass_xrcd *xrcd; /* of an XRC target */
	/*
	 * Domain of receive memory: the SRQ's, if there is one, else pdn. XRC target: that of the
	 * SRQ in the current request, also for the peer's accesses; under lock then.
	 */
	u32 recv_pdn;
	struct glass_cq *send_cq, *recv_cq;
	struct glass_srq *srq;
	u32 in_send_cq, in_recv_cq, in_srq; /* its place among their users */
	struct ib_qp_cap cap; /* capabilities that create_qp granted */
	enum ib_sig_type sig;

	struct glass_ring sq, rq;
	spinlock_t sq_lock; /* kernel consumers: sq.hdr->producer */
	spinlock_t rq_lock;
	u32 rq_consumer; /* under lock; kernel consumers that post read the ring header's copy */

	atomic_t run; /* GLASS_RUN_* */
	struct list_head run_node;
	struct glass_party *party; /* the party whose turns it uses; NULL: a kernel consumer's QP */
	const struct glass_party *group; /* of party; only compared */
	/* in the party's list of QPs with unanswered retries; under its lock */
	struct list_head patient_node;
	u64 patient_until; /* ns: earliest time of the next retry */
	struct hrtimer timer;
	union {
		struct {
			bool timer_fired; /* set by the timer, cleared by the engine */
			/* the same for ack_timer, which fires when a postponed ACK is due */
			bool ack_due;
		};
		u16 alarms; /* not 0: one of the two */
	};
	struct timer_list ack_timer;
	u64 posted_ns; /* when posts were last found; used by the context that runs the QP */
	unsigned long rung_jiffy; /* of the last doorbells, roughly (no lock) */
	u32 rung, rung_before; /* doorbells in that jiffy and in the one before */
	u64 rung_bytes, rung_bytes_before; /* payload moved before these two jiffies */
	u64 armed_ns; /* when the pending timer fires, 0 = not pending; under lock */

	u64 born; /* its number among all QPs of the device, from 1 */
	u32 born_here; /* and among those of its process's context; 0: the kernel's */
	/*
	 * Sites (BIT(enum glass_inject_site)) where an injection rule may match it, and above them
	 * the generation of rules for which that is true; no lock.
	 */
	unsigned long concerned;
	/*
	 * By direction and role, while there are injection rules: the highest PSN that passed, the
	 * last PSN, and its round (0: none passed).
	 */
	struct {
		u32 high, last, round;
	} seen[2][2];
	bool inject_fail; /* a rule orders it into ERR; under lock */
	u32 frozen; /* number of reasons to freeze its timers; under lock */
	u64 frozen_ns; /* time of the freeze */

	u32 stats_port; /* port that core.stats counts for, or 0; under dev->stats_lock */
	struct glass_pqp_stats stats_before; /* the counters when it joined that port */

	/* its last completion: the value of glass_cq.total, 0 = none yet; under lock. */
	u64 scq_total, rcq_total;
	u32 sq_told; /* index behind the last send WQE that had a completion; under lock */
	u32 resets; /* number of resets; written under lock */
	u32 nchanges; /* number of state changes; under lock */
	struct glass_state_change history[GLASS_HISTORY]; /* by number % GLASS_HISTORY */

	struct glass_lint_qp_state lint;
	struct glass_lint_client *target_lint; /* XRC target of a program: owner.lint, its own */
	atomic_t mcast; /* groups attached */
	u32 special_port; /* QP0 and QP1: their fixed port; else 0 */
	struct glass_retiring retiring[2]; /* by work request, and by the peer; under lock */
	struct glass_want want;
};

/* The verbs side of a QP: what ib_core allocates. */
struct glass_ibqp {
	struct ib_qp ib;
	struct glass_qp *qp;
};

static inline struct glass_qp *to_gqp(struct ib_qp *ib)
{
	return container_of(ib, struct glass_ibqp, ib)->qp;
}

static inline struct glass_qp *core_to_qp(const struct glass_pqp *q)
{
	return container_of(q, struct glass_qp, core);
}

#define GLASS_TO(kind)                                                          \
	static inline struct glass_##kind *to_g##kind(struct ib_##kind *ib)     \
	{                                                                       \
		return container_of(ib, struct glass_##kind, ib);               \
	}
GLASS_TO(ucontext)
GLASS_TO(pd)
GLASS_TO(ah)
GLASS_TO(mr)
GLASS_TO(mw)
GLASS_TO(cq)
GLASS_TO(srq)
GLASS_TO(dm)
GLASS_TO(xrcd)

/* How an access names its memory. Each way has a protection domain of its own (IBA 10.2.9, A14). */
enum glass_access_by {
	GLASS_BY_QP, /* a send request, or the peer by an R_Key */
	GLASS_BY_RECV, /* a receive */
};

/* The number of the domain that the access may use. An XRC target has only those of its SRQs. */
static inline u32 glass_domain(const struct glass_qp *qp, enum glass_access_by by)
{
	return likely(by == GLASS_BY_QP && qp->pd) ? qp->pdn : qp->recv_pdn;
}

/*
 * Is the region or window in the QP's own domain? Compared by number: in strict mode a region
 * outlives its domain, whose memory another one may reuse.
 */
static inline bool glass_same_domain(const struct glass_qp *qp, const struct glass_mr *mr)
{
	return mr->pdn == glass_domain(qp, GLASS_BY_QP);
}

void glass_owner_fill(struct glass_owner *o, bool user);

#endif
