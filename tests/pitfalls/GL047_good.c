// SPDX-License-Identifier: GPL-2.0-only
/* The limit of an SRQ is armed again each time that it has warned. */
#include "pitfall.h"

#define RECEIVES 8
#define LIMIT	 4
#define MESSAGES 32

static int in_srq;

static void fill(struct ibv_srq *srq, const struct ibv_mr *mr)
{
	struct ibv_sge sge = sge_of(mr, 0, 64);
	struct ibv_recv_wr wr = recv_of(1, &sge), *bad;

	for (; in_srq < RECEIVES; in_srq++)
		if (ibv_post_srq_recv(srq, &wr, &bad))
			die("post_srq_recv failed");
}

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_srq_init_attr init = { .attr = { .max_wr = RECEIVES, .max_sge = 1 } };
	struct ibv_srq_attr limit = { .srq_limit = LIMIT };
	struct ibv_srq *srq = ibv_create_srq(b.pd, &init);
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_qp_init_attr attr = qp_attr(&b, IBV_QPT_RC);
	int i, status = 0;

	attr.srq = srq;
	add_qp(&a, IBV_QPT_RC);
	add_qp_with(&b, &attr);
	fill(srq, mb);
	connect_ends(&a, &b);

	/* lesson */
	ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT);
	for (i = 0; i < MESSAGES && !status; i++) {
		post_send(&a, &wr);
		status = wait_done(&a);
		if (status)
			break;
		wait_wc(&b);
		in_srq--;
		if (readable(b.ctx->async_fd, 0)) {
			wait_event(&b, IBV_EVENT_SRQ_LIMIT_REACHED);
			fill(srq, mb);
			ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT); /* it is one-shot */
		}
	}
	/* end of lesson */

	b.outstanding = 0; /* the SRQ's stay there */
	remove_qp(&a);
	remove_qp(&b);
	ibv_destroy_srq(srq);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
