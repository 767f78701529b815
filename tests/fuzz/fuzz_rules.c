// SPDX-License-Identifier: GPL-2.0-only
/*
 * What inject/rules, capture filters, lint/scope and lint/mute are written: the grammars, and what
 * becomes of rules that are taken. The first byte says which grammar, lines follow up to a NUL, what
 * comes then makes packets and completions. A rule that is taken reads back as the same rule, fires
 * alike on the same stream, and the index finds it wherever its selectors hold.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rules/index.h"
#include "rules/lint_words.h"
#include "rules/match.h"
#include "rules/trigger.h"

#define RULES 24
#define TEXT 4000

static struct glass_rule rules[RULES];

/* Of the exact size: a parser that needs a NUL, or looks further, is seen. */
static char *exact(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	FUZZ_CHECK(copy, "no memory");
	memcpy(copy, text, len);
	return copy;
}

/* One line for people, which names no control character */
static void check_reason(const struct glass_rule_error *e, const char *line, size_t len,
			 const char *device)
{
	char text[GLASS_RULE_ERROR], why[GLASS_RULE_ERROR];
	const char *at, *end;

	memset(text, 0x5a, sizeof(text));
	memset(why, 0x5a, sizeof(why));
	glass_rule_error_text(text, e, line, len, device);
	glass_rule_error_why(why, e, line, len, device);
	end = memchr(text, 0, sizeof(text));
	FUZZ_CHECK(memchr(why, 0, sizeof(why)) && *why, "no sentence");
	FUZZ_CHECK(end && end > text, "no reason");
	for (at = text; at < end; at++)
		FUZZ_CHECK(*at >= ' ' && *at < 0x7f, "byte 0x%02x in a reason", (unsigned char)*at);
}

/* Is a number out of range instead of the value of that key? */
static bool is_beyond(const char *line, size_t len, const struct glass_rule_error *e, u64 v)
{
	static struct glass_rule rule;
	char other[2 * GLASS_RULE_LINE];
	struct glass_rule_error again;
	const char *eq = memchr(line + e->at, '=', e->len);
	int n;

	FUZZ_CHECK(eq, "out of range, and no value");
	n = snprintf(other, sizeof(other), "%.*s%llu%.*s", (int)(eq + 1 - line), line,
		     (unsigned long long)v, (int)(len - e->at - e->len), line + e->at + e->len);
	if (n > GLASS_RULE_LINE)
		return v < e->low || v > e->high;
	return glass_rule_parse(other, n, &rule, &again) && again.kind == e->kind &&
	       again.key == e->key && again.at == e->at;
}

/* The fields of an error agree with the line and with each other. */
static void check_error(const struct glass_rule_error *e, const char *line, size_t len)
{
	FUZZ_CHECK(e->kind > GLASS_RE_NONE && e->kind < GLASS_RE_KINDS, "kind %u", e->kind);
	FUZZ_CHECK(*glass_rule_error_word(e->kind) != '-', "kind %u has no word", e->kind);
	FUZZ_CHECK(e->key <= GLASS_RK_KEYS && e->other <= GLASS_RK_KEYS, "key %u, other %u", e->key,
		   e->other);
	FUZZ_CHECK(e->at <= len && e->len <= len - e->at, "%u + %u of %zu", e->at, e->len, len);
	FUZZ_CHECK(e->bounded ? e->low <= e->high : !e->low && !e->high, "bounds");
	FUZZ_CHECK(e->bounded || e->kind != GLASS_RE_OUT_OF_RANGE, "out of no range");
	check_reason(e, line, len, NULL);
	check_reason(e, line, len, "glass0");
	if (e->kind != GLASS_RE_OUT_OF_RANGE)
		return;
	FUZZ_CHECK(!is_beyond(line, len, e, e->low), "the lower bound of key %u", e->key);
	FUZZ_CHECK(!is_beyond(line, len, e, e->high), "the upper bound of key %u", e->key);
	FUZZ_CHECK(!e->low || is_beyond(line, len, e, e->low - 1), "below key %u", e->key);
	FUZZ_CHECK(!~e->high || is_beyond(line, len, e, e->high + 1), "above key %u", e->key);
}

/* What the driver may find in a command that was taken: each key that was given has a place. */
static void check_places(const struct glass_rule *r, const char *line, size_t len)
{
	struct glass_rule_error e;

	for (u32 k = 0; k < GLASS_RK_KEYS; k++) {
		if (!glass_rule_has(r, k))
			continue;
		glass_rule_error_set(&e, GLASS_RE_NO_OBJECT, k);
		glass_rule_error_place(&e, line, len);
		FUZZ_CHECK(e.len && e.at < len && e.len <= len - e.at, "key %u has no place", k);
		FUZZ_CHECK(!memcmp(line + e.at, glass_rule_key_word(k), strlen(glass_rule_key_word(k))),
			   "the place of key %u is another's", k);
		check_reason(&e, line, len, k & 1 ? "glass0" : NULL);
	}
	glass_rule_error_set(&e, GLASS_RE_NO_PACKET, GLASS_RK_KEYS);
	glass_rule_error_place(&e, line, len);
	FUZZ_CHECK(!e.len, "a place without a key");
	check_reason(&e, line, len, NULL);
}

