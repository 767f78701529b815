// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* User contexts, and the mapping of their shared memory. */
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME glass
#include <rdma/uverbs_named_ioctl.h>

#include "compat/mm.h"
#include "model/shared.h"
#include "model/where.h"
#include "uapi/glass-ioctl.h"
#include "verbs/verbs.h"
#include "verbs/api.h"
#include "verbs/lint.h"

/* Returns the description of a context, for the program that opens or imports the context. */
static struct glass_alloc_ucontext_resp ucontext_describe(const struct glass_ucontext *uctx)
{
	return (struct glass_alloc_ucontext_resp){
		.abi_version = GLASS_ABI_VERSION,
		.control_mmap_offset = rdma_user_mmap_get_offset(&uctx->control->rdma),
		.control_bytes = PAGE_SIZE,
		.max_inline = GLASS_MAX_INLINE,
		.max_sge = GLASS_MAX_SGE,
	};
}

int glass_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	struct glass_ucontext *uctx = to_gucontext(ib);
	struct glass_dev *dev = to_gdev(ib->device);
	struct glass_alloc_ucontext_req req = {};
	struct glass_alloc_ucontext_resp resp;
	int err;

	glass_enter(dev, ALLOC_UCONTEXT, UCONTEXT, 0, "inlen=%zu outlen=%zu", udata->inlen,
		    udata->outlen);
	err = glass_verb_fault(dev, ALLOC_UCONTEXT, true);
	if (!err)
		err = ib_copy_from_udata(&req, udata, min(sizeof(req), udata->inlen));
	if (err)
		goto out;
	if (req.abi_version != GLASS_ABI_VERSION || udata->outlen < sizeof(resp)) {
		ibdev_dbg(&dev->ib, "provider ABI %u, driver has %u\n", req.abi_version,
			  GLASS_ABI_VERSION);
		err = -EPROTO;
		goto out;
	}
	uctx->dev = dev;
	glass_owner_fill(&uctx->owner, true);
	uctx->payer.dev = dev;
	uctx->payer.lint = &uctx->lint;
	uctx->payer.share = glass_share_get();
	if (!uctx->payer.share) {
		err = -ENOMEM;
		goto out;
	}
	glass_lint_open(dev->lint, &uctx->lint, glass_dev_name(dev));
	err = glass_bill_open(&uctx->bill, &uctx->payer, GLASS_SHARE_MEMORY, 0,
			      sizeof(*uctx) + GLASS_OBJECT_BYTES);
	if (err)
		goto err_lint;
	glass_areas_init(&uctx->areas);
	mutex_init(&uctx->where_lock);
	uctx->control = glass_mmap_create(uctx, dev->control, PAGE_SIZE, true);
	if (IS_ERR(uctx->control)) {
		err = PTR_ERR(uctx->control);
		goto err_bill;
	}
	err = glass_number(&dev->ucontexts, &uctx->num, uctx, 1, INT_MAX, &dev->ucontext_next);
	if (err)
		goto err_control;
	resp = ucontext_describe(uctx);
	err = glass_respond(udata, &resp, sizeof(resp));
	if (err)
		goto err_number;
	goto out;

err_number:
	xa_erase_irq(&dev->ucontexts, uctx->num);
err_control:
	rdma_user_mmap_entry_remove(&uctx->control->rdma);
err_bill:
	glass_bill_close(&uctx->bill);
err_lint:
	glass_lint_close(&uctx->lint);
	glass_share_put(uctx->payer.share);
out:
	glass_leave(dev, ALLOC_UCONTEXT, UCONTEXT, uctx->num, err);
	return err;
}

void glass_dealloc_ucontext(struct ib_ucontext *ib)
{
	struct glass_ucontext *uctx = to_gucontext(ib);

	glass_enter_bare(uctx->dev, DEALLOC_UCONTEXT, UCONTEXT, uctx->num);
	xa_erase_irq(&uctx->dev->ucontexts, uctx->num);
	if (glass_linting())
		glass_lint_closed(uctx);
	glass_where_close(uctx);
	glass_lint_close(&uctx->lint);
	glass_areas_exit(&uctx->areas);
	rdma_user_mmap_entry_remove(&uctx->control->rdma);
	glass_bill_close(&uctx->bill);
	glass_share_put(uctx->payer.share);
	glass_leave(uctx->dev, DEALLOC_UCONTEXT, UCONTEXT, uctx->num, 0);
}

