/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of the lessons share: two ends, glass0 and glass1, each with its
 * queue pair, and how they are connected. What a lesson is about stands in its own file,
 * between the lines "lesson" and "end of lesson".
 *
 * A program ends with 0 when its work was done, and with 1 when it was not.
 */
#ifndef PITFALL_H
#define PITFALL_H

#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

#define PORT	   1
#define DEPTH	   16 /* work requests in each queue */
#define GRH_BYTES  40 /* in front of each datagram received */
#define QKEY	   0x11111111
#define WAIT_MS	   10000 /* nothing here takes so long unless it hangs */
#define LIMIT_S	   30 /* and whatever hangs all the same is ended by SIGALRM */
#define REMOTE_ALL (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

struct end {
	struct ibv_context *ctx;
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	struct ibv_cq *cq; /* for sends and receives */
	struct ibv_qp *qp;
	uint32_t psn; /* of the first packet that it sends */
	int outstanding; /* completions that are still to come */
};

/* For what a program cannot do anything about. */
static UNUSED __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* Milliseconds of a clock that only goes forward. */
static UNUSED int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* ---- a device, a protection domain, memory */

/* A variable of the name of a device names another one, which is opened in its place. */
static UNUSED struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	if (getenv(name))
		name = getenv(name);
	alarm(LIMIT_S);
	for (i = 0; list && list[i]; i++)
		if (!strcmp(name, ibv_get_device_name(list[i])))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		die("%s: no such device", name);
	ibv_free_device_list(list);
	return ctx;
}

/* Until a subnet manager has made the port ACTIVE. */
static UNUSED void wait_active(struct end *e)
{
	int64_t until = now_ms() + WAIT_MS;

	while (!ibv_query_port(e->ctx, PORT, &e->port) && e->port.state != IBV_PORT_ACTIVE) {
		if (now_ms() > until)
			die("port %d is %s: is a subnet manager running?", PORT,
			    ibv_port_state_str(e->port.state));
		poll(NULL, 0, 10);
	}
}

static UNUSED struct end open_end(const char *name)
{
	struct end e = { .ctx = open_device(name), .psn = now_ms() & 0xffffff };

	wait_active(&e);
	e.pd = ibv_alloc_pd(e.ctx);
	if (!e.pd)
		die("alloc_pd: %s", strerror(errno));
	return e;
}

/* Zeroed memory in pages of its own, registered. */
static UNUSED struct ibv_mr *reg(struct ibv_pd *pd, size_t bytes, int access)
{
	size_t page = sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
	void *buf = aligned_alloc(page, room);
	struct ibv_mr *mr;

	if (!buf)
		die("no memory");
	memset(buf, 0, room);
	mr = ibv_reg_mr(pd, buf, bytes, access);
	if (!mr)
		die("reg_mr: %s", strerror(errno));
	return mr;
}

static UNUSED void unreg(struct ibv_mr *mr)
{
	void *buf = mr->addr;

	if (ibv_dereg_mr(mr))
		die("dereg_mr failed");
	free(buf);
}

/* ---- queue pairs */

static UNUSED struct ibv_cq *make_cq(struct end *e, int entries, struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq = ibv_create_cq(e->ctx, entries, NULL, channel, 0);

	if (!cq)
		die("create_cq: %s", strerror(errno));
	return cq;
}

