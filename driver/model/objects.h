/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The objects of verbs (QP, CQ, MR, ...) as verbs/, engine/, inject/ and debugfs/ share them.
 *
 * Life. Each object has a number, and an xarray of its device finds it by that number (QP0 and QP1:
 * glass_hca_port.special). The packet path looks up QPs and MRs under RCU and takes a reference
 * (struct glass_ref); their memory is freed after a grace period. Objects of other kinds are looked
 * up under the xarray's lock. Of these kinds, only CQs and SRQs have references. A destroy verb
 * removes the object from the xarray. If the object has references, the verb drops the creator's
 * reference and waits until the others are dropped. After that nothing in the driver refers to the
 * object.
 *
 * Spinlocks and rwlocks, outermost first:
 *   glass_qp.lock      spinlock; the protocol core of one QP. A context that holds one of these
 *                      locks only tries a second one, and only engine/direct.c does. To deliver a packet, a program's context takes the lock of
 *                      another program's QP. If the lock were a mutex, cpu.max could stop the
 *                      holder, and the other program would wait. A context holds the lock while
 *                      it works on at most one packet or train (64 KiB), one request and its
 *                      answer of one packet each, or on GLASS_TURN_WRS work requests
 *   glass_odp.lock     rwlock; keeps a process's pages in place while an access uses them. Page
 *                      table locks are taken within it
 *   glass_want.lock    spinlock; the pages that a QP waits for
 *   glass_dev.stats_lock  spinlock; the port to which the counts of a QP belong. Also nests
 *                      inside the mutex glass_dev.stats_walk_lock. That mutex is taken without a
 *                      QP's lock
 *   glass_mr.window_lock  spinlock, irqs off; the binding of a memory window
 *   glass_srq.lock     spinlock, irqs off; the SRQ's ring and limit
 *   glass_cq.lock      spinlock, irqs off; the CQ's ring, notification, error
 *   glass_qp.sq_lock   spinlock, irqs off; posting of sends by kernel consumers
 *   glass_qp.rq_lock   spinlock, irqs off; posting of receives by kernel consumers
 *   glass_fabric.lock  spinlock, irqs off; nodes, ports, switches, counters
 *   xa_lock of the tables in struct glass_dev, irqs off
 *   glass_users.lock   spinlock; the QPs of a CQ or SRQ. Taken while no other lock is held
 *
 * Mutexes of verbs, outermost first. Each is taken while none of the spinlocks and rwlocks above is
 * held:
 *   glass_cq.resize_lock, glass_srq.resize_lock
 *   glass_users.failing  the failure of the QPs of a CQ or SRQ
 *   glass_areas.lock   the areas of a user context
 *   glass_ucontext.where_lock  the call stacks of a user context
 *   sweep_lock of shared.c, `places` of share.c
 *                      the innermost mutexes; `places` also nests inside glass_dev.mcast_lock
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
#include "model/link_way.h"
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
 * GFP flags for memory whose size a program chooses. The allocation is charged to the program's
 * memory cgroup. If it fails, the program gets ENOMEM, and the kernel's log gets no message.
 */
#define GLASS_GFP_ASKED (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/* A reference count. The drop of the last reference wakes the context in glass_ref_kill(). */
struct glass_ref {
	refcount_t count;
	struct completion gone;
};

static inline void glass_ref_init(struct glass_ref *r)
{
	refcount_set(&r->count, 1);
	init_completion(&r->gone);
}

/* Takes a reference. False: the object is being destroyed. Any context. */
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
 * A deadline shared by QPs that are destroyed together. destroy_qp waits for the QP's last answers
 * and multicast copies to be sent, but not beyond this deadline (glass_qp_settle()).
 */
struct glass_deadline {
	unsigned long at; /* jiffies; 0: not set. The first waiter sets it, by cmpxchg() */
};

