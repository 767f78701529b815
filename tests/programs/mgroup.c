// SPDX-License-Identifier: GPL-2.0-only
/* Members of an IP multicast group at an Ethernet port, by verbs alone, and a sender. */
#include <getopt.h>

#include "vt.h"

#define GRH 40
#define LEN 256
#define MAX_MEMBERS 64
#define ROOM 64 /* receives of a member */
#define FIRST 4 /* bytes of the number of a datagram */

static struct vt_end here;

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: mgroup [OPTION]... ADDRESS {send|receive} N\n"
		"  -d, --device NAME  the device\n"
		"  -g, --gid N        index of its GID\n"
		"  -m, --members N    so many QPs are in the group (receive: 1, send: 0)\n"
		"send: sends N numbered datagrams to the group; its own members must get them, too.\n"
		"receive: attaches the QPs, prints `ready`, and waits until each has got N datagrams, in\n"
		"order and each once.\n"
		"Exit status 0: so it was; 1: it was not; 2: wrong arguments; 4: it hung.\n");
}

static union ibv_gid group_of(const char *text)
{
	union ibv_gid gid = { .raw = { 0xff, 0x0e, [10] = 0xff, [11] = 0xff } };

	if (inet_pton(AF_INET, text, gid.raw + 12) != 1)
		CHECK(inet_pton(AF_INET6, text, gid.raw) == 1, "%s: no address", text);
	return gid;
}

static struct ibv_qp *make_qp(struct ibv_cq *cq)
{
	struct ibv_qp *qp = vt_qp(&here, (struct vt_qp_opts){ .type = IBV_QPT_UD, .rcq = cq, .wr = ROOM, .sge = 1 });
	struct vt_path none = {};

	vt_to_init(qp, here.port, 0);
	vt_to_rts(qp, here.port, 0, &none);
	return qp;
}

static void send_all(const union ibv_gid *group, uint32_t n)
{
	struct ibv_ah_attr attr = { .port_num = here.port, .is_global = 1 };
	struct ibv_qp *qp = make_qp(NULL);
	struct ibv_mr *mr = vt_buf(&here, LEN);
	struct ibv_sge sge = vt_sge(mr, 0, LEN);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;
	uint32_t i;

	attr.grh.dgid = *group;
	attr.grh.sgid_index = here.gid_index;
	attr.grh.hop_limit = 1;
	wr.wr.ud.ah = ibv_create_ah(here.pd, &attr);
	CHECK(wr.wr.ud.ah, "create_ah: %s", strerror(errno));
	vt_track(VT_AH, wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = 0xffffff;
	wr.wr.ud.remote_qkey = VT_QKEY;
	for (i = 0; i < n; i++) {
		memcpy(mr->addr, &i, FIRST);
		vt_fill((char *)mr->addr + FIRST, LEN - FIRST, i);
		vt_post(qp, &wr);
		vt_wc_ok(qp->send_cq, &wc);
	}
}

static struct ibv_qp *members[MAX_MEMBERS];
static struct ibv_cq *cq;
static struct ibv_mr *room;

static void join(const union ibv_gid *group, uint32_t n)
{
	uint32_t i, k;
	int err;

	cq = vt_cq(&here, MAX_MEMBERS * ROOM, NULL);
	room = vt_buf(&here, (size_t)MAX_MEMBERS * ROOM * (GRH + LEN));
	for (i = 0; i < n; i++) {
		members[i] = make_qp(cq);
		for (k = 0; k < ROOM; k++)
			vt_recv(members[i], i * ROOM + k, room, (size_t)(i * ROOM + k) * (GRH + LEN), GRH + LEN);
		err = ibv_attach_mcast(members[i], group, 0);
		CHECK(!err, "attach_mcast: %s", strerror(err));
	}
}

/* Each member gets each of the n datagrams once, and nothing else. */
static void receive_all(uint32_t count, uint32_t n)
{
	uint32_t got[MAX_MEMBERS] = {}, left = count * n, number, i;
	struct ibv_wc wc;

	while (left--) {
		const uint8_t *at;

		vt_wc_ok(cq, &wc);
		i = wc.wr_id / ROOM;
		at = (const uint8_t *)room->addr + wc.wr_id * (GRH + LEN) + GRH;
		CHECK(wc.byte_len == GRH + LEN, "%u bytes", wc.byte_len);
		memcpy(&number, at, FIRST);
		CHECK(number == got[i], "member %u got datagram %u, not %u", i, number, got[i]);
		vt_verify(at + FIRST, LEN - FIRST, number, "payload");
		got[i]++;
	}
	CHECK(!vt_try_wc(cq, &wc, 300), "member %u got a datagram too many", (uint32_t)(wc.wr_id / ROOM));
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' }, { "gid", required_argument, NULL, 'g' },
		{ "members", required_argument, NULL, 'm' }, { "help", no_argument, NULL, 'h' },
		{},
	};
	const char *device = NULL;
	union ibv_gid group;
	int gid = 0, n = -1, count, c;
	bool sends;
	int i;

	vt_prog = "mgroup";
	while ((c = getopt_long(argc, argv, "d:g:m:h", options, NULL)) != -1) {
		switch (c) {
		case 'd': device = optarg; break;
		case 'g': gid = atoi(optarg); break;
		case 'm': n = atoi(optarg); break;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 2;
		}
	}
	sends = optind + 3 == argc && !strcmp(argv[optind + 1], "send");
	if (n < 0)
		n = !sends;
	if (optind + 3 != argc || (!sends && strcmp(argv[optind + 1], "receive")) || n > MAX_MEMBERS) {
		usage(stderr);
		return 2;
	}
	group = group_of(argv[optind]);
	count = atoi(argv[optind + 2]);
	vt_limit(60);
	vt_open(&here, device, 1, gid);
	CHECK(count <= ROOM, "at most %d datagrams", ROOM);
	join(&group, n);
	if (sends)
		send_all(&group, count);
	else
		vt_ready();
	receive_all(n, count);
	for (i = 0; i < n; i++)
		CHECK(!ibv_detach_mcast(members[i], &group, 0), "detach_mcast failed");
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&here);
	return 0;
}
