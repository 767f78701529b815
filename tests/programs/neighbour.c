// SPDX-License-Identifier: GPL-2.0-only
/*
 * A neighbour that nobody wants: makes the adapter work as much as it can, with as little effort of its own. What it
 * costs others is counted by who runs it, from the trace (glass_turn) and the counters.
 */
#include <endian.h>
#include <getopt.h>
#include <pthread.h>

#include "rings.h"

#define PSN 1
#define MAX 4096

static struct vt_end here, there;
static struct ibv_qp *ours[MAX], *theirs[MAX];
static struct ibv_mr *mr_here, *mr_there;

/* Connects a queue pair of one end with one of the other; both are this process's. */
static void connect_pair(struct ibv_qp *a, struct ibv_qp *b, uint8_t rnr_timer)
{
	struct vt_path to_b = { .qpn = b->qp_num, .psn = PSN, .lid = there.attr.lid, .mtu = IBV_MTU_4096,
				.rnr_timer = rnr_timer };
	struct vt_path to_a = to_b;

	to_a.qpn = a->qp_num;
	to_a.lid = here.attr.lid;
	vt_to_init(a, 1, VT_ACCESS_ALL);
	vt_to_init(b, 1, VT_ACCESS_ALL);
	vt_to_rts(a, 1, PSN, &to_b);
	vt_to_rts(b, 1, PSN, &to_a);
}

static void make_pairs(unsigned int n, uint32_t wr, size_t bytes, uint8_t rnr_timer)
{
	struct ibv_cq *a, *b;

	vt_open(&here, "glass0", 1, 0);
	vt_open(&there, "glass1", 1, 0);
	mr_here = vt_buf(&here, bytes);
	mr_there = vt_buf(&there, bytes);
	a = vt_cq(&here, n * wr * 2, NULL);
	b = vt_cq(&there, n * wr * 2, NULL);
	for (unsigned int i = 0; i < n; i++) {
		ours[i] = vt_qp(&here, (struct vt_qp_opts){ .scq = a, .rcq = a, .wr = wr, .sge = 1 });
		theirs[i] = vt_qp(&there, (struct vt_qp_opts){ .scq = b, .rcq = b, .wr = wr, .sge = 1 });
		connect_pair(ours[i], theirs[i], rnr_timer);
	}
}

static void ready(void)
{
	printf("ready\n");
	fflush(stdout);
}

/* Messages that nobody ever receives, of a peer that says to try again after 10 us, for ever. */
static void sleeper(unsigned int n)
{
	make_pairs(n, 16, 4096, 1);
	for (unsigned int i = 0; i < n; i++) {
		struct ibv_sge sge = vt_sge(mr_here, 0, 64);
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };

		for (unsigned int k = 0; k < 16; k++)
			vt_post(ours[i], &wr);
	}
	ready();
	for (;;)
		pause();
}

/* The peer is back: each message has its receive, and all are there soon. */
static void late_receiver(unsigned int n)
{
	struct ibv_wc wc;
	char go;

	make_pairs(n, 16, 4096, 1);
	for (unsigned int i = 0; i < n; i++) {
		struct ibv_sge sge = vt_sge(mr_here, 0, 64);
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
					  .send_flags = IBV_SEND_SIGNALED };

		vt_post(ours[i], &wr);
	}
	ready();
	CHECK(read(0, &go, 1) == 1, "nobody says go");
	for (unsigned int i = 0; i < n; i++)
		vt_recv(theirs[i], i, mr_there, 0, 64);
	for (unsigned int i = 0; i < n; i++)
		vt_wc_ok(ours[0]->send_cq, &wc);
	printf("received\n");
}

