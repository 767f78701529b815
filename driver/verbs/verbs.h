/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The verbs (struct ib_device_ops), one file for each kind of object. For functions without a
 * comment, the contract is that of the operation in <rdma/ib_verbs.h>.
 */
#ifndef GLASS_VERBS_VERBS_H
#define GLASS_VERBS_VERBS_H

#include <rdma/uverbs_ioctl.h>

#include "compat/rdma.h"
#include "model/device.h"

extern const struct ib_device_ops glass_dev_ops;
/* ether.c: what a device with an Ethernet port has instead; set before glass_dev_ops */
extern const struct ib_device_ops glass_ether_ops;
extern const struct uapi_definition glass_uapi_defs[];

/*
 * Did a program ask for the verb that gets this udata? True: the udata has the command of a write()
 * or the attributes of an ioctl(). False: the udata is NULL, because a kernel consumer or ib_core
 * calls the verb. Also false: the udata is empty, because ib_uverbs destroys an object that the
 * program left in a context. ib_uverbs does so when the context is closed, or when its device is
 * removed.
 */
static inline bool glass_program_asks(struct ib_udata *udata)
{
	const struct uverbs_attr_bundle *attrs;

	if (!udata)
		return false;
	attrs = rdma_udata_to_uverbs_attr_bundle(udata);
	return attrs->ucore.inlen || !bitmap_empty(attrs->attr_present, UVERBS_API_ATTR_BKEY_LEN);
}

/* The caller of a destroy verb. Injection rules make the verb fail only for GLASS_BY_PROGRAM. */
enum glass_destroyer {
	/*
	 * One of these: a kernel consumer destroys its object; the kernel (ib_core, ib_uverbs)
	 * undoes a create; ib_core destroys an XRC target QP; a program closes an XRC domain that
	 * has no file (xrcd.c).
	 */
	GLASS_BY_KERNEL,
	GLASS_BY_PROGRAM, /* a program destroys its object */
	/*
	 * A context is closed or its device is removed, and ib_uverbs destroys an object that the
	 * program left in the context.
	 */
	GLASS_BY_CLOSE,
};

/*
 * Returns the caller of a destroy verb. uobj: the user object (struct ib_uobject) of the destroyed
 * object. udata and uobj are NULL for an object of a kernel consumer, and for an XRC target QP.
 *
 * After a successful create, ib_uverbs adds the user object to a list of the file that the program
 * has opened. If the user object is not in that list, the kernel undoes the create. In this case
 * the function ignores the udata: the udata may belong to the create. In some kernels, the udata
 * that ib_core's create_qp() passes belongs to no system call at all.
 */
static inline enum glass_destroyer glass_destroyer(struct ib_udata *udata,
						   const struct ib_uobject *uobj)
{
	if (!udata || !uobj || list_empty(&uobj->list))
		return GLASS_BY_KERNEL;
	return glass_program_asks(udata) ? GLASS_BY_PROGRAM : GLASS_BY_CLOSE;
}

/*
 * The user object of a CQ, QP or SRQ, or NULL. The types of these user objects are private to
 * ib_uverbs, but each type begins with a struct ib_uobject.
 */
#define glass_uobject(ib) ((struct ib_uobject *)(ib)->uobject)

/* The user context of a program's protection domain; NULL: the domain is a kernel consumer's. */
static inline struct glass_ucontext *glass_context_of(struct ib_pd *pd)
{
	return pd->uobject ? to_gucontext(pd->uobject->context) : NULL;
}

/*
 * Adds `by` (1 or -1) to the counter `what` (nmr or nah) of a protection domain. If the domain
 * belongs to a program, also adds it to the same counter of the domain's user context.
 */
#define glass_count_of_pd(pd, what, by)                                                            \
	do {                                                                                       \
		struct glass_ucontext *_u = glass_context_of(pd);                                  \
		atomic_add(by, &to_gpd(pd)->what);                                                 \
		if (_u)                                                                            \
			atomic_add(by, &_u->what);                                                 \
	} while (0)

/*
 * Returns the payer (share.h) for an object that a verb with this udata creates. If udata is NULL,
 * a kernel consumer creates the object, and the payer's `share` is NULL.
 */
static inline struct glass_payer glass_payer_of(struct glass_dev *dev, struct ib_udata *udata)
{
	struct glass_ucontext *u =
		udata ? rdma_udata_to_drv_context(udata, struct glass_ucontext, ib) : NULL;

	return u ? u->payer : (struct glass_payer){ .dev = dev };
}

/*
 * Opens the bill of an object. Charges one place in a table, and `bytes` + GLASS_OBJECT_BYTES bytes
 * of memory. The parameter `of` says which table, and `bytes` is the size of the driver's
 * structure. Returns the result of glass_bill_open().
 */
