// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs while the kernel lets one thing fail. Each verb is done again and again, and the N-th place in the kernel at which
 * this thread might get no memory, or might not reach its own, fails (Documentation/fault-injection, fail-nth): N = 1, 2,
 * 3 ... until nothing was left to fail.
 *
 * A verb that fails must say ENOMEM or EFAULT; it leaves no object, no descriptor and no
 * mapping behind, and works when it is tried again. So does what undoes it, and a verb that fails there leaves the object.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fnmatch.h>
#include <getopt.h>
#include <sys/wait.h>

#include "dump.h"
#include "failing_verbs.h"

#define MOST_PLACES 3000

static const char *dev_name = "glass0";
static int nth = -1;

/* ---- what there is */

static const char *const kinds[] = { "ucontext", "pd", "mr", "mw", "cq", "srq", "qp", "ah", "dm", "xrcd" };

struct there {
	unsigned int rows[ARRAY_LEN(kinds)]; /* those of this process */
	unsigned int held; /* what contexts and domains count of their objects */
	unsigned int members; /* of our multicast group */
	unsigned int fds, maps;
};

/* Sums up the columns that say how many objects a context or domain holds. */
static unsigned int held_by(const struct table *t, int row)
{
	static const char *const columns[] = { "npd", "nmr", "ncq", "nsrq", "nqp", "nah", "nmw" };
	unsigned int sum = 0, i;
	int at;

	for (i = 0; i < ARRAY_LEN(columns); i++)
		for (at = 0; at < t->ncols; at++)
			if (!strcmp(t->cols[at], columns[i]))
				sum += strtoul(t->cell[row][at], NULL, 0);
	return sum;
}

static unsigned int entries_of(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	CHECK(dir, "%s: %s", path, strerror(errno));
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static unsigned int mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned int n = 0;
	char line[500];

	CHECK(f, "maps: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "infiniband/") != NULL;
	fclose(f);
	return n;
}

static struct there look_at(pid_t whose)
{
	struct there is = {};
	struct table t;
	unsigned int i;
	int row, pid;

	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		table_read(&t, dev_name, kinds[i]);
		pid = table_col(&t, "pid");
		for (row = 0; row < t.nrows; row++) {
			if (strtol(t.cell[row][pid], NULL, 0) != whose)
				continue;
			is.rows[i]++;
			is.held += held_by(&t, row);
		}
		table_free(&t);
	}
	table_read(&t, dev_name, "mcast");
	for (row = 0; row < t.nrows; row++)
		if (strstr(t.cell[row][table_col(&t, "mgid")], ":6226"))
			is.members += strtoul(t.cell[row][table_col(&t, "members")], NULL, 0);
	table_free(&t);
	is.fds = entries_of("/proc/self/fd");
	is.maps = mappings();
	return is;
}

static struct there look(void)
{
	return look_at(getpid());
}

/* The differences as text, or NULL. */
static const char *differ(const struct there *before, const struct there *now)
{
	static char text[400];
	size_t n = 0;
	unsigned int i;

	text[0] = 0;
#define DIFFERS(what, a, b)                                                                        \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			n += snprintf(text + n, sizeof(text) - n, " %s: %u before, %u now;", what, \
				      a, b);                                                       \
	} while (0)
	for (i = 0; i < ARRAY_LEN(kinds); i++)
		DIFFERS(kinds[i], before->rows[i], now->rows[i]);
	DIFFERS("held", before->held, now->held);
	DIFFERS("group members", before->members, now->members);
	DIFFERS("descriptors", before->fds, now->fds);
	DIFFERS("mappings", before->maps, now->maps);
	return n ? text : NULL;
}

/* ---- letting things fail */

static void open_nth(void)
{
	nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

static void arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	CHECK(pwrite(nth, text, len, 0) == len, "fail-nth %u: %s", n, strerror(errno));
}

