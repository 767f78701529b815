// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Parses the values of the keys of injection rules. */
#include "rules/internal.h"
#include "rules/trigger.h"

#define NUMBER(n, w, v) { #w, v },

static const struct glass_word dists[] = { GLASS_INJECT_DISTS(NUMBER) { NULL, 0 } };
static const struct glass_word parts[] = { GLASS_INJECT_PARTS(NUMBER) { NULL, 0 } };
static const struct glass_word crcs[] = { GLASS_INJECT_CRCS(NUMBER) { NULL, 0 } };
static const struct glass_word timers[] = { GLASS_INJECT_TIMERS(NUMBER) { NULL, 0 } };
static const struct glass_word naks[] = { GLASS_INJECT_NAKS(NUMBER) { NULL, 0 } };
static const struct glass_word value_statuses[] = { GLASS_WC_STATUSES(NUMBER) { NULL, 0 } };
static const struct glass_word value_events[] = { GLASS_EVENTS(NUMBER) { NULL, 0 } };
static const struct glass_word yesno[] = { { "no", 0 }, { "yes", 1 }, { NULL, 0 } };

static const struct glass_word errnos[] = {
#define ERRNO(e) { #e, e }
	ERRNO(EPERM),  ERRNO(ENOENT), ERRNO(EINTR),   ERRNO(EIO),   ERRNO(ENXIO),  ERRNO(E2BIG),
	ERRNO(EAGAIN), ERRNO(ENOMEM), ERRNO(EACCES),  ERRNO(EFAULT), ERRNO(EBUSY), ERRNO(EEXIST),
	ERRNO(ENODEV), ERRNO(EINVAL), ERRNO(ENOSPC),  ERRNO(EPIPE), ERRNO(ENOSYS), ERRNO(EPROTO),
	ERRNO(EMSGSIZE), ERRNO(EOPNOTSUPP), ERRNO(ENOBUFS), ERRNO(ETIMEDOUT),
	{ NULL, 0 },
};

const struct glass_word glass_rule_units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "min", 60000000000ULL },
	{ "h", 3600000000000ULL },
	{ NULL, 0 },
};

#define TIME_MAX (1ULL << 62) /* ns */

/*
 * The bounds of keys whose values are numbers, or times in ns. If `high` is 0, any number from
 * `low` on is allowed.
 */
static const struct {
	u64 low, high;
} bounds[GLASS_RK_KEYS] = {
	[GLASS_RK_PORT] = { 1, GLASS_RULE_PORT_MAX },
	[GLASS_RK_QPN] = { 0, GLASS_QPN_MASK },
	[GLASS_RK_NQP] = { 1, 0xffffffff },
	[GLASS_RK_PQP] = { 1, 0xffffffff },
	[GLASS_RK_CQN] = { 0, 0xffffff },
	[GLASS_RK_SRQN] = { 0, 0xffffff },
	[GLASS_RK_PSN] = { 0, GLASS_PSN_MASK },
	[GLASS_RK_RPSN] = { 0, GLASS_PSN_MASK },
	[GLASS_RK_ROUND] = { 1, 0xffffffff },
	[GLASS_RK_MSN] = { 0, GLASS_PSN_MASK },
	[GLASS_RK_MSG] = { 1, 0xffffffff },
	[GLASS_RK_SLID] = { 0, 0xffff },
	[GLASS_RK_DLID] = { 0, 0xffff },
	[GLASS_RK_SL] = { 0, 15 },
	[GLASS_RK_PKEY] = { 0, 0xffff },
	[GLASS_RK_QKEY] = { 0, 0xffffffff },
	[GLASS_RK_RKEY] = { 0, 0xffffffff },
	[GLASS_RK_SYNDROME] = { 0, 0xff },
	[GLASS_RK_ATTR] = { 0, 0xffff },
	[GLASS_RK_SKIP] = { 0, 0xffffffff },
	[GLASS_RK_NTH] = { 1, 0xffffffff },
	[GLASS_RK_EVERY] = { 1, 0xffffffff },
	[GLASS_RK_BURST] = { 1, 0xffffffff },
	[GLASS_RK_BUDGET] = { 1, ~0ULL },
	[GLASS_RK_COUNT] = { 1, ~0ULL },
	[GLASS_RK_WINDOW] = { 0, TIME_MAX },
	[GLASS_RK_TIE] = { 1, 0x7fffffff },
	[GLASS_RK_ERR] = { 1, 4095 },
	[GLASS_RK_COPIES] = { 1, 8 },
	[GLASS_RK_TIME] = { 0, 3600000000000ULL },
	[GLASS_RK_JITTER] = { 0, 3600000000000ULL },
	[GLASS_RK_TTL] = { 1, TIME_MAX },
	[GLASS_RK_GAP] = { 1, 64 },
	[GLASS_RK_BITS] = { 1, 64 },
	[GLASS_RK_AT] = { 0, 0xffff },
	[GLASS_RK_KEEP] = { 0, GLASS_MTU_MAX },
	[GLASS_RK_TIMER] = { 0, 31 },
	[GLASS_RK_VENDOR] = { 0, 0xffffffff },
	[GLASS_RK_FLAPS] = { 1, 1000 },
	[GLASS_RK_LID] = { 1, GLASS_LID_MCAST_BASE - 1 },
	[GLASS_RK_INDEX] = { 0, 0xffff },
};

