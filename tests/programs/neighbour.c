// SPDX-License-Identifier: GPL-2.0-only
/*
 * A neighbour that nobody wants: makes the adapter work as much as it can, with as little effort of its own. What it
 * costs others is counted by who runs it, from the trace (glass_turn) and the counters.
 */
#include <pthread.h>

#include "absent_pages.h"
#include "pairs.h"
#include "rings.h"

static const struct vt_path fastest_rnr = { .rnr_timer = 1 /* 10 us */ };

/* Sixteen messages of each pair, and then the program sleeps for ever. */
static void send_and_sleep(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct ibv_sge sge = vt_sge(mr_here, 0, 64);
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };

		for (unsigned int k = 0; k < 16; k++)
			vt_post(ours[i], &wr);
	}
	vt_ready();
	for (;;)
		pause();
}

/* Messages that nobody ever receives, of a peer that says to try again after 10 us, for ever. */
static void sleeper(unsigned int n)
{
	make_pairs(n, 16, 4096, fastest_rnr);
	send_and_sleep(n);
}

/* The same, but the first message is received: its ACK says that there are no credits, and the next message is a probe. */
static void prober(unsigned int n)
{
	make_pairs(n, 16, 4096, fastest_rnr);
	for (unsigned int i = 0; i < n; i++)
		vt_recv(theirs[i], i, mr_there, 0, 64);
	send_and_sleep(n);
}

/* Peers that are gone, and the ACK timeout that the program chose. */
static void widow(unsigned int n, uint8_t timeout)
{
	make_pairs(n, 16, 4096, (struct vt_path){ .timeout = timeout });
	for (unsigned int i = 0; i < n; i++)
		vt_drop(theirs[i]);
	send_and_sleep(n);
}

/* Each message is received into a page on demand that never comes. */
static void stuck(unsigned int n)
{
	struct absent_pages pages = absent_pages(n * 4096);
	struct ibv_mr *demand;

	make_pairs(n, 16, 4096, fastest_rnr);
	demand = vt_mr_of(there.pd, pages.at, n * 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	for (unsigned int i = 0; i < n; i++)
		vt_recv(theirs[i], i, demand, i * 4096, 4096);
	send_and_sleep(n);
}

/* The peer is back: each message has its receive, and all are there soon. */
static void late_receiver(unsigned int n)
{
	struct ibv_wc wc;
	char go;

	make_pairs(n, 16, 4096, fastest_rnr);
	for (unsigned int i = 0; i < n; i++) {
		struct ibv_sge sge = vt_sge(mr_here, 0, 64);
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
					  .send_flags = IBV_SEND_SIGNALED };

		vt_post(ours[i], &wr);
	}
	vt_ready();
	CHECK(read(0, &go, 1) == 1, "nobody says go");
	for (unsigned int i = 0; i < n; i++)
		vt_recv(theirs[i], i, mr_there, 0, 64);
	for (unsigned int i = 0; i < n; i++)
		vt_wc_ok(ours[0]->send_cq, &wc);
	printf("received\n");
}

/* A deep queue of WRITEs on each of many queue pairs, filled again and again. */
static void flood(unsigned int n, uint32_t bytes)
{
	const uint32_t deep = 16;
	struct ibv_wc wc[32];

	make_pairs(n, deep, bytes, (struct vt_path){});
	for (unsigned int i = 0; i < n * deep; i++) {
		struct ibv_sge sge = vt_sge(mr_here, 0, bytes);
		struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
					  .send_flags = IBV_SEND_SIGNALED, .wr_id = i % n,
					  .wr.rdma = { (uintptr_t)mr_there->addr, mr_there->rkey } };

		vt_post(ours[i % n], &wr);
	}
	vt_ready();
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
	vt_ready();
	/* the engine looks at the rings, should it ever find them empty */
	for (;;) {
		vt_to_state(qp, IBV_QPS_ERR);
		poll(NULL, 0, 1);
	}
}