/* The process that made an object, and when. pid 0: the kernel. */
struct glass_owner {
	pid_t pid;
	char comm[TASK_COMM_LEN];
	u32 uid; /* the user who pays for it (glass_share_uid()); the kernel: 0 */
	u64 created_ns; /* ktime_get_ns() */
	/*
	 * The client to which lint attributes findings about the object (observe/lint.h). Normally
	 * it is the client of the user context, which outlives the object. A program's XRC target
	 * has a client of its own, glass_qp.target_lint. NULL: lint reports nothing about the
	 * object, for example because a kernel consumer owns it.
	 */
	const struct glass_lint_client *lint;
	/*
	 * Call stacks of the program (observe/where.h): of the creation, and of the last verb that
	 * changed the object. 0: unknown.
	 */
	u32 stack, changed_stack;
};

/* Memory that a program may map. */
struct glass_mmap {
	struct rdma_user_mmap_entry rdma;
	void *mem; /* memory of an area (area.h), device memory, or the device's control page */
	size_t bytes;
	bool shared; /* the control page: mapped read-only, and not freed with this entry */
	bool lent; /* call stacks (where.h): `mem` is not freed with this entry */
	bool mapped; /* a program has mapped it at least once */
	size_t unmapped; /* shared.c has found that the bytes before this offset are not mapped */
	struct list_head wait; /* in shared.c's list of memory that is still mapped */
	struct glass_bill bill; /* empty if `shared` or `lent` */
};

/* Memory of a ring: a chunk (area.h) that a program shares, or memory of the driver alone. */
struct glass_memory {
	void *mem; /* NULL: none */
	struct glass_chunk *chunk; /* NULL: memory of the driver alone */
	size_t bytes; /* size of `mem` if chunk is NULL, else 0 */
	bool borrowed; /* the memory is that of another ring, which counts and frees it */
};

/*
 * The driver's view of a ring. A program can write to the header and the entries of its ring at any
 * time: read each value once, and check the copy. No program can change the fields of this
 * structure, such as `num` and `stride`.
 */
