/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: kinds of memory: registered anew, zero-based, device memory, dma-buf, on demand, imported. */
#ifndef CHECK_MEMORY_H
#define CHECK_MEMORY_H

#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

/* A WRITE of len bytes of ma at 0 to an address of a key; its status. */
static enum ibv_wc_status write_to(struct pair *p, struct ibv_mr *ma, uint32_t len, uint64_t addr,
				   uint32_t rkey)
{
	struct ibv_sge sge = vt_sge(ma, 0, len);
	struct ibv_send_wr wr = wr_of(IBV_WR_RDMA_WRITE, 9, &sge);
	struct ibv_wc wc;

	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	vt_post(p->a, &wr);
	vt_wc(p->a->send_cq, &wc);
	return wc.status;
}

static void may_write(struct pair *p, struct ibv_mr *ma, uint32_t len, uint64_t addr, uint32_t rkey)
{
	enum ibv_wc_status status = write_to(p, ma, len, addr, rkey);

	CHECK(status == IBV_WC_SUCCESS, "WRITE: %s", ibv_wc_status_str(status));
}

static void may_not_write(struct pair *p, struct ibv_mr *ma, uint32_t len, uint64_t addr, uint32_t rkey)
{
	enum ibv_wc_status status = write_to(p, ma, len, addr, rkey);

	CHECK(status == IBV_WC_REM_ACCESS_ERR, "WRITE that must be refused: %s",
	      ibv_wc_status_str(status));
}

/* An atomic of a on 8 bytes of b; what was there before. */
static uint64_t atomic_on(struct pair *p, struct ibv_mr *ma, enum ibv_wr_opcode op, uint64_t addr,
			  uint32_t rkey, uint64_t compare_add, uint64_t swap)
{
	struct ibv_sge sge = vt_sge(ma, 0, 8);
	struct ibv_send_wr wr = wr_of(op, 8, &sge);
	struct ibv_wc wc;

	wr.wr.atomic.remote_addr = addr;
	wr.wr.atomic.rkey = rkey;
	wr.wr.atomic.compare_add = compare_add;
	wr.wr.atomic.swap = swap;
	vt_post(p->a, &wr);
	vt_wc_ok(p->a->send_cq, &wc);
	return *(uint64_t *)ma->addr;
}

/* Other memory, other rights, another PD: the keys stay, what they mean changes. */
static void rereg_mr(void)
{
	struct pair p = make_pair(), q = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb;
	char *one = vt_mem(4 * PAGE), *two = vt_mem(8 * PAGE);
	struct ibv_pd *pd = ibv_alloc_pd(B.ctx);
	uint32_t rkey;

	CHECK(pd, "alloc_pd failed");
	mb = vt_mr_of(B.pd, one, 4 * PAGE, VT_ACCESS_ALL);
	rkey = mb->rkey;
	vt_fill(ma->addr, 64, 1);
	may_write(&p, ma, 64, (uintptr_t)one, rkey);
	vt_verify(one, 64, 1, "first memory");

	CHECK(!ibv_rereg_mr(mb, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, two, 8 * PAGE, 0),
	      "rereg of other memory failed");
	CHECK(mb->rkey == rkey, "the key changed from 0x%x to 0x%x", rkey, mb->rkey);
	may_write(&p, ma, 64, (uintptr_t)two + 8 * PAGE - 64, rkey);
	vt_verify(two + 8 * PAGE - 64, 64, 1, "second memory");

	/* what has become too short is refused, and nothing changed */
	CHECK(ibv_rereg_mr(mb, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, (void *)(uintptr_t)PAGE, PAGE, 0),
	      "rereg of memory that is not there succeeded");
	may_write(&p, ma, 64, (uintptr_t)two, rkey);

	CHECK(!ibv_rereg_mr(mb, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0), "rereg in another PD failed");
	may_not_write(&p, ma, 64, (uintptr_t)two, rkey);
	CHECK(!ibv_rereg_mr(mb, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS, B.pd, NULL, 0,
			    IBV_ACCESS_LOCAL_WRITE),
	      "rereg with less access failed");
	may_not_write(&q, ma, 64, (uintptr_t)two, rkey);
	CHECK(!ibv_dealloc_pd(pd), "the PD that it has left is held");
}