static bool same_select(const struct glass_select *a, const struct glass_select *b)
{
	u32 i;

	if (a->n != b->n || a->keys != b->keys)
		return false;
	for (i = 0; i < a->n; i++)
		if (a->cond[i].key != b->cond[i].key || a->cond[i].words != b->cond[i].words ||
		    a->cond[i].low != b->cond[i].low || a->cond[i].high != b->cond[i].high)
			return false;
	return !(a->keys & BIT(GLASS_SEL_COMM)) || !memcmp(&a->comm, &b->comm, sizeof(a->comm));
}

/* What is kept of a rule, and is read back by programs, is the rule. */
static void check_reads_back(const struct glass_rule *r)
{
	static struct glass_rule again;
	char line[GLASS_RULE_LINE + 64];
	struct glass_rule_error error;
	int len;

	FUZZ_CHECK(r->text_len <= sizeof(r->text), "%u bytes kept", r->text_len);
	len = snprintf(line, sizeof(line), "add %.*s", (int)r->text_len, r->text);
	if (len > GLASS_RULE_LINE)
		return;
	if (glass_rule_parse(line, len, &again, &error))
		fuzz_failed(__FILE__, __LINE__, "reads back", "%s: %s", line,
			    glass_rule_error_word(error.kind));
	FUZZ_CHECK(again.action == r->action && again.site == r->site && again.force == r->force &&
		   same_select(&again.select, &r->select), "another rule: %s", line);
	for (u32 k = 0; k < GLASS_RK_KEYS; k++) {
		if (k == GLASS_RK_NAME || k == GLASS_RK_SEED || k == GLASS_RK_HIT ||
		    k == GLASS_RK_ELIGIBLE || k == GLASS_RK_OVER)
			continue;
		FUZZ_CHECK(glass_rule_has(r, k) == glass_rule_has(&again, k) &&
			   r->value[k] == again.value[k], "key %u of: %s", k, line);
	}
	FUZZ_CHECK(again.nth_high == r->nth_high && again.window_to == r->window_to &&
		   again.tie_fd == r->tie_fd && !strcmp(again.after, r->after) &&
		   again.kind == r->kind && again.num == r->num && again.port == r->port &&
		   !memcmp(again.chain, r->chain, sizeof(r->chain)), "another rule: %s", line);
	FUZZ_CHECK(again.text_len == r->text_len && !memcmp(again.text, r->text, r->text_len),
		   "another text: %s", line);
}

/* The same stream twice gives the same decisions, within count and budget. */
static void check_fires(const struct glass_rule *r)
{
	struct glass_stream s = { 0 }, t = { 0 };
	struct glass_place p = { .id = fuzz_u16(), .fixed = fuzz_u8() & 1 };
	u32 i, n = fuzz_below(64);

	for (i = 0; i < n; i++) {
		bool fires;

		p.psn = i;
		fires = glass_rule_fires(r, &s, &p);
		FUZZ_CHECK(fires == glass_rule_fires(r, &t, &p), "decision %u differs", i);
		FUZZ_CHECK(!fires || i >= r->value[GLASS_RK_SKIP], "fired on %u", i);
		FUZZ_CHECK(s.fired <= i + 1, "fired %llu times", (unsigned long long)s.fired);
		if (glass_rule_has(r, GLASS_RK_BUDGET))
			FUZZ_CHECK(s.fired <= r->value[GLASS_RK_BUDGET], "beyond the budget");
		if (glass_rule_has(r, GLASS_RK_NTH) && !glass_rule_has(r, GLASS_RK_BURST))
			FUZZ_CHECK(!fires || (s.n - r->value[GLASS_RK_SKIP] >= r->value[GLASS_RK_NTH] &&
					      s.n - r->value[GLASS_RK_SKIP] <= r->nth_high),
				   "the %u-th is not one of those", i);
	}
	if (r->action == GLASS_ACT_DELAY) {
		u64 most = r->value[GLASS_RK_TIME] + r->value[GLASS_RK_JITTER];
		u64 delay = glass_rule_delay(r, fuzz_u64());

		FUZZ_CHECK(!glass_rule_has(r, GLASS_RK_DIST) ? delay <= most : delay <= 5 * most + 5,
			   "a delay of %llu, at most %llu", (unsigned long long)delay,
			   (unsigned long long)most);
	}
}

