// SPDX-License-Identifier: GPL-2.0-only
/*
 * RC or XRC traffic from one device to another, for ever, for those who want to
 * watch, kill or break a program at work. One process holds both ends; side a
 * sends and writes, side b receives and counts.
 */
#include <getopt.h>

#include "vt.h"

#define WINDOW 16
#define RECVS 64

enum mode { MIXED, SENDS, WRITES };

struct side {
	char letter;
	struct vt_end end;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_xrcd *xrcd; /* of an XRC target */
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	unsigned int unacked;
	bool grh;
};

static struct side a = { .letter = 'a' }, b = { .letter = 'b' };
static size_t size = 4096;
static enum mode mode = MIXED;
static uint8_t timeout = 14, retries; /* 0: vt_to_rts()'s own */
static uint64_t limit, posted, done, sent, received, errors;
static bool verbose, post_on, xrc;
static uint32_t xrc_srqn;
static volatile sig_atomic_t stop;

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: traffic [OPTION]...\n"
		"  -a, --a DEVICE     sending device (glass0)\n"
		"  -b, --b DEVICE     receiving device (glass1)\n"
		"  -i, --a-port N     port of the sending device (1)\n"
		"  -j, --b-port N     port of the receiving device (1)\n"
		"  -n, --count N      stop after N messages (never)\n"
		"  -A, --a-gid N      index of the sending port's GID: packets have a GRH (none)\n"
		"  -B, --b-gid N      the same for the receiving port\n"
		"  -s, --size BYTES   bytes of a message (4096)\n"
		"  -m, --mode MODE    mixed, send or write (mixed)\n"
		"  -S, --srq          receive through an SRQ\n"
		"  -X, --xrc          an XRC initiator, and a target with an SRQ\n"
		"  -t, --timeout N    local ACK timeout, 4.096 us * 2^N (14)\n"
		"  -r, --retry N      retries, 1 to 7 (7)\n"
		"  -l, --alt PORT     load an alternate path between these ports of both devices (none)\n"
		"  -p, --post-on      after the first error, post what there is room for once more\n"
		"  -v, --verbose      a line on progress every second\n"
		"Prints a line `qpn 0x... dev ... side ...` for each end, then `running`.\n"
		"SIGINT and SIGTERM end it well. Exit status 0: ended well; 1: could not start, or\n"
		"wrong data; 2: wrong arguments; 3: a completion or an event told of an error\n"
		"(`wc status=... qpn=...`, `event qp_fatal qpn=0x...`); 4: no progress for 30 s.\n");
}

static void on_signal(int sig VT_UNUSED)
{
	stop = 1;
}

static void post_recv(uint64_t slot)
{
	struct ibv_sge sge = vt_sge(b.mr, slot * size, size);
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = b.srq ? ibv_post_srq_recv(b.srq, &wr, &bad) : ibv_post_recv(b.qp, &wr, &bad);

	CHECK(!err, "post_recv: %s", strerror(err));
}

/* Side a of XRC: it only sends. */
static void make_initiator(struct side *s)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_SEND, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = s->end.pd, .send_cq = s->cq,
		.cap = { .max_send_wr = RECVS, .max_send_sge = 1 },
	};

	s->qp = ibv_create_qp_ex(s->end.ctx, &init);
	CHECK(s->qp, "create_qp of an initiator: %s", strerror(errno));
	vt_track(VT_QP, s->qp);
}

/* Side b of XRC: it receives through an SRQ of its domain. */
static void make_target(struct side *s)
{
	struct ibv_xrcd_init_attr domain = { .fd = -1, .oflags = O_CREAT,
					     .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS };
	struct ibv_srq_init_attr_ex srq = {
		.attr = { .max_wr = RECVS, .max_sge = 1 }, .srq_type = IBV_SRQT_XRC, .cq = s->cq, .pd = s->end.pd,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_PD,
	};
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD };

	s->xrcd = ibv_open_xrcd(s->end.ctx, &domain);
	CHECK(s->xrcd, "open_xrcd: %s", strerror(errno));
	srq.xrcd = init.xrcd = s->xrcd;
	s->srq = ibv_create_srq_ex(s->end.ctx, &srq);
	CHECK(s->srq, "create_srq_ex: %s", strerror(errno));
	vt_track(VT_SRQ, s->srq);
	CHECK(!ibv_get_srq_num(s->srq, &xrc_srqn), "get_srq_num failed");
	s->qp = ibv_create_qp_ex(s->end.ctx, &init);
	CHECK(s->qp, "create_qp of a target: %s", strerror(errno));
	vt_track(VT_QP, s->qp);
}