/* DEPTH work requests of one SGE in each queue, and a CQ that holds all of them. */
static UNUSED struct ibv_qp_init_attr qp_attr(struct end *e, enum ibv_qp_type type)
{
	if (!e->cq)
		e->cq = make_cq(e, 2 * DEPTH, NULL);
	return (struct ibv_qp_init_attr){
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.qp_type = type,
		.cap = { .max_send_wr = DEPTH,
			 .max_recv_wr = DEPTH,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
}

static UNUSED void modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int err = ibv_modify_qp(qp, attr, mask);

	if (err)
		die("modify_qp: %s", strerror(err));
}

static UNUSED void to_init(struct ibv_qp *qp, unsigned int access)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = PORT,
				    .qkey = QKEY,
				    .qp_access_flags = access };

	modify(qp, &attr,
	       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       (qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

/* A queue pair, in INIT: receives may be posted. */
static UNUSED void add_qp_with(struct end *e, struct ibv_qp_init_attr *attr)
{
	e->qp = ibv_create_qp(e->pd, attr);
	if (!e->qp)
		die("create_qp: %s", strerror(errno));
	to_init(e->qp, REMOTE_ALL);
}

static UNUSED void add_qp(struct end *e, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = qp_attr(e, type);

	add_qp_with(e, &attr);
}

#define RTR_MASK                                                                                   \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |            \
	 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK                                                                                   \
	(IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |     \
	 IBV_QP_MAX_QP_RD_ATOMIC)

/* The way to a peer: its LID, or, from an Ethernet port to one, its first GID. */
static UNUSED struct ibv_ah_attr way_to(const struct end *peer)
{
	struct ibv_ah_attr attr = { .dlid = peer->port.lid, .port_num = PORT };

	if (peer->port.link_layer == IBV_LINK_LAYER_ETHERNET) {
		attr.is_global = 1;
		attr.grh.hop_limit = 64;
		if (ibv_query_gid(peer->ctx, PORT, 0, &attr.grh.dgid))
			die("query_gid: %s", strerror(errno));
	}
	return attr;
}

/* What an RC QP needs for RTR, with its peer, and for RTS. */
static UNUSED struct ibv_qp_attr rtr_attr(const struct end *e, const struct end *peer)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = e->port.active_mtu < peer->port.active_mtu ? e->port.active_mtu :
									 peer->port.active_mtu,
		.dest_qp_num = peer->qp->qp_num,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 20, /* 10 ms */
		.ah_attr = way_to(peer),
	};
}

static UNUSED struct ibv_qp_attr rts_attr(const struct end *e)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = e->psn,
		.timeout = 14, /* 67 ms */
		.retry_cnt = 7,
		.rnr_retry = 6,
		.max_rd_atomic = 4,
	};
}

static UNUSED void connect_with(struct end *e, struct ibv_qp_attr *rtr, struct ibv_qp_attr *rts)
{
	modify(e->qp, rtr, RTR_MASK);
	modify(e->qp, rts, RTS_MASK);
}

static UNUSED void connect_end(struct end *e, const struct end *peer)
{
	struct ibv_qp_attr rtr = rtr_attr(e, peer), rts = rts_attr(e);

	connect_with(e, &rtr, &rts);
}

static UNUSED void connect_ends(struct end *a, struct end *b)
{
	connect_end(b, a);
	connect_end(a, b);
}

/* Two RC ends that are connected; the receives come between the two calls. */
static UNUSED void add_qps(struct end *a, struct end *b)
{
	add_qp(a, IBV_QPT_RC);
	add_qp(b, IBV_QPT_RC);
}

/* A QP for datagrams, from INIT to RTS. */
static UNUSED void ready_ud(struct end *e)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };

	modify(e->qp, &attr, IBV_QP_STATE);
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = e->psn };
	modify(e->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static UNUSED struct ibv_ah *make_ah(struct ibv_pd *pd, const struct end *peer)
{
	struct ibv_ah_attr attr = way_to(peer);
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);

	if (!ah)
		die("create_ah: %s", strerror(errno));
	return ah;
}

/* For connections that will not work: so that this is told soon. */
static UNUSED void give_up_early(struct ibv_qp_attr *rts)
{
	rts->timeout = 10; /* 4 ms */
	rts->retry_cnt = 1;
	rts->rnr_retry = 1;
}

/* ---- work requests */

static UNUSED struct ibv_sge sge_of(const struct ibv_mr *mr, size_t offset, uint32_t bytes)
{
	return (struct ibv_sge){ (uintptr_t)mr->addr + offset, bytes, mr->lkey };
}

/* A signaled request. */
static UNUSED struct ibv_send_wr wr_of(enum ibv_wr_opcode opcode, uint64_t wr_id,
				       struct ibv_sge *sge)
{
	return (struct ibv_send_wr){ .wr_id = wr_id,
				     .sg_list = sge,
				     .num_sge = sge ? 1 : 0,
				     .opcode = opcode,
				     .send_flags = IBV_SEND_SIGNALED };
}

/* The same for a READ or WRITE of the peer's memory. */
static UNUSED struct ibv_send_wr rdma_of(enum ibv_wr_opcode opcode, uint64_t wr_id,
					 struct ibv_sge *sge, const struct ibv_mr *remote)
{
	struct ibv_send_wr wr = wr_of(opcode, wr_id, sge);

	wr.wr.rdma.remote_addr = (uintptr_t)remote->addr;
	wr.wr.rdma.rkey = remote->rkey;
	return wr;
}

/* A SEND to a UD QP. */
static UNUSED struct ibv_send_wr datagram_of(uint64_t wr_id, struct ibv_sge *sge, struct ibv_ah *ah,
					     const struct end *peer)
{
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, wr_id, sge);

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = peer->qp->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	return wr;
}

