// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbered messages on UC or UD over a network that loses, repeats and reorders packets. What
 * arrives must be what was sent; the rest is counted. One process holds both ends.
 */
#include <getopt.h>

#include "vt.h"

#define GRH 40
#define BURST 32
#define SLOTS 512
#define HEAD 8 /* number and length of a message */

static struct vt_end a, b;
static struct ibv_mr *from, *to;
static struct ibv_qp *qa, *qb;
static uint32_t size = 4096, mtu_bytes;
static bool is_ud;
static uint8_t *times; /* how often each message has arrived */
static uint64_t sent, arrived, distinct, late;

static void usage(FILE *to_where)
{
	fprintf(to_where,
		"Usage: counted [OPTION]... {uc|ud}\n"
		"  -a, --a DEVICE     sending device\n"
		"  -b, --b DEVICE     receiving device\n"
		"  -A, --a-gid N      index of the sending port's GID\n"
		"  -B, --b-gid N      index of the receiving port's GID\n"
		"  -n, --count N      messages (2000)\n"
		"  -s, --size BYTES   the longest message; UD: at most the MTU (4096)\n"
		"Prints `sent=N packets=N arrived=N distinct=N twice=N late=N lost=N`: arrived counts each copy\n"
		"of a message, late those that come behind a later message.\n"
		"Exit status 0: all that arrived is right; 1: it is not; 2: wrong arguments; 4: it hung.\n");
}

static uint32_t length_of(uint32_t number)
{
	return HEAD + (number * 2654435761u >> 8) % (size - HEAD + 1);
}

static uint32_t offset_of(uint32_t slot)
{
	return slot * (size + GRH);
}

static void post_slot(uint64_t slot)
{
	vt_recv(qb, slot, to, offset_of(slot), size + GRH);
}

static void check_message(const struct ibv_wc *wc)
{
	const uint8_t *m = (const uint8_t *)to->addr + offset_of(wc->wr_id) + (is_ud ? GRH : 0);
	uint32_t len = wc->byte_len - (is_ud ? GRH : 0), number;
	static uint32_t last;

	CHECK(wc->status == IBV_WC_SUCCESS, "receive: %s", ibv_wc_status_str(wc->status));
	CHECK(len >= HEAD, "a message of %u bytes", len);
	memcpy(&number, m, 4);
	CHECK(number < sent, "message %u, but only %llu were sent", number, (unsigned long long)sent);
	CHECK(len == length_of(number), "message %u has %u bytes, not %u", number, len, length_of(number));
	vt_verify(m + HEAD, len - HEAD, number, "payload");
	arrived++;
	distinct += !times[number]++;
	late += number < last;
	last = number > last ? number : last;
	post_slot(wc->wr_id);
}

/* Takes messages until none arrives for ms milliseconds. */
static void take(unsigned int ms)
{
	struct ibv_wc wc;

	while (vt_try_wc(qb->recv_cq, &wc, ms))
		check_message(&wc);
}

static void send_burst(uint32_t n, struct ibv_ah *ah, uint64_t *packets)
{
	uint32_t i, len;
	struct ibv_wc wc;

	for (i = 0; i < n; i++) {
		uint8_t *m = (uint8_t *)from->addr + (uint64_t)i * size;
		struct ibv_sge sge;
		struct ibv_send_wr wr = { .wr_id = sent, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
					  .send_flags = IBV_SEND_SIGNALED };
		uint32_t number = sent++;

		len = length_of(number);
		memcpy(m, &number, 4);
		memset(m + 4, 0, 4);
		vt_fill(m + HEAD, len - HEAD, number);
		sge = vt_sge(from, (uint64_t)i * size, len);
		if (is_ud) {
			wr.wr.ud.ah = ah;
			wr.wr.ud.remote_qpn = qb->qp_num;
			wr.wr.ud.remote_qkey = VT_QKEY;
		}
		vt_post(qa, &wr);
		*packets += (len + mtu_bytes - 1) / mtu_bytes;
	}
	for (i = 0; i < n; i++)
		vt_wc_ok(qa->send_cq, &wc);
}

