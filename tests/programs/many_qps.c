// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes many QPs of one process, takes them to INIT, and destroys them; says how
 * long each step took. Works with any device, for a comparison in the same boot.
 */
#include <getopt.h>

#include "vt.h"

static volatile sig_atomic_t stop;

static void on_signal(int sig VT_UNUSED)
{
	stop = 1;
}

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: many_qps [OPTION]...\n"
		"  -d, --device NAME  the device (glass0)\n"
		"  -n, --count N      RC QPs (1000)\n"
		"  -s, --depth N      work requests of each queue (16)\n"
		"  -r, --repeat N     all of it N times (1)\n"
		"  -w, --wait         print `ready` and wait for SIGTERM before they are destroyed\n"
		"Prints `create_ms N init_ms N destroy_ms N` a round.\n"
		"Exit status 0: done; 1: something failed; 2: wrong arguments.\n");
}

static void make_round(struct vt_end *e, unsigned int n, unsigned int depth, bool wait)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = e->port,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_cq *cq = ibv_create_cq(e->ctx, 16, NULL, NULL, 0);
	struct ibv_qp **qp = calloc(n, sizeof(*qp));
	uint64_t start, made, ready, end;
	unsigned int i;

	CHECK(cq && qp, "no CQ");
	start = vt_now_ms();
	for (i = 0; i < n; i++) {
		struct ibv_qp_init_attr init = {
			.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
			.cap = { .max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1,
				 .max_recv_sge = 1 },
		};

		qp[i] = ibv_create_qp(e->pd, &init);
		CHECK(qp[i], "create_qp %u: %s", i, strerror(errno));
	}
	made = vt_now_ms();
	for (i = 0; i < n; i++) {
		int err = ibv_modify_qp(qp[i], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

		CHECK(!err, "modify_qp %u: %s", i, strerror(err));
	}
	ready = vt_now_ms();
	if (wait) {
		sigset_t none;

		printf("ready\n");
		fflush(stdout);
		sigemptyset(&none);
		while (!stop)
			sigsuspend(&none);
	}
	end = vt_now_ms();
	for (i = 0; i < n; i++)
		CHECK(!ibv_destroy_qp(qp[i]), "destroy_qp %u failed", i);
	printf("create_ms %llu init_ms %llu destroy_ms %llu\n", (unsigned long long)(made - start),
	       (unsigned long long)(ready - made), (unsigned long long)(vt_now_ms() - end));
	CHECK(!ibv_destroy_cq(cq), "destroy_cq failed");
	free(qp);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' }, { "count", required_argument, NULL, 'n' },
		{ "depth", required_argument, NULL, 's' },  { "repeat", required_argument, NULL, 'r' },
		{ "wait", no_argument, NULL, 'w' },	     { "help", no_argument, NULL, 'h' },
		{},
	};
	struct sigaction sa = { .sa_handler = on_signal };
	unsigned int n = 1000, depth = 16, repeat = 1;
	const char *device = "glass0";
	bool wait = false;
	sigset_t term;
	struct vt_end e;
	int c;

	vt_prog = "many_qps";
	while ((c = getopt_long(argc, argv, "d:n:s:r:wh", options, NULL)) >= 0) {
		switch (c) {
		case 'd':
			device = optarg;
			break;
		case 'n':
			n = strtoul(optarg, NULL, 0);
			break;
		case 's':
			depth = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			repeat = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			wait = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc || !n || !depth) {
		usage(stderr);
		return 2;
	}
	/* SIGTERM is let in only while it is waited for */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	sigaction(SIGTERM, &sa, NULL);
	vt_open(&e, device, 1, 0);
	while (repeat--)
		make_round(&e, n, depth, wait);
	vt_close(&e);
	return 0;
}