/* A deep queue of WRITEs on each of many queue pairs, filled again and again. */
static void flood(unsigned int n)
{
	const uint32_t bytes = 65536, deep = 16;
	struct ibv_wc wc[32];

	make_pairs(n, deep, bytes, 12);
	for (unsigned int i = 0; i < n * deep; i++) {
		struct ibv_sge sge = vt_sge(mr_here, 0, bytes);
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
					  .send_flags = IBV_SEND_SIGNALED, .wr_id = i % n,
					  .wr.rdma = { (uintptr_t)mr_there->addr, mr_there->rkey } };

		vt_post(ours[i % n], &wr);
	}
	ready();
	for (;;) {
		int got = ibv_poll_cq(ours[0]->send_cq, 32, wc);

		CHECK(got >= 0, "poll_cq failed");
		for (int i = 0; i < got; i++) {
			struct ibv_sge sge = vt_sge(mr_here, 0, bytes);
			struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
						  .send_flags = IBV_SEND_SIGNALED, .wr_id = wc[i].wr_id,
						  .wr.rdma = { (uintptr_t)mr_there->addr, mr_there->rkey } };

			CHECK(wc[i].status == IBV_WC_SUCCESS, "%s", ibv_wc_status_str(wc[i].status));
			vt_post(ours[wc[i].wr_id], &wr);
		}
	}
}

static struct glass_ring_hdr *ring;
static uint32_t deep;

static void *refill(void *nothing)
{
	for (;;)
		__atomic_store_n(&ring->producer, __atomic_load_n(&ring->consumer, __ATOMIC_ACQUIRE) + deep,
				 __ATOMIC_RELEASE);
	return nothing;
}

/* A queue pair in error whose ring is always full again: all of it is to be flushed. */
static void flusher(unsigned int depth, bool send)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 64, .wc_flags = IBV_WC_STANDARD_FLAGS,
					       .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
					       .flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN };
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = unique_id(), .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_recv_wr rwr = { .wr_id = unique_id(), .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
	pthread_t thread;

	vt_open(&here, "glass0", 1, 0);
	mr_here = vt_buf(&here, 4096);
	sge = vt_sge(mr_here, 0, 64);
	cq = ibv_create_cq_ex(here.ctx, &cq_attr);
	CHECK(cq, "create_cq_ex: %s", strerror(errno));
	qp = vt_qp(&here, (struct vt_qp_opts){ .scq = ibv_cq_ex_to_cq(cq), .rcq = ibv_cq_ex_to_cq(cq), .wr = depth,
					       .sge = 1 });
	vt_to_init(qp, 1, VT_ACCESS_ALL);
	CHECK(!ibv_post_recv(qp, &rwr, &bad), "post_recv: %s", strerror(errno));
	vt_to_state(qp, IBV_QPS_ERR);
	if (send) {
		vt_post(qp, &wr);
		ring = hdr_before(find_send(&wr), 1);
	} else {
		ring = hdr_before(find_recv(rwr.wr_id), 1);
	}
	deep = depth;
	CHECK(!pthread_create(&thread, NULL, refill, NULL), "no thread");
	ready();
	/* the engine looks at the rings, should it ever find them empty */
	for (;;) {
		vt_to_state(qp, IBV_QPS_ERR);
		poll(NULL, 0, 1);
	}
}

/* ---- one group with many members, all of them this process's, and two senders that are members, too */

#define DATAGRAMS 12 /* of each sender */
#define SENDERS 2
#define MEMBER_BYTES (40 + MAX)

static struct ibv_qp *members[MAX + SENDERS]; /* senders come last: they are destroyed first when the program ends */
static unsigned int nmembers;
static uint32_t got[MAX + SENDERS][SENDERS]; /* datagrams of each sender */
static const union ibv_gid group = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80, [15] = 0x36 } };
static const uint16_t group_lid = 0xc036;

static void make_member(struct ibv_cq *scq, struct ibv_cq *rcq, uint32_t wr)
{
	struct ibv_qp *qp = vt_qp(&here, (struct vt_qp_opts){ .type = IBV_QPT_UD, .scq = scq, .rcq = rcq, .wr = wr,
							      .sge = 1 });
	int err;

	vt_to_init(qp, 1, 0);
	vt_to_rts(qp, 1, 0, &(struct vt_path){});
	err = ibv_attach_mcast(qp, &group, group_lid);
	CHECK(!err, "attach_mcast: %s", strerror(err));
	members[nmembers++] = qp;
}

static struct ibv_qp *sender(unsigned int i)
{
	return members[nmembers - SENDERS + i];
}

/* n members in all, with receives for all datagrams. */
static struct ibv_cq *make_group(unsigned int n, uint32_t wr)
{
	struct ibv_cq *scq, *rcq;

