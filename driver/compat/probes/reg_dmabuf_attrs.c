// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does reg_user_mr_dmabuf() get an attribute bundle? In older kernels it gets the udata. */
#include <rdma/ib_verbs.h>

struct ib_mr *probe_reg(struct ib_pd *pd, u64 offset, u64 length, u64 addr, int fd, int access,
			struct uverbs_attr_bundle *attrs);
extern const struct ib_device_ops probe;

const struct ib_device_ops probe = { .reg_user_mr_dmabuf = probe_reg };
