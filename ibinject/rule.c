// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "ibinject.h"
#include "lib/nearest.h"
#include "lib/pairs.h"
#include "rule.h"

#define COMMAND "add "

static const char *nearest_key(const char *word)
{
	struct glass_nearest n = glass_nearest_to(word);
	int i;

	for (i = 0; i < GLASS_RK_KEYS; i++)
		if (keys[i].group != IN_TOLD)
			glass_nearest_consider(&n, keys[i].word);
	return n.found;
}

static const char *nearest_word(enum glass_rule_key key, char site, const char *word)
{
	struct glass_nearest n = glass_nearest_to(word);
	const char *w;
	size_t i;

	for (i = 0; (w = key_word(key, site, i)); i++)
		glass_nearest_consider(&n, w);
	return n.found;
}

/* Returns the site of the text's action; packets if it names none. */
static char site_of(const char *text)
{
	char act[32];
	int i;

	if (!find_value(text, "act", act, sizeof(act)))
		return 'P';
	i = find_act(act, strlen(act));
	return i < 0 ? 'P' : acts[i].site;
}

/* Says what does not exist, and what may be meant. */
static void suggest(struct glass_filter_error *e, const char *what, const char *word,
		    const char *near, const char *otherwise)
{
	snprintf(e->text, sizeof(e->text), "%s `%s`%s%s%s", what, word,
		 near ? "; did you mean `" : otherwise, near ? near : "", near ? "`?" : "");
}

/* A number is given where a name of an error is usual: says that there are both. */
static void explain_errno(const struct glass_rule_error *why, struct glass_filter_error *e)
{
	snprintf(e->text, sizeof(e->text),
		 "`err` is a name such as ENOMEM, or a number from %llu to %llu",
		 (unsigned long long)why->low, (unsigned long long)why->high);
}

/* Explains an unknown key, action or word of a key. */
static void unknown(const char *text, const struct glass_rule_error *why,
		    struct glass_filter_error *e)
{
	char word[64], what[64], otherwise[64];

	snprintf(word, sizeof(word), "%.*s", (int)e->len, text + e->at);
	if (why->kind == GLASS_RE_UNKNOWN_KEY) {
		suggest(e, "there is no key", word, nearest_key(word),
			"; \"ibinject help keys\" lists them");
	} else if (why->kind == GLASS_RE_UNKNOWN_ACTION) {
		suggest(e, "there is no action", word, nearest_word(GLASS_RK_ACT, 'P', word),
			"; \"ibinject help actions\" lists them");
	} else if (why->key < GLASS_RK_KEYS) {
		snprintf(what, sizeof(what), "`%s` has no word", keys[why->key].word);
		snprintf(otherwise, sizeof(otherwise), "; \"ibinject help %s\" lists them",
			 keys[why->key].word);
		suggest(e, what, word, nearest_word(why->key, site_of(text), word), otherwise);
	}
}

void rule_locate(const char *text, size_t from, const struct refusal *told,
		 struct glass_filter_error *e)
{
	const struct glass_rule_error *why = &told->why;
	size_t len = strlen(text);

	e->at = len;
	e->len = 0;
	snprintf(e->text, sizeof(e->text), "%s", told->text);
	if (!why->kind || !why->len)
		return;
	if (!why->at) {
		/* the command's own word: show the end of the text, where something is missing */
		snprintf(e->text, sizeof(e->text), "%s", told->sentence);
		e->len = 1;
		return;
	}
	if (why->at < from || why->at - from >= len || why->len > len - (why->at - from))
		return;
	e->at = why->at - from;
	e->len = why->len;
	if (why->kind == GLASS_RE_UNKNOWN_KEY || why->kind == GLASS_RE_UNKNOWN_ACTION ||
	    why->kind == GLASS_RE_UNKNOWN_WORD)
		unknown(text, why, e);
	if (why->kind == GLASS_RE_OUT_OF_RANGE && why->key == GLASS_RK_ERR)
		explain_errno(why, e);
}

bool rule_check(const char *text, struct glass_rule *rule, struct glass_filter_error *error)
{
	char line[sizeof(COMMAND) + GLASS_RULE_LINE + 1], words[GLASS_RULE_ERROR];
	static struct glass_rule own;
	struct refusal told;
	size_t n = snprintf(line, sizeof(line), "%s%s", COMMAND, text);

	/* too long text: the parser rejects it at the first byte beyond its limit */
	n = min_t(size_t, n, sizeof(line) - 1);
	if (!glass_rule_parse(line, n, rule ? rule : &own, &told.why))
		return true;
	told.text = words;
	glass_rule_error_text(words, &told.why, line, n, NULL);
	glass_rule_error_why(told.sentence, &told.why, line, n, NULL);
	rule_locate(text, strlen(COMMAND), &told, error);
	return false;
}

void rule_explain(const struct place *place, const char *text,
		  const struct glass_filter_error *error)
{
	char *who =
		place ? format_text("%s: %s:%lu:%lu", program_invocation_short_name, place->file,
				    place->line, place->column + (error->len ? error->at : 0))
		      : format_text("%s", program_invocation_short_name);

	fflush(stdout);
	if (error->len)
		glass_filter_explain(stderr, who, text, error);
	else
		fprintf(stderr, "%s: %s\n", who, error->text);
	free(who);
}

bool rule_name_ok(const char *name)
{
	struct glass_filter_error error;
	char *text = format_text("name=%s act=drop", name);
	bool ok = !strpbrk(name, " \t\n") && rule_check(text, NULL, &error);

	free(text);
	return ok;
}

const char *rule_device(const char *text, char *dev, size_t size)
{
	size_t len;

	text += strspn(text, " \t");
	len = strcspn(text, "=: \t");
	dev[0] = 0;
	if (text[len] != ':' || !len || len >= size)
		return text;
	memcpy(dev, text, len);
	dev[len] = 0;
	text += len + 1;
	return text + strspn(text, " \t");
}
