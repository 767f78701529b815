// SPDX-License-Identifier: GPL-2.0-only
/*
 * The words for a packet, from its record. A capture to a file writes them for each packet, so they are made without stdio.
 */
#include <endian.h>
#include <string.h>

#include "describe.h"
#include "source.h"
#include "uapi/glass-enums.h"

static const char *const reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
static const char *const types[] = GLASS_WORDS(GLASS_QP_TYPES);

/* A text of limited length under construction: what does not fit is left out. */
struct words {
	char *at;
	char *end; /* the last byte, which the NUL gets */
};

static void add_char(struct words *w, char c)
{
	if (w->at < w->end)
		*w->at++ = c;
}

static void add_bytes(struct words *w, const char *bytes, size_t len)
{
	size_t room = w->end - w->at;

	if (len > room)
		len = room;
	memcpy(w->at, bytes, len);
	w->at += len;
}

/* Inline, so that the length of a constant is one. */
static inline void add_text(struct words *w, const char *text)
{
	add_bytes(w, text, strlen(text));
}

static void add_decimal(struct words *w, const char *key, uint64_t n)
{
	char digits[20], *end = digits + sizeof(digits), *d = end;

	/* two digits a division: a flow has 17 */
	for (; n >= 10; n /= 100) {
		*--d = '0' + n % 10;
		*--d = '0' + n / 10 % 10;
	}
	if (n || d == end)
		*--d = '0' + n;
	add_text(w, key);
	add_bytes(w, d, end - d);
}

static void add_hex(struct words *w, const char *key, uint64_t n)
{
	char digits[16], *end = digits + sizeof(digits), *d = end;

	do
		*--d = "0123456789abcdef"[n & 15];
	while (n >>= 4);
	add_text(w, key);
	add_bytes(w, d, end - d);
}

/* Adds a name. Blanks, control characters, '%' and bytes that are not ASCII become %XX. */
static void add_name(struct words *w, const char *key, const char *text, size_t max)
{
	add_text(w, key);
	for (size_t i = 0; i < max && text[i]; i++) {
		unsigned char c = text[i];

		if (c <= ' ' || c >= 0x7f || c == '%') {
			add_char(w, '%');
			add_char(w, "0123456789abcdef"[c >> 4]);
			c = "0123456789abcdef"[c & 15];
		}
		add_char(w, c);
	}
}

static void add_owner(struct words *w, const struct glass_cap_record *r)
{
	if (r->pid < 0)
		add_decimal(w, " pid=-", -(uint64_t)r->pid);
	else
		add_decimal(w, " pid=", r->pid);
	add_name(w, " comm=", r->comm, sizeof(r->comm));
}

static void add_request(struct words *w, const struct glass_cap_record *r)
{
	if (!(r->flags & GLASS_CAP_HAS_WR))
		return;
	add_hex(w, " wr_id=0x", r->wr_id);
	add_decimal(w, " flow=", r->flow);
}

/* Adds the port of a hop, for files: their interfaces do not name every port. */
static void add_hop(struct words *w, const struct glass_cap_record *r)
{
	if (!(r->flags & GLASS_CAP_HOP))
		return;
	add_name(w, " node=", record_node(r), GLASS_CAP_NODE);
	add_decimal(w, " port=", r->port);
}

/* Adds all but the work request. */
static void add_rest(struct words *w, const struct glass_cap_record *r, bool with_hop)
{
	if (r->flags & GLASS_CAP_HAS_QP) {
		add_hex(w, " qpn=0x", r->qpn);
		add_text(w, " qptype=");
		add_text(w, WORD_OF(types, r->qptype));
	}
	if (r->flags & GLASS_CAP_HAS_OWNER)
		add_owner(w, r);
	if (r->reason) {
		add_text(w, " reason=");
		add_text(w, WORD_OF(reasons, r->reason));
	}
	if (r->rule[0])
		add_name(w, " rule=", r->rule, sizeof(r->rule));
	if (r->flags & GLASS_CAP_RAW)
		add_text(w, " raw");
	if (r->flags & GLASS_CAP_TRAIN)
		add_text(w, " train");
	if (r->flags & GLASS_CAP_AGENT)
		add_text(w, " agent");
	if (with_hop)
		add_hop(w, r);
}

static size_t facts(const struct glass_cap_record *r, bool with_hop, char text[DESCRIBE_COMMENT])
{
	char made[DESCRIBE_COMMENT + 1];
	struct words w = { made, made + sizeof(made) - 1 };

	add_request(&w, r);
	add_rest(&w, r, with_hop);
	*w.at = 0;
	/* each word begins with a blank, and the first one needs none */
	if (w.at == made) {
		*text = 0;
		return 0;
	}
	memcpy(text, made + 1, w.at - made);
	return w.at - made - 1;
}

