// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Address handles, and conversions of address vectors. */
#include <rdma/ib_cache.h>

#include "link/ether.h"
#include "model/ether.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

int glass_av_from_attr(struct glass_dev *dev, const struct rdma_ah_attr *attr, struct glass_av *av)
{
	u32 port = rdma_ah_get_port_num(attr);
	bool ethernet;

	if (!port || port > dev->num_ports)
		return -EINVAL;
	ethernet = dev->ports[port].link.ether;
	memset(av, 0, sizeof(*av));
	av->port = port;
	av->ethernet = ethernet;
	if (!ethernet)
		av->dlid = rdma_ah_get_dlid(attr);
	else if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH))
		return -EINVAL; /* the GIDs are the addresses of the datagrams */
	av->sl = rdma_ah_get_sl(attr);
	av->path_bits = rdma_ah_get_path_bits(attr);
	av->static_rate = rdma_ah_get_static_rate(attr);
	if (av->sl > 15)
		return -EINVAL;
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH) {
		const struct ib_global_route *grh = rdma_ah_read_grh(attr);
		union ib_gid sgid;
		int err;

		if (grh->sgid_index >= (ethernet ? GLASS_ETHER_GIDS : GLASS_GIDS))
			return -EINVAL;
		err = rdma_query_gid(&dev->ib, port, grh->sgid_index, &sgid);
		if (err)
			return -EINVAL;
		av->has_grh = 1;
		av->sgid_index = grh->sgid_index;
		av->tclass = grh->traffic_class;
		av->hop_limit = grh->hop_limit;
		av->flow_label = grh->flow_label & 0xfffff;
		memcpy(av->sgid, sgid.raw, sizeof(av->sgid));
		memcpy(av->dgid, grh->dgid.raw, sizeof(av->dgid));
		if (ethernet)
			glass_ether_group(av->dgid);
		if (ethernet && glass_gid_is_mcast(av->dgid))
			av->dlid = GLASS_LID_MCAST_BASE;
	}
	return 0;
}

void glass_av_to_attr(const struct glass_av *av, struct rdma_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = av->ethernet ? RDMA_AH_ATTR_TYPE_ROCE : RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_dlid(attr, av->dlid);
	rdma_ah_set_sl(attr, av->sl);
	rdma_ah_set_path_bits(attr, av->path_bits);
	rdma_ah_set_static_rate(attr, av->static_rate);
	rdma_ah_set_port_num(attr, av->port);
	if (av->has_grh) {
		rdma_ah_set_grh(attr, NULL, av->flow_label, av->sgid_index, av->hop_limit,
				av->tclass);
		rdma_ah_set_dgid_raw(attr, (void *)av->dgid);
	}
}

/*
 * May an AH have this destination LID? A program's AH must not have LID 0 or the permissive LID.
 * LID 0 is not a valid LID. The permissive LID is only for directed-route SMPs, which programs send
 * through ib_umad. A kernel consumer's AH may have any LID: ib_sa creates an AH with LID 0 while
 * there is no subnet manager.
 */
static bool dlid_ok(const struct glass_av *av, bool user)
{
	return !user || av->ethernet || (av->dlid && av->dlid != GLASS_LID_PERMISSIVE);
}

int glass_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	bool sleepable = attr->flags & RDMA_CREATE_AH_SLEEPABLE;
	struct glass_ah *ah = to_gah(ib);
	struct glass_create_ah_resp resp = {};
	unsigned long flags;
	int err;

	glass_enter(dev, CREATE_AH, PD, to_gpd(ib->pd)->pdn, "dlid=%u sl=%u port=%u",
		    rdma_ah_get_dlid(attr->ah_attr), rdma_ah_get_sl(attr->ah_attr),
		    rdma_ah_get_port_num(attr->ah_attr));
	ah->pdn = to_gpd(ib->pd)->pdn;
	glass_owner_fill(&ah->owner, udata);
	glass_owner_lint(&ah->owner, glass_lint_of(udata));
	err = glass_verb_fault(dev, CREATE_AH, udata);
	if (!err)
		err = glass_av_from_attr(dev, attr->ah_attr, &ah->av);
	if (!err && !dlid_ok(&ah->av, udata))
		err = -EINVAL;
	if (!err)
		err = glass_bill_object(&ah->bill, dev, udata, GLASS_SHARE_AH, sizeof(*ah));
	if (err)
		goto out;
	xa_lock_irqsave(&dev->ahs, flags);
	err = __xa_alloc_cyclic(&dev->ahs, &ah->num, ah, XA_LIMIT(1, GLASS_MAX_AH), &dev->ah_next,
				sleepable && !irqs_disabled_flags(flags) ? GFP_KERNEL : GFP_ATOMIC);
	xa_unlock_irqrestore(&dev->ahs, flags);
	if (err < 0) {
		glass_bill_close(&ah->bill);
		goto out;
	}
	err = 0;
	glass_count_of_pd(ib->pd, nah, 1);
	if (udata) {
		resp.ah_num = ah->num;
		err = glass_respond(udata, &resp, sizeof(resp));
		if (err)
			glass_destroy_ah(ib, 0);
	}
out:
	glass_leave(dev, CREATE_AH, AH, ah->num, err);
	return err;
}

int glass_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_ah *ah = to_gah(ib);
	struct glass_av av;
	unsigned long flags;
	int err;

	glass_enter(dev, MODIFY_AH, AH, ah->num, "dlid=%u sl=%u port=%u", rdma_ah_get_dlid(attr),
		    rdma_ah_get_sl(attr), rdma_ah_get_port_num(attr));
	err = glass_av_from_attr(dev, attr, &av);
	if (!err && !dlid_ok(&av, ib->uobject))
		err = -EINVAL;
	if (!err) {
		xa_lock_irqsave(&dev->ahs, flags);
		ah->av = av;
		WRITE_ONCE(dev->ah_changes, dev->ah_changes + 1);
		xa_unlock_irqrestore(&dev->ahs, flags);
	}
	glass_leave(dev, MODIFY_AH, AH, ah->num, err);
	return err;
}

int glass_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_ah *ah = to_gah(ib);
	struct glass_av av;
	unsigned long flags;

	glass_enter_bare(dev, QUERY_AH, AH, ah->num);
	/* glass_modify_ah() writes ah->av under this lock, so the copy is consistent */
	xa_lock_irqsave(&dev->ahs, flags);
	av = ah->av;
	xa_unlock_irqrestore(&dev->ahs, flags);
	glass_av_to_attr(&av, attr);
	glass_leave(dev, QUERY_AH, AH, ah->num, 0);
	return 0;
}

int glass_destroy_ah(struct ib_ah *ib, u32 destroy_flags)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_ah *ah = to_gah(ib);
	unsigned long flags;

	glass_enter_bare(dev, DESTROY_AH, AH, ah->num);
	xa_lock_irqsave(&dev->ahs, flags);
	__xa_erase(&dev->ahs, ah->num);
	WRITE_ONCE(dev->ah_changes, dev->ah_changes + 1);
	xa_unlock_irqrestore(&dev->ahs, flags);
	glass_bill_close(&ah->bill);
	glass_count_of_pd(ib->pd, nah, -1);
	glass_leave(dev, DESTROY_AH, AH, ah->num, 0);
	return 0;
}
