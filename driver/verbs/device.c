// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Verbs of the device, its files in sysfs, and the tables of all verbs and ioctl methods. */
#include <linux/module.h>
#include <rdma/uverbs_ioctl.h>

#define UVERBS_MODULE_NAME glass
#include <rdma/uverbs_named_ioctl.h>

#include "engine/packet.h"
#include "mgmt/notice.h"
#include "verbs/api.h"
#include "uapi/glass-ioctl.h"
#include "uapi/glass-version.h"
#include "verbs/lint.h"

#define ODP_DATAGRAM (IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_SRQ_RECV)
#define ODP_RELIABLE                                                                               \
	(ODP_DATAGRAM | IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC)

static const struct ib_odp_caps glass_odp_caps = {
	.general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT,
	.per_transport_caps = {
		.rc_odp_caps = ODP_RELIABLE,
		.uc_odp_caps = ODP_DATAGRAM | IB_ODP_SUPPORT_WRITE,
		.ud_odp_caps = ODP_DATAGRAM,
		.xrc_odp_caps = ODP_RELIABLE,
	},
};

static int glass_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			      struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib);

	glass_enter_bare(dev, QUERY_DEVICE, DEVICE, dev->index);
	/* refuse a program's driver data: this verb neither takes nor returns any */
	if (udata && (udata->inlen || udata->outlen)) {
		glass_leave(dev, QUERY_DEVICE, DEVICE, dev->index, -EINVAL);
		return -EINVAL;
	}
	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = GLASS_FW_VER;
	attr->sys_image_guid = cpu_to_be64(dev->node.sys_guid);
	attr->max_mr_size = GLASS_MAX_MR_SIZE;
	attr->page_size_cap = GLASS_PAGE_SIZES;
	attr->vendor_id = dev->node.vendor_id;
	attr->vendor_part_id = dev->node.device_id;
	attr->hw_ver = dev->node.revision;
	attr->max_qp = GLASS_MAX_QP;
	attr->max_qp_wr = GLASS_MAX_QP_WR;
	attr->device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
				 IB_DEVICE_CHANGE_PHY_PORT | IB_DEVICE_SHUTDOWN_PORT |
				 IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B | IB_DEVICE_XRC |
				 IB_DEVICE_AUTO_PATH_MIG | IB_DEVICE_SRQ_RESIZE | GLASS_CAP_FLUSH;
	attr->max_send_sge = GLASS_MAX_SGE;
	attr->max_recv_sge = GLASS_MAX_SGE;
	attr->max_sge_rd = GLASS_MAX_SGE;
	attr->max_cq = GLASS_MAX_CQ;
	attr->max_cqe = GLASS_MAX_CQE;
	attr->max_mr = GLASS_MAX_MR;
	attr->max_mw = GLASS_MAX_MW;
	attr->max_fast_reg_page_list_len = GLASS_MAX_FAST_PAGES;
	attr->max_pd = GLASS_MAX_PD;
	attr->max_qp_rd_atom = GLASS_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = GLASS_MAX_RD_ATOMIC * 1024;
	attr->max_qp_init_rd_atom = GLASS_MAX_RD_ATOMIC;
	attr->atomic_cap = IB_ATOMIC_GLOB;
	attr->max_mcast_grp = GLASS_MAX_MCAST_GRP;
	attr->max_mcast_qp_attach = GLASS_MAX_MCAST_QP;
	attr->max_total_mcast_qp_attach = GLASS_MAX_MCAST_GRP * GLASS_MAX_MCAST_QP;
	attr->max_ah = GLASS_MAX_AH;
	attr->max_srq = GLASS_MAX_SRQ;
	attr->max_srq_wr = GLASS_MAX_SRQ_WR;
	attr->max_srq_sge = GLASS_MAX_SGE;
	attr->max_pkeys = GLASS_PKEYS;
	attr->local_ca_ack_delay = 15;
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = GLASS_CLOCK_KHZ;
	attr->max_dm_size = GLASS_MAX_DM_BYTES;
	attr->kernel_cap_flags = IBK_ON_DEMAND_PAGING;
	/* `rdma link del` */
	if (dev->ports[1].link.ether)
		attr->kernel_cap_flags |= IBK_ALLOW_USER_UNREG;
	attr->odp_caps = glass_odp_caps;
	glass_leave(dev, QUERY_DEVICE, DEVICE, dev->index, 0);
	return 0;
}

