// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of large rings goes when their CQ, SRQ or QP goes, or gets smaller, while the program
 * keeps another queue: by what the driver shows of it, and by what the program has mapped, which
 * the driver does not see.
 */
#include "dump.h"

/* As much may be kept for rings to come: what several rings share is never larger. */
#define LARGEST_KEPT (4u << 20)
/* And so much when there is no ring at all. */
#define SMALL_KEPT (64u << 10)

struct memory {
	uint64_t areas, area_bytes; /* of debugfs' ucontext */
	uint64_t mapped;	    /* bytes of /proc/self/maps */
};

static struct vt_end end;

static uint64_t mapped_bytes(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	uint64_t bytes = 0;
	char line[512];

	CHECK(f, "/proc/self/maps: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "/dev/infiniband/uverbs") &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2)
			bytes += to - from;
	fclose(f);
	return bytes;
}

/* Of this process' one context. */
static struct memory memory_now(void)
{
	struct memory now = { .mapped = mapped_bytes() };
	int i, pid, rows = 0;
	struct table t;

	table_read(&t, end.name, "ucontext");
	pid = table_col(&t, "pid");
	for (i = 0; i < t.nrows; i++) {
		if (strtoull(t.cell[i][pid], NULL, 10) != (uint64_t)getpid())
			continue;
		now.areas = num_of(t.cell[i][table_col(&t, "areas")], "areas");
		now.area_bytes = num_of(t.cell[i][table_col(&t, "area_bytes")], "area_bytes");
		rows++;
	}
	table_free(&t);
	CHECK(rows == 1, "%d contexts of this process", rows);
	return now;
}

/* ---- queues with large rings: each is made, and destroyed or made smaller */

#define CQES 200000

static void *cq_make(void)
{
	return vt_cq(&end, CQES, NULL);
}

static void cq_resize(void *cq)
{
	int err = ibv_resize_cq(cq, 16);

	CHECK(!err, "resize_cq: %s", strerror(err));
}

static void *srq_make(void)
{
	return vt_srq(&end, end.dev_attr.max_srq_wr, end.dev_attr.max_srq_sge);
}

static void srq_resize(void *srq)
{
	struct ibv_srq_attr attr = { .max_wr = 16 };
	int err = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);

	CHECK(!err, "modify_srq: %s", strerror(err));
}

static struct ibv_cq *small_cq; /* is there all the time, but at the end */

static void *qp_make(void)
{
	return vt_qp(&end, (struct vt_qp_opts){ .scq = small_cq,
						.rcq = small_cq,
						.wr = end.dev_attr.max_qp_wr,
						.sge = end.dev_attr.max_sge });
}

static const struct {
	const char *name;
	void *(*make)(void);
	void (*resize)(void *queue); /* to a small one; NULL: it has one size */
} queues[] = {
	{ "CQ", cq_make, cq_resize },
	{ "SRQ", srq_make, srq_resize },
	{ "QP", qp_make, NULL },
};

static void check_fell(const struct memory *before, const char *queue, const char *what)
{
	struct memory now = memory_now();

	printf("%s %s: areas %llu area_bytes %llu mapped %llu\n", queue, what,
	       (unsigned long long)now.areas, (unsigned long long)now.area_bytes,
	       (unsigned long long)now.mapped);
	CHECK(now.areas <= before->areas + 1 && now.area_bytes <= before->area_bytes + LARGEST_KEPT,
	      "a large %s was %s: the context has %llu bytes in %llu areas, and had %llu in %llu before it",
	      queue, what, (unsigned long long)now.area_bytes, (unsigned long long)now.areas,
	      (unsigned long long)before->area_bytes, (unsigned long long)before->areas);
	CHECK(now.mapped <= before->mapped + LARGEST_KEPT,
	      "a large %s was %s: %llu bytes are mapped, and %llu were before it", queue, what,
	      (unsigned long long)now.mapped, (unsigned long long)before->mapped);
}

static void *make_large(unsigned int i, const struct memory *before)
{
	void *queue = queues[i].make();
	struct memory now = memory_now();

	CHECK(now.area_bytes > before->area_bytes + LARGEST_KEPT &&
		      now.mapped > before->mapped + LARGEST_KEPT,
	      "a %s that is not large", queues[i].name);
	return queue;
}

int main(int argc, char **argv)
{
	struct memory before;
	uint64_t control, left;
	unsigned int i;

	vt_prog = "large_rings";
	if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
		fprintf(stderr,
			"Usage: large_rings [DEVICE]\n"
			"Makes queues with large rings and checks that their memory goes with them; as root.\n"
			"Exit status 0: it did; 1: it did not; 2: wrong arguments; 4: it hung.\n");
		return 2;
	}
	vt_limit(120);
	vt_open(&end, argc == 2 ? argv[1] : "glass0", 1, 0);
	control = mapped_bytes();
	small_cq = vt_cq(&end, 16, NULL);
	before = memory_now();
	for (i = 0; i < ARRAY_LEN(queues); i++) {
		vt_doing = queues[i].name;
		vt_drop(make_large(i, &before));
		check_fell(&before, queues[i].name, "destroyed");
		if (queues[i].resize) {
			void *queue = make_large(i, &before);

			queues[i].resize(queue);
			check_fell(&before, queues[i].name, "resized");
			vt_drop(queue);
		}
	}
	vt_drop(small_cq);
	left = mapped_bytes() - control;
	CHECK(left <= SMALL_KEPT, "%llu bytes are mapped for rings when there are none",
	      (unsigned long long)left);
	vt_close(&end);
	return 0;
}