void glass_rule_bounds(enum glass_action action, enum glass_rule_key key, u64 *low, u64 *high)
{
	bool object = glass_rule_action_site(action) == 'O';

	*low = bounds[key].low;
	*high = bounds[key].high ? bounds[key].high : ~0ULL;
	if (key == GLASS_RK_QPN && object)
		*high = GLASS_QPN_MASK - 1;
	if (key == GLASS_RK_COUNT && object)
		*high = 1;
	if (key == GLASS_RK_VALUE && action == GLASS_ACT_PKEY_CHANGE)
		*high = 0xffff;
	if (key == GLASS_RK_VALUE && action == GLASS_ACT_GID_CHANGE)
		*low = 1;
}

static enum glass_rule_error_kind out_of_range(const struct glass_rule *r, enum glass_rule_key key,
					       struct glass_rule_error *e)
{
	e->bounded = true;
	glass_rule_bounds(r->action, key, &e->low, &e->high);
	return key == GLASS_RK_COUNT && r->site == 'O' ? GLASS_RE_ONCE : GLASS_RE_OUT_OF_RANGE;
}

/* Checks that low and high are within the bounds of the key. */
static enum glass_rule_error_kind check_bounds(const struct glass_rule *r, enum glass_rule_key key,
					       u64 low, u64 high, struct glass_rule_error *e)
{
	u64 least, most;

	glass_rule_bounds(r->action, key, &least, &most);
	return low < least || high > most ? out_of_range(r, key, e) : GLASS_RE_NONE;
}

static enum glass_rule_error_kind parse_time(struct piece w, u64 *ns)
{
	size_t digits = 0;
	const struct glass_word *unit;

	if (glass_word_is_digits(w.text, w.len))
		return glass_word_number(w.text, w.len, ns) ? GLASS_RE_NONE : GLASS_RE_OUT_OF_RANGE;
	while (digits < w.len && glass_digit(w.text[digits], 10) >= 0)
		digits++;
	unit = glass_word_find(glass_rule_units, w.text + digits, w.len - digits);
	if (!digits || !unit)
		return GLASS_RE_NO_TIME;
	if (!glass_word_number(w.text, digits, ns) ||
	    __builtin_mul_overflow(*ns, unit->value, ns) || *ns > TIME_MAX)
		return GLASS_RE_OUT_OF_RANGE;
	return GLASS_RE_NONE;
}

/*
 * A probability is a number from 0 to 1 with at most nine decimal places, or from 0% to 100% with
 * at most seven. *p gets the probability in units of 1/GLASS_PROB_ONE, rounded.
 */