void describe_facts(const struct seen *s, bool with_hop, char text[DESCRIBE_COMMENT])
{
	facts(s->record, with_hop, text);
}

#define LOW_DIGITS 8
#define LOW 100000000 /* 10^LOW_DIGITS */

/* Makes `memo` the words of r. */
static void remember(struct describe_memo *memo, const struct glass_cap_record *r)
{
	struct words w = { memo->text, memo->text + sizeof(memo->text) };

	add_rest(&w, r, true);
	memo->len = w.at - memo->text;
	memcpy(memo->of, (const uint8_t *)r + offsetof(struct glass_cap_record, qpn),
	       sizeof(memo->of));
}

/* Are the words of r those of the memo? Few records have a rule or a node: they are compared last. */
static bool is_of(const struct describe_memo *memo, const struct glass_cap_record *r)
{
	const size_t first = offsetof(struct glass_cap_record, qpn);
	const size_t rule = offsetof(struct glass_cap_record, rule) - first;
	const size_t node = offsetof(struct glass_cap_record, node) - first;
	const uint8_t *of = (const uint8_t *)r + first;

	if (memcmp(memo->of, of, rule))
		return false;
	if (!(memo->of[rule] | memo->of[node] | of[rule] | of[node]))
		return true;
	return !memcmp(memo->of + rule, of + rule, sizeof(memo->of) - rule);
}

/* Returns the memo that has the words of r, and the flow but for its last digits. */
static struct describe_memo *memo_of(struct describe_memo *memos, const struct glass_cap_record *r)
{
	uint32_t key = (r->qpn << 1 ^ r->dir ^ (uint32_t)r->pid << 8) * 0x9e3779b1;
	struct describe_memo *memo = &memos[key / (UINT32_MAX / DESCRIBE_MEMOS + 1)];

	if (!memo->len || !is_of(memo, r))
		remember(memo, r);
	if (memo->flow_high != r->flow / LOW) {
		struct words w = { memo->flow, memo->flow + sizeof(memo->flow) };

		memo->flow_high = r->flow / LOW;
		add_decimal(&w, " flow=", memo->flow_high);
		memo->flow_len = w.at - memo->flow;
	}
	return memo;
}

/* Writes LOW_DIGITS digits: of two halves, then four quarters, then each digit, side by side. */
static char *put_low(char *at, uint32_t n)
{
	uint64_t x = n / 10000 | (uint64_t)(n % 10000) << 32, tens;

	tens = x * 10486 >> 20 & 0x0000007f0000007f;
	x = tens | (x - tens * 100) << 16;
	tens = x * 103 >> 10 & 0x000f000f000f000f;
	x = htole64((tens | (x - tens * 10) << 8) | 0x3030303030303030);
	memcpy(at, &x, LOW_DIGITS);
	return at + LOW_DIGITS;
}

static char *put_hex(char *at, uint64_t n)
{
	char *end = at + 1;

	for (uint64_t more = n >> 4; more; more >>= 4)
		end++;
	for (at = end; n >= 16; n >>= 4)
		*--at = "0123456789abcdef"[n & 15];
	*--at = "0123456789abcdef"[n];
	return end;
}

/* Most words have at most so many bytes: to copy a constant length is faster. */
#define FEW 64

size_t describe_comment(struct describe_memo *memos, const struct glass_cap_record *r,
			char text[DESCRIBE_COMMENT])
{
	char *at = text, *end = text + DESCRIBE_COMMENT - 1;
	const struct describe_memo *memo;
	const char *rest;
	size_t len;

	/* records of an older driver are shorter; a short flow has no high digits */
	if (r->header < sizeof(*r) || (r->flags & GLASS_CAP_HAS_WR && r->flow < LOW))
		return facts(r, true, text);
	memo = memo_of(memos, r);
	rest = memo->text;
	len = memo->len;
	if (r->flags & GLASS_CAP_HAS_WR) {
		memcpy(at, "wr_id=0x", 8);
		at = put_hex(at + 8, r->wr_id);
		memcpy(at, memo->flow, sizeof(memo->flow));
		at = put_low(at + memo->flow_len, r->flow % LOW);
	} else if (len) {
		/* the first word needs no blank */
		rest++;
		len--;
	}
	if (len > (size_t)(end - at))
		len = end - at;
	if (len <= FEW)
		memcpy(at, rest, FEW);
	else
		memcpy(at, rest, len);
	at[len] = 0;
	return at + len - text;
}
