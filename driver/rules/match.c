// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "rules/match.h"
#include "wire/opcode.h"

struct word {
	const char *text;
	u64 value; /* of a key: its number; else the set of values that the word stands for */
};

#define NUMBER(n, w, v) { #w, v },
#define MEMBER(n, w, v) { #w, 1ULL << (v) },

static const struct word keys[] = { GLASS_MATCH_KEYS(NUMBER) { NULL, 0 } };
static const struct word ops[] = { GLASS_PKT_OPS(NUMBER) { NULL, 0 } };
static const struct word dirs[] = { GLASS_DIRS(MEMBER) { NULL, 0 } };
static const struct word types[] = { GLASS_QP_TYPES(MEMBER) { NULL, 0 } };
static const struct word reasons[] = { GLASS_DROP_REASONS(MEMBER) { NULL, 0 } };

static_assert(GLASS_DROP_COUNT <= 64);
static_assert(GLASS_MATCH_COUNT <= 32);
static_assert(GLASS_MATCH_COMM_BYTES <= 32);

/* Keys whose values are words */
static const struct word *const values[GLASS_MATCH_COUNT] = {
	[GLASS_MATCH_OP] = ops,
	[GLASS_MATCH_DIR] = dirs,
	[GLASS_MATCH_QPTYPE] = types,
	[GLASS_MATCH_REASON] = reasons,
};

static const struct word *find(const struct word *words, const char *text, size_t len)
{
	for (; words->text; words++)
		if (strlen(words->text) == len && !memcmp(words->text, text, len))
			return words;
	return NULL;
}

/* The value of a digit, or -1. */
static int digit(char c, u32 base)
{
	u32 d = base;

	if (c >= '0' && c <= '9')
		d = c - '0';
	else if (c >= 'a' && c <= 'f')
		d = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		d = c - 'A' + 10;
	return d < base ? (int)d : -1;
}

static bool number(const char *text, size_t len, u64 *v)
{
	/* the greatest value to which one more digit can be put */
	u64 most = 0xffffffffffffffffULL / 10;
	u32 base = 10;
	size_t i = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		most = 0xffffffffffffffffULL / 16;
		base = 16;
		i = 2;
	}
	if (i == len)
		return false;
	for (*v = 0; i < len; i++) {
		int d = digit(text[i], base);

		if (d < 0 || *v > most || *v * base > 0xffffffffffffffffULL - d)
			return false;
		*v = *v * base + d;
	}
	return true;
}

static bool numbers(const char *text, size_t len, struct glass_match_values *w)
{
	size_t i;

	for (i = 0; i + 1 < len; i++)
		if (text[i] == '.' && text[i + 1] == '.')
			return number(text, i, &w->low) &&
			       number(text + i + 2, len - i - 2, &w->high) && w->low <= w->high;
	if (!number(text, len, &w->low))
		return false;
	w->high = w->low;
	return true;
}

static bool words(const struct word *known, const char *text, size_t len, u64 *set)
{
	size_t at = 0, end;

	for (*set = 0; at <= len; at = end + 1) {
		const struct word *w;

		for (end = at; end < len && text[end] != ',';)
			end++;
		w = find(known, text + at, end - at);
		if (!w)
			return false;
		*set |= w->value;
	}
	return true;
}

static bool name(struct glass_match *m, const char *text, size_t len)
{
	size_t n = 0, i;

	for (i = 0; i < len; i++) {
		u8 c = text[i];

		if (n + 1 == sizeof(m->comm))
			return false;
		if (c == '*' || c == '?') {
			m->wild |= BIT(n);
		} else if (c == '%') {
			if (len - i < 3 || digit(text[i + 1], 16) < 0 || digit(text[i + 2], 16) < 0)
				return false;
			c = digit(text[i + 1], 16) << 4 | digit(text[i + 2], 16);
			i += 2;
		}
		if (!c)
			return false;
		m->comm[n++] = c;
	}
	return n;
}

static bool pair(struct glass_match *m, const char *text, size_t len)
{
	const struct word *key;
	size_t eq = 0;

	while (eq < len && text[eq] != '=')
		eq++;
	key = find(keys, text, eq);
	if (eq == len || !key || m->keys & BIT(key->value))
		return false;
	text += eq + 1;
	len -= eq + 1;
	m->keys |= BIT(key->value);
	if (key->value == GLASS_MATCH_COMM)
		return name(m, text, len);
	if (values[key->value])
		return words(values[key->value], text, len, &m->want[key->value].words);
	return numbers(text, len, &m->want[key->value]);
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
		if (!pair(m, text + at, end - at))
			return -EINVAL;
		at = end;
	}
}

/* Both end in a NUL. The place after the last * is tried again with one byte more of the name. */
static bool name_fits(const struct glass_match *m, const char *text)
{
	size_t p = 0, t = 0, again_p = 0, again_t = 0;
	bool star = false;

	while (text[t]) {
		bool wild = m->wild & BIT(p);

		if (wild && m->comm[p] == '*') {
			star = true;
			again_p = ++p;
			again_t = t;
		} else if (m->comm[p] && ((wild && m->comm[p] == '?') || m->comm[p] == text[t])) {
			p++;
			t++;
		} else if (star) {
			p = again_p;
			t = ++again_t;
		} else {
			return false;
		}
	}
	while ((m->wild & BIT(p)) && m->comm[p] == '*')
		p++;
	return !m->comm[p];
}

static bool fits(const struct glass_match *m, const struct glass_match_subject *s, u32 key)
{
	const struct glass_match_values *w = &m->want[key];

	if (key == GLASS_MATCH_COMM)
		return name_fits(m, s->comm);
	if (values[key])
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
		if ((wanted & BIT(key)) && !fits(m, s, key))
			return false;
	return true;
}

void glass_match_packet(struct glass_match_subject *s, const struct glass_pkt *pkt)
{
	u8 hdrs = glass_opcodes[pkt->opcode].hdrs;

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
