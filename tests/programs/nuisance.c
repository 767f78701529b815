// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tenant that makes the adapter work as much as it can, beside neighbour.c: by doorbells that cost more than their budget, by
 * packets that nobody wants, and by failing on purpose. Tests count from the trace what that costs others.
 */
#include "pairs.h"

#define DEEP	4096 /* work requests that one doorbell posts */
#define MEMBERS 4

static struct ibv_send_wr list[DEEP];
static struct ibv_sge sges[DEEP];

/* Takes n completions, all with this status. */
static void take(struct ibv_cq *cq, unsigned int n, enum ibv_wc_status status)
{
	struct ibv_wc wc[32];

	while (n) {
		int got = ibv_poll_cq(cq, n < 32 ? n : 32, wc);

		CHECK(got >= 0, "poll_cq failed");
		for (int i = 0; i < got; i++)
			CHECK(wc[i].status == status, "wanted %s, got %s", ibv_wc_status_str(status),
			      ibv_wc_status_str(wc[i].status));
		n -= got;
		if (!got)
			sched_yield();
	}
}

/* list: n requests like this one, of which the last makes a completion. */
static void make_list(unsigned int n, struct ibv_send_wr like, uint32_t bytes)
{
	for (unsigned int i = 0; i < n; i++) {
		sges[i] = vt_sge(mr_here, 0, bytes);
		list[i] = like;
		list[i].sg_list = &sges[i];
		list[i].num_sge = 1;
		list[i].next = i + 1 < n ? &list[i + 1] : NULL;
	}
	list[n - 1].send_flags |= IBV_SEND_SIGNALED;
}

/* Posts the list by one doorbell and waits for its last request, for ever. */
static void ring_for_ever(struct ibv_qp *qp)
{
	vt_ready();
	for (;;) {
		vt_post(qp, list);
		take(qp->send_cq, 1, IBV_WC_SUCCESS);
	}
}

static void bell_write(unsigned int n)
{
	make_pairs(1, DEEP, 65536, (struct vt_path){});
	make_list(n, (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_WRITE,
					   .wr.rdma = { (uintptr_t)mr_there->addr, mr_there->rkey } }, 65536);
	ring_for_ever(ours[0]);
}

/* A window that is bound and invalidated by turns: work that sends nothing. */
static void bell_local(unsigned int n)
{
	struct ibv_mr *region;
	struct ibv_mw *mw;

	make_pairs(1, DEEP, 4096, (struct vt_path){});
	region = vt_mr_of(here.pd, vt_mem(4096), 4096, VT_ACCESS_ALL | IBV_ACCESS_MW_BIND);
	mw = ibv_alloc_mw(here.pd, IBV_MW_TYPE_2);
	CHECK(mw, "alloc_mw: %s", strerror(errno));
	n += n & 1;
	make_list(n, (struct ibv_send_wr){}, 64);
	for (unsigned int i = 0; i < n; i++) {
		list[i].sg_list = NULL;
		list[i].num_sge = 0;
		list[i].opcode = i & 1 ? IBV_WR_LOCAL_INV : IBV_WR_BIND_MW;
		if (i & 1) {
			list[i].invalidate_rkey = mw->rkey;
			continue;
		}
		list[i].bind_mw.mw = mw;
		list[i].bind_mw.rkey = mw->rkey;
		list[i].bind_mw.bind_info = (struct ibv_mw_bind_info){ .mr = region, .addr = (uintptr_t)region->addr,
								       .length = 64,
								       .mw_access_flags = IBV_ACCESS_REMOTE_READ };
	}
	ring_for_ever(ours[0]);
}

