// SPDX-License-Identifier: GPL-2.0-only
/*
 * One message from glass0 to glass1 and nothing else, for those who want to
 * follow it: message [-t rc|uc|ud] [-r] [-2] OPERATION [BYTES]. Prints the two queue pairs,
 * then waits until both sides have polled what there is to poll. The send has
 * wr_id 0xa1, the receive, if the operation takes one, 0xb1; immediate data is 0x1a2b. With -r a receiver that is not
 * ready is not tried again. With -2 a second message with wr_id 0xa2 follows when SIGTERM comes; its operation takes no receive.
 */
#include <getopt.h>

#include "check.h"
#include "uapi/glass-enums.h"

static const char *const op_words[] = GLASS_WORDS(GLASS_WR_OPS);

#define SEND_ID 0xa1
#define RECV_ID 0xb1
#define GRH_BYTES 40

static enum ibv_qp_type type = IBV_QPT_RC;
static bool once, twice;

static void usage(FILE *to)
{
	fprintf(to, "Usage: message [-t rc|uc|ud] [-r] [-2] send|send_imm|write|write_imm|read|cmp_swap|fetch_add [BYTES]\n"
		    "Exit status 0: it arrived; 1: it did not; 2: wrong arguments; 4: it hung.\n");
}

static struct pair make(void)
{
	struct vt_qp_opts o = { .type = type };

	return make_pair_tuned(o, (struct tune){ .mtu = IBV_MTU_1024, .no_rnr_retry = once });
}

static void address_ud(struct ibv_send_wr *wr, const struct pair *p)
{
	struct ibv_ah_attr attr = { .dlid = B.attr.lid, .port_num = A.port };

	wr->wr.ud.ah = ibv_create_ah(A.pd, &attr);
	CHECK(wr->wr.ud.ah, "create_ah failed");
	vt_track(VT_AH, wr->wr.ud.ah);
	wr->wr.ud.remote_qpn = p->b->qp_num;
	wr->wr.ud.remote_qkey = VT_QKEY;
}

int main(int argc, char **argv)
{
	size_t bytes = 3000, op;
	struct ibv_mr *ma, *mb;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct pair p;
	bool receives;
	int c;

	vt_prog = "message";
	while ((c = getopt(argc, argv, "t:r2h")) != -1) {
		if (c == 't' && !strcmp(optarg, "rc")) {
			type = IBV_QPT_RC;
		} else if (c == 't' && !strcmp(optarg, "uc")) {
			type = IBV_QPT_UC;
		} else if (c == 't' && !strcmp(optarg, "ud")) {
			type = IBV_QPT_UD;
		} else if (c == 'r') {
			once = true;
		} else if (c == '2') {
			twice = true;
			vt_hold_end();
		} else {
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	for (op = 0; optind < argc && op < ARRAY_LEN(op_words); op++)
		if (!strcmp(argv[optind], op_words[op]))
			break;
	if (optind == argc || op == ARRAY_LEN(op_words) || argc > optind + 2) {
		usage(stderr);
		return 2;
	}
	if (op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD)
		bytes = 8;
	else if (type == IBV_QPT_UD)
		bytes = 500;
	if (argc > optind + 1)
		bytes = strtoul(argv[optind + 1], NULL, 0);
	receives = op == GLASS_OP_SEND || op == GLASS_OP_SEND_IMM || op == GLASS_OP_WRITE_IMM;
	if (twice && receives) {
		usage(stderr);
		return 2;
	}

	vt_limit(60);
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	p = make();
	ma = vt_buf(&A, bytes + GRH_BYTES);
	mb = vt_buf(&B, bytes + GRH_BYTES);
	printf("a dev=glass0 qpn=0x%x\nb dev=glass1 qpn=0x%x\n", p.a->qp_num, p.b->qp_num);
	fflush(stdout);

	sge = vt_sge(ma, 0, bytes);
	wr = wr_of((enum ibv_wr_opcode)op, SEND_ID, &sge);
	wr.imm_data = htobe32(0x1a2b);
	if (op == GLASS_OP_CMP_SWAP || op == GLASS_OP_FETCH_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)mb->addr;
		wr.wr.atomic.rkey = mb->rkey;
	} else if (type == IBV_QPT_UD) {
		address_ud(&wr, &p);
	} else if (op != GLASS_OP_SEND && op != GLASS_OP_SEND_IMM) {
		wr.wr.rdma.remote_addr = (uintptr_t)mb->addr;
		wr.wr.rdma.rkey = mb->rkey;
	}
	if (receives)
		vt_recv(p.b, RECV_ID, mb, 0, bytes + GRH_BYTES);
	vt_post(p.a, &wr);
	if (twice) {
		vt_wait_for_end();
		wr.wr_id = SEND_ID + 1;
		vt_post(p.a, &wr);
	}
	vt_wc_is(p.a->send_cq, SEND_ID, IBV_WC_SUCCESS);
	if (twice)
		vt_wc_is(p.a->send_cq, SEND_ID + 1, IBV_WC_SUCCESS);
	if (receives) {
		vt_wc_ok(p.b->recv_cq, &wc);
		CHECK(wc.wr_id == RECV_ID, "another receive");
	}
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&A);
	vt_close(&B);
	return 0;
}
