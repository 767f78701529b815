// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that loses its peer: it writes to the memory of another process, at glass1, until a request fails. A test kills
 * that process.
 */
#include <sys/wait.h>

#include "vt.h"

#define BYTES  4096
#define WINDOW 16 /* requests at a time */
#define PSN    1

/* What an end tells the other one. */
struct end {
	uint64_t addr;
	uint32_t rkey, qpn;
	uint16_t lid;
};

/* Messages between the processes are shorter than PIPE_BUF, so they are read whole. */
static void tell(int fd, const struct end *mine)
{
	CHECK(write(fd, mine, sizeof(*mine)) == sizeof(*mine), "the other process has gone");
}

static void hear(int fd, struct end *theirs)
{
	CHECK(read(fd, theirs, sizeof(*theirs)) == sizeof(*theirs), "the other process has gone");
}

/* Makes an end and connects it. *theirs: set to what the other process tells. */
static struct ibv_qp *connect_end(const char *device, struct ibv_mr **mr, struct end *theirs, int in, int out)
{
	static struct vt_end e;
	struct end mine;
	struct ibv_qp *qp;
	struct ibv_cq *cq;

	vt_open(&e, device, 1, 0);
	cq = vt_cq(&e, 2 * WINDOW, NULL);
	*mr = vt_buf(&e, BYTES);
	qp = vt_qp(&e, (struct vt_qp_opts){ .scq = cq, .rcq = cq, .wr = WINDOW, .sge = 1 });
	vt_to_init(qp, 1, VT_ACCESS_ALL);
	mine = (struct end){ .addr = (uintptr_t)(*mr)->addr, .rkey = (*mr)->rkey, .qpn = qp->qp_num, .lid = e.attr.lid };
	tell(out, &mine);
	hear(in, theirs);
	vt_to_rts(qp, 1, PSN, &(struct vt_path){ .qpn = theirs->qpn, .psn = PSN, .lid = theirs->lid,
						 .mtu = IBV_MTU_4096, .timeout = 14, .retry = 3 });
	printf("qpn 0x%x dev %s pid %d\n", qp->qp_num, device, getpid());
	fflush(stdout);
	/* both are connected */
	tell(out, &mine);
	hear(in, &(struct end){});
	return qp;
}

/* Keeps WINDOW requests outstanding until one fails. Returns its status. */
static enum ibv_wc_status write_until_failure(struct ibv_qp *qp, struct ibv_mr *mr, const struct end *to)
{
	struct ibv_sge sge = vt_sge(mr, 0, BYTES);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED, .wr.rdma = { to->addr, to->rkey } };
	unsigned int outstanding = 0;
	struct ibv_wc wc;
	int n;

	for (;;) {
		for (; outstanding < WINDOW; outstanding++)
			vt_post(qp, &wr);
		n = ibv_poll_cq(qp->send_cq, 1, &wc);
		CHECK(n >= 0, "poll_cq returned %d", n);
		if (n && wc.status != IBV_WC_SUCCESS)
			return wc.status;
		outstanding -= n;
	}
}

int main(int argc, char **argv)
{
	enum ibv_wc_status status;
	int up[2], down[2], pid;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct end theirs;

	vt_prog = "killed_peer";
	if (argc != 1) {
		bool help = argc == 2 && !strcmp(argv[1], "--help");

		fputs("Usage: killed_peer\n"
		      "Writes from glass0 to another process, at glass1. Prints `qpn 0x... dev ... pid ...` for each process, then\n"
		      "`running`, and at the end `wc status=N`. Exit status 0: a request failed; 1: could not start, or 100 s without\n"
		      "a failure; 2: wrong arguments.\n", help ? stdout : stderr);
		return help ? 0 : 2;
	}
	vt_limit(100);
	CHECK(!pipe(up) && !pipe(down), "pipe: %s", strerror(errno));
	/* no zombie: who is killed is gone */
	signal(SIGCHLD, SIG_IGN);
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		close(down[1]);
		close(up[0]);
		vt_limit(100); /* the alarm of a parent is not that of its child */
		connect_end("glass1", &mr, &theirs, down[0], up[1]);
		for (;;)
			pause();
	}
	close(down[0]);
	close(up[1]);
	qp = connect_end("glass0", &mr, &theirs, up[0], down[1]);
	printf("running\n");
	fflush(stdout);
	status = write_until_failure(qp, mr, &theirs);
	printf("wc status=%d\n", status);
	return 0;
}
