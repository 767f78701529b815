// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates QPs of one process, connects and destroys them, and registers a region: each step between marks (vm/plugin/marks.h), so
 * that bench/setup knows what it takes. By verbs; or, for a device without provider (empty.c), by the calls of uverbs that libibverbs
 * makes for the same verbs.
 */
#include <dirent.h>
#include <getopt.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "marks.h"
#include "vt.h"

#define DEPTH 16

struct plan {
	const char *device;
	unsigned int n;
	size_t bytes;
	void *memory;
};

/* Marks a step. Its name is printed behind the marks. */
#define STEP(name, times, ...)                                                                                       \
	do {                                                                                                         \
		glass_mark(GLASS_MARK_BEGIN);                                                                        \
		__VA_ARGS__                                                                                          \
		glass_mark(GLASS_MARK_END);                                                                          \
		glass_mark(GLASS_MARK_KEEP);                                                                         \
		printf("%s %u\n", name, times);                                                                      \
	} while (0)

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: bench_set_up [OPTION]...\n"
		"  -d, --device NAME  the device (glass0)\n"
		"  -n, --count N      RC QPs (10000)\n"
		"  -b, --bytes N      of the region (1073741824)\n"
		"  -u, --uverbs       by calls of uverbs, without a provider\n"
		"Prints `STEP TIMES` for each step. Exit status 0: done; 1: something failed; 2: wrong arguments.\n");
}

/* ---- by verbs */

static int to_init(struct ibv_qp *qp, const struct vt_end *e)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = e->port, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

/* Each QP is its own peer. */
static int to_rtr(struct ibv_qp *qp, const struct vt_end *e, uint16_t lid)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096, .dest_qp_num = qp->qp_num,
				    .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
				    .ah_attr = { .dlid = lid, .port_num = e->port } };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1 };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			     IBV_QP_MAX_QP_RD_ATOMIC);
}

static void by_verbs(const struct plan *p)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1 } };
	struct ibv_qp **qps = calloc(p->n, sizeof(*qps));
	struct ibv_port_attr port;
	struct ibv_mr *mr = NULL;
	struct vt_end e;

	vt_open(&e, p->device, 1, 0);
	init.send_cq = init.recv_cq = ibv_create_cq(e.ctx, DEPTH, NULL, NULL, 0);
	CHECK(qps && init.send_cq && !ibv_query_port(e.ctx, e.port, &port), "no CQ or port");
	STEP("create", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(qps[i] = ibv_create_qp(e.pd, &init), "create QP %u", i););
	STEP("init", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!to_init(qps[i], &e), "QP %u to INIT", i););
	STEP("rtr", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!to_rtr(qps[i], &e, port.lid), "QP %u to RTR", i););
	STEP("rts", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!to_rts(qps[i]), "QP %u to RTS", i););
	STEP("destroy", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!ibv_destroy_qp(qps[i]), "destroy QP %u", i););
	STEP("register", 1, CHECK(mr = ibv_reg_mr(e.pd, p->memory, p->bytes, IBV_ACCESS_LOCAL_WRITE), "reg_mr"););
	STEP("deregister", 1, CHECK(!ibv_dereg_mr(mr), "dereg_mr"););
	CHECK(!ibv_destroy_cq(init.send_cq), "destroy_cq");
	vt_close(&e);
	free(qps);
}

/* ---- by uverbs */

static int open_uverbs(const char *device)
{
	DIR *dir = opendir("/sys/class/infiniband_verbs");
	char path[600], name[64];
	struct dirent *d;
	int fd = -1;

	while (dir && fd < 0 && (d = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/%s/ibdev", d->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%63s", name) == 1 && !strcmp(name, device)) {
			snprintf(path, sizeof(path), "/dev/infiniband/%s", d->d_name);
			fd = open(path, O_RDWR | O_CLOEXEC);
		}
		fclose(f);
	}
	if (dir)
		closedir(dir);
	CHECK(fd >= 0, "no uverbs device of %s: %s", device, strerror(errno));
	return fd;
}

#define MOST_ATTRS 12

struct command {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[MOST_ATTRS];
};

/* data: a value of up to 8 bytes as it is (len 0: an object; else a value), or an address. */
static void add_attr(struct command *c, uint16_t id, uint16_t len, uint64_t data)
{
	c->attrs[c->hdr.num_attrs++] = (struct ib_uverbs_attr){ .attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data };
}

