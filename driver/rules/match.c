// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Parses and tests the match lines of captures; see match.h. */
#include "rules/match.h"
#include "wire/opcode.h"

#define NUMBER(n, w, v) { #w, v },
#define MEMBER(n, w, v) { #w, 1ULL << (v) },

static const struct glass_word match_keys[] = { GLASS_MATCH_KEYS(NUMBER) { NULL, 0 } };
static const struct glass_word match_pkt_ops[] = { GLASS_PKT_OPS(NUMBER) { NULL, 0 } };
static const struct glass_word match_dirs[] = { GLASS_DIRS(MEMBER) { NULL, 0 } };
static const struct glass_word match_qp_types[] = { GLASS_QP_TYPES(MEMBER) { NULL, 0 } };
static const struct glass_word match_reasons[] = { GLASS_DROP_REASONS(MEMBER) { NULL, 0 } };

static_assert(GLASS_DROP_COUNT <= 64);
static_assert(GLASS_MATCH_COUNT <= 32);

/* For each key whose values are words: these words. For a key with numbers or a name: NULL. */
static const struct glass_word *const match_values[GLASS_MATCH_COUNT] = {
	[GLASS_MATCH_OP] = match_pkt_ops,
	[GLASS_MATCH_DIR] = match_dirs,
	[GLASS_MATCH_QPTYPE] = match_qp_types,
	[GLASS_MATCH_REASON] = match_reasons,
};

static bool match_parse_pair(struct glass_match *m, const char *text, size_t len)
{
	const struct glass_word *key;
	size_t eq = 0;

	while (eq < len && text[eq] != '=')
		eq++;
	key = glass_word_find(match_keys, text, eq);
	if (eq == len || !key || m->keys & BIT(key->value))
		return false;
	text += eq + 1;
	len -= eq + 1;
	m->keys |= BIT(key->value);
	if (key->value == GLASS_MATCH_COMM)
		return glass_name_parse(&m->comm, text, len, GLASS_NAME_BYTES - 1);
	if (match_values[key->value])
		return glass_word_set(match_values[key->value], text, len,
				      &m->want[key->value].words);
	return glass_word_range(text, len, &m->want[key->value].low, &m->want[key->value].high);
}

int glass_match_parse(const char *text, size_t len, struct glass_match *m, size_t *bad_at,
		      size_t *bad_len)
{
	size_t at = 0, end;

	memset(m, 0, sizeof(*m));
	for (;;) {
		while (at < len && (text[at] == ' ' || text[at] == '\t'))
			at++;
		for (end = at; end < len && text[end] != ' ' && text[end] != '\t';)
			end++;
		*bad_at = at;
		*bad_len = end - at;
		if (at == end)
			return m->keys ? 0 : -EINVAL;
		if (!match_parse_pair(m, text + at, end - at))
			return -EINVAL;
		at = end;
	}
}

static bool match_fits(const struct glass_match *m, const struct glass_match_subject *s, u32 key)
{
	const struct glass_match_values *w = &m->want[key];

	if (key == GLASS_MATCH_COMM)
		return glass_name_fits(&m->comm, s->comm);
	if (match_values[key])
		return w->words >> (s->value[key] & 63) & 1;
	return s->value[key] >= w->low && s->value[key] <= w->high;
}

bool glass_match_holds(const struct glass_match *m, const struct glass_match_subject *s, u32 except)
{
	u32 wanted = m->keys & ~except;
	u32 key;

	if ((wanted & s->keys) != wanted)
		return false;
	for (key = 0; key < GLASS_MATCH_COUNT; key++)
		if ((wanted & BIT(key)) && !match_fits(m, s, key))
			return false;
	return true;
}

void glass_match_packet(struct glass_match_subject *s, const struct glass_pkt *pkt)
{
	u16 hdrs = glass_opcodes[pkt->opcode].hdrs;

	/* the operation of a CNP is none of these */
	if (pkt->opcode != GLASS_OPCODE_CNP)
		glass_match_set(s, GLASS_MATCH_OP, pkt->opcode & GLASS_BOP_MASK);
	glass_match_set(s, GLASS_MATCH_PSN, pkt->psn);
	glass_match_set(s, GLASS_MATCH_LEN, pkt->len);
	glass_match_set(s, GLASS_MATCH_SLID, pkt->slid);
	glass_match_set(s, GLASS_MATCH_DLID, pkt->dlid);
	glass_match_set(s, GLASS_MATCH_SL, pkt->sl);
	glass_match_set(s, GLASS_MATCH_PKEY, pkt->pkey);
	if (pkt->flow) {
		glass_match_set(s, GLASS_MATCH_FLOW, pkt->flow);
		glass_match_set(s, GLASS_MATCH_WR_ID, pkt->wr_id);
	}
	if (hdrs & GLASS_HDR_AETH) {
		glass_match_set(s, GLASS_MATCH_MSN, pkt->msn);
		glass_match_set(s, GLASS_MATCH_SYNDROME, pkt->syndrome);
	}
	if (hdrs & GLASS_HDR_DETH)
		glass_match_set(s, GLASS_MATCH_QKEY, pkt->qkey);
	if (hdrs & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH))
		glass_match_set(s, GLASS_MATCH_RKEY, pkt->rkey);
}
