/* SPDX-License-Identifier: GPL-2.0-only */
/* The wire of a netdev cable, for frames.c: ports that are known, and frames that keep the rules. */
#ifndef FRAMES_H
#define FRAMES_H

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include "wire/crc.h"
#include "wire/frame.h"
#include "wire/mad.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#define FRAME_MAX 9216 /* bytes of a frame, with its Ethernet header */
#define HDR (ETH_HLEN + GLASS_FRAME_HDR_BYTES)
#define NOBODYS_LID 0x3000

/* A frame with its Ethernet header */
struct frame {
	u32 len;
	u8 b[FRAME_MAX];
};

/* What is known of a port at the wire. */
struct station {
	bool known;
	u8 mac[ETH_ALEN];
	u32 echo; /* the session in the header of its last hello: that of the peer which it hears */
	struct glass_hello hello;
};

/* cable: the cable that is attacked. self: the peer that this program plays. */
static struct station cable;
static struct station self = {
	.mac = { 0x02, 0x67, 0x6c, 0x00, 0x00, 0x01 },
	.hello = { .session = 0x0badf00d, .node = "mallory", .host = "elsewhere", .desc = "not a port of Glass",
		   .guid = 0x02676cfffe000001, .port = 1, .type = 2,
		   .flags = GLASS_HELLO_LINK | GLASS_HELLO_NO_VCRC, .mtu = 4, .width = 0x2,
		   .speed = 0x7, .speed_ext = 0x1 },
};
static bool real, cable_mac, cable_session;
static u8 version = GLASS_FRAME_VERSION;
static int sock, mtu;
static unsigned long sent, lost; /* frames; the kernel has dropped `lost` of them before the wire */

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "frames: ");
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* ---- the wire */

static void open_wire(const char *name)
{
	/* only a socket of all EtherTypes sees what others send by this interface */
	u16 proto = real ? ETH_P_ALL : GLASS_FRAME_PROTO;
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(proto) };
	int memory = 64 << 20;
	struct ifreq ifr = {};

	sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (sock < 0)
		die("no packet socket: %s", strerror(errno));
	at.sll_ifindex = if_nametoindex(name);
	if (!at.sll_ifindex || bind(sock, (struct sockaddr *)&at, sizeof(at)))
		die("%s: %s", name, strerror(errno));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	if (ioctl(sock, SIOCGIFMTU, &ifr))
		die("%s: no MTU: %s", name, strerror(errno));
	mtu = min(ifr.ifr_mtu, FRAME_MAX - ETH_HLEN);
	/* frames that wait at the cable count as ours: they must not make us wait */
	setsockopt(sock, SOL_SOCKET, SO_SNDBUFFORCE, &memory, sizeof(memory));
	setsockopt(sock, SOL_SOCKET, SO_RCVBUFFORCE, &memory, sizeof(memory));
}

/* Says whether a frame has gone; the kernel's backlog may be full. */
static void account(ssize_t n)
{
	sent++;
	if (n >= 0)
		return;
	if (errno != ENOBUFS)
		die("cannot send: %s", strerror(errno));
	lost++;
}

static void send_frame(const struct frame *f)
{
	account(send(sock, f->b, f->len, 0));
}

