// SPDX-License-Identifier: GPL-2.0-only
/* Waits for a completion, behind which all data are there. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "pitfall.h"

#define BYTES	 4096
#define MESSAGES 20

static struct end a, b;
static struct ibv_mr *ma, *mb;
static atomic_int taken; /* messages that b has looked at */

static void *sender(void *status)
{
	struct ibv_sge sge = sge_of(ma, 0, BYTES);
	struct ibv_send_wr wr = rdma_of(IBV_WR_RDMA_WRITE_WITH_IMM, 1, &sge, mb);
	int message;

	for (message = 1; message <= MESSAGES; message++) {
		while (taken != message - 1)
			sched_yield();
		memset(ma->addr, message, BYTES);
		post_send(&a, &wr);
		*(int *)status |= wait_done(&a);
	}
	return NULL;
}

/* A receive without memory: for the completion alone. */
static void post_empty(struct end *e)
{
	struct ibv_recv_wr recv = recv_of(1, NULL), *bad;

	if (ibv_post_recv(e->qp, &recv, &bad))
		die("post_recv failed");
	e->outstanding++;
}

int main(void)
{
	int i, message, missing = 0, status = 0;
	pthread_t thread;

	a = open_end("glass0");
	b = open_end("glass1");
	ma = reg(a.pd, BYTES, IBV_ACCESS_LOCAL_WRITE);
	mb = reg(b.pd, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	add_qps(&a, &b);
	for (i = 0; i < DEPTH; i++)
		post_empty(&b);
	connect_ends(&a, &b);
	if (pthread_create(&thread, NULL, sender, &status))
		die("no thread");

	for (message = 1; message <= MESSAGES; message++) {
		/* lesson */
		char *data = mb->addr;

		missing += wait_done(&b); /* of an RDMA WRITE with immediate data */
		for (i = 0; i < BYTES; i++)
			missing += data[i] != message;
		/* end of lesson */
		post_empty(&b);
		taken = message;
	}

	pthread_join(thread, NULL);
	finish(&a, &b, ma, mb);
	return missing ? 1 : status;
}