static void join(struct ibv_qp *qp, struct vt_end *here, struct ibv_qp *peer, struct vt_end *there)
{
	struct vt_path path = { .qpn = peer->qp_num, .psn = 7, .use_grh = true, .dgid = there->gid,
				.sgid_index = here->gid_index, .mtu = here->attr.active_mtu };

	vt_to_init(qp, here->port, VT_ACCESS_ALL & ~(is_ud ? 0 : IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC));
	vt_to_rts(qp, here->port, 7, &path);
}

static void run(uint32_t count)
{
	struct ibv_ah_attr attr = { .port_num = a.port, .is_global = 1 };
	uint32_t type = is_ud ? IBV_QPT_UD : IBV_QPT_UC, slot;
	struct ibv_ah *ah = NULL;
	uint64_t packets = 0;

	mtu_bytes = 128u << a.attr.active_mtu;
	CHECK(!is_ud || size <= mtu_bytes, "UD messages have at most %u bytes", mtu_bytes);
	from = vt_buf(&a, (size_t)BURST * size);
	to = vt_buf(&b, (size_t)SLOTS * (size + GRH));
	qa = vt_qp(&a, (struct vt_qp_opts){ .type = type, .wr = BURST, .sge = 1 });
	qb = vt_qp(&b, (struct vt_qp_opts){ .type = type, .wr = SLOTS, .sge = 1 });
	join(qa, &a, qb, &b);
	join(qb, &b, qa, &a);
	if (is_ud) {
		attr.grh.dgid = b.gid;
		attr.grh.sgid_index = a.gid_index;
		attr.grh.hop_limit = 64;
		ah = ibv_create_ah(a.pd, &attr);
		CHECK(ah, "create_ah: %s", strerror(errno));
		vt_track(VT_AH, ah);
	}
	for (slot = 0; slot < SLOTS; slot++)
		post_slot(slot);
	while (sent < count) {
		send_burst(count - sent < BURST ? count - sent : BURST, ah, &packets);
		take(3);
	}
	take(500);
	printf("sent=%llu packets=%llu arrived=%llu distinct=%llu twice=%llu late=%llu lost=%llu\n",
	       (unsigned long long)sent, (unsigned long long)packets, (unsigned long long)arrived,
	       (unsigned long long)distinct, (unsigned long long)(arrived - distinct), (unsigned long long)late,
	       (unsigned long long)(sent - distinct));
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "a", required_argument, NULL, 'a' },	   { "b", required_argument, NULL, 'b' },
		{ "a-gid", required_argument, NULL, 'A' }, { "b-gid", required_argument, NULL, 'B' },
		{ "count", required_argument, NULL, 'n' }, { "size", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },	   {},
	};
	const char *dev_a = NULL, *dev_b = NULL, *what;
	int gid_a = 0, gid_b = 0, c;
	uint32_t count = 2000;

	vt_prog = "counted";
	while ((c = getopt_long(argc, argv, "a:b:A:B:n:s:h", options, NULL)) != -1) {
		switch (c) {
		case 'a': dev_a = optarg; break;
		case 'b': dev_b = optarg; break;
		case 'A': gid_a = atoi(optarg); break;
		case 'B': gid_b = atoi(optarg); break;
		case 'n': count = strtoul(optarg, NULL, 0); break;
		case 's': size = strtoul(optarg, NULL, 0); break;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 2;
		}
	}
	what = optind == argc - 1 ? argv[optind] : "";
	is_ud = !strcmp(what, "ud");
	if ((!is_ud && strcmp(what, "uc")) || !count || size < HEAD || size > 1 << 20) {
		usage(stderr);
		return 2;
	}
	vt_limit(120);
	times = calloc(count, 1);
	CHECK(times, "out of memory");
	vt_open(&a, dev_a, 1, gid_a);
	vt_open(&b, dev_b, 1, gid_b);
	run(count);
	CHECK(!vt_drop_all(), "clean-up failed");
	vt_close(&a);
	vt_close(&b);
	free(times);
	return 0;
}
