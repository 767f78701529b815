// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Parent and thread domains, which only the provider knows. Also protection domains and memory
 * regions of another program, imported by their handles.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "glass.h"
#include "uapi/glass-ioctl.h"

struct ibv_td *glass_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct glass_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->ibv.context = context;
	return &td->ibv;
}

int glass_dealloc_td(struct ibv_td *ibtd)
{
	struct glass_td *td = to_gtd(ibtd);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}

/*
 * Accepts custom allocators, but never calls them. They are for queue memory, which in Glass
 * belongs to the driver.
 */
struct ibv_pd *glass_alloc_parent_domain(struct ibv_context *context,
					 struct ibv_parent_domain_init_attr *attr)
{
	struct glass_pd *pd;

	if (!attr->pd || attr->comp_mask & ~(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
					     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)) {
		errno = EINVAL;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	pd->ibv.context = context;
	pd->ibv.handle = attr->pd->handle;
	pd->protection = to_gpd(attr->pd);
	if (pd->protection->protection)
		pd->protection = pd->protection->protection;
	pd->pdn = pd->protection->pdn;
	atomic_fetch_add(&pd->protection->users, 1);
	if (attr->td) {
		pd->td = to_gtd(attr->td);
		atomic_fetch_add(&pd->td->users, 1);
	}
	return &pd->ibv;
}

int glass_dealloc_parent_domain(struct glass_pd *pd)
{
	if (atomic_load(&pd->users))
		return EBUSY;
	if (pd->td)
		atomic_fetch_sub(&pd->td->users, 1);
	atomic_fetch_sub(&pd->protection->users, 1);
	free(pd);
	return 0;
}

struct ibv_pd *glass_import_pd(struct ibv_context *context, uint32_t handle)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_PD, GLASS_METHOD_PD_QUERY, 2);
	struct glass_alloc_pd_resp resp = {};
	struct glass_pd *pd;
	int ret;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	fill_attr_in_obj(cmd, GLASS_ATTR_PD_QUERY_HANDLE, handle);
	fill_attr_out_ptr(cmd, GLASS_ATTR_PD_QUERY_RESP, &resp);
	ret = execute_ioctl(context, cmd);
	if (ret) {
		free(pd);
		errno = ret;
		return NULL;
	}
	pd->ibv.context = context;
	pd->ibv.handle = handle;
	pd->pdn = resp.pdn;
	return &pd->ibv;
}

void glass_unimport_pd(struct ibv_pd *pd)
{
	free(to_gpd(pd));
}

struct ibv_mr *glass_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct verbs_mr *mr;
	int ret;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	ret = ibv_cmd_query_mr(pd, mr, handle);
	if (ret) {
		free(mr);
		errno = ret;
		return NULL;
	}
	return &mr->ibv_mr;
}

void glass_unimport_mr(struct ibv_mr *mr)
{
	free(verbs_get_mr(mr));
}
