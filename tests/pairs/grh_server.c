// SPDX-License-Identifier: GPL-2.0-only
/* Its first receive has no room for the 40 bytes in front of each datagram. */
#include "pair.h"

INLINE void post(struct end *e, struct ibv_mr *mr, uint32_t bytes)
{
	struct ibv_sge sge = sge_of(mr, 0, bytes);
	struct ibv_recv_wr wr = recv_of(bytes, &sge), *bad;

	if (ibv_post_recv(e->qp, &wr, &bad)) /* MARK:finding */
		die("post_recv");
	e->outstanding++;
}

INLINE void prepare(struct end *e, struct ibv_mr *mr)
{
	post(e, mr, 64); /* MARK:finding from */
	post(e, mr, 256);
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_UD);
	prepare(&e, mr);
	ready_ud(&e);
	exchange(&r, wait_for_client("grh"), &e, mr);
	wait_done(&e); /* the second datagram */
	leave(&r, &e, mr);
	return 0;
}