/* Was there something that failed? What was to fail may be there still, and then be what is done here. */
static bool disarm(void)
{
	char left[16] = "";
	ssize_t n = pread(nth, left, sizeof(left) - 1, 0);
	bool untouched = n < 0 ? errno == EFAULT : atoi(left);

	CHECK(n >= 0 || errno == EFAULT, "fail-nth: %s", strerror(errno));
	n = pwrite(nth, "0", 1, 0);
	if (n < 0 && errno == EFAULT && untouched)
		n = pwrite(nth, "0", 1, 0);
	CHECK(n == 1, "fail-nth: %s", strerror(errno));
	return !untouched;
}

static const struct verb ending = { .name = "a program ends" };

/* ---- trying */

static unsigned int refused, without; /* of one verb: how often what */

static void refusal_is_known(const struct verb *v, int err, const char *what)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(v->library_says); i++)
		if (err && err == v->library_says[i])
			return;
	CHECK(err == ENOMEM || err == EFAULT || err == v->always, "%s says %s", what,
	      strerrorname_np(err) ? strerrorname_np(err) : "an error without a name");
}

static void same(const struct there *before, const char *when)
{
	struct there now = look();
	const char *what;

	/* a queue that has another size but is not to be seen has lost one */
	if (now.maps < before->maps)
		now.maps = before->maps;
	what = differ(before, &now);
	CHECK(!what, "%s:%s", when, what);
}

static void must_work(const struct verb *v)
{
	int err = v->run();

	CHECK(err == v->always, "done again, unhindered: %s", strerror(err));
}

/* One try; false when there was no n-th place. */
static bool try_verb(const struct verb *v, unsigned int n)
{
	struct there before;
	bool injected;
	int err;

	forget_what_was();
	if (v->before)
		v->before();
	before = look();
	arm(n);
	err = v->run();
	injected = disarm();
	if (err != v->always || (injected && err)) {
		CHECK(injected, "it fails by itself: %s", strerror(err));
		refused++;
		refusal_is_known(v, err, "it");
		same(&before, "left by a verb that failed");
		if (v->failed)
			v->failed();
		must_work(v);
	} else {
		without += injected;
	}
	if (v->done)
		v->done();
	if (v->undo)
		CHECK(!v->undo(), "it cannot be undone: %s", strerror(errno));
	if (v->after)
		v->after();
	return injected;
}

/*
 * The same for what undoes it. The core answers EFAULT also when it could not say how many events there were of an object that
 * it has destroyed: then there is none any more. A handle that is the core's alone, one of two of a QP, is seen to be gone by
 * trying again.
 */
static bool try_undo(const struct verb *v, unsigned int n)
{
	struct there before, with, now;
	bool injected;
	int err;

	forget_what_was();
	if (v->before)
		v->before();
	before = look();
	must_work(v);
	with = look();
	arm(n);
	err = v->undo();
	injected = disarm();
	if (err) {
		CHECK(injected, "undoing it fails by itself: %s", strerror(err));
		refused++;
		refusal_is_known(v, err, "undoing it");
		now = look();
		if (!differ(&with, &now)) {
			int again = v->undo();

			CHECK(!again || (again == ENOENT && err == EFAULT), "undone again, unhindered: %s",
			      strerror(again));
		} else {
			CHECK(err == EFAULT, "gone though %s was said:%s", strerror(err), differ(&with, &now));
			/* what the library has of it stays, its mappings too */
			now.maps = before.maps;
			CHECK(!differ(&before, &now), "half gone:%s", differ(&before, &now));
			if (v->gone)
				v->gone();
		}
	} else {
		without += injected;
	}
	now = look();
	/* a mapping that could not be taken away stays until the program ends */
	now.maps = before.maps;
	CHECK(!differ(&before, &now), "left:%s", differ(&before, &now));
	if (v->after)
		v->after();
	return injected;
}

/*
 * A program ends with all it has, while the kernel takes it away and has nobody to tell what fails: it must not. What is left to
 * count is read before the dead process is let go.
 */