/* Addresses in the region are offsets. */
static void zero_based_mr(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64), *mb;
	char *mem = vt_mem(2 * PAGE);
	struct ibv_sge sge;
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_wc wc;

	mb = vt_mr_of(B.pd, mem + 100, PAGE, VT_ACCESS_ALL | IBV_ACCESS_ZERO_BASED);
	vt_fill(ma->addr, 64, 2);
	may_write(&p, ma, 64, PAGE - 64, mb->rkey);
	vt_verify(mem + 100 + PAGE - 64, 64, 2, "zero-based memory");
	sge = (struct ibv_sge){ .addr = PAGE - 64, .length = 64, .lkey = mb->lkey };
	vt_recv(p.a, 2, ma, 0, 64);
	vt_fill(ma->addr, 64, 3);
	vt_post(p.b, &wr);
	vt_wc_ok(p.b->send_cq, &wc);
	vt_wc_ok(p.a->recv_cq, &wc);
	vt_verify(ma->addr, 64, 2, "what was sent from zero-based memory");
	may_not_write(&p, ma, 64, PAGE - 63, mb->rkey);
}

static struct ibv_dm *alloc_dm(struct vt_end *e, size_t length)
{
	struct ibv_alloc_dm_attr attr = { .length = length };
	struct ibv_dm *dm = ibv_alloc_dm(e->ctx, &attr);

	CHECK(dm, "alloc_dm of %zu bytes: %s", length, strerror(errno));
	return dm;
}

static void device_memory(void)
{
	const unsigned int access = VT_ACCESS_ALL | IBV_ACCESS_ZERO_BASED;
	struct ibv_device_attr_ex attr = {};
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, PAGE), *mr;
	struct ibv_dm *dm, *all;
	char back[256];
	uint64_t word;

	CHECK(!ibv_query_device_ex(B.ctx, NULL, &attr) && attr.max_dm_size, "no device memory");
	dm = alloc_dm(&B, 2 * PAGE + 4);
	mr = ibv_reg_dm_mr(B.pd, dm, 4, 2 * PAGE, access);
	CHECK(mr, "reg_dm_mr: %s", strerror(errno));
	CHECK(!ibv_reg_dm_mr(B.pd, dm, 4, 2 * PAGE + 4, access), "a region beyond its device memory");

	vt_fill(ma->addr, 256, 4);
	may_write(&p, ma, 256, PAGE - 128, mr->rkey);
	CHECK(!ibv_memcpy_from_dm(back, dm, 4 + PAGE - 128, 256), "memcpy_from_dm failed");
	vt_verify(back, 256, 4, "device memory");
	CHECK(ibv_memcpy_from_dm(back, dm, 2 * PAGE + 4, 4), "memcpy beyond the end succeeded");
	CHECK(ibv_memcpy_to_dm(dm, 2, back, 4), "memcpy to an odd place succeeded");
	may_not_write(&p, ma, 8, 2 * PAGE - 4, mr->rkey);

	p = make_pair();
	word = 40;
	CHECK(!ibv_memcpy_to_dm(dm, 8, &word, 8), "memcpy_to_dm failed");
	/* not a multiple of 8 in the memory of the adapter */
	CHECK(!ibv_dereg_mr(mr), "dereg_mr failed");
	mr = ibv_reg_dm_mr(B.pd, dm, 0, 2 * PAGE, access);
	CHECK(mr, "reg_dm_mr: %s", strerror(errno));
	word = atomic_on(&p, ma, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, mr->rkey, 2, 0);
	CHECK(word == 40, "fetch_add brought %llu", (unsigned long long)word);
	word = atomic_on(&p, ma, IBV_WR_ATOMIC_CMP_AND_SWP, 8, mr->rkey, 42, 7);
	CHECK(word == 42, "cmp_swap brought %llu", (unsigned long long)word);
	CHECK(!ibv_memcpy_from_dm(&word, dm, 8, 8) && word == 7, "there is %llu now",
	      (unsigned long long)word);

	CHECK(ibv_free_dm(dm), "device memory with a region was freed");
	CHECK(!ibv_dereg_mr(mr), "dereg_mr failed");
	CHECK(!ibv_free_dm(dm), "free_dm failed");
	/* what there is is bounded, and comes back */
	all = alloc_dm(&B, attr.max_dm_size);
	CHECK(!ibv_alloc_dm(B.ctx, &(struct ibv_alloc_dm_attr){ .length = 4 }) && errno == ENOMEM,
	      "more device memory than there is, or %s", strerror(errno));
	CHECK(!ibv_free_dm(all), "free_dm failed");
	CHECK(!ibv_free_dm(alloc_dm(&B, attr.max_dm_size)), "free_dm failed");
}

