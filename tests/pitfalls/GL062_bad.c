// SPDX-License-Identifier: GPL-2.0-only
/* Takes all that the adapter has for itself. */
#include "pitfall.h"

int main(void)
{
	struct ibv_alloc_dm_attr attr = {};
	struct ibv_device_attr_ex caps;
	struct end a = open_end("glass0");
	struct ibv_dm *dm;

	if (ibv_query_device_ex(a.ctx, NULL, &caps))
		die("query_device_ex");
	/* as an ordinary user */
	if (seteuid(65534))
		die("this needs root");

	/* lesson */
	attr.length = caps.max_dm_size;
	dm = ibv_alloc_dm(a.ctx, &attr); /* NULL, ENOMEM */
	/* end of lesson */

	if (dm)
		ibv_free_dm(dm);
	close_end(&a);
	return dm ? 0 : 1;
}
