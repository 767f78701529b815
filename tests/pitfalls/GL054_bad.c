// SPDX-License-Identifier: GPL-2.0-only
/* An address that is used as it came over the network. */
#include "pitfall.h"

/* What b tells a through a socket, in network byte order. */
struct told {
	uint64_t addr;
	uint32_t rkey;
};

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct told told = { htobe64((uintptr_t)mb->addr), htobe32(mb->rkey) };
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_RDMA_WRITE, 1, &sge);
	int status;

	add_qps(&a, &b);
	connect_ends(&a, &b);

	/* lesson */
	wr.wr.rdma.remote_addr = told.addr;
	wr.wr.rdma.rkey = be32toh(told.rkey);
	post_send(&a, &wr);
	status = wait_done(&a);
	/* end of lesson */

	finish(&a, &b, ma, mb);
	return status;
}