/* A queue pair in ERR: all that a doorbell posts is to be flushed. */
static void bell_flush(unsigned int n)
{
	make_pairs(1, DEEP, 4096, (struct vt_path){});
	make_list(n, (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_WRITE,
					   .wr.rdma = { (uintptr_t)mr_there->addr, mr_there->rkey } }, 64);
	vt_to_state(ours[0], IBV_QPS_ERR);
	vt_ready();
	for (;;) {
		vt_post(ours[0], list);
		take(ours[0]->send_cq, n, IBV_WC_WR_FLUSH_ERR);
	}
}

static struct ibv_qp *ud_qp(struct vt_end *e, uint32_t wr)
{
	struct vt_path path = {};
	struct ibv_qp *qp = vt_qp(e, (struct vt_qp_opts){ .type = IBV_QPT_UD, .wr = wr, .sge = 1 });

	vt_to_init(qp, 1, 0);
	vt_to_rts(qp, 1, PSN, &path);
	return qp;
}

/* Datagrams by one doorbell after another, to this address. */
static void datagrams(unsigned int n, struct ibv_ah_attr to, uint32_t qpn)
{
	struct ibv_qp *qp = ud_qp(&here, DEEP);
	struct ibv_ah *ah = ibv_create_ah(here.pd, &to);

	CHECK(ah, "create_ah: %s", strerror(errno));
	make_list(n, (struct ibv_send_wr){ .opcode = IBV_WR_SEND, .wr.ud = { ah, qpn, VT_QKEY } }, 64);
	ring_for_ever(qp);
}

/* To a queue pair that does not exist, or to one that never posts a receive. */
static void ud(unsigned int n, bool exists)
{
	struct ibv_qp *qp;
	uint32_t qpn;

	open_ends(4096);
	qp = ud_qp(&there, 16);
	qpn = qp->qp_num;
	if (!exists)
		vt_drop(qp);
	datagrams(n, (struct ibv_ah_attr){ .dlid = there.attr.lid, .port_num = 1 }, qpn);
}

/* To a group whose members are all this program's. */
static void mcast(unsigned int n)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x81 } };
	struct ibv_ah_attr to = { .dlid = 0xc001, .port_num = 1, .is_global = 1, .grh = { .dgid = gid, .hop_limit = 1 } };
	uint32_t pid = getpid();

	open_ends(4096);
	memcpy(&gid.raw[12], &pid, sizeof(pid));
	to.grh.dgid = gid;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		int err = ibv_attach_mcast(ud_qp(&here, 16), &gid, 0xc001);

		CHECK(!err, "attach_mcast: %s", strerror(err));
	}
	datagrams(n, to, 0xffffff);
}

/* ---- requests that fail, and queue pairs that are made whole again each time */

struct failure {
	struct vt_path tune;
	enum ibv_wc_status status;
	enum ibv_wr_opcode op;
	bool bad_rkey, no_peer;
};

static void fail_for_ever(unsigned int n, struct failure f)
{
	make_pairs(n, 16, 4096, f.tune);
	make_list(1, (struct ibv_send_wr){ .opcode = f.op,
					   .wr.rdma = { (uintptr_t)mr_there->addr, mr_there->rkey + f.bad_rkey } }, 64);
	vt_ready();
	for (;;) {
		for (unsigned int i = 0; i < n; i++) {
			if (f.no_peer)
				vt_to_state(theirs[i], IBV_QPS_RESET);
			vt_post(ours[i], list);
		}
		take(ours[0]->send_cq, n, f.status);
		for (unsigned int i = 0; i < n; i++) {
			vt_to_state(ours[i], IBV_QPS_RESET);
			vt_to_state(theirs[i], IBV_QPS_RESET);
			connect_pair(ours[i], theirs[i], f.tune);
		}
		vt_drain_events(here.ctx);
		vt_drain_events(there.ctx);
	}
}

