/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Differences between versions of ib_core. FLUSH and ATOMIC_WRITE came with Linux 6.2. An older
 * ib_core refuses the access flags of FLUSH, and does not let consumers post the two operations. So
 * the adapter does not advertise these operations before 6.2. The last parameter of
 * reg_user_mr_dmabuf() and create_cq() is the udata in older kernels, such as 6.1, and an attribute
 * bundle in newer ones, such as 6.12. Since 6.17, reg_user_mr() and reg_user_mr_dmabuf() have a
 * parameter for a DMA handle.
 */
#ifndef GLASS_COMPAT_RDMA_H
#define GLASS_COMPAT_RDMA_H

#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "compat/have.h"

#ifdef GLASS_HAVE_FLUSH
#define GLASS_CAP_FLUSH (IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_ATOMIC_WRITE)
#else
#define GLASS_CAP_FLUSH 0
/*
 * Values of the ABI, from ib_user_ioctl_verbs.h and ib_user_verbs.h of Linux 6.2. An older ib_core
 * never passes them to the driver.
 */
#define IB_ACCESS_FLUSH_GLOBAL (1 << 8)
#define IB_ACCESS_FLUSH_PERSISTENT (1 << 9)
#define IB_WR_FLUSH 14
#define IB_WR_ATOMIC_WRITE 15
#endif

#ifdef GLASS_HAVE_REG_MR_DMAH
/* a parameter of reg_user_mr() and reg_user_mr_dmabuf(); always NULL: Glass makes no DMA handles */
#define GLASS_DMAH_PARAM struct ib_dmah *dmah,
#else
#define GLASS_DMAH_PARAM
#endif

/* The type of the last parameter of reg_user_mr_dmabuf(). */
#if defined(GLASS_HAVE_REG_DMABUF_ATTRS) || defined(GLASS_HAVE_REG_MR_DMAH)
#define glass_dmabuf_extra struct uverbs_attr_bundle
#else
#define glass_dmabuf_extra struct ib_udata
#endif

/*
 * The type of the last parameter of create_cq(), and a function that returns the udata in this
 * parameter. The function returns NULL if a kernel consumer creates the CQ.
 */
#ifdef GLASS_HAVE_CREATE_CQ_ATTRS
#define glass_create_cq_extra struct uverbs_attr_bundle
static inline struct ib_udata *glass_create_cq_udata(struct uverbs_attr_bundle *attrs)
{
	return attrs ? &attrs->driver_udata : NULL;
}
#else
#define glass_create_cq_extra struct ib_udata
static inline struct ib_udata *glass_create_cq_udata(struct ib_udata *udata)
{
	return udata;
}
#endif

/*
 * Newer kernels, such as Linux 7.2, have new names for resize_cq() and ib_umem_get(). Also, the
 * parameter of resize_cq() for the number of entries is unsigned there.
 */
#ifdef GLASS_HAVE_RESIZE_USER_CQ
#define GLASS_OP_RESIZE_CQ resize_user_cq
typedef unsigned int glass_cqe_count;
#else
#define GLASS_OP_RESIZE_CQ resize_cq
typedef int glass_cqe_count;
#endif

#ifdef GLASS_HAVE_UMEM_GET_VA
#define ib_umem_get(device, addr, size, access) ib_umem_get_va(device, addr, size, access)
#endif

#endif