static void some_subject(struct glass_subject *s)
{
	memset(s, 0, sizeof(*s));
	s->keys = fuzz_u32() & (BIT(GLASS_SEL_COUNT) - 1);
	for (u32 k = 0; k < GLASS_SEL_COUNT; k++)
		if (s->keys & BIT(k))
			s->value[k] = k == GLASS_SEL_OP ? fuzz_below(32) : fuzz_below(24);
	/* every subject has these */
	glass_subject_set(s, GLASS_SEL_DIR, fuzz_u8() & 1);
	glass_subject_set(s, GLASS_SEL_OP, fuzz_below(32));
	strcpy(s->comm, fuzz_u8() & 1 ? "ab" : "b");
	s->node = s->comm;
}

/* As the QP that the subject passes at is known */
static void of_qp(const struct glass_subject *s, struct glass_subject *qp)
{
	memset(qp, 0, sizeof(*qp));
	qp->keys = s->keys & GLASS_SEL_OF_QP;
	for (u32 k = 0; k < GLASS_SEL_COUNT; k++)
		if (qp->keys & BIT(k))
			qp->value[k] = s->value[k];
	memcpy(qp->comm, s->comm, sizeof(qp->comm));
}

static struct glass_index *index_of(u32 first, u32 n)
{
	struct glass_index *x = malloc(glass_index_bytes(n)), *a, *b;
	u32 to[RULES], half = n / 2, i;

	FUZZ_CHECK(x, "no memory");
	if (n == 1) {
		glass_index_one(x, &rules[first]);
		return x;
	}
	a = index_of(first, half);
	b = index_of(first + half, n - half);
	for (i = 0; i < n; i++)
		to[i] = i;
	glass_index_merge(x, a, to, b, to + half);
	free(a);
	free(b);
	return x;
}

static void check_index(u32 n)
{
	struct glass_index *x = index_of(0, n);
	u32 i, k;

	FUZZ_CHECK(x->n == n, "%u of %u", x->n, n);
	for (k = 0; k < 8; k++) {
		struct glass_subject s, qp;
		u32 found[RULES], nfound, at = 0;
		bool concerns;

		some_subject(&s);
		of_qp(&s, &qp);
		concerns = (qp.keys & GLASS_SEL_OF_QP) != GLASS_SEL_OF_QP ||
			   glass_index_concerns(x, &qp);
		nfound = glass_index_find(x, &s, found, RULES);
		FUZZ_CHECK(nfound <= n, "%u of %u found", nfound, n);
		for (i = 0; i < n; i++) {
			bool holds = glass_select_holds(&rules[i].select, &s);

			if (at < nfound && found[at] == i)
				at++;
			else
				FUZZ_CHECK(!holds, "rule %u holds and was not found: %.*s", i,
					   (int)rules[i].text_len, rules[i].text);
			FUZZ_CHECK(!holds || concerns, "rule %u holds for a QP of no concern: %.*s", i,
				   (int)rules[i].text_len, rules[i].text);
		}
		FUZZ_CHECK(at == nfound, "not ascending");
	}
	free(x);
}

/* What a packet tells of itself does not depend on what is wanted, but for what a MAD has. */
static void check_packet(u32 n)
{
	const u32 mad_keys = BIT(GLASS_SEL_CLASS) | BIT(GLASS_SEL_METHOD) | BIT(GLASS_SEL_ATTR);
	struct glass_subject all = { 0 }, some = { 0 };
	u32 i, want = fuzz_u32(), keys;
	u8 mad[GLASS_MAD_BYTES] = { 1 };
	struct glass_seg seg = { .addr = mad, .len = 1 + fuzz_below(sizeof(mad)) };
	struct glass_pkt p;

	fuzz_bytes(&p, sizeof(p));
	p.nseg = fuzz_u8() & 1;
	p.seg = &seg;
	p.len = seg.len;
	p.dqpn = fuzz_below(3);
	fuzz_bytes(mad + 1, 17);
	glass_subject_packet(&all, &p, ~0u);
	glass_subject_packet(&some, &p, want);
	keys = want & mad_keys ? all.keys : all.keys & ~mad_keys;
	FUZZ_CHECK(some.keys == keys, "keys 0x%x, not 0x%x", some.keys, keys);
	for (i = 0; i < GLASS_SEL_COUNT; i++)
		FUZZ_CHECK(!(some.keys & BIT(i)) || some.value[i] == all.value[i], "key %u", i);
	for (i = 0; i < n; i++)
		glass_select_holds(&rules[i].select, &all);
}

