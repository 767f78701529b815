// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes many QPs of one process, takes them to INIT, and destroys them; or many XRC targets, or CQs. Says how long each step took and
 * how many mappings of the device the process then has. Works with any device, for a comparison in the same boot.
 */
#include <getopt.h>

#include "growth.h"
#include "xrc.h"

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: many_qps [OPTION]...\n"
		"  -d, --device NAME  the device (glass0)\n"
		"  -n, --count N      RC QPs (1000)\n"
		"  -s, --depth N      work requests of each queue (16)\n"
		"  -r, --repeat N     all of it N times (1)\n"
		"  -c, --cqs          CQs of N entries instead of QPs\n"
		"  -x, --targets      XRC targets instead of RC QPs\n"
		"  -w, --wait         print `ready` and wait for SIGTERM before they are destroyed\n"
		"Prints `create_ms N init_ms N destroy_ms N maps N kernel_kb N user_kb N` a round: the memory that they took.\n"
		"Exit status 0: done; 1: something failed; 2: wrong arguments.\n");
}

/* Lines of /proc/self/maps that are of an RDMA device. */
static unsigned int count_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned int n = 0;
	char line[512];

	CHECK(f, "/proc/self/maps: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, "/dev/infiniband/uverbs");
	fclose(f);
	return n;
}

static void *make_qp(struct vt_end *e, struct ibv_cq *cq, unsigned int depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	return ibv_create_qp(e->pd, &init);
}

struct many {
	unsigned int n, depth;
	bool cqs, targets, wait;
};

static void *make_one(struct vt_end *e, const struct many *m, struct ibv_cq *cq, struct ibv_xrcd *xrcd)
{
	if (m->cqs)
		return ibv_create_cq(e->ctx, m->depth, NULL, NULL, 0);
	return m->targets ? target(e->ctx, xrcd) : make_qp(e, cq, m->depth);
}

static void make_round(struct vt_end *e, const struct many *m)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = e->port,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_cq *cq = m->cqs ? NULL : ibv_create_cq(e->ctx, 16, NULL, NULL, 0);
	struct ibv_xrcd *xrcd = m->targets ? domain(e->ctx, -1) : NULL;
	void **made = calloc(m->n, sizeof(*made));
	struct growth before = growth_now(), with;
	uint64_t start, created, ready, end;
	unsigned int i, maps;

	CHECK((cq || m->cqs) && made, "no CQ");
	start = vt_now_ms();
	for (i = 0; i < m->n; i++) {
		made[i] = make_one(e, m, cq, xrcd);
		CHECK(made[i], "create %u: %s", i, strerror(errno));
	}
	created = vt_now_ms();
	for (i = 0; !m->cqs && i < m->n; i++) {
		int err = ibv_modify_qp(made[i], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

		CHECK(!err, "modify_qp %u: %s", i, strerror(err));
	}
	ready = vt_now_ms();
	maps = count_maps();
	with = growth_now();
	if (m->wait)
		vt_wait_for_end();
	end = vt_now_ms();
	for (i = 0; i < m->n; i++)
		CHECK(!(m->cqs ? ibv_destroy_cq(made[i]) : ibv_destroy_qp(made[i])), "destroy %u failed", i);
	printf("create_ms %llu init_ms %llu destroy_ms %llu maps %u kernel_kb %ld user_kb %ld\n",
	       (unsigned long long)(created - start), (unsigned long long)(ready - created),
	       (unsigned long long)(vt_now_ms() - end), maps, with.kernel - before.kernel, with.user - before.user);
	CHECK(!cq || !ibv_destroy_cq(cq), "destroy_cq failed");
	CHECK(!xrcd || !ibv_close_xrcd(xrcd), "close_xrcd failed");
	/* all that is left of their rings: the control page and a spare area */
	CHECK(strncmp(e->name, "glass", 5) || count_maps() <= 2, "%u mappings are left", count_maps());
	free(made);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' }, { "count", required_argument, NULL, 'n' },
		{ "depth", required_argument, NULL, 's' },  { "repeat", required_argument, NULL, 'r' },
		{ "cqs", no_argument, NULL, 'c' },	     { "wait", no_argument, NULL, 'w' },
		{ "targets", no_argument, NULL, 'x' },	     { "help", no_argument, NULL, 'h' },
		{},
	};
	struct many m = { .n = 1000, .depth = 16 };
	const char *device = "glass0";
	unsigned int repeat = 1;
	struct vt_end e;
	int c;

	vt_prog = "many_qps";
	while ((c = getopt_long(argc, argv, "d:n:s:r:cwxh", options, NULL)) >= 0) {
		switch (c) {
		case 'd':
			device = optarg;
			break;
		case 'n':
			m.n = strtoul(optarg, NULL, 0);
			break;
		case 's':
			m.depth = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			repeat = strtoul(optarg, NULL, 0);
			break;
		case 'c':
			m.cqs = true;
			break;
		case 'x':
			m.targets = true;
			break;
		case 'w':
			m.wait = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc || !m.n || !m.depth) {
		usage(stderr);
		return 2;
	}
	vt_hold_end();
	vt_open(&e, device, 1, 0);
	while (repeat--)
		make_round(&e, &m);
	vt_close(&e);
	return 0;
}
