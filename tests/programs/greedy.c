// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes one thing until that is refused, which must be by ENOMEM. Prints `took N`.
 *
 *     greedy WHAT [MODE [DEVICE]]
 *
 * WHAT   cq srq pd xrcd ah dm mw       the smallest of them
 *        dm_bytes                      device memory by the page
 *        mcast mcast_qp                groups, queue pairs in one group
 *        target                        XRC targets, whose memory no context has
 *        large_cq large_qp large_srq   queues of some MiB
 *        medium_cq                     queues of 8 KiB, which share areas
 *        mr                            regions of 16 MiB; needs lockable memory
 *        answers                       queue pairs with room for 128 answers each
 *        resize                        a CQ, to twice its size each time
 *        piped                         a large CQ, of which a page is in the pipe of standard output (with `leave`)
 *        forked                        a large CQ, which a child has mapped that stays (with `leave`)
 *        mapped                        large CQs that are destroyed at once, but stay mapped
 * MODE   wait: prints `ready` when it was refused, and waits for SIGTERM
 *        leave: ends without giving anything back
 *        one: takes one, prints `ready`, and waits
 *        forever: goes on when it was refused, prints `ready` then, and leaves after SIGTERM
 * Without MODE it gives all back, takes as many again, and gives those back, too.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "xrc.h"

#define MANY (1 << 19)
#define CQES (1 << 17) /* an area of its own that the provider does not keep */
#define REGION (16 << 20)

static struct vt_end E;
static struct ibv_qp *ud;
static struct ibv_cq *cq;
static struct ibv_xrcd *xrcd;
static void *region;
static void *made[MANY];
/* ---- one of each: NULL and errno when it is refused */

static void *make_cq(unsigned int i VT_UNUSED) { return ibv_create_cq(E.ctx, 1, NULL, NULL, 0); }
static int free_cq(void *p, unsigned int i VT_UNUSED) { return ibv_destroy_cq(p); }

static void *make_large_cq(unsigned int i VT_UNUSED) { return ibv_create_cq(E.ctx, CQES, NULL, NULL, 0); }

static void *make_medium_cq(unsigned int i VT_UNUSED) { return ibv_create_cq(E.ctx, 120, NULL, NULL, 0); }

static void *srq_of(uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = wr, .max_sge = sge } };

	return ibv_create_srq(E.pd, &attr);
}

static void *make_srq(unsigned int i VT_UNUSED) { return srq_of(1, 1); }
static void *make_large_srq(unsigned int i VT_UNUSED) { return srq_of(16384, 16); }
static int free_srq(void *p, unsigned int i VT_UNUSED) { return ibv_destroy_srq(p); }

static void *make_pd(unsigned int i VT_UNUSED) { return ibv_alloc_pd(E.ctx); }
static int free_pd(void *p, unsigned int i VT_UNUSED) { return ibv_dealloc_pd(p); }

static void *make_xrcd(unsigned int i VT_UNUSED)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	return ibv_open_xrcd(E.ctx, &attr);
}

static int free_xrcd(void *p, unsigned int i VT_UNUSED) { return ibv_close_xrcd(p); }

static void *make_ah(unsigned int i VT_UNUSED)
{
	struct ibv_ah_attr attr = { .dlid = E.attr.lid, .port_num = 1 };

	return ibv_create_ah(E.pd, &attr);
}

static int free_ah(void *p, unsigned int i VT_UNUSED) { return ibv_destroy_ah(p); }

static void *make_mw(unsigned int i VT_UNUSED) { return ibv_alloc_mw(E.pd, IBV_MW_TYPE_2); }
static int free_mw(void *p, unsigned int i VT_UNUSED) { return ibv_dealloc_mw(p); }

static void *make_dm(unsigned int i VT_UNUSED)
{
	struct ibv_alloc_dm_attr attr = { .length = 1 };

	return ibv_alloc_dm(E.ctx, &attr);
}

static void *make_dm_bytes(unsigned int i VT_UNUSED)
{
	struct ibv_alloc_dm_attr attr = { .length = 4096 };

	return ibv_alloc_dm(E.ctx, &attr);
}

static int free_dm(void *p, unsigned int i VT_UNUSED) { return ibv_free_dm(p); }

static struct ibv_qp *qp_of(enum ibv_qp_type type, uint32_t wr, uint32_t sge)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = type,
		.cap = { .max_send_wr = wr, .max_recv_wr = wr, .max_send_sge = sge, .max_recv_sge = sge },
	};

	return ibv_create_qp(E.pd, &init);
}

static void *make_large_qp(unsigned int i VT_UNUSED) { return qp_of(IBV_QPT_RC, 1024, 30); }
static int free_qp(void *p, unsigned int i VT_UNUSED) { return ibv_destroy_qp(p); }

static void *make_target(unsigned int i VT_UNUSED)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = xrcd,
	};

	return ibv_create_qp_ex(E.ctx, &init);
}

