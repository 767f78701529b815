// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "table.h"

#define KEY(w, v, s, m, g)     { #w, #v, #s, m, g },
#define RULE(n, w, v, s, m)    KEY(w, v, s, m, IN_RULE)
#define SELECT(n, w, v, s, m)  KEY(w, v, s, m, IN_SELECT)
#define TRIGGER(n, w, v, s, m) KEY(w, v, s, m, IN_TRIGGER)
#define LIFE(n, w, v, s, m)    KEY(w, v, s, m, IN_LIFE)
#define PARAM(n, w, v, s, m)   KEY(w, v, s, m, IN_PARAM)
#define TOLD(n, w, v, s, m)    KEY(w, v, s, m, IN_TOLD)

const struct key keys[GLASS_RK_KEYS] = { GLASS_INJECT_KEYS_RULE(RULE) GLASS_INJECT_KEYS_SELECT(
	SELECT) GLASS_INJECT_KEYS_TRIGGER(TRIGGER) GLASS_INJECT_KEYS_LIFE(LIFE)
						 GLASS_INJECT_KEYS_PARAM(PARAM)
							 GLASS_INJECT_KEYS_TOLD(TOLD) };

#define ACT(n, s, p, m) [GLASS_ACT_##n] = { p, m, #s[0] },
const struct act acts[GLASS_ACT_COUNT] = { GLASS_INJECT_ACTIONS(ACT) };

#define WORD(n, w, v) #w,
static const char *const statuses[] = { GLASS_WC_STATUSES(WORD) NULL };
static const char *const events[] = { GLASS_EVENTS(WORD) NULL };
static const char *const dists[] = { GLASS_INJECT_DISTS(WORD) NULL };
static const char *const parts[] = { GLASS_INJECT_PARTS(WORD) NULL };
static const char *const crcs[] = { GLASS_INJECT_CRCS(WORD) NULL };
static const char *const timers[] = { GLASS_INJECT_TIMERS(WORD) NULL };
static const char *const naks[] = { GLASS_INJECT_NAKS(WORD) NULL };
static const char *const overs[] = { GLASS_INJECT_OVERS(WORD) NULL };
static const char *const yes_no[] = { "yes", "no", NULL };

static bool is(const char *word, const char *text, size_t len)
{
	return strlen(word) == len && !memcmp(word, text, len);
}

int find_key(const char *word, size_t len)
{
	int i;

	for (i = 0; i < GLASS_RK_KEYS; i++)
		if (is(keys[i].word, word, len))
			return i;
	return -1;
}

int find_act(const char *word, size_t len)
{
	int i;

	for (i = 0; i < GLASS_ACT_COUNT; i++)
		if (is(glass_rule_action_word(i), word, len))
			return i;
	return -1;
}

bool is_param(const struct act *act, const char *key, bool *must)
{
	const char *at = act->params;
	size_t len;

	for (; *at; at += len + (at[len] == ' ')) {
		size_t name;

		len = strcspn(at, " ");
		name = strcspn(at, " !");
		if (!is(key, at, name))
			continue;
		if (must)
			*must = name < len;
		return true;
	}
	return false;
}

bool takes(const struct act *act, enum glass_rule_key key)
{
	const struct key *k = &keys[key];
	bool at_once = strchr("OND", act->site);

	if (!strchr(k->sites, act->site))
		return false;
	if (k->group == IN_PARAM || (k->group == IN_SELECT && at_once))
		return is_param(act, k->word, NULL);
	return true;
}

/* Returns the i-th errno name that the driver's parser accepts. */
static const char *errno_word(size_t i)
{
	static const char *known[64];
	static size_t count;
	static bool done;
	char line[80];
	struct glass_rule_error error;
	struct glass_rule r;
	int e;

	for (e = 1; e < 4096 && !done; e++) {
		const char *name = strerrorname_np(e);

		snprintf(line, sizeof(line), "add act=fail verb=reg_mr err=%s", name ? name : "-");
		if (name && count < ARRAY_SIZE(known) - 1 &&
		    !glass_rule_parse(line, strlen(line), &r, &error))
			known[count++] = name;
	}
	done = true;
	return i < count ? known[i] : NULL;
}

const char *key_word(enum glass_rule_key key, char site, size_t i)
{
	const struct glass_word *words;
	const char *const *list;

	switch (key) {
	case GLASS_RK_ACT:
		return i < GLASS_ACT_COUNT ? glass_rule_action_word(i) : NULL;
	case GLASS_RK_ERR:
		return errno_word(i);
	case GLASS_RK_STATUS:
		list = statuses;
		break;
	case GLASS_RK_EVENT:
		list = events;
		break;
	case GLASS_RK_DIST:
		list = dists;
		break;
	case GLASS_RK_WHAT:
		list = parts;
		break;
	case GLASS_RK_CRC:
		list = crcs;
		break;
	case GLASS_RK_TIMERS:
		list = timers;
		break;
	case GLASS_RK_CODE:
		list = naks;
		break;
	case GLASS_RK_OVER:
		list = overs;
		break;
	case GLASS_RK_FORCE:
		list = yes_no;
		break;
	default:
		if (keys[key].group != IN_SELECT)
			return NULL;
		words = glass_select_words((enum glass_selector)(key - GLASS_RK_PORT), site);
		while (words && words->text && i) {
			words++;
			i--;
		}
		return words ? words->text : NULL;
	}
	while (*list && i) {
		list++;
		i--;
	}
	return *list;
}

const char *site_name(char site)
{
	switch (site) {
	case 'P':
		return "packets";
	case 'C':
		return "completions";
	case 'O':
		return "objects";
	case 'V':
		return "verbs";
	case 'N':
		return "ports";
	default:
		return "the device";
	}
}
