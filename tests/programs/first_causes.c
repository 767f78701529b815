// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provokes a first cause that ibwhy tells apart, in a way that the seed chooses: sizes, operations, PSNs, MTU, messages before,
 * healthy QPs beside, timeouts, one or two processes, which adapter has which end. For each QP or CQ that must fail it prints
 * what is true, in a line of JSON: its adapter, number and process, the code of the cause, and words that a verdict must name.
 */
#include <getopt.h>

#include "causes_ends.h"
#include "causes_memory.h"
#include "causes_peer.h"
#include "causes_queue.h"

enum { CHILD = 1, OUTSIDE = 2, HANGS = 4 };

/* CHILD: B's process is a child; OUTSIDE: a command makes the cause, which --cause names; HANGS: no failure */
static const struct cause {
	const char *name;
	void (*run)(void);
	unsigned int flags;
} causes[] = {
	{ "peer_reset", run_peer_reset, 0 },
	{ "peer_init", run_peer_init, 0 },
	{ "peer_err", run_peer_err, 0 },
	{ "peer_gone", run_peer_gone, 0 },
	{ "peer_exited", run_peer_exited, CHILD },
	{ "peer_killed", run_peer_killed, CHILD },
	{ "peer_stopped", run_peer_stopped, CHILD },
	{ "wrong_qpn", run_wrong_qpn, 0 },
	{ "wrong_lid", run_wrong_lid, 0 },
	{ "wrong_gid", run_wrong_gid, 0 },
	{ "wrong_pkey", run_wrong_pkey, 0 },
	{ "psn_mismatch", run_psn_mismatch, 0 },
	{ "mtu_mismatch", run_mtu_mismatch, 0 },
	{ "key_stale", run_key_stale, 0 },
	{ "key_unknown", run_key_unknown, 0 },
	{ "key_other_pd", run_key_other_pd, 0 },
	{ "key_bounds", run_key_bounds, 0 },
	{ "key_access", run_key_access, 0 },
	{ "qp_access", run_qp_access, 0 },
	{ "misaligned", run_misaligned, 0 },
	{ "lkey_stale", run_lkey_stale, 0 },
	{ "lkey_unknown", run_lkey_unknown, 0 },
	{ "lkey_other_pd", run_lkey_other_pd, 0 },
	{ "lkey_bounds", run_lkey_bounds, 0 },
	{ "lkey_access", run_lkey_access, 0 },
	{ "no_recv", run_no_recv, 0 },
	{ "recv_short", run_recv_short, 0 },
	{ "cq_overrun", run_cq_overrun, 0 },
	{ "read_depth", run_read_depth, 0 },
	{ "modify_err", run_modify_err, 0 },
	{ "bad_request", run_bad_request, 0 },
	{ "bad_bind", run_bad_bind, 0 },
	{ "outside", run_outside, OUTSIDE },
	{ "hang_no_recv", run_hang_no_recv, HANGS },
	{ "hang_cycle", run_hang_cycle, HANGS },
	{ "hang_held", run_hang_held, HANGS },
	{ "hang_lost", run_hang_lost, HANGS },
};

static const char usage[] =
	"Usage: first_causes [OPTION]... CAUSE SEED\n"
	"       first_causes --list\n"
	"Makes a QP or CQ fail for this first cause, and prints a line of JSON for each object that fails.\n"
	"  --devices A,B     the adapters (glass0,glass1)\n"
	"  --two, --one      two processes, or one (the seed chooses)\n"
	"  --send            the request that fails is a SEND\n"
	"  --alone           no healthy pairs beside\n"
	"  --bury            pairs beside send all the time, so that the flight recorder forgets\n"
	"  --at-b PORT       this process has end B, and waits for that of A on another host at this TCP port\n"
	"  --to-b HOST:PORT  this process has end A; each gives both adapters as its host names them\n"
	"  --gid INDEX       paths have a GRH with this GID of the adapters, and there are no pairs beside\n"
	"  --run COMMAND     what makes the cause outside; its environment has A_DEV, A_QPN, B_DEV and B_QPN\n"
	"  --cause CODE      the cause that it makes\n"
	"  --after COMMAND   runs while the objects that failed are still there\n"
	"  --says WORDS      words that the verdict must name, joined by '|'\n"
	"Exit status 0: it failed as it should; 1: it did not; 2: wrong arguments.\n";

static bool sends, alone;

static __attribute__((noreturn)) void wrong(void)
{
	fputs(usage, stderr);
	exit(2);
}

