// SPDX-License-Identifier: GPL-2.0-only
/*
 * glass0 and glass1 send a message to each other, and compare it. Exit status: 0; 1 if a verb or a
 * work request failed; 9 if the data is wrong.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define BYTES  10000
#define WAIT_S 5

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_port_attr port;
	struct {
		unsigned char sent[BYTES], received[BYTES];
	} data;
};

static bool fails(const char *what, int err)
{
	fprintf(stderr, "transfer: %s: %s\n", what, strerror(err));
	return false;
}

static bool open_end(struct end *e, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i, err;

	for (i = 0; list && list[i] && !e->ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			e->ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	if (!e->ctx)
		return fails(name, ENODEV);
	err = ibv_query_port(e->ctx, 1, &e->port);
	if (err)
		return fails("query_port", err);
	e->pd = ibv_alloc_pd(e->ctx);
	if (!e->pd)
		return fails("alloc_pd", errno);
	e->mr = ibv_reg_mr(e->pd, &e->data, sizeof(e->data), IBV_ACCESS_LOCAL_WRITE);
	if (!e->mr)
		return fails("reg_mr", errno);
	e->cq = ibv_create_cq(e->ctx, 2, NULL, NULL, 0);
	if (!e->cq)
		return fails("create_cq", errno);
	e->qp = ibv_create_qp(e->pd, &(struct ibv_qp_init_attr){ .send_cq = e->cq,
								 .recv_cq = e->cq,
								 .qp_type = IBV_QPT_RC,
								 .cap = { .max_send_wr = 1,
									  .max_recv_wr = 1,
									  .max_send_sge = 1,
									  .max_recv_sge = 1 } });
	return e->qp || fails("create_qp", errno);
}

/* Posts the receive before the peer can send. */
static bool connect_end(struct end *e, const struct end *peer)
{
	struct ibv_sge sge = { (uintptr_t)e->data.received, BYTES, e->mr->lkey };
	struct ibv_recv_wr recv = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR,
				   .path_mtu = e->port.active_mtu,
				   .dest_qp_num = peer->qp->qp_num,
				   .max_dest_rd_atomic = 1,
				   .min_rnr_timer = 12,
				   .ah_attr = { .dlid = peer->port.lid, .port_num = 1 } };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 6,
				   .max_rd_atomic = 1 };
	int err;

	err = ibv_modify_qp(e->qp, &init,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (!err)
		err = ibv_post_recv(e->qp, &recv, &bad);
	if (!err)
		err = ibv_modify_qp(e->qp, &rtr,
				    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
					    IBV_QP_MIN_RNR_TIMER);
	if (!err)
		err = ibv_modify_qp(e->qp, &rts,
				    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
					    IBV_QP_MAX_QP_RD_ATOMIC);
	return !err || fails("connect", err);
}

static bool send_message(struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->data.sent, BYTES, e->mr->lkey };
	struct ibv_send_wr send = { .wr_id = 2,
				    .sg_list = &sge,
				    .num_sge = 1,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	int err = ibv_post_send(e->qp, &send, &bad);

	return !err || fails("post_send", err);
}

/* Waits for the completions of the send and of the receive; fails if one does not come in time. */
static bool wait_both(struct end *e)
{
	time_t until = time(NULL) + WAIT_S;
	struct ibv_wc wc;
	int n, got = 0;

	while (got < 2) {
		n = ibv_poll_cq(e->cq, 1, &wc);
		if (n < 0 || (!n && time(NULL) > until))
			return fails("poll_cq", n ? EIO : ETIMEDOUT);
		if (n && wc.status != IBV_WC_SUCCESS) {
			fprintf(stderr, "transfer: wr_id %d: %s\n", (int)wc.wr_id,
				ibv_wc_status_str(wc.status));
			return false;
		}
		got += n;
	}
	return true;
}

static int destroy_all(struct end *e)
{
	int err = 0;

	if (e->qp)
		err = ibv_destroy_qp(e->qp);
	if (err)
		return err;
	e->qp = NULL;
	if (e->cq)
		err = ibv_destroy_cq(e->cq);
	if (err)
		return err;
	e->cq = NULL;
	if (e->mr)
		err = ibv_dereg_mr(e->mr);
	if (err)
		return err;
	e->mr = NULL;
	if (e->pd)
		err = ibv_dealloc_pd(e->pd);
	if (err)
		return err;
	e->pd = NULL;
	return e->ctx ? ibv_close_device(e->ctx) : 0;
}

/* An object whose destroy verb failed still exists, and so do those that it uses: try again. */
static bool close_end(struct end *e)
{
	int err = destroy_all(e);

	if (err)
		err = destroy_all(e);
	return !err || fails("close", err);
}

int main(void)
{
	static struct end a, b;
	int status, i;
	bool ok;

	for (i = 0; i < BYTES; i++)
		b.data.sent[i] = ~(a.data.sent[i] = 7 * i + i / 256);
	ok = open_end(&a, "glass0") && open_end(&b, "glass1") && connect_end(&a, &b) &&
	     connect_end(&b, &a) && send_message(&a) && send_message(&b) && wait_both(&a) &&
	     wait_both(&b);
	status = !ok ? 1 : 0;
	if (ok && (memcmp(a.data.sent, b.data.received, BYTES) ||
		   memcmp(b.data.sent, a.data.received, BYTES)))
		status = 9;
	ok = close_end(&a);
	ok = close_end(&b) && ok;
	return status ? status : !ok;
}