static bool try_end(const struct verb *v VT_UNUSED, unsigned int n)
{
	uint64_t until = vt_now_ms() + 6 * VT_WAIT_MS;
	struct there before = look(), now;
	siginfo_t how = {};
	char path[64], left[16] = "";
	pid_t pid = fork();
	int file;

	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		vt_trap = NULL;
		open_nth();
		forget_what_was();
		open_and_make();
		arm(n);
		_exit(0);
	}
	while (!how.si_pid) {
		CHECK(!waitid(P_PID, pid, &how, WEXITED | WNOWAIT | WNOHANG), "waitid: %s", strerror(errno));
		CHECK(vt_now_ms() < until, "the program does not end");
		poll(NULL, 0, 5);
	}
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", pid);
	file = open(path, O_RDONLY);
	CHECK(file >= 0 && read(file, left, sizeof(left) - 1) > 0, "%s: %s", path, strerror(errno));
	close(file);
	CHECK(waitpid(pid, NULL, 0) == pid && how.si_code == CLD_EXITED && !how.si_status,
	      "the program ended with status %d", how.si_status);
	now = look_at(pid);
	memcpy(before.rows, (struct there){}.rows, sizeof(before.rows));
	before.held = 0;
	CHECK(!differ(&before, &now), "left by a program that ended:%s", differ(&before, &now));
	without += !atoi(left);
	return !atoi(left);
}

static unsigned int failed, tried;

static void sweep(const struct verb *v, bool (*try)(const struct verb *, unsigned int), const char *what)
{
	static jmp_buf back;
	static unsigned int n;
	uint64_t start = vt_now_ms();

	vt_doing = v->name;
	refused = without = 0;
	n = 0;
	vt_trap = &back;
	if (!setjmp(back)) {
		do
			CHECK(++n < MOST_PLACES, "no end of places");
		while (try(v, n));
		vt_trap = NULL;
		printf("ok %s%s: %u places, %u refused, %u done without (%llu ms)\n", what, v->name, n - 1, refused,
		       without, (unsigned long long)(vt_now_ms() - start));
	} else {
		vt_trap = NULL;
		arm(0);
		failed++;
		printf("not ok %s%s, place %u: %s\n", what, v->name, n, vt_reason);
	}
	fflush(stdout);
	tried++;
}

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: verbs_failing [OPTION]...\n"
		"  -d, --device NAME  the device (glass0); its first port must be ACTIVE\n"
		"  -t, --test GLOB    only verbs whose name matches\n"
		"  -l, --list         list the verbs\n"
		"  -h, --help         this\n"
		"Each verb is done again and again while the kernel lets one thing after the other fail, and so is what undoes it.\n"
		"Prints a line each: `ok NAME: places, refused, done without` or `not ok NAME, place N: REASON`.\n"
		"Exit status 0: all as it must be; 1: not so; 2: wrong arguments, or a kernel that injects no faults.\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "test", required_argument, NULL, 't' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	const char *glob = "*";
	struct there before;
	unsigned int i;
	bool list = false;
	int c;

	vt_prog = "verbs_failing";
	while ((c = getopt_long(argc, argv, "d:t:lh", options, NULL)) >= 0) {
		switch (c) {
		case 'd':
			dev_name = optarg;
			break;
		case 't':
			glob = optarg;
			break;
		case 'l':
			list = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return 2;
	}
	if (list) {
		for (i = 0; i < ARRAY_LEN(verbs); i++)
			puts(verbs[i].name);
		puts(ending.name);
		return 0;
	}
	open_nth();
	if (nth < 0) {
		fprintf(stderr, "verbs_failing: this kernel injects no faults: /proc/thread-self/fail-nth: %s\n",
			strerror(errno));
		return 2;
	}
	vt_open(&E, dev_name, 1, 0);
	before = look();
	for (i = 0; i < ARRAY_LEN(verbs); i++) {
		const struct verb *v = &verbs[i];

		if (fnmatch(glob, v->name, 0) || (v->there && !v->there()))
			continue;
		sweep(v, try_verb, "");
		if (v->undo)
			sweep(v, try_undo, "undo ");
	}
	if (!fnmatch(glob, ending.name, 0))
		sweep(&ending, try_end, "");
	if (!failed) {
		struct there now = look();

		now.maps = before.maps;
		CHECK(!differ(&before, &now), "in the end:%s", differ(&before, &now));
	}
	vt_close(&E);
	return failed || !tried;
}
