/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The objects of verbs (QP, CQ, MR, ...) as verbs/, engine/, inject/ and debugfs/ share them.
 *
 * Life. Each object has a number, and an xarray of its device finds it by that number. The packet
 * path looks up QPs and MRs under RCU and takes a reference (struct glass_ref); their memory is
 * freed after a grace period. All other kinds are looked up under the xarray's lock; of these, CQs
 * and SRQs have references, too. A destroy verb removes the object from the xarray. If the object
 * has references, the verb drops the creator's, and waits until the others are dropped. After that
 * nothing in the driver refers to the object.
 *
 * Locks, outermost first:
 *   glass_qp.lock      spinlock; the protocol core of one QP. No context holds two of them. A
 *                      program's context runs its QPs and delivers to QPs of other programs, and
 *                      cpu.max may stop it at any time. Therefore the holder of this lock must not
 *                      be preemptible, and holds it at most for one packet (64 KiB) or
 *                      GLASS_TURN_WRS work requests
 *   glass_odp.lock     rwlock; keeps a process's pages in place while an access uses them. Page
 *                      table locks are taken within it
 *   glass_want.lock    spinlock; the pages that a QP waits for
 *   glass_dev.stats_lock  spinlock; the port for which a QP counts. It also nests inside the mutex
 *                      glass_dev.stats_walk_lock, which is taken with no QP's lock held
 *   glass_mr.window_lock  spinlock, irqs off; the binding of a memory window
 *   glass_srq.lock     spinlock, irqs off; the SRQ's ring and limit
 *   glass_cq.lock      spinlock, irqs off; the CQ's ring, notification, error
 *   glass_qp.sq_lock   spinlock, irqs off; posting by kernel consumers
 *   glass_qp.rq_lock   the same for receives
 *   glass_fabric.lock  spinlock, irqs off; nodes, ports, switches, counters
 *   xa_lock of the xarrays, irqs off
 *   glass_cq.resize_lock, glass_srq.resize_lock, then glass_areas.lock
 *                      mutexes of verbs, taken with none of the locks above held
 *   sweep_lock of shared.c, places of share.c
 *                      the innermost mutexes of verbs; `places` also nests inside
 *                      glass_dev.mcast_lock
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
 * For memory whose size a program chooses. The allocation is charged to the program's memory
 * cgroup. If it fails, the program gets ENOMEM, and the kernel's log gets no message.
 */
#define GLASS_GFP_ASKED (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/* A reference count. Dropping the last reference wakes the context in glass_ref_kill(). */
struct glass_ref {
	refcount_t count;
	struct completion gone;
};

static inline void glass_ref_init(struct glass_ref *r)
{
	refcount_set(&r->count, 1);
	init_completion(&r->gone);
}

/* False: the object is being destroyed. Any context. */
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

/*
 * The time until which QPs that are destroyed together wait for their last answers to be sent
 * (glass_qp_settle()).
 */
struct glass_deadline {
	unsigned long at; /* jiffies; 0: no QP waits yet. The first QP sets it, by cmpxchg() */
};

/* The process that made an object, and when it did. pid 0: the kernel. */
struct glass_owner {
	pid_t pid;
	char comm[TASK_COMM_LEN];
	u64 created_ns; /* ktime_get_ns() */
	/*
	 * Lint's client (observe/lint.h) of the user context, which outlives the object. XRC
	 * target: glass_qp.target_lint. NULL: a kernel consumer's object, or one without findings.
	 */
	const struct glass_lint_client *lint;
};

/* Memory that a program may map. */
struct glass_mmap {
	struct rdma_user_mmap_entry rdma;
	void *mem; /* of an area (area.h), device memory, or the device's control page */
	size_t bytes;
	bool shared; /* the control page: mapped read-only, and not freed with this entry */
	bool mapped; /* a program has mapped it at some time */
	size_t unmapped; /* shared.c found the bytes before this offset no longer mapped */
	struct list_head wait; /* in shared.c's list of memory that is still mapped */
	struct glass_bill bill;
};

/* Memory of a ring: a chunk (area.h) that a program shares, or memory of the driver alone. */
struct glass_memory {
	void *mem; /* NULL: none */
	struct glass_chunk *chunk; /* NULL: memory of the driver alone */
	size_t bytes; /* of memory of the driver alone */
};

/*
 * The driver's view of a ring. A program can write to the header and the entries of its ring at any
 * time: read each value once, and check the copy. It cannot change num and stride.
 */
