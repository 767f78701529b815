// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Connects ib_mad with the management agents of mgmt/. */
#include <rdma/ib_mad.h>

#include "engine/engine.h"
#include "engine/packet.h"
#include "link/link.h"
#include "mgmt/pma.h"
#include "mgmt/sma.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

/*
 * Records that a management agent discards a MAD. The packet that carried the MAD no longer exists,
 * so this function reconstructs it from the MAD and from wc, the completion of the receive. wc may
 * be NULL.
 */
static void mad_discard(struct glass_dev *dev, u32 port, const struct ib_wc *wc, const u8 *mad,
			enum glass_drop why)
{
	bool smp = glass_mad_is_smp(mad);
	struct glass_seg seg = { .addr = (void *)mad, .len = GLASS_MAD_BYTES };
	struct glass_pkt pkt = {
		.vl = smp ? GLASS_VL_SMP : 0,
		.lnh = GLASS_LNH_LOCAL,
		.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY,
		.dqpn = smp ? 0 : 1,
		.dlid = READ_ONCE(dev->node_ports[port].lid),
		.qkey = smp ? 0 : IB_QP1_QKEY,
		.pkey = IB_DEFAULT_PKEY_FULL,
		.len = GLASS_MAD_BYTES,
		.nseg = 1,
		.seg = &seg,
	};

	if (wc) {
		pkt.slid = wc->slid;
		pkt.sqpn = wc->src_qp;
		pkt.sl = wc->sl;
	}
	glass_port_drop(dev, port, GLASS_AT_AGENT, &pkt, why);
	if (glass_capturing())
		glass_watch_discarded(dev, port, &pkt, why);
}

/*
 * Passes a MAD to the port's SMA or PMA. Returns IB_MAD_RESULT_*. If the MAD is for neither of the
 * two (GLASS_MAD_IGNORE), returns IB_MAD_RESULT_SUCCESS without another flag. ib_mad then looks for
 * another agent, such as a subnet manager. Any context, also with interrupts off.
 */
static int mad_process(struct glass_dev *dev, int flags, u32 port, const struct ib_wc *in_wc,
		       const struct ib_mad *in_mad, struct ib_mad *out_mad, size_t *out_mad_size)
{
	const u8 *in = (const u8 *)in_mad;
	u8 *out = (u8 *)out_mad;
	enum glass_mad_result res = GLASS_MAD_IGNORE;
	struct glass_link_port *lp = NULL;
	unsigned long irq;
	u32 changes = 0;

	if (!port || port > dev->num_ports)
		return IB_MAD_RESULT_FAILURE;
	spin_lock_irqsave(&dev->fabric->lock, irq);
	dev->node.now = ktime_get_ns();
	dev->node.smp_slid = in_wc ? in_wc->slid : 0;
	switch (in_mad->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		res = glass_sma_process(&dev->node, port, in, out,
					flags & IB_MAD_IGNORE_MKEY ? GLASS_SMA_NO_MKEY : 0,
					&changes);
		break;
	case IB_MGMT_CLASS_PERF_MGMT:
		res = glass_pma_process(&dev->node, port, in, out);
		break;
	}
	if (changes) {
		/* the MAD may change a port other than the one that received it */
		lp = &dev->ports[GLASS_CHG_PORT(changes)].link;
		glass_link_note(lp, changes);
	}
	glass_fabric_want_trap(dev->fabric, dev->ports[port].link.self);
	spin_unlock_irqrestore(&dev->fabric->lock, irq);
	if (lp) {
		/* the answer must leave by this port before the port's link changes */
		if ((changes & GLASS_CHG_LINK) && lp->num == port && res == GLASS_MAD_REPLY)
			glass_link_changed_after(lp, changes, glass_mad_tid(out));
		else
			glass_link_changed(lp, changes, GLASS_PORT_BY_SM);
	}

	switch (res) {
	case GLASS_MAD_REPLY:
		*out_mad_size = sizeof(struct ib_mad);
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case GLASS_MAD_DISCARDED:
	case GLASS_MAD_BAD_MKEY:
		mad_discard(dev, port, in_wc, in,
			    res == GLASS_MAD_BAD_MKEY ? GLASS_DROP_BAD_MKEY
						      : GLASS_DROP_MAD_INVALID);
		fallthrough;
	case GLASS_MAD_CONSUMED:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}

int glass_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *in_wc,
		      const struct ib_grh *in_grh, const struct ib_mad *in_mad,
		      struct ib_mad *out_mad, size_t *out_mad_size, u16 *out_pkey_index)
{
	const struct ib_mad_hdr *h = &in_mad->mad_hdr;
	struct glass_dev *dev = to_gdev(ib);
	int ret;

	glass_enter(dev, PROCESS_MAD, PORT, port,
		    "mgmt_class=0x%x method=0x%x attr=0x%x attr_mod=0x%x tid=0x%llx", h->mgmt_class,
		    h->method, be16_to_cpu(h->attr_id), be32_to_cpu(h->attr_mod),
		    be64_to_cpu(h->tid));
	ret = mad_process(dev, flags, port, in_wc, in_mad, out_mad, out_mad_size);
	glass_leave(dev, PROCESS_MAD, PORT, port, ret);
	return ret;
}