static uint64_t address(const void *pointer)
{
	return (uintptr_t)pointer;
}

static int execute(int fd, struct command *c, uint16_t object, uint16_t method)
{
	c->hdr.object_id = object;
	c->hdr.method_id = method;
	c->hdr.length = sizeof(c->hdr) + c->hdr.num_attrs * sizeof(c->attrs[0]);
	return ioctl(fd, RDMA_VERBS_IOCTL, &c->hdr);
}

/* A command of the older interface, by the ioctl that takes it. */
static int old_command(int fd, uint32_t command, const void *in, uint16_t in_len, void *out, uint16_t out_len)
{
	struct command c = {};

	add_attr(&c, UVERBS_ATTR_CORE_IN, in_len, address(in));
	if (out_len)
		add_attr(&c, UVERBS_ATTR_CORE_OUT, out_len, address(out));
	add_attr(&c, UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t), command);
	return execute(fd, &c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
}

struct raw {
	int fd;
	uint32_t pd, cq;
};

static int raw_create(const struct raw *r, uint32_t *handle, uint32_t *qpn)
{
	struct ib_uverbs_qp_cap cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1 }, got;
	struct command c = {};
	int err;

	add_attr(&c, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	add_attr(&c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, r->pd);
	add_attr(&c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, r->cq);
	add_attr(&c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, r->cq);
	add_attr(&c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, sizeof(uint64_t), address(handle));
	add_attr(&c, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), address(&cap));
	add_attr(&c, UVERBS_ATTR_CREATE_QP_TYPE, sizeof(uint64_t), IB_UVERBS_QPT_RC);
	add_attr(&c, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(got), address(&got));
	add_attr(&c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, sizeof(*qpn), address(qpn));
	err = execute(r->fd, &c, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	*handle = c.attrs[0].data;
	return err;
}

static int raw_modify(const struct raw *r, const struct ib_uverbs_modify_qp *attr)
{
	return old_command(r->fd, IB_USER_VERBS_CMD_MODIFY_QP, attr, sizeof(*attr), NULL, 0);
}

static int raw_init(const struct raw *r, uint32_t qp)
{
	struct ib_uverbs_modify_qp attr = { .qp_handle = qp, .qp_state = IBV_QPS_INIT, .port_num = 1,
					    .attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS };

	return raw_modify(r, &attr);
}

static int raw_rtr(const struct raw *r, uint32_t qp, uint32_t qpn)
{
	struct ib_uverbs_modify_qp attr = {
		.qp_handle = qp, .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096, .dest_qp_num = qpn,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12, .dest = { .dlid = 1, .port_num = 1 },
		.attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	};

	return raw_modify(r, &attr);
}

static int raw_rts(const struct raw *r, uint32_t qp)
{
	struct ib_uverbs_modify_qp attr = {
		.qp_handle = qp, .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1,
		.attr_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			     IBV_QP_MAX_QP_RD_ATOMIC,
	};

	return raw_modify(r, &attr);
}

static int raw_destroy(const struct raw *r, uint32_t qp)
{
	struct ib_uverbs_destroy_qp_resp resp;
	struct command c = {};

	add_attr(&c, UVERBS_ATTR_DESTROY_QP_HANDLE, 0, qp);
	add_attr(&c, UVERBS_ATTR_DESTROY_QP_RESP, sizeof(resp), address(&resp));
	return execute(r->fd, &c, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY);
}

static int raw_register(const struct raw *r, const struct plan *p, uint32_t *mr)
{
	struct ib_uverbs_reg_mr cmd = { .start = address(p->memory), .length = p->bytes, .hca_va = address(p->memory),
					.pd_handle = r->pd, .access_flags = IBV_ACCESS_LOCAL_WRITE };
	struct ib_uverbs_reg_mr_resp resp = {};
	int err = old_command(r->fd, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), &resp, sizeof(resp));

	*mr = resp.mr_handle;
	return err;
}

static int raw_deregister(const struct raw *r, uint32_t mr)
{
	struct command c = {};

	add_attr(&c, UVERBS_ATTR_DESTROY_MR_HANDLE, 0, mr);
	return execute(r->fd, &c, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY);
}

