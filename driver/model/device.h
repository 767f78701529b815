/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A Glass device (one HCA): its limits, its tables of objects, functions to find objects, and
 * counters.
 */
#ifndef GLASS_MODEL_DEVICE_H
#define GLASS_MODEL_DEVICE_H


#include "model/objects.h"
#include "model/strict.h"
#include "model/links.h"
#include "mgmt/node.h"
#include "observe/drops.h"
#include "observe/lint.h"

#define GLASS_MAX_HCAS GLASS_TOPO_MAX_HCAS
#define GLASS_MAX_PORTS GLASS_TOPO_MAX_HCA_PORTS
#define GLASS_PKEYS GLASS_PKEY_TABLE_LEN
#define GLASS_GIDS GLASS_GUID_TABLE_LEN

/* Limits and values that query_device reports or verbs enforce. */
#define GLASS_FIRST_QPN 0x11 /* QPN of the first QP, apart from QP0 and QP1 */
#define GLASS_MAX_QP (128 * 1024)
#define GLASS_MAX_QP_WR 16384
#define GLASS_MAX_CQ 65536
#define GLASS_CQN_MAX 0xffffff
#define GLASS_MAX_CQE ((1 << 22) - 1)
#define GLASS_MAX_SRQ 16384
#define GLASS_MAX_SRQ_WR 16384
#define GLASS_MAX_MR (1 << 20)
#define GLASS_MAX_MR_SIZE (1ULL << 40)
#define GLASS_MAX_MW (1 << 20)
#define GLASS_MAX_FAST_PAGES 1024 /* a REG_MR work request registers at most this many pages */
#define GLASS_PAGE_SIZES GENMASK_ULL(31, 12) /* bit mask of page sizes: 4 KiB to 2 GiB */
#define GLASS_MAX_PD 65536
#define GLASS_MAX_XRCD 65536
#define GLASS_MAX_AH (1 << 20)
#define GLASS_MAX_MCAST_GRP 8192
#define GLASS_MAX_MCAST_QP 1024
#define GLASS_MAX_MSG (1U << 31)
#define GLASS_MAX_DM 4096
#define GLASS_MAX_DM_BYTES (1U << 20) /* bytes of device memory in all allocations of a device */
#define GLASS_CLOCK_KHZ 1000000 /* completion timestamps are in nanoseconds */

struct glass_inject;

struct glass_hca_port {
	struct glass_dev *dev;
	struct glass_qp __rcu *special[2]; /* QP0 and QP1; NULL: not created */
	struct glass_link_port link;
	/*
	 * The sum of all that QPs have counted on this port before they left it. A QP leaves the
	 * port when it is destroyed, or moved to another port (stats.c). Under dev->stats_lock.
	 */
	struct glass_pqp_stats gone;
};

/*
 * The state of glass_stats_sum() (stats.c), which adds up the counters of a port's QPs in several
 * pieces. Under dev->stats_lock.
 */
struct glass_stats_walk {
	u32 port; /* 0: no sum is in progress */
	u32 next; /* QPs with this or a higher number are not added yet */
	u64 *sum; /* the sum so far, with the layout of struct glass_pqp_stats */
};

#define GLASS_RECENT 256 /* a power of two */
/*
 * Of so many searches for an object, one gives it its place of recent_qps or recent_mrs. So newer
 * objects that are idle do not keep the place. Objects that are busy and share a place take it in
 * turn, but seldom, because the CPUs of other packets read it.
 */
#define GLASS_RECALL 16

struct glass_dev {
	struct ib_device ib;
	struct glass_fabric *fabric;
	u32 index; /* number of the HCA, from 0 */
	u32 num_ports;
	struct glass_node node; /* under fabric->lock */
	struct glass_port node_ports[GLASS_MAX_PORTS + 1]; /* [1] .. [num_ports] */
	struct glass_hca_port ports[GLASS_MAX_PORTS + 1];

	struct xarray qps; /* by QPN, from 2 up; QP0 and QP1 are in ports[] */
	struct xarray mrs; /* memory regions and windows, by key >> 8 */
	/*
	 * Shortcuts of packets into qps and mrs. The object of number n stands in [n % GLASS_RECENT],
	 * unless another one has the place: one that was published later, or that packets searched
	 * for since (GLASS_RECALL). Set after an object is in its table; cleared after it is erased,
	 * before the wait for RCU readers. Readers compare the number, and else search the table.
	 */
	struct glass_qp __rcu *recent_qps[GLASS_RECENT];
	struct glass_mr __rcu *recent_mrs[GLASS_RECENT];
	struct xarray cqs, srqs, pds, ahs, ucontexts, xrcds, dms; /* look-ups take the xa_lock */
	u32 ah_changes; /* how many AHs were modified or destroyed; written under the xa_lock of ahs */
	/* by table: where the search for the next free number begins */
	u32 qp_next, mr_next, cq_next, srq_next, pd_next, ah_next, ucontext_next, xrcd_next, dm_next;
	/*
	 * How many places programs have in these tables, and how many bytes of device memory. By
	 * enum glass_share_of; under `places` of share.c.
	 */
	u32 taken[GLASS_SHARE_COUNT];
	struct mutex stats_walk_lock; /* allows one glass_stats_sum() at a time */
	struct glass_stats_walk stats_walk;
	/* protects stats_walk, glass_hca_port.gone, glass_qp.stats_port and stats_before */
	spinlock_t stats_lock;
	/* increases with each new key; its low byte becomes the low byte of the key */
	atomic_t key_variant;