/* The memory of a memfd, by way of a dma-buf. */
static void dmabuf_mr(void)
{
	int control = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), memfd, fd;
	struct udmabuf_create create = { .offset = 0, .size = 4 * PAGE };
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 512), *mr;
	char *mem;

	if (control < 0)
		skip("no /dev/udmabuf");
	memfd = memfd_create("glass", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	CHECK(memfd >= 0 && !ftruncate(memfd, 4 * PAGE) && !fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK),
	      "memfd: %s", strerror(errno));
	create.memfd = memfd;
	fd = ioctl(control, UDMABUF_CREATE, &create);
	CHECK(fd >= 0, "udmabuf: %s", strerror(errno));
	mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	CHECK(mem != MAP_FAILED, "mmap: %s", strerror(errno));

	CHECK(!ibv_reg_dmabuf_mr(B.pd, PAGE, 4 * PAGE, 0, fd, VT_ACCESS_ALL),
	      "a region beyond its dma-buf");
	CHECK(!ibv_reg_dmabuf_mr(B.pd, 0, PAGE, 0, memfd, VT_ACCESS_ALL),
	      "a region in what is no dma-buf");
	mr = ibv_reg_dmabuf_mr(B.pd, PAGE, 3 * PAGE, 0x10000, fd, VT_ACCESS_ALL);
	CHECK(mr, "reg_dmabuf_mr: %s", strerror(errno));
	/* the region holds the buffer, nobody else has to */
	close(fd);
	vt_fill(ma->addr, 512, 5);
	may_write(&p, ma, 512, 0x10000 + PAGE - 256, mr->rkey);
	vt_verify(mem + 2 * PAGE - 256, 512, 5, "dma-buf");
	may_not_write(&p, ma, 512, 0x10000 + 3 * PAGE - 256, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg_mr failed");
	munmap(mem, 4 * PAGE);
	close(memfd);
	close(control);
}

static char *fresh_pages(size_t n)
{
	char *mem = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem != MAP_FAILED, "mmap: %s", strerror(errno));
	return mem;
}

static bool resident(char *page)
{
	unsigned char in = 0;

	CHECK(!mincore(page, PAGE, &in), "mincore: %s", strerror(errno));
	return in & 1;
}

#define ODP_ACCESS (VT_ACCESS_ALL | IBV_ACCESS_ON_DEMAND)

/* Pages come when they are needed, may go at any time, and may not be there at all. */
static void on_demand(void)
{
	struct pair p = make_pair(), q = make_pair(), r = make_pair();
	struct ibv_mr *ma = vt_buf(&A, 64 * PAGE), *mr;
	char *mem = fresh_pages(64);
	uint64_t before;

	mr = vt_mr_of(B.pd, mem, 64 * PAGE, ODP_ACCESS);
	CHECK(!resident(mem) && !resident(mem + 63 * PAGE), "registering brought in pages");
	vt_fill(ma->addr, 64 * PAGE - 8, 6);
	may_write(&p, ma, 64 * PAGE - 8, (uintptr_t)mem + 4, mr->rkey);
	vt_verify(mem + 4, 64 * PAGE - 8, 6, "memory on demand");
	/* other pages take their place behind the adapter's back */
	CHECK(!madvise(mem, 64 * PAGE, MADV_DONTNEED), "madvise failed");
	may_write(&p, ma, 100, (uintptr_t)mem + PAGE - 50, mr->rkey);
	vt_verify(mem + PAGE - 50, 100, 6, "memory that was taken away");
	CHECK(!resident(mem + 5 * PAGE), "pages that nobody named are there");

	*(uint64_t *)(mem + 9 * PAGE) = 1;
	before = atomic_on(&p, ma, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)mem + 9 * PAGE, mr->rkey, 4, 0);
	CHECK(before == 1 && *(uint64_t *)(mem + 9 * PAGE) == 5, "atomic: %llu, then %llu",
	      (unsigned long long)before, (unsigned long long)*(uint64_t *)(mem + 9 * PAGE));
	/* an atomic on a page that is not there begins with 0 */
	before = atomic_on(&p, ma, IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)mem + 40 * PAGE, mr->rkey, 0, 3);
	CHECK(!before && *(uint64_t *)(mem + 40 * PAGE) == 3, "atomic on a page that was not there");

	/* memory that may not be written, and memory that is gone */
	CHECK(!mprotect(mem + 10 * PAGE, PAGE, PROT_READ), "mprotect failed");
	may_not_write(&q, ma, 100, (uintptr_t)mem + 10 * PAGE, mr->rkey);
	CHECK(!munmap(mem + 20 * PAGE, PAGE), "munmap failed");
	may_not_write(&r, ma, 100, (uintptr_t)mem + 20 * PAGE, mr->rkey);
	vt_drop(mr);
	munmap(mem, 64 * PAGE);
}

