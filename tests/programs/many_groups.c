// SPDX-License-Identifier: GPL-2.0-only
/*
 * One QP joins many multicast groups, another QP sends a datagram to each, and all are compared. With --wait the groups stay then,
 * until SIGTERM.
 */
#include <getopt.h>

#include "growth.h"

#define GRH 40
#define GROUP_BYTES 64

static struct vt_end here;
static struct ibv_qp *member, *sender;
static struct ibv_mr *in, *out;
static unsigned int ngroups = 1000;

static void groups_usage(FILE *to)
{
	fprintf(to,
		"Usage: many_groups [OPTION]...\n"
		"  -d, --device NAME  the device (glass0)\n"
		"  -n, --count N      groups (1000)\n"
		"  -w, --wait         after the datagrams, print `ready` and wait for SIGTERM\n"
		"Prints how long each step took, and how much memory they have, each `NAME VALUE` in a line of its own.\n"
		"Exit status 0: done, and all data was right; 1: it was not; 2: wrong arguments.\n");
}

static union ibv_gid nth_group(unsigned int i)
{
	union ibv_gid gid = { .raw = { 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x82 } };
	uint32_t n = htobe32(i);

	memcpy(&gid.raw[12], &n, sizeof(n));
	return gid;
}

/* Beyond the groups that a subnet manager makes. */
static uint16_t nth_mlid(unsigned int i)
{
	return 0xd000 + i % 0x2000;
}

static struct ibv_qp *datagram_qp(void)
{
	struct ibv_qp *qp = vt_qp(&here, (struct vt_qp_opts){ .type = IBV_QPT_UD, .wr = 4, .sge = 1 });
	struct vt_path none = {};

	vt_to_init(qp, here.port, 0);
	vt_to_rts(qp, here.port, 0, &none);
	return qp;
}

static void join_all(void)
{
	unsigned int i;

	for (i = 0; i < ngroups; i++) {
		union ibv_gid gid = nth_group(i);
		int err = ibv_attach_mcast(member, &gid, nth_mlid(i));

		CHECK(!err, "attach_mcast %u: %s", i, strerror(err));
	}
}

static void send_to_group(unsigned int i)
{
	struct ibv_ah_attr attr = { .dlid = nth_mlid(i), .port_num = here.port, .is_global = 1, .grh.dgid = nth_group(i) };
	struct ibv_sge sge = vt_sge(out, 0, GROUP_BYTES);
	struct ibv_send_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.ud = { .remote_qpn = 0xffffff, .remote_qkey = VT_QKEY } };

	wr.wr.ud.ah = ibv_create_ah(here.pd, &attr);
	CHECK(wr.wr.ud.ah, "create_ah: %s", strerror(errno));
	vt_fill(out->addr, GROUP_BYTES, i);
	vt_recv(member, i, in, 0, GRH + GROUP_BYTES);
	vt_post(sender, &wr);
	vt_wc_is(sender->send_cq, i, IBV_WC_SUCCESS);
	CHECK(!ibv_destroy_ah(wr.wr.ud.ah), "destroy_ah failed");
}

/* The member gets the datagram of group i, and no other. */
static void receive_of_group(unsigned int i)
{
	const union ibv_gid gid = nth_group(i);
	struct ibv_wc wc;

	CHECK(vt_try_wc(member->recv_cq, &wc, VT_WAIT_MS), "no datagram of group %u came", i);
	CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == i && wc.byte_len == GRH + GROUP_BYTES,
	      "the datagram of group %u: %s, receive %llu, %u bytes", i, ibv_wc_status_str(wc.status),
	      (unsigned long long)wc.wr_id, wc.byte_len);
	/* the last 16 bytes of the GRH are the destination */
	CHECK(!memcmp((uint8_t *)in->addr + GRH - 16, &gid, 16), "the datagram of group %u was sent to another one", i);
	vt_verify((uint8_t *)in->addr + GRH, GROUP_BYTES, i, "the datagram of a group");
	vt_empty(member->recv_cq);
}

static void leave_all(void)
{
	unsigned int i;

	for (i = 0; i < ngroups; i++) {
		union ibv_gid gid = nth_group(i);
		int err = ibv_detach_mcast(member, &gid, nth_mlid(i));

		CHECK(!err, "detach_mcast %u: %s", i, strerror(err));
	}
}

static void run_groups(bool wait)
{
	struct growth before = growth_now();
	uint64_t from = vt_now_ms();
	unsigned int i;

	join_all();
	growth_lap("join", &from);
	growth_print("all", &before);
	from = vt_now_ms();
	for (i = 0; i < ngroups; i++) {
		send_to_group(i);
		receive_of_group(i);
	}
	growth_lap("traffic", &from);
	if (wait)
		vt_wait_for_end();
	from = vt_now_ms();
	leave_all();
	growth_lap("leave", &from);
	growth_print("left", &before);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' }, { "count", required_argument, NULL, 'n' },
		{ "wait", no_argument, NULL, 'w' },	    { "help", no_argument, NULL, 'h' },
		{},
	};
	const char *device = "glass0";
	bool wait = false;
	int c;

	vt_prog = "many_groups";
	while ((c = getopt_long(argc, argv, "d:n:wh", options, NULL)) >= 0) {
		switch (c) {
		case 'd': device = optarg; break;
		case 'n': ngroups = strtoul(optarg, NULL, 0); break;
		case 'w': wait = true; break;
		case 'h': groups_usage(stdout); return 0;
		default: groups_usage(stderr); return 2;
		}
	}
	if (optind < argc || !ngroups) {
		groups_usage(stderr);
		return 2;
	}
	vt_hold_end();
	vt_open(&here, device, 1, 0);
	member = datagram_qp();
	sender = datagram_qp();
	in = vt_buf(&here, GRH + GROUP_BYTES);
	out = vt_buf(&here, GROUP_BYTES);
	run_groups(wait);
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&here);
	return 0;
}