static inline int glass_bill_object(struct glass_bill *bill, struct glass_dev *dev, struct ib_udata *udata,
				    enum glass_share_of of, size_t bytes)
{
	struct glass_payer payer = glass_payer_of(dev, udata);

	return glass_bill_open(bill, &payer, of, 1, bytes + GLASS_OBJECT_BYTES);
}

void glass_lint_left(struct ib_udata *udata, enum glass_kind kind, const struct glass_owner *o);
/*
 * If `by` is GLASS_BY_CLOSE, counts the object as left by its program: in the device, and by
 * glass_lint_left() (lint.h) in the user context. If `by` has another value, does nothing.
 */
#define glass_note_left(dev, by, udata, KIND, owner)                                               \
	do {                                                                                       \
		if ((by) == GLASS_BY_CLOSE) {                                                      \
			atomic64_inc(&(dev)->inject->left);                                        \
			glass_lint_left(udata, GLASS_KIND_##KIND, owner);                          \
		}                                                                                  \
	} while (0)

/* ucontext.c */
int glass_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata);
void glass_dealloc_ucontext(struct ib_ucontext *ib);
int glass_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma);
void glass_mmap_free(struct rdma_user_mmap_entry *entry);
void glass_disassociate_ucontext(struct ib_ucontext *ib);

int glass_query_ucontext(struct ib_ucontext *ib, struct uverbs_attr_bundle *attrs);
/* Adds the description of a context to query_context, for a program that imports the context. */
extern const struct uapi_definition glass_ucontext_defs[];

/* pd.c */
extern const struct uapi_definition glass_pd_defs[];
int glass_alloc_pd(struct ib_pd *ib, struct ib_udata *udata);
int glass_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata);

/* ah.c */
int glass_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *attr, struct ib_udata *udata);
int glass_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int glass_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int glass_destroy_ah(struct ib_ah *ib, u32 flags);
/*
 * Convert ib_core's address attributes to an address vector, and back. glass_av_from_attr() returns
 * 0 or -EINVAL.
 */
int glass_av_from_attr(struct glass_dev *dev, const struct rdma_ah_attr *attr, struct glass_av *av);
void glass_av_to_attr(const struct glass_av *av, struct rdma_ah_attr *attr);

/* cq.c */
int glass_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		    glass_create_cq_extra *extra);
int glass_destroy_cq(struct ib_cq *ib, struct ib_udata *udata);
/*
 * Call when a QP is destroyed. Drops the QP's unpolled completions from a kernel consumer's CQ.
 * Does nothing if cq is NULL or belongs to a program. Any context.
 */
void glass_cq_forget_qp(struct glass_cq *cq, const struct ib_qp *qp);
/*
 * Calls glass_cq_forget_qp() for each CQ of the device. An XRC target QP needs this: its receives
 * complete into the CQs of the SRQs that the requests name.
 */
void glass_cq_forget_qp_everywhere(struct glass_dev *dev, const struct ib_qp *qp);
int glass_poll_cq(struct ib_cq *ib, int num, struct ib_wc *wc);
int glass_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags);

/*
 * Waits until the pending completion events of a CQ are delivered. The verbs that destroy a QP or
 * an XRC SRQ call this function, because a kernel consumer may call ib_free_cq() next. ib_free_cq()
 * first cancels the work that the completion handler queues, and no handler may run after that. cq
 * may be NULL. May sleep.
 */
void glass_cq_settle(struct glass_cq *cq);
int glass_resize_cq(struct ib_cq *ib, glass_cqe_count cqe, struct ib_udata *udata);

/* srq.c */
int glass_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *attr, struct ib_udata *udata);
int glass_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata);
int glass_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr);
int glass_destroy_srq(struct ib_srq *ib, struct ib_udata *udata);
int glass_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr);

/* qp.c */
/* Make and free the cache of QPs. glass_qps_exit() waits until the last QP is freed. Both may sleep. */
int glass_qps_init(void);
void glass_qps_exit(void);
int glass_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata);
int glass_destroy_qp(struct ib_qp *ib, struct ib_udata *udata);
/* Sets the attributes that never change: the port of QP0 or QP1, and the MTU of a datagram QP. */
void glass_qp_set_fixed(struct glass_qp *qp);
/*
 * Drops delayed completions of a QP (inject/late.c): all of them if the QP is dead, otherwise only
 * those from before its last reset. May sleep.
 */
void glass_qp_forget_late(struct glass_qp *qp);

/* qp_modify.c */
int glass_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int glass_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);
/*
 * Returns the driver's QP with a reference, or NULL if the QP is being destroyed. The caller must
 * keep the memory of *ib alive, but needs no reference to the QP. Any context.
 */
struct glass_qp *glass_ibqp_get(struct ib_qp *ib);

