// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with bugs that only faults bring out, for a sweep to find them. It sends MESSAGES from
 * glass0 to glass1 and compares what came. Planted:
 *
 *   crash  a receive that fails is handled by a pointer that nobody set
 *   hang   who waits for a completion waits for ever
 *   leak   when memory cannot be registered, what was made before is not destroyed
 *   wrong  a receive that is told twice is taken twice (the comparison says so: status 9)
 *
 * Every other error ends it well: what it made is destroyed, status 1.
 */
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 4
#define BYTES 64
#define STATUS_WRONG 9

struct end {
	struct ibv_context *ctx;
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	char buf[MESSAGES * BYTES];
};

static struct end from, to;
static char got[MESSAGES * BYTES];
static char *next; /* where the handler of failed receives would write; nobody sets it */

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	return ctx;
}

/* Destroys what there is; what fails is tried once more. */
static void clean(struct end *e)
{
	for (int i = 0; i < 2; i++) {
		if (e->qp && !ibv_destroy_qp(e->qp))
			e->qp = NULL;
		if (!e->qp && e->cq && !ibv_destroy_cq(e->cq))
			e->cq = NULL;
		if (e->mr && !ibv_dereg_mr(e->mr))
			e->mr = NULL;
		if (!e->mr && !e->qp && e->pd && !ibv_dealloc_pd(e->pd))
			e->pd = NULL;
	}
	if (e->ctx)
		ibv_close_device(e->ctx);
	e->ctx = NULL;
}

static int fails(const char *what)
{
	fprintf(stderr, "fragile: %s\n", what);
	clean(&from);
	clean(&to);
	return 1;
}

static int make(struct end *e, const char *name)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = MESSAGES, .max_recv_wr = MESSAGES, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	e->ctx = open_device(name);
	if (!e->ctx || ibv_query_port(e->ctx, 1, &e->port))
		return fails("no device");
	e->pd = ibv_alloc_pd(e->ctx);
	if (!e->pd)
		return fails("alloc_pd");
	e->cq = ibv_create_cq(e->ctx, 2 * MESSAGES, NULL, NULL, 0);
	if (!e->cq)
		return fails("create_cq");
	e->mr = ibv_reg_mr(e->pd, e->buf, sizeof(e->buf), IBV_ACCESS_LOCAL_WRITE);
	if (!e->mr) {
		fprintf(stderr, "fragile: reg_mr\n");
		return 1;
	}
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	e->qp = ibv_create_qp(e->pd, &init);
	if (!e->qp)
		return fails("create_qp");
	if (ibv_modify_qp(e->qp, &attr,
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		return fails("modify_qp to INIT");
	return 0;
}

static int connect_to(struct end *e, const struct end *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp->qp_num,
		.rq_psn = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .dlid = peer->port.lid, .port_num = 1 },
	};

	if (ibv_modify_qp(e->qp, &attr,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		return fails("modify_qp to RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 12;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.sq_psn = 1;
	attr.max_rd_atomic = 1;
	if (ibv_modify_qp(e->qp, &attr,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		return fails("modify_qp to RTS");
	return 0;
}

static int post(unsigned int i, bool receive)
{
	struct end *e = receive ? &to : &from;
	struct ibv_sge sge = { (uintptr_t)e->buf + i * BYTES, BYTES, e->mr->lkey };
	struct ibv_recv_wr rwr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad_r;
	struct ibv_send_wr swr = { .wr_id = i, .sg_list = &sge, .num_sge = 1,
				   .opcode = IBV_WR_SEND }, *bad_s;

	return receive ? ibv_post_recv(e->qp, &rwr, &bad_r) : ibv_post_send(e->qp, &swr, &bad_s);
}

/* The next completion of that end, whatever it takes. */
static struct ibv_wc wait_for(struct end *e)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(e->cq, 1, &wc) == 0)
		;
	return wc;
}

int main(void)
{
	unsigned int i;

	if (make(&from, "glass0") || make(&to, "glass1") || connect_to(&to, &from) ||
	    connect_to(&from, &to))
		return 1;
	for (i = 0; i < MESSAGES; i++) {
		memset(from.buf + i * BYTES, 'a' + i, BYTES);
		if (post(i, true))
			return fails("post_recv");
	}
	for (i = 0; i < MESSAGES; i++) {
		struct ibv_wc wc;

		if (post(i, false))
			return fails("post_send");
		wc = wait_for(&from);
		if (wc.status != IBV_WC_SUCCESS)
			return fails(ibv_wc_status_str(wc.status));
		wc = wait_for(&to);
		if (wc.status != IBV_WC_SUCCESS)
			*next = 'x';
		else
			memcpy(got + i * BYTES, to.buf + wc.wr_id * BYTES, BYTES);
	}
	if (memcmp(got, from.buf, sizeof(got))) {
		fails("wrong data");
		return STATUS_WRONG;
	}
	clean(&from);
	clean(&to);
	return 0;
}
