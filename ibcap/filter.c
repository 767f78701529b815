// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "uapi/glass-enums.h"
#include "wire/opcode.h"

#define PROGRAM "ibcap"
#define GID_TEXT 40 /* bytes of 1111:2222:3333:4444:5555:6666:7777:8888 */
#define LINE_MAX_BYTES 1000 /* of a match line; the driver's limit is slightly higher */

static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
static const char *const types[] = GLASS_WORDS(GLASS_QP_TYPES);
static const char *const dirs[] = GLASS_WORDS(GLASS_DIRS);

static const int fields[] = {
	GLASS_FIELD_dev, GLASS_FIELD_port, GLASS_FIELD_dir, GLASS_FIELD_pid, GLASS_FIELD_comm,
	GLASS_FIELD_qpn, GLASS_FIELD_dqpn, GLASS_FIELD_sqpn, GLASS_FIELD_qptype, GLASS_FIELD_op,
	GLASS_FIELD_opcode, GLASS_FIELD_psn, GLASS_FIELD_msn, GLASS_FIELD_wr_id, GLASS_FIELD_len,
	GLASS_FIELD_dma_len, GLASS_FIELD_va, GLASS_FIELD_imm, GLASS_FIELD_ackreq, GLASS_FIELD_se,
	GLASS_FIELD_slid, GLASS_FIELD_dlid, GLASS_FIELD_sl, GLASS_FIELD_pkey, GLASS_FIELD_qkey,
	GLASS_FIELD_rkey, GLASS_FIELD_syndrome, GLASS_FIELD_reason, GLASS_FIELD_flow,
	GLASS_FIELD_rule, GLASS_FIELD_inv_key, GLASS_FIELD_xrc_srqn, GLASS_FIELD_feth,
	GLASS_FIELD_sgid, GLASS_FIELD_dgid,
};

struct glass_filter *filter_parse(const char *text, FILE *to)
{
	static const struct glass_filter_scope scope = { "a packet", fields,
							 sizeof(fields) / sizeof(fields[0]) };
	struct glass_filter_error error;
	struct glass_filter *filter = glass_filter_parse(text, &scope, &error);

	if (!filter)
		glass_filter_explain(to, PROGRAM, text, &error);
	return filter;
}

static bool word(struct glass_value *v, const char *const *words, size_t n, unsigned int i)
{
	v->text = i < n ? words[i] : NULL;
	return v->text;
}

static bool num(struct glass_value *v, uint64_t n)
{
	v->num = n;
	return true;
}

/* Gets a field that the record has, not the packet. */
static bool get_record(const struct seen *s, int field, struct glass_value *v)
{
	static char text[GLASS_CAP_RULE + GLASS_CAP_COMM + 64];
	const struct glass_cap_record *r = s->record;

	switch (field) {
	case GLASS_FIELD_dev:
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(s->name, ":"), s->name);
		v->text = text;
		return true;
	case GLASS_FIELD_port:
		return num(v, r->port);
	case GLASS_FIELD_dir:
		return word(v, dirs, ARRAY_SIZE(dirs), r->dir);
	case GLASS_FIELD_reason:
		return word(v, reasons, ARRAY_SIZE(reasons), r->reason);
	case GLASS_FIELD_pid:
		return r->flags & GLASS_CAP_HAS_OWNER && num(v, r->pid);
	case GLASS_FIELD_comm:
		snprintf(text, sizeof(text), "%.*s", GLASS_CAP_COMM, r->comm);
		v->text = text;
		return r->flags & GLASS_CAP_HAS_OWNER;
	case GLASS_FIELD_qpn:
		return r->flags & GLASS_CAP_HAS_QP && num(v, r->qpn);
	case GLASS_FIELD_qptype:
		return r->flags & GLASS_CAP_HAS_QP && word(v, types, ARRAY_SIZE(types), r->qptype);
	case GLASS_FIELD_wr_id:
		return r->flags & GLASS_CAP_HAS_WR && num(v, r->wr_id);
	case GLASS_FIELD_flow:
		return r->flags & GLASS_CAP_HAS_WR && num(v, r->flow);
	case GLASS_FIELD_rule:
		snprintf(text, sizeof(text), "%.*s", GLASS_CAP_RULE, r->rule);
		v->text = text;
		return r->rule[0];
	default:
		return false;
	}
}

