/* SPDX-License-Identifier: GPL-2.0-only */
/* verbs_check: odd kinds of memory on demand, which nobody may reach, or which changes all the time. */
#ifndef CHECK_DEMAND_H
#define CHECK_DEMAND_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "check_memory.h"

/* The whole of it is refused: nothing of a process but what get_user_pages() gives may be reached. */
static void refused_on_demand(char *mem, size_t len)
{
	struct pair p = make_pair(), q = make_pair();
	struct ibv_mr *ma = vt_buf(&A, PAGE);
	struct ibv_mr *mr = vt_mr_of(B.pd, mem, len, ODP_ACCESS);
	struct ibv_sge sge = { .addr = (uintptr_t)mem, .length = 100, .lkey = mr->lkey };
	struct ibv_send_wr wr = wr_of(IBV_WR_SEND, 1, &sge);

	may_not_write(&p, ma, 100, (uintptr_t)mem + 50, mr->rkey);
	vt_recv(q.a, 1, ma, 0, PAGE);
	vt_post(q.b, &wr);
	vt_wc_is(q.b->send_cq, 1, IBV_WC_LOC_PROT_ERR);
	vt_drop(mr);
}

/* Memory that the kernel itself cannot read. */
static void on_demand_secret(void)
{
	int fd = syscall(SYS_memfd_secret, 0);
	char *mem;

	if (fd < 0) {
		printf("on_demand_secret: this kernel has no memfd_secret(): %s\n", strerror(errno));
		return;
	}
	CHECK(!ftruncate(fd, 4 * PAGE), "ftruncate: %s", strerror(errno));
	mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(mem != MAP_FAILED, "mmap: %s", strerror(errno));
	memset(mem, 1, 4 * PAGE);
	refused_on_demand(mem, 4 * PAGE);
	munmap(mem, 4 * PAGE);
	close(fd);
}

/* Memory that may be written and not read, which a page table cannot say. */
static void on_demand_write_only(void)
{
	char *mem = fresh_pages(4);

	memset(mem, 1, 4 * PAGE);
	CHECK(!mprotect(mem, 4 * PAGE, PROT_WRITE), "mprotect: %s", strerror(errno));
	refused_on_demand(mem, 4 * PAGE);
	munmap(mem, 4 * PAGE);
}

/* The bytes of a huge page: 2 MiB, or 32 MiB with pages of 16 KiB. */
static size_t huge_page(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	size_t kib = 0;

	CHECK(f, "/proc/meminfo: %s", strerror(errno));
	while (fgets(line, sizeof(line), f) && sscanf(line, "Hugepagesize: %zu kB", &kib) != 1)
		;
	fclose(f);
	CHECK(kib, "/proc/meminfo has no Hugepagesize");
	return kib << 10;
}

static uint32_t set_huge_pages(uint32_t n)
{
	FILE *f = fopen("/proc/sys/vm/nr_hugepages", "r+");
	unsigned int had = 0;

	CHECK(f && fscanf(f, "%u", &had) == 1, "nr_hugepages: %s", strerror(errno));
	rewind(f);
	fprintf(f, "%u\n", n);
	fclose(f);
	return had;
}