	struct mutex mcast_lock; /* serializes changes of multicast groups and of their members */
	struct glass_mcast_table *mcast_groups; /* all groups, by MGID (engine/mcast.c) */
	struct xarray mcast_by_id; /* all groups, by number; under mcast_lock */
	unsigned long mcast_next; /* number of the next group; under mcast_lock */

	struct glass_drops drops;
	struct glass_inject *inject; /* remains while the device is unplugged (hca.c) */
	struct glass_strict strict;
	/* strict mode: number of regions that are deregistered and not freed yet */
	atomic_t ndying;
	/* for lint: the keys that were deregistered last; NULL: there was no memory for them */
	struct glass_graveyard *graveyard;
	struct glass_lint *lint; /* remains while the device is unplugged (hca.c) */
	struct glass_later *later; /* packets that injection rules delay */
	struct glass_hold *hold; /* packets that injection rules hold until a command `step` */

	struct glass_control_page *control; /* one page, mapped by programs read-only */
	/* inode number of its network namespace, set when a namespace gets it (debugfs/debugfs.c) */
	u32 netns;
	/*
	 * A device with an Ethernet port may be unregistered by ib_core itself, which then frees it
	 * (ib_device_ops.dealloc_driver). So the device takes a reference to itself at that time,
	 * which hca.c drops when it needs the device no more. Set before the registration.
	 */
	bool core_frees;
	bool leaving; /* hca.c unregisters the device */
	bool registered; /* set after ib_register_device(), cleared before unregistering */
	/* for the QPs that are destroyed while `registered` is false */
	struct glass_deadline settle;

	void *control_files; /* struct glass_control of debugfs/; NULL: the device has no files */
};

static inline struct glass_dev *to_gdev(struct ib_device *ib)
{
	return container_of(ib, struct glass_dev, ib);
}

/* The device's name. A rename may change the text at any time, but the pointer remains valid. */
static inline const char *glass_dev_name(const struct glass_dev *dev)
{
	return dev->ib.name;
}

/*
 * As xa_load(), but faster: the caller is in an RCU read-side section, so this function enters
 * none.
 */
static inline void *glass_xa_find(struct xarray *xa, unsigned long index)
{
	XA_STATE(xas, xa, index);
	void *entry;

	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "the entry may be freed");
	do {
		entry = xas_load(&xas);
		if (xa_is_zero(entry))
			entry = NULL;
	} while (xas_retry(&xas, entry));
	return entry;
}

/*
 * Makes look-ups of packets find the object faster, from when it is in its table to
 * glass_forget_qp() or glass_forget_mr(), which follow its erasure at once. Process context.
 */
void glass_remember_qp(struct glass_qp *qp);
void glass_forget_qp(struct glass_qp *qp);
void glass_remember_mr(struct glass_mr *mr, u32 index);
void glass_forget_mr(struct glass_mr *mr, u32 index);

/*
 * The part of glass_qp_at() and glass_mr_at() that searches: for objects that are not in their
 * place of recent_qps and recent_mrs. The caller is in a section of rcu_read_lock_sched().
 */
struct glass_qp *glass_qp_search(struct glass_dev *dev, u32 port, u32 qpn);
struct glass_mr *glass_mr_search(struct glass_dev *dev, u32 index);

/*
 * Finds the region or window of this index (key >> 8). The caller is in a section of
 * rcu_read_lock_sched(). Such a section costs no calls, and writers wait for it as for one of
 * rcu_read_lock().
 */
static __always_inline struct glass_mr *glass_mr_at(struct glass_dev *dev, u32 index)
{
	struct glass_mr *mr = rcu_dereference_sched(dev->recent_mrs[index % GLASS_RECENT]);

	if (likely(mr && READ_ONCE(mr->key) >> 8 == index))
		return mr;
	return glass_mr_search(dev, index);
}

/*
 * Finds a QP by its number. 0 and 1: QP0 and QP1 of `port`; for other numbers, `port` is not used. The caller
 * is in a section of rcu_read_lock_sched(), which keeps the QP's memory. A caller that takes the QP's lock,
 * and finds it not dead, may use the QP until it drops the lock.
 */
