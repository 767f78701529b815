// SPDX-License-Identifier: GPL-2.0-only
/*
 * An RDMA device that does nothing, for bench/setup: what remains of a verb is the part of the kernel. A QP has a number
 * and nothing else; a region is what ib_umem_get() pins. There is no provider for it: set_up.c talks to uverbs itself.
 *
 * Load it by insmod; the device is empty0.
 */
#include <linux/module.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

struct empty_ucontext {
	struct ib_ucontext ib;
};

struct empty_pd {
	struct ib_pd ib;
};

struct empty_cq {
	struct ib_cq ib;
};

struct empty_qp {
	struct ib_qp ib;
};

struct empty_mr {
	struct ib_mr ib;
	struct ib_umem *umem;
};

static struct ib_device *empty;
static atomic_t last_qpn = ATOMIC_INIT(1);

static int empty_query_device(struct ib_device *dev, struct ib_device_attr *attr, struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_qp = 1 << 20;
	attr->max_qp_wr = 1 << 15;
	attr->max_send_sge = 16;
	attr->max_recv_sge = 16;
	attr->max_cq = 1 << 20;
	attr->max_cqe = 1 << 20;
	attr->max_mr = 1 << 20;
	attr->max_pd = 1 << 20;
	attr->max_qp_rd_atom = 16;
	attr->max_qp_init_rd_atom = 16;
	attr->max_pkeys = 1;
	return 0;
}

static int empty_query_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = 1;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = 1U << 31;
	attr->lid = 1;
	attr->sm_lid = 1;
	attr->max_vl_num = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	return 0;
}

static int empty_port_immutable(struct ib_device *dev, u32 port, struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static int empty_query_gid(struct ib_device *dev, u32 port, int index, union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	gid->global.interface_id = dev->node_guid;
	return 0;
}

static int empty_query_pkey(struct ib_device *dev, u32 port, u16 index, u16 *pkey)
{
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

static int empty_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return 0;
}

static void empty_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

static int empty_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int empty_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int empty_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct uverbs_attr_bundle *attrs)
{
	cq->cqe = attr->cqe;
	return 0;
}

static int empty_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return 0;
}

static int empty_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	qp->qp_num = atomic_inc_return(&last_qpn);
	return 0;
}

static int empty_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	return 0;
}

static int empty_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	return 0;
}

static struct ib_mr *empty_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				       struct ib_udata *udata)
{
	struct empty_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	struct ib_umem *umem;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(umem)) {
		kfree(mr);
		return ERR_CAST(umem);
	}
	mr->umem = umem;
	return &mr->ib;
}

static int empty_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct empty_mr *mr = container_of(ib, struct empty_mr, ib);

	ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}

static const struct ib_device_ops empty_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = 1,
	.alloc_pd = empty_alloc_pd,
	.alloc_ucontext = empty_alloc_ucontext,
	.create_cq = empty_create_cq,
	.create_qp = empty_create_qp,
	.dealloc_pd = empty_dealloc_pd,
	.dealloc_ucontext = empty_dealloc_ucontext,
	.dereg_mr = empty_dereg_mr,
	.destroy_cq = empty_destroy_cq,
	.destroy_qp = empty_destroy_qp,
	.get_port_immutable = empty_port_immutable,
	.modify_qp = empty_modify_qp,
	.query_device = empty_query_device,
	.query_gid = empty_query_gid,
	.query_pkey = empty_query_pkey,
	.query_port = empty_query_port,
	.reg_user_mr = empty_reg_user_mr,
	INIT_RDMA_OBJ_SIZE(ib_cq, empty_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, empty_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, empty_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, empty_ucontext, ib),
};

static int __init empty_init(void)
{
	int err;

	empty = _ib_alloc_device(sizeof(*empty));
	if (!empty)
		return -ENOMEM;
	empty->node_type = RDMA_NODE_IB_CA;
	empty->node_guid = cpu_to_be64(0x02a55a0000000001ULL);
	empty->phys_port_cnt = 1;
	empty->num_comp_vectors = 1;
	strscpy(empty->node_desc, "does nothing", sizeof(empty->node_desc));
	ib_set_device_ops(empty, &empty_ops);
	err = ib_register_device(empty, "empty%d", NULL);
	if (err)
		ib_dealloc_device(empty);
	return err;
}

static void __exit empty_exit(void)
{
	ib_unregister_device(empty);
	ib_dealloc_device(empty);
}

module_init(empty_init);
module_exit(empty_exit);

MODULE_DESCRIPTION("An RDMA device that does nothing");
MODULE_LICENSE("GPL");
