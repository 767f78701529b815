// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#include "rules/parse.h"
#include "wire/packet.h"

/* A piece of the command; not NUL-terminated. */
struct word {
	const char *text;
	size_t len;
};

struct parser {
	const char *at, *end;
	char *error;
};

/* What an action needs: one selector, which names one object. */
struct action_rule {
	enum glass_kind kind;
	u32 max; /* highest number of the selector */
};

static const struct action_rule action_rules[GLASS_ACT_COUNT] = {
	[GLASS_ACT_QP_FATAL] = { GLASS_KIND_QP, GLASS_QPN_MASK - 1 },
	[GLASS_ACT_CQ_OVERRUN] = { GLASS_KIND_CQ, 0xffffff },
	[GLASS_ACT_SRQ_FATAL] = { GLASS_KIND_SRQ, 0xffffff },
};

static const char *const action_words[] = GLASS_WORDS(GLASS_ACTIONS);
static const char *const kind_words[] = GLASS_WORDS(GLASS_KINDS);

/* Keys of the whole grammar that this driver does not act on yet. */
static const char *const later_keys[] = {
	"after", "attr",  "budget", "burst", "class", "comm",  "dev",  "dir",  "every",
	"flow",  "jitter", "len",   "lkey",  "mad",   "method", "msn", "nth",  "op",   "pid",
	"pkey",  "prob",  "psn",    "qkey",  "qptype", "rkey", "round", "seed", "skip", "sl",
	"slid",  "dlid",  "state",  "status", "syndrome", "ttl", "verb", "window", "wr_id",
};

/* Keys that this driver knows. */
enum key {
	KEY_NAME,
	KEY_QPN,
	KEY_CQN,
	KEY_SRQN,
	KEY_PORT,
	KEY_ACT,
	KEY_COUNT,
	KEY_HIT,
	KEY_ELIGIBLE,
	KEY_MAX,
};

static const char *const key_words[KEY_MAX] = {
	[KEY_NAME] = "name", [KEY_QPN] = "qpn", [KEY_CQN] = "cqn",
	[KEY_SRQN] = "srqn", [KEY_PORT] = "port", [KEY_ACT] = "act",
	[KEY_COUNT] = "count", [KEY_HIT] = "hit", [KEY_ELIGIBLE] = "eligible",
};

const char *glass_rule_action_word(enum glass_action action)
{
	return action < GLASS_ACT_COUNT ? action_words[action] : "?";
}

const char *glass_rule_kind_word(enum glass_kind kind)
{
	return kind < GLASS_KIND_COUNT ? kind_words[kind] : "?";
}

const char *glass_rule_selector(enum glass_kind kind)
{
	switch (kind) {
	case GLASS_KIND_QP:
		return key_words[KEY_QPN];
	case GLASS_KIND_CQ:
		return key_words[KEY_CQN];
	case GLASS_KIND_SRQ:
		return key_words[KEY_SRQN];
	default:
		return "?";
	}
}

static size_t put(char *error, size_t at, const char *text)
{
	while (*text && at + 1 < GLASS_RULE_ERROR)
		error[at++] = *text++;
	return at;
}

#define ERROR_WORD_MAX 64 /* bytes of the word that an error repeats, as written out */

void glass_rule_error(char error[GLASS_RULE_ERROR], const char *word, size_t word_len,
		      const char *why)
{
	static const char hex[] = "0123456789abcdef";
	size_t at = 0, i;

	for (i = 0; i < word_len; i++) {
		u8 c = word[i];

		if (at + 4 > ERROR_WORD_MAX) {
			at = put(error, at, "...");
			break;
		}
		if (c >= 0x20 && c < 0x7f) {
			error[at++] = c;
		} else {
			error[at++] = '\\';
			error[at++] = 'x';
			error[at++] = hex[c >> 4];
			error[at++] = hex[c & 0xf];
		}
	}
	if (word_len)
		at = put(error, at, ": ");
	at = put(error, at, why);
	error[at] = 0;
}

