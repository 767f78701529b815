// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connects many pairs of RC QPs, all of one process: one QP of each pair on either device. Each QP sends a message, and all are
 * compared. With --wait they are idle then, until SIGTERM, and each sends another message.
 */
#include <getopt.h>

#include "growth.h"

#define PAIR_BYTES 64

struct pairs_side {
	struct vt_end end;
	struct ibv_cq *cq;
	struct ibv_mr *out, *in; /* PAIR_BYTES of each pair */
	struct ibv_qp **qps;
	uint8_t *got; /* of each pair: its message of this round came */
	unsigned int side;
};

static struct pairs_side sides[2];
static unsigned int npairs = 1000;

static void pairs_usage(FILE *to)
{
	fprintf(to,
		"Usage: many_pairs [OPTION]...\n"
		"  -a, --a NAME   the device of one QP of each pair (glass0)\n"
		"  -b, --b NAME   the device of the other one (glass1)\n"
		"  -n, --count N  pairs (1000)\n"
		"  -w, --wait     after the messages, print `ready` and wait for SIGTERM; then send again\n"
		"Prints how long each step took, and how much memory they have, each `NAME VALUE` in a line of its own.\n"
		"Exit status 0: done, and all data was right; 1: it was not; 2: wrong arguments.\n");
}

static void open_side(struct pairs_side *s, const char *device)
{
	vt_open(&s->end, device, 1, 0);
	s->cq = vt_cq(&s->end, 2 * npairs, NULL);
	s->out = vt_buf(&s->end, (size_t)npairs * PAIR_BYTES);
	s->in = vt_buf(&s->end, (size_t)npairs * PAIR_BYTES);
	s->qps = calloc(npairs, sizeof(*s->qps));
	s->got = calloc(npairs, 1);
	CHECK(s->qps && s->got, "out of memory");
	s->side = s - sides;
}

static void create_sides_qps(struct pairs_side *s)
{
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq, .recv_cq = s->cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	unsigned int i;

	for (i = 0; i < npairs; i++) {
		s->qps[i] = ibv_create_qp(s->end.pd, &init);
		CHECK(s->qps[i], "%s: create_qp %u: %s", s->end.name, i, strerror(errno));
	}
}

static void connect_sides_qps(struct pairs_side *s, const struct pairs_side *to)
{
	struct vt_path path = { .lid = to->end.attr.lid, .rd_atomic = 1 };
	unsigned int i;

	for (i = 0; i < npairs; i++) {
		path.qpn = to->qps[i]->qp_num;
		path.psn = i;
		vt_to_init(s->qps[i], s->end.port, 0);
		vt_to_rts(s->qps[i], s->end.port, i, &path);
	}
}

/* Each message has bytes of its own: those of a pair, of a direction and of a round. */
static uint32_t pair_seed(unsigned int side, unsigned int i, unsigned int round)
{
	return (i * 2 + side) * 4 + round;
}

static void post_round(struct pairs_side *s, unsigned int round)
{
	unsigned int i;

	memset(s->got, 0, npairs);
	memset(s->in->addr, 0, s->in->length);
	for (i = 0; i < npairs; i++) {
		vt_fill((uint8_t *)s->out->addr + (size_t)i * PAIR_BYTES, PAIR_BYTES, pair_seed(s->side, i, round));
		vt_recv(s->qps[i], i, s->in, (size_t)i * PAIR_BYTES, PAIR_BYTES);
	}
}

static void send_round(struct pairs_side *s)
{
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_sge sge;
	unsigned int i;

	wr.sg_list = &sge;
	for (i = 0; i < npairs; i++) {
		sge = vt_sge(s->out, (size_t)i * PAIR_BYTES, PAIR_BYTES);
		wr.wr_id = i;
		vt_post(s->qps[i], &wr);
	}
}