/* Objects that come and go, with a request on its way when they go. */
static void objects(void)
{
	struct ibv_cq *a, *b;
	struct ibv_mr *mr;
	void *memory;

	open_ends(4096);
	memory = vt_mem(4096);
	make_list(1, (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_WRITE,
					   .wr.rdma = { (uintptr_t)mr_there->addr, mr_there->rkey } }, 4096);
	vt_ready();
	for (;;) {
		a = vt_cq(&here, 16, NULL);
		b = vt_cq(&there, 16, NULL);
		ours[0] = vt_qp(&here, (struct vt_qp_opts){ .scq = a, .rcq = a, .wr = 16 });
		theirs[0] = vt_qp(&there, (struct vt_qp_opts){ .scq = b, .rcq = b, .wr = 16 });
		connect_pair(ours[0], theirs[0], (struct vt_path){});
		mr = vt_mr_of(here.pd, memory, 4096, VT_ACCESS_ALL);
		for (unsigned int i = 0; i < 16; i++)
			vt_post(ours[0], list);
		vt_drop(ours[0]);
		vt_drop(theirs[0]);
		vt_drop(a);
		vt_drop(b);
		vt_drop(mr);
	}
}

static const char usage[] =
	"Usage: nuisance [--count N] WHAT\n"
	"WHAT  bell-write:   N WRITEs of 64 KiB with one doorbell, for ever\n"
	"      bell-local:   N windows bound and invalidated with one doorbell\n"
	"      bell-flush:   N requests of a queue pair in ERR with one doorbell\n"
	"      ud-nobody:    N datagrams to a queue pair that does not exist with one doorbell\n"
	"      ud-empty:     the same, to one without receives\n"
	"      mcast:        the same, to a group of four queue pairs, all its own\n"
	"      fail-access:  N pairs whose WRITEs have a wrong R_Key, and that begin anew after each NAK\n"
	"      fail-seq:     N pairs whose first PSN is not the one that the peer expects\n"
	"      fail-rnr:     N pairs that give up after one RNR NAK\n"
	"      fail-timeout: N pairs whose peers are gone, with the smallest ACK timeout\n"
	"      objects:      queue pairs, completion queues and regions that come and go\n"
	"Prints `ready` when it has begun. Exit status 1: something failed; 2: wrong arguments.\n";

int main(int argc, char **argv)
{
	unsigned int n = 64;
	const char *what;

	vt_prog = "nuisance";
	what = what_to_do(argc, argv, usage, &n, NULL);
	if (!n || n > DEEP)
		wrong_usage(usage);
	if (!strcmp(what, "bell-write"))
		bell_write(n);
	else if (!strcmp(what, "bell-local"))
		bell_local(n);
	else if (!strcmp(what, "bell-flush"))
		bell_flush(n);
	else if (!strcmp(what, "ud-nobody") || !strcmp(what, "ud-empty"))
		ud(n, !strcmp(what, "ud-empty"));
	else if (!strcmp(what, "mcast"))
		mcast(n);
	else if (!strcmp(what, "fail-access"))
		fail_for_ever(n, (struct failure){ .status = IBV_WC_REM_ACCESS_ERR, .op = IBV_WR_RDMA_WRITE,
						   .bad_rkey = true });
	else if (!strcmp(what, "fail-seq"))
		fail_for_ever(n, (struct failure){ .tune = { .psn = PSN + 1000, .timeout = 1 },
						   .status = IBV_WC_RETRY_EXC_ERR, .op = IBV_WR_RDMA_WRITE });
	else if (!strcmp(what, "fail-rnr"))
		fail_for_ever(n, (struct failure){ .tune = { .rnr_timer = 1, .no_rnr_retry = true },
						   .status = IBV_WC_RNR_RETRY_EXC_ERR, .op = IBV_WR_SEND });
	else if (!strcmp(what, "fail-timeout"))
		fail_for_ever(n, (struct failure){ .tune = { .timeout = 1 }, .status = IBV_WC_RETRY_EXC_ERR,
						   .op = IBV_WR_SEND, .no_peer = true });
	else if (!strcmp(what, "objects"))
		objects();
	wrong_usage(usage);
}
