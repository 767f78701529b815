// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Values of the keys of injection rules. */
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

static const struct glass_word units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "min", 60000000000ULL },
	{ "h", 3600000000000ULL },
	{ NULL, 0 },
};

/* The most that a number of a key may be, and the least. Others: any number. */
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
	[GLASS_RK_COUNT] = { 0, ~0ULL },
	[GLASS_RK_COPIES] = { 1, 8 },
	[GLASS_RK_TIME] = { 0, 3600000000000ULL },
	[GLASS_RK_JITTER] = { 0, 3600000000000ULL },
	[GLASS_RK_TTL] = { 1, 1ULL << 62 },
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

static bool in_bounds(enum glass_rule_key key, u64 v)
{
	return !bounds[key].high || (v >= bounds[key].low && v <= bounds[key].high);
}

/* A number that was not understood: is it one of too many digits? */
static bool too_large(struct piece w)
{
	u32 base = 10;
	size_t i = 0;

	if (w.len > 2 && w.text[0] == '0' && (w.text[1] == 'x' || w.text[1] == 'X')) {
		base = 16;
		i = 2;
	}
	for (; i < w.len; i++)
		if (glass_digit(w.text[i], base) < 0)
			return false;
	return w.len;
}

static bool parse_time(struct piece w, u64 *ns)
{
	size_t digits = 0;
	const struct glass_word *unit;

	if (!(w.len > 2 && w.text[0] == '0' && (w.text[1] == 'x' || w.text[1] == 'X')))
		while (digits < w.len && glass_digit(w.text[digits], 10) >= 0)
			digits++;
	else
		digits = w.len;
	if (!glass_word_number(w.text, digits, ns))
		return false;
	if (digits == w.len)
		return true;
	unit = glass_word_find(units, w.text + digits, w.len - digits);
	return unit && !__builtin_mul_overflow(*ns, unit->value, ns) && *ns <= 1ULL << 62;
}

/* 0 to 1 with nine decimals, or 0% to 100% with seven, into 32 bits behind the point. */
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
	/* of what leaves one state */
	return r->chain[0] + r->chain[4] <= GLASS_PROB_ONE &&
	       r->chain[1] + r->chain[2] <= GLASS_PROB_ONE;
}

