/* SPDX-License-Identifier: GPL-2.0-only */
/* For programs that burden an adapter: pairs of RC queue pairs, both ends of which are this process's. */
#ifndef PAIRS_H
#define PAIRS_H

#include "vt.h"

#define PSN 1
#define MAX_PAIRS 4096

static struct vt_end here, there;
static struct ibv_qp *ours[MAX_PAIRS], *theirs[MAX_PAIRS];
static struct ibv_mr *mr_here, *mr_there;

/*
 * Connects a pair that is in RESET. tune: timers and retries of both ends; tune.psn: the first PSN that `a` sends,
 * while `b` expects PSN; 0: PSN.
 */
static VT_UNUSED void connect_pair(struct ibv_qp *a, struct ibv_qp *b, struct vt_path tune)
{
	struct vt_path to_b = tune, to_a = tune;

	to_b.qpn = b->qp_num;
	to_b.lid = there.attr.lid;
	to_a.qpn = a->qp_num;
	to_a.lid = here.attr.lid;
	to_b.psn = to_a.psn = PSN;
	to_b.mtu = to_a.mtu = IBV_MTU_4096;
	vt_to_init(a, 1, VT_ACCESS_ALL);
	vt_to_init(b, 1, VT_ACCESS_ALL);
	vt_to_rts(a, 1, tune.psn ? tune.psn : PSN, &to_b);
	vt_to_rts(b, 1, PSN, &to_a);
}

static VT_UNUSED void open_ends(size_t bytes)
{
	vt_open(&here, "glass0", 1, 0);
	vt_open(&there, "glass1", 1, 0);
	mr_here = vt_buf(&here, bytes);
	mr_there = vt_buf(&there, bytes);
}

/* n connected pairs with queues of `wr` requests; one CQ at each end, and `bytes` of memory */
static VT_UNUSED void make_pairs(unsigned int n, uint32_t wr, size_t bytes, struct vt_path tune)
{
	struct ibv_cq *a, *b;

	open_ends(bytes);
	a = vt_cq(&here, n * wr * 2, NULL);
	b = vt_cq(&there, n * wr * 2, NULL);
	for (unsigned int i = 0; i < n; i++) {
		ours[i] = vt_qp(&here, (struct vt_qp_opts){ .scq = a, .rcq = a, .wr = wr, .sge = 1 });
		theirs[i] = vt_qp(&there, (struct vt_qp_opts){ .scq = b, .rcq = b, .wr = wr, .sge = 1 });
		connect_pair(ours[i], theirs[i], tune);
	}
}

static VT_UNUSED void ready(void)
{
	printf("ready\n");
	fflush(stdout);
}

#endif
