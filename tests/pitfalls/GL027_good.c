// SPDX-License-Identifier: GPL-2.0-only
/* An atomic on an address that is a multiple of 8. */
#include "pitfall.h"

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	struct ibv_sge sge = sge_of(ma, 0, 8);
	struct ibv_send_wr wr = wr_of(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &sge);
	int status;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	struct record {
		uint32_t version;
		_Alignas(8) uint64_t counter; /* at byte 8, and the MR begins with a page */
	} *record = mb->addr;
	/* end of lesson */

	wr.wr.atomic.rkey = mb->rkey;
	wr.wr.atomic.compare_add = 1;
	/* lesson */
	wr.wr.atomic.remote_addr =
		(uintptr_t)record + offsetof(struct record, counter);
	post_send(&a, &wr);
	status = wait_done(&a);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
