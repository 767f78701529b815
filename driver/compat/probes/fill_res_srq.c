// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Can a driver add attributes of an SRQ to `rdma resource`? */
#include <rdma/ib_verbs.h>

int probe_fill(struct sk_buff *msg, struct ib_srq *srq);
extern const struct ib_device_ops probe;

const struct ib_device_ops probe = { .fill_res_srq_entry = probe_fill };
