// SPDX-License-Identifier: GPL-2.0-only
/*
 * Advice to prefetch so much that it would take far longer than anybody waits, and what ends it.
 *
 *   prefetch_ends wait     the call itself brings in the pages: for a signal to end it
 *   prefetch_ends linger   the kernel does on its own, and the program sleeps: for a signal, too
 *   prefetch_ends dereg    the region is deregistered in the middle of it
 *   prefetch_ends rereg    the region gets other memory in the middle of it
 */
#include <sys/mman.h>

#include "vt.h"

#define PIECES 1024 /* of one advice, each the whole region */
#define REGION (1ull << 31)
/* far enough in to know that it has begun */
#define MARK (1000 * PAGE)

static bool resident(char *page)
{
	unsigned char in = 0;

	CHECK(!mincore(page, PAGE, &in), "mincore: %s", strerror(errno));
	return in & 1;
}

static void wait_until_begun(char *mem)
{
	uint64_t until = vt_now_ms() + VT_WAIT_MS;

	while (!resident(mem + MARK)) {
		CHECK(vt_now_ms() < until, "the prefetch does not begin");
		poll(NULL, 0, 5);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	bool waits = !strcmp(what, "wait");
	static struct ibv_sge sge[PIECES];
	struct vt_end e;
	struct ibv_mr *mr;
	char *mem, *other;
	int err, i;

	vt_prog = "prefetch_ends";
	if (!waits && strcmp(what, "linger") && strcmp(what, "dereg") && strcmp(what, "rereg")) {
		fprintf(stderr, "Usage: prefetch_ends wait | linger | dereg | rereg\n");
		return 2;
	}
	vt_limit(600);
	vt_open(&e, "glass0", 1, 0);
	/* read only: every page of it is the kernel's one page of zeros, and costs nothing */
	mem = mmap(NULL, REGION, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(mem != MAP_FAILED, "mmap: %s", strerror(errno));
	/* a page at a time; a kernel without huge pages does not know this */
	CHECK(!madvise(mem, REGION, MADV_NOHUGEPAGE) || errno == EINVAL, "madvise: %s", strerror(errno));
	mr = ibv_reg_mr(e.pd, mem, REGION, IBV_ACCESS_ON_DEMAND);
	CHECK(mr, "reg_mr: %s", strerror(errno));
	for (i = 0; i < PIECES; i++)
		sge[i] = (struct ibv_sge){ (uintptr_t)mem, REGION, mr->lkey };
	err = ibv_advise_mr(e.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, waits ? IBV_ADVISE_MR_FLAG_FLUSH : 0, sge, PIECES);
	CHECK(!waits, "a prefetch of %llu GiB has ended: %s", PIECES * (REGION >> 30), strerror(err));
	CHECK(!err, "advise_mr: %s", strerror(err));
	wait_until_begun(mem);
	if (!strcmp(what, "linger")) {
		puts("begun");
		fflush(stdout);
		for (;;)
			pause();
	}
	if (!strcmp(what, "rereg")) {
		other = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(other != MAP_FAILED, "mmap: %s", strerror(errno));
		err = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, other, 4 * PAGE, 0);
		CHECK(!err, "rereg_mr: %d, %s", err, strerror(errno));
	}
	CHECK(!ibv_dereg_mr(mr), "dereg_mr failed");
	vt_close(&e);
	puts("ok");
	return 0;
}