bool glass_prob_parse(const char *text, size_t len, u64 *p)
{
	u64 scale = 1000000000, v = 0;
	bool point = false, digits = false;
	u32 places = 9;
	size_t i;

	if (len && text[len - 1] == '%') {
		places = 7;
		len--;
	}
	for (i = 0; i < len; i++) {
		int d = glass_digit(text[i], 10);

		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (d < 0 || (point && !places) || v > scale)
			return false;
		digits = true;
		v = v * 10 + d;
		places -= point;
	}
	if (!digits)
		return false;
	while (places--) {
		if (v > scale)
			return false;
		v *= 10;
	}
	if (v > scale)
		return false;
	/* v * 2^32 / 10^9, rounded: 2^32 / 10^9 = 2^23 / 5^9 */
	*p = ((v << 23) + 1953125 / 2) / 1953125;
	return true;
}

/*
 * Takes the next item of a list whose items are joined by commas. Returns false if there are no
 * more items.
 */
static bool next_item(struct piece *list, struct piece *item)
{
	size_t n = 0;

	if (!list->text)
		return false;
	while (n < list->len && list->text[n] != ',')
		n++;
	item->text = list->text;
	item->len = n;
	if (n == list->len) {
		list->text = NULL;
	} else {
		list->text += n + 1;
		list->len -= n + 1;
	}
	return true;
}

static bool parse_chain(struct glass_rule *r, enum glass_rule_key key, struct piece w)
{
	u32 most = key == GLASS_RK_GEMODEL ? 4 : 5, n = 0;
	u64 v[GLASS_RULE_CHAIN];
	struct piece item;

	while (next_item(&w, &item))
		if (n == most || !glass_prob_parse(item.text, item.len, &v[n++]))
			return false;
	if (key == GLASS_RK_GEMODEL) {
		r->chain[0] = v[0];
		r->chain[1] = n > 1 ? v[1] : GLASS_PROB_ONE - v[0];
		r->chain[2] = n > 2 ? v[2] : GLASS_PROB_ONE;
		r->chain[3] = n > 3 ? v[3] : 0;
		return true;
	}
	r->chain[0] = v[0];
	r->chain[1] = n > 1 ? v[1] : GLASS_PROB_ONE - v[0];
	r->chain[2] = n > 2 ? v[2] : 0;
	r->chain[3] = n > 3 ? v[3] : GLASS_PROB_ONE;
	r->chain[4] = n > 4 ? v[4] : 0;
	/* the probabilities of leaving a state must add up to at most 1 */
	return r->chain[0] + r->chain[4] <= GLASS_PROB_ONE &&
	       r->chain[1] + r->chain[2] <= GLASS_PROB_ONE;
}

/* Parses the name of a rule. The caller has checked that the name is not empty. */
static enum glass_rule_error_kind value_parse_name(struct piece value, char name[GLASS_RULE_NAME],
						   struct glass_rule_error *e)
{
	size_t i;

	if (value.len >= GLASS_RULE_NAME) {
		e->bounded = true;
		e->low = 1;
		e->high = GLASS_RULE_NAME - 1;
		return GLASS_RE_NAME_TOO_LONG;
	}
	for (i = 0; i < value.len; i++) {
		char c = value.text[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-' || c == '.')) {
			e->at = i;
			e->len = 1;
			return GLASS_RE_NAME_CHARACTER;
		}
	}
	memcpy(name, value.text, value.len);
	name[value.len] = 0;
	return GLASS_RE_NONE;
}

static enum glass_rule_error_kind parse_after(struct glass_rule *r, struct piece value,
					      struct glass_rule_error *e)
{
	const char *colon = memchr(value.text, ':', value.len);
	struct piece name = value;

	r->value[GLASS_RK_AFTER] = 1;
	if (colon) {
		name.len = colon - value.text;
		if (!name.len ||
		    !glass_word_number(colon + 1, value.text + value.len - colon - 1,
				       &r->value[GLASS_RK_AFTER]) ||
		    !r->value[GLASS_RK_AFTER])
			return GLASS_RE_NO_AFTER;
	}
	return value_parse_name(name, r->after, e);
}

