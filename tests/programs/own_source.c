// SPDX-License-Identifier: GPL-2.0-only
/*
 * own_source LETTER [write|send]: a message whose delivery overwrites where it came from. Both devices register the same
 * memory. The message is two pieces of 64 bytes, the first all LETTER, the second all `-`, and the second arrives where the
 * first came from. No piece overlaps its own destination, so what memory holds afterwards is defined.
 */
#include "check.h"

#define PIECE 64
#define FIRST (4 * PIECE) /* where the pieces come from */
#define SECOND (8 * PIECE)
#define DEST (FIRST - PIECE) /* where the message goes */

int main(int argc, char **argv)
{
	bool send = argc == 3 && !strcmp(argv[2], "send");
	struct ibv_mr *ma, *mb;
	struct ibv_send_wr wr;
	struct ibv_sge sge[2];
	struct ibv_wc wc;
	struct pair p;
	char *mem;

	vt_prog = "own_source";
	if (argc < 2 || argc > 3 || strlen(argv[1]) != 1 || (argc == 3 && !send && strcmp(argv[2], "write"))) {
		fprintf(stderr, "Usage: own_source LETTER [write|send]\n");
		return 2;
	}
	vt_limit(60);
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	p = make_pair();
	ma = vt_buf(&A, 4096);
	mem = ma->addr;
	mb = vt_mr_of(B.pd, mem, 4096, VT_ACCESS_ALL);
	memset(mem + FIRST, argv[1][0], PIECE);
	memset(mem + SECOND, '-', PIECE);
	sge[0] = vt_sge(ma, FIRST, PIECE);
	sge[1] = vt_sge(ma, SECOND, PIECE);
	wr = send ? wr_of(IBV_WR_SEND, 1, sge) : rdma_of(IBV_WR_RDMA_WRITE, 1, sge, mb, DEST);
	wr.num_sge = 2;
	if (send)
		vt_recv(p.b, 2, mb, DEST, 2 * PIECE);
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_SUCCESS);
	if (send)
		vt_wc_ok(p.b->recv_cq, &wc);
	vt_verify_same(mem + DEST, PIECE, argv[1][0], "the first piece");
	vt_verify_same(mem + FIRST, PIECE, '-', "the second piece, where the first was");
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&A);
	vt_close(&B);
	return 0;
}
