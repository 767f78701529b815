// SPDX-License-Identifier: GPL-2.0-only
/*
 * The words for a packet, from its record. A capture to a file writes them for each packet, so they are made without stdio.
 */
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

static void add_facts(struct words *w, const struct glass_cap_record *r)
{
	if (r->flags & GLASS_CAP_HAS_WR) {
		add_hex(w, " wr_id=0x", r->wr_id);
		add_decimal(w, " flow=", r->flow);
	}
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
}

/* Adds the port of a hop, for files: their interfaces do not name every port. */
static void add_hop(struct words *w, const struct glass_cap_record *r)
{
	if (!(r->flags & GLASS_CAP_HOP))
		return;
	add_name(w, " node=", record_node(r), GLASS_CAP_NODE);
	add_decimal(w, " port=", r->port);
}

void describe_facts(const struct seen *s, bool with_hop, char text[DESCRIBE_COMMENT])
{
	char made[DESCRIBE_COMMENT + 1];
	struct words w = { made, made + sizeof(made) - 1 };

	add_facts(&w, s->record);
	if (with_hop)
		add_hop(&w, s->record);
	*w.at = 0;
	/* each word begins with a blank, and the first one needs none */
	if (w.at == made)
		*text = 0;
	else
		memcpy(text, made + 1, w.at - made);
}

void describe_comment(const struct seen *s, char text[DESCRIBE_COMMENT])
{
	describe_facts(s, true, text);
}