/* WRITEs of each length, from two SGEs, to each place around the end of a page: all of it, and no byte more */
static void write_ends_in(struct pair *p, struct ibv_mr *ma, char *mem, uint32_t rkey)
{
	const uint32_t around = 64;
	char *from = mem + PAGE - around;

	for (uint32_t back = 0; back <= 17; back++) {
		for (uint32_t len = 1; len <= 2 * 17; len++) {
			char *to = mem + PAGE - back;
			uint32_t cut = len / 3;
			struct ibv_sge sge[] = { vt_sge(ma, 0, cut), vt_sge(ma, cut, len - cut) };
			struct ibv_send_wr wr = wr_of(IBV_WR_RDMA_WRITE, 9, sge);

			memset(from, 0xee, 2 * around);
			vt_fill(ma->addr, len, back * 100 + len);
			wr.sg_list = cut ? sge : sge + 1;
			wr.num_sge = cut ? 2 : 1;
			wr.send_flags |= back & 1 ? IBV_SEND_INLINE : 0;
			wr.wr.rdma.remote_addr = (uintptr_t)to;
			wr.wr.rdma.rkey = rkey;
			vt_post(p->a, &wr);
			vt_wc_is(p->a->send_cq, 9, IBV_WC_SUCCESS);
			vt_verify(to, len, back * 100 + len, "end of a WRITE");
			vt_verify_same(from, to - from, 0xee, "bytes before a WRITE");
			vt_verify_same(to + len, from + 2 * around - to - len, 0xee, "bytes after a WRITE");
		}
	}
}

static void write_ends(void)
{
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .inl = 64 }, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, PAGE), *mb = vt_buf(&B, 2 * PAGE), *mr;
	char *mem = fresh_pages(2);

	CHECK((uintptr_t)mb->addr % PAGE == 0, "the buffer is not of whole pages");
	write_ends_in(&p, ma, mb->addr, mb->rkey);
	mr = vt_mr_of(B.pd, mem, 2 * PAGE, ODP_ACCESS);
	write_ends_in(&p, ma, mem, mr->rkey);
	vt_drop(mr);
	munmap(mem, 2 * PAGE);
}

/* The pages from which is sent are brought in, too; whose memory is gone cannot be sent. */
static void on_demand_send(void)
{
	struct pair p = make_pair();
	char *mem = fresh_pages(32);
	struct ibv_mr *mb = vt_buf(&B, 32 * PAGE), *mr = vt_mr_of(A.pd, mem, 32 * PAGE, ODP_ACCESS);
	struct ibv_sge sge = { .addr = (uintptr_t)mem, .length = 32 * PAGE, .lkey = mr->lkey };
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);
	struct ibv_wc wc;

	vt_fill(mb->addr, 32 * PAGE, 7);
	vt_recv(p.b, 1, mb, 0, 32 * PAGE);
	vt_post(p.a, &wr);
	vt_wc_ok(p.a->send_cq, &wc);
	vt_wc_ok(p.b->recv_cq, &wc);
	vt_verify_same(mb->addr, 32 * PAGE, 0, "zero pages");
	vt_fill(mem, 32 * PAGE, 8);
	CHECK(!madvise(mem, 32 * PAGE, MADV_PAGEOUT) || errno == EINVAL, "madvise: %s", strerror(errno));
	vt_recv(p.b, 2, mb, 0, 32 * PAGE);
	vt_post(p.a, &wr);
	vt_wc_ok(p.a->send_cq, &wc);
	vt_wc_ok(p.b->recv_cq, &wc);
	vt_verify(mb->addr, 32 * PAGE, 8, "message of memory on demand");
	CHECK(!munmap(mem + 16 * PAGE, 16 * PAGE), "munmap failed");
	vt_recv(p.b, 3, mb, 0, 32 * PAGE);
	vt_post(p.a, &wr);
	vt_wc_is(p.a->send_cq, 1, IBV_WC_LOC_PROT_ERR);
	vt_drop(mr);
	munmap(mem, 16 * PAGE);
}

