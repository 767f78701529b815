// SPDX-License-Identifier: GPL-2.0-only
/* Registers the memory that the client writes to without the right to do so. */
#include "pair.h"

static char room[4096] __attribute__((aligned(4096)));

INLINE struct ibv_mr *share(struct ibv_pd *pd, void *at, size_t bytes)
{
	return ibv_reg_mr(pd, at, bytes, IBV_ACCESS_LOCAL_WRITE); /* MARK:finding */
}

INLINE struct ibv_mr *share_room(struct end *e)
{
	struct ibv_mr *mr = share(e->pd, room, sizeof(room)); /* MARK:finding from */

	if (!mr)
		die("reg_mr");
	return mr;
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = share_room(&e);
	struct remote r;

	add_qp(&e, IBV_QPT_RC);
	exchange(&r, wait_for_client("denied"), &e, mr);
	connect_end(&e, &r.end);
	meet(&r);
	meet(&r);
	remove_qp(&e);
	ibv_dereg_mr(mr);
	close_end(&e);
	return 0;
}
