// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include <rdma/uverbs_ioctl.h>

#include "verbs/api.h"
#include "verbs/verbs.h"

int glass_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_pd *pd = to_gpd(ib);
	struct glass_alloc_pd_resp resp = {};
	int err;

	glass_enter(dev, ALLOC_PD, PD, 0, "user=%d", !!udata);
	glass_owner_fill(&pd->owner, udata);
	err = glass_verb_fault(dev, ALLOC_PD, udata);
	if (!err)
		err = glass_number(&dev->pds, &pd->pdn, pd, 1, GLASS_MAX_PD, &dev->pd_next);
	if (!err && udata) {
		resp.pdn = pd->pdn;
		err = glass_respond(udata, &resp, sizeof(resp));
		if (err)
			xa_erase_irq(&dev->pds, pd->pdn);
	}
	glass_leave(dev, ALLOC_PD, PD, pd->pdn, err);
	return err;
}

int glass_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_pd *pd = to_gpd(ib);
	int err;

	glass_enter_bare(dev, DEALLOC_PD, PD, pd->pdn);
	err = glass_verb_fault(dev, DEALLOC_PD, glass_program_asks(udata));
	if (err) {
		glass_leave(dev, DEALLOC_PD, PD, pd->pdn, err);
		return err;
	}
	glass_note_left(dev, udata);
	xa_erase_irq(&dev->pds, pd->pdn);
	glass_leave(dev, DEALLOC_PD, PD, pd->pdn, 0);
	return 0;
}
