// SPDX-License-Identifier: GPL-2.0-only
/* Finds by the wr_id where a message went. */
#include "pitfall.h"

#define MESSAGES 8

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_srq_init_attr init = { .attr = { .max_wr = MESSAGES, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(b.pd, &init);
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp_init_attr attr = qp_attr(&b, IBV_QPT_RC);
	char *message = ma->addr, *buffers = mb->addr;
	struct ibv_recv_wr recv, *bad;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	int i, status = 0;

	attr.srq = srq;
	add_qp(&a, IBV_QPT_RC);
	add_qp_with(&b, &attr);
	for (i = 0; i < MESSAGES; i++) {
		sge = sge_of(mb, i * 64, 64);
		recv = recv_of(i, &sge);
		if (ibv_post_srq_recv(srq, &recv, &bad))
			die("post_srq_recv failed");
		b.outstanding++;
	}
	connect_ends(&a, &b);

	for (i = 0; i < MESSAGES; i++) {
		message[0] = i;
		sge = sge_of(ma, 0, 64);
		wr = wr_of(IBV_WR_SEND, i, &sge);
		post_send(&a, &wr);
		status |= wait_done(&a);
		/* lesson */
		wc = wait_wc(&b);
		status |= buffers[wc.wr_id * 64] != i; /* wr_id is the buffer's number */
		/* end of lesson */
	}

	remove_qp(&a);
	remove_qp(&b);
	ibv_destroy_srq(srq);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