struct glass_ring {
	struct glass_ring_hdr *hdr;
	u8 *entries;
	u32 num; /* a power of two */
	u32 stride;
	struct glass_memory head; /* has the header, if the ring can be resized; else none */
	struct glass_memory body; /* has the entries; if head is none, the header and the entries */
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
	struct glass_deadline settle; /* shared by the QPs that its close destroys */
	struct glass_areas areas; /* the memory of its rings */
	atomic_t npd, nmr, ncq, nsrq, nqp, nah;
	atomic_t qps_born; /* QPs created so far: the last glass_qp.born_here */
	/* for lint: by kind, objects that the program left for the kernel to destroy */
	u32 left[GLASS_KIND_COUNT];
	u64 left_since; /* when the oldest of these was made, ktime_get_ns() */
	atomic_t nfatal; /* for lint: events raised about failed objects */
	atomic_t nasked; /* for lint: events raised that the program had asked for */
	u32 gone_cqn; /* for lint: number of the CQ that was destroyed last */
	u64 gone_events; /* the completion events that this CQ had raised */
	/* sums of the counts that the provider reports (GLASS_REPORT_COUNTS) */
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
	struct glass_deadline settle; /* shared by the target QPs that its close destroys */
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
	GLASS_MR_FAST, /* a kernel consumer's list of pages, which a REG_MR work request installs */
	GLASS_MR_DM, /* device memory */
	GLASS_MR_DMABUF, /* a dma-buf, mapped by its exporter */
	GLASS_MR_ODP, /* on demand: each access looks up its pages in the process's page table */
	GLASS_MR_WINDOW, /* a memory window: a key to a part of a GLASS_MR_USER */
};

/* A page list that map_mr_sg() has staged. The region's key uses it after the next REG_MR. */
struct glass_page_list {
	spinlock_t lock; /* protects all fields: map_mr_sg() may race with a queued REG_MR */
	void **pages; /* kernel address of each page; room for glass_mr.max_pages */
	u32 npages;
	u32 page_shift; /* each has 1 << page_shift bytes */
	u32 first_off; /* offset of the region's first byte in the first page */
	u64 length; /* bytes that were mapped; the last page may reach beyond them */
	bool fresh; /* not yet installed by a REG_MR */
};

/* Device memory (DM): kernel pages that the program which allocated them may map. */
struct glass_dm {
	struct ib_dm ib;
	struct glass_dev *dev;
	u32 dmn;
	struct glass_owner owner;
	/* `bill` has its place in the table of DMs, `bytes_bill` its bytes of device memory */
	struct glass_bill bill, bytes_bill;
	u64 length;
	struct glass_mmap *map; /* the pages; if a program maps them, they outlive the DM */
	atomic_t nmr;
};

struct glass_mr {
	struct ib_mr ib;
	struct glass_ref ref;
	struct rcu_head rcu;
	struct glass_dev *dev;
	struct glass_owner owner;
	struct glass_bill bill;
	struct glass_bill pages_bill; /* for its page array and the like; rereg_mr replaces it */
	enum glass_mr_kind kind;
	u32 key; /* lkey: index << 8 | variant; 0: not published, or hidden by rereg_mr */
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
	struct glass_odp *odp; /* odp: the process's memory (odp.h), with a reference */
	/* odp: pages brought in for an access, and for advise_mr */
	atomic64_t demanded, prefetched;
	/*
	 * GLASS_MR_FAST: does the key work? An access takes a reference and then reads `valid`. An
	 * invalidation clears `valid` and then waits for the references (keys.c). The memory behind
	 * the key changes only while `valid` is false.
	 */
	bool valid;
	u32 max_pages;
	/*
	 * GLASS_MR_FAST: the list that map_mr_sg() stages, and that REG_MR installs. A consumer may
	 * call map_mr_sg() as soon as it has posted the LOCAL_INV of the old memory.
	 */
	struct glass_page_list mapped;
	/* GLASS_MR_USER: windows bound to it; negative: dereg_mr or rereg_mr forbids binding */
	atomic_t windows;
	/*
	 * GLASS_MR_WINDOW: protects key, access, iova, length, and the fields from `region` to
	 * `qpn`. While a window is bound to a region, dereg_mr of the region fails.
	 */
	spinlock_t window_lock;
	u8 window_type; /* 1 or 2 (2B) */
	struct glass_mr *region; /* NULL: not bound */
	u64 region_addr; /* region's address of the window's first byte */
	u64 qp_born; /* type 2: glass_qp.born of the one QP whose peer may use the window */
	u32 qpn; /* number of that QP, for display */
	atomic64_t remote_reads, remote_writes, atomics; /* operations served */
	/* strict mode: calls forget() some milliseconds after dereg_mr, to free the region */
	struct delayed_work late;
	void (*forget)(struct glass_mr *mr);
};

