// SPDX-License-Identifier: GPL-2.0-only
/* An event is got and never acknowledged: the CQ cannot be destroyed. */
#include <pthread.h>
#include <stdatomic.h>

#include "pitfall.h"

#define HANG_MS 300

static atomic_bool destroying;

/* So that this program ends: acknowledges when destroy_cq has waited for a while. */
static void *rescue(void *cq)
{
	while (!destroying)
		poll(NULL, 0, 1);
	poll(NULL, 0, HANG_MS);
	ibv_ack_cq_events(cq, 1);
	return NULL;
}

int main(void)
{
	struct end a = open_end("glass0"), b = open_end("glass1");
	struct ibv_comp_channel *channel = ibv_create_comp_channel(b.ctx);
	struct ibv_mr *ma = reg(a.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mb = reg(b.pd, 4096, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge sge = sge_of(ma, 0, 64);
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_cq *cq;
	pthread_t thread;
	int64_t began;
	void *context;
	int status;

	b.cq = make_cq(&b, 2 * DEPTH, channel);
	add_qps(&a, &b);
	post_recv(&b, 1, mb, 0, 64);
	ibv_req_notify_cq(b.cq, 0);
	connect_ends(&a, &b);
	post_send(&a, &wr);
	status = wait_done(&a);

	/* lesson */
	if (ibv_get_cq_event(channel, &cq, &context))
		die("no event");
	status |= wait_done(&b);
	/* end of lesson */

	remove_qp(&b);
	if (pthread_create(&thread, NULL, rescue, b.cq))
		die("no thread");
	began = now_ms();
	destroying = true;
	/* lesson */
	ibv_destroy_cq(b.cq); /* waits for ibv_ack_cq_events */
	/* end of lesson */
	if (now_ms() - began >= HANG_MS)
		status = 1;
	pthread_join(thread, NULL);
	b.cq = NULL;
	ibv_destroy_comp_channel(channel);
	remove_qp(&a);
	unreg(ma);
	unreg(mb);
	close_ends(&a, &b);
	return status;
}
