// SPDX-License-Identifier: GPL-2.0-only
/*
 * A multicast group with many members, all of them this process's, and two senders that are members, too. Each datagram is
 * copied to all of them; what these copies cost others is counted from the trace (glass_turn).
 */
#include <endian.h>
#include <pthread.h>

#include "pairs.h"

#define MAX 4096 /* bytes of a datagram, and members */

#define DATAGRAMS 12 /* of each sender */
#define SENDERS 2
#define MEMBER_BYTES (40 + MAX)

static struct ibv_qp *members[MAX + SENDERS]; /* senders come last: they are destroyed first when the program ends */
static unsigned int nmembers;
static uint32_t got[MAX + SENDERS][SENDERS]; /* datagrams of each sender */
static const union ibv_gid group = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80, [15] = 0x36 } };
static const uint16_t group_lid = 0xc036;

static void make_member(struct ibv_cq *scq, struct ibv_cq *rcq, uint32_t wr)
{
	struct ibv_qp *qp = vt_qp(&here, (struct vt_qp_opts){ .type = IBV_QPT_UD, .scq = scq, .rcq = rcq, .wr = wr,
							      .sge = 1 });
	int err;

	vt_to_init(qp, 1, 0);
	vt_to_rts(qp, 1, 0, &(struct vt_path){});
	err = ibv_attach_mcast(qp, &group, group_lid);
	CHECK(!err, "attach_mcast: %s", strerror(err));
	members[nmembers++] = qp;
}

static struct ibv_qp *sender(unsigned int i)
{
	return members[nmembers - SENDERS + i];
}

/* n members in all, with receives for all datagrams. */
static struct ibv_cq *make_group(unsigned int n, uint32_t wr)
{
	struct ibv_cq *scq, *rcq;

	CHECK(n > SENDERS, "%u are too few", n);
	vt_open(&here, "glass0", 1, 0);
	mr_here = vt_buf(&here, DATAGRAMS * SENDERS * MAX);
	mr_there = vt_buf(&here, (size_t)n * MEMBER_BYTES);
	scq = vt_cq(&here, SENDERS * wr, NULL);
	rcq = vt_cq(&here, n * DATAGRAMS * SENDERS, NULL);
	while (nmembers < n) {
		unsigned int i = nmembers;

		make_member(scq, rcq, wr);
		for (unsigned int k = 0; k < DATAGRAMS * SENDERS; k++)
			vt_recv(members[i], i, mr_there, (size_t)i * MEMBER_BYTES, MEMBER_BYTES);
	}
	return rcq;
}

static struct ibv_ah *to_group(void)
{
	struct ibv_ah_attr attr = { .dlid = group_lid, .port_num = 1, .is_global = 1, .grh.dgid = group };
	struct ibv_ah *ah = ibv_create_ah(here.pd, &attr);

	CHECK(ah, "create_ah: %s", strerror(errno));
	vt_track(VT_AH, ah);
	return ah;
}

/* The k-th datagram of a sender is datagram s * DATAGRAMS + k, and says so. */
static void multicast(struct ibv_ah *ah, unsigned int s, unsigned int k)
{
	uint32_t which = s * DATAGRAMS + k;
	struct ibv_sge sge = vt_sge(mr_here, (size_t)which * MAX, MAX);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htobe32(which),
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.ud = { .ah = ah, .remote_qpn = 0xffffff, .remote_qkey = VT_QKEY } };

	vt_post(sender(s), &wr);
}

static void multicast_all(void)
{
	struct ibv_ah *ah = to_group();

	for (unsigned int i = 0; i < DATAGRAMS * SENDERS; i++)
		vt_fill((uint8_t *)mr_here->addr + (size_t)i * MAX, MAX, i);
	for (unsigned int k = 0; k < DATAGRAMS; k++)
		for (unsigned int s = 0; s < SENDERS; s++)
			multicast(ah, s, k);
}

/* The next copy: it is the next of its sender's that this member has. False: none came for so long. */
static bool take_copy(struct ibv_cq *rcq, unsigned int ms)
{
	uint32_t which, s;
	struct ibv_wc wc;

	if (!vt_try_wc(rcq, &wc, ms))
		return false;
	CHECK(wc.status == IBV_WC_SUCCESS, "member %u: %s", (unsigned int)wc.wr_id, ibv_wc_status_str(wc.status));
	CHECK(wc.byte_len == MEMBER_BYTES, "member %u got %u bytes", (unsigned int)wc.wr_id, wc.byte_len);
	which = be32toh(wc.imm_data);
	s = which / DATAGRAMS;
	CHECK(s < SENDERS && wc.wr_id < nmembers, "datagram %u", which);
	CHECK(which % DATAGRAMS == got[wc.wr_id][s], "member %u got datagram %u of sender %u after %u",
	      (unsigned int)wc.wr_id, which % DATAGRAMS, s, got[wc.wr_id][s]);
	/* the receives of a member share their memory: its last datagram is there to stay */
	if (++got[wc.wr_id][s] == DATAGRAMS && got[wc.wr_id][!s] == DATAGRAMS)
		vt_verify((uint8_t *)mr_there->addr + wc.wr_id * MEMBER_BYTES + 40, MAX, which, "the last datagram");
	return true;
}