/* Takes all completions of a round: of each QP that its message left, and that the peer's came, with its data. */
static void finish_round(struct pairs_side *s, unsigned int round)
{
	unsigned int n, sent = 0, came = 0;
	struct ibv_wc wc;

	for (n = 0; n < 2 * npairs; n++) {
		CHECK(vt_try_wc(s->cq, &wc, VT_WAIT_MS), "%s: only %u of %u messages left, and %u came", s->end.name, sent,
		      npairs, came);
		CHECK(wc.status == IBV_WC_SUCCESS, "%s: pair %llu: %s (vendor error 0x%x)", s->end.name,
		      (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status), wc.vendor_err);
		CHECK(wc.wr_id < npairs && wc.qp_num == s->qps[wc.wr_id]->qp_num, "%s: a completion of pair %llu has QPN 0x%x",
		      s->end.name, (unsigned long long)wc.wr_id, wc.qp_num);
		if (wc.opcode == IBV_WC_SEND) {
			sent++;
			continue;
		}
		CHECK(wc.opcode == IBV_WC_RECV && wc.byte_len == PAIR_BYTES && !s->got[wc.wr_id]++,
		      "%s: pair %llu got opcode %u of %u bytes, or two messages", s->end.name, (unsigned long long)wc.wr_id,
		      wc.opcode, wc.byte_len);
		vt_verify((uint8_t *)s->in->addr + wc.wr_id * PAIR_BYTES, PAIR_BYTES, pair_seed(!s->side, wc.wr_id, round),
			  "a message of a pair");
		came++;
	}
	vt_empty(s->cq);
}

static void run_round(unsigned int round)
{
	post_round(&sides[0], round);
	post_round(&sides[1], round);
	send_round(&sides[0]);
	send_round(&sides[1]);
	finish_round(&sides[0], round);
	finish_round(&sides[1], round);
}

static void destroy_sides_qps(struct pairs_side *s)
{
	unsigned int i;

	for (i = 0; i < npairs; i++)
		CHECK(!ibv_destroy_qp(s->qps[i]), "%s: destroy_qp %u failed", s->end.name, i);
}

static void run_pairs(bool wait)
{
	struct growth before = growth_now();
	uint64_t from = vt_now_ms();

	create_sides_qps(&sides[0]);
	create_sides_qps(&sides[1]);
	growth_lap("create", &from);
	connect_sides_qps(&sides[0], &sides[1]);
	connect_sides_qps(&sides[1], &sides[0]);
	growth_lap("connect", &from);
	run_round(0);
	growth_lap("traffic", &from);
	growth_print("all", &before);
	if (wait)
		vt_wait_for_end();
	from = vt_now_ms();
	run_round(1);
	growth_lap("again", &from);
	destroy_sides_qps(&sides[0]);
	destroy_sides_qps(&sides[1]);
	growth_lap("destroy", &from);
	growth_print("left", &before);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "a", required_argument, NULL, 'a' },	   { "b", required_argument, NULL, 'b' },
		{ "count", required_argument, NULL, 'n' }, { "wait", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },	   {},
	};
	const char *devices[2] = { "glass0", "glass1" };
	bool wait = false;
	int c;

	vt_prog = "many_pairs";
	while ((c = getopt_long(argc, argv, "a:b:n:wh", options, NULL)) >= 0) {
		switch (c) {
		case 'a': devices[0] = optarg; break;
		case 'b': devices[1] = optarg; break;
		case 'n': npairs = strtoul(optarg, NULL, 0); break;
		case 'w': wait = true; break;
		case 'h': pairs_usage(stdout); return 0;
		default: pairs_usage(stderr); return 2;
		}
	}
	if (optind < argc || !npairs) {
		pairs_usage(stderr);
		return 2;
	}
	vt_hold_end();
	open_side(&sides[0], devices[0]);
	open_side(&sides[1], devices[1]);
	run_pairs(wait);
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&sides[0].end);
	vt_close(&sides[1].end);
	return 0;
}