static int glass_modify_device(struct ib_device *ib, int mask, struct ib_device_modify *modify)
{
	struct glass_dev *dev = to_gdev(ib);
	int err = mask & ~IB_DEVICE_MODIFY_NODE_DESC ? -EOPNOTSUPP : 0;
	unsigned long flags;

	glass_enter(dev, MODIFY_DEVICE, DEVICE, dev->index, "mask=0x%x", mask);
	if (!err && (mask & IB_DEVICE_MODIFY_NODE_DESC)) {
		spin_lock_irqsave(&dev->fabric->lock, flags);
		memcpy(ib->node_desc, modify->node_desc, IB_DEVICE_NODE_DESC_MAX);
		glass_node_set_desc(&dev->node, modify->node_desc, IB_DEVICE_NODE_DESC_MAX);
		glass_trap_local_change(&dev->node, 1, GLASS_LOCAL_DESC);
		glass_fabric_want_trap(dev->fabric, dev->ports[1].link.self);
		spin_unlock_irqrestore(&dev->fabric->lock, flags);
	}
	glass_leave(dev, MODIFY_DEVICE, DEVICE, dev->index, err);
	return err;
}

static void glass_get_fw_str(struct ib_device *ib, char *str)
{
	strscpy(str, GLASS_VERSION, IB_FW_VERSION_NAME_MAX);
}

static ssize_t hw_rev_show(struct device *d, struct device_attribute *attr, char *buf)
{
	struct glass_dev *dev = rdma_device_to_drv_device(d, struct glass_dev, ib);

	return sysfs_emit(buf, "0x%x\n", dev->node.revision);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t hca_type_show(struct device *d, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "Glass\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *d, struct device_attribute *attr, char *buf)
{
	struct glass_dev *dev = rdma_device_to_drv_device(d, struct glass_dev, ib);

	return sysfs_emit(buf, "glass-%u\n", dev->index);
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *device_attrs[] = {
	&dev_attr_hw_rev.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_board_id.attr,
	NULL,
};

static const struct attribute_group device_group = {
	.attrs = device_attrs,
};

/*
 * Handles a report of a provider, struct glass_report (uapi/glass-abi.h). A report has counts, has
 * a lint finding, or asks whether a verb must fail.
 */
static int UVERBS_HANDLER(GLASS_METHOD_REPORT)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ib = ib_uverbs_get_ucontext(attrs);
	struct glass_ucontext *uctx;
	struct glass_report r;
	int err;

	if (IS_ERR(ib))
		return PTR_ERR(ib);
	uctx = to_gucontext(ib);
	err = uverbs_copy_from(&r, attrs, GLASS_ATTR_REPORT_DATA);
	if (err)
		return err;
	glass_enter(uctx->dev, REPORT, UCONTEXT, uctx->num, "kind=%u refused=%u invalid=%u", r.kind,
		    r.posts_refused, r.posts_invalid);
	err = r.version != GLASS_ABI_VERSION ? -EPROTO :
	      r.kind > GLASS_REPORT_VERB ? -EOPNOTSUPP : 0;
	if (err)
		goto out;
	if (r.kind == GLASS_REPORT_VERB) {
		if (r.seen < GLASS_VERB_COUNT && (GLASS_PROVIDER_VERBS >> r.seen & 1) &&
		    glass_injecting())
			err = glass_inject_verb(uctx->dev, r.seen);
		goto out;
	}
	if (r.kind == GLASS_REPORT_FINDING) {
		err = glass_lint_reported(uctx, &r);
		goto out;
	}
	atomic64_add(r.posts_refused, &uctx->posts_refused);
	atomic64_add(r.posts_invalid, &uctx->posts_invalid);
	atomic64_add(r.events_unacked, &uctx->events_unacked);
	atomic64_add(r.bad_wr_reused, &uctx->bad_wr_reused);
out:
	glass_leave(uctx->dev, REPORT, UCONTEXT, uctx->num, err);
	return err;
}

DECLARE_UVERBS_NAMED_METHOD(GLASS_METHOD_REPORT,
			    UVERBS_ATTR_PTR_IN(GLASS_ATTR_REPORT_DATA,
					       UVERBS_ATTR_STRUCT(struct glass_report, bad_wr_reused),
					       UA_MANDATORY));

ADD_UVERBS_METHODS(glass_report, UVERBS_OBJECT_DEVICE, &UVERBS_METHOD(GLASS_METHOD_REPORT));

const struct uapi_definition glass_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &glass_report),
	UAPI_DEF_CHAIN(glass_doorbell_defs),
	UAPI_DEF_CHAIN(glass_dm_defs),
	UAPI_DEF_CHAIN(glass_pd_defs),
	UAPI_DEF_CHAIN(glass_ucontext_defs),
	{},
};

