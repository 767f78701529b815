// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many processes, each with a context, PD, CQ, region and RC QP of its own. The processes 2k and 2k + 1 connect their QPs, on
 * either device, and each sends a message, which is compared. All do each step at the same time, and sleep while they wait.
 */
#include <getopt.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "growth.h"

#define PROCESS_BYTES 4096

/* What all processes share. */
struct crowd {
	pthread_barrier_t step;
	struct {
		uint32_t qpn;
		uint16_t lid;
	} of[];
};

static struct crowd *crowd;
static unsigned int nprocesses = 100;

static void crowd_usage(FILE *to)
{
	fprintf(to,
		"Usage: many_processes [OPTION]...\n"
		"  -n, --count N  processes, an even number (100)\n"
		"  -w, --wait     after the messages, print `ready` and wait for SIGTERM\n"
		"They run on glass0 and glass1. Prints how long each step took, and how much memory they have, each `NAME VALUE` in a\n"
		"line of its own.\n"
		"Exit status 0: done, and all data was right; 1: it was not; 2: wrong arguments.\n");
}

static void next_step(void)
{
	int err = pthread_barrier_wait(&crowd->step);

	CHECK(!err || err == PTHREAD_BARRIER_SERIAL_THREAD, "barrier: %s", strerror(err));
}

/* Takes one completion; sleeps until it comes. */
static void sleep_for_wc(struct ibv_comp_channel *channel, struct ibv_cq *cq, struct ibv_wc *wc)
{
	struct ibv_cq *of;
	void *context;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc))) {
		CHECK(!ibv_req_notify_cq(cq, 0), "req_notify_cq failed");
		n = ibv_poll_cq(cq, 1, wc);
		if (n)
			break;
		CHECK(!ibv_get_cq_event(channel, &of, &context), "get_cq_event: %s", strerror(errno));
		ibv_ack_cq_events(of, 1);
	}
	CHECK(n == 1 && wc->status == IBV_WC_SUCCESS, "a completion: %s (vendor error 0x%x)", ibv_wc_status_str(wc->status),
	      wc->vendor_err);
}

static void exchange_message(struct ibv_comp_channel *channel, struct ibv_qp *qp, struct ibv_mr *mr, unsigned int i)
{
	struct ibv_sge sge = vt_sge(mr, 0, PROCESS_BYTES);
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	unsigned int n, came = 0;
	struct ibv_wc wc;

	vt_post(qp, &wr);
	for (n = 0; n < 2; n++) {
		sleep_for_wc(channel, qp->send_cq, &wc);
		CHECK(wc.opcode != IBV_WC_RECV || wc.byte_len == PROCESS_BYTES, "a message of %u bytes", wc.byte_len);
		came += wc.opcode == IBV_WC_RECV;
	}
	CHECK(came == 1, "%u messages came", came);
	vt_verify((uint8_t *)mr->addr + PROCESS_BYTES, PROCESS_BYTES, i ^ 1, "the message of the other process");
}

static void one_process(unsigned int i)
{
	struct vt_path path = { .rd_atomic = 1, .psn = i ^ 1 };
	struct ibv_comp_channel *channel;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct vt_end e;
	char name[40];

	snprintf(name, sizeof(name), "many_processes: process %u", i);
	vt_prog = name;
	next_step();
	vt_open(&e, i % 2 ? "glass1" : "glass0", 1, 0);
	channel = vt_channel(&e);
	cq = vt_cq(&e, 4, channel);
	mr = vt_buf(&e, 2 * PROCESS_BYTES);
	qp = vt_qp(&e, (struct vt_qp_opts){ .scq = cq, .rcq = cq, .wr = 2, .sge = 1 });
	crowd->of[i].qpn = qp->qp_num;
	crowd->of[i].lid = e.attr.lid;
	next_step();
	path.qpn = crowd->of[i ^ 1].qpn;
	path.lid = crowd->of[i ^ 1].lid;
	vt_to_init(qp, e.port, 0);
	vt_fill(mr->addr, PROCESS_BYTES, i);
	vt_recv(qp, 0, mr, PROCESS_BYTES, PROCESS_BYTES);
	vt_to_rts(qp, e.port, i, &path);
	next_step();
	exchange_message(channel, qp, mr, i);
	next_step();
	/* the parent may wait here */
	next_step();
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&e);
	next_step();
	exit(0);
}

/* The others would wait for it at the barrier: all end with the parent. */
static void on_child(int sig VT_UNUSED)
{
	int status;

	while (waitpid(-1, &status, WNOHANG) > 0)
		if (status)
			_exit(1);
}

static void make_crowd(void)
{
	pid_t parent = getpid();
	pthread_barrierattr_t attr;
	unsigned int i;

	crowd = mmap(NULL, sizeof(*crowd) + nprocesses * sizeof(crowd->of[0]), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	CHECK(crowd != MAP_FAILED, "mmap: %s", strerror(errno));
	CHECK(!pthread_barrierattr_init(&attr) && !pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) &&
		      !pthread_barrier_init(&crowd->step, &attr, nprocesses + 1), "no barrier");
	signal(SIGCHLD, on_child);
	for (i = 0; i < nprocesses; i++) {
		pid_t child = fork();

		CHECK(child >= 0, "fork %u: %s", i, strerror(errno));
		if (child)
			continue;
		signal(SIGCHLD, SIG_DFL);
		CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent, "the parent is gone");
		one_process(i);
	}
}

static void wait_for_children(void)
{
	sigset_t child, old;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &old);
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, 0);

		if (pid < 0)
			break;
		CHECK(!status, "a process ended with status 0x%x", status);
	}
	CHECK(errno == ECHILD, "waitpid: %s", strerror(errno));
}

static void run_crowd(bool wait)
{
	uint64_t from = vt_now_ms();
	struct growth empty = growth_now(), before;

	make_crowd();
	growth_lap("fork", &from);
	growth_print("processes", &empty);
	before = growth_now();
	fflush(stdout);
	from = vt_now_ms();
	next_step();
	next_step();
	growth_lap("open", &from);
	growth_print("all", &before);
	from = vt_now_ms();
	next_step();
	growth_lap("connect", &from);
	next_step();
	growth_lap("traffic", &from);
	if (wait)
		vt_wait_for_end();
	from = vt_now_ms();
	next_step();
	next_step();
	growth_lap("destroy", &from);
	wait_for_children();
	growth_print("left", &empty);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' }, { "wait", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },	   {},
	};
	bool wait = false;
	int c;

	vt_prog = "many_processes";
	while ((c = getopt_long(argc, argv, "n:wh", options, NULL)) >= 0) {
		switch (c) {
		case 'n': nprocesses = strtoul(optarg, NULL, 0); break;
		case 'w': wait = true; break;
		case 'h': crowd_usage(stdout); return 0;
		default: crowd_usage(stderr); return 2;
		}
	}
	if (optind < argc || !nprocesses || nprocesses % 2) {
		crowd_usage(stderr);
		return 2;
	}
	vt_hold_end();
	run_crowd(wait);
	return 0;
}
