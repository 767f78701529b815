// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Protection domains. */
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME glass
#include <rdma/uverbs_named_ioctl.h>

#include "uapi/glass-ioctl.h"
#include "verbs/api.h"
#include "verbs/lint.h"
#include "verbs/verbs.h"

int glass_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_pd *pd = to_gpd(ib);
	struct glass_alloc_pd_resp resp = {};
	int err;

	glass_enter(dev, ALLOC_PD, PD, 0, "user=%d", !!udata);
	glass_owner_fill(&pd->owner, udata);
	glass_owner_lint(&pd->owner, glass_lint_of(udata));
	err = glass_verb_fault(dev, ALLOC_PD, udata);
	if (!err)
		err = glass_bill_object(&pd->bill, dev, udata, GLASS_SHARE_PD, sizeof(*pd));
	if (!err)
		err = glass_number(&dev->pds, &pd->pdn, pd, 1, GLASS_MAX_PD, &dev->pd_next);
	if (!err && udata) {
		resp.pdn = pd->pdn;
		err = glass_respond(udata, &resp, sizeof(resp));
		if (err)
			xa_erase_irq(&dev->pds, pd->pdn);
	}
	if (err)
		glass_bill_close(&pd->bill);
	else if (udata)
		atomic_inc(&glass_context_of(ib)->npd);
	glass_leave(dev, ALLOC_PD, PD, pd->pdn, err);
	return err;
}

int glass_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_pd *pd = to_gpd(ib);
	enum glass_destroyer by = glass_destroyer(udata, ib->uobject);
	int err;

	glass_enter_bare(dev, DEALLOC_PD, PD, pd->pdn);
	err = glass_verb_fault(dev, DEALLOC_PD, by == GLASS_BY_PROGRAM);
	if (err) {
		glass_leave(dev, DEALLOC_PD, PD, pd->pdn, err);
		return err;
	}
	glass_note_left(dev, by, udata, PD, &pd->owner);
	xa_erase_irq(&dev->pds, pd->pdn);
	if (glass_context_of(ib))
		atomic_dec(&glass_context_of(ib)->npd);
	glass_bill_close(&pd->bill);
	glass_leave(dev, DEALLOC_PD, PD, pd->pdn, 0);
	return 0;
}

/* Returns the number of a PD to a program that imports it (ibv_import_pd()). */
static int UVERBS_HANDLER(GLASS_METHOD_PD_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *ib = uverbs_attr_get_obj(attrs, GLASS_ATTR_PD_QUERY_HANDLE);
	struct glass_alloc_pd_resp resp = { .pdn = to_gpd(ib)->pdn };

	return uverbs_copy_to_struct_or_zero(attrs, GLASS_ATTR_PD_QUERY_RESP, &resp, sizeof(resp));
}

DECLARE_UVERBS_NAMED_METHOD(GLASS_METHOD_PD_QUERY,
			    UVERBS_ATTR_IDR(GLASS_ATTR_PD_QUERY_HANDLE, UVERBS_OBJECT_PD,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(GLASS_ATTR_PD_QUERY_RESP,
						UVERBS_ATTR_STRUCT(struct glass_alloc_pd_resp, reserved),
						UA_MANDATORY));

ADD_UVERBS_METHODS(glass_pd_query, UVERBS_OBJECT_PD, &UVERBS_METHOD(GLASS_METHOD_PD_QUERY));

const struct uapi_definition glass_pd_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &glass_pd_query),
	{},
};
