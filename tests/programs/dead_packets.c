// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends packets from glass0 to glass1 that must die, each case of one reason
 * (driver/uapi/glass-vocab.h); what error_table provokes is not repeated here.
 * The tests look for the reason in the trace and in the counters.
 */
#include <sys/mman.h>

#include "check.h"

static uint16_t mlid;

/* One datagram to (dlid, qpn); with dgid: and a GRH. */
static void datagram(uint16_t dlid, uint32_t qpn, const union ibv_gid *dgid)
{
	struct ibv_qp *qp = vt_qp(&A, (struct vt_qp_opts){ .type = IBV_QPT_UD });
	struct ibv_ah_attr attr = { .dlid = dlid, .port_num = A.port, .is_global = !!dgid };
	struct ibv_mr *mr = vt_buf(&A, 64);
	struct ibv_sge sge = vt_sge(mr, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	if (dgid)
		attr.grh.dgid = *dgid;
	vt_to_init(qp, A.port, 0);
	vt_to_rts(qp, A.port, 0, &(struct vt_path){});
	wr.wr.ud.ah = ibv_create_ah(A.pd, &attr);
	CHECK(wr.wr.ud.ah, "create_ah failed");
	vt_track(VT_AH, wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = VT_QKEY;
	vt_post(qp, &wr);
	vt_wc_is(qp->send_cq, 1, IBV_WC_SUCCESS);
}

static struct ibv_qp *listener(int port)
{
	struct ibv_qp *qp = vt_qp(&B, (struct vt_qp_opts){ .type = IBV_QPT_UD });

	vt_to_init(qp, port, 0);
	vt_to_rts(qp, port, 0, &(struct vt_path){});
	return qp;
}

/* A GRH with a GID that the port does not have */
static void bad_grh(void)
{
	union ibv_gid gid = B.gid;

	gid.raw[15] ^= 0x55;
	datagram(B.attr.lid, listener(1)->qp_num, &gid);
}

/* A multicast LID, but not the QPN of multicast */
static void bad_bth(void)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, [15] = 1 } };

	datagram(mlid, listener(1)->qp_num, &gid);
}

/* A multicast LID whose members are there, for another group */
static void no_mcast(void)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, [15] = 1 } };

	datagram(mlid, 0xffffff, &gid);
}

static void to_lid(void)
{
	datagram(mlid, 0x77, NULL);
}

static void wrong_port(void)
{
	datagram(B.attr.lid, listener(2)->qp_num, NULL);
}

/* The two ends differ about the path MTU. */
static struct pair odd_pair(enum ibv_mtu mtu_a, enum ibv_mtu mtu_b)
{
	struct pair p = { vt_qp(&A, (struct vt_qp_opts){}), vt_qp(&B, (struct vt_qp_opts){}) };
	struct vt_path to_b = path_to(&B, p.b->qp_num, PSN_B);
	struct vt_path to_a = path_to(&A, p.a->qp_num, PSN_A);

	to_b.mtu = mtu_a;
	to_a.mtu = mtu_b;
	vt_to_init(p.a, A.port, VT_ACCESS_ALL);
	vt_to_init(p.b, B.port, VT_ACCESS_ALL);
	vt_to_rts(p.a, A.port, PSN_A, &to_b);
	vt_to_rts(p.b, B.port, PSN_B, &to_a);
	return p;
}

static void bad_len(void)
{
	struct pair p = odd_pair(IBV_MTU_4096, IBV_MTU_1024);
	struct ibv_mr *ma = vt_buf(&A, 8192), *mb = vt_buf(&B, 8192);
	struct ibv_sge sge = vt_sge(ma, 0, 8192);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	vt_recv(p.b, 2, mb, 0, 8192);
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_REM_INV_REQ_ERR);
}

static void bad_resp(void)
{
	struct pair p = odd_pair(IBV_MTU_1024, IBV_MTU_4096);
	struct ibv_mr *ma = vt_buf(&A, 8192), *mb = vt_buf(&B, 8192);
	struct ibv_sge sge = vt_sge(ma, 0, 8192);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_READ, 1, &sge, mb, 0);

	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_BAD_RESP_ERR);
}

/* The first of three packets finds no receive: the others belong to nothing. */
static void bad_seq(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .type = IBV_QPT_UC },
					(struct tune){ .mtu = IBV_MTU_1024 });
	struct ibv_mr *ma = vt_buf(&A, 4096);
	struct ibv_sge sge = vt_sge(ma, 0, 3000);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_SUCCESS);
}

/* The page of the receive was never touched: the datagram is lost, the page is brought in. */
static void page_wait(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_qp *qp = listener(1);

	CHECK(page != MAP_FAILED, "mmap: %s", strerror(errno));
	vt_recv(qp, 2, vt_mr_of(B.pd, page, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND), 0, 4096);
	datagram(B.attr.lid, qp->qp_num, NULL);
}

static const struct check cases[] = {
	{ "bad_grh", bad_grh },	      { "bad_bth", bad_bth },	{ "no_mcast", no_mcast },
	{ "wrong_port", wrong_port }, { "bad_len", bad_len },	{ "bad_resp", bad_resp },
	{ "bad_seq", bad_seq },	      { "to_lid", to_lid },
	{ "page_wait", page_wait },
};

int main(int argc, char **argv)
{
	size_t i;

	vt_prog = "dead_packets";
	for (i = 0; argc > 1 && i < ARRAY_LEN(cases) && strcmp(argv[1], cases[i].name); i++)
		;
	if (argc < 2 || argc > 3 || i == ARRAY_LEN(cases)) {
		fprintf(stderr, "Usage: dead_packets CASE [LID]\n"
				"LID: of bad_bth and no_mcast the multicast group, of to_lid any.\n");
		return 2;
	}
	mlid = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	vt_limit(60);
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	vt_doing = cases[i].name;
	cases[i].run();
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&A);
	vt_close(&B);
	return 0;
}
