// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <ftw.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "ibtop/model/snapshot.h"
#include "ibtop/refresh/refresh.h"
#include "ibtop/source/source.h"
#include "ibtop_machine.h"

/* ---- a kernel without rdma netlink */

struct netlink *netlink_open(void)
{
	return NULL;
}

void netlink_close(struct netlink *nl)
{
	(void)nl;
}

bool netlink_devices(struct model *m)
{
	(void)m;
	return false;
}

void netlink_ports(struct model *m, int dev)
{
	(void)m;
	(void)dev;
}

void netlink_objects(struct model *m, int dev, bool only_cm)
{
	(void)m;
	(void)dev;
	(void)only_cm;
}

bool netlink_counters(struct model *m, int dev, unsigned int port,
		      void (*fn)(void *arg, const char *name, uint64_t value), void *arg)
{
	(void)m;
	(void)dev;
	(void)port;
	(void)fn;
	(void)arg;
	return false;
}

/* ---- directories */

static void make_directory(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void make_directory(const char *format, ...)
{
	char path[256], *slash;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	assert_false(mkdir(path, 0700));
}

void machine_begin(struct machine *f)
{
	strcpy(f->dir, "/tmp/ibtop-test.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->sysfs, sizeof(f->sysfs), "%s/sys", f->dir);
	snprintf(f->debugfs, sizeof(f->debugfs), "%s/debug", f->dir);
	make_directory("%s/class/infiniband/glass0/ports/1/counters", f->sysfs);
	make_directory("%s/glass/glass0/inject", f->debugfs);
	make_directory("%s/glass/glass0/lint", f->debugfs);
	make_directory("%s/glass/fabric", f->debugfs);
	machine_file(f, "port",
		  "# glass 1 port: port state lid sm_lid mtu\n"
		  "1 active 7 1 4096\n");
	machine_file(f, "srq", "# glass 1 srq: srqn pdn ctxn state max used pid comm created age\n");
	machine_file(f, "ah", "# glass 1 ah: ahn pdn port dlid sl grh pid comm created age\n");
}

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *ftw)
{
	(void)st;
	(void)what;
	(void)ftw;
	return remove(path);
}

void machine_end(struct machine *f)
{
	nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void path_of(const struct machine *f, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/glass/glass0/%s", f->debugfs, name);
}

static FILE *open_file(const struct machine *f, const char *name)
{
	char path[160];
	FILE *to;

	path_of(f, name, path, sizeof(path));
	to = fopen(path, "w");
	assert_non_null(to);
	return to;
}

void machine_file(const struct machine *f, const char *name, const char *text)
{
	FILE *to = open_file(f, name);

	fputs(text, to);
	assert_false(fclose(to));
}

void machine_remove(const struct machine *f, const char *name)
{
	char path[160];

	path_of(f, name, path, sizeof(path));
	assert_false(remove(path));
}

void machine_objects(const struct machine *f, unsigned int qps, unsigned int round)
{
	static const char *const comms[] = { "alpha", "beta" };
	/* a round is a second of the driver's time */
	unsigned long long age = 5000000000ull + round * 1000000000ull;
	FILE *to;
	unsigned int i;

	to = open_file(f, "port");
	fprintf(to, "# glass 1 port: port state lid sm_lid mtu tx_words rx_words tx_pkts rx_pkts\n"
		    "1 active 7 1 4096 %u %u %u %u\n", round * 250000, round * 125000, round * 500, round * 300);
	fclose(to);
	to = open_file(f, "ucontext");
	fprintf(to, "# glass 1 ucontext: ctxn pid comm created age npd nmr ncq nsrq nqp nah\n");
	for (i = 0; i < 2; i++)
		fprintf(to, "%u %u %s 1000 %llu 1 1 1 0 %u 0\n", i + 1, MACHINE_PID_A + i, comms[i],
			age, qps / 2);
	fclose(to);
	to = open_file(f, "pd");
	fprintf(to, "# glass 1 pd: pdn ctxn pid comm created age nmr nqp nsrq nah\n");
	for (i = 0; i < 2; i++)
		fprintf(to, "%u %u %u %s 1000 %llu 1 %u 0 0\n", i + 11, i + 1, MACHINE_PID_A + i,
			comms[i], age, qps / 2);
	fclose(to);
	to = open_file(f, "mr");
	fprintf(to, "# glass 1 mr: mrn pdn len lkey rkey pid comm created age remote_writes\n");
	for (i = 0; i < 2; i++)
		fprintf(to, "%u %u 65536 0x%x 0x%x %u %s 1000 %llu %u\n", i + 21, i + 11,
			(i + 21) << 8, (i + 21) << 8, MACHINE_PID_A + i, comms[i], age, round);
	fclose(to);
	to = open_file(f, "cq");
	fprintf(to, "# glass 1 cq: cqn ctxn state max used max_used notify total errors events pid comm created age\n");
	for (i = 0; i < 2; i++)
		fprintf(to, "%u %u ok 64 %u 60 next %u 0 0 %u %s 1000 %llu\n", i + 31, i + 1,
			i ? 60 : 3, round * 10, MACHINE_PID_A + i, comms[i], age);
	fclose(to);
	to = open_file(f, "qp");
	fprintf(to, "# glass 1 qp: qpn qptype state pdn ctxn scqn rcqn sq_max sq_used rq_max rq_used pid comm "
		    "created age port dest_qpn peer tx_msgs rx_msgs tx_bytes rx_bytes waits_for\n");
	for (i = 0; i < qps; i++)
		fprintf(to, "0x%x rc %s %u %u %u %u 64 %u 64 32 %u %s %u %llu 1 0x%x glass0:%u %u %u %u %u %s\n",
			0x100 + i, i == 1 ? "err" : "rts", i % 2 + 11, i % 2 + 1, i % 2 + 31, i % 2 + 31,
			i % 65, MACHINE_PID_A + i % 2, comms[i % 2], 2000 + i, age, 0x100 + (i ^ 1),
			0x100 + (i ^ 1), round * 10, round * 10, round * 1000 * (i + 1),
			round * 1000 * (i + 1), i % 2 ? "-" : "ack");
	fclose(to);
}