struct glass_ring {
	struct glass_ring_hdr *hdr;
	u8 *entries; /* `num` slots of `stride` bytes; a slot holds one WQE or CQE */
	u32 num; /* a power of two */
	u32 stride; /* a multiple of 64 */
	struct glass_memory head; /* the header of a ring that can be resized; other rings: none */
	struct glass_memory body; /* the entries; without `head`, the header stands before them */
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
	struct glass_deadline settle; /* shared by the QPs that the close of the context destroys */
	struct glass_areas areas; /* the memory of the context's rings */
	struct mutex where_lock; /* protects where_map */
	struct glass_mmap *where_map; /* the context's call stacks (where.h); NULL: none */
	atomic_t npd, nmr, ncq, nsrq, nqp, nah;
	atomic_t qps_born; /* number of QPs that the context has created (glass_qp.born_here) */
	/* for lint: by kind, number of objects that the program left for the kernel to destroy */
	u32 left[GLASS_KIND_COUNT];
	u64 left_since; /* ktime_get_ns() when the oldest object of `left` was made */
	u32 left_stack; /* call stack of its creation; 0: unknown */
	/* for lint: two counts of asynchronous events (glass_lint_event()) */
	atomic_t nfatal; /* events about a failure of an object or of a request */
	atomic_t nasked; /* events for which the program had asked, such as SQ_DRAINED */
	u32 gone_cqn; /* for lint: number of the CQ that was destroyed last */
	u64 gone_events; /* for lint: number of completion events that this CQ had raised */
	/* sums of the counts that the provider has reported (GLASS_REPORT_COUNTS) */
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
	struct glass_deadline settle; /* shared by XRC targets that are destroyed with the domain */
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
 * The rkey of a GLASS_MR_USER is its lkey with this bit inverted. So an access by a peer that uses
 * the lkey in place of the rkey fails.
 */
#define GLASS_RKEY_BIT 0x80

enum glass_mr_kind {
	GLASS_MR_USER, /* pages pinned by ib_umem */
	GLASS_MR_DMA, /* all memory of the kernel; its addresses are kernel addresses */
	GLASS_MR_FAST, /* a kernel consumer's list of pages; a REG_MR work request installs it */
	GLASS_MR_DM, /* device memory */
	GLASS_MR_DMABUF, /* a dma-buf, mapped by its exporter */
	GLASS_MR_ODP, /* on demand: each access looks up its pages in the process's page table */
	GLASS_MR_WINDOW, /* a memory window: a key to a part of a GLASS_MR_USER */
};

/* A page list that map_mr_sg() has staged. The next REG_MR installs it in the region. */
struct glass_page_list {
	spinlock_t lock; /* protects all fields: map_mr_sg() may race with a queued REG_MR */
	void **pages; /* kernel address of each page; room for glass_mr.max_pages */
	u32 npages;
	u32 page_shift; /* each page has 1 << page_shift bytes */
	u32 first_off; /* offset of the region's first byte in the first page */
	u64 length; /* bytes that the list maps; the last page may reach beyond them */
	bool fresh; /* not yet installed by a REG_MR */
};

/* Device memory (DM): kernel pages, which a program allocates and may map. */
struct glass_dm {
	struct ib_dm ib;
	struct glass_dev *dev;
	u32 dmn;
	struct glass_owner owner;
	/* `bill`: for the DM's place in the table; `bytes_bill`: for its bytes of device memory */
	struct glass_bill bill, bytes_bill;
	u64 length;
	struct glass_mmap *map; /* the pages; they outlive the DM while a program still maps them */
	atomic_t nmr;
};

struct glass_mr {
	struct ib_mr ib;
	struct glass_ref ref;
	struct rcu_head rcu;
	struct glass_dev *dev;
	struct glass_owner owner;
	struct glass_bill bill;
	struct glass_bill pages_bill; /* for the list of pages; rereg_mr replaces this bill */
	enum glass_mr_kind kind;
	/*
	 * The lkey of a region, or the R_Key of a window. It is (index in glass_dev.mrs) << 8 |
	 * variant. 0: not published yet, or hidden by rereg_mr.
	 */
	u32 key;
	u32 rkey; /* 0: the rkey is equal to `key` */
	u32 access; /* enum ib_access_flags */
	struct ib_pd *pd;
	u32 pdn;
	u8 searches; /* how often packets searched the table for it, modulo 256 (glass_mr_search()) */
	u64 iova;
	u64 length;
	u64 start; /* GLASS_MR_USER, _ODP: the process's address of the first byte */
	struct ib_umem *umem;
	u32 first_off; /* offset of iova in the first page */
	u32 npages;
	u32 page_shift; /* PAGE_SHIFT; GLASS_MR_FAST: the consumer chooses it */
	u64 list_length; /* GLASS_MR_FAST: bytes that the installed list maps */
	void **pages; /* GLASS_MR_USER, _FAST: kernel address of each page */
	void *linear; /* GLASS_MR_DM, _DMABUF: kernel address of iova; the memory is contiguous */
	struct glass_dm *dm;
	struct dma_buf *dmabuf;
	struct iosys_map dmabuf_map;
	struct glass_odp *odp; /* GLASS_MR_ODP: memory of the process (odp.h), with a reference */
	/*
	 * GLASS_MR_ODP, for display. demanded: number of pages that accesses have looked up with
	 * success. prefetched: number of pages that advise_mr has brought in.
	 */
	atomic64_t demanded, prefetched;
	/*
	 * GLASS_MR_FAST: does the key work? An access takes a reference and then reads `valid`. An
	 * invalidation clears `valid` and then waits until no other reference is left (keys.c). The
	 * memory behind the key changes only while `valid` is false.
	 */
	bool valid;
	/*
	 * The key log (observe/gone.h) has the end of the key, and dereg_mr or dealloc_mw is about to
	 * erase the key. Stories take it for gone: what the log has is about this object.
	 */
	bool ended;
	u32 max_pages;
	/*
	 * GLASS_MR_FAST: the list that map_mr_sg() stages, and that REG_MR installs. It is separate
	 * from `pages`: a consumer may call map_mr_sg() as soon as it has posted the LOCAL_INV,
	 * while accesses still use the old pages.
	 */
	struct glass_page_list mapped;
	/*
	 * GLASS_MR_USER: number of windows bound to the region; negative: dereg_mr or rereg_mr
	 * forbids binding.
	 */
	atomic_t windows;
	/*
	 * GLASS_MR_WINDOW: protects key, access, iova, length, and the fields from `region` to
	 * `qpn`. While a window is bound to a region, dereg_mr and rereg_mr of the region fail.
	 */
	spinlock_t window_lock;
	u8 window_type; /* 1 or 2 (2B) */
	struct glass_mr *region; /* NULL: not bound */
	u64 region_addr; /* address of the window's first byte in the region */
	/* glass_qp.born of the QP that bound the window; only its peer may use a type 2 window */
	u64 qp_born;
	u32 qpn; /* number of the QP that bound the window, for display */
	atomic64_t remote_reads, remote_writes, atomics; /* operations of peers on this memory */
	/* strict mode: some milliseconds after dereg_mr, calls forget(), which frees the region */
	struct delayed_work late;
	void (*forget)(struct glass_mr *mr);
};

/* Lint's state of a CQ; the CQ's lock protects it. */
struct glass_lint_cq_state {
	u32 wanted; /* sum of the attached queues' capacities, to compare with glass_cq.cqe */
	u32 consumer, producer; /* the CQ's indices when the program armed the CQ last */
	u64 armed; /* glass_cq.armed when the program armed the CQ last */
	/* since the program armed the CQ last: number of rechecks that found the program running */
	u32 looks;
	bool told_lost; /* the loss of a completion has been reported */
	struct delayed_work work; /* rechecks an armed CQ */
};

/* Lint's state of a QP; the QP's lock protects it. */
struct glass_lint_qp_state {
	/*
	 * At the time rnr_since (ktime_get_ns()), a message with PSN rnr_psn first found no receive
	 * at this QP. At the time rnr_rx_since, this QP first got an RNR NAK for PSN rnr_rx_psn.
	 */
	u64 rnr_since, rnr_rx_since;
	u32 rnr_psn, rnr_rx_psn;
	/* glass_cq.total of the send CQ and of the receive CQ when the QP failed */
	u64 err_stotal, err_rtotal;
	u32 err_posts; /* number of sends posted after the program had polled the error */
	/*
	 * While lint is on: the thread that sends a packet of the QP or delivers one to it, and that
	 * holds the QP's lock. `flow`: of the request on whose behalf; 0: the one at req.cur.
	 */
	const struct task_struct *by;
	u64 flow;
	/*
	 * Call stacks (observe/where.h) of the verbs that last set attributes of these kinds: keys
	 * and rights, path and peer, and how it sends. 0: unknown.
	 */
	u32 rights_from, path_from, sends_from;
};

/* A memory window, as ib_core allocates it. */
struct glass_mw {
	struct ib_mw ib;
	struct glass_mr *window; /* GLASS_MR_WINDOW: the packet path finds it by the R_Key */
};

/* A QP as a user of its CQ or SRQ. */
struct glass_user {
	struct list_head node; /* in glass_users.list, or in the list of fail_users() */
	struct glass_qp *qp;
};

/* The QPs that use a CQ or SRQ, and that fail with it: struct glass_user. */
struct glass_users {
	spinlock_t lock; /* protects `list` */
	struct list_head list;
	struct mutex failing; /* held by fail_users() */
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
	/*
	 * Only for a kernel consumer's CQ; else NULL. By slot of `ring`: the QP of the CQE in that
	 * slot, or NULL if this QP is destroyed.
	 */
	struct ib_qp **qps;
	u32 producer; /* the driver's copy of the index, which a program cannot write */
	u32 consumer; /* used only for a kernel consumer's CQ; a program's index is in ring.hdr */
	u32 cqe; /* requested capacity; a CQE that exceeds it is an overrun */
	u32 nlate; /* number of entries in `late`; written under lock */
	/* 0: not armed; 1: armed for the next solicited or error CQE; 2: for the next CQE */
	u8 notify;
	/*
	 * The CQ overran, or an injection rule made the CQ fail. A failed CQ of a kernel consumer
	 * still takes CQEs while it has room.
	 */
	bool failed;
	bool by_rule; /* a rule made the CQ fail before it overran */
	u32 max_fill; /* the highest number of unpolled CQEs so far */
	u64 total; /* number of CQEs put into the ring since the CQ was created */
	u64 armed, events; /* number of req_notify calls; number of completion events */
	u64 errors; /* number of CQEs with a status other than success */
	/*
	 * The CQ was created with IGNORE_OVERRUN: when the CQ is full, a new CQE overwrites the
	 * oldest. The ring of such a CQ has more slots than `cqe`.
	 */
	bool overwrites;
	u64 lost; /* number of CQEs that were overwritten before they were polled */
	u32 vector; /* completion vector */
	u32 resized; /* number of resizes */
	struct mutex resize_lock; /* held by a resize, which replaces the entries under `lock` */
	struct work_struct tell_work; /* raises a completion event on the CPU of the vector */
	struct work_struct fail_work; /* moves qps_of to ERR, makes xrc_srqs fail; raises CQ_ERR */
	struct glass_users qps_of; /* QPs that complete into the CQ, and fail with it */
	struct xarray xrc_srqs; /* XRC SRQs that complete into the CQ, and fail with it */
	struct list_head late; /* delayed CQEs (inject/late.c), oldest first; under lock */
	struct delayed_work late_work;
	struct glass_lint_cq_state lint;
	u32 failure; /* the failure in the black box (engine/failure.h); 0: none */
};

/*
 * Tasks for glass_cq_tell() (engine/complete.h). `notify`: raise a completion event. `overrun`:
 * make the CQ fail. The caller sets the fields under the CQ's lock, and calls glass_cq_tell() after
 * it has released the lock.
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
	u32 consumer; /* the driver's copy of ring.hdr->consumer */
	u32 max_wr, max_sge, limit; /* limit 0: not armed */
	/*
	 * The ring is corrupt, the CQ of this XRC SRQ has failed, or an injection rule made the SRQ
	 * fail.
	 */
	bool failed;
	bool by_rule; /* a rule made the SRQ fail before anything else did */
	/* a resize is copying the receives, and strict mode must not reorder them; under lock */
	bool resizing;
	u64 total; /* number of WQEs taken since the SRQ was created */
	u64 limit_events; /* number of SRQ_LIMIT_REACHED events */
	u64 lint_limit_ns; /* for lint: ktime_get_ns() when the limit was reached last */
	u32 lint_producer; /* for lint: the producer index when the limit was reached last */
	u32 resized; /* number of resizes */
	/* held by modify_srq, which changes the entries, max_wr and limit under `lock` */
	struct mutex resize_lock;
	struct work_struct fail_work; /* moves qps_of to ERR, and raises SRQ_ERR */
	struct glass_users qps_of; /* QPs that receive from the SRQ, and fail with it */
	u32 in_cq; /* XRC: the SRQ's index in cq->xrc_srqs */
	u32 failure; /* the failure in the black box (engine/failure.h); 0: none */
};

