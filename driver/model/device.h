/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A Glass device (one HCA). */
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

/* Limits that query_device reports and the verbs enforce. */
#define GLASS_FIRST_QPN 0x11 /* of programs' and kernel consumers' QPs */
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
#define GLASS_MAX_FAST_PAGES 1024 /* of a region registered by work request */
#define GLASS_PAGE_SIZES GENMASK_ULL(31, 12) /* of its pages: any power of two from 4 KiB that a u32 holds */
#define GLASS_MAX_PD 65536
#define GLASS_MAX_XRCD 65536
#define GLASS_MAX_AH (1 << 20)
#define GLASS_MAX_MCAST_GRP 8192
#define GLASS_MAX_MCAST_QP 1024
#define GLASS_MAX_MSG (1U << 31)
#define GLASS_MAX_DM 4096
#define GLASS_MAX_DM_BYTES (1U << 20) /* of a device, in all */
#define GLASS_CLOCK_KHZ 1000000 /* of completion timestamps, which are nanoseconds */

struct glass_inject;

struct glass_hca_port {
	struct glass_dev *dev;
	struct glass_qp __rcu *special[2]; /* QP0 and QP1 */
	struct glass_link_port link;
	struct glass_pqp_stats gone; /* of QPs that were on this port; under dev->stats_lock */
};

/* A running sum over the QPs of a port (stats.c). Under dev->stats_lock. */
struct glass_stats_walk {
	u32 port; /* 0: none is being made */
	u32 next; /* QPs from this number on are not summed yet */
	u64 *sum;
};

struct glass_dev {
	struct ib_device ib;
	struct glass_fabric *fabric;
	u32 index;
	u32 num_ports;
	struct glass_node node; /* under fabric->lock */
	struct glass_port node_ports[GLASS_MAX_PORTS + 1]; /* [1] .. [num_ports] */
	struct glass_hca_port ports[GLASS_MAX_PORTS + 1];

	struct xarray qps; /* by QPN, from 2 up; QP0 and QP1 are in ports[] */
	struct xarray mrs; /* by key >> 8; memory windows, too */
	struct xarray cqs, srqs, pds, ahs, ucontexts, xrcds, dms; /* look up under xa_lock */
	u32 qp_next, mr_next, cq_next, srq_next, pd_next, ah_next, ucontext_next, xrcd_next, dm_next;
	u32 taken[GLASS_SHARE_COUNT]; /* taken by programs; for share.c, under its lock */
	struct mutex stats_walk_lock; /* one walk at a time */
	struct glass_stats_walk stats_walk;
	spinlock_t stats_lock; /* stats_walk, glass_hca_port.gone, glass_qp.stats_port */
	/* variant of the key of the next MR */
	atomic_t key_variant;

	struct mutex mcast_lock; /* changes of the groups */
	struct glass_mcast_table *mcast_groups; /* of engine/mcast.c: by MGID */
	struct xarray mcast_by_id; /* the same by number; under mcast_lock */
	unsigned long mcast_next; /* number of the next group; under mcast_lock */

	struct glass_drops drops;
	struct glass_inject *inject; /* outlives the device when that is unplugged */
	struct glass_strict strict;
	atomic_t ndying; /* deregistered regions that still exist (strict mode) */
	struct glass_graveyard *graveyard; /* of engine/lint.h; NULL: no memory */
	struct glass_lint *lint; /* outlives the device, too */
	struct glass_later *later; /* packets that injection rules delay */
	struct glass_hold *hold; /* packets that wait for a step */

	struct glass_control_page *control; /* one page, mapped by programs read-only */
	bool registered;
	struct glass_deadline settle; /* shared by all QPs, when the device is unregistered */

	void *control_files; /* struct glass_control of debugfs/ */
};

static inline struct glass_dev *to_gdev(struct ib_device *ib)
{
	return container_of(ib, struct glass_dev, ib);
}

/* The name as users see it; may change by rename, stays readable. */
static inline const char *glass_dev_name(const struct glass_dev *dev)
{
	return dev->ib.name;
}

/*
 * As xa_load(), for a caller inside an RCU read-side section: xa_load() would enter one of its own.
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

/* QP by number with a reference, or NULL. Numbers 0 and 1 are the port's. */
struct glass_qp *glass_qp_find(struct glass_dev *dev, u32 port, u32 qpn);

/* SRQ by number with a reference, or NULL. */
struct glass_srq *glass_srq_find(struct glass_dev *dev, u32 srqn);

/* MR by key with a reference, or NULL. */
struct glass_mr *glass_mr_find(struct glass_dev *dev, u32 key);

/* CQ by number with a reference, or NULL. */
struct glass_cq *glass_cq_find(struct glass_dev *dev, u32 cqn);

/* The first CQ with at least that number, with a reference, or NULL; *index: its number. */
struct glass_cq *glass_cq_next(struct glass_dev *dev, unsigned long *index);

/*
 * CQEs waiting in a CQ. The program owns the consumer index of its CQ: the result may be any
 * number; more than cq->cqe means that the program wrote a bad index.
 */
static inline u32 glass_cq_used(const struct glass_cq *cq)
{
	u32 consumer = cq->is_user ? READ_ONCE(cq->ring.hdr->consumer) : cq->consumer;

	return cq->producer - consumer;
}

/*
 * The QPs that fail when a CQ or SRQ fails: they join before they can be found by number, and leave
 * when they cannot any more. 0 or -ENOMEM. May sleep.
 */
int glass_users_join(struct glass_qp *qp);
void glass_users_leave(struct glass_qp *qp);
/* The same for an XRC SRQ in its CQ; no-op for other SRQs. */
int glass_users_join_xrc(struct glass_srq *srq);
void glass_users_leave_xrc(struct glass_srq *srq);

/* Kernel memory of an object, with its rings; 0: the kernel's. Under the lock of a QP, CQ or SRQ. */
u64 glass_qp_memory(const struct glass_qp *qp);
u64 glass_cq_memory(const struct glass_cq *cq);
u64 glass_srq_memory(const struct glass_srq *srq);
u64 glass_mr_memory(const struct glass_mr *mr);

/*
 * Records a drop of a received packet at this port, and counts a violation of P_Key or Q_Key (IBA
 * 14.2.5.6). Any context; takes the fabric's lock.
 */
void glass_port_drop(struct glass_dev *dev, u32 port, enum glass_drop_place place,
		     const struct glass_pkt *pkt, enum glass_drop reason);

/*
 * Assigns the QP's counters to `port` from now on; 0: to none. Call it for each change of its port,
 * and before the QP leaves the look-up tables. The caller holds qp->lock, or is alone with the QP.
 */
void glass_stats_move(struct glass_qp *qp, u32 port);

/*
 * Sums the counters of past and present QPs of that port into struct glass_pqp_stats, as an array.
 * May sleep.
 */
void glass_stats_sum(struct glass_dev *dev, u32 port, u64 *sum);

#endif