static void all_copies_came(unsigned int i)
{
	for (unsigned int s = 0; s < SENDERS; s++)
		CHECK(got[i][s] == DATAGRAMS, "member %u has %u of %u datagrams of sender %u", i, got[i][s], DATAGRAMS, s);
}

/* Each member gets each datagram once, and those of a sender in order. */
static void group_of(unsigned int n)
{
	struct ibv_cq *rcq = make_group(n, DATAGRAMS * SENDERS);

	vt_ready();
	multicast_all();
	for (unsigned int i = 0; i < n * DATAGRAMS * SENDERS; i++)
		CHECK(take_copy(rcq, VT_WAIT_MS), "only %u of %u copies came", i, n * DATAGRAMS * SENDERS);
	CHECK(!take_copy(rcq, 100), "a copy came twice");
	for (unsigned int i = 0; i < n; i++)
		all_copies_came(i);
	printf("received\n");
}

static void destroy_member(struct ibv_qp *qp)
{
	int err = ibv_detach_mcast(qp, &group, group_lid);

	CHECK(!err, "detach_mcast: %s", strerror(err));
	vt_drop(qp);
}

static void *leave_group(void *nothing)
{
	for (unsigned int i = 1; i < nmembers - SENDERS; i += 2)
		destroy_member(members[i]);
	return nothing;
}

/* Every other member is destroyed meanwhile: the others get all, these only what came before. */
static void group_that_shrinks(unsigned int n)
{
	struct ibv_cq *rcq = make_group(n, DATAGRAMS * SENDERS);
	pthread_t thread;

	vt_ready();
	CHECK(!pthread_create(&thread, NULL, leave_group, NULL), "no thread");
	multicast_all();
	CHECK(!pthread_join(thread, NULL), "no end of the thread");
	while (take_copy(rcq, 1000))
		;
	for (unsigned int i = 0; i < n; i++)
		if (i >= n - SENDERS || i % 2 == 0)
			all_copies_came(i);
	printf("received\n");
}

/* A sender is destroyed meanwhile: the other one's datagrams all come, its own up to one of them. */
static void group_without_sender(unsigned int n)
{
	struct ibv_cq *rcq = make_group(n, DATAGRAMS * SENDERS);
	struct ibv_qp *gone = sender(0);

	vt_ready();
	multicast_all();
	destroy_member(gone);
	while (take_copy(rcq, 1000))
		;
	for (unsigned int i = 0; i < n; i++)
		CHECK(i == n - SENDERS || got[i][1] == DATAGRAMS, "member %u has %u datagrams of the other sender", i, got[i][1]);
	printf("received\n");
}

/* Datagrams without end. Only the first find receives. */
static void group_flood(unsigned int n)
{
	const unsigned int depth = 256;
	struct ibv_ah *ah;
	struct ibv_wc wc;

	make_group(n, depth);
	ah = to_group();
	for (unsigned int i = 0; i < depth; i++)
		multicast(ah, 0, 0);
	vt_ready();
	for (;;) {
		vt_wc_ok(sender(0)->send_cq, &wc);
		multicast(ah, 0, 0);
	}
}

static const char usage[] =
	"Usage: group [--count N] WHAT\n"
	"WHAT  all: two of the N members send to the group, and all get all of it\n"
	"      shrinks: the same, while every other member is destroyed\n"
	"      sender: the same, while a sender is destroyed\n"
	"      flood: a member sends to the group for ever\n"
	"Prints `ready` when it has begun, and `received` when all came that has to. Exit status 0: done; 1: something\n"
	"failed; 2: wrong arguments.\n";

int main(int argc, char **argv)
{
	unsigned int n = 256;
	const char *what;

	vt_prog = "group";
	what = what_to_do(argc, argv, usage, &n, NULL);
	if (n <= SENDERS || n > MAX)
		wrong_usage(usage);
	if (!strcmp(what, "all")) {
		group_of(n);
	} else if (!strcmp(what, "shrinks")) {
		group_that_shrinks(n);
	} else if (!strcmp(what, "sender")) {
		group_without_sender(n);
	} else if (!strcmp(what, "flood")) {
		group_flood(n);
	} else {
		wrong_usage(usage);
	}
	return 0;
}