/* Flags of glass_qp.run. engine/engine.h explains run lists, lanes and turns. */
#define GLASS_RUN_QUEUED BIT(0) /* on a run list */
#define GLASS_RUN_ACTIVE BIT(1) /* an engine context runs the QP, or a lane watches it */
#define GLASS_RUN_AGAIN BIT(2) /* glass_qp_kick() was called while the QP was ACTIVE */

/* A change of a QP's state. */
struct glass_state_change {
	u64 when; /* ktime_get_ns() */
	u8 from, to; /* enum glass_qp_state */
	u8 cause; /* enum glass_cause */
};

#define GLASS_HISTORY 16 /* number of state changes that a QP remembers */

/* An invalidation that a QP repeats while an access still uses the memory (engine/keys.c). */
struct glass_retiring {
	u32 key; /* 0: there is none */
	unsigned long since; /* jiffies of the first try */
};

/*
 * At most this many pages are brought in at a time. The longest train (up to 16 packets that the
 * engine delivers as one) has 64 KiB of payload: 16 pages of 4 KiB.
 */
#define GLASS_WANT_PAGES 16
/*
 * The on-demand pages that a QP waits for (engine/want.c). `work` brings the pages in, or starts
 * the thread `sleeper`, which brings them in. `lock` protects all fields but `sleeper`.
 */
