// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends while many of its queue pairs owe their peers gigabytes: a child lets N queue pairs read from it, the parent has them
 * read all the time, and the child ends as it is told. The trace (glass_qp_settle) tells what was waited for.
 */
#include <getopt.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "vt.h"

#define MEMORY (64u << 20) /* what each READ asks for */
#define READS  16 /* of each queue pair at a time, as many as an RC queue pair answers */
#define PSN    1

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: owed_reads [OPTION]...\n"
		"  -d, --device NAME  the device whose process ends (glass0)\n"
		"  -r, --reader NAME  the device that reads (glass1)\n"
		"  -n, --count N      queue pairs (64)\n"
		"  -e, --end HOW      kill: by SIGKILL (the default); exit: with all that it has; stay: print `reading` and stay\n"
		"Exit status 0: done; 1: something failed; 2: wrong arguments.\n");
}

struct end {
	uint32_t rkey, qpn[1024];
	uint64_t addr;
	uint16_t lid;
};

static void tell(int fd, const void *what, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = write(fd, (const char *)what + done, bytes - done);

		CHECK(n > 0, "the other process has gone");
		done += n;
	}
}

static void hear(int fd, void *what, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = read(fd, (char *)what + done, bytes - done);

		CHECK(n > 0, "the other process has gone");
		done += n;
	}
}

/* Makes the queue pairs of one end and exchanges what both must know. */
static void connect_all(struct vt_end *e, const char *device, struct ibv_qp **qp, unsigned int n,
			struct ibv_mr **mr, struct end *theirs, int in, int out)
{
	struct end mine = {};
	struct ibv_cq *cq;
	void *memory;

	vt_open(e, device, 1, 0);
	cq = vt_cq(e, n * READS, NULL);
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED, "mmap: %s", strerror(errno));
	*mr = vt_mr_of(e->pd, memory, MEMORY, VT_ACCESS_ALL);
	mine.rkey = (*mr)->rkey;
	mine.addr = (uintptr_t)memory;
	mine.lid = e->attr.lid;
	for (unsigned int i = 0; i < n; i++) {
		qp[i] = vt_qp(e, (struct vt_qp_opts){ .scq = cq, .rcq = cq, .wr = READS, .sge = 1 });
		vt_to_init(qp[i], 1, VT_ACCESS_ALL);
		mine.qpn[i] = qp[i]->qp_num;
	}
	tell(out, &mine, sizeof(mine));
	hear(in, theirs, sizeof(*theirs));
	for (unsigned int i = 0; i < n; i++) {
		struct vt_path path = { .qpn = theirs->qpn[i], .psn = PSN, .lid = theirs->lid,
					.mtu = IBV_MTU_4096 };

		vt_to_rts(qp[i], 1, PSN, &path);
	}
	/* both are ready */
	tell(out, &mine, sizeof(mine));
	hear(in, &mine, sizeof(mine));
}

static void read_all(struct ibv_qp **qp, unsigned int n, struct ibv_mr *mr, const struct end *from)
{
	struct ibv_sge sge = { .addr = (uintptr_t)mr->addr, .length = MEMORY, .lkey = mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
				  .wr.rdma = { from->addr, from->rkey } }, *bad;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < READS; k++)
			CHECK(!ibv_post_send(qp[i], &wr, &bad), "post_send: %s", strerror(errno));
}

enum how { BY_SIGKILL, BY_EXIT, STAY };

/* The process that is read from. */
static void be_read(const char *device, unsigned int n, enum how how, int in, int out)
{
	struct ibv_qp *qp[1024];
	struct end reader;
	struct vt_end e;
	struct ibv_mr *mr;
	char go;

	connect_all(&e, device, qp, n, &mr, &reader, in, out);
	hear(in, &go, 1);
	if (how == BY_SIGKILL)
		raise(SIGKILL);
	_exit(0);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' }, { "reader", required_argument, NULL, 'r' },
		{ "count", required_argument, NULL, 'n' },  { "end", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },	    {},
	};
	static const char *const ends[] = { "kill", "exit", "stay" };
	const char *device = "glass0", *reader = "glass1";
	unsigned int n = 64, how = BY_SIGKILL;
	int c, up[2], down[2], status, pid;
	struct ibv_qp *qp[1024];
	struct end from;
	struct vt_end e;
	struct ibv_mr *mr;

	vt_prog = "owed_reads";
	while ((c = getopt_long(argc, argv, "d:r:n:e:h", options, NULL)) >= 0) {
		switch (c) {
		case 'd':
			device = optarg;
			break;
		case 'r':
			reader = optarg;
			break;
		case 'n':
			n = atoi(optarg);
			break;
		case 'e':
			for (how = 0; how < ARRAY_LEN(ends) && strcmp(optarg, ends[how]); how++)
				;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (!n || n > ARRAY_LEN(qp) || how == ARRAY_LEN(ends) || optind < argc) {
		usage(stderr);
		return 2;
	}
	vt_limit(120);
	CHECK(!pipe(up) && !pipe(down), "pipe: %s", strerror(errno));
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		close(down[1]);
		be_read(device, n, how, down[0], up[1]);
	}
	close(up[1]);
	connect_all(&e, reader, qp, n, &mr, &from, up[0], down[1]);
	read_all(qp, n, mr, &from);
	if (how == STAY) {
		printf("reading\n");
		fflush(stdout);
		pause();
	}
	tell(down[1], "", 1);
	CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	CHECK(how == BY_SIGKILL ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status),
	      "the process that was read from ended with status 0x%x", status);
	return 0;
}
