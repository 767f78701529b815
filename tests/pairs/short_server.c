// SPDX-License-Identifier: GPL-2.0-only
/* Its receives are shorter than what the client sends. */
#include "pair.h"

#define POOL  4
#define BYTES 512

INLINE void post_one(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t n)
{
	struct ibv_sge sge = sge_of(mr, n * BYTES, BYTES);
	struct ibv_recv_wr wr = recv_of(n, &sge), *bad;

	if (ibv_post_recv(qp, &wr, &bad)) /* MARK:finding */
		die("post_recv");
}

INLINE void post_pool(struct end *e, struct ibv_mr *mr)
{
	uint64_t n;

	for (n = 0; n < POOL; n++) {
		post_one(e->qp, mr, n); /* MARK:finding from */
		e->outstanding++;
	}
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = reg(e.pd, POOL * BYTES, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	post_pool(&e, mr);
	exchange(&r, wait_for_client("short"), &e, mr);
	connect_end(&e, &r.end);
	meet(&r);
	wait_done(&e);
	leave(&r, &e, mr);
	return 0;
}