struct glass_want {
	spinlock_t lock; /* nests inside the QP's lock */
	/*
	 * The QP has asked for pages, and `work` has not finished yet. While `active` is true,
	 * `work` has a reference to the QP. During this time, `work` is queued or running, or the
	 * thread `sleeper` exists and will queue `work`.
	 */
	bool active;
	bool used; /* the QP has asked for pages at least once */
	bool dead; /* the QP is being destroyed */
	/*
	 * The memory of the process to which the wanted pages belong (odp.h), with a reference to
	 * the structure. NULL: no pages are wanted.
	 */
	struct glass_odp *odp;
	u64 user; /* the process's address of the first wanted page */
	u32 n; /* number of wanted pages */
	bool write; /* the QP will write to them */
	u32 tries; /* number of tries of `work` to bring them in */
	/*
	 * The last request for pages: the memory of the process, the address of the first page, and
	 * the time. If the QP loses the pages before it can use them, the QP repeats the request.
	 * The field `again` is the number of times in a row that the QP has repeated this request.
	 * Each time, `work` waits longer before it brings the pages in.
	 */
	const struct glass_odp *last; /* compared, never followed */
	u64 last_user;
	unsigned long last_at; /* jiffies */
	u32 again;
	/*
	 * Pages that were brought in. They stay pinned for a while, so that reclaim cannot take
	 * them before the QP has looked them up.
	 */
	struct page *page[GLASS_WANT_PAGES];
	u32 npages;
	/*
	 * The last request that failed, because its pages could not be brought in: the memory of
	 * the process, and the address of the first page. Until bad_until, an access that needs
	 * pages from this address on fails at once.
	 */
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
	bool dead; /* destroy_qp has begun, and no new work begins; under lock */
	bool closing; /* destroy_qp or a reset waits for `run` to become 0 (glass_qp_settle()) */
	u8 searches; /* how often packets searched the table for it, modulo 256 (glass_qp_search()) */
	/*
	 * Outstanding copies of the QP's last multicast datagram (struct glass_copies of
	 * engine/copies.h), oldest first. Only the context that runs the QP uses the list; other
	 * contexts only test whether it is empty.
	 */
	struct list_head copies;
	/*
	 * Budget of the QP's next turn (engine/engine.h): GLASS_TURN, or GLASS_TURN_COPIES while
	 * `copies` has entries. Only the context that runs the QP uses it.
	 */
	int turn;