/* Lint's state of a CQ; the CQ's lock protects it. */
struct glass_lint_cq_state {
	u32 wanted; /* completions that the attached queues can make */
	u32 consumer, producer; /* the CQ's indices when the program armed it last */
	u64 armed; /* glass_cq.armed at that time */
	u32 looks; /* rechecks since that time that found the program running */
	bool told_lost; /* lost completions were reported */
	struct delayed_work work; /* rechecks an armed CQ */
};

/* Lint's state of a QP; the QP's lock protects it. */
struct glass_lint_qp_state {
	/* ktime_get_ns() of the first RNR NAK for the PSN below: of this QP, and of its peer */
	u64 rnr_since, rnr_rx_since;
	u32 rnr_psn, rnr_rx_psn;
	u64 err_stotal, err_rtotal; /* glass_cq.total of its two CQs when the QP failed */
	u32 err_posts; /* sends posted after the program had polled the error */
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
	struct glass_ring ring; /* of struct glass_abi_cqe */
	/* kernel consumer's CQ: the QP of each slot's CQE; NULL: the QP is destroyed */
	struct ib_qp **qps;
	u32 producer; /* the driver's copy of the index, which a program cannot write */
	u32 consumer; /* kernel consumer's CQ only: a program's index is in ring.hdr */
	u32 cqe; /* requested capacity; one CQE more is an overrun */
	u32 nlate; /* entries of `late`; written under lock */
	u8 notify; /* armed for: 0 nothing, 1 the next solicited CQE, 2 the next CQE */
	/* overran, or failed by injection; a kernel's CQ still takes CQEs while it has room */
	bool failed;
	u32 max_fill; /* high-water mark */
	u64 total; /* CQEs ever */
	u64 armed, events; /* req_notify calls; completion events */
	u64 errors; /* CQEs with a status that is not success */
	/* IGNORE_OVERRUN: a full CQ overwrites its oldest CQE; the ring has a slot more than cqe */
	bool overwrites;
	u64 lost; /* CQEs that were overwritten before they were polled */
	u32 vector; /* completion vector */
	u32 resized; /* number of resizes */
	struct mutex resize_lock; /* held by a resize, which replaces the entries under lock, too */
	struct work_struct tell_work; /* raises completion events on the CPU of the vector */
	struct work_struct fail_work; /* moves the CQ's QPs to ERR */
	struct xarray qps_of; /* QPs that complete into it, and fail with it */
	struct xarray xrc_srqs; /* XRC SRQs whose receives complete into it; they fail with it */
	struct list_head late; /* delayed CQEs (inject/late.c), oldest first; under lock */
	struct delayed_work late_work;
	struct glass_lint_cq_state lint;
};

/*
 * The tasks of glass_cq_tell(), which is called after the CQ's lock is released: raise a completion
 * event, fail the CQ.
 */
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
	struct glass_xrcd *xrcd; /* NULL: not an XRC SRQ */
	struct glass_cq *cq; /* XRC: the CQ into which its receives complete */
	spinlock_t lock;
	struct glass_ring ring; /* of struct glass_abi_recv_wqe */
	u32 consumer; /* the driver's copy of the index */
	u32 max_wr, max_sge, limit;
	bool failed;
	/* a resize copies receives, so strict mode must not reorder them; under lock */
	bool resizing;
	u64 total; /* WQEs ever taken */
	u64 limit_events;
	u64 lint_limit_ns; /* for lint: when the limit was reached last, ktime_get_ns() */
	u32 lint_producer; /* for lint: the producer index at that time */
	u32 resized; /* number of resizes */
	/* held by modify_srq, which changes the entries, max_wr and limit under lock, too */
	struct mutex resize_lock;
	struct work_struct fail_work; /* moves the SRQ's QPs to ERR */
	struct xarray qps_of; /* QPs that receive from it */
	u32 in_cq; /* XRC: its index in cq->xrc_srqs */
};