/* One message over several huge pages; and what takes their place when they are gone. */
static void on_demand_huge(void)
{
	enum { PAGES = 6 };
	struct pair p = make_pair_tuned((struct vt_qp_opts){ .sge = PAGES }, (struct tune){});
	struct ibv_mr *ma = vt_buf(&A, PAGES * PAGE), *mr;
	struct ibv_send_wr wr;
	struct ibv_recv_wr rr = { .wr_id = 2, .num_sge = PAGES }, *bad;
	struct ibv_sge from = vt_sge(ma, 0, PAGES * PAGE), to[PAGES];
	uint32_t had = set_huge_pages(PAGES + 2);
	size_t huge = huge_page();
	struct ibv_wc wc;
	char *mem;

	mem = mmap(NULL, PAGES * huge, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	CHECK(mem != MAP_FAILED, "huge pages: %s", strerror(errno));
	mr = vt_mr_of(B.pd, mem, PAGES * huge, ODP_ACCESS);
	for (int round = 0; round < 3; round++) {
		vt_fill(ma->addr, PAGES * PAGE, 20 + round);
		for (int i = 0; i < PAGES; i++)
			to[i] = (struct ibv_sge){ .addr = (uintptr_t)mem + i * huge + 77, .length = PAGE,
						  .lkey = mr->lkey };
		rr.sg_list = to;
		CHECK(!ibv_post_recv(p.b, &rr, &bad), "post_recv failed");
		wr = wr_of(IBV_WR_SEND, 1, &from);
		vt_post(p.a, &wr);
		vt_wc_ok(p.a->send_cq, &wc);
		vt_wc_ok(p.b->recv_cq, &wc);
		for (int i = 0; i < PAGES; i++)
			CHECK(!memcmp(mem + i * huge + 77, (char *)ma->addr + i * PAGE, PAGE),
			      "huge page %d, round %d", i, round);
		/* across the border of two */
		may_write(&p, ma, 200, (uintptr_t)mem + huge - 100, mr->rkey);
		CHECK(!memcmp(mem + huge - 100, ma->addr, 200), "across two huge pages, round %d", round);
		CHECK(!madvise(mem, PAGES * huge, MADV_DONTNEED), "madvise: %s", strerror(errno));
		CHECK(!mem[77] && !mem[huge + 77], "a huge page that was dropped still has its data");
	}
	CHECK(!munmap(mem, PAGES * huge), "munmap: %s", strerror(errno));
	may_not_write(&p, ma, 100, (uintptr_t)mem, mr->rkey);
	vt_drop(mr);
	set_huge_pages(had);
}

struct unrest {
	char *low, *high;
	atomic_bool stop;
};

/* What lies before and behind the region comes and goes. */
static void *make_unrest(void *arg)
{
	struct unrest *u = arg;

	while (!atomic_load(&u->stop)) {
		u->low[0] = 1;
		u->high[0] = 1;
		madvise(u->low, PAGE, MADV_DONTNEED);
		madvise(u->high, PAGE, MADV_DONTNEED);
	}
	return NULL;
}

static void on_demand_unrest(void)
{
	enum { PAGES = 64, THREADS = 3 };
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, PAGES * PAGE), *mr;
	char *mem = fresh_pages(PAGES + 2);
	struct unrest u = { .low = mem, .high = mem + (PAGES + 1) * PAGE };
	pthread_t thread[THREADS];

	mr = vt_mr_of(B.pd, mem + PAGE, PAGES * PAGE, ODP_ACCESS);
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&thread[i], NULL, make_unrest, &u), "no thread");
	for (int round = 0; round < 50; round++) {
		vt_fill(ma->addr, PAGES * PAGE, 50 + round);
		may_write(&p, ma, PAGES * PAGE, (uintptr_t)mem + PAGE, mr->rkey);
		vt_verify(mem + PAGE, PAGES * PAGE, 50 + round, "memory amid unrest");
		if (round % 5 == 4)
			CHECK(!madvise(mem + PAGE, PAGES * PAGE, MADV_DONTNEED), "madvise: %s", strerror(errno));
	}
	atomic_store(&u.stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	vt_drop(mr);
	munmap(mem, (PAGES + 2) * PAGE);
}

/* A child by fork() has a copy of what was there: what comes later is its parent's alone. */
static void on_demand_fork(void)
{
	struct pair p = make_pair();
	struct ibv_mr *ma = vt_buf(&A, PAGE), *mr;
	char *mem = fresh_pages(1), ask = 0;
	int pipes[2], status;
	pid_t pid;

	memset(mem, 0x55, PAGE);
	mr = vt_mr_of(B.pd, mem, PAGE, ODP_ACCESS);
	vt_fill(ma->addr, PAGE, 60);
	may_write(&p, ma, PAGE / 2, (uintptr_t)mem, mr->rkey);
	CHECK(!pipe(pipes), "pipe failed");
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		if (read(pipes[0], &ask, 1) != 1)
			_exit(2);
		_exit(mem[PAGE - 1] != 0x55 || memcmp(mem, ma->addr, 16) != 0);
	}
	CHECK(pid > 0, "fork failed");
	may_write(&p, ma, PAGE / 2, (uintptr_t)mem + PAGE / 2, mr->rkey);
	CHECK(!memcmp(mem + PAGE / 2, ma->addr, PAGE / 2), "what came after fork() is not the parent's");
	CHECK(write(pipes[1], &ask, 1) == 1, "write failed");
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status),
	      "the child saw what came after fork(): status 0x%x", status);
	close(pipes[0]);
	close(pipes[1]);
	vt_drop(mr);
	munmap(mem, PAGE);
}

static const struct check demand_checks[] = {
	{ "on_demand_secret", on_demand_secret },
	{ "on_demand_write_only", on_demand_write_only },
	{ "on_demand_huge", on_demand_huge },
	{ "on_demand_unrest", on_demand_unrest },
	{ "on_demand_fork", on_demand_fork },
};

#endif
