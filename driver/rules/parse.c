// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Splits a command into words, and makes a rule of them. value.c parses the values of keys. check.c
 * checks that the keys and values go together.
 */
#include "rules/internal.h"
#include "rules/trigger.h"

struct parser {
	const char *at, *end;
	struct glass_rule_error *error;
	struct given given;
};

#define KEY(n, w, v, s, m, g) { #w, #s, VALUE_##v, g },
#define KEY_RULE(n, w, v, s, m) KEY(n, w, v, s, m, GROUP_RULE)
#define KEY_SELECT(n, w, v, s, m) KEY(n, w, v, s, m, GROUP_SELECT)
#define KEY_TRIGGER(n, w, v, s, m) KEY(n, w, v, s, m, GROUP_TRIGGER)
#define KEY_LIFE(n, w, v, s, m) KEY(n, w, v, s, m, GROUP_LIFE)
#define KEY_PARAM(n, w, v, s, m) KEY(n, w, v, s, m, GROUP_PARAM)
#define KEY_TOLD(n, w, v, s, m) KEY(n, w, v, s, m, GROUP_TOLD)

const struct key_info glass_rule_keys[GLASS_RK_KEYS] = {
	GLASS_INJECT_KEYS_RULE(KEY_RULE)
	GLASS_INJECT_KEYS_SELECT(KEY_SELECT)
	GLASS_INJECT_KEYS_TRIGGER(KEY_TRIGGER)
	GLASS_INJECT_KEYS_LIFE(KEY_LIFE)
	GLASS_INJECT_KEYS_PARAM(KEY_PARAM)
	GLASS_INJECT_KEYS_TOLD(KEY_TOLD)
};

static_assert(GLASS_RK_KEYS <= 128);

#define ACTION_SITE(n, s, p, m) [GLASS_ACT_##n] = #s[0],
static const char action_sites[GLASS_ACT_COUNT] = { GLASS_INJECT_ACTIONS(ACTION_SITE) };
#define ACTION_PARAMS(n, s, p, m) [GLASS_ACT_##n] = p,
static const char *const action_params[GLASS_ACT_COUNT] = { GLASS_INJECT_ACTIONS(ACTION_PARAMS) };

static const char *const action_words[] = GLASS_WORDS(GLASS_ACTIONS);

const char *glass_rule_action_word(enum glass_action action)
{
	return action < GLASS_ACT_COUNT ? action_words[action] : "?";
}

char glass_rule_action_site(enum glass_action action)
{
	return action < GLASS_ACT_COUNT ? action_sites[action] : 0;
}

const char *glass_rule_selector(enum glass_kind kind)
{
	switch (kind) {
	case GLASS_KIND_QP:
		return "qpn";
	case GLASS_KIND_CQ:
		return "cqn";
	case GLASS_KIND_SRQ:
		return "srqn";
	case GLASS_KIND_PORT:
		return "port";
	default:
		return "?";
	}
}

/*
 * Refuses the command because of word w: sets the kind and position of the error. The caller has
 * set the other fields of p->error. Returns -EINVAL.
 */
static int rule_refuse_with(struct parser *p, struct piece w, enum glass_rule_error_kind kind)
{
	p->error->kind = kind;
	p->error->at = w.text - p->given.text;
	p->error->len = w.len;
	return -EINVAL;
}

static int rule_refuse(struct parser *p, struct piece w, enum glass_rule_error_kind kind,
		       enum glass_rule_key key)
{
	glass_rule_error_set(p->error, kind, key);
	return rule_refuse_with(p, w, kind);
}

static bool rule_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool rule_next_word(struct parser *p, struct piece *w)
{
	while (p->at < p->end && rule_is_blank(*p->at))
		p->at++;
	w->text = p->at;
	while (p->at < p->end && !rule_is_blank(*p->at))
		p->at++;
	w->len = p->at - w->text;
	return w->len > 0;
}

static_assert(GLASS_RULE_LINE < 65536);

static bool is_given(const struct given *g, u32 key)
{
	return g->word[key].len;
}

/*
 * given_word() returns the pair key=value of a key that is given. given_value() returns only the
 * value.
 */
