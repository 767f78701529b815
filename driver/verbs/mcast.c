// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The verbs that attach a QP to a multicast group and detach it; engine/mcast.c has the groups. */
#include "engine/engine.h"
#include "engine/packet.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

int glass_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct glass_qp *qp = to_gqp(ib);
	int err;

	glass_enter(qp->dev, ATTACH_MCAST, QP, qp->core.qpn, "mgid=%pI6 mlid=0x%x", gid->raw, lid);
	err = glass_verb_fault(qp->dev, ATTACH_MCAST, ib->uobject);
	if (!err)
		err = ib->qp_type == IB_QPT_UD ? glass_mcast_attach(qp, gid, lid) : -EINVAL;
	glass_leave(qp->dev, ATTACH_MCAST, QP, qp->core.qpn, err);
	return err;
}

int glass_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct glass_qp *qp = to_gqp(ib);
	int err;

	glass_enter(qp->dev, DETACH_MCAST, QP, qp->core.qpn, "mgid=%pI6 mlid=0x%x", gid->raw, lid);
	err = glass_mcast_detach(qp, gid, lid);
	glass_leave(qp->dev, DETACH_MCAST, QP, qp->core.qpn, err);
	return err;
}
