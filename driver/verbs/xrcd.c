// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* XRC domains: SRQs and target QPs that go together (IBA annex A14). */
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
		err = glass_number(&dev->xrcds, &xrcd->num, xrcd, 1, GLASS_MAX_XRCD,
				   &dev->xrcd_next);
	glass_leave(dev, ALLOC_XRCD, XRCD, xrcd->num, err);
	return err;
}

int glass_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_xrcd *xrcd = to_gxrcd(ib);
	int err;

	glass_enter_bare(dev, DEALLOC_XRCD, XRCD, xrcd->num);
	err = glass_verb_fault(dev, DEALLOC_XRCD, glass_program_asks(udata));
	if (!err) {
		glass_note_left(dev, udata, XRCD, &xrcd->owner);
		xa_erase_irq(&dev->xrcds, xrcd->num);
	}
	glass_leave(dev, DEALLOC_XRCD, XRCD, xrcd->num, err);
	return err;
}
