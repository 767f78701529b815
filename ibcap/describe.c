// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "describe.h"
#include "source.h"
#include "uapi/glass-enums.h"
#include "wire/opcode.h"
#include "wire/roce.h"
#include "wire/serial.h"

static const char *const dirs[] = GLASS_WORDS(GLASS_DIRS);

/* Decodes a truncated packet. The buffer has room for every header; missing bytes are zero. */
static void decode_cut(struct seen *s, const uint8_t *bytes)
{
	uint8_t whole[GLASS_PKT_WIRE_MAX] = { 0 };
	const struct glass_cap_record *r = s->record;
	enum glass_drop why;

	if (r->orig_len > sizeof(whole) || r->cap_len < GLASS_LRH_BYTES + GLASS_BTH_BYTES)
		return;
	memcpy(whole, bytes, r->cap_len);
	s->decoded = !glass_pkt_parse(&s->pkt, &s->seg, whole, r->orig_len,
				      GLASS_PARSE_NO_ICRC | GLASS_PARSE_NO_VCRC, &why);
	/* do not report zeros for a truncated header */
	if (s->decoded && glass_pkt_hdr_bytes(&s->pkt) > r->cap_len)
		s->decoded = false;
	s->pkt.nseg = 0;
	s->pkt.seg = NULL;
}

/* Decodes a packet of an Ethernet port, which may be truncated. */
static void decode_datagram(struct seen *s, const uint8_t *bytes)
{
	static uint8_t whole[GLASS_PKT_WIRE_MAX];
	const struct glass_cap_record *r = s->record;

	if (r->orig_len > sizeof(whole) || r->cap_len > r->orig_len)
		return;
	memcpy(whole, bytes, r->cap_len);
	memset(whole + r->cap_len, 0, r->orig_len - r->cap_len);
	s->decoded = glass_roce_decode(&s->pkt, &s->seg, whole, r->cap_len, r->orig_len);
	s->pkt.nseg = 0;
	s->pkt.seg = NULL;
}

void describe_ip(const uint8_t gid[16], char text[INET6_ADDRSTRLEN])
{
	bool v4 = glass_gid_is_v4(gid);

	inet_ntop(v4 ? AF_INET : AF_INET6, gid + (v4 ? 12 : 0), text, INET6_ADDRSTRLEN);
}

/* Writes the addresses of a packet: LIDs, or those of IP. */
static void put_addresses(FILE *to, const struct glass_pkt *p)
{
	char from[INET6_ADDRSTRLEN], dest[INET6_ADDRSTRLEN];

	if (!glass_pkt_is_roce(p)) {
		fprintf(to, " slid=%u dlid=%u", p->slid, p->dlid);
		return;
	}
	describe_ip(p->grh.sgid, from);
	describe_ip(p->grh.dgid, dest);
	fprintf(to, " src=%s dst=%s", from, dest);
}

void describe_decode(struct seen *s, const char *name, const struct glass_cap_record *r)
{
	const uint8_t *bytes = (const uint8_t *)r + r->header;
	enum glass_drop why;

	memset(s, 0, sizeof(*s));
	s->name = name;
	s->record = r;
	if (r->flags & GLASS_CAP_BAD)
		return;
	if (r->flags & GLASS_CAP_ETHERNET)
		decode_datagram(s, bytes);
	else if (r->cap_len < r->orig_len)
		decode_cut(s, bytes);
	else
		s->decoded = !glass_pkt_parse(&s->pkt, &s->seg, bytes, r->cap_len,
					      GLASS_PARSE_NO_ICRC | GLASS_PARSE_NO_VCRC, &why);
}

static void put_time(FILE *to, uint64_t time_ns)
{
	time_t seconds = time_ns / 1000000000;
	char clock[16];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	fprintf(to, "%s.%09u", clock, (unsigned int)(time_ns % 1000000000));
}

void describe_mark(FILE *to, uint64_t time_ns, const char *dev, const char *text)
{
	put_time(to, time_ns);
	fprintf(to, " %s bookmark: %s\n", dev, text);
}

void describe_line(FILE *to, const struct seen *s)
{
	const struct glass_cap_record *r = s->record;
	const struct glass_pkt *p = &s->pkt;
	char facts[DESCRIBE_COMMENT];

	describe_facts(s, false, facts);
	put_time(to, r->time_ns);
	if (r->flags & GLASS_CAP_HOP)
		fprintf(to, " %.*s:%u %s ", GLASS_CAP_NODE, record_node(r), r->port,
			WORD_OF(dirs, r->dir));
	else
		fprintf(to, " %s %s ", s->name, WORD_OF(dirs, r->dir));
	if (s->decoded) {
		const struct glass_opcode *op = &glass_opcodes[p->opcode];

		fputs(op->word, to);
		put_addresses(to, p);
		fprintf(to, " dqpn=0x%x psn=%u len=%u", p->dqpn, p->psn, p->len);
		if (op->hdrs & GLASS_HDR_XRCETH)
			fprintf(to, " xrc_srqn=%u", p->xrc_srq);
		if (op->hdrs & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH))
			fprintf(to, " va=0x%" PRIx64 " rkey=0x%x", p->va, p->rkey);
		if (op->hdrs & GLASS_HDR_RETH)
			fprintf(to, " dma_len=%u", p->dma_len);
		if (op->hdrs & GLASS_HDR_FETH)
			fprintf(to, " feth=0x%x", p->feth);
		if (op->hdrs & GLASS_HDR_AETH)
			fprintf(to, " syndrome=0x%x msn=%u", p->syndrome, p->msn);
		if (op->hdrs & GLASS_HDR_IMM)
			fprintf(to, " imm=0x%x", be32toh(p->imm));
		if (op->hdrs & GLASS_HDR_IETH)
			fprintf(to, " inv_key=0x%x", p->ieth);
	} else {
		fprintf(to, "not-a-packet bytes=%u", r->orig_len);
	}
	fprintf(to, "%s%s\n", *facts ? " | " : "", facts);
}
