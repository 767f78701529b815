// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random RoCEv2 datagrams at an Ethernet port of Glass, most of which are almost valid. The program
 * also owns QPs of that port, at which many of the datagrams aim: so they reach the transport.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "random.h"
#include "vt.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#define BATCH 32
/* After so many datagrams the QPs are made ready again. The port has processed most of these then. */
#define RENEW 256
#define FRAME_MAX 4300
#define IP4_BYTES 20
#define IP6_BYTES 40
#define UDP_BYTES 8
#define ROCE_PORT 4791
#define RECVS 16
#define MEMORY 65536
#define PSN_0 0x1000
/* a QP number that no QP of the peer has */
#define PEER_QPN 0x654321

struct frame {
	u32 len;
	u8 b[FRAME_MAX];
};

/* A QP at which datagrams aim */
struct target {
	enum ibv_qp_type type;
	bool v6;
	struct ibv_qp *qp;
};

static struct target targets[] = {
	{ .type = IBV_QPT_RC }, { .type = IBV_QPT_RC, .v6 = true }, { .type = IBV_QPT_UC },
	{ .type = IBV_QPT_UC, .v6 = true }, { .type = IBV_QPT_UD }, { .type = IBV_QPT_UD, .v6 = true },
};
static struct vt_end end[2]; /* IPv4, IPv6: the same port, by another GID */
static union ibv_gid from[2];
static struct ibv_mr *mr;
static struct ibv_cq *cq;
static u8 mac_to[ETH_ALEN], mac_from[ETH_ALEN];
static int sock;
static u32 crc_of[256];

static void usage(FILE *to)
{
	fprintf(to,
		"Usage: datagrams [OPTION]... N SEED\n"
		"Sends N random RoCEv2 datagrams to an Ethernet port of Glass.\n"
		"  -i, --interface NAME  the interface that leads to the port (here)\n"
		"  -m, --mac MAC         address of the port's interface\n"
		"  -d, --device NAME     the device with the port (glassr0)\n"
		"  -4, --v4 INDEX,FROM   index of its GID with an IPv4 address, and the source address\n"
		"  -6, --v6 INDEX,FROM   the same for IPv6\n"
		"Prints the seed first, and `sent=N deep=N renewed=N` last: datagrams, those of them whose IP and\n"
		"UDP headers are right, and how often a QP of the program's was brought back from ERR.\n"
		"Exit status 0: all was sent; 1: it was not; 2: wrong arguments.\n");
}

/* ---- the ICRC, as IBA annex A17 has it; nothing here is Glass's own */