/* A new context has only write(). */
static void raw_context(struct raw *r)
{
	struct ib_uverbs_get_context_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context cmd;
	} context = { { IB_USER_VERBS_CMD_GET_CONTEXT, sizeof(context) / 4, sizeof(resp) / 4 }, { .response = address(&resp) } };

	CHECK(write(r->fd, &context, sizeof(context)) == sizeof(context), "get_context: %s", strerror(errno));
}

static void raw_open(struct raw *r, const char *device)
{
	struct ib_uverbs_create_cq cq = { .cqe = DEPTH, .comp_channel = -1 };
	struct ib_uverbs_alloc_pd pd = {};
	struct ib_uverbs_alloc_pd_resp pd_resp = {};
	struct ib_uverbs_create_cq_resp cq_resp = {};

	r->fd = open_uverbs(device);
	raw_context(r);
	CHECK(!old_command(r->fd, IB_USER_VERBS_CMD_ALLOC_PD, &pd, sizeof(pd), &pd_resp, sizeof(pd_resp)), "alloc_pd: %s", strerror(errno));
	CHECK(!old_command(r->fd, IB_USER_VERBS_CMD_CREATE_CQ, &cq, sizeof(cq), &cq_resp, sizeof(cq_resp)), "create_cq: %s",
	      strerror(errno));
	r->pd = pd_resp.pd_handle;
	r->cq = cq_resp.cq_handle;
}

static void by_uverbs(const struct plan *p)
{
	uint32_t *qps = calloc(p->n, sizeof(*qps)), *qpns = calloc(p->n, sizeof(*qpns)), mr = 0;
	struct raw r;

	CHECK(qps && qpns, "no memory");
	raw_open(&r, p->device);
	STEP("create", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!raw_create(&r, &qps[i], &qpns[i]), "create QP %u: %s", i, strerror(errno)););
	STEP("init", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!raw_init(&r, qps[i]), "QP %u to INIT: %s", i, strerror(errno)););
	STEP("rtr", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!raw_rtr(&r, qps[i], qpns[i]), "QP %u to RTR: %s", i, strerror(errno)););
	STEP("rts", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!raw_rts(&r, qps[i]), "QP %u to RTS: %s", i, strerror(errno)););
	STEP("destroy", p->n, for (unsigned int i = 0; i < p->n; i++) CHECK(!raw_destroy(&r, qps[i]), "destroy QP %u: %s", i, strerror(errno)););
	STEP("register", 1, CHECK(!raw_register(&r, p, &mr), "reg_mr: %s", strerror(errno)););
	STEP("deregister", 1, CHECK(!raw_deregister(&r, mr), "dereg_mr: %s", strerror(errno)););
	close(r.fd);
	free(qps);
	free(qpns);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' }, { "count", required_argument, NULL, 'n' },
		{ "bytes", required_argument, NULL, 'b' },  { "uverbs", no_argument, NULL, 'u' },
		{ "help", no_argument, NULL, 'h' },	     {},
	};
	struct plan p = { .device = "glass0", .n = 10000, .bytes = 1 << 30 };
	bool uverbs = false;
	int c;

	vt_prog = "bench_set_up";
	while ((c = getopt_long(argc, argv, "d:n:b:uh", options, NULL)) >= 0) {
		if (c == 'd')
			p.device = optarg;
		else if (c == 'n')
			p.n = strtoul(optarg, NULL, 0);
		else if (c == 'b')
			p.bytes = strtoull(optarg, NULL, 0);
		else if (c == 'u')
			uverbs = true;
		else
			usage(c == 'h' ? stdout : stderr);
		if (c == 'h' || c == '?')
			return c == 'h' ? 0 : 2;
	}
	if (optind < argc || !p.n || !p.bytes) {
		usage(stderr);
		return 2;
	}
	/* pages of 4 KiB, and present: otherwise chance decides how many pieces the region has */
	p.memory = mmap(NULL, p.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p.memory != MAP_FAILED, "%zu bytes: %s", p.bytes, strerror(errno));
	madvise(p.memory, p.bytes, MADV_NOHUGEPAGE);
	memset(p.memory, 1, p.bytes);
	if (uverbs)
		by_uverbs(&p);
	else
		by_verbs(&p);
	return 0;
}