static int refuse(struct parser *p, struct word w, const char *why)
{
	glass_rule_error(p->error, w.text, w.len, why);
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool word_is(struct word w, const char *s)
{
	return strlen(s) == w.len && !memcmp(w.text, s, w.len);
}

static bool next_word(struct parser *p, struct word *w)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	w->text = p->at;
	while (p->at < p->end && !is_blank(*p->at))
		p->at++;
	w->len = p->at - w->text;
	return w->len > 0;
}

/* Decimal or 0x; the whole word. Saturates: what is too large is U64_MAX. */
static bool parse_number(struct word w, u64 *value)
{
	const u64 top = ~(u64)0;
	u32 base = 10;
	size_t i = 0;
	u64 v = 0;

	if (w.len > 2 && w.text[0] == '0' && (w.text[1] == 'x' || w.text[1] == 'X')) {
		base = 16;
		i = 2;
	}
	if (i == w.len)
		return false;
	for (; i < w.len; i++) {
		char c = w.text[i];
		u32 digit;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (base == 16 && c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		else if (base == 16 && c >= 'A' && c <= 'F')
			digit = c - 'A' + 10;
		else
			return false;
		/* v * base + digit > top, without a division of 64 bits */
		if (v > (base == 16 ? top >> 4 : 0x1999999999999998ULL))
			v = top;
		else
			v = v * base + digit;
	}
	*value = v;
	return true;
}

static int parse_name(struct parser *p, struct word whole, struct word value, char *name)
{
	size_t i;

	if (!value.len)
		return refuse(p, whole, "empty name");
	if (value.len >= GLASS_RULE_NAME)
		return refuse(p, whole, "name too long (31 characters are the limit)");
	for (i = 0; i < value.len; i++) {
		char c = value.text[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-' || c == '.'))
			return refuse(p, whole, "a name is made of letters, digits and . _ -");
	}
	memcpy(name, value.text, value.len);
	name[value.len] = 0;
	return 0;
}

static int unknown_key(struct parser *p, struct word whole, struct word key)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(later_keys); i++)
		if (word_is(key, later_keys[i]))
			return refuse(p, whole, "not supported by this driver");
	return refuse(p, whole, "unknown word");
}

static int parse_action(struct parser *p, struct word whole, struct word value,
			enum glass_action *action)
{
	u32 i;

	for (i = 0; i < GLASS_ACT_COUNT; i++) {
		if (!word_is(value, action_words[i]))
			continue;
		if (i > GLASS_ACT_SRQ_FATAL)
			return refuse(p, whole, "not supported by this driver");
		*action = i;
		return 0;
	}
	return refuse(p, whole, "unknown action; docs/inject-abi.md lists them");
}

/* What `add` and `del` were given. */
struct given {
	struct word word[KEY_MAX]; /* the whole key=value; len 0: not given */
	u64 number[KEY_MAX];
};

static int parse_pairs(struct parser *p, struct glass_rule *rule, struct given *g)
{
	struct word w;

	while (next_word(p, &w)) {
		struct word key = w, value = { w.text + w.len, 0 };
		const char *eq = memchr(w.text, '=', w.len);
		enum key k;
		int err = 0;

		if (!eq)
			return refuse(p, w, "expected key=value");
		key.len = eq - w.text;
		value.text = eq + 1;
		value.len = w.text + w.len - value.text;
		for (k = 0; k < KEY_MAX; k++)
			if (word_is(key, key_words[k]))
				break;
		if (k == KEY_MAX)
			return unknown_key(p, w, key);
		if (g->word[k].len)
			return refuse(p, w, "given twice");
		g->word[k] = w;
		if (k == KEY_NAME)
			err = parse_name(p, w, value, rule->name);
		else if (k == KEY_ACT)
			err = parse_action(p, w, value, &rule->action);
		else if (!parse_number(value, &g->number[k]))
			err = refuse(p, w, "not a number (decimal or 0x)");
		if (err)
			return err;
	}
	return 0;
}

static enum key selector_key(enum glass_kind kind)
{
	switch (kind) {
	case GLASS_KIND_CQ:
		return KEY_CQN;
	case GLASS_KIND_SRQ:
		return KEY_SRQN;
	default:
		return KEY_QPN;
	}
}

