// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does create_cq() get an attribute bundle? In older kernels it gets the udata. */
#include <rdma/ib_verbs.h>

int probe_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs);
extern const struct ib_device_ops probe;

const struct ib_device_ops probe = { .create_cq = probe_create_cq };