/* Gets a GID of a packet that has a GRH, in the form of sysfs. */
static bool get_gid(const struct glass_pkt *p, const uint8_t gid[16], struct glass_value *v)
{
	static char text[2][GID_TEXT];
	char *at = text[gid == p->grh.dgid];

	if (p->lnh != GLASS_LNH_GLOBAL)
		return false;
	for (int i = 0; i < 8; i++)
		snprintf(at + 5 * i, 6, i < 7 ? "%02x%02x:" : "%02x%02x", gid[2 * i], gid[2 * i + 1]);
	v->text = at;
	return true;
}

/* Gets a field that every packet has. */
static bool get_packet(const struct glass_pkt *p, int field, struct glass_value *v)
{
	switch (field) {
	case GLASS_FIELD_dqpn:
		return num(v, p->dqpn);
	case GLASS_FIELD_op:
		v->text = glass_packet_op(p->opcode);
		return v->text;
	case GLASS_FIELD_opcode:
		v->text = glass_opcode_word(p->opcode);
		return true;
	case GLASS_FIELD_psn:
		return num(v, p->psn);
	case GLASS_FIELD_len:
		return num(v, p->len);
	case GLASS_FIELD_ackreq:
		return num(v, p->ack_req);
	case GLASS_FIELD_se:
		return num(v, p->se);
	case GLASS_FIELD_slid:
		return num(v, p->slid);
	case GLASS_FIELD_dlid:
		return num(v, p->dlid);
	case GLASS_FIELD_sl:
		return num(v, p->sl);
	case GLASS_FIELD_pkey:
		return num(v, p->pkey);
	case GLASS_FIELD_sgid:
		return get_gid(p, p->grh.sgid, v);
	case GLASS_FIELD_dgid:
		return get_gid(p, p->grh.dgid, v);
	default:
		return false;
	}
}

/* Gets a field of the extended headers. */
static bool get_extended(const struct glass_pkt *p, int field, struct glass_value *v)
{
	uint16_t h = glass_opcodes[p->opcode].hdrs;

	switch (field) {
	case GLASS_FIELD_sqpn:
		return h & GLASS_HDR_DETH && num(v, p->sqpn);
	case GLASS_FIELD_qkey:
		return h & GLASS_HDR_DETH && num(v, p->qkey);
	case GLASS_FIELD_msn:
		return h & GLASS_HDR_AETH && num(v, p->msn);
	case GLASS_FIELD_syndrome:
		return h & GLASS_HDR_AETH && num(v, p->syndrome);
	case GLASS_FIELD_va:
		return h & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH) && num(v, p->va);
	case GLASS_FIELD_rkey:
		return h & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH) && num(v, p->rkey);
	case GLASS_FIELD_dma_len:
		return h & GLASS_HDR_RETH && num(v, p->dma_len);
	case GLASS_FIELD_imm:
		return h & GLASS_HDR_IMM && num(v, be32toh(p->imm));
	case GLASS_FIELD_inv_key:
		return h & GLASS_HDR_IETH && num(v, p->ieth);
	case GLASS_FIELD_xrc_srqn:
		return h & GLASS_HDR_XRCETH && num(v, p->xrc_srq);
	case GLASS_FIELD_feth:
		return h & GLASS_HDR_FETH && num(v, p->feth);
	default:
		return false;
	}
}

static bool get(const void *object, int field, struct glass_value *v)
{
	const struct seen *s = object;

	return get_record(s, field, v) ||
	       (s->decoded &&
		(get_packet(&s->pkt, field, v) || get_extended(&s->pkt, field, v)));
}

bool filter_matches(const struct glass_filter *filter, const struct seen *s)
{
	return glass_filter_match(filter, get, s);
}