/* All of the process's memory is one region; and what was mapped later, too. */
static void on_demand_implicit(void)
{
	struct pair p = make_pair(), q = make_pair();
	struct ibv_mr *ma = vt_buf(&A, PAGE), *mr;
	char *mem;

	mr = ibv_reg_mr(B.pd, NULL, SIZE_MAX, ODP_ACCESS);
	CHECK(mr, "implicit region: %s", strerror(errno));
	mem = fresh_pages(4);
	vt_fill(ma->addr, 2000, 9);
	may_write(&p, ma, 2000, (uintptr_t)mem + PAGE - 1000, mr->rkey);
	vt_verify(mem + PAGE - 1000, 2000, 9, "implicitly registered memory");
	munmap(mem, 4 * PAGE);
	may_not_write(&p, ma, 2000, (uintptr_t)mem, mr->rkey);
	may_not_write(&q, ma, 8, 0xffff888000000000ull, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg_mr failed");
}

static void on_demand_prefetch(void)
{
	char *mem = fresh_pages(16);
	struct ibv_mr *mr = vt_mr_of(B.pd, mem, 16 * PAGE, ODP_ACCESS), *mb = vt_buf(&B, PAGE);
	struct ibv_sge sge = { .addr = (uintptr_t)mem + 2 * PAGE + 5, .length = 2 * PAGE, .lkey = mr->lkey };
	uint64_t until = vt_now_ms() + VT_WAIT_MS;

	CHECK(!ibv_advise_mr(B.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1),
	      "prefetch: %s", strerror(errno));
	CHECK(resident(mem + 2 * PAGE) && resident(mem + 4 * PAGE), "prefetched pages are not there");
	CHECK(!resident(mem + PAGE) && !resident(mem + 5 * PAGE), "more pages than were asked for");
	sge.addr = (uintptr_t)mem + 8 * PAGE;
	CHECK(!ibv_advise_mr(B.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1),
	      "prefetch without faults failed");
	CHECK(!resident(mem + 8 * PAGE), "prefetch without faults brought in a page");
	CHECK(!ibv_advise_mr(B.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, &sge, 1), "prefetch failed");
	while (!resident(mem + 8 * PAGE))
		CHECK(vt_now_ms() < until, "no page came of an advice without waiting");
	/* outside, and in memory that is not on demand */
	sge.addr = (uintptr_t)mem + 15 * PAGE;
	CHECK(ibv_advise_mr(B.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1),
	      "prefetch beyond the region succeeded");
	sge = vt_sge(mb, 0, 64);
	CHECK(ibv_advise_mr(B.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1),
	      "prefetch of pinned memory succeeded");
	vt_drop(mr);
	munmap(mem, 16 * PAGE);
}

/* In a child: imports what its parent has, writes into it and looks at it. Exit status: what went wrong. */
static int import_in_child(int cmd_fd, uint32_t pd_handle, uint32_t mr_handle, uint32_t dm_handle,
			   uint32_t want_rkey)
{
	struct ibv_context *ctx = ibv_import_device(dup(cmd_fd));
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_dm *dm;
	uint32_t word = 0;

	if (!ctx)
		return 10;
	pd = ibv_import_pd(ctx, pd_handle);
	if (!pd || ibv_import_pd(ctx, 123456))
		return 11;
	mr = ibv_import_mr(pd, mr_handle);
	if (!mr || mr->rkey != want_rkey)
		return 12;
	dm = ibv_import_dm(ctx, dm_handle);
	if (!dm || ibv_memcpy_from_dm(&word, dm, 4, 4) || word != 77)
		return 13;
	word = 78;
	if (ibv_memcpy_to_dm(dm, 4, &word, 4))
		return 14;
	ibv_unimport_dm(dm);
	ibv_unimport_mr(mr);
	ibv_unimport_pd(pd);
	return ibv_close_device(ctx) ? 15 : 0;
}

static void import_objects(void)
{
	struct ibv_mr *mb = vt_buf(&B, PAGE);
	struct ibv_dm *dm = alloc_dm(&B, 64);
	uint32_t word = 77;
	int status;
	pid_t pid;

	CHECK(!ibv_memcpy_to_dm(dm, 4, &word, 4), "memcpy_to_dm failed");
	pid = fork();
	CHECK(pid >= 0, "fork failed");
	if (!pid)
		_exit(import_in_child(B.ctx->cmd_fd, B.pd->handle, mb->handle, dm->handle, mb->rkey));
	CHECK(waitpid(pid, &status, 0) == pid, "waitpid failed");
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "the child that imports ended with status 0x%x",
	      status);
	CHECK(!ibv_memcpy_from_dm(&word, dm, 4, 4) && word == 78, "what the child wrote is not there: %u",
	      word);
	CHECK(!ibv_free_dm(dm), "free_dm failed");
}

static const struct check memory_checks[] = {
	{ "rereg_mr", rereg_mr },
	{ "zero_based_mr", zero_based_mr },
	{ "device_memory", device_memory },
	{ "dmabuf_mr", dmabuf_mr },
	{ "on_demand", on_demand },
	{ "write_ends", write_ends },
	{ "on_demand_send", on_demand_send },
	{ "on_demand_implicit", on_demand_implicit },
	{ "on_demand_prefetch", on_demand_prefetch },
	{ "import_objects", import_objects },
};

#endif
