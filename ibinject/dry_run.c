// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applies a rule to the packets of a capture. Uses the driver's own selectors and triggers, and
 * keeps the same state per stream as its hooks (inject/packets.c).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dry_run.h"
#include "lib/debugfs/text.h"
#include "lib/pairs.h"
#include "lib/pcap.h"
#include "rules/trigger.h"

/* Keys whose values a capture lacks */
static const enum glass_rule_key untold[] = {
	GLASS_RK_NQP, GLASS_RK_PQP, GLASS_RK_STATE, GLASS_RK_AFTER, GLASS_RK_WINDOW,
};

/* A stream and its state */
struct known {
	struct known *next;
	char dev[sizeof(((struct pcap_port *)0)->dev)]; /* a copy: reading may move the ports */
	u32 qpn, source;
	u8 dir, role;
	bool began;
	u32 first, high, last, round;
	struct glass_stream s;
};

struct dry_run {
	const struct glass_rule *rule;
	struct known *streams;
	uint64_t seen, eligible, hit;
	bool no_owner; /* a packet had no comment about its QP or process */
};

static struct known *find_stream(struct dry_run *d, const struct pcap_packet *p, u32 qpn, u32 source,
				 u8 role)
{
	struct known *k;

	for (k = d->streams; k; k = k->next)
		if (!strcmp(k->dev, p->at->dev) && k->qpn == qpn && k->source == source &&
		    k->dir == p->dir && k->role == role)
			return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		cli_die(CLI_FAILED, "out of memory");
	strcpy(k->dev, p->at->dev);
	k->qpn = qpn;
	k->source = source;
	k->dir = p->dir;
	k->role = role;
	k->next = d->streams;
	d->streams = k;
	return k;
}

/* Counts rounds like inject/packets.c. The first PSN is the first one in the capture. */
static void note_psn(struct known *k, u32 psn)
{
	if (!k->began) {
		k->began = true;
		k->first = psn;
	}
	if (!k->round || glass_psn_cmp(psn, k->high) > 0) {
		k->high = psn;
		k->round = 1;
		k->last = psn;
		return;
	}
	if (glass_psn_cmp(psn, k->last) <= 0)
		k->round++;
	k->last = psn;
}

/* Decodes a name from a comment of ibcap's; empty, if it is no text. word: 63 bytes at most */
static void decode_name(char *to, size_t size, const char *word)
{
	char text[64];
	ssize_t n = debugfs_decode(word, strlen(word), text);

	memset(to, 0, size);
	if (n > 0)
		memcpy(to, text, (size_t)n < size ? (size_t)n : size - 1);
}

