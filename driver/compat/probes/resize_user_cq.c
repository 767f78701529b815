// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does resize_cq() have its newer name, resize_user_cq()? */
#include <rdma/ib_verbs.h>

int probe_resize(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata);
extern const struct ib_device_ops probe;

const struct ib_device_ops probe = { .resize_user_cq = probe_resize };
