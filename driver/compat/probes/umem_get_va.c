// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does ib_umem_get() have its newer name, ib_umem_get_va()? */
#include <rdma/ib_verbs.h>
#include <rdma/ib_umem.h>

struct ib_umem *probe(struct ib_device *device);

struct ib_umem *probe(struct ib_device *device)
{
	return ib_umem_get_va(device, 0, 1, 0);
}