#define WINDOW 16
#define MESSAGE 4096

/* Not a nuisance, but somebody who suffers from one: messages with data that is compared, and their rate. */
static void victim(unsigned int n)
{
	uint64_t from, ms;
	unsigned int done;
	struct ibv_wc wc;

	make_pairs(1, WINDOW, WINDOW * MESSAGE, (struct vt_path){});
	vt_ready();
	from = vt_now_ms();
	for (done = 0; done < n; done += WINDOW) {
		memset(mr_there->addr, 0, WINDOW * MESSAGE);
		vt_fill(mr_here->addr, WINDOW * MESSAGE, done);
		for (unsigned int i = 0; i < WINDOW; i++)
			vt_recv(theirs[0], done + i, mr_there, i * MESSAGE, MESSAGE);
		for (unsigned int i = 0; i < WINDOW; i++) {
			struct ibv_sge sge = vt_sge(mr_here, i * MESSAGE, MESSAGE);
			struct ibv_send_wr wr = { .wr_id = done + i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
						  .send_flags = IBV_SEND_SIGNALED };

			vt_post(ours[0], &wr);
		}
		for (unsigned int i = 0; i < WINDOW; i++) {
			vt_wc_is(ours[0]->send_cq, done + i, IBV_WC_SUCCESS);
			vt_wc_ok(theirs[0]->recv_cq, &wc);
			CHECK(wc.wr_id == done + i && wc.byte_len == MESSAGE, "another receive than message %u's", done + i);
		}
		vt_verify(mr_there->addr, WINDOW * MESSAGE, done, "what was received");
	}
	ms = vt_now_ms() - from;
	printf("messages %u rate %.0f\n", done, done * 1000.0 / (ms ? ms : 1));
}

static const char usage[] =
	"Usage: neighbour [--count N] [--timeout CODE] WHAT\n"
	"WHAT  sleep: N pairs send to peers without receives, and the program sleeps\n"
	"      probe: the same, and the peers say that there are no credits\n"
	"      dead:  N pairs send to peers that are gone; the ACK timeout is CODE (1: 8 us)\n"
	"      stuck: N pairs send into pages on demand that never come\n"
	"      wait:  as sleep, with receives when a byte comes by standard input\n"
	"      flood: N pairs write 64 KiB each, 16 at a time, for ever\n"
	"      flood-large: the same with 4 MiB, more than one doorbell does: lanes do most of it\n"
	"      flush-send, flush-recv: a ring of N entries of a queue pair in error is always full\n"
	"      victim: no nuisance: N messages whose data is compared; prints `messages N rate N`\n"
	"Prints `ready` when it has begun. Exit status 0: done; 1: something failed; 2: wrong arguments.\n";

int main(int argc, char **argv)
{
	unsigned int n = 4, timeout = 1;
	const char *what;

	vt_prog = "neighbour";
	what = what_to_do(argc, argv, usage, &n, &timeout);
	if (!n || !timeout || timeout > 31 || (n > MAX_PAIRS && strncmp(what, "flush", 5) && strcmp(what, "victim")))
		wrong_usage(usage);
	if (!strcmp(what, "sleep")) {
		sleeper(n);
	} else if (!strcmp(what, "probe")) {
		prober(n);
	} else if (!strcmp(what, "dead")) {
		widow(n, timeout);
	} else if (!strcmp(what, "stuck")) {
		stuck(n);
	} else if (!strcmp(what, "victim")) {
		victim(n);
	} else if (!strcmp(what, "wait")) {
		late_receiver(n);
	} else if (!strcmp(what, "flood")) {
		flood(n, 64 << 10);
	} else if (!strcmp(what, "flood-large")) {
		flood(n, 4 << 20);
	} else if (!strcmp(what, "flush-send") || !strcmp(what, "flush-recv")) {
		flusher(n, !strcmp(what, "flush-send"));
	} else {
		wrong_usage(usage);
	}
	return 0;
}