/* glass_qp.run */
#define GLASS_RUN_QUEUED BIT(0) /* on a run list */
#define GLASS_RUN_ACTIVE BIT(1) /* an engine context is running it */
#define GLASS_RUN_AGAIN BIT(2) /* glass_qp_kick() was called while it was active */

/* A change of a QP's state. */
struct glass_state_change {
	u64 when; /* ktime_get_ns() */
	u8 from, to; /* enum glass_qp_state */
	u8 cause; /* enum glass_cause */
};

#define GLASS_HISTORY 16 /* changes that a QP remembers */

/* An invalidation that a QP repeats while an access still uses the memory (engine/keys.c). */
struct glass_retiring {
	u32 key; /* 0: none */
	unsigned long since; /* jiffies of the first try */
};

/*
 * Most pages that are brought in at a time: as many as the longest train (packets that the engine
 * delivers as one) has packets.
 */
#define GLASS_WANT_PAGES 16
/*
 * The on-demand pages that a QP waits for (engine/want.c). `work` brings them in, or starts the
 * thread `sleeper` for that. `lock` protects all fields but `sleeper`.
 */
struct glass_want {
	spinlock_t lock; /* nests inside the QP's lock */
	/* the work is queued or runs, or the thread exists; a reference to the QP is held then */
	bool active;
	bool dead; /* the QP is destroyed */
	/* the memory of the wanted pages, with a reference to the structure; NULL: none wanted */
	struct glass_odp *odp;
	u64 user; /* the process's address of the first page */
	u32 n;
	bool write;
	u32 tries;
	/*
	 * The pages that the QP asked for last, and how many more times in a row it asked for them:
	 * it loses them each time. The more often, the later they are brought in.
	 */
	const struct glass_odp *last; /* compared, never followed */
	u64 last_user;
	unsigned long last_at; /* jiffies */
	u32 again;
	/* brought in, and pinned until the QP has looked for them: reclaim could take them first */
	struct page *page[GLASS_WANT_PAGES];
	u32 npages;
	/* pages that could not be brought in: until bad_until, an access to them fails at once */
	const struct glass_odp *bad; /* compared, never followed */
	u64 bad_user;
	unsigned long bad_until; /* jiffies */
	struct glass_sleeper *sleeper; /* under sleepers_lock of want.c */
	struct delayed_work work;
};

struct glass_qp {
	struct rcu_head rcu;
	struct glass_pqp core; /* under lock */
	spinlock_t lock;
	bool dead; /* destroyed; under lock */
	bool closing; /* destroy_qp or a reset waits for `run` to become 0 (glass_qp_settle()) */
	/*
	 * Outstanding copies of the QP's last multicast datagram (struct glass_copies of
	 * engine/copies.h), oldest first. Only the context that runs the QP uses the list; others
	 * only test whether it is empty.
	 */
	struct list_head copies;
	/*
	 * Budget of the QP's next turn (a bounded slice of an engine context, engine/engine.h):
	 * GLASS_TURN, or GLASS_TURN_COPIES while `copies` has entries. Only the context that runs
	 * the QP uses it.
	 */
	int turn;

	struct glass_ref ref;
	struct glass_dev *dev;
	struct ib_qp *ib;
	struct glass_owner owner;
	struct glass_bill bill;
	struct glass_bill res_bill; /* for core.res; under lock */
	/* for its multicast memberships; the RDMA core serializes attach and detach of a QP */
	struct glass_bill mcast_bill;
	struct glass_flight_end face; /* the QP as observers record it; port and reason are unset */
	struct ib_pd *pd; /* NULL: an XRC target */
	u32 pdn;
	struct glass_xrcd *xrcd; /* NULL: not an XRC target */
	/*
	 * Number of the protection domain of receive memory: the SRQ's domain, or pdn without an
	 * SRQ. XRC target: the domain of the SRQ that the current request names. It then also
	 * applies to the peer's accesses, and changes under lock.
	 */
	u32 recv_pdn;
	struct glass_cq *send_cq, *recv_cq;
	struct glass_srq *srq;
	u32 in_send_cq, in_recv_cq, in_srq; /* its index in qps_of of each */
	struct ib_qp_cap cap; /* capabilities that create_qp granted */
	enum ib_sig_type sig;

	struct glass_ring sq, rq;
	spinlock_t sq_lock; /* a kernel consumer's posts: sq.hdr->producer */
	spinlock_t rq_lock; /* the same for rq.hdr->producer */
	u32 rq_consumer; /* under lock; a kernel consumer that posts reads rq.hdr->consumer */