static int qp_type(const char *word)
{
#define QP_TYPE(n, w, v)         \
	if (!strcmp(word, #w)) \
		return (v);
	GLASS_QP_TYPES(QP_TYPE)
	return -1;
}

/* Fills in all facts from the packet and ibcap's comment. Returns the type of its QP, or -1. */
static int describe(struct glass_subject *s, const struct pcap_packet *p, uint64_t *qpn)
{
	char word[64];
	uint64_t v;
	int type = -1;

	memset(s, 0, sizeof(*s));
	*qpn = 0;
	if (p->at->port)
		glass_subject_set(s, GLASS_SEL_PORT, p->at->port);
	glass_subject_set(s, GLASS_SEL_DIR, p->dir);
	glass_subject_packet(s, &p->pkt, ~0U);
	if (find_number(p->comment, "flow", &v)) {
		glass_subject_set(s, GLASS_SEL_FLOW, v);
		glass_subject_set(s, GLASS_SEL_MSG, (u64)(u32)v + 1);
	}
	if (find_number(p->comment, "wr_id", &v))
		glass_subject_set(s, GLASS_SEL_WR_ID, v);
	if (find_number(p->comment, "qpn", qpn))
		glass_subject_set(s, GLASS_SEL_QPN, *qpn);
	if (find_value(p->comment, "qptype", word, sizeof(word)))
		type = qp_type(word);
	if (type >= 0)
		glass_subject_set(s, GLASS_SEL_QPTYPE, type);
	if (find_number(p->comment, "pid", &v))
		glass_subject_set(s, GLASS_SEL_PID, v);
	if (find_value(p->comment, "comm", word, sizeof(word))) {
		s->keys |= 1U << GLASS_SEL_COMM;
		decode_name(s->comm, sizeof(s->comm), word);
	}
	return type;
}

static const char *op_word(u32 op)
{
#define OP_WORD(n, w, v)         \
	if ((v) >> op & 1)       \
		return #w;
	GLASS_PKT_OPS(OP_WORD)
	return "-";
}

static void print_hit(const struct pcap_packet *p, const struct known *k, uint64_t qpn, bool fixed,
		      const struct glass_place *place)
{
	printf("frame=%" PRIu64 " dev=%s port=%u dir=%s", p->frame, p->at->dev, p->at->port,
	       p->dir == GLASS_DIR_TX ? "tx" : "rx");
	if (qpn)
		printf(" qpn=0x%" PRIx64, qpn);
	printf(" role=%s op=%s psn=%u", k->role == GLASS_ROLE_RESP ? "resp" : "req",
	       op_word(p->pkt.opcode & GLASS_BOP_MASK), p->pkt.psn);
	if (fixed)
		printf(" rpsn=%u round=%u", place->psn, place->round);
	printf(" len=%u n=%" PRIu64 "\n", p->pkt.len, (uint64_t)k->s.n);
}

static void ask(struct dry_run *d, const struct pcap_packet *p)
{
	static const u64 key[2] = { 0x676c617373, 0 };
	const struct glass_rule *rule = d->rule;
	struct glass_place place = { .fixed = false };
	struct glass_subject s;
	struct known *k;
	uint64_t qpn;
	u32 source = 0;
	int type;
	u8 role;

	d->seen++;
	type = describe(&s, p, &qpn);
	d->no_owner |= type < 0;
	role = glass_pkt_is_response(&p->pkt) ? GLASS_ROLE_RESP : GLASS_ROLE_REQ;
	place.fixed = type == GLASS_QPT_RC || type == GLASS_QPT_UC || type >= GLASS_QPT_XRC_INI;
	if (!place.fixed && p->dir == GLASS_DIR_RX)
		source = (u32)p->pkt.slid << 16 ^ p->pkt.sqpn;
	k = find_stream(d, p, qpn, source, role);
	if (place.fixed) {
		note_psn(k, p->pkt.psn);
		place.psn = (p->pkt.psn - k->first) & GLASS_PSN_MASK;
		place.round = k->round;
		glass_subject_set(&s, GLASS_SEL_RPSN, place.psn);
		glass_subject_set(&s, GLASS_SEL_ROUND, place.round);
	}
	if (!glass_select_holds(&rule->select, &s))
		return;
	d->eligible++;
	if (glass_rule_has(rule, GLASS_RK_COUNT) && d->hit >= rule->value[GLASS_RK_COUNT])
		return;
	/* as for a QP that is older than the rule */
	place.id = glass_hash(key, qpn, 0, p->dir << 1 | role, source);
	if (!glass_rule_fires(rule, &k->s, &place))
		return;
	d->hit++;
	print_hit(p, k, qpn, place.fixed, &place);
}

static bool can_tell(const char *text, const struct glass_rule *rule)
{
	size_t i;

	if (rule->site != 'P') {
		cli_error("a capture has only packets: act=%s acts on %s",
			  glass_rule_action_word(rule->action), site_name(rule->site));
		return false;
	}
	for (i = 0; i < ARRAY_SIZE(untold); i++)
		if (glass_rule_has(rule, untold[i])) {
			cli_error("a capture does not have `%s`: %s", keys[untold[i]].word, text);
			return false;
		}
	return true;
}

/* Prints the result and explains its limits. */
static void tell_limits(const struct dry_run *d)
{
	const struct glass_rule *r = d->rule;

	if (glass_rule_has(r, GLASS_RK_RPSN))
		cli_error("rpsn counts from the first packet of a stream in the capture");
	if ((glass_rule_has(r, GLASS_RK_PROB) || glass_rule_has(r, GLASS_RK_GEMODEL) ||
	     glass_rule_has(r, GLASS_RK_LOSS4)) &&
	    !glass_rule_has(r, GLASS_RK_SEED))
		cli_error("without seed= the driver chooses a seed, and hits other packets; this "
			  "run used seed=0");
	if (d->no_owner && (r->select.keys & (1U << GLASS_SEL_QPN | 1U << GLASS_SEL_QPTYPE |
					      1U << GLASS_SEL_PID | 1U << GLASS_SEL_COMM)))
		cli_error("some packets have no owner: ibcap writes it into comments, other "
			  "programs do not");
	cli_error("%" PRIu64 " of %" PRIu64 " packets would have been hit; the selectors of %" PRIu64
		  " held",
		  d->hit, d->seen, d->eligible);
}

int dry_run_capture(const char *file, const char *dev, const char *text,
		    const struct glass_rule *rule)
{
	static struct pcap_packet packet; /* static: too large for the stack */
	struct glass_rule sealed = *rule;
	struct dry_run d = { .rule = &sealed };
	struct known *next;
	struct pcap c;
	int got;

	if (!can_tell(text, rule))
		return ST_USAGE;
	if (!pcap_open(&c, file))
		return ST_FAILED;
	if (!sealed.name[0])
		strcpy(sealed.name, "r1");
	glass_rule_seal(&sealed, 0);
	while ((got = pcap_next(&c, &packet)) > 0)
		if (!dev || !strcmp(dev, packet.at->dev))
			ask(&d, &packet);
	while (d.streams) {
		next = d.streams->next;
		free(d.streams);
		d.streams = next;
	}
	pcap_close(&c);
	if (got < 0)
		return ST_USAGE;
	tell_limits(&d);
	return fflush(stdout) ? ST_FAILED : ST_OK;
}