/* Takes one frame; returns false if none arrives within ms. If it is a hello, remembers it. */
static bool listen_once(int ms, bool *is_hello)
{
	struct pollfd fd = { .fd = sock, .events = POLLIN };
	struct sockaddr_ll from;
	socklen_t from_len = sizeof(from);
	static struct frame f;
	struct glass_frame head;
	struct glass_hello h;
	struct station *who;
	ssize_t n;

	*is_hello = false;
	if (poll(&fd, 1, ms) <= 0)
		return false;
	n = recvfrom(sock, f.b, sizeof(f.b), MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
	if (n < HDR || from.sll_protocol != htons(GLASS_FRAME_PROTO))
		return n >= 0;
	if (from.sll_pkttype == PACKET_OUTGOING && !real)
		return true;
	if (glass_frame_get(&head, f.b + ETH_HLEN, n - ETH_HLEN) || head.kind != GLASS_FRAME_HELLO ||
	    glass_hello_get(&h, f.b + HDR, n - HDR, false))
		return true;
	who = from.sll_pkttype == PACKET_OUTGOING ? &self : &cable;
	memcpy(who->mac, f.b + ETH_ALEN, ETH_ALEN);
	who->hello = h;
	who->echo = head.session;
	who->known = true;
	*is_hello = true;
	return true;
}

/* Waits for a hello of the cable, and with --real for one of the peer. */
static void learn(void)
{
	u64 until = now_ms() + 60000;
	bool hello;

	while (!cable.known || (real && !self.known)) {
		if (now_ms() > until)
			die("no hello of the %s", cable.known ? "peer" : "cable");
		listen_once(200, &hello);
	}
	if (cable_mac)
		memcpy(self.mac, cable.mac, ETH_ALEN);
	if (cable_session)
		self.hello.session = cable.hello.session;
}

/* ---- frames */

static void begin_frame(struct frame *f, const u8 *from, u8 kind, u8 count, u8 flags, u32 session)
{
	struct glass_frame head = { .kind = kind, .count = count, .flags = flags, .session = session };

	memset(f->b, 0xff, ETH_ALEN);
	if (kind == GLASS_FRAME_PACKETS)
		memcpy(f->b, cable.mac, ETH_ALEN);
	memcpy(f->b + ETH_ALEN, from, ETH_ALEN);
	put_unaligned_be16(GLASS_FRAME_PROTO, f->b + 2 * ETH_ALEN);
	glass_frame_put(&head, f->b + ETH_HLEN);
	f->len = HDR;
}

static void make_hello(struct frame *f)
{
	begin_frame(f, self.mac, GLASS_FRAME_HELLO, 0, 0, cable.known ? cable.hello.session : 0);
	glass_hello_put(&self.hello, f->b + HDR);
	f->len += GLASS_HELLO_BYTES;
}

static void say_hello(void)
{
	static struct frame f;

	make_hello(&f);
	f.b[ETH_HLEN] = version;
	send_frame(&f);
}

static void begin_packets(struct frame *f, u8 count)
{
	begin_frame(f, self.mac, GLASS_FRAME_PACKETS, count, 0, cable.hello.session);
}

static struct glass_seg payload_seg;
static u8 payload[GLASS_MTU_MAX];

/* A UD packet that is valid, and that no node takes. */
static struct glass_pkt data_packet(u32 bytes)
{
	struct glass_pkt p = {
		.lnh = GLASS_LNH_LOCAL, .slid = 7, .dlid = NOBODYS_LID, .pkey = 0xffff, .dqpn = 0x1234,
		.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY, .len = bytes, .qkey = 0x11111111, .sqpn = 0x77,
	};

	payload_seg = (struct glass_seg){ .addr = payload, .len = bytes };
	p.seg = &payload_seg;
	p.nseg = bytes ? 1 : 0;
	return p;
}

static struct glass_pkt with_grh(struct glass_pkt p)
{
	p.lnh = GLASS_LNH_GLOBAL;
	p.grh = (struct glass_grh){ .next_hdr = 0x1b, .hop_limit = 1 };
	p.grh.sgid[0] = p.grh.dgid[0] = 0xfe;
	return p;
}

/* A request for the NodeInfo of the port at which it arrives. */
static struct glass_pkt smp_packet(void)
{
	struct glass_pkt p = data_packet(GLASS_MAD_BYTES);
	static u64 tid;

	memset(payload, 0, GLASS_MAD_BYTES);
	payload[GLASS_MAD_BASE_VERSION] = 1;
	payload[GLASS_MAD_CLASS] = GLASS_MC_SM_DR;
	payload[GLASS_MAD_CLASS_VERSION] = 1;
	payload[GLASS_MAD_METHOD] = GLASS_MM_GET;
	put_unaligned_be64(++tid, payload + GLASS_MAD_TID);
	put_unaligned_be16(GLASS_SA_NODE_INFO, payload + GLASS_MAD_ATTR);
	/* the way of one hop ends at the cable's port */
	payload[GLASS_SMP_HOP_CNT] = payload[GLASS_SMP_HOP_PTR] = 1;
	payload[GLASS_SMP_INITIAL_PATH + 1] = 1;
	put_unaligned_be16(GLASS_LID_PERMISSIVE, payload + GLASS_SMP_DR_SLID);
	put_unaligned_be16(GLASS_LID_PERMISSIVE, payload + GLASS_SMP_DR_DLID);
	p.vl = GLASS_VL_SMP;
	p.slid = p.dlid = GLASS_LID_PERMISSIVE;
	p.dqpn = p.sqpn = p.qkey = 0;
	return p;
}

/* Appends a packet. Returns its first byte. */
static u8 *put_packet(struct frame *f, const struct glass_pkt *p)
{
	u8 *at = f->b + f->len;
	int n = glass_pkt_build(p, at, sizeof(f->b) - f->len);

	if (n < 0)
		die("cannot build a packet: %s", strerror(-n));
	f->len += n;
	return at;
}

static void fix_vcrc(u8 *pkt, u32 len)
{
	len -= GLASS_VCRC_BYTES;
	glass_crc_put16(glass_vcrc(pkt, len), pkt + len);
}

/* Both CRCs of the packet of `len` bytes, VCRC included */
static void fix_crcs(u8 *pkt, u32 len)
{
	u32 body = len - GLASS_VCRC_BYTES - GLASS_ICRC_BYTES;

	/* the headers must lie in the packet */
	if (body >= GLASS_LRH_BYTES + GLASS_GRH_BYTES + GLASS_BTH_BYTES ||
	    (body >= GLASS_LRH_BYTES + GLASS_BTH_BYTES && (pkt[1] & 3) != GLASS_LNH_GLOBAL))
		glass_crc_put32(glass_icrc(pkt, body), pkt + body);
	fix_vcrc(pkt, len);
}

#endif
