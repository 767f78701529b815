// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is flushed is the program's again: a WRITE is on its way, the QP is taken to
 * ERR or RESET, and as soon as that tells that nothing needs the buffer any more it is
 * written to. The peer must have the message as it was posted, as far as it has it.
 *
 * The packet has to take its time while it is read: with glass1's behavior/write_reorder
 * the end of a WRITE is there a millisecond before the rest, which is how this program
 * knows that it is in the middle of one.
 */
#include <pthread.h>

#include "check.h"

#define BYTES  1024 /* one packet */
#define WRS    60
#define ROUNDS 30

static struct ibv_mr *from, *to;
static struct pair p;

/*
 * The WRITE that is watched, and others behind it. Who rings the doorbell may carry
 * packets: somebody else has to look meanwhile.
 */
static void *post_all(void *unused VT_UNUSED)
{
	struct ibv_sge sge = vt_sge(from, 0, BYTES), none = vt_sge(from, 0, 1);
	struct ibv_send_wr wr[WRS];

	for (int i = 0; i < WRS; i++) {
		wr[i] = rdma_of(IBV_WR_RDMA_WRITE, i, i ? &none : &sge, to, i ? BYTES : 0);
		wr[i].next = i + 1 < WRS ? &wr[i + 1] : NULL;
	}
	vt_post(p.a, wr);
	return NULL;
}

/* Was the message in its middle? Then whether its owner could spoil it was seen. */
static bool one_round(enum ibv_qp_state state)
{
	volatile uint8_t *there = to->addr;
	struct ibv_wc wc[WRS];
	pthread_t poster;
	bool between;
	int n;

	connect_pair_tuned(&p, (struct tune){ .mtu = IBV_MTU_1024 });
	memset(from->addr, 'a', BYTES);
	memset(to->addr, 0, BYTES);
	CHECK(!pthread_create(&poster, NULL, post_all, NULL), "no thread");
	while (there[BYTES - 1] != 'a')
		;
	between = there[0] != 'a';
	vt_to_state(p.a, state);
	CHECK(there[0] == 'a', "the verb did not wait for the packet");
	/* all were posted before the doorbell, so all are flushed when the verb returns */
	n = state == IBV_QPS_ERR ? ibv_poll_cq(p.a->send_cq, WRS, wc) : WRS;
	CHECK(n == WRS, "%d completions of %d", n, WRS);
	memset(from->addr, 'b', BYTES);
	pthread_join(poster, NULL);
	/* after this nothing comes any more */
	vt_to_state(p.b, IBV_QPS_RESET);
	vt_verify_same(to->addr, BYTES, 'a', state == IBV_QPS_ERR ? "flushed" : "reset");
	vt_to_state(p.a, IBV_QPS_RESET);
	return between;
}

int main(int argc, char **argv)
{
	bool reset = argc == 2 && !strcmp(argv[1], "reset");
	int i, between = 0;

	vt_prog = "flushed";
	if (argc != 2 || (!reset && strcmp(argv[1], "err"))) {
		fprintf(stderr,
			"Usage: flushed err|reset\n"
			"Exit status 0: what was sent is what was posted; 1: it is not; 2: wrong arguments.\n");
		return 2;
	}
	vt_limit(60);
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	p = (struct pair){ vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){}) };
	from = vt_buf(&A, BYTES);
	to = vt_buf(&B, BYTES + 1);
	for (i = 0; i < ROUNDS; i++)
		between += one_round(reset ? IBV_QPS_RESET : IBV_QPS_ERR);
	printf("%d of %d in the middle\n", between, ROUNDS);
	CHECK(between, "no message was in its middle: is glass1's behavior/write_reorder set?");
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&A);
	vt_close(&B);
	return 0;
}
