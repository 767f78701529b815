/* SPDX-License-Identifier: GPL-2.0-only */
/* For programs that burden an adapter: their arguments, and pairs of RC queue pairs, both ends of which are this process's. */
#ifndef PAIRS_H
#define PAIRS_H

#include <getopt.h>

#include "vt.h"

#define PSN 1
#define MAX_PAIRS 4096

static struct vt_end here, there;
static struct ibv_qp *ours[MAX_PAIRS], *theirs[MAX_PAIRS];
static struct ibv_mr *mr_here, *mr_there;

/*
 * Connects a pair that is in RESET. tune: timers and retries of both ends; tune.psn: the first PSN that `a` sends,
 * while `b` expects PSN; 0: PSN.
 */
static VT_UNUSED void connect_pair(struct ibv_qp *a, struct ibv_qp *b, struct vt_path tune)
{
	struct vt_path to_b = tune, to_a = tune;

	to_b.qpn = b->qp_num;
	to_b.lid = there.attr.lid;
	to_a.qpn = a->qp_num;
	to_a.lid = here.attr.lid;
	to_b.psn = to_a.psn = PSN;
	to_b.mtu = to_a.mtu = IBV_MTU_4096;
	vt_to_init(a, 1, VT_ACCESS_ALL);
	vt_to_init(b, 1, VT_ACCESS_ALL);
	vt_to_rts(a, 1, tune.psn ? tune.psn : PSN, &to_b);
	vt_to_rts(b, 1, PSN, &to_a);
}

static VT_UNUSED void open_ends(size_t bytes)
{
	vt_open(&here, "glass0", 1, 0);
	vt_open(&there, "glass1", 1, 0);
	mr_here = vt_buf(&here, bytes);
	mr_there = vt_buf(&there, bytes);
}

/* n connected pairs with queues of `wr` requests; one CQ at each end, and `bytes` of memory */
static VT_UNUSED void make_pairs(unsigned int n, uint32_t wr, size_t bytes, struct vt_path tune)
{
	struct ibv_cq *a, *b;

	open_ends(bytes);
	a = vt_cq(&here, n * wr * 2, NULL);
	b = vt_cq(&there, n * wr * 2, NULL);
	for (unsigned int i = 0; i < n; i++) {
		ours[i] = vt_qp(&here, (struct vt_qp_opts){ .scq = a, .rcq = a, .wr = wr, .sge = 1 });
		theirs[i] = vt_qp(&there, (struct vt_qp_opts){ .scq = b, .rcq = b, .wr = wr, .sge = 1 });
		connect_pair(ours[i], theirs[i], tune);
	}
}

static __attribute__((noreturn)) void wrong_usage(const char *usage)
{
	fputs(usage, stderr);
	exit(2);
}

/*
 * Takes the arguments [--count N] WHAT; with timeout also --timeout CODE. Returns WHAT, or "" when there is not exactly one.
 * --help prints usage and ends the program.
 */
static VT_UNUSED const char *what_to_do(int argc, char **argv, const char *usage, unsigned int *count,
					unsigned int *timeout)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ "timeout", required_argument, NULL, 't' },
		{},
	};
	int c;

	while ((c = getopt_long(argc, argv, "n:t:h", options, NULL)) >= 0) {
		if (c == 'n') {
			*count = atoi(optarg);
		} else if (c == 't' && timeout) {
			*timeout = atoi(optarg);
		} else if (c == 'h') {
			fputs(usage, stdout);
			exit(0);
		} else {
			wrong_usage(usage);
		}
	}
	return optind + 1 == argc ? argv[optind] : "";
}

#endif