	struct glass_ref ref;
	struct glass_dev *dev;
	struct ib_qp *ib;
	struct glass_owner owner;
	struct glass_bill bill;
	struct glass_bill res_bill; /* for core.res; under lock */
	/*
	 * For the QP's multicast memberships. No lock: ib_core serializes attach and detach of a
	 * program's QP.
	 */
	struct glass_bill mcast_bill;
	/*
	 * the QP in the records of captures and of the flight recorder; port and reason are not set
	 */
	struct glass_flight_end face;
	struct ib_pd *pd; /* NULL: an XRC target */
	u32 pdn;
	struct glass_xrcd *xrcd; /* NULL: not an XRC target */
	/*
	 * Number of the protection domain for receive memory: the SRQ's domain, or pdn if there is
	 * no SRQ. For an XRC target, it is the domain of the SRQ that the current request names. In
	 * this case it also applies to the peer's accesses, and changes under lock.
	 */
	u32 recv_pdn;
	struct glass_cq *send_cq, *recv_cq;
	struct glass_srq *srq;
	struct glass_user in_send_cq, in_srq; /* in qps_of of send_cq and srq */
	struct glass_user in_recv_cq; /* in qps_of of recv_cq, unless that is also send_cq */
	struct ib_qp_cap cap; /* capabilities that create_qp granted */
	enum ib_sig_type sig;

	struct glass_ring sq, rq;
	spinlock_t sq_lock; /* for posts of a kernel consumer: protects sq.hdr->producer */
	spinlock_t rq_lock; /* for posts of a kernel consumer: protects rq.hdr->producer */
	/*
	 * The driver's copy of rq.hdr->consumer; under lock. A post of a kernel consumer does not
	 * hold this lock, and reads rq.hdr->consumer instead.
	 */
	u32 rq_consumer;