	atomic_t run; /* GLASS_RUN_* */
	struct list_head run_node; /* in a run list, or among the QPs that a lane watches */
	/* its process, whose turns it uses (engine/party.h); NULL: a kernel consumer's QP */
	struct glass_party *party;
	const struct glass_party *group; /* the party's group; compared, never followed */
	/* in party->patient, QPs with unanswered retries; under party->patient_lock */
	struct list_head patient_node;
	u64 patient_until; /* ns: earliest time of the next retry */
	struct hrtimer timer; /* fires at core.deadline, or earlier */
	union {
		struct {
			bool timer_fired; /* set by the timer, cleared by the engine */
			bool ack_due; /* set by ack_timer, cleared by the engine */
		};
		u16 alarms; /* not 0: at least one of the two is set */
	};
	struct timer_list ack_timer; /* fires when a postponed ACK is due */
	/* when the engine last found posts, ns; only for the context that runs the QP */
	u64 posted_ns;
	unsigned long rung_jiffy; /* the jiffy of the last doorbell; no lock: a heuristic */
	u32 rung, rung_before; /* doorbells in that jiffy, and in the one before it */
	u64 rung_bytes, rung_bytes_before; /* payload ever moved, when each of the two began */
	u64 armed_ns; /* when the pending `timer` fires, 0 = not pending; under lock */

	u64 born; /* its number among all QPs that the device created, from 1 */
	/* its number among the QPs that its user context created, from 1; 0: no user context */
	u32 born_here;
	/*
	 * Cache of glass_qp_concerned(), no lock: the sites (BIT(enum glass_inject_site)) where an
	 * injection rule may match this QP. The bits above are the generation of rules for which
	 * this holds.
	 */
	unsigned long concerned;
	/*
	 * PSNs that passed while there are injection rules, by direction and role: the highest, the
	 * last, and the round of the last (1: sent for the first time; 0: none passed yet).
	 */
	struct {
		u32 high, last, round;
	} seen[2][2];
	bool inject_fail; /* an injection rule moves it to ERR; under lock */
	u32 frozen; /* number of held packets that stop its clock (inject/hold.c); under lock */
	u64 frozen_ns; /* the time at which its clock stopped */

	u32 stats_port; /* port for which core.stats counts; 0: none. Under dev->stats_lock */
	struct glass_pqp_stats stats_before; /* the counters when the QP joined that port */

	/* glass_cq.total just after its last completion, 0 = none yet; under lock */
	u64 scq_total, rcq_total;
	u32 sq_told; /* index behind the last send WQE that had a completion; under lock */
	u32 resets; /* number of resets; written under lock */
	u32 nchanges; /* number of state changes; under lock */
	struct glass_state_change history[GLASS_HISTORY]; /* by number % GLASS_HISTORY */

	struct glass_lint_qp_state lint;
	/* a program's XRC target: its own client of lint, to which owner.lint points */
	struct glass_lint_client *target_lint;
	atomic_t mcast; /* groups attached */
	u32 special_port; /* QP0 and QP1: their fixed port; else 0 */
	/* [0] for a LOCAL_INV, [1] for a SEND with Invalidate of the peer; under lock */
	struct glass_retiring retiring[2];
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

/* The source of a memory key. It decides which protection domain applies (IBA 10.2.9, A14). */
enum glass_access_by {
	GLASS_BY_QP, /* a send request of the QP, or an R_Key in a packet of its peer */
	GLASS_BY_RECV, /* a receive WQE */
};

/*
 * The number of the protection domain to which the access is limited. An XRC target has no domain
 * of its own, only the current SRQ's.
 */
static inline u32 glass_domain(const struct glass_qp *qp, enum glass_access_by by)
{
	return likely(by == GLASS_BY_QP && qp->pd) ? qp->pdn : qp->recv_pdn;
}

/*
 * Is the region or window in the QP's own domain? Compares numbers, not pointers: in strict mode a
 * region outlives its domain, and another domain may get that domain's memory.
 */
static inline bool glass_same_domain(const struct glass_qp *qp, const struct glass_mr *mr)
{
	return mr->pdn == glass_domain(qp, GLASS_BY_QP);
}

/* Fills in all but `lint`. user: the calling process owns the object; else the kernel does. */
void glass_owner_fill(struct glass_owner *o, bool user);

#endif