static struct piece given_word(const struct given *g, u32 key)
{
	struct piece w = { g->text + g->word[key].at, g->word[key].len };

	return w;
}

static struct piece given_value(const struct given *g, u32 key)
{
	size_t skip = strlen(glass_rule_keys[key].word) + 1;
	struct piece w = { g->text + g->word[key].at + skip, g->word[key].len - skip };

	return w;
}

static void set_given(struct glass_rule *r, enum glass_rule_key key)
{
	r->given[key / 64] |= 1ULL << (key % 64);
}

/*
 * Notes the position of each pair key=value in the command. The values are parsed later, because
 * the parsing depends on the action, and the action may be the last pair.
 */
static int take_pairs(struct parser *p, struct glass_rule *r)
{
	struct piece w;

	while (rule_next_word(p, &w)) {
		const char *eq = memchr(w.text, '=', w.len);
		struct piece key = w;
		u32 k;

		if (!eq)
			return rule_refuse(p, w, GLASS_RE_NO_PAIR, GLASS_RK_KEYS);
		key.len = eq - w.text;
		for (k = 0; k < GLASS_RK_KEYS; k++)
			if (piece_is(key, glass_rule_keys[k].word))
				break;
		if (k == GLASS_RK_KEYS)
			return rule_refuse(p, key.len ? key : w, GLASS_RE_UNKNOWN_KEY,
					   GLASS_RK_KEYS);
		if (is_given(&p->given, k))
			return rule_refuse(p, w, GLASS_RE_GIVEN_TWICE, k);
		p->given.word[k].at = w.text - p->given.text;
		p->given.word[k].len = w.len;
		set_given(r, k);
	}
	return 0;
}

/*
 * Is the key a parameter of the action? If so, sets *must to true if the parameter is mandatory,
 * else to false. A ! follows a mandatory parameter in GLASS_INJECT_ACTIONS.
 */
static bool is_param(enum glass_action action, const char *word, bool *must)
{
	const char *at = action_params[action];
	size_t len = strlen(word);

	for (; *at; at++) {
		if (!strncmp(at, word, len) && (!at[len] || at[len] == ' ' || at[len] == '!')) {
			*must = at[len] == '!';
			return true;
		}
		while (*at && *at != ' ')
			at++;
		if (!*at)
			break;
	}
	return false;
}

/* Does the action take this key? */
static bool rule_takes_key(const struct glass_rule *r, enum glass_rule_key key)
{
	const struct key_info *k = &glass_rule_keys[key];
	bool must, at_once = r->site == 'O' || r->site == 'N' || r->site == 'D';

	if (!strchr(k->sites, r->site))
		return false;
	if (k->group == GROUP_PARAM || (k->group == GROUP_SELECT && at_once))
		return is_param(r->action, k->word, &must);
	return true;
}

static int take_action(struct parser *p, struct glass_rule *r)
{
	struct piece word = given_value(&p->given, GLASS_RK_ACT);
	u32 i;

	if (!word.len)
		return rule_refuse(p, given_word(&p->given, GLASS_RK_ACT), GLASS_RE_NO_VALUE,
				   GLASS_RK_ACT);
	for (i = 0; i < GLASS_ACT_COUNT; i++)
		if (piece_is(word, action_words[i]))
			break;
	if (i == GLASS_ACT_COUNT)
		return rule_refuse(p, word, GLASS_RE_UNKNOWN_ACTION, GLASS_RK_ACT);
	r->action = i;
	r->site = action_sites[i];
	return 0;
}

/*
 * Keeps the pairs of the command in r->text, which a read of inject/rules prints. Leaves out name=,
 * seed= and GLASS_INJECT_KEYS_TOLD, because the read prints the present values of these keys.
 */
static void keep_text(struct glass_rule *r, const struct given *g)
{
	u32 k;

	for (k = 0; k < GLASS_RK_KEYS; k++) {
		if (!is_given(g, k) || k == GLASS_RK_NAME || k == GLASS_RK_SEED ||
		    glass_rule_keys[k].group == GROUP_TOLD)
			continue;
		/* there is room in r->text: the command has at least as many blanks */
		if (r->text_len)
			r->text[r->text_len++] = ' ';
		memcpy(r->text + r->text_len, g->text + g->word[k].at, g->word[k].len);
		r->text_len += g->word[k].len;
	}
}

