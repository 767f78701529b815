// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The verbs that attach a QP to a multicast group and detach it; engine/mcast.c has the groups. */
#include "engine/engine.h"
#include "engine/packet.h"
#include "link/ether.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

/*
 * Attaches the QP, and, at an Ethernet port, joins the group at the interface. rdma_cm joins by
 * itself; the interface counts both.
 */
static int attach_group(struct glass_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct glass_ether *e = qp->dev->ports[1].link.ether;
	union ib_gid group = *gid;
	int err;

	if (!e)
		return glass_mcast_attach(qp, gid, lid);
	glass_ether_group(group.raw);
	err = glass_mcast_attach(qp, &group, lid);
	if (err)
		return err;
	err = glass_ether_join(e, group.raw);
	if (err)
		glass_mcast_detach(qp, &group, lid);
	return err;
}

static int detach_group(struct glass_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct glass_ether *e = qp->dev->ports[1].link.ether;
	union ib_gid group = *gid;
	int err;

	if (!e)
		return glass_mcast_detach(qp, gid, lid);
	glass_ether_group(group.raw);
	err = glass_mcast_detach(qp, &group, lid);
	if (!err)
		glass_ether_leave(e, group.raw);
	return err;
}

int glass_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct glass_qp *qp = to_gqp(ib);
	int err;

	glass_enter(qp->dev, ATTACH_MCAST, QP, qp->core.qpn, "mgid=%pI6 mlid=0x%x", gid->raw, lid);
	err = glass_verb_fault(qp->dev, ATTACH_MCAST, ib->uobject);
	if (!err)
		err = ib->qp_type == IB_QPT_UD ? attach_group(qp, gid, lid) : -EINVAL;
	glass_leave(qp->dev, ATTACH_MCAST, QP, qp->core.qpn, err);
	return err;
}

int glass_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct glass_qp *qp = to_gqp(ib);
	int err;

	glass_enter(qp->dev, DETACH_MCAST, QP, qp->core.qpn, "mgid=%pI6 mlid=0x%x", gid->raw, lid);
	err = detach_group(qp, gid, lid);
	glass_leave(qp->dev, DETACH_MCAST, QP, qp->core.qpn, err);
	return err;
}