/* stats.c */
struct rdma_hw_stats *glass_alloc_hw_port_stats(struct ib_device *ib, u32 port);
int glass_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index);

/* restrack.c: add the driver's data to `rdma -dd resource show`. Return 0 or -EMSGSIZE. */
int glass_fill_res_mr(struct sk_buff *msg, struct ib_mr *ib);
int glass_fill_res_cq(struct sk_buff *msg, struct ib_cq *ib);
int glass_fill_res_srq(struct sk_buff *msg, struct ib_srq *ib);
int glass_fill_res_qp(struct sk_buff *msg, struct ib_qp *ib);

/* doorbell.c: the doorbell file */
extern const struct uapi_definition glass_doorbell_defs[];

/* post.c: posting by kernel consumers, and the doorbell by ibv_cmd_post_send() */
int glass_post_send(struct ib_qp *ib, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr);
int glass_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr);
/*
 * Writes one receive into a ring that has `outstanding` posted receives, and may have at most
 * max_wr. The caller holds the lock that serializes posts to this ring. Returns 0, -ENOMEM (the
 * ring is full), or -EINVAL (wr has more than max_sge SGEs).
 */
int glass_ring_put_recv(struct glass_ring *ring, u32 outstanding, u32 max_wr, u32 max_sge,
			const struct ib_recv_wr *wr);

/* mr.c */
struct ib_mr *glass_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *glass_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				GLASS_DMAH_PARAM struct ib_udata *udata);
int glass_dereg_mr(struct ib_mr *ib, struct ib_udata *udata);
struct ib_mr *glass_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg);
int glass_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset);
/*
 * Allocates a region or memory window, which has no key yet. If `user` is true, the user context of
 * `pd` pays for it (share.h). If `user` is false, the object is a kernel consumer's, and nobody
 * pays. Returns NULL if there is no memory, or if the user's share is too small. May sleep.
 */
struct glass_mr *glass_mr_alloc(struct ib_pd *pd, int access, bool user);
/*
 * Gives a region or window its key. From then on, look-ups by this key succeed. Returns 0 or a
 * negative errno. May sleep.
 */
int glass_mr_publish(struct glass_mr *mr);
/* Frees a region or window that was never published; mr may be NULL. */
void glass_mr_free(struct glass_mr *mr);

/* xrcd.c */
int glass_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata);
int glass_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata);

/* mw.c */
int glass_alloc_mw(struct ib_mw *ib, struct ib_udata *udata);
int glass_dealloc_mw(struct ib_mw *ib);

/* mr.c */
struct ib_mr *glass_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length,
				  u64 virt_addr, int access, struct ib_pd *pd,
				  struct ib_udata *udata);
struct ib_mr *glass_reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
			      struct uverbs_attr_bundle *attrs);
struct ib_mr *glass_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr,
				       int fd, int access, GLASS_DMAH_PARAM glass_dmabuf_extra *extra);

/* advise.c */
int glass_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    struct ib_sge *sg, u32 n, struct uverbs_attr_bundle *attrs);

/* dm.c */
struct ib_dm *glass_alloc_dm(struct ib_device *ib, struct ib_ucontext *context,
			     struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs);
int glass_dealloc_dm(struct ib_dm *ib, struct uverbs_attr_bundle *attrs);
extern const struct uapi_definition glass_dm_defs[];

/* port.c, mad.c */
int glass_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr);
int glass_modify_port(struct ib_device *ib, u32 port, int mask, struct ib_port_modify *modify);
int glass_get_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable);
enum rdma_link_layer glass_get_link_layer(struct ib_device *ib, u32 port);
int glass_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid);
int glass_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);
int glass_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *in_wc,
		      const struct ib_grh *in_grh, const struct ib_mad *in_mad,
		      struct ib_mad *out_mad, size_t *out_mad_size, u16 *out_pkey_index);

/* mcast.c */
int glass_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);
int glass_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);

/*
 * Stores an object in xa under a free number from min to max, and sets *num to this number. If
 * object is NULL, only reserves the number. The search begins at *next, and after max it continues
 * at min. Sets *next to the number after *num. Returns 0, -ENOMEM, or -ENOSPC if all numbers are in
 * use. May sleep.
 */
static inline int glass_number(struct xarray *xa, u32 *num, void *object, u32 min, u32 max,
			       u32 *next)
{
	int ret = xa_alloc_cyclic_irq(xa, num, object, XA_LIMIT(min, max), next, GFP_KERNEL);

	if (ret == -EBUSY)
		return -ENOSPC;
	return ret < 0 ? ret : 0;
}

/* Copies as much of a response as fits into the provider's buffer. Returns 0 or -EFAULT. */
static inline int glass_respond(struct ib_udata *udata, void *resp, size_t size)
{
	return ib_copy_to_udata(udata, resp, min(size, udata->outlen));
}

#endif
