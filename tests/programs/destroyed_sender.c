// SPDX-License-Identifier: GPL-2.0-only
/*
 * Posts two READs at once, whose answers no port on their way lets pass, and destroys the queue pair while the module hold_answer holds
 * the first answer. The command goes to the kernel without the provider, whose lock the thread that posts still holds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <rdma/ib_user_verbs.h>

#include "pairs.h"

#define LEN 2048 /* more than the MTU of a cable on the way */

static int held_now(void)
{
	int fd = open("/sys/module/hold_answer/parameters/held", O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0, "hold_answer is not loaded");
	close(fd);
	return atoi(text);
}

/* The thread that is held keeps its CPU: the other one needs one of its own. */
static void take_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set), "CPU %d: %s", cpu, strerror(errno));
}

static void *post_both(void *unused VT_UNUSED)
{
	struct ibv_sge sge = vt_sge(mr_here, 0, LEN);
	struct ibv_send_wr wr[2] = {};

	take_cpu(1);

	for (int i = 0; i < 2; i++) {
		wr[i].opcode = IBV_WR_RDMA_READ;
		wr[i].send_flags = IBV_SEND_SIGNALED;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].next = i ? NULL : &wr[1];
		wr[i].wr.rdma.remote_addr = (uintptr_t)mr_there->addr;
		wr[i].wr.rdma.rkey = mr_there->rkey;
	}
	vt_post(ours[0], wr);
	return NULL;
}

static void destroy_in_kernel(const struct ibv_qp *qp)
{
	struct ib_uverbs_destroy_qp_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_destroy_qp cmd;
	} c = {
		.hdr = { .command = IB_USER_VERBS_CMD_DESTROY_QP, .in_words = sizeof(c) / 4, .out_words = sizeof(resp) / 4 },
		.cmd = { .response = (uintptr_t)&resp, .qp_handle = qp->handle },
	};

	CHECK(write(qp->context->cmd_fd, &c, sizeof(c)) == sizeof(c), "destroy_qp: %s", strerror(errno));
}

int main(void)
{
	pthread_t poster;
	uint64_t until;

	vt_prog = "destroyed_sender";
	vt_limit(60);
	take_cpu(0);
	make_pairs(1, 4, LEN, (struct vt_path){ .timeout = 20 });
	until = vt_now_ms() + VT_WAIT_MS;
	CHECK(!pthread_create(&poster, NULL, post_both, NULL), "pthread_create failed");
	while (!held_now()) {
		CHECK(vt_now_ms() < until, "no answer was held");
		poll(NULL, 0, 1);
	}
	destroy_in_kernel(ours[0]);
	CHECK(!pthread_join(poster, NULL), "pthread_join failed");
	CHECK(held_now() == 2, "the answer was not held until the queue pair was destroyed: %d", held_now());
	puts("destroyed");
	fflush(stdout);
	/* the provider still has the queue pair: the kernel cleans up */
	_exit(0);
}
