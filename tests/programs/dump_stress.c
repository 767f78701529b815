// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads every table of debugfs, and inspects objects at random, while thousands
 * of QPs come and go. A QP that lives from before a dump until after it must be
 * in that dump once, and no QP may be there twice.
 */
#include <getopt.h>
#include <pthread.h>

#include "dump.h"

struct live {
	struct ibv_qp *qp;
	uint32_t qpn;
	uint64_t serial;
};

static struct vt_end end;
static struct ibv_cq *cq;
static uint64_t total = 10000;
static unsigned int live_max = 500, steady = 1000;

#define ROUND 100 /* QPs that are made between two rounds of reading, at least */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all of these */
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct live *alive;
static unsigned int nalive;
static uint64_t born;
static bool done;

static struct live make(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct live l = { .qp = ibv_create_qp(end.pd, &attr) };

	CHECK(l.qp, "create_qp: %s", strerror(errno));
	l.qpn = l.qp->qp_num;
	return l;
}

/* Makes QPs; the oldest that is not steady goes when there are enough. */
static void *churn(void *arg VT_UNUSED)
{
	struct live l, old;

	while (born < total) {
		l = make();
		old.qp = NULL;
		pthread_mutex_lock(&lock);
		l.serial = ++born;
		if (nalive == steady + live_max) {
			old = alive[steady];
			memmove(&alive[steady], &alive[steady + 1],
				(live_max - 1) * sizeof(alive[0]));
			nalive--;
		}
		alive[nalive++] = l;
		if (!(born % ROUND))
			pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
		if (old.qp)
			CHECK(!ibv_destroy_qp(old.qp), "destroy_qp");
	}
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static unsigned int snapshot(struct live *to)
{
	unsigned int n;

	pthread_mutex_lock(&lock);
	n = nalive;
	memcpy(to, alive, n * sizeof(*to));
	pthread_mutex_unlock(&lock);
	return n;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static struct live *before, *after;
static uint64_t dumps, lines, inspects, vanished, survivors;

/* Is everything that lived through the dump in it, once and truly? */
static void check_qps(const struct table *t, unsigned int nbefore, unsigned int nafter)
{
	int qpn = table_col(t, "qpn"), pid = table_col(t, "pid"), port = table_col(t, "port");
	int state = table_col(t, "state"), max = table_col(t, "sq_max");
	uint32_t *seen = calloc(t->nrows, sizeof(*seen)), *hit;
	unsigned int i, k = 0;
	int row, n = 0;

	CHECK(seen, "out of memory");
	for (row = 0; row < t->nrows; row++) {
		uint32_t num = strtoul(t->cell[row][qpn], NULL, 0);

		if (num < 2)
			continue; /* there is one on each port */
		seen[n++] = num;
		CHECK(strcmp(t->cell[row][pid], "-") && *t->cell[row][port], "QP 0x%x: no pid", num);
		if (atoi(t->cell[row][pid]) == getpid())
			CHECK(!strcmp(t->cell[row][state], "reset") &&
				      !strcmp(t->cell[row][max], "4"),
			      "QP 0x%x is %s and has room for %s", num, t->cell[row][state],
			      t->cell[row][max]);
	}
	qsort(seen, n, sizeof(*seen), by_number);
	for (row = 1; row < n; row++)
		CHECK(seen[row] != seen[row - 1], "QP 0x%x is there twice", seen[row]);
	/* both are in the order of their making */
	for (i = 0; i < nbefore; i++) {
		while (k < nafter && after[k].serial < before[i].serial)
			k++;
		if (k == nafter || after[k].serial != before[i].serial)
			continue;
		hit = bsearch(&before[i].qpn, seen, n, sizeof(*seen), by_number);
		CHECK(hit, "QP 0x%x lived all the time and is not there", before[i].qpn);
		survivors++;
	}
	free(seen);
}

static void dump_all(void)
{
	static const char *const kinds[] = { "ucontext", "pd", "mr", "cq", "srq", "ah", "dm", "port", "mcast",
					     "switch", "swport", "lft", "mft" };
	unsigned int i, nbefore, nafter;
	struct table t;

	nbefore = snapshot(before);
	table_read(&t, end.name, "qp");
	nafter = snapshot(after);
	check_qps(&t, nbefore, nafter);
	lines += t.nrows;
	table_free(&t);
	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		table_read(&t, i & 1 ? "glass1" : "glass0", kinds[i]);
		lines += t.nrows;
		table_free(&t);
	}
	dumps++;
}

static void inspect_some(int fd, unsigned int count)
{
	static const char *const kinds[] = { "qp", "qp", "qp", "cq", "mr", "pd", "ah", "srq", "ucontext",
					     "switch", "port" };
	static unsigned int seed = 1;
	char line[40], head[80], *s;
	unsigned int n = snapshot(before);
	const char *kind;
	uint32_t num;
	int err;

	while (count--) {
		kind = kinds[rand_r(&seed) % ARRAY_LEN(kinds)];
		num = !strcmp(kind, "switch") ? 0 :
		      strcmp(kind, "qp")      ? rand_r(&seed) % 20 + 1u :
						before[rand_r(&seed) % n].qpn;
		snprintf(line, sizeof(line), "%s %u%s", kind, num,
			 !strcmp(kind, "qp") && num < 2 ? " port=1" : "");
		err = inspect_fd(fd, line, &s);
		CHECK(!err || err == ENOENT, "inspect %s: %s: %s", line, strerror(err), s);
		if (err) {
			vanished++;
		} else {
			snprintf(head, sizeof(head), strcmp(kind, "qp") ? "# glass 1 inspect: %s %u\n" :
									  "# glass 1 inspect: %s 0x%x\n",
				 kind, num);
			CHECK(!strncmp(s, head, strlen(head)), "%s: begins with %.60s", line, s);
			CHECK(s[strlen(s) - 1] == '\n', "%s: no end", line);
			if (!strcmp(kind, "qp"))
				want_num(inspect_key(s, "", "qpn"), "qpn", num);
		}
		free(s);
		inspects++;
	}
}

/* Waits for the next round; false: there is none, all QPs are made. */
static bool next_round(uint64_t *last)
{
	bool again;

	pthread_mutex_lock(&lock);
	while (!done && born / ROUND <= *last / ROUND)
		pthread_cond_wait(&more, &lock);
	again = !done;
	*last = born;
	pthread_mutex_unlock(&lock);
	return again;
}

int main(int argc, char **argv)
{
	uint64_t start, last = 0;
	pthread_t thread;
	int c, fd;

	vt_prog = "dump_stress";
	while ((c = getopt(argc, argv, "n:l:s:")) > 0) {
		if (c == 'n') {
			total = strtoull(optarg, NULL, 0);
		} else if (c == 'l') {
			live_max = atoi(optarg);
		} else if (c == 's') {
			steady = atoi(optarg);
		} else {
			fprintf(stderr, "Usage: dump_stress [-n QPS] [-l LIVING] [-s STEADY]\n"
					"Makes QPS QPs (10000) on glass0, of which STEADY (1000) stay and\n"
					"LIVING (500) more are there at a time, and reads debugfs meanwhile.\n"
					"Exit status 0: all that was read is true; 1: it is not; 2: arguments;\n"
					"4: it hung.\n");
			return 2;
		}
	}
	CHECK(live_max && total > steady, "what?");
	vt_limit(200);
	vt_open(&end, "glass0", 1, 0);
	cq = ibv_create_cq(end.ctx, 64, NULL, NULL, 0);
	CHECK(cq, "create_cq");
	alive = calloc(steady + live_max, sizeof(*alive));
	before = calloc(steady + live_max, sizeof(*before));
	after = calloc(steady + live_max, sizeof(*after));
	CHECK(alive && before && after, "out of memory");
	fd = dump_open(end.name, "inspect", O_RDWR);
	start = vt_now_ms();
	CHECK(!pthread_create(&thread, NULL, churn, NULL), "pthread_create");
	while (next_round(&last)) {
		dump_all();
		inspect_some(fd, 50);
	}
	pthread_join(thread, NULL);
	printf("%llu QPs in %llu ms; %llu dumps of %llu lines in all, %llu times a QP that stayed; "
	       "%llu inspected, %llu of them gone\n",
	       (unsigned long long)born, (unsigned long long)(vt_now_ms() - start),
	       (unsigned long long)dumps, (unsigned long long)lines, (unsigned long long)survivors,
	       (unsigned long long)inspects, (unsigned long long)vanished);
	CHECK(dumps >= 2 && survivors >= steady / 2 && inspects >= 100, "too little was read");
	while (nalive)
		CHECK(!ibv_destroy_qp(alive[--nalive].qp), "destroy_qp");
	close(fd);
	CHECK(!ibv_destroy_cq(cq), "destroy_cq");
	vt_close(&end);
	return 0;
}