/* The smallest queue pair; what grows is what modify_qp gives it. */
static void *make_answers(unsigned int i VT_UNUSED)
{
	struct vt_path path = { .lid = E.attr.lid, .rd_atomic = 128 };
	struct ibv_qp *qp = qp_of(IBV_QPT_RC, 1, 1);
	int err;

	if (!qp)
		return NULL;
	vt_to_init(qp, 1, 0);
	path.qpn = qp->qp_num;
	err = vt_try_rtr(qp, 1, &path);
	if (!err)
		return qp;
	CHECK(!ibv_destroy_qp(qp), "destroy_qp failed");
	errno = err;
	return NULL;
}

static union ibv_gid group(unsigned int i)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80 } };
	uint32_t pid = getpid();

	/* each process has groups of its own */
	memcpy(&gid.raw[8], &pid, sizeof(pid));
	memcpy(&gid.raw[12], &i, sizeof(i));
	return gid;
}

static void *make_mcast(unsigned int i)
{
	union ibv_gid gid = group(i);
	int err = ibv_attach_mcast(ud, &gid, 0xc001);

	errno = err;
	return err ? NULL : ud;
}

static int free_mcast(void *p, unsigned int i)
{
	union ibv_gid gid = group(i);

	return ibv_detach_mcast(p, &gid, 0xc001);
}

static void *make_mcast_qp(unsigned int i VT_UNUSED)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x81 } };
	struct ibv_qp *qp = qp_of(IBV_QPT_UD, 1, 1);
	int err;

	if (!qp)
		return NULL;
	vt_to_init(qp, 1, 0);
	err = ibv_attach_mcast(qp, &gid, 0xc001);
	if (!err)
		return qp;
	CHECK(!ibv_destroy_qp(qp), "destroy_qp failed");
	errno = err;
	return NULL;
}

static int free_mcast_qp(void *p, unsigned int i VT_UNUSED)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x81 } };
	int err = ibv_detach_mcast(p, &gid, 0xc001);

	return err ? err : ibv_destroy_qp(p);
}

static void *make_mr(unsigned int i VT_UNUSED)
{
	return ibv_reg_mr(E.pd, region, REGION, IBV_ACCESS_LOCAL_WRITE);
}

static int free_mr(void *p, unsigned int i VT_UNUSED) { return ibv_dereg_mr(p); }

static void *make_resize(unsigned int i)
{
	int err = ibv_resize_cq(cq, 16 << i);

	errno = err;
	return err ? NULL : cq;
}

static int free_resize(void *p, unsigned int i VT_UNUSED) { return ibv_resize_cq(p, 16); }

/* The mapping of the context that is that long, a second time. */
static void *map_again(size_t *bytes)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long from, to, offset;
	char line[512];
	void *p = NULL;

	CHECK(f, "/proc/self/maps: %s", strerror(errno));
	while (!p && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "/dev/infiniband/uverbs") ||
		    sscanf(line, "%llx-%llx %*s %llx", &from, &to, &offset) != 3 || to - from < 1 << 20)
			continue;
		*bytes = to - from;
		p = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, E.ctx->cmd_fd, offset);
		CHECK(p != MAP_FAILED, "a second mapping: %s", strerror(errno));
	}
	fclose(f);
	CHECK(p, "no mapping of that CQ");
	return p;
}

static size_t mapped_bytes;

static void *make_mapped(unsigned int i VT_UNUSED)
{
	struct ibv_cq *large = make_large_cq(0);
	char *p;

	if (!large)
		return NULL;
	p = map_again(&mapped_bytes);
	CHECK(!ibv_destroy_cq(large), "destroy_cq failed");
	/* all but one page, which is neither the first nor the last */
	CHECK(!munmap(p, mapped_bytes / 2) && !munmap(p + mapped_bytes / 2 + 4096, mapped_bytes / 2 - 4096),
	      "munmap failed");
	p += mapped_bytes / 2;
	p[0] = 1;
	return p;
}

/* One page of a CQ that is destroyed is in a pipe, which this program does not have alone. */
static void *make_piped(unsigned int n)
{
	struct ibv_cq *large = n ? NULL : make_large_cq(0);
	struct iovec page = { .iov_len = 4096 };
	char *p;

	errno = ENOMEM;
	if (!large)
		return NULL;
	p = map_again(&mapped_bytes);
	page.iov_base = p + mapped_bytes / 2;
	CHECK(vmsplice(STDOUT_FILENO, &page, 1, 0) == 4096, "vmsplice: %s", strerror(errno));
	CHECK(!munmap(p, mapped_bytes), "munmap failed");
	CHECK(!ibv_destroy_cq(large), "destroy_cq failed");
	return page.iov_base;
}