static void make_side(struct side *s, const char *device, int port, int gid, size_t bytes, bool srq)
{
	vt_open(&s->end, device, port, gid < 0 ? 0 : gid);
	s->grh = gid >= 0;
	s->channel = vt_channel(&s->end);
	s->cq = vt_cq(&s->end, 2 * RECVS, s->channel);
	s->mr = vt_buf(&s->end, bytes);
	if (xrc && s == &a) {
		make_initiator(s);
	} else if (xrc) {
		make_target(s);
	} else {
		if (srq)
			s->srq = vt_srq(&s->end, RECVS, 1);
		s->qp = vt_qp(&s->end, (struct vt_qp_opts){ .scq = s->cq, .rcq = s->cq, .srq = s->srq,
							    .wr = RECVS, .sge = 1 });
	}
	vt_to_init(s->qp, port, VT_ACCESS_ALL);
}

static void connect_side(struct side *s, const struct side *to)
{
	struct vt_path path = { .qpn = to->qp->qp_num, .psn = 0x100, .lid = to->end.attr.lid,
				.mtu = s->end.attr.active_mtu, .timeout = timeout,
				.retry = retries, .use_grh = s->grh, .dgid = to->end.gid,
				.sgid_index = s->end.gid_index };

	if (xrc && s == &b)
		/* a target sends nothing but answers */
		CHECK(!vt_try_rtr(s->qp, s->end.port, &path), "the target to RTR: %s", strerror(errno));
	else
		vt_to_rts(s->qp, s->end.port, 0x100, &path);
	printf("qpn 0x%x dev %s port %d lid 0x%x side %c cq_handle %u cqe %d srq %d peer 0x%x\n",
	       s->qp->qp_num, s->end.name, s->end.port, s->end.attr.lid, s->letter, s->cq->handle,
	       s->cq->cqe, s->srq ? 1 : 0, to->qp->qp_num);
}