static enum glass_rule_error_kind parse_window(struct glass_rule *r, struct piece value,
					       struct glass_rule_error *e)
{
	u64 *from = &r->value[GLASS_RK_WINDOW];
	enum glass_rule_error_kind kind;
	size_t i;

	r->window_to = ~0ULL;
	for (i = 0; i + 1 < value.len; i++) {
		struct piece low = { value.text, i };
		struct piece high = { value.text + i + 2, value.len - i - 2 };

		if (value.text[i] != '.' || value.text[i + 1] != '.')
			continue;
		kind = parse_time(low, from);
		if (!kind)
			kind = parse_time(high, &r->window_to);
		if (kind == GLASS_RE_NO_TIME || (!kind && *from > r->window_to))
			return GLASS_RE_NO_SPAN;
		if (kind)
			return out_of_range(r, GLASS_RK_WINDOW, e);
		return check_bounds(r, GLASS_RK_WINDOW, *from, r->window_to, e);
	}
	kind = parse_time(value, from);
	if (kind == GLASS_RE_OUT_OF_RANGE)
		return out_of_range(r, GLASS_RK_WINDOW, e);
	return kind ? kind : check_bounds(r, GLASS_RK_WINDOW, *from, *from, e);
}

static enum glass_rule_error_kind parse_tie(struct glass_rule *r, struct piece value,
					    struct glass_rule_error *e)
{
	u64 *pid = &r->value[GLASS_RK_TIE];

	if (piece_is(value, "fd")) {
		r->tie_fd = true;
		return GLASS_RE_NONE;
	}
	if (!glass_word_number(value.text, value.len, pid))
		return glass_word_is_digits(value.text, value.len) ?
			       out_of_range(r, GLASS_RK_TIE, e) : GLASS_RE_NO_TIE;
	return check_bounds(r, GLASS_RK_TIE, *pid, *pid, e);
}

static const struct glass_word *word_table(enum glass_rule_key key)
{
	switch (key) {
	case GLASS_RK_DIST:
		return dists;
	case GLASS_RK_WHAT:
		return parts;
	case GLASS_RK_CRC:
		return crcs;
	case GLASS_RK_TIMERS:
		return timers;
	case GLASS_RK_CODE:
		return naks;
	case GLASS_RK_STATUS:
		return value_statuses;
	case GLASS_RK_EVENT:
		return value_events;
	case GLASS_RK_ERR:
		return errnos;
	default:
		return NULL;
	}
}

static enum glass_rule_error_kind parse_word(struct glass_rule *r, enum glass_rule_key key,
					     struct piece value, struct glass_rule_error *e)
{
	const struct glass_word *table = word_table(key), *w;
	u64 *v = &r->value[key];

	if (!table)
		return GLASS_RE_NONE;
	w = glass_word_find(table, value.text, value.len);
	if (w) {
		*v = w->value;
		return GLASS_RE_NONE;
	}
	if (key == GLASS_RK_ERR && glass_word_is_digits(value.text, value.len)) {
		if (!glass_word_number(value.text, value.len, v))
			return out_of_range(r, key, e);
		return check_bounds(r, key, *v, *v, e);
	}
	e->len = value.len;
	return GLASS_RE_UNKNOWN_WORD;
}

/* Returns the selector of a key. From PORT on, both enums have the selectors in the same order. */
static enum glass_selector selector_of_key(enum glass_rule_key key)
{
	return (enum glass_selector)(key - GLASS_RK_PORT);
}

static enum glass_rule_error_kind parse_range(struct glass_rule *r, enum glass_rule_key key,
					      struct piece value, struct glass_rule_error *e)
{
	enum glass_rule_error_kind kind;
	u64 low, high;