static void crc_init(void)
{
	u32 i, k, c;

	for (i = 0; i < 256; i++) {
		for (c = i, k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
		crc_of[i] = c;
	}
}

static u32 crc(u32 c, const u8 *b, u32 n)
{
	while (n--)
		c = crc_of[(c ^ *b++) & 0xff] ^ c >> 8;
	return c;
}

/* Of the n bytes from the IP header to the padding; writes it behind them. */
static void put_icrc(u8 *ip, u32 n, bool v6)
{
	static const u8 ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	u8 h[IP6_BYTES + UDP_BYTES + 12];
	u32 head = v6 ? IP6_BYTES : IP4_BYTES, all = min(n, head + UDP_BYTES + 12), c;

	memcpy(h, ip, all);
	if (v6) {
		h[0] |= 0x0f;
		memset(h + 1, 0xff, 3);
		h[7] = 0xff;
	} else {
		h[1] = h[8] = h[10] = h[11] = 0xff;
	}
	h[head + 6] = h[head + 7] = 0xff;
	if (all > head + UDP_BYTES + 4)
		h[head + UDP_BYTES + 4] = 0xff;
	c = ~crc(crc(crc(~0u, ones, 8), h, all), ip + all, n - all);
	ip[n] = c;
	ip[n + 1] = c >> 8;
	ip[n + 2] = c >> 16;
	ip[n + 3] = c >> 24;
}

static void fix_ip_checksum(u8 *ip)
{
	u32 sum = 0, i, n = (ip[0] & 0xf) == 6 ? IP4_BYTES + 4 : IP4_BYTES;

	ip[10] = ip[11] = 0;
	for (i = 0; i < n; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	put_unaligned_be16(~sum, ip + 10);
}

/* ---- the QPs */

/* Posts a receive, if the QP has room: completions of a QP that was reset meanwhile do not count. */
static void post_slot(struct ibv_qp *qp, u64 slot)
{
	struct ibv_sge sge = vt_sge(mr, 4096, 8192);
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = ibv_post_recv(qp, &wr, &bad);

	CHECK(!err || err == ENOMEM, "post_recv: %s", strerror(err));
}

/*
 * Takes the QP to RTS and gives it receives and requests. Returns false if a datagram that was still on its way has taken
 * the QP from RTR or RTS to ERR meanwhile.
 */
static bool renew(struct target *t)
{
	struct vt_path path = { .qpn = PEER_QPN, .psn = PSN_0, .use_grh = true, .mtu = IBV_MTU_1024, .timeout = 14 };
	struct ibv_send_wr wr = { .num_sge = 1, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_sge sge = vt_sge(mr, 0, 64);
	int err;
	u32 i;

	vt_to_state(t->qp, IBV_QPS_RESET);
	path.dgid = from[t->v6];
	path.sgid_index = end[t->v6].gid_index;
	vt_to_init(t->qp, 1, t->type == IBV_QPT_UC ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE : VT_ACCESS_ALL);
	err = vt_try_rtr(t->qp, 1, &path);
	CHECK(!err, "modify to RTR: %s", strerror(err));
	err = vt_try_rts(t->qp, PSN_0, &path);
	if (err == EINVAL && vt_state(t->qp) == IBV_QPS_ERR)
		return false;
	CHECK(!err, "modify to RTS: %s", strerror(err));
	for (i = 0; i < RECVS; i++)
		post_slot(t->qp, i);
	if (t->type != IBV_QPT_RC)
		return true;
	/* requests that wait for answers, which random ones may be */
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = 0x1000;
	wr.wr.rdma.rkey = 0x100;
	for (i = 0; i < 3; i++) {
		wr.opcode = i % 2 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
		vt_post(t->qp, &wr);
	}
	return true;
}

static void make_targets(void)
{
	struct target *t;

	cq = vt_cq(&end[0], 4096, NULL);
	mr = vt_buf(&end[0], MEMORY);
	for (t = targets; t < targets + ARRAY_LEN(targets); t++) {
		t->qp = vt_qp(&end[0], (struct vt_qp_opts){ .type = t->type, .scq = cq, .rcq = cq, .wr = RECVS, .sge = 1 });
		CHECK(renew(t), "a QP at which nothing aims yet has failed");
	}
}

/* Gives receives back, and brings the QPs that failed to RTS again. Returns how many these are. */
static u32 renew_all(void)
{
	struct ibv_wc wc;
	struct target *t;
	u32 n = 0, i;

	while (ibv_poll_cq(cq, 1, &wc) > 0) {
		if (wc.status != IBV_WC_SUCCESS || wc.opcode < IBV_WC_RECV)
			continue;
		for (i = 0; i < ARRAY_LEN(targets); i++)
			if (targets[i].qp->qp_num == wc.qp_num)
				post_slot(targets[i].qp, wc.wr_id);
	}
	vt_drain_events(end[0].ctx);
	for (t = targets; t < targets + ARRAY_LEN(targets); t++) {
		if (vt_state(t->qp) == IBV_QPS_RTS)
			continue;
		/* a QP that fails again meanwhile is the next call's */
		renew(t);
		n++;
	}
	return n;
}

/* ---- datagrams */

static struct glass_pkt random_packet(const struct target *t, struct glass_seg *seg, u8 *payload)
{
	static const u8 transports[] = { GLASS_TR_RC, GLASS_TR_UC, GLASS_TR_UD, GLASS_TR_XRC };
	struct glass_pkt p = { .lnh = GLASS_LNH_GLOBAL, .pkey = 0xffff };
	u8 own = t->type == IBV_QPT_RC ? GLASS_TR_RC : t->type == IBV_QPT_UC ? GLASS_TR_UC : GLASS_TR_UD;

	do {
		p.opcode = (random32() & GLASS_BOP_MASK) | (one_in(8) ? transports[below(4)] : own);
	} while (!glass_opcode_valid(p.opcode));
	p.len = one_in(3) ? below(2) * 1024 : below(300);
	if (!(glass_opcodes[p.opcode].flags & GLASS_OPF_PAYLOAD))
		p.len = 0;
	random_bytes(payload, min(p.len, 64u));
	*seg = (struct glass_seg){ .addr = payload, .len = p.len };
	p.seg = seg;
	p.nseg = p.len ? 1 : 0;
	p.dqpn = one_in(16) ? below(64) : one_in(16) ? random32() & GLASS_QPN_MASK : t->qp->qp_num;
	p.psn = (PSN_0 + (one_in(8) ? random32() : below(8))) & GLASS_PSN_MASK;
	p.ack_req = one_in(2);
	p.se = one_in(8);
	p.sqpn = PEER_QPN;
	p.qkey = one_in(8) ? random32() : VT_QKEY;
	p.rkey = one_in(4) ? random32() : mr->rkey;
	p.va = one_in(8) ? (u64)random32() << 32 | random32() : (uintptr_t)mr->addr + 16384 + below(4096) * (one_in(4) ? 1 : 8);
	p.dma_len = one_in(4) ? random32() : one_in(2) ? p.len : below(8192);
	p.syndrome = one_in(2) ? random32() : 0x1f;
	p.msn = below(4);
	p.cmp = random32();
	p.imm = random32();
	return p;
}

/* Writes a datagram with right headers and lengths, but without the ICRC. Returns the bytes behind the UDP header. */
static u32 right_datagram(struct frame *f, const struct target *t)
{
	static u8 payload[GLASS_MTU_MAX];
	struct glass_seg seg;
	struct glass_pkt p = random_packet(t, &seg, payload);
	u32 head = t->v6 ? IP6_BYTES : IP4_BYTES, n, udp;
	u8 *ip = f->b + ETH_HLEN, *body = ip + head + UDP_BYTES;
	int len = glass_pkt_build_transport(&p, body, 256);

	CHECK(len > 0, "cannot build a packet of opcode 0x%x: %s", p.opcode, strerror(-len));
	n = len + p.len;
	glass_pkt_copy_payload(&p, 0, body + len, p.len);
	while (n % 4)
		body[n++] = 0;
	udp = UDP_BYTES + n + 4;
	memcpy(f->b, mac_to, ETH_ALEN);
	memcpy(f->b + ETH_ALEN, mac_from, ETH_ALEN);
	put_unaligned_be16(t->v6 ? ETH_P_IPV6 : ETH_P_IP, f->b + 2 * ETH_ALEN);
	memset(ip, 0, head + UDP_BYTES);
	if (t->v6) {
		ip[0] = 0x60;
		put_unaligned_be16(udp, ip + 4);
		ip[6] = 17;
		ip[7] = 64;
		memcpy(ip + 8, from[1].raw, 16);
		memcpy(ip + 24, end[1].gid.raw, 16);
	} else {
		ip[0] = 0x45;
		put_unaligned_be16(IP4_BYTES + udp, ip + 2);
		ip[6] = 0x40;
		ip[8] = 64;
		ip[9] = 17;
		memcpy(ip + 12, from[0].raw + 12, 4);
		memcpy(ip + 16, end[0].gid.raw + 12, 4);
	}
	put_unaligned_be16(0xc000 | (random32() & 0x3fff), ip + head);
	put_unaligned_be16(ROCE_PORT, ip + head + 2);
	put_unaligned_be16(udp, ip + head + 4);
	f->len = ETH_HLEN + head + UDP_BYTES + n;
	return n;
}

/* IPv4 gets options, IPv6 a header of options, which say nothing: padding. */
static void add_options(struct frame *f, bool v6)
{
	u32 head = v6 ? IP6_BYTES : IP4_BYTES, n = v6 ? 8 : 4;
	u8 *ip = f->b + ETH_HLEN;

	memmove(ip + head + n, ip + head, f->len - ETH_HLEN - head);
	memset(ip + head, 1, n);
	f->len += n;
	if (v6) {
		memcpy(ip + head, "\x11\0\1\4\0\0\0\0", n);
		ip[6] = 60;
		put_unaligned_be16(f->len - ETH_HLEN - head, ip + 4);
	} else {
		ip[0]++;
		put_unaligned_be16(f->len - ETH_HLEN, ip + 2);
	}
}

/* Changes what the kernel's IP and UDP look at. */
static void change_stack(struct frame *f, bool v6)
{
	u32 head = v6 ? IP6_BYTES : IP4_BYTES;
	u8 *ip = f->b + ETH_HLEN;

	switch (below(6)) {
	case 0:
		change_bytes(ip, head + UDP_BYTES);
		break;
	case 1: /* the length of UDP: shorter, or longer than the datagram */
		put_unaligned_be16(one_in(2) ? random32() : below(f->len), ip + head + 4);
		break;
	case 2: /* the length of IP */
		put_unaligned_be16(one_in(2) ? random32() : below(f->len), ip + (v6 ? 4 : 2));
		break;
	case 3: /* groups and broadcast */
		if (v6) {
			memset(ip + 24, 0, 16);
			ip[24] = 0xff;
			ip[25] = 2;
			ip[39] = 1;
			memcpy(f->b, "\x33\x33\0\0\0\1", ETH_ALEN);
		} else {
			ip[19] = 255;
			memset(f->b, 0xff, ETH_ALEN);
		}
		break;
	case 4: /* another header between */
		if (one_in(2))
			add_options(f, v6);
		else
			ip[v6 ? 6 : 9] = random32();
		break;
	default: /* a checksum of UDP, which is wrong */
		put_unaligned_be16(random32(), ip + head + 6);
	}
	if (!v6 && !one_in(4))
		fix_ip_checksum(ip);
}

/* Makes two fragments of an IPv4 datagram, `f` and `g`; the second one is sometimes not sent. Returns how many there are. */
static u32 fragment(struct frame *f, struct frame *g)
{
	u8 *ip = f->b + ETH_HLEN;
	u32 body = f->len - ETH_HLEN - IP4_BYTES, cut = body / 2 & ~7u;

	if (!cut)
		return 1;
	put_unaligned_be16(random32(), ip + 4);
	*g = *f;
	memmove(g->b + ETH_HLEN + IP4_BYTES, g->b + ETH_HLEN + IP4_BYTES + cut, body - cut);
	g->len = f->len - cut;
	f->len = ETH_HLEN + IP4_BYTES + cut;
	put_unaligned_be16(IP4_BYTES + cut, ip + 2);
	put_unaligned_be16(0x2000, ip + 6);
	fix_ip_checksum(ip);
	ip = g->b + ETH_HLEN;
	put_unaligned_be16(IP4_BYTES + body - cut, ip + 2);
	put_unaligned_be16(cut / 8, ip + 6);
	fix_ip_checksum(ip);
	return one_in(4) ? 1 : 2;
}

/* Makes one datagram in `f`, or two fragments in `f` and `g`. Returns how many frames; *deep: the kernel's UDP gets it. */
static u32 random_datagram(struct frame *f, struct frame *g, bool *deep)
{
	const struct target *t = &targets[below(ARRAY_LEN(targets))];
	u32 head = t->v6 ? IP6_BYTES : IP4_BYTES, n = right_datagram(f, t), old;
	u8 *ip = f->b + ETH_HLEN, *body = ip + head + UDP_BYTES;
	bool split = !t->v6 && one_in(32);

	*deep = !one_in(4) && !split;
	/* what routers and senders choose: nobody may object */
	ip[1] = t->v6 ? random32() & 0xf0 : random32();
	if (t->v6)
		ip[3] = random32();
	if (!one_in(3))
		change_bytes(body, n);
	if (one_in(6)) {
		/* another length, of which all headers know */
		old = n;
		n = one_in(4) ? below(24) : below(n + 8);
		if (n > old)
			random_bytes(body + old, n - old);
		f->len = ETH_HLEN + head + UDP_BYTES + n;
		put_unaligned_be16(UDP_BYTES + n + 4, ip + head + 4);
		put_unaligned_be16((t->v6 ? 0 : head) + UDP_BYTES + n + 4, ip + (t->v6 ? 4 : 2));
	}
	if (split)
		ip[6] = 0;
	put_icrc(ip, f->len - ETH_HLEN, t->v6);
	f->len += 4;
	if (one_in(2))
		f->b[f->len - 1 - below(4)] ^= 1 << below(8);
	if (!t->v6)
		fix_ip_checksum(ip);
	if (split)
		return fragment(f, g);
	if (!*deep)
		change_stack(f, t->v6);
	/* an Ethernet frame may end with padding */
	if (one_in(16)) {
		n = below(16);
		random_bytes(f->b + f->len, n);
		f->len += n;
	}
	return 1;
}

static void send_all(const struct frame *frames, u32 n)
{
	struct mmsghdr msgs[2 * BATCH] = {};
	struct iovec at[2 * BATCH];
	u32 i, done = 0;
	int some;

	for (i = 0; i < n; i++) {
		at[i] = (struct iovec){ .iov_base = (void *)frames[i].b, .iov_len = frames[i].len };
		msgs[i].msg_hdr.msg_iov = &at[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	while (done < n) {
		some = sendmmsg(sock, msgs + done, n - done, 0);
		CHECK(some > 0, "cannot send: %s", strerror(errno));
		done += some;
	}
}

static void attack(unsigned long n, u64 seed)
{
	static struct frame frames[2 * BATCH];
	unsigned long i, ndeep = 0, renewed = 0;
	u32 in_batch = 0;
	bool deep;

	printf("seed=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	random_state = seed;
	for (i = 0; i < n; i++) {
		if (i % RENEW == 0)
			renewed += renew_all();
		in_batch += random_datagram(&frames[in_batch], &frames[in_batch + 1], &deep);
		ndeep += deep;
		if (in_batch >= BATCH) {
			send_all(frames, in_batch);
			in_batch = 0;
		}
	}
	send_all(frames, in_batch);
	printf("sent=%lu deep=%lu renewed=%lu\n", n, ndeep, renewed);
}

static void open_wire(const char *name)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET };
	struct ifreq ifr = {};

	sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	CHECK(sock >= 0, "no packet socket: %s", strerror(errno));
	at.sll_ifindex = if_nametoindex(name);
	CHECK(at.sll_ifindex && !bind(sock, (struct sockaddr *)&at, sizeof(at)), "%s: %s", name, strerror(errno));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	CHECK(!ioctl(sock, SIOCGIFHWADDR, &ifr), "%s: no address: %s", name, strerror(errno));
	memcpy(mac_from, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
}

/* "INDEX,ADDRESS" */
static void parse_end(const char *text, const char *device, bool v6)
{
	const char *address = strchr(text, ',');
	u8 *to = from[v6].raw;

	CHECK(address, "%s: not INDEX,ADDRESS", text);
	if (!v6)
		to[10] = to[11] = 0xff;
	CHECK(inet_pton(v6 ? AF_INET6 : AF_INET, address + 1, v6 ? to : to + 12) == 1, "%s: no address", address + 1);
	vt_open(&end[v6], device, 1, atoi(text));
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "interface", required_argument, NULL, 'i' }, { "mac", required_argument, NULL, 'm' },
		{ "device", required_argument, NULL, 'd' },    { "v4", required_argument, NULL, '4' },
		{ "v6", required_argument, NULL, '6' },	       { "help", no_argument, NULL, 'h' },
		{},
	};
	const char *interface = "here", *device = "glassr0", *v4 = NULL, *v6 = NULL;
	unsigned int b[ETH_ALEN] = {}, i;
	int c;

	vt_prog = "datagrams";
	while ((c = getopt_long(argc, argv, "i:m:d:4:6:h", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			interface = optarg;
			break;
		case 'm':
			CHECK(sscanf(optarg, "%x:%x:%x:%x:%x:%x", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5]) == ETH_ALEN,
			      "%s: not a MAC address", optarg);
			break;
		case 'd':
			device = optarg;
			break;
		case '4':
			v4 = optarg;
			break;
		case '6':
			v6 = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (argc - optind != 2 || !v4 || !v6) {
		usage(stderr);
		return 2;
	}
	for (i = 0; i < ETH_ALEN; i++)
		mac_to[i] = b[i];
	crc_init();
	vt_limit(60); /* for the start only */
	open_wire(interface);
	parse_end(v4, device, false);
	parse_end(v6, device, true);
	make_targets();
	alarm(0);
	attack(strtoul(argv[optind], NULL, 0), strtoull(argv[optind + 1], NULL, 0));
	vt_limit(30);
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&end[0]);
	vt_close(&end[1]);
	return 0;
}