/* Refuses a rule that lacks a mandatory parameter of its action. */
static int rule_missing_key(struct parser *p, const struct glass_rule *r)
{
	u32 k;

	for (k = 0; k < GLASS_RK_KEYS; k++) {
		bool must = false;

		if (!is_param(r->action, glass_rule_keys[k].word, &must) || !must ||
		    is_given(&p->given, k))
			continue;
		glass_rule_error_set(p->error, GLASS_RE_NEEDS_KEY, GLASS_RK_ACT);
		p->error->other = k;
		return rule_refuse_with(p, given_word(&p->given, GLASS_RK_ACT), GLASS_RE_NEEDS_KEY);
	}
	return 0;
}

/* Parses `value`, the value of a pair, into the rule. `word` is the whole pair. */
static int rule_take_value(struct parser *p, struct glass_rule *r, enum glass_rule_key key,
			   struct piece word, struct piece value)
{
	enum glass_rule_error_kind kind = GLASS_RE_NO_VALUE;

	glass_rule_error_set(p->error, GLASS_RE_NONE, key);
	if (value.len)
		kind = glass_rule_value(r, key, value, p->error);
	if (!kind)
		return 0;
	if (p->error->len) {
		word.text = value.text + p->error->at;
		word.len = p->error->len;
	}
	return rule_refuse_with(p, word, kind);
}

static int rule_check_all(struct parser *p, struct glass_rule *r, struct piece add)
{
	enum glass_rule_error_kind kind;

	glass_rule_error_set(p->error, GLASS_RE_NONE, GLASS_RK_KEYS);
	kind = glass_rule_check(r, p->error);
	if (!kind)
		return 0;
	return rule_refuse_with(p, is_given(&p->given, p->error->key) ?
					   given_word(&p->given, p->error->key) : add, kind);
}

static int take_add(struct parser *p, struct glass_rule *r, struct piece add)
{
	u32 k;
	int err;

	err = take_pairs(p, r);
	if (err)
		return err;
	if (!is_given(&p->given, GLASS_RK_ACT))
		return rule_refuse(p, add, GLASS_RE_MISSING_KEY, GLASS_RK_ACT);
	err = take_action(p, r);
	if (err)
		return err;
	for (k = 0; k < GLASS_RK_KEYS; k++) {
		if (!is_given(&p->given, k) || k == GLASS_RK_ACT)
			continue;
		if (!rule_takes_key(r, k))
			return rule_refuse(p, given_word(&p->given, k), GLASS_RE_WRONG_ACTION, k);
		err = rule_take_value(p, r, k, given_word(&p->given, k), given_value(&p->given, k));
		if (err)
			return err;
	}
	err = rule_missing_key(p, r);
	if (err)
		return err;
	r->force = r->value[GLASS_RK_FORCE];
	err = rule_check_all(p, r, add);
	if (err)
		return err;
	keep_text(r, &p->given);
	return 0;
}

/*
 * Takes the pair n=N of a step command. Stores N in value[GLASS_RK_NTH], because rules have no key
 * `n`.
 */
static int rule_take_n(struct parser *p, struct glass_rule *r, struct piece w)
{
	u64 *n = &r->value[GLASS_RK_NTH];

	if (w.len == 2)
		return rule_refuse(p, w, GLASS_RE_NO_VALUE, GLASS_RK_KEYS);
	if (!glass_word_is_digits(w.text + 2, w.len - 2))
		return rule_refuse(p, w, GLASS_RE_NO_NUMBER, GLASS_RK_KEYS);
	if (glass_word_number(w.text + 2, w.len - 2, n) && *n)
		return 0;
	rule_refuse(p, w, GLASS_RE_OUT_OF_RANGE, GLASS_RK_KEYS);
	p->error->bounded = true;
	p->error->low = 1;
	p->error->high = ~0ULL;
	return -EINVAL;
}

