// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random SENDs, WRITEs and READs between glass0 and glass1, of any length and at any address: each byte of the memory of both ends
 * is compared with what it has to be, also where no message goes.
 *
 *     random_messages [--mtu BYTES] BATCHES SEED
 *
 * Prints the seed, and the numbers of messages of one packet, of more, and with buffers of more than one page.
 */
#include <getopt.h>

#include "random.h"
#include "vt.h"

enum { BYTES = 400 << 10, LONGEST = 160 << 10, BATCH = 5, SGES = 3, PSN = 0xffff00 };

/* One of the two buffers of an end: data come from `out`, and go to `in`. The region is a part of it, at an address of its own. */
struct buffer {
	u8 *mem;
	struct ibv_mr *mr;
	u64 iova;
	u32 first, len; /* of the region, in mem */
};

struct side {
	struct vt_end end;
	struct buffer out, in;
	u8 *want; /* what `in` has to be */
	struct ibv_qp *qp;
};

static struct side us, them;
static u32 mtu = 4096;
static u64 num_single, num_long, num_pages;

static void register_part(struct side *s, struct buffer *b)
{
	b->mem = vt_mem(BYTES);
	b->first = below(3 * PAGE);
	b->len = BYTES - b->first - below(3 * PAGE);
	b->iova = one_in(2) ? (uintptr_t)b->mem + b->first : ((u64)random32() << 20) + (((uintptr_t)b->mem + b->first) & (PAGE - 1));
	b->mr = ibv_reg_mr_iova(s->end.pd, b->mem + b->first, b->len, b->iova, VT_ACCESS_ALL);
	CHECK(b->mr, "reg_mr_iova: %s", strerror(errno));
	vt_track(VT_MR, b->mr);
}

static void open_side(struct side *s, const char *device)
{
	vt_open(&s->end, device, 1, 0);
	register_part(s, &s->out);
	register_part(s, &s->in);
	random_bytes(s->out.mem, BYTES);
	s->want = vt_mem(BYTES);
	s->qp = vt_qp(&s->end, (struct vt_qp_opts){ .wr = 4 * BATCH, .sge = SGES });
	vt_to_init(s->qp, 1, VT_ACCESS_ALL);
}

static void connect_to(struct side *s, const struct side *peer)
{
	struct vt_path to = { .qpn = peer->qp->qp_num, .lid = peer->end.attr.lid, .psn = PSN };

	for (to.mtu = IBV_MTU_256; 128u << to.mtu < mtu; to.mtu++)
		;
	vt_to_rts(s->qp, 1, PSN, &to);
}

static u32 random_length(void)
{
	static const u32 most[] = { 70, 4200, 20000, LONGEST };
	u32 n = below(most[below(ARRAY_LEN(most))]);

	/* often a multiple of a page or of the MTU, or a byte beside one */
	return one_in(3) ? n & ~(mtu - 1) : one_in(8) ? (n | (mtu - 1)) + below(3) : n;
}

/* A range of the buffer's region for n bytes; often at the beginning of a page, or up to an end of the region */
static u32 random_place(const struct buffer *b, u32 n)
{
	u32 off = b->first + below(b->len - n + 1), page = (off + PAGE - 1) & ~(PAGE - 1);

	switch (below(4)) {
	case 0:
		return page + n <= b->first + b->len ? page : off;
	case 1:
		return one_in(8) ? b->first : one_in(8) ? b->first + b->len - n : off;
	default:
		return off;
	}
}

/* Divides n bytes of the buffer, from off on, into up to SGES pieces, some of them empty. Returns how many. */
static int pieces(struct ibv_sge *sge, const struct buffer *b, u32 off, u32 n)
{
	int num = one_in(4) ? 1 + below(SGES) : 1, i;

	for (i = 0; i < num; i++) {
		/* an empty piece has no bytes: the behaviour zero_sge_max of strict mode is off */
		u32 part = i == num - 1 ? n : below(n + 1);

		sge[i] = (struct ibv_sge){ b->iova + off - b->first, part, b->mr->lkey };
		off += part;
		n -= part;
	}
	return num;
}

static void count_message(u32 n, u32 from, u32 to)
{
	num_single += n <= mtu;
	num_long += n > mtu;
	num_pages += n && (from / PAGE != (from + n - 1) / PAGE || to / PAGE != (to + n - 1) / PAGE);
}

