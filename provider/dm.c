// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Device memory: mapped, and copied in words of four bytes. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "glass.h"
#include "uapi/glass-ioctl.h"

#define DM_WORD 4

static int check_copy(const struct glass_dm *dm, uint64_t offset, size_t length)
{
	if ((offset | length) % DM_WORD)
		return EINVAL;
	return offset > dm->length || length > dm->length - offset ? EINVAL : 0;
}

static int copy_to_dm(struct ibv_dm *ibdm, uint64_t offset, const void *from, size_t length)
{
	struct glass_dm *dm = to_gdm(ibdm);
	int ret = check_copy(dm, offset, length);

	if (!ret)
		memcpy(dm->mem + offset, from, length);
	return ret;
}

static int copy_from_dm(void *to, struct ibv_dm *ibdm, uint64_t offset, size_t length)
{
	struct glass_dm *dm = to_gdm(ibdm);
	int ret = check_copy(dm, offset, length);

	if (!ret)
		memcpy(to, dm->mem + offset, length);
	return ret;
}

/* Maps the device memory that the driver's response describes. Returns 0 or an errno value. */
static int set_up(struct glass_dm *dm, struct ibv_context *context, const struct glass_dm_resp *resp)
{
	int ret;

	if (!resp->mmap_bytes || resp->length > resp->mmap_bytes)
		return EPROTO;
	dm->mem = mmap(NULL, resp->mmap_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, context->cmd_fd,
		       resp->mmap_offset);
	if (dm->mem == MAP_FAILED)
		return errno;
	ret = ibv_dontfork_range(dm->mem, resp->mmap_bytes);
	if (ret) {
		munmap(dm->mem, resp->mmap_bytes);
		return ret;
	}
	dm->bytes = resp->mmap_bytes;
	dm->length = resp->length;
	dm->ibv.dm.memcpy_to_dm = copy_to_dm;
	dm->ibv.dm.memcpy_from_dm = copy_from_dm;
	return 0;
}

static void let_go(struct glass_dm *dm)
{
	ibv_dofork_range(dm->mem, dm->bytes);
	munmap(dm->mem, dm->bytes);
	free(dm);
}

struct ibv_dm *glass_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, 1);
	struct glass_dm_resp resp = {};
	struct glass_dm *dm;
	int ret;

	if (attr->comp_mask) {
		errno = EINVAL;
		return NULL;
	}
	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;
	fill_attr_out_ptr(cmd, GLASS_ATTR_ALLOC_DM_RESP, &resp);
	ret = ibv_cmd_alloc_dm(context, attr, &dm->ibv, cmd);
	if (ret)
		goto err_free;
	ret = set_up(dm, context, &resp);
	if (ret)
		goto err_dealloc;
	return &dm->ibv.dm;

err_dealloc:
	ibv_cmd_free_dm(&dm->ibv);
err_free:
	free(dm);
	errno = ret;
	return NULL;
}

int glass_free_dm(struct ibv_dm *ibdm)
{
	struct glass_dm *dm = to_gdm(ibdm);
	int ret = ibv_cmd_free_dm(&dm->ibv);

	if (!ret)
		let_go(dm);
	return ret;
}

struct ibv_mr *glass_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length,
			       unsigned int access)
{
	struct verbs_mr *mr;
	int ret;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	ret = ibv_cmd_reg_dm_mr(pd, &to_gdm(dm)->ibv, offset, length, access, mr, NULL);
	if (ret) {
		free(mr);
		errno = ret;
		return NULL;
	}
	return &mr->ibv_mr;
}

struct ibv_dm *glass_import_dm(struct ibv_context *context, uint32_t handle)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DM, GLASS_METHOD_DM_QUERY, 2);
	struct glass_dm_resp resp = {};
	struct glass_dm *dm;
	int ret;

	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;
	fill_attr_in_obj(cmd, GLASS_ATTR_DM_QUERY_HANDLE, handle);
	fill_attr_out_ptr(cmd, GLASS_ATTR_DM_QUERY_RESP, &resp);
	ret = execute_ioctl(context, cmd);
	if (!ret)
		ret = set_up(dm, context, &resp);
	if (ret) {
		free(dm);
		errno = ret;
		return NULL;
	}
	dm->ibv.handle = handle;
	dm->ibv.dm.handle = handle;
	dm->ibv.dm.comp_mask = IBV_DM_MASK_HANDLE;
	dm->ibv.dm.context = context;
	return &dm->ibv.dm;
}

void glass_unimport_dm(struct ibv_dm *dm)
{
	let_go(to_gdm(dm));
}