/* Parses the rest of a del, step or release command: name=, and for step also n=. */
static int take_named(struct parser *p, struct glass_rule *r, struct piece command)
{
	bool step = r->command == GLASS_RULE_STEP;
	struct piece w;

	r->value[GLASS_RK_NTH] = 1;
	while (rule_next_word(p, &w)) {
		struct piece value = { w.text + 5, w.len - 5 };
		int err;

		if (w.len >= 5 && !memcmp(w.text, "name=", 5)) {
			if (glass_rule_has(r, GLASS_RK_NAME))
				return rule_refuse(p, w, GLASS_RE_GIVEN_TWICE, GLASS_RK_NAME);
			set_given(r, GLASS_RK_NAME);
			err = rule_take_value(p, r, GLASS_RK_NAME, w, value);
		} else if (step && w.len >= 2 && !memcmp(w.text, "n=", 2)) {
			err = rule_take_n(p, r, w);
		} else if (!memchr(w.text, '=', w.len)) {
			err = rule_refuse(p, w, GLASS_RE_NO_PAIR, GLASS_RK_KEYS);
		} else {
			err = rule_refuse(p, w, step ? GLASS_RE_NAME_AND_N : GLASS_RE_NAME_ONLY,
					  GLASS_RK_KEYS);
		}
		if (err)
			return err;
	}
	if (r->command == GLASS_RULE_DEL && !r->name[0])
		return rule_refuse(p, command, GLASS_RE_MISSING_KEY, GLASS_RK_NAME);
	return 0;
}

/*
 * Refuses a command that is too long, that has a NUL byte, or that has more than one line. If the
 * command ends in a newline, cuts the newline off.
 */
static int check_line(struct parser *p, size_t len)
{
	const char *newline, *nul;

	if (len > GLASS_RULE_LINE) {
		const struct piece rest = { p->at + GLASS_RULE_LINE, 0 };

		glass_rule_error_set(p->error, GLASS_RE_LINE_TOO_LONG, GLASS_RK_KEYS);
		p->error->bounded = true;
		p->error->high = GLASS_RULE_LINE;
		return rule_refuse_with(p, rest, GLASS_RE_LINE_TOO_LONG);
	}
	nul = memchr(p->at, 0, len);
	if (nul) {
		const struct piece one = { nul, 1 };

		return rule_refuse(p, one, GLASS_RE_NUL_BYTE, GLASS_RK_KEYS);
	}
	newline = memchr(p->at, '\n', len);
	if (newline && newline + 1 != p->end) {
		struct piece rest = { newline + 1, p->end - newline - 1 };

		if (rest.text[rest.len - 1] == '\n')
			rest.len--;
		return rule_refuse(p, rest, GLASS_RE_MORE_LINES, GLASS_RK_KEYS);
	}
	if (newline)
		p->end = newline;
	return 0;
}

static int take_command(struct parser *p, struct glass_rule *r)
{
	struct piece w, rest;

	if (!rule_next_word(p, &w))
		return rule_refuse(p, w, GLASS_RE_EMPTY, GLASS_RK_KEYS);
	if (piece_is(w, "add")) {
		r->command = GLASS_RULE_ADD;
		return take_add(p, r, w);
	}
	if (piece_is(w, "clear")) {
		r->command = GLASS_RULE_CLEAR;
		if (!rule_next_word(p, &rest))
			return 0;
		return rule_refuse(p, rest, GLASS_RE_ALONE, GLASS_RK_KEYS);
	}
	if (piece_is(w, "del"))
		r->command = GLASS_RULE_DEL;
	else if (piece_is(w, "step"))
		r->command = GLASS_RULE_STEP;
	else if (piece_is(w, "release"))
		r->command = GLASS_RULE_RELEASE;
	else
		return rule_refuse(p, w, GLASS_RE_UNKNOWN_COMMAND, GLASS_RK_KEYS);
	return take_named(p, r, w);
}

int glass_rule_parse(const char *text, size_t len, struct glass_rule *rule,
		     struct glass_rule_error *error)
{
	struct parser p;
	int err;

	memset(rule, 0, sizeof(*rule));
	memset(&p, 0, sizeof(p));
	p.at = text;
	p.end = text + len;
	p.error = error;
	p.given.text = text;
	err = check_line(&p, len);
	if (!err)
		err = take_command(&p, rule);
	if (!err)
		glass_rule_error_set(error, GLASS_RE_NONE, GLASS_RK_KEYS);
	return err;
}