	atomic_t run; /* GLASS_RUN_* */
	u32 slow_lane; /* while the QP waits for a netdev cable: the lane that runs it afterwards */
	/* in a run list, among the QPs that a lane watches, or in glass_congestion.waiting */
	struct list_head run_node;
	struct timerqueue_node pace; /* while the QP waits because of CNPs (engine/pace.c) */
	/*
	 * The party of the process that created the QP (engine/party.h). On a lane, the QP runs
	 * only in a turn of this party. NULL: a kernel consumer's QP.
	 */
	struct glass_party *party;
	const struct glass_party *group; /* the party's group; compared, never followed */
	/*
	 * in party->patient, the list of the party's QPs that wait for a retry; under
	 * party->patient_lock
	 */
	struct list_head patient_node;
	/* ns: a QP in party->patient retries at this time or later; 0: at any time */
	u64 patient_until;
	struct hrtimer timer; /* fires at core.deadline, or earlier */
	union {
		struct {
			bool timer_fired; /* set by the timer, cleared by the engine */
			bool ack_due; /* set by ack_timer, cleared by the engine */
		};
		u16 alarms; /* not 0: timer_fired or ack_due is set, or both are */
	};
	struct timer_list ack_timer; /* fires when a postponed ACK is due */
	bool ack_timed; /* ack_timer was armed at least once; under lock */
	/* ns: when the engine last found posted sends; only the context that runs the QP uses it */
	u64 posted_ns;
	/*
	 * The rate of doorbells, for a heuristic without a lock (wants_lane() of engine/lane.c).
	 * rung_jiffy: the jiffy of the last doorbell. rung: number of doorbells in this jiffy.
	 * rung_bytes: bytes of payload that the QP had moved at the first of these doorbells.
	 * rung_before, rung_bytes_before: the same values for the jiffy before.
	 */
	unsigned long rung_jiffy;
	u32 rung, rung_before;
	u64 rung_bytes, rung_bytes_before;
	/*
	 * Hints; only the context that runs the QP uses them (engine/frames.c). heard: how many messages
	 * the QP had received when it sent its last request. talks: had it received one since the request
	 * before? talk_reads: number of READs that it has sent since, which do not count as requests.
	 */
	u32 heard;
	bool talks;
	u8 talk_reads;
	/*
	 * Where the QP's last packet arrived, for packets on the direct way (engine/direct.h): the port,
	 * or NULL if its way is not direct; the packet's DLID; glass_fabric.reshapes at the time; and
	 * after how many packets a QP whose way is not direct looks again. Under lock.
	 */
	struct glass_link_port *direct_to;
	u32 direct_reshapes;
	u16 direct_dlid, direct_wait;
	struct glass_link_way direct_way; /* of this QP's packets to direct_to, or of its answers */
	/*
	 * core.changes of this QP and of the one that last took its packets on the direct way, the head of these packets
	 * (struct glass_pkt up to `psn`), and of a UD QP's the first 8 bytes of the address vector. Valid while both numbers, and
	 * glass_fabric.reshapes, are the same. direct_own 0: none. Under lock.
	 */
	u64 direct_own, direct_peer, direct_av;
	u64 direct_pair; /* an even number that no other two QPs have had; their answers have the next one */
	u32 direct_head[5];
	struct ib_ucontext *context; /* of the program, whose doorbells ring for the QP; only compared. NULL: none */
	/* UD: the AH that the last WQE named, valid while last_ah_changes is glass_dev.ah_changes; 0: none. Under `lock`. */
	u32 last_ah, last_ah_changes;
	struct glass_av last_av;
	u64 armed_ns; /* ns: when the pending `timer` fires; 0: it is not pending; under lock */