	CHECK(n > SENDERS, "%u are too few", n);
	vt_open(&here, "glass0", 1, 0);
	mr_here = vt_buf(&here, DATAGRAMS * SENDERS * MAX);
	mr_there = vt_buf(&here, (size_t)n * MEMBER_BYTES);
	scq = vt_cq(&here, SENDERS * wr, NULL);
	rcq = vt_cq(&here, n * DATAGRAMS * SENDERS, NULL);
	while (nmembers < n) {
		unsigned int i = nmembers;

		make_member(scq, rcq, wr);
		for (unsigned int k = 0; k < DATAGRAMS * SENDERS; k++)
			vt_recv(members[i], i, mr_there, (size_t)i * MEMBER_BYTES, MEMBER_BYTES);
	}
	return rcq;
}

static struct ibv_ah *to_group(void)
{
	struct ibv_ah_attr attr = { .dlid = group_lid, .port_num = 1, .is_global = 1, .grh.dgid = group };
	struct ibv_ah *ah = ibv_create_ah(here.pd, &attr);

	CHECK(ah, "create_ah: %s", strerror(errno));
	vt_track(VT_AH, ah);
	return ah;
}

/* The k-th datagram of a sender is datagram s * DATAGRAMS + k, and says so. */
static void multicast(struct ibv_ah *ah, unsigned int s, unsigned int k)
{
	uint32_t which = s * DATAGRAMS + k;
	struct ibv_sge sge = vt_sge(mr_here, (size_t)which * MAX, MAX);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htobe32(which),
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.ud = { .ah = ah, .remote_qpn = 0xffffff, .remote_qkey = VT_QKEY } };

	vt_post(sender(s), &wr);
}

static void multicast_all(void)
{
	struct ibv_ah *ah = to_group();

	for (unsigned int i = 0; i < DATAGRAMS * SENDERS; i++)
		vt_fill((uint8_t *)mr_here->addr + (size_t)i * MAX, MAX, i);
	for (unsigned int k = 0; k < DATAGRAMS; k++)
		for (unsigned int s = 0; s < SENDERS; s++)
			multicast(ah, s, k);
}

/* The next copy: it is the next of its sender's that this member has. False: none came for so long. */
static bool take_copy(struct ibv_cq *rcq, unsigned int ms)
{
	uint32_t which, s;
	struct ibv_wc wc;

	if (!vt_try_wc(rcq, &wc, ms))
		return false;
	CHECK(wc.status == IBV_WC_SUCCESS, "member %u: %s", (unsigned int)wc.wr_id, ibv_wc_status_str(wc.status));
	CHECK(wc.byte_len == MEMBER_BYTES, "member %u got %u bytes", (unsigned int)wc.wr_id, wc.byte_len);
	which = be32toh(wc.imm_data);
	s = which / DATAGRAMS;
	CHECK(s < SENDERS && wc.wr_id < nmembers, "datagram %u", which);
	CHECK(which % DATAGRAMS == got[wc.wr_id][s], "member %u got datagram %u of sender %u after %u",
	      (unsigned int)wc.wr_id, which % DATAGRAMS, s, got[wc.wr_id][s]);
	/* the receives of a member share their memory: its last datagram is there to stay */
	if (++got[wc.wr_id][s] == DATAGRAMS && got[wc.wr_id][!s] == DATAGRAMS)
		vt_verify((uint8_t *)mr_there->addr + wc.wr_id * MEMBER_BYTES + 40, MAX, which, "the last datagram");
	return true;
}

static void all_copies_came(unsigned int i)
{
	for (unsigned int s = 0; s < SENDERS; s++)
		CHECK(got[i][s] == DATAGRAMS, "member %u has %u of %u datagrams of sender %u", i, got[i][s], DATAGRAMS, s);
}

/* Each member gets each datagram once, and those of a sender in order. */
static void group_of(unsigned int n)
{
	struct ibv_cq *rcq = make_group(n, DATAGRAMS * SENDERS);

	ready();
	multicast_all();
	for (unsigned int i = 0; i < n * DATAGRAMS * SENDERS; i++)
		CHECK(take_copy(rcq, VT_WAIT_MS), "only %u of %u copies came", i, n * DATAGRAMS * SENDERS);
	CHECK(!take_copy(rcq, 100), "a copy came twice");
	for (unsigned int i = 0; i < n; i++)
		all_copies_came(i);
	printf("received\n");
}

