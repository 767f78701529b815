// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcapng: ibinject's reader gets anybody's bytes; and what ibcap's writer writes is read back as it
 * was. The first byte tells which.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lib/pcap.h"
#include "put_packet.h"
#include "wire/opcode.h"

#define PACKETS 24

static void check_packet(const struct pcap *c, const struct pcap_packet *p)
{
	FUZZ_CHECK(p->frame >= 1 && p->frame == c->frame, "frame %llu",
		   (unsigned long long)p->frame);
	FUZZ_CHECK(p->at >= c->port && p->at < c->port + c->ports, "a port that is not there");
	FUZZ_CHECK(memchr(p->at->dev, 0, sizeof(p->at->dev)) &&
		   memchr(p->comment, 0, sizeof(p->comment)), "text without end");
	FUZZ_CHECK(glass_opcode_valid(p->pkt.opcode) && p->pkt.len <= GLASS_MTU_MAX,
		   "opcode 0x%x, %u bytes", p->pkt.opcode, p->pkt.len);
	FUZZ_CHECK(!p->pkt.nseg || ((uint8_t *)p->seg.addr >= p->bytes &&
				    (uint8_t *)p->seg.addr + p->seg.len <= p->bytes + sizeof(p->bytes)),
		   "payload outside of the packet");
}

static void read_anything(size_t size)
{
	static struct pcap_packet p;
	const uint8_t *bytes = fuzz_take(&size);
	uint64_t frame = 0;
	struct pcap c;
	int got;

	if (!pcap_open(&c, fuzz_file(bytes, size)))
		return;
	while ((got = pcap_next(&c, &p)) > 0) {
		check_packet(&c, &p);
		FUZZ_CHECK(p.frame > frame, "frame %llu again", (unsigned long long)p.frame);
		frame = p.frame;
	}
	FUZZ_CHECK(got <= 0, "%d", got);
	pcap_close(&c);
}

struct written {
	uint8_t bytes[GLASS_PKT_WIRE_MAX];
	int len, cap, hdr; /* bytes of all, that are kept, of the headers */
	unsigned int interface;
	bool outbound;
	char comment[40];
};

static void random_packet(struct written *w)
{
	uint8_t payload[64];
	struct glass_seg seg = { .addr = payload, .len = 1 + fuzz_below(sizeof(payload)) };
	struct glass_pkt p;

	fuzz_bytes(payload, sizeof(payload));
	memset(&p, 0, sizeof(p));
	p.opcode = fuzz_u8();
	p.lnh = GLASS_LNH_LOCAL + (fuzz_u8() & 1);
	p.dlid = 1 + fuzz_u8();
	p.slid = fuzz_u8();
	p.psn = fuzz_u32();
	p.va = fuzz_u64();
	p.seg = &seg;
	p.nseg = 1;
	p.len = seg.len;
	w->len = glass_pkt_build(&p, w->bytes, sizeof(w->bytes));
	w->hdr = glass_pkt_hdr_bytes(&p);
}

/* What one tool writes the other reads. */
static void write_and_read(void)
{
	static struct written w[PACKETS];
	static struct pcap_packet p;
	static const char *const names[] = { "glass0:1", "glass0:2", "glass1:1" };
	uint32_t n = 0, at = 0, notes = 0, i;
	char *file = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&file, &size);
	struct pcap c;

	FUZZ_CHECK(to && pcapng_section(to, "fuzz") > 0, "section");
	for (i = 0; i < 3; i++) {
		struct pcapng_interface port = { .name = names[i], .description = "a port",
						 .filter = fuzz_u8() & 1 ? "qpn==1" : NULL,
						 .snap = fuzz_u8() };

		FUZZ_CHECK(pcapng_interface(to, &port) > 0, "interface");
	}
	while (n < PACKETS && fuzz_left()) {
		struct pcapng_packet out = { 0 };
		uint8_t how = fuzz_u8();

		random_packet(&w[n]);
		if (w[n].len < 0 || (how & 0xf0) == 0xf0) {
			notes += pcapng_note(to, fuzz_u32(), "kernel", "a line") > 0;
			continue;
		}
		w[n].interface = how % 3;
		w[n].outbound = how & 4;
		w[n].cap = how & 8 ? w[n].len : (int)fuzz_below(w[n].len + 1);
		snprintf(w[n].comment, sizeof(w[n].comment), "%s", how & 16 ? "wr_id=0x11 why=none" : "");
		out.interface = w[n].interface;
		out.time_ns = fuzz_u64();
		out.orig_len = w[n].len;
		out.cap_len = w[n].cap;
		out.data = w[n].bytes;
		out.outbound = w[n].outbound;
		out.lost = how & 32 ? fuzz_u16() : 0;
		FUZZ_CHECK(put_packet(to, &out, w[n].comment) > 0, "packet");
		n++;
	}
	for (i = 0; i < 3; i++) {
		struct pcapng_statistics s = { .interface = i, .end_ns = fuzz_u64() };

		FUZZ_CHECK(pcapng_statistics(to, &s) > 0, "statistics");
	}
	fclose(to);
	FUZZ_CHECK(pcap_open(&c, fuzz_file(file, size)), "not a file");
	for (;;) {
		int got = pcap_next(&c, &p);

		FUZZ_CHECK(got >= 0, "what ibcap wrote is not read");
		if (!got)
			break;
		check_packet(&c, &p);
		/* packets that were cut within their headers are not decoded */
		while (at < n && w[at].cap < w[at].hdr)
			at++;
		FUZZ_CHECK(at < n && !memcmp(w[at].bytes, p.bytes, w[at].cap) &&
			   w[at].interface == p.at - c.port, "not the packet that was written");
		FUZZ_CHECK(p.dir == (w[at].outbound ? GLASS_DIR_TX : GLASS_DIR_RX), "direction");
		FUZZ_CHECK(!strcmp(p.comment, w[at].comment), "comment: %s", p.comment);
		FUZZ_CHECK(!strncmp(p.at->dev, names[w[at].interface], 6) &&
			   p.at->port == (unsigned int)names[w[at].interface][7] - '0', "port %s:%u",
			   p.at->dev, p.at->port);
		at++;
	}
	while (at < n && w[at].cap < w[at].hdr)
		at++;
	FUZZ_CHECK(at == n, "packet %u of %u was not read", at, n);
	FUZZ_CHECK(c.frame == n + notes, "%llu of %u frames", (unsigned long long)c.frame, n + notes);
	pcap_close(&c);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_begin(data, size);
	if (fuzz_u8() & 1)
		write_and_read();
	else
		read_anything(size);
	return 0;
}