static const char *value_parse_name(struct piece value, char name[GLASS_RULE_NAME])
{
	size_t i;

	if (!value.len)
		return "empty name";
	if (value.len >= GLASS_RULE_NAME)
		return "name too long (31 characters are the limit)";
	for (i = 0; i < value.len; i++) {
		char c = value.text[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-' || c == '.'))
			return "a name is made of letters, digits and . _ -";
	}
	memcpy(name, value.text, value.len);
	name[value.len] = 0;
	return NULL;
}

static const char *parse_after(struct glass_rule *r, struct piece value)
{
	const char *colon = memchr(value.text, ':', value.len);
	struct piece name = value;

	r->value[GLASS_RK_AFTER] = 1;
	if (colon) {
		name.len = colon - value.text;
		if (!glass_word_number(colon + 1, value.text + value.len - colon - 1,
				  &r->value[GLASS_RK_AFTER]) ||
		    !r->value[GLASS_RK_AFTER])
			return "expected NAME or NAME:N";
	}
	return value_parse_name(name, r->after);
}

static const char *parse_window(struct glass_rule *r, struct piece value)
{
	u64 *from = &r->value[GLASS_RK_WINDOW];
	size_t i;

	r->window_to = ~0ULL;
	for (i = 0; i + 1 < value.len; i++) {
		struct piece low = { value.text, i };
		struct piece high = { value.text + i + 2, value.len - i - 2 };

		if (value.text[i] != '.' || value.text[i + 1] != '.')
			continue;
		if (!parse_time(low, from) || !parse_time(high, &r->window_to) ||
		    *from > r->window_to)
			return "not a span of time (100ms..2s)";
		return NULL;
	}
	return parse_time(value, from) ? NULL : "not a time (a number with ns, us, ms, s, min, h)";
}

static const char *parse_tie(struct glass_rule *r, struct piece value)
{
	if (piece_is(value, "fd")) {
		r->tie_fd = true;
		return NULL;
	}
	if (!glass_word_number(value.text, value.len, &r->value[GLASS_RK_TIE]) ||
	    !r->value[GLASS_RK_TIE] || r->value[GLASS_RK_TIE] > 0x7fffffff)
		return "expected fd or the number of a process";
	return NULL;
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

static const char *parse_word(struct glass_rule *r, enum glass_rule_key key, struct piece value)
{
	const struct glass_word *table = word_table(key), *w;
	u64 v;

	if (!table)
		return NULL;
	w = glass_word_find(table, value.text, value.len);
	if (w)
		r->value[key] = w->value;
	else if (key == GLASS_RK_ERR && glass_word_number(value.text, value.len, &v) && v && v < 4096)
		r->value[key] = v;
	else
		return "unknown word";
	return NULL;
}

/* A selector whose key is a number of the enum: keys of the group come in its order. */
static enum glass_selector selector_of_key(enum glass_rule_key key)
{
	return (enum glass_selector)(key - GLASS_RK_PORT);
}

static const char *parse_range(struct glass_rule *r, enum glass_rule_key key, struct piece value)
{
	u64 low, high;

	if (!glass_word_range(value.text, value.len, &low, &high))
		return too_large(value) ? "out of range" :
					  "not a number or range (decimal or 0x, LOW..HIGH)";
	if (!in_bounds(key, low) || !in_bounds(key, high))
		return "out of range";
	r->value[key] = low;
	if (key == GLASS_RK_NTH)
		r->nth_high = high;
	else
		glass_select_add(&r->select, selector_of_key(key), false, low, high);
	return NULL;
}

static const char *parse_words(struct glass_rule *r, enum glass_rule_key key, struct piece value)
{
	const struct glass_word *words = glass_select_words(selector_of_key(key), r->site);
	u64 set;

	if (!words || !glass_word_set(words, value.text, value.len, &set))
		return "unknown word";
	glass_select_add(&r->select, selector_of_key(key), true, set, 0);
	return NULL;
}

const char *glass_rule_value(struct glass_rule *r, enum glass_rule_key key, struct piece value)
{
	const struct glass_word *w;

	switch ((enum value_kind)glass_rule_keys[key].value) {
	case VALUE_name:
		return value_parse_name(value, r->name);
	case VALUE_num:
		if (!glass_word_number(value.text, value.len, &r->value[key]))
			return too_large(value) ? "out of range" : "not a number (decimal or 0x)";
		return in_bounds(key, r->value[key]) ? NULL : "out of range";
	case VALUE_range:
		return parse_range(r, key, value);
	case VALUE_words:
		return parse_words(r, key, value);
	case VALUE_word:
		return parse_word(r, key, value);
	case VALUE_text:
		if (!glass_name_parse(&r->select.comm, value.text, value.len))
			return "not a name of 1 to 15 bytes";
		glass_select_add(&r->select, selector_of_key(key), false, 0, 0);
		return NULL;
	case VALUE_time:
		if (!parse_time(value, &r->value[key]))
			return "not a time (a number with ns, us, ms, s, min, h)";
		return in_bounds(key, r->value[key]) ? NULL : "out of range";
	case VALUE_times:
		return parse_window(r, value);
	case VALUE_prob:
		return glass_prob_parse(value.text, value.len, &r->value[key]) ?
			       NULL :
			       "not a probability (0 to 1, or 0% to 100%)";
	case VALUE_probs:
		return parse_chain(r, key, value) ? NULL : "not probabilities that go together";
	case VALUE_rule:
		return parse_after(r, value);
	case VALUE_tie:
		return parse_tie(r, value);
	case VALUE_yesno:
		w = glass_word_find(yesno, value.text, value.len);
		r->value[key] = w ? w->value : 0;
		return w ? NULL : "expected yes or no";
	}
	return "unknown word";
}