/* A child keeps one page of it, which it moves to another place. */
static void *make_forked(unsigned int n)
{
	struct ibv_cq *large = n ? NULL : make_large_cq(0);
	int ready[2];
	pid_t child;
	char *p;

	errno = ENOMEM;
	if (!large)
		return NULL;
	p = map_again(&mapped_bytes);
	CHECK(!pipe(ready), "pipe: %s", strerror(errno));
	child = fork();
	CHECK(child >= 0, "fork: %s", strerror(errno));
	if (!child) {
		char *other = mremap(p, mapped_bytes, mapped_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
				     p + (1UL << 32));

		CHECK(other != MAP_FAILED && !munmap(other + 4096, mapped_bytes - 4096), "mremap: %s", strerror(errno));
		CHECK(write(ready[1], other, 1) == 1, "write: %s", strerror(errno));
		close(STDOUT_FILENO);
		sigsuspend(&(sigset_t){});
		_exit(0);
	}
	CHECK(read(ready[0], &(char){ 0 }, 1) == 1, "the child is not ready");
	CHECK(!munmap(p, mapped_bytes) && !ibv_destroy_cq(large), "destroy_cq failed");
	return p;
}

static int free_mapped(void *p, unsigned int i VT_UNUSED) { return munmap(p, 4096) ? errno : 0; }

static const struct {
	const char *name;
	void *(*make)(unsigned int i);
	int (*free)(void *p, unsigned int i);
} kinds[] = {
	{ "cq", make_cq, free_cq },
	{ "srq", make_srq, free_srq },
	{ "pd", make_pd, free_pd },
	{ "xrcd", make_xrcd, free_xrcd },
	{ "ah", make_ah, free_ah },
	{ "mw", make_mw, free_mw },
	{ "dm", make_dm, free_dm },
	{ "dm_bytes", make_dm_bytes, free_dm },
	{ "mcast", make_mcast, free_mcast },
	{ "mcast_qp", make_mcast_qp, free_mcast_qp },
	{ "target", make_target, free_qp },
	{ "large_cq", make_large_cq, free_cq },
	{ "medium_cq", make_medium_cq, free_cq },
	{ "large_qp", make_large_qp, free_qp },
	{ "large_srq", make_large_srq, free_srq },
	{ "mr", make_mr, free_mr },
	{ "answers", make_answers, free_qp },
	{ "resize", make_resize, free_resize },
	{ "piped", make_piped, free_mapped },
	{ "forked", make_forked, free_mapped },
	{ "mapped", make_mapped, free_mapped },
};

static unsigned int take(unsigned int kind, unsigned int most)
{
	unsigned int n;

	for (n = 0; n < most; n++) {
		made[n] = kinds[kind].make(n);
		if (!made[n])
			break;
	}
	CHECK(most == 1 || n < most, "%u were taken, and none was refused", n);
	CHECK(n == most || errno == ENOMEM, "refused after %u: %s", n, strerror(errno));
	printf("took %u\n", n);
	fflush(stdout);
	return n;
}

/* Nothing of it is given back. */
static void take_forever(unsigned int kind)
{
	unsigned int n = 0, refused = 0;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (!vt_ended) {
		if (kinds[kind].make(n)) {
			n++;
			continue;
		}
		CHECK(errno == ENOMEM, "refused after %u: %s", n, strerror(errno));
		if (refused++)
			continue;
		vt_ready();
	}
	printf("took %u\nrefused %u\n", n, refused);
	fflush(stdout);
	_exit(0);
}

static void give_back(unsigned int kind, unsigned int n)
{
	int err;

	while (n--) {
		err = kinds[kind].free(made[n], n);
		CHECK(!err, "giving back number %u: %s", n, strerror(err));
	}
}

/* What it needs besides. */
static void make_own(void)
{
	cq = vt_cq(&E, 16, NULL);
	ud = vt_qp(&E, (struct vt_qp_opts){ .type = IBV_QPT_UD, .scq = cq, .rcq = cq, .wr = 1, .sge = 1 });
	vt_to_init(ud, 1, 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "";
	unsigned int kind, n, mark;

	vt_prog = "greedy";
	for (kind = 0; kind < ARRAY_LEN(kinds); kind++)
		if (argc > 1 && !strcmp(kinds[kind].name, argv[1]))
			break;
	CHECK(kind < ARRAY_LEN(kinds), "there is no %s", argc > 1 ? argv[1] : "argument");
	vt_hold_end();
	vt_limit(300);
	vt_open(&E, argc > 3 ? argv[3] : "glass0", 1, 0);
	if (!strcmp(argv[1], "target"))
		xrcd = domain(E.ctx, -1);
	if (!strcmp(argv[1], "mr"))
		region = vt_mem(REGION);
	mark = vt_nthings;
	make_own();
	if (!strcmp(mode, "forever"))
		take_forever(kind);
	n = take(kind, strcmp(mode, "one") ? MANY : 1);
	if (!strcmp(mode, "wait") || !strcmp(mode, "one"))
		vt_wait_for_end();
	if (!strcmp(mode, "leave"))
		_exit(0);
	give_back(kind, n);
	if (!*mode) {
		unsigned int again;

		/* how queues lie in areas is as at first only without those of before */
		CHECK(!vt_drop_to(mark), "something stays");
		make_own();
		again = take(kind, MANY);
		CHECK(again == n, "%u at first, %u then", n, again);
		give_back(kind, again);
	}
	CHECK(!xrcd || !ibv_close_xrcd(xrcd), "close_xrcd failed");
	CHECK(!vt_drop_all(), "something stays");
	vt_close(&E);
	return 0;
}
