/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The differences of libibverbs' private interface between versions. The type of a function tells which
 * one this is; no version is asked for. A type that is not known here does not compile.
 */
#ifndef GLASS_COMPAT_H
#define GLASS_COMPAT_H

#include <infiniband/driver.h>

/* Of newer versions. */
struct ibv_command_buffer;
struct ibv_fd_arr;
struct verbs_create_cq_prov_attr;

typedef int create_cq_plain(struct ibv_context *, const struct ibv_cq_init_attr_ex *, struct verbs_cq *,
			    struct ibv_create_cq_ex *, size_t, struct ib_uverbs_ex_create_cq_resp *, size_t,
			    uint32_t);
typedef int create_cq_buffer(struct ibv_context *, const struct ibv_cq_init_attr_ex *,
			     struct verbs_create_cq_prov_attr *, struct verbs_cq *,
			     struct ibv_create_cq_ex *, size_t, struct ib_uverbs_ex_create_cq_resp *,
			     size_t, uint32_t);

static inline int cq_by_plain(create_cq_plain *fn, struct ibv_context *context,
			      const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *cq,
			      struct ibv_create_cq_ex *cmd, size_t cmd_size,
			      struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size)
{
	return fn(context, attr, cq, cmd, cmd_size, resp, resp_size, 0);
}

/* With a buffer of the provider for the CQ; Glass maps the driver's ring instead. */
static inline int cq_by_buffer(create_cq_buffer *fn, struct ibv_context *context,
			       const struct ibv_cq_init_attr_ex *attr, struct verbs_cq *cq,
			       struct ibv_create_cq_ex *cmd, size_t cmd_size,
			       struct ib_uverbs_ex_create_cq_resp *resp, size_t resp_size)
{
	return fn(context, attr, NULL, cq, cmd, cmd_size, resp, resp_size, 0);
}

/* glass_cmd_create_cq(context, attr, cq, cmd, cmd_size, resp, resp_size): 0 or an errno */
#define glass_cmd_create_cq(...)                                                                   \
	_Generic(&ibv_cmd_create_cq_ex, create_cq_plain *: cq_by_plain,                            \
		 create_cq_buffer *: cq_by_buffer)(ibv_cmd_create_cq_ex, __VA_ARGS__)

typedef int create_qp_plain(struct ibv_context *, struct verbs_qp *, struct ibv_qp_init_attr_ex *,
			    struct ibv_create_qp_ex *, size_t, struct ib_uverbs_ex_create_qp_resp *, size_t);
typedef int create_qp_driver(struct ibv_context *, struct verbs_qp *, struct ibv_qp_init_attr_ex *,
			     struct ibv_create_qp_ex *, size_t, struct ib_uverbs_ex_create_qp_resp *, size_t,
			     struct ibv_command_buffer *);

static inline int qp_by_plain(create_qp_plain *fn, struct ibv_context *context, struct verbs_qp *qp,
			      struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp_ex *cmd,
			      size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
			      size_t resp_size)
{
	return fn(context, qp, attr, cmd, cmd_size, resp, resp_size);
}

/* With attributes for the driver; Glass has none. */
static inline int qp_by_driver(create_qp_driver *fn, struct ibv_context *context, struct verbs_qp *qp,
			       struct ibv_qp_init_attr_ex *attr, struct ibv_create_qp_ex *cmd,
			       size_t cmd_size, struct ib_uverbs_ex_create_qp_resp *resp,
			       size_t resp_size)
{
	return fn(context, qp, attr, cmd, cmd_size, resp, resp_size, NULL);
}

/* glass_cmd_create_qp(context, qp, attr, cmd, cmd_size, resp, resp_size): 0 or an errno */
#define glass_cmd_create_qp(...)                                                                   \
	_Generic(&ibv_cmd_create_qp_ex2, create_qp_plain *: qp_by_plain,                           \
		 create_qp_driver *: qp_by_driver)(ibv_cmd_create_qp_ex2, __VA_ARGS__)

typedef int get_context_plain(struct verbs_context *, struct ibv_get_context *, size_t,
			      struct ib_uverbs_get_context_resp *, size_t);
typedef int get_context_files(struct verbs_context *, struct ibv_get_context *, size_t, struct ibv_fd_arr *,
			      struct ib_uverbs_get_context_resp *, size_t);

static inline int context_by_plain(get_context_plain *fn, struct verbs_context *context,
				   struct ibv_get_context *cmd, size_t cmd_size,
				   struct ib_uverbs_get_context_resp *resp, size_t resp_size)
{
	return fn(context, cmd, cmd_size, resp, resp_size);
}

/* With files that the driver gets with the context; Glass has none. */
static inline int context_by_files(get_context_files *fn, struct verbs_context *context,
				   struct ibv_get_context *cmd, size_t cmd_size,
				   struct ib_uverbs_get_context_resp *resp, size_t resp_size)
{
	return fn(context, cmd, cmd_size, NULL, resp, resp_size);
}

/* glass_cmd_get_context(context, cmd, cmd_size, resp, resp_size): 0 or an errno */
#define glass_cmd_get_context(...)                                                                 \
	_Generic(&ibv_cmd_get_context, get_context_plain *: context_by_plain,                      \
		 get_context_files *: context_by_files)(ibv_cmd_get_context, __VA_ARGS__)

#endif