static void take_rules(const char *text)
{
	struct glass_rule_error error;
	u32 n = 0;

	while (*text && n < RULES) {
		size_t len = strcspn(text, "\n");
		char *line = exact(text, len);
		struct glass_rule *r = &rules[n];

		memset(&error, 0x5a, sizeof(error));
		memset(r, 0x5a, sizeof(*r));
		if (glass_rule_parse(line, len, r, &error)) {
			check_error(&error, line, len);
		} else if (r->command == GLASS_RULE_ADD) {
			FUZZ_CHECK(memchr(r->name, 0, sizeof(r->name)), "a name without end");
			check_places(r, line, len);
			check_reads_back(r);
			FUZZ_CHECK(glass_rule_selector(r->kind) && glass_rule_action_word(r->action),
				   "no word");
			if (!r->name[0])
				snprintf(r->name, sizeof(r->name), "r%u", n);
			glass_rule_seal(r, fuzz_u8());
			check_fires(r);
			n++;
		}
		free(line);
		text += len + (text[len] == '\n');
	}
	if (n) {
		check_index(n);
		check_packet(n);
	}
}

/* One command that may have anything in it, NUL and newlines too */
static void take_bytes(void)
{
	struct glass_rule_error error;
	size_t len = fuzz_left();
	const uint8_t *bytes = fuzz_take(&len);
	char *line = exact((const char *)bytes, len);

	if (glass_rule_parse(line, len, &rules[0], &error))
		check_error(&error, line, len);
	else
		FUZZ_CHECK(!memchr(line, 0, len), "a NUL was taken");
	free(line);
}

static void take_match(const char *text, size_t len)
{
	struct glass_match m, again;
	size_t at, bad_len;
	char *line = exact(text, len);

	if (glass_match_parse(line, len, &m, &at, &bad_len)) {
		FUZZ_CHECK(at <= len && bad_len <= len - at, "bad word at %zu + %zu of %zu", at,
			   bad_len, len);
	} else {
		struct glass_match_subject s = { 0 };
		struct glass_pkt p;

		FUZZ_CHECK(m.keys, "nothing there, and taken");
		FUZZ_CHECK(!glass_match_parse(line, len, &again, &at, &bad_len) &&
			   again.keys == m.keys, "taken once");
		fuzz_bytes(&p, sizeof(p));
		p.nseg = 0;
		p.len = 0;
		glass_match_packet(&s, &p);
		/* a condition less holds at least as often */
		if (glass_match_holds(&m, &s, 0))
			FUZZ_CHECK(glass_match_holds(&m, &s, fuzz_u32()), "less does not hold");
		glass_match_reason(&m, fuzz_below(GLASS_DROP_COUNT));
	}
	free(line);
}

static void take_lint(const char *text, size_t len, bool mute)
{
	static struct glass_lint_index x;
	struct glass_lint_set all = { 0 };
	struct glass_lint_command c;
	char *line = exact(text, len);
	bool taken;

	memset(&c, 0x5a, sizeof(c));
	taken = mute ? glass_lint_parse_mute(line, len, &c) : glass_lint_parse_scope(line, len, &c);
	if (taken) {
		FUZZ_CHECK(c.verb <= GLASS_LINT_CLEAR, "verb %u", c.verb);
		glass_lint_add_all(&all);
		if (c.verb == GLASS_LINT_ADD)
			FUZZ_CHECK(glass_lint_set_has_all(&all, &c.codes), "a code that there is not");
	}
	glass_lint_index_clear(&x);
	for (u32 i = 0; i < 40 && fuzz_left(); i++) {
		struct glass_lint_key key = { .code = 1 + fuzz_below(GLASS_LINT_COUNT),
					      .num = fuzz_u8(), .pid = fuzz_below(3) };
		bool fresh, again;
		int at = glass_lint_index_put(&x, &key, &fresh);

		glass_lint_tell_at(key.num);
		FUZZ_CHECK(at >= 0 && glass_lint_index_put(&x, &key, &again) == at && !again,
			   "not where it was");
	}
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT + 1];
	const uint8_t *nul;
	size_t len;

	if (!size)
		return 0;
	if (*data % 8 == 7) {
		fuzz_begin(data + 1, size - 1);
		take_bytes();
		return 0;
	}
	nul = memchr(data + 1, 0, size - 1);
	len = (nul ? (size_t)(nul - data) : size) - 1;
	if (len > TEXT)
		return 0;
	memcpy(text, data + 1, len);
	text[len] = 0;
	fuzz_begin(data + 1 + len, size - 1 - len);
	fuzz_endless();
	switch (*data % 8) {
	case 1:
		take_match(text, len);
		break;
	case 2:
		take_lint(text, len, false);
		break;
	case 3:
		take_lint(text, len, true);
		break;
	default:
		take_rules(text);
	}
	return 0;
}
