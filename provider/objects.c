// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Verbs that do little more than pass a command to the driver. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "glass.h"
#include "lint.h"

int glass_query_device_ex(struct ibv_context *context,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	uint64_t fw;
	int ret;

	ret = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);
	if (ret)
		return ret;

	fw = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(fw >> 32) & 0xffff, (unsigned int)(fw >> 16) & 0xffff,
		 (unsigned int)fw & 0xffff);
	return 0;
}

int glass_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

struct ibv_pd *glass_alloc_pd(struct ibv_context *context)
{
	struct glass_resp_alloc_pd resp = {};
	struct ibv_alloc_pd cmd = {};
	struct glass_pd *pd;
	int ret;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	ret = ibv_cmd_alloc_pd(context, &pd->ibv, &cmd, sizeof(cmd), &resp.core, sizeof(resp));
	if (ret) {
		free(pd);
		errno = ret;
		return NULL;
	}
	pd->pdn = resp.drv.pdn;
	return &pd->ibv;
}

int glass_dealloc_pd(struct ibv_pd *ibpd)
{
	int ret;

	if (to_gpd(ibpd)->protection)
		return glass_dealloc_parent_domain(to_gpd(ibpd));
	if (atomic_load(&to_gpd(ibpd)->users))
		return EBUSY;
	ret = ibv_cmd_dealloc_pd(ibpd);

	if (!ret)
		free(to_gpd(ibpd));
	return ret;
}

struct ibv_mr *glass_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
			    int access)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ibv_reg_mr cmd = {};
	struct glass_mr *mr;
	int ret;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	ret = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, &mr->ibv, &cmd, sizeof(cmd), &resp,
			     sizeof(resp));
	if (ret) {
		free(mr);
		glass_lint_reg_failed(pd, access, ret);
		errno = ret;
		return NULL;
	}
	mr->ibv.ibv_mr.addr = addr;
	mr->ibv.ibv_mr.length = length;
	glass_lint_registered(to_gcontext(pd->context), mr);
	return &mr->ibv.ibv_mr;
}

int glass_dereg_mr(struct verbs_mr *vmr)
{
	struct glass_mr *mr = container_of(vmr, struct glass_mr, ibv);
	struct glass_context *ctx = to_gcontext(vmr->ibv_mr.context);
	int ret;

	glass_lint_still_mapped(ctx, mr);
	ret = ibv_cmd_dereg_mr(vmr);
	if (ret)
		return ret;
	glass_lint_deregistered(ctx, mr);
	free(mr);
	return 0;
}

int glass_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		   int access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ibv_rereg_mr cmd = {};

	return ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr, access, pd, &cmd,
				sizeof(cmd), &resp, sizeof(resp));
}

struct ibv_mr *glass_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				   int fd, int access)
{
	struct verbs_mr *mr;
	int ret;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	ret = ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr, NULL);
	if (ret) {
		free(mr);
		errno = ret;
		return NULL;
	}
	return &mr->ibv_mr;
}

/* Returns the current time of the clock of completion timestamps; its unit is ns. */
int glass_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	struct timespec now;
	uint32_t answered = 0;

	if (values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) {
		if (clock_gettime(CLOCK_MONOTONIC_RAW, &now))
			return errno;
		values->raw_clock.tv_sec = 0;
		values->raw_clock.tv_nsec = now.tv_sec * 1000000000L + now.tv_nsec;
		answered = IBV_VALUES_MASK_RAW_CLOCK;
	}
	values->comp_mask = answered;
	return 0;
}

struct ibv_ah *glass_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct glass_resp_create_ah resp = {};
	struct glass_ah *ah;
	int ret;

	ret = glass_lint_gids(pd->context, attr, GLASS_KIND_PD, to_gpd(pd)->pdn);
	if (ret) {
		errno = ret;
		return NULL;
	}
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	ret = ibv_cmd_create_ah(pd, &ah->ibv, attr, &resp.core, sizeof(resp));
	if (ret) {
		free(ah);
		glass_lint_ah_failed(pd, attr, ret);
		errno = ret;
		return NULL;
	}
	ah->num = resp.drv.ah_num;
	return &ah->ibv;
}

int glass_destroy_ah(struct ibv_ah *ibah)
{
	int ret = glass_lint_destroy_ah(to_gah(ibah));

	if (!ret)
		ret = ibv_cmd_destroy_ah(ibah);
	if (!ret)
		free(to_gah(ibah));
	return ret;
}