static void destroy_member(struct ibv_qp *qp)
{
	int err = ibv_detach_mcast(qp, &group, group_lid);

	CHECK(!err, "detach_mcast: %s", strerror(err));
	vt_drop(qp);
}

static void *leave_group(void *nothing)
{
	for (unsigned int i = 1; i < nmembers - SENDERS; i += 2)
		destroy_member(members[i]);
	return nothing;
}

/* Every other member is destroyed meanwhile: the others get all, these only what came before. */
static void group_that_shrinks(unsigned int n)
{
	struct ibv_cq *rcq = make_group(n, DATAGRAMS * SENDERS);
	pthread_t thread;

	ready();
	CHECK(!pthread_create(&thread, NULL, leave_group, NULL), "no thread");
	multicast_all();
	CHECK(!pthread_join(thread, NULL), "no end of the thread");
	while (take_copy(rcq, 1000))
		;
	for (unsigned int i = 0; i < n; i++)
		if (i >= n - SENDERS || i % 2 == 0)
			all_copies_came(i);
	printf("received\n");
}

/* A sender is destroyed meanwhile: the other one's datagrams all come, its own up to one of them. */
static void group_without_sender(unsigned int n)
{
	struct ibv_cq *rcq = make_group(n, DATAGRAMS * SENDERS);
	struct ibv_qp *gone = sender(0);

	ready();
	multicast_all();
	destroy_member(gone);
	while (take_copy(rcq, 1000))
		;
	for (unsigned int i = 0; i < n; i++)
		CHECK(i == n - SENDERS || got[i][1] == DATAGRAMS, "member %u has %u datagrams of the other sender", i, got[i][1]);
	printf("received\n");
}

/* Datagrams without end. Only the first find receives. */
static void group_flood(unsigned int n)
{
	const unsigned int depth = 256;
	struct ibv_ah *ah;
	struct ibv_wc wc;

	make_group(n, depth);
	ah = to_group();
	for (unsigned int i = 0; i < depth; i++)
		multicast(ah, 0, 0);
	ready();
	for (;;) {
		vt_wc_ok(sender(0)->send_cq, &wc);
		multicast(ah, 0, 0);
	}
}

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: neighbour [--count N] WHAT\n"
		"WHAT  sleep: N pairs send to peers without receives, and the program sleeps\n"
		"      wait:  the same, with receives when a byte comes by standard input\n"
		"      flood: N pairs write 64 KiB each, 16 at a time, for ever\n"
		"      flush-send, flush-recv: a ring of N entries of a queue pair in error is always full\n"
		"      group: two of the N members of a multicast group send to it, and all get all of it\n"
		"      group-shrinks: the same, while every other member is destroyed\n"
		"      group-sender: the same, while a sender is destroyed\n"
		"      group-flood: a member of a group of N sends to it for ever\n"
		"Prints `ready` when it has begun. Exit status 0: done; 1: something failed; 2: wrong arguments.\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' }, { "help", no_argument, NULL, 'h' }, {},
	};
	unsigned int n = 4;
	const char *what;
	int c;

	vt_prog = "neighbour";
	while ((c = getopt_long(argc, argv, "n:h", options, NULL)) >= 0) {
		switch (c) {
		case 'n':
			n = atoi(optarg);
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	what = optind + 1 == argc ? argv[optind] : "";
	if (!n || (n > MAX && strncmp(what, "flush", 5))) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(what, "sleep")) {
		sleeper(n);
	} else if (!strcmp(what, "wait")) {
		late_receiver(n);
	} else if (!strcmp(what, "flood")) {
		flood(n);
	} else if (!strcmp(what, "group")) {
		group_of(n);
	} else if (!strcmp(what, "group-shrinks")) {
		group_that_shrinks(n);
	} else if (!strcmp(what, "group-sender")) {
		group_without_sender(n);
	} else if (!strcmp(what, "group-flood")) {
		group_flood(n);
	} else if (!strcmp(what, "flush-send") || !strcmp(what, "flush-recv")) {
		flusher(n, !strcmp(what, "flush-send"));
	} else {
		usage(stderr);
		return 2;
	}
	return 0;
}