static __always_inline struct glass_qp *glass_qp_at(struct glass_dev *dev, u32 port, u32 qpn)
{
	struct glass_qp *qp = rcu_dereference_sched(dev->recent_qps[qpn % GLASS_RECENT]);

	/* QP0 and QP1 have no place there */
	if (unlikely(!qp || qp->core.qpn != qpn))
		qp = glass_qp_search(dev, port, qpn);
	return qp;
}

/*
 * Look-ups. Each returns the object with a reference, or NULL. Any context.
 *
 * Finds a QP by its number, as glass_qp_at() does.
 */
static __always_inline struct glass_qp *glass_qp_find(struct glass_dev *dev, u32 port, u32 qpn)
{
	struct glass_qp *qp;

	rcu_read_lock_sched();
	qp = glass_qp_at(dev, port, qpn);
	if (qp && !glass_ref_get(&qp->ref))
		qp = NULL;
	rcu_read_unlock_sched();
	return qp;
}

/* Finds an SRQ by its number. */
struct glass_srq *glass_srq_find(struct glass_dev *dev, u32 srqn);

/* Finds a region by its lkey, or a memory window by its R_Key. */
static __always_inline struct glass_mr *glass_mr_find(struct glass_dev *dev, u32 key)
{
	struct glass_mr *mr;

	rcu_read_lock_sched();
	mr = glass_mr_at(dev, key >> 8);
	/*
	 * pairs with the releases of glass_mr_publish() and mr_show() (verbs/mr.c): they store the
	 * key last
	 */
	if (mr && (smp_load_acquire(&mr->key) != key || !glass_ref_get(&mr->ref)))
		mr = NULL;
	rcu_read_unlock_sched();
	return mr;
}

/* Finds a CQ by its number. */
struct glass_cq *glass_cq_find(struct glass_dev *dev, u32 cqn);

/*
 * Finds the CQ with the lowest number that is at least *index, and sets *index to that number.
 * Skips CQs that are being destroyed.
 */
struct glass_cq *glass_cq_next(struct glass_dev *dev, unsigned long *index);

/*
 * Number of CQEs in a CQ that are not polled yet. A program can write any consumer index to its
 * ring, so the result may be any number. A result above cq->cqe means that this index is bad, or
 * that the CQ ignores overruns and has lost CQEs.
 */
static inline u32 glass_cq_used(const struct glass_cq *cq)
{
	u32 consumer = cq->is_user ? READ_ONCE(cq->ring.hdr->consumer) : cq->consumer;

	return cq->producer - consumer;
}

/*
 * A CQ or SRQ has a list of its QPs (qps_of), because the QPs fail when the CQ or SRQ fails.
 *
 * glass_users_join() adds a QP to the lists of its CQs and its SRQ. Call it before look-ups can
 * find the QP. glass_users_leave() removes the QP from these lists. Call it when look-ups no longer
 * find the QP. Process context.
 */
void glass_users_init(struct glass_users *users);
void glass_users_join(struct glass_qp *qp);
void glass_users_leave(struct glass_qp *qp);
/*
 * Add an XRC SRQ to the list of its CQ (xrc_srqs), and remove the SRQ from this list: the SRQ fails
 * when the CQ fails. Do nothing for other SRQs. glass_users_join_xrc() returns 0 or a negative
 * errno such as -ENOMEM. May sleep.
 */
int glass_users_join_xrc(struct glass_srq *srq);
void glass_users_leave_xrc(struct glass_srq *srq);

/*
 * Return how many bytes of kernel memory an object and its rings take. 0: the object belongs to a
 * kernel consumer. The caller holds the lock of the QP, CQ or SRQ; an MR needs no lock.
 */
u64 glass_qp_memory(const struct glass_qp *qp);
u64 glass_cq_memory(const struct glass_cq *cq);
u64 glass_srq_memory(const struct glass_srq *srq);
u64 glass_mr_memory(const struct glass_mr *mr);

/*
 * Records the drop of a packet that a port has received. place: where the packet was dropped (at
 * the port, in the destination QP or in the management agent). If the port drops a packet that an
 * injection rule has damaged, counts the packet in PortRcvErrors. Otherwise, if the reason is a
 * wrong P_Key or Q_Key, counts the violation and requests a trap (IBA 14.2.5.6). Any context; may
 * take the fabric's lock.
 */
void glass_port_drop(struct glass_dev *dev, u32 port, enum glass_drop_place place,
		     const struct glass_pkt *pkt, enum glass_drop reason);

/*
 * Counts that the QP makes after this call belong to `port`, or to no port if `port` is 0. Call
 * this function for each change of the QP's port. Also call it with port 0 when the QP is
 * destroyed, while look-ups still find the QP. The caller holds qp->lock, or knows that no other
 * context changes the QP's port.
 */
void glass_stats_move(struct glass_qp *qp, u32 port);

/*
 * Computes the counters of a port: adds up the counts that past and present QPs made while they
 * were on this port. *sum has the layout of struct glass_pqp_stats. May sleep.
 */
void glass_stats_sum(struct glass_dev *dev, u32 port, u64 *sum);

#endif
