// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arms a CQ that has a completion in it, computes for some time, and only then polls:
 *
 *     busy_poll MILLISECONDS
 */
#include <stdlib.h>
#include <time.h>

#include "../pitfalls/pitfall.h"

static long long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_comp_channel *channel = ibv_create_comp_channel(b.ctx);
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	long long end;
	int status;

	b.cq = make_cq(&b, 2 * DEPTH, channel);
	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	connect_ends(&a, &b);
	post_send(&a, &wr);
	status = wait_done(&a);
	ibv_req_notify_cq(b.cq, 0);
	end = milliseconds() + (argc > 1 ? atoi(argv[1]) : 0);
	while (milliseconds() < end)
		;
	status |= wait_done(&b);
	remove_qp(&b);
	ibv_destroy_cq(b.cq);
	b.cq = NULL;
	ibv_destroy_comp_channel(channel);
	remove_qp(&a);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