static void make_plan(uint64_t seed, const struct cause *c, int processes)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE_WITH_IMM,
						  IBV_WR_ATOMIC_FETCH_AND_ADD };
	const char *name;

	chance_state = seed;
	for (name = c->name; *name; name++)
		chance_state = chance_state * 31 + *name;
	plan.variant = between(0, 10000);
	plan.two = between(0, 1);
	plan.b_is_parent = between(0, 1);
	plan.swap = between(0, 1);
	plan.grh = !between(0, 3);
	plan.good = between(0, 3) ? between(0, 6) : between(0, GOOD_MOST);
	plan.besides = between(0, BESIDES);
	plan.op = ops[chance() % ARRAY_LEN(ops)];
	plan.len = between(0, 1) ? between(1, 64) : between(1, 9000);
	plan.mtu = between(IBV_MTU_256, IBV_MTU_4096);
	plan.psn[A] = between(0, 0xffffff);
	/* the PSNs of some end soon begin anew */
	plan.psn[B] = between(0, 3) ? between(0, 0xffffff) : between(0xfffff0, 0xffffff);
	/* a wait of 0.3 to 0.8 s: a busy machine stands still for less */
	plan.timeout = between(14, 15);
	plan.retry = plan.timeout == 14 ? between(4, 7) : between(2, 5);
	plan.rnr_retry = between(0, 3);
	plan.rnr_timer = between(1, 14);
	if (sends)
		plan.op = IBV_WR_SEND;
	if (alone)
		plan.besides = 0;
	if (processes)
		plan.two = processes == 2;
	if (bury) {
		plan.besides = BESIDES;
		plan.timeout = 18;
		plan.retry = 2;
		plan.rnr_retry = 3;
		plan.rnr_timer = 31;
	}
	if (gid_given) {
		plan.grh = true;
		plan.besides = 0;
		/* rxe tries for ever with 7 */
		if (plan.retry == 7)
			plan.retry = 6;
	}
	if (c->flags & CHILD) {
		plan.two = true;
		plan.b_is_parent = false;
	}
	if (c->flags & HANGS)
		plan.b_is_parent = false;
}

static const struct cause *find_cause(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(causes); i++)
		if (!strcmp(causes[i].name, name))
			return &causes[i];
	fprintf(stderr, "first_causes: no cause %s\n", name);
	exit(2);
}

static __attribute__((noreturn)) void list(void)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(causes); i++)
		if (!(causes[i].flags & (OUTSIDE | HANGS)))
			puts(causes[i].name);
	exit(0);
}

static void take_devices(char *names)
{
	char *comma = strchr(names, ',');

	if (!comma)
		wrong();
	*comma = 0;
	devices[0] = names;
	devices[1] = comma + 1;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "devices", required_argument, NULL, 'd' }, { "two", no_argument, NULL, '2' }, { "one", no_argument, NULL, '1' },
		{ "send", no_argument, NULL, 'S' }, { "alone", no_argument, NULL, 'o' }, { "bury", no_argument, NULL, 'b' }, { "run", required_argument, NULL, 'r' }, { "cause", required_argument, NULL, 'c' },
		{ "at-b", required_argument, NULL, 'B' }, { "to-b", required_argument, NULL, 'A' },
		{ "gid", required_argument, NULL, 'g' }, { "after", required_argument, NULL, 'a' },
		{ "says", required_argument, NULL, 's' }, { "list", no_argument, NULL, 'l' }, { "help", no_argument, NULL, 'h' }, {},
	};
	const char *host = NULL, *port = NULL;
	const struct cause *cause;
	int c, processes = 0;

	vt_prog = "first_causes";
	while ((c = getopt_long(argc, argv, "h", options, NULL)) >= 0) {
		switch (c) {
		case 'd': take_devices(optarg); break;
		case '1':
		case '2': processes = c - '0'; break;
		case 'S': sends = true; break;
		case 'o': alone = true; break;
		case 'b': bury = true; break;
		case 'r': command = optarg; break;
		case 'c': outside_cause = optarg; break;
		case 'A': host = strsep(&optarg, ":"); port = optarg; break;
		case 'B': port = optarg; break;
		case 'g': gid_given = true; gid_index = atoi(optarg); break;
		case 'a': after = optarg; break;
		case 's': outside_says = optarg; break;
		case 'l': list();
		case 'h': fputs(usage, stdout); return 0;
		default: wrong();
		}
	}
	if (optind + 2 != argc)
		wrong();
	cause = find_cause(argv[optind]);
	if (cause->flags & OUTSIDE && (!command || !outside_cause))
		wrong();
	cause_name = outside_cause ?: cause->name;
	vt_limit(100);
	if (port) {
		first_process = host ? A : B;
		processes = 2;
		meet_host(host, port);
	}
	seed = argv[optind + 1];
	make_plan(strtoull(seed, NULL, 0), cause, processes);
	split();
	if (mine(A))
		make_besides();
	cause->run();
	run_command(after);
	/* the objects of B stay until A has seen the failure */
	if (!(cause->flags & CHILD))
		meet();
	join();
	return 0;
}
