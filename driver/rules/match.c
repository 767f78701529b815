// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "rules/match.h"
#include "wire/opcode.h"

struct word {
	const char *text;
	u32 value;
};

#define WORD(n, w, v) { #w, v },
#define WORDS(TABLE) (const struct word[]) { TABLE(WORD) { NULL, 0 } }

static const struct word keys[] = { GLASS_MATCH_KEYS(WORD) { NULL, 0 } };

/* Keys whose values are words */
static const struct word *const values[GLASS_MATCH_COUNT] = {
	[GLASS_MATCH_OP] = WORDS(GLASS_PKT_OPS),
	[GLASS_MATCH_DIR] = WORDS(GLASS_DIRS),
	[GLASS_MATCH_QPTYPE] = WORDS(GLASS_QP_TYPES),
	[GLASS_MATCH_REASON] = WORDS(GLASS_DROP_REASONS),
};

static const struct word *find(const struct word *words, const char *text, size_t len)
{
	for (; words && words->text; words++)
		if (strlen(words->text) == len && !memcmp(words->text, text, len))
			return words;
	return NULL;
}

static int digit(char c, u32 base)
{
	int d = c >= '0' && c <= '9' ? c - '0' :
		c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;

	return d < (int)base ? d : -1;
}

static bool number(const char *text, size_t len, u64 *v)
{
	u32 base = 10;
	size_t i = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		i = 2;
	}
	if (i == len)
		return false;
	for (*v = 0; i < len; i++) {
		int d = digit(text[i], base);

		if (d < 0 || *v > (~0ULL - d) / base)
			return false;
		*v = *v * base + d;
	}
	return true;
}

/* A name in which %XX stands for a byte. */
static bool name(char *to, size_t room, const char *text, size_t len)
{
	size_t n = 0, i;

	for (i = 0; i < len; i++) {
		u8 c = text[i];

		if (c == '%') {
			if (len - i < 3 || digit(text[i + 1], 16) < 0 || digit(text[i + 2], 16) < 0)
				return false;
			c = digit(text[i + 1], 16) << 4 | digit(text[i + 2], 16);
			i += 2;
		}
		if (!c || n + 1 == room)
			return false;
		to[n++] = c;
	}
	return n;
}

static bool pair(struct glass_match *m, const char *text, size_t len)
{
	const struct word *word;
	size_t eq = 0;
	u32 key;

	while (eq < len && text[eq] != '=')
		eq++;
	word = find(keys, text, eq);
	if (eq == len || !word || m->keys & BIT(word->value))
		return false;
	key = word->value;
	text += eq + 1;
	len -= eq + 1;
	m->keys |= BIT(key);
	if (key == GLASS_MATCH_COMM)
		return name(m->comm, sizeof(m->comm), text, len);
	if (values[key]) {
		word = find(values[key], text, len);
		m->value[key] = word ? word->value : 0;
		return word;
	}
	return number(text, len, &m->value[key]);
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

static bool equal(const struct glass_match *m, const struct glass_match_subject *s, u32 key)
{
	switch (key) {
	case GLASS_MATCH_COMM:
		return !strncmp(m->comm, s->comm, sizeof(m->comm));
	case GLASS_MATCH_OP:
		/* a set of BTH operations, and one of them */
		return m->value[key] & s->value[key];
	default:
		return m->value[key] == s->value[key];
	}
}

bool glass_match_holds(const struct glass_match *m, const struct glass_match_subject *s, u32 except)
{
	u32 wanted = m->keys & ~except;
	u32 key;

	if ((wanted & s->keys) != wanted)
		return false;
	for (key = 0; key < GLASS_MATCH_COUNT; key++)
		if ((wanted & BIT(key)) && !equal(m, s, key))
			return false;
	return true;
}

void glass_match_packet(struct glass_match_subject *s, const struct glass_pkt *pkt)
{
	u8 hdrs = glass_opcodes[pkt->opcode].hdrs;

	glass_match_set(s, GLASS_MATCH_OP, BIT(pkt->opcode & GLASS_BOP_MASK));
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
