// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Device memory (DM): kernel pages, at most GLASS_MAX_DM_BYTES for all DMs of a device. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME glass
#include <rdma/uverbs_named_ioctl.h>

#include "model/shared.h"
#include "uapi/glass-ioctl.h"
#include "verbs/api.h"
#include "verbs/verbs.h"

static int dm_respond(struct glass_dm *dm, struct uverbs_attr_bundle *attrs, u16 attr)
{
	struct glass_dm_resp resp = {
		.dmn = dm->dmn,
		.length = dm->length,
		.mmap_offset = rdma_user_mmap_get_offset(&dm->map->rdma),
		.mmap_bytes = dm->map->bytes,
	};

	return uverbs_copy_to_struct_or_zero(attrs, attr, &resp, sizeof(resp));
}

static int dm_charge(struct glass_dm *dm, const struct glass_payer *payer)
{
	int err = glass_bill_open(&dm->bytes_bill, payer, GLASS_SHARE_DM_BYTES, dm->length, 0);

	if (err)
		return err;
	err = glass_bill_open(&dm->bill, payer, GLASS_SHARE_DM, 1, sizeof(*dm) + GLASS_OBJECT_BYTES);
	if (err)
		glass_bill_close(&dm->bytes_bill);
	return err;
}

static void dm_uncharge(struct glass_dm *dm)
{
	glass_bill_close(&dm->bill);
	glass_bill_close(&dm->bytes_bill);
}

static int dm_make(struct glass_dm *dm, struct glass_ucontext *uctx,
		   struct uverbs_attr_bundle *attrs)
{
	struct glass_dev *dev = uctx->dev;
	int err;

	err = glass_shared_make(uctx, dm->length, false, &dm->map);
	if (err)
		return err;
	err = glass_number(&dev->dms, &dm->dmn, dm, 1, GLASS_MAX_DM, &dev->dm_next);
	if (err)
		goto err_map;
	err = dm_respond(dm, attrs, GLASS_ATTR_ALLOC_DM_RESP);
	if (!err)
		return 0;
	xa_erase_irq(&dev->dms, dm->dmn);
err_map:
	rdma_user_mmap_entry_remove(&dm->map->rdma);
	return err;
}

struct ib_dm *glass_alloc_dm(struct ib_device *ib, struct ib_ucontext *context,
			     struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	struct glass_ucontext *uctx = to_gucontext(context);
	struct glass_dev *dev = to_gdev(ib);
	struct glass_dm *dm = NULL;
	int err;

	glass_enter(dev, ALLOC_DM, UCONTEXT, uctx->num, "len=%llu align=%u", attr->length,
		    attr->alignment);
	err = glass_verb_fault(dev, ALLOC_DM, true);
	/* each allocation is page-aligned */
	if (!err && (!attr->length || attr->length > GLASS_MAX_DM_BYTES || attr->alignment > PAGE_SHIFT))
		err = -EINVAL;
	if (err)
		goto out;
	dm = kzalloc(sizeof(*dm), GFP_KERNEL_ACCOUNT);
	err = -ENOMEM;
	if (!dm)
		goto out;
	dm->dev = dev;
	dm->length = attr->length;
	glass_owner_fill(&dm->owner, true);
	err = dm_charge(dm, &uctx->payer);
	if (err)
		goto err_free;
	err = dm_make(dm, uctx, attrs);
	if (!err)
		goto out;
	dm_uncharge(dm);
err_free:
	kfree(dm);
out:
	glass_leave(dev, ALLOC_DM, DM, err ? 0 : dm->dmn, err);
	return err ? ERR_PTR(err) : &dm->ib;
}

int glass_dealloc_dm(struct ib_dm *ib, struct uverbs_attr_bundle *attrs)
{
	struct glass_dm *dm = to_gdm(ib);
	struct glass_dev *dev = dm->dev;
	u32 dmn = dm->dmn;
	enum glass_destroyer by = glass_destroyer(&attrs->driver_udata, ib->uobject);
	int err;

	glass_enter_bare(dev, DEALLOC_DM, DM, dmn);
	err = glass_verb_fault(dev, DEALLOC_DM, by == GLASS_BY_PROGRAM);
	if (!err) {
		glass_note_left(dev, by, &attrs->driver_udata, DM, &dm->owner);
		xa_erase_irq(&dev->dms, dmn);
		dm_uncharge(dm);
		rdma_user_mmap_entry_remove(&dm->map->rdma);
		kfree(dm);
	}
	glass_leave(dev, DEALLOC_DM, DM, dmn, err);
	return err;
}

/* Describes a DM (struct glass_dm_resp) to a program that imports the DM (ibv_import_dm()). */
static int UVERBS_HANDLER(GLASS_METHOD_DM_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *ib = uverbs_attr_get_obj(attrs, GLASS_ATTR_DM_QUERY_HANDLE);

	return dm_respond(to_gdm(ib), attrs, GLASS_ATTR_DM_QUERY_RESP);
}

DECLARE_UVERBS_NAMED_METHOD(GLASS_METHOD_DM_QUERY,
			    UVERBS_ATTR_IDR(GLASS_ATTR_DM_QUERY_HANDLE, UVERBS_OBJECT_DM,
					    UVERBS_ACCESS_READ, UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(GLASS_ATTR_DM_QUERY_RESP,
						UVERBS_ATTR_STRUCT(struct glass_dm_resp, mmap_bytes),
						UA_MANDATORY));

ADD_UVERBS_METHODS(glass_dm_query, UVERBS_OBJECT_DM, &UVERBS_METHOD(GLASS_METHOD_DM_QUERY));

ADD_UVERBS_ATTRIBUTES_SIMPLE(glass_dm_alloc, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC,
			     UVERBS_ATTR_PTR_OUT(GLASS_ATTR_ALLOC_DM_RESP,
						 UVERBS_ATTR_STRUCT(struct glass_dm_resp, mmap_bytes),
						 UA_MANDATORY));

const struct uapi_definition glass_dm_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &glass_dm_query),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &glass_dm_alloc),
	{},
};