	if (!glass_word_range(value.text, value.len, &low, &high))
		return glass_word_is_digits(value.text, value.len) ? out_of_range(r, key, e) :
								     GLASS_RE_NO_RANGE;
	kind = check_bounds(r, key, low, high, e);
	if (kind)
		return kind;
	r->value[key] = low;
	if (key == GLASS_RK_NTH)
		r->nth_high = high;
	else
		glass_select_add(&r->select, selector_of_key(key), false, low, high);
	return GLASS_RE_NONE;
}

static enum glass_rule_error_kind parse_words(struct glass_rule *r, enum glass_rule_key key,
					      struct piece value, struct glass_rule_error *e)
{
	const struct glass_word *words = glass_select_words(selector_of_key(key), r->site), *w;
	struct piece list = value, item;
	u64 set = 0;

	while (next_item(&list, &item)) {
		w = words ? glass_word_find(words, item.text, item.len) : NULL;
		if (w) {
			set |= w->value;
			continue;
		}
		e->at = item.text - value.text;
		e->len = item.len;
		if (item.len)
			return GLASS_RE_UNKNOWN_WORD;
		/* the item is empty: the wrong part is the comma next to it */
		e->at -= e->at == value.len;
		e->len = 1;
		return GLASS_RE_EMPTY_WORD;
	}
	glass_select_add(&r->select, selector_of_key(key), true, set, 0);
	return GLASS_RE_NONE;
}

static enum glass_rule_error_kind parse_text(struct glass_rule *r, enum glass_rule_key key,
					     struct piece value, struct glass_rule_error *e)
{
	bool node = key == GLASS_RK_NODE;
	size_t most = (node ? GLASS_NODE_NAME_BYTES : GLASS_NAME_BYTES) - 1;

	if (!glass_name_parse(node ? &r->select.node : &r->select.comm, value.text, value.len,
			      most)) {
		e->bounded = true;
		e->low = 1;
		e->high = most;
		return GLASS_RE_NO_NAME;
	}
	glass_select_add(&r->select, selector_of_key(key), false, 0, 0);
	return GLASS_RE_NONE;
}

enum glass_rule_error_kind glass_rule_value(struct glass_rule *r, enum glass_rule_key key,
					    struct piece value, struct glass_rule_error *e)
{
	const struct glass_word *w;
	enum glass_rule_error_kind kind;
	u64 *v = &r->value[key];

	switch ((enum value_kind)glass_rule_keys[key].value) {
	case VALUE_name:
		return value_parse_name(value, r->name, e);
	case VALUE_num:
		if (glass_word_number(value.text, value.len, v))
			return check_bounds(r, key, *v, *v, e);
		return glass_word_is_digits(value.text, value.len) ? out_of_range(r, key, e) :
								     GLASS_RE_NO_NUMBER;
	case VALUE_range:
		return parse_range(r, key, value, e);
	case VALUE_words:
		return parse_words(r, key, value, e);
	case VALUE_word:
		return parse_word(r, key, value, e);
	case VALUE_text:
		return parse_text(r, key, value, e);
	case VALUE_time:
		kind = parse_time(value, v);
		if (kind == GLASS_RE_OUT_OF_RANGE)
			return out_of_range(r, key, e);
		return kind ? kind : check_bounds(r, key, *v, *v, e);
	case VALUE_times:
		return parse_window(r, value, e);
	case VALUE_prob:
		return glass_prob_parse(value.text, value.len, v) ? GLASS_RE_NONE :
								    GLASS_RE_NO_PROB;
	case VALUE_probs:
		return parse_chain(r, key, value) ? GLASS_RE_NONE : GLASS_RE_NO_PROBS;
	case VALUE_rule:
		return parse_after(r, value, e);
	case VALUE_tie:
		return parse_tie(r, value, e);
	case VALUE_yesno:
		w = glass_word_find(yesno, value.text, value.len);
		*v = w ? w->value : 0;
		if (w)
			return GLASS_RE_NONE;
		e->len = value.len;
		return GLASS_RE_NO_YESNO;
	}
	return GLASS_RE_UNKNOWN_WORD;
}