/* One signaled request; 0, or why it was refused. */
static UNUSED int try_send(struct end *e, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	int err = ibv_post_send(e->qp, wr, &bad);

	if (err)
		fprintf(stderr, "post_send: %s\n", strerror(err));
	else
		e->outstanding++;
	return err;
}

static UNUSED void post_send(struct end *e, struct ibv_send_wr *wr)
{
	if (try_send(e, wr))
		die("post_send failed");
}

static UNUSED struct ibv_recv_wr recv_of(uint64_t wr_id, struct ibv_sge *sge)
{
	return (struct ibv_recv_wr){ .wr_id = wr_id, .sg_list = sge, .num_sge = sge ? 1 : 0 };
}

static UNUSED void post_recv(struct end *e, uint64_t wr_id, const struct ibv_mr *mr, size_t offset,
			     uint32_t bytes)
{
	struct ibv_sge sge = sge_of(mr, offset, bytes);
	struct ibv_recv_wr wr = recv_of(wr_id, &sge), *bad;
	int err = ibv_post_recv(e->qp, &wr, &bad);

	if (err)
		die("post_recv: %s", strerror(err));
	e->outstanding++;
}

/* ---- completions */

/* The next completion of an end, within some ms. */
static UNUSED bool try_wc(struct end *e, struct ibv_wc *wc, int ms)
{
	int64_t until = now_ms() + ms;
	int n;

	while (!(n = ibv_poll_cq(e->cq, 1, wc)))
		if (now_ms() > until)
			return false;
	if (n < 0)
		die("poll_cq failed");
	e->outstanding--;
	return true;
}

static UNUSED struct ibv_wc wait_wc(struct end *e)
{
	struct ibv_wc wc;

	if (!try_wc(e, &wc, WAIT_MS))
		die("no completion");
	return wc;
}

/* Waits for a completion; 0 when it tells success, else 1, and says what it tells. */
static UNUSED int wait_done(struct end *e)
{
	struct ibv_wc wc = wait_wc(e);

	if (wc.status == IBV_WC_SUCCESS)
		return 0;
	fprintf(stderr, "wr_id %llu: %s\n", (unsigned long long)wc.wr_id,
		ibv_wc_status_str(wc.status));
	return 1;
}

/* Is there something to read within some ms? */
static UNUSED bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* Takes the next asynchronous event, which must be this one. */
static UNUSED void wait_event(struct end *e, enum ibv_event_type type)
{
	struct ibv_async_event event;

	if (!readable(e->ctx->async_fd, WAIT_MS) || ibv_get_async_event(e->ctx, &event))
		die("no event: %s", ibv_event_type_str(type));
	ibv_ack_async_event(&event);
	if (event.event_type != type)
		die("another event: %s", ibv_event_type_str(event.event_type));
}

/*
 * What the adapter tells besides completions. A program that lives longer has a thread
 * that waits for these.
 */
static UNUSED void read_events(struct end *e)
{
	struct ibv_async_event event;

	while (readable(e->ctx->async_fd, 0) && !ibv_get_async_event(e->ctx, &event)) {
		fprintf(stderr, "event: %s\n", ibv_event_type_str(event.event_type));
		ibv_ack_async_event(&event);
	}
}

/* ---- the end */

static UNUSED void to_err(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	modify(qp, &attr, IBV_QP_STATE);
}

/* What is posted comes back, done or flushed; only then is the QP destroyed. */
static UNUSED void remove_qp(struct end *e)
{
	if (e->outstanding) {
		to_err(e->qp);
		while (e->outstanding)
			wait_wc(e);
	}
	read_events(e);
	if (ibv_destroy_qp(e->qp))
		die("destroy_qp failed");
	e->qp = NULL;
}

static UNUSED void close_end(struct end *e)
{
	if (e->qp)
		remove_qp(e);
	if (e->cq && ibv_destroy_cq(e->cq))
		die("destroy_cq failed");
	if (ibv_dealloc_pd(e->pd) || ibv_close_device(e->ctx))
		die("close failed");
}

static UNUSED void close_ends(struct end *a, struct end *b)
{
	close_end(a);
	close_end(b);
}

/* In this order: nobody uses the memory any more, nobody names it, it goes. */
static UNUSED void finish(struct end *a, struct end *b, struct ibv_mr *ma, struct ibv_mr *mb)
{
	remove_qp(a);
	remove_qp(b);
	unreg(ma);
	unreg(mb);
	close_ends(a, b);
}

#endif
