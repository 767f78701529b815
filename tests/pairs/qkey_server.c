// SPDX-License-Identifier: GPL-2.0-only
/* Sets the Q_Key of its QP; later changes are not about it. */
#include "pair.h"

INLINE void set(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (ibv_modify_qp(qp, attr, mask)) /* MARK:finding */
		die("modify_qp");
}

INLINE void choose_key(struct end *e, uint32_t qkey)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = PORT, .qkey = qkey };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;

	set(e->qp, &init, mask); /* MARK:finding from */
}

int main(void)
{
	struct end e = open_end("glass1");
	struct ibv_mr *mr = reg(e.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct remote r;

	add_qp(&e, IBV_QPT_UD);
	choose_key(&e, 0x22222222);
	post_recv(&e, 1, mr, 0, 256);
	ready_ud(&e);
	exchange(&r, wait_for_client("qkey"), &e, mr);
	wait_done(&e); /* the second datagram */
	leave(&r, &e, mr);
	return 0;
}
