// SPDX-License-Identifier: GPL-2.0-only
/* Sends a datagram with another Q_Key than the server's, and then one with the right one. */
#include "pair.h"

INLINE void send_datagram(struct end *e, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	if (ibv_post_send(e->qp, wr, &bad)) /* MARK:peer */
		die("post_send");
	e->outstanding++;
}

INLINE void greet(struct end *e, const struct remote *r, struct ibv_mr *mr, struct ibv_ah *ah)
{
	struct ibv_sge sge = sge_of(mr, 0, 64);
	struct ibv_send_wr wr = datagram_of(1, &sge, ah, &r->end);

	send_datagram(e, &wr); /* MARK:peer from */
	wait_done(e);
	wr.wr.ud.remote_qkey = 0x22222222;
	send_datagram(e, &wr);
	wait_done(e);
}

int main(void)
{
	struct end e = open_end("glass0");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;
	struct ibv_ah *ah;

	add_qp(&e, IBV_QPT_UD);
	ready_ud(&e);
	exchange(&r, find_server("qkey"), &e, mr);
	ah = make_ah(e.pd, &r.end);
	greet(&e, &r, mr, ah);
	ibv_destroy_ah(ah);
	leave(&r, &e, mr);
	return 0;
}