/* Posts up to BATCH requests of `a`, and waits until all are done. */
static void run_batch(struct side *a, struct side *b)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE, IBV_WR_SEND, IBV_WR_RDMA_READ };
	struct ibv_send_wr wr[BATCH] = {};
	struct ibv_sge sge[BATCH][SGES], recv_sge[SGES];
	u32 num = 1 + below(BATCH), num_recv = 0, i;
	bool together = one_in(2);
	struct ibv_wc wc;

	for (i = 0; i < num; i++) {
		enum ibv_wr_opcode op = ops[below(ARRAY_LEN(ops))];
		struct side *from = op == IBV_WR_RDMA_READ ? b : a, *to = op == IBV_WR_RDMA_READ ? a : b;
		u32 n = random_length(), src = random_place(&from->out, n), dst = random_place(&to->in, n);

		count_message(n, src, dst);
		wr[i].wr_id = i;
		wr[i].opcode = op;
		wr[i].sg_list = sge[i];
		wr[i].send_flags = (i == num - 1 || one_in(3) ? IBV_SEND_SIGNALED : 0) | (one_in(8) ? IBV_SEND_FENCE : 0);
		if (op == IBV_WR_RDMA_READ) {
			wr[i].num_sge = pieces(sge[i], &to->in, dst, n);
			wr[i].wr.rdma.remote_addr = b->out.iova + src - b->out.first;
			wr[i].wr.rdma.rkey = b->out.mr->rkey;
		} else {
			wr[i].num_sge = pieces(sge[i], &from->out, src, n);
			wr[i].wr.rdma.remote_addr = b->in.iova + dst - b->in.first;
			wr[i].wr.rdma.rkey = b->in.mr->rkey;
		}
		if (op == IBV_WR_SEND) {
			struct ibv_recv_wr recv = { .wr_id = i, .sg_list = recv_sge }, *bad;
			/* a longer receive: the rest stays as it is */
			u32 room = n + (one_in(4) ? below(b->in.first + b->in.len - dst - n + 1) : 0);

			recv.num_sge = pieces(recv_sge, &b->in, dst, room);
			CHECK(!ibv_post_recv(b->qp, &recv, &bad), "post_recv: %s", strerror(errno));
			num_recv++;
		}
		memcpy(to->want + dst, from->out.mem + src, n);
		if (together && i)
			wr[i - 1].next = &wr[i];
	}
	for (i = 0; i < (together ? 1 : num); i++)
		vt_post(a->qp, &wr[i]);
	do
		vt_wc_ok(a->qp->send_cq, &wc);
	while (wc.wr_id != num - 1);
	while (num_recv--)
		vt_wc_ok(b->qp->recv_cq, &wc);
}

static void compare(const struct side *s, u32 batch)
{
	u32 i;

	if (!memcmp(s->in.mem, s->want, BYTES))
		return;
	for (i = 0; s->in.mem[i] == s->want[i]; i++)
		;
	CHECK(false, "batch %u: byte %u of %s is 0x%02x, not 0x%02x; the region has bytes %u to %u", batch, i, s->end.name, s->in.mem[i],
	      s->want[i], s->in.first, s->in.first + s->in.len - 1);
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "mtu", required_argument, NULL, 'm' }, {} };
	u32 batches, i;
	int c;

	vt_prog = "random_messages";
	while ((c = getopt_long(argc, argv, "m:", options, NULL)) == 'm')
		mtu = atoi(optarg);
	if (c != -1 || optind + 2 != argc || mtu < 256 || mtu > 4096 || mtu & (mtu - 1)) {
		fputs("Usage: random_messages [--mtu BYTES] BATCHES SEED\n", stderr);
		return 2;
	}
	batches = atoi(argv[optind]);
	random_state = strtoull(argv[optind + 1], NULL, 0);
	printf("seed %s\n", argv[optind + 1]);
	vt_limit(600);
	open_side(&us, "glass0");
	open_side(&them, "glass1");
	connect_to(&us, &them);
	connect_to(&them, &us);
	for (i = 0; i < batches; i++) {
		bool other = one_in(2);

		run_batch(other ? &them : &us, other ? &us : &them);
		compare(&us, i);
		compare(&them, i);
	}
	printf("messages: %llu of one packet, %llu longer, %llu with several pages\n", (unsigned long long)num_single,
	       (unsigned long long)num_long, (unsigned long long)num_pages);
	return 0;
}