/* Does the driver know this word of the key? Words that no packet can have are left out. */
static bool known_word(int field, const char *text)
{
	static const char *const ops[] = {
#define OP_WORD(n, w, v) #w,
		GLASS_PKT_OPS(OP_WORD)
	};
	size_t i;

	if (field != GLASS_FIELD_op)
		return true;
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (!strcmp(ops[i], text))
			return true;
	return false;
}

static void put_name(FILE *to, const char *text, bool pattern)
{
	for (; *text; text++) {
		unsigned char c = *text;

		if (c <= ' ' || c >= 0x7f || c == '%' || (!pattern && (c == '*' || c == '?')))
			fprintf(to, "%%%02x", c);
		else
			fputc(c, to);
	}
}

/* Returns false if no packet can have any of the values. */
static bool put_pair(FILE *to, const struct glass_filter_pair *p)
{
	int field = p->key->field;
	bool any = false;
	size_t i;

	fprintf(to, " %s=", glass_field_name(field));
	for (i = 0; i < p->num_values; i++) {
		const struct glass_filter_value *v = &p->values[i];

		if (field == GLASS_FIELD_comm)
			put_name(to, v->text, p->pattern);
		else if (!v->text && v->low == v->high)
			fprintf(to, "%" PRIu64, v->low);
		else if (!v->text)
			fprintf(to, "%" PRIu64 "..%" PRIu64, v->low, v->high);
		else if (known_word(field, v->text))
			fprintf(to, "%s%s", any ? "," : "", v->text);
		else
			continue;
		any = true;
	}
	return any;
}

#define NUMBER_KEY(f) { GLASS_FIELD_##f, 1, true, false }
#define WORD_KEY(f) { GLASS_FIELD_##f, 64, false, false }

static const struct glass_filter_key keys[] = {
	NUMBER_KEY(port), WORD_KEY(dir),   NUMBER_KEY(pid),  { GLASS_FIELD_comm, 1, false, true },
	NUMBER_KEY(qpn),  WORD_KEY(qptype), WORD_KEY(op),     NUMBER_KEY(psn),
	NUMBER_KEY(msn),  NUMBER_KEY(wr_id), NUMBER_KEY(flow), NUMBER_KEY(len),
	NUMBER_KEY(slid), NUMBER_KEY(dlid), NUMBER_KEY(sl),   NUMBER_KEY(pkey),
	NUMBER_KEY(qkey), NUMBER_KEY(rkey), NUMBER_KEY(syndrome), WORD_KEY(reason),
};

/*
 * Writes a line for each term that can match. Returns false if a line is too long for the driver.
 */
static bool put_lines(FILE *to, const struct glass_filter_terms *terms)
{
	size_t i, k, size;
	bool ok = true;

	for (i = 0; ok && i < terms->num_terms; i++) {
		bool possible = true;
		char *line = NULL;
		FILE *one = open_memstream(&line, &size);

		if (!one)
			return false;
		for (k = 0; k < terms->terms[i].num_pairs; k++)
			possible &= put_pair(one, &terms->terms[i].pairs[k]);
		fclose(one);
		/* no line can express a term without pairs, which matches all packets */
		ok = size <= LINE_MAX_BYTES && terms->terms[i].num_pairs;
		if (ok && possible)
			fprintf(to, "match%s\n", line);
		free(line);
	}
	return ok;
}

char *filter_lines(const struct glass_filter *filter)
{
	static const struct glass_filter_target target = { "a capture session", keys,
							   ARRAY_SIZE(keys), GLASS_CAP_MATCHES };
	struct glass_filter_error error;
	struct glass_filter_terms *terms = glass_filter_lower(filter, &target, &error);
	char *lines = NULL;
	FILE *to;
	size_t size;
	bool ok;

	if (!terms)
		return NULL;
	to = open_memstream(&lines, &size);
	ok = to && put_lines(to, terms);
	if (to)
		fclose(to);
	glass_filter_terms_free(terms);
	if (!ok) {
		free(lines);
		return NULL;
	}
	return lines;
}