/* Loads the path between the ports `port` of both devices as the alternate path. */
static void load_alt_path(struct side *s, const struct side *to, int port)
{
	struct ibv_qp_attr attr = { .path_mig_state = IBV_MIG_REARM, .alt_port_num = port, .alt_timeout = timeout,
				    .alt_ah_attr = { .port_num = port } };
	struct ibv_port_attr peer;
	int err;

	CHECK(!ibv_query_port(to->end.ctx, port, &peer), "%s: query_port %d", to->end.name, port);
	attr.alt_ah_attr.dlid = peer.lid;
	err = ibv_modify_qp(s->qp, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
	CHECK(!err, "%s: load the alternate path: %s", s->end.name, strerror(err));
}

/* Buffers of b: RECVS slots for receives, then WINDOW slots for writes. */
static void post_more(void)
{
	while (posted - done < WINDOW && !stop && (!limit || posted < limit)) {
		bool is_send = mode == SENDS || (mode == MIXED && posted % 2 == 0);
		uint64_t slot = posted % WINDOW;
		struct ibv_sge sge = vt_sge(a.mr, slot * size, size);
		struct ibv_send_wr wr = { .wr_id = posted, .sg_list = &sge, .num_sge = 1,
					  .opcode = is_send ? IBV_WR_SEND : IBV_WR_RDMA_WRITE,
					  .send_flags = IBV_SEND_SIGNALED };

		wr.wr.rdma.remote_addr = (uintptr_t)b.mr->addr + (RECVS + slot) * size;
		wr.wr.rdma.rkey = b.mr->rkey;
		if (xrc)
			wr.qp_type.xrc.remote_srqn = xrc_srqn;
		if (size >= 8)
			memcpy((char *)a.mr->addr + slot * size, is_send ? &sent : &posted, 8);
		vt_post(a.qp, &wr);
		sent += is_send;
		posted++;
	}
}

static void check_received(const struct ibv_wc *wc)
{
	uint64_t number;

	CHECK(wc->byte_len == size, "received %u bytes instead of %zu", wc->byte_len, size);
	if (size >= 8) {
		memcpy(&number, (char *)b.mr->addr + wc->wr_id * size, 8);
		CHECK(number == received, "message %llu arrived when %llu was due",
		      (unsigned long long)number, (unsigned long long)received);
	}
	received++;
	post_recv(wc->wr_id);
}

/* Takes what is in a side's CQ; returns how many. */
static unsigned int drain(struct side *s)
{
	struct ibv_wc wc[16];
	unsigned int total = 0;
	int n, i;

	while ((n = ibv_poll_cq(s->cq, ARRAY_LEN(wc), wc)) > 0) {
		total += n;
		for (i = 0; i < n; i++) {
			if (wc[i].status != IBV_WC_SUCCESS) {
				if (errors++ < 8)
					printf("wc status=\"%s\" code=%d vendor=0x%x qpn=0x%x wr_id=%llu side=%c\n",
					       ibv_wc_status_str(wc[i].status), wc[i].status,
					       wc[i].vendor_err, wc[i].qp_num,
					       (unsigned long long)wc[i].wr_id, s->letter);
			} else if (s == &a) {
				CHECK(wc[i].wr_id == done, "completion of %llu, %llu was due",
				      (unsigned long long)wc[i].wr_id, (unsigned long long)done);
				done++;
			} else if (!errors) {
				check_received(&wc[i]);
			}
		}
	}
	CHECK(n >= 0, "poll_cq returned %d on side %c", n, s->letter);
	return total;
}

static const char *event_word(enum ibv_event_type type)
{
	static const char *const words[] = {
		"cq_err",      "qp_fatal",     "qp_req_err",	     "qp_access_err",
		"comm_est",    "sq_drained",   "path_mig",	     "path_mig_err",
		"device_fatal", "port_active", "port_err",	     "lid_change",
		"pkey_change", "sm_change",    "srq_err",	     "srq_limit_reached",
		"qp_last_wqe_reached", "client_reregister", "gid_change",
	};

	return type < ARRAY_LEN(words) ? words[type] : "unknown";
}

static void take_event(struct side *s)
{
	struct ibv_async_event ev;

	if (ibv_get_async_event(s->end.ctx, &ev))
		return;
	switch (ev.event_type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
		errors++;
		/* fall through */
	case IBV_EVENT_QP_LAST_WQE_REACHED:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
		printf("event %s qpn=0x%x side=%c\n", event_word(ev.event_type),
		       ev.element.qp->qp_num, s->letter);
		break;
	case IBV_EVENT_CQ_ERR:
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_DEVICE_FATAL:
		errors++;
		/* fall through */
	default:
		printf("event %s side=%c\n", event_word(ev.event_type), s->letter);
		break;
	}
	fflush(stdout);
	ibv_ack_async_event(&ev);
}

static void take_channel(struct side *s)
{
	struct ibv_cq *cq;
	void *context;

	if (!ibv_get_cq_event(s->channel, &cq, &context))
		s->unacked++;
}

/* Sleeps until something happens on either side, or ms pass; false when they did. */
static bool wait_for_news(int ms)
{
	struct pollfd fds[] = {
		{ .fd = a.channel->fd, .events = POLLIN },
		{ .fd = b.channel->fd, .events = POLLIN },
		{ .fd = a.end.ctx->async_fd, .events = POLLIN },
		{ .fd = b.end.ctx->async_fd, .events = POLLIN },
	};

	if (poll(fds, ARRAY_LEN(fds), ms) <= 0)
		return false;
	if (fds[0].revents)
		take_channel(&a);
	if (fds[1].revents)
		take_channel(&b);
	if (fds[2].revents)
		take_event(&a);
	if (fds[3].revents)
		take_event(&b);
	return true;
}

static void arm(struct side *s)
{
	int err = ibv_req_notify_cq(s->cq, 0);

	CHECK(!err, "req_notify_cq: %s", strerror(err));
}

/* The first error is seldom the only news: wait until no more comes. */
static void collect_errors(void)
{
	uint64_t until = vt_now_ms() + 2000;

	do {
		arm(&a);
		arm(&b);
		drain(&a);
		drain(&b);
	} while (wait_for_news(300) && vt_now_ms() < until);
	if (errors > 8)
		printf("%llu errors in all\n", (unsigned long long)errors);
	printf("messages %llu\n", (unsigned long long)done);
	fflush(stdout);
}

static int run(void)
{
	uint64_t progress_at = vt_now_ms(), told_at = progress_at, told = 0, now;

	while (!(stop && posted == done) && !(limit && done == limit)) {
		unsigned int n;

		if (!errors)
			post_more();
		n = drain(&a) + drain(&b);
		if (!n) {
			arm(&a);
			arm(&b);
			n = drain(&a) + drain(&b);
		}
		while (vt_readable(a.end.ctx->async_fd, 0))
			take_event(&a);
		while (vt_readable(b.end.ctx->async_fd, 0))
			take_event(&b);
		if (errors) {
			if (post_on) {
				/* what was done meanwhile makes room */
				drain(&a);
				post_more();
			}
			collect_errors();
			return 3;
		}
		if (!n)
			wait_for_news(1000);

		now = vt_now_ms();
		if (n)
			progress_at = now;
		if (now - progress_at > 30000) {
			printf("no progress for 30 s: %llu messages done, %llu posted\n",
			       (unsigned long long)done, (unsigned long long)posted);
			return 4;
		}
		if (verbose && now - told_at >= 1000) {
			printf("messages %llu, %llu per second\n", (unsigned long long)done,
			       (unsigned long long)((done - told) * 1000 / (now - told_at)));
			fflush(stdout);
			told = done;
			told_at = now;
		}
	}
	printf("messages %llu\n", (unsigned long long)done);
	return 0;
}

static void finish(void)
{
	ibv_ack_cq_events(a.cq, a.unacked);
	ibv_ack_cq_events(b.cq, b.unacked);
	vt_drain_events(a.end.ctx);
	vt_drain_events(b.end.ctx);
	CHECK(!vt_drop_all(), "clean-up failed");
	CHECK(!b.xrcd || !ibv_close_xrcd(b.xrcd), "close_xrcd failed");
	vt_close(&a.end);
	vt_close(&b.end);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "a", required_argument, NULL, 'a' },	    { "b", required_argument, NULL, 'b' },
		{ "a-port", required_argument, NULL, 'i' }, { "b-port", required_argument, NULL, 'j' },
		{ "count", required_argument, NULL, 'n' },  { "size", required_argument, NULL, 's' },
		{ "mode", required_argument, NULL, 'm' },   { "srq", no_argument, NULL, 'S' },
		{ "verbose", no_argument, NULL, 'v' },	    { "help", no_argument, NULL, 'h' },
		{ "post-on", no_argument, NULL, 'p' },	    { "xrc", no_argument, NULL, 'X' },
		{ "timeout", required_argument, NULL, 't' }, { "retry", required_argument, NULL, 'r' },
		{ "alt", required_argument, NULL, 'l' },
		{ "a-gid", required_argument, NULL, 'A' }, { "b-gid", required_argument, NULL, 'B' },
		{},
	};
	const char *dev_a = "glass0", *dev_b = "glass1";
	int port_a = 1, port_b = 1, gid_a = -1, gid_b = -1, alt = 0, c, status;
	bool srq = false;
	uint64_t i;

	vt_prog = "traffic";
	while ((c = getopt_long(argc, argv, "a:b:i:j:A:B:n:s:m:t:r:l:SXpvh", options, NULL)) != -1) {
		switch (c) {
		case 'a': dev_a = optarg; break;
		case 'b': dev_b = optarg; break;
		case 'i': port_a = atoi(optarg); break;
		case 'j': port_b = atoi(optarg); break;
		case 'A': gid_a = atoi(optarg); break;
		case 'B': gid_b = atoi(optarg); break;
		case 'n': limit = strtoull(optarg, NULL, 0); break;
		case 's': size = strtoul(optarg, NULL, 0); break;
		case 'm':
			if (strcmp(optarg, "mixed") && strcmp(optarg, "send") && strcmp(optarg, "write")) {
				usage(stderr);
				return 2;
			}
			mode = *optarg == 'm' ? MIXED : *optarg == 's' ? SENDS : WRITES;
			break;
		case 't': timeout = atoi(optarg); break;
		case 'r': retries = atoi(optarg); break;
		case 'l': alt = atoi(optarg); break;
		case 'S': srq = true; break;
		case 'X': xrc = true; break;
		case 'p': post_on = true; break;
		case 'v': verbose = true; break;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 2;
		}
	}
	if (optind < argc || !size || size > 1 << 22) {
		usage(stderr);
		return 2;
	}

	vt_limit(60); /* for the start only */
	make_side(&a, dev_a, port_a, gid_a, WINDOW * size, false);
	make_side(&b, dev_b, port_b, gid_b, (RECVS + WINDOW) * size, srq);
	printf("pid %d\n", getpid());
	connect_side(&a, &b);
	connect_side(&b, &a);
	if (alt) {
		load_alt_path(&a, &b, alt);
		load_alt_path(&b, &a, alt);
	}
	for (i = 0; i < RECVS; i++)
		post_recv(i);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	printf("running\n");
	fflush(stdout);
	alarm(0);

	status = run();
	vt_limit(30);
	vt_doing = "clean-up";
	finish();
	return status;
}