	u64 born; /* the QP's number among all QPs that the device has created, from 1 */
	/* the QP's number among those that its user context has created, from 1; 0: no context */
	u32 born_here;
	u64 flow_base; /* the flow (engine/engine.h) of a send WQE is this | its free-running index */
	/*
	 * Cache of glass_qp_concerned(), without a lock. The low GLASS_INJECT_SITES bits are the
	 * sites (BIT(enum glass_inject_site)) where an injection rule may match this QP. The higher
	 * bits are the generation of rules for which the low bits were computed.
	 */
	unsigned long concerned;
	/* glass_inject.changes when the hooks left the QP alone last (glass_inject_leaves()); under lock */
	long leaves_since;
	/*
	 * For injection rules: the packets that passed while there were rules, by direction (enum
	 * glass_dir) and role (enum glass_role). `high`: the highest PSN. `last`: the PSN of the
	 * latest packet. `round`: 0 before the first packet; 1 while no packet was repeated since
	 * the last new PSN; else see note_round() of inject/packets.c.
	 */
	struct {
		u32 high, last, round;
	} seen[2][2];
	bool inject_fail; /* an injection rule wants the QP to go to ERR; under lock */
	u32 frozen; /* count of held packets that stop the QP's clock (inject/hold.c); under lock */
	u64 frozen_ns; /* ns: the time at which the clock stopped */

	u32 stats_port; /* port for which core.stats counts; 0: none. Under dev->stats_lock */
	struct glass_pqp_stats stats_before; /* core.stats when the QP joined stats_port */

	/*
	 * glass_cq.total of the send CQ after the QP's last completion there, and of the receive CQ
	 * after the QP's last completion there. 0: none yet. Under lock.
	 */
	u64 scq_total, rcq_total;
	u32 sq_told; /* index of the last send WQE that had a completion, plus 1; under lock */
	u32 resets; /* number of resets; written under lock */
	/*
	 * the failure in the black box since the creation or the last RESET (engine/failure.h); 0:
	 * none; under lock
	 */
	u32 failure;
	u32 nchanges; /* number of state changes; under lock */
	struct glass_state_change history[GLASS_HISTORY]; /* by number % GLASS_HISTORY */

	struct glass_lint_qp_state lint;
	/* a program's XRC target: its own client of lint, to which owner.lint points */
	struct glass_lint_client *target_lint;
	atomic_t mcast; /* number of multicast groups that the QP is attached to */
	u32 special_port; /* QP0 and QP1: their fixed port; other QPs: 0 */
	/* [0]: for a LOCAL_INV; [1]: for a SEND with Invalidate of the peer; under lock */
	struct glass_retiring retiring[2];
	struct glass_want want;
};

/* A QP as ib_core allocates it. */
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

/* Where a memory key comes from. This decides which protection domain applies (IBA 10.2.9, A14). */
enum glass_access_by {
	GLASS_BY_QP, /* a send request of the QP, or an R_Key in a packet of its peer */
	GLASS_BY_RECV, /* a receive WQE */
};

/*
 * Number of the protection domain to which an access by a key is limited. An XRC target has no
 * domain of its own: the current SRQ's domain applies.
 */
static inline u32 glass_domain(const struct glass_qp *qp, enum glass_access_by by)
{
	return likely(by == GLASS_BY_QP && qp->pd) ? qp->pdn : qp->recv_pdn;
}

/*
 * Is the region or window in the domain for GLASS_BY_QP? Compares numbers, not pointers: in strict
 * mode a region may outlive its domain, and then another domain may get the same address.
 */
static inline bool glass_same_domain(const struct glass_qp *qp, const struct glass_mr *mr)
{
	return mr->pdn == glass_domain(qp, GLASS_BY_QP);
}

/*
 * Fills *o except `lint` and the stacks. If `user` is true, the owner is the calling process, otherwise the
 * kernel.
 */
void glass_owner_fill(struct glass_owner *o, bool user);

/* Sets the client to which lint attributes findings about the object, and notes who creates it. */
static inline void glass_owner_lint(struct glass_owner *o, const struct glass_lint_client *c)
{
	o->lint = c;
	o->stack = glass_lint_now(c);
}

/* Notes the verb that changes the object, if the stack of its caller is known. */
static inline void glass_owner_changes(struct glass_owner *o)
{
	u32 stack = glass_lint_now(o->lint);

	if (stack)
		WRITE_ONCE(o->changed_stack, stack);
}

#endif