int glass_query_ucontext(struct ib_ucontext *ib, struct uverbs_attr_bundle *attrs)
{
	struct glass_alloc_ucontext_resp resp = ucontext_describe(to_gucontext(ib));

	return uverbs_copy_to_struct_or_zero(attrs, GLASS_ATTR_QUERY_CONTEXT_RESP, &resp,
					     sizeof(resp));
}

/* Hands out the memory in which the provider records call stacks (uapi/glass-where.h). */
static int UVERBS_HANDLER(GLASS_METHOD_WHERE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ib = ib_uverbs_get_ucontext(attrs);
	struct glass_where_resp resp;
	struct glass_where_req req;
	int err;

	if (IS_ERR(ib))
		return PTR_ERR(ib);
	err = uverbs_copy_from(&req, attrs, GLASS_ATTR_WHERE_REQ);
	if (!err && req.flags & ~GLASS_WHERE_ASKED)
		err = -EOPNOTSUPP;
	if (!err)
		err = glass_where_open(to_gucontext(ib), req.flags & GLASS_WHERE_ASKED, &resp);
	if (!err)
		err = uverbs_copy_to_struct_or_zero(attrs, GLASS_ATTR_WHERE_RESP, &resp, sizeof(resp));
	return err;
}

DECLARE_UVERBS_NAMED_METHOD(GLASS_METHOD_WHERE,
			    UVERBS_ATTR_PTR_IN(GLASS_ATTR_WHERE_REQ,
					       UVERBS_ATTR_STRUCT(struct glass_where_req, reserved),
					       UA_MANDATORY),
			    UVERBS_ATTR_PTR_OUT(GLASS_ATTR_WHERE_RESP,
						UVERBS_ATTR_STRUCT(struct glass_where_resp, reserved),
						UA_MANDATORY));

ADD_UVERBS_METHODS(glass_where, UVERBS_OBJECT_DEVICE, &UVERBS_METHOD(GLASS_METHOD_WHERE));

ADD_UVERBS_ATTRIBUTES_SIMPLE(glass_query_context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT,
			     UVERBS_ATTR_PTR_OUT(GLASS_ATTR_QUERY_CONTEXT_RESP,
						 UVERBS_ATTR_STRUCT(struct glass_alloc_ucontext_resp,
								    reserved),
						 UA_MANDATORY));

const struct uapi_definition glass_ucontext_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &glass_query_context),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &glass_where),
	{},
};

int glass_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma)
{
	struct glass_ucontext *uctx = to_gucontext(ib);
	size_t bytes = vma->vm_end - vma->vm_start;
	struct rdma_user_mmap_entry *entry;
	struct glass_mmap *map;
	int err;

	glass_enter(uctx->dev, MMAP, UCONTEXT, uctx->num, "pgoff=0x%lx len=%zu", vma->vm_pgoff,
		    bytes);
	err = glass_verb_fault(uctx->dev, MMAP, true);
	if (err)
		goto none;
	err = -EINVAL;
	entry = rdma_user_mmap_entry_get(ib, vma);
	if (!entry)
		goto none;
	map = container_of(entry, struct glass_mmap, rdma);
	if (bytes > map->bytes)
		goto out;
	if (map->shared) {
		if (vma->vm_flags & VM_WRITE) {
			err = -EPERM;
			goto out;
		}
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	err = glass_shared_map(vma, map);
out:
	rdma_user_mmap_entry_put(entry);
none:
	glass_leave(uctx->dev, MMAP, UCONTEXT, uctx->num, err);
	return err;
}

void glass_mmap_free(struct rdma_user_mmap_entry *entry)
{
	glass_shared_drop(container_of(entry, struct glass_mmap, rdma));
}

/*
 * Does nothing: the mappings of a removed device may stay, because they map memory, not registers.
 * But the function must exist: without it, the removal of a device would wait until all programs
 * have closed the device.
 */
void glass_disassociate_ucontext(struct ib_ucontext *ib)
{
}
