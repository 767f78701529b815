// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* XRC domains: sets of SRQs and target QPs (IBA annex A14). */
#include <rdma/uverbs_ioctl.h>

#include "verbs/api.h"
#include "verbs/verbs.h"

int glass_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_xrcd *xrcd = to_gxrcd(ib);
	int err;

	glass_enter(dev, ALLOC_XRCD, XRCD, 0, "user=%d", !!udata);
	glass_owner_fill(&xrcd->owner, udata);
	err = glass_verb_fault(dev, ALLOC_XRCD, udata);
	if (!err)
		err = glass_bill_object(&xrcd->bill, dev, udata, GLASS_SHARE_XRCD, sizeof(*xrcd));
	if (!err)
		err = glass_number(&dev->xrcds, &xrcd->num, xrcd, 1, GLASS_MAX_XRCD,
				   &dev->xrcd_next);
	if (err)
		glass_bill_close(&xrcd->bill);
	glass_leave(dev, ALLOC_XRCD, XRCD, xrcd->num, err);
	return err;
}

/*
 * Returns the caller of dealloc_xrcd. glass_destroyer() does not work here, because an XRC domain
 * has no pointer to its user object. Two commands of a program can deallocate a domain:
 * - CLOSE_XRCD closes the domain: GLASS_BY_PROGRAM.
 * - OPEN_XRCD deallocates the new domain if ib_uverbs undoes the open: GLASS_BY_KERNEL. The
 *   function recognizes an OPEN_XRCD by its command, which is longer than that of CLOSE_XRCD, or by
 *   its new user object (attrs->uobject).
 *
 * CLOSE_XRCD of a domain without a file (no inode) also gives GLASS_BY_KERNEL, because this close
 * must not fail. ib_uverbs_dealloc_xrcd() does not decrement the use count of such a domain, but
 * increments the count if the verb fails. Each later close would then fail with EBUSY.
 */
static enum glass_destroyer xrcd_destroyer(const struct ib_xrcd *ib, struct ib_udata *udata)
{
	const struct uverbs_attr_bundle *attrs;

	if (!udata)
		return GLASS_BY_KERNEL;
	if (!glass_program_asks(udata))
		return GLASS_BY_CLOSE;
	attrs = rdma_udata_to_uverbs_attr_bundle(udata);
	return ib->inode && !attrs->uobject && attrs->ucore.inlen <= sizeof(struct ib_uverbs_close_xrcd) ?
	       GLASS_BY_PROGRAM : GLASS_BY_KERNEL;
}

int glass_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_xrcd *xrcd = to_gxrcd(ib);
	enum glass_destroyer by = xrcd_destroyer(ib, udata);
	int err;

	glass_enter_bare(dev, DEALLOC_XRCD, XRCD, xrcd->num);
	err = glass_verb_fault(dev, DEALLOC_XRCD, by == GLASS_BY_PROGRAM);
	if (!err) {
		glass_note_left(dev, by, udata, XRCD, &xrcd->owner);
		xa_erase_irq(&dev->xrcds, xrcd->num);
		glass_bill_close(&xrcd->bill);
	}
	glass_leave(dev, DEALLOC_XRCD, XRCD, xrcd->num, err);
	return err;
}