const struct ib_device_ops glass_dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = GLASS_ABI_VERSION,
	.device_group = &device_group,

	.advise_mr = glass_advise_mr,
	.alloc_dm = glass_alloc_dm,
	.alloc_hw_port_stats = glass_alloc_hw_port_stats,
	.alloc_mr = glass_alloc_mr,
	.alloc_mw = glass_alloc_mw,
	.alloc_pd = glass_alloc_pd,
	.alloc_ucontext = glass_alloc_ucontext,
	.alloc_xrcd = glass_alloc_xrcd,
	.attach_mcast = glass_attach_mcast,
	.create_ah = glass_create_ah,
	.create_cq = glass_create_cq,
	.create_qp = glass_create_qp,
	.create_srq = glass_create_srq,
	.create_user_ah = glass_create_ah,
	.dealloc_dm = glass_dealloc_dm,
	.dealloc_mw = glass_dealloc_mw,
	.dealloc_pd = glass_dealloc_pd,
	.dealloc_ucontext = glass_dealloc_ucontext,
	.dealloc_xrcd = glass_dealloc_xrcd,
	.dereg_mr = glass_dereg_mr,
	.destroy_ah = glass_destroy_ah,
	.destroy_cq = glass_destroy_cq,
	.destroy_qp = glass_destroy_qp,
	.destroy_srq = glass_destroy_srq,
	.detach_mcast = glass_detach_mcast,
	.disassociate_ucontext = glass_disassociate_ucontext,
	.fill_res_cq_entry = glass_fill_res_cq,
	.fill_res_mr_entry = glass_fill_res_mr,
	.fill_res_qp_entry = glass_fill_res_qp,
#ifdef GLASS_HAVE_FILL_RES_SRQ
	.fill_res_srq_entry = glass_fill_res_srq,
#endif
	.get_dev_fw_str = glass_get_fw_str,
	.get_dma_mr = glass_get_dma_mr,
	.get_hw_stats = glass_get_hw_stats,
	.get_link_layer = glass_get_link_layer,
	.get_port_immutable = glass_get_port_immutable,
	.map_mr_sg = glass_map_mr_sg,
	.mmap = glass_mmap,
	.mmap_free = glass_mmap_free,
	.modify_ah = glass_modify_ah,
	.modify_device = glass_modify_device,
	.modify_port = glass_modify_port,
	.modify_qp = glass_modify_qp,
	.modify_srq = glass_modify_srq,
	.poll_cq = glass_poll_cq,
	.post_recv = glass_post_recv,
	.post_send = glass_post_send,
	.post_srq_recv = glass_post_srq_recv,
	.process_mad = glass_process_mad,
	.query_ah = glass_query_ah,
	.query_device = glass_query_device,
	.query_gid = glass_query_gid,
	.query_pkey = glass_query_pkey,
	.query_port = glass_query_port,
	.query_qp = glass_query_qp,
	.query_srq = glass_query_srq,
	.query_ucontext = glass_query_ucontext,
	.reg_dm_mr = glass_reg_dm_mr,
	.reg_user_mr = glass_reg_user_mr,
	.reg_user_mr_dmabuf = glass_reg_user_mr_dmabuf,
	.req_notify_cq = glass_req_notify_cq,
	.rereg_user_mr = glass_rereg_user_mr,
	.GLASS_OP_RESIZE_CQ = glass_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, glass_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, glass_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, glass_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, glass_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, glass_ibqp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, glass_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, glass_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, glass_xrcd, ib),
};