static int finish_add(struct parser *p, struct glass_rule *rule, const struct given *g)
{
	static const struct word add = { "add", 3 };
	const struct action_rule *a;
	enum key k, want;

	if (!g->word[KEY_ACT].len)
		return refuse(p, add, "act= is missing");
	a = &action_rules[rule->action];
	want = selector_key(a->kind);
	for (k = KEY_QPN; k <= KEY_SRQN; k++)
		if (k != want && g->word[k].len)
			return refuse(p, g->word[k], "does not go with this action");
	if (!g->word[want].len) {
		switch (want) {
		case KEY_CQN:
			return refuse(p, g->word[KEY_ACT], "needs cqn=");
		case KEY_SRQN:
			return refuse(p, g->word[KEY_ACT], "needs srqn=");
		default:
			return refuse(p, g->word[KEY_ACT], "needs qpn=");
		}
	}
	if (g->number[want] > a->max)
		return refuse(p, g->word[want], "out of range");
	rule->kind = a->kind;
	rule->num = g->number[want];
	if (want == KEY_QPN && rule->num <= 1)
		rule->port = 1;
	if (g->word[KEY_PORT].len) {
		if (!rule->port)
			return refuse(p, g->word[KEY_PORT], "goes with qpn=0 and qpn=1 only");
		if (!g->number[KEY_PORT] || g->number[KEY_PORT] > GLASS_RULE_PORT_MAX)
			return refuse(p, g->word[KEY_PORT], "out of range");
		rule->port = g->number[KEY_PORT];
	}
	if (g->word[KEY_COUNT].len && g->number[KEY_COUNT] != 1)
		return refuse(p, g->word[KEY_COUNT], "an action on an object happens once: count=1");
	return 0;
}

static int finish_del(struct parser *p, const struct given *g)
{
	static const struct word del = { "del", 3 };
	enum key k;

	for (k = 0; k < KEY_MAX; k++)
		if (k != KEY_NAME && g->word[k].len)
			return refuse(p, g->word[k], "del takes name= only");
	if (!g->word[KEY_NAME].len)
		return refuse(p, del, "name= is missing");
	return 0;
}

/* Length, NUL bytes, one line: what holds for every command. */
static int check_line(struct parser *p, size_t len)
{
	const struct word none = { p->at, 0 };
	const char *newline;

	if (len > GLASS_RULE_LINE)
		return refuse(p, none, "line too long (256 bytes are the limit)");
	if (memchr(p->at, 0, len))
		return refuse(p, none, "NUL byte in the command");
	newline = memchr(p->at, '\n', len);
	if (newline && newline + 1 != p->end) {
		struct word rest = { newline + 1, p->end - newline - 1 };

		if (rest.text[rest.len - 1] == '\n')
			rest.len--;
		return refuse(p, rest, "one command a write");
	}
	if (newline)
		p->end = newline;
	return 0;
}

int glass_rule_parse(const char *text, size_t len, struct glass_rule *rule,
		     char error[GLASS_RULE_ERROR])
{
	struct parser p = { text, text + len, error };
	struct given g;
	struct word w;
	int err;

	memset(rule, 0, sizeof(*rule));
	memset(&g, 0, sizeof(g));
	error[0] = 0;
	err = check_line(&p, len);
	if (err)
		return err;
	if (!next_word(&p, &w))
		return refuse(&p, w, "empty command");
	if (word_is(w, "add")) {
		rule->command = GLASS_RULE_ADD;
		err = parse_pairs(&p, rule, &g);
		return err ? err : finish_add(&p, rule, &g);
	}
	if (word_is(w, "del")) {
		rule->command = GLASS_RULE_DEL;
		err = parse_pairs(&p, rule, &g);
		return err ? err : finish_del(&p, &g);
	}
	if (word_is(w, "clear")) {
		rule->command = GLASS_RULE_CLEAR;
		if (next_word(&p, &w))
			return refuse(&p, w, "clear stands alone");
		return 0;
	}
	return refuse(&p, w, "unknown command; there are add, del and clear");
}
