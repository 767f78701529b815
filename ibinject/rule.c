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

static bool has_word(enum glass_rule_key key, char site, const char *word)
{
	const char *w;
	size_t i;

	for (i = 0; (w = key_word(key, site, i)); i++)
		if (!strcmp(w, word))
			return true;
	return false;
}

/* Finds in text the word at the start of an error, which the driver may have truncated ("..."). */
static bool find_told(const char *text, const char *word, size_t len, struct pair *found)
{
	bool cut = len > 3 && !memcmp(word + len - 3, "...", 3);

	while (next_pair(&text, found)) {
		size_t whole = found->key_len + (found->value ? found->value_len + 1 : 0);

		if (cut ? whole > len - 3 && !memcmp(found->key, word, len - 3)
			: whole == len && !memcmp(found->key, word, len))
			return true;
	}
	return false;
}

/* Sets the place of an error in the text. */
static void put(struct glass_filter_error *e, const char *text, const char *from, size_t len)
{
	e->at = from - text;
	e->len = len;
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

/* Finds the invalid one of the words joined by commas, and suggests a valid one. */
static void unknown_word(const char *text, const struct pair *p, int key,
			 struct glass_filter_error *e)
{
	char word[64], site = site_of(text);
	const char *at = p->value, *end = p->value + p->value_len, *near;

	for (;;) {
		size_t len = strcspn(at, ", \t\n");

		snprintf(word, sizeof(word), "%.*s", (int)len, at);
		if (!has_word(key, site, word) || at + len >= end) {
			put(e, text, len ? at : p->key, len ? len : p->key_len + 1);
			break;
		}
		at += len + 1;
	}
	near = nearest_word(key, site, word);
	if (key == GLASS_RK_ERR && strspn(word, "0123456789") == strlen(word))
		snprintf(e->text, sizeof(e->text), "`err` is a name such as ENOMEM, or a number from 1 to 4095");
	else if (key == GLASS_RK_ACT)
		snprintf(e->text, sizeof(e->text), "there is no action `%s`%s%s%s", word,
			 near ? "; did you mean `" : "; \"ibinject help actions\" lists them",
			 near ? near : "", near ? "`?" : "");
	else
		snprintf(e->text, sizeof(e->text), "`%s` has no word `%s`%s%s%s", keys[key].word,
			 word, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static void unknown_key(const char *text, const struct pair *p, struct glass_filter_error *e)
{
	char word[64];
	const char *near;

	snprintf(word, sizeof(word), "%.*s", (int)p->key_len, p->key);
	near = nearest_key(word);
	put(e, text, p->key, p->key_len);
	snprintf(e->text, sizeof(e->text), "there is no key `%s`%s%s%s", word,
		 near ? "; did you mean `" : "; \"ibinject help keys\" lists them",
		 near ? near : "", near ? "`?" : "");
}

void rule_locate(const char *text, const char *told, struct glass_filter_error *e)
{
	size_t told_len = strcspn(told, "\n");
	const char *why = strstr(told, ": ");
	struct pair p;
	int key;

	e->at = strlen(text);
	e->len = 0;
	snprintf(e->text, sizeof(e->text), "%.*s", (int)told_len, told);
	if (!why)
		return;
	if (!strncmp(told, "add: ", 5)) {
		/* the whole rule is wrong: show the end of the text, where something is missing */
		snprintf(e->text, sizeof(e->text), "%.*s", (int)(told_len - 5), told + 5);
		e->len = 1;
		return;
	}
	if (!find_told(text, told, why - told, &p))
		return;
	key = find_key(p.key, p.key_len);
	if (p.value && key < 0) {
		unknown_key(text, &p, e);
	} else if (p.value &&
		   (!strncmp(why, ": unknown word", 14) || !strncmp(why, ": unknown action", 16))) {
		unknown_word(text, &p, key, e);
	} else {
		put(e, text, p.key, p.key_len + (p.value ? p.value_len + 1 : 0));
		snprintf(e->text, sizeof(e->text), "%.*s", (int)told_len, told);
	}
}

bool rule_check(const char *text, struct glass_rule *rule, struct glass_filter_error *error)
{
	char line[sizeof(COMMAND) + GLASS_RULE_LINE + 1], told[GLASS_RULE_ERROR];
	struct glass_rule_error why;
	static struct glass_rule own;
	int n = snprintf(line, sizeof(line), "%s%s", COMMAND, text);

	/* too long text: the parser rejects it at the first byte beyond its limit */
	n = min_t(size_t, n, sizeof(line) - 1);
	if (!glass_rule_parse(line, n, rule ? rule : &own, &why))
		return true;
	glass_rule_error_text(told, &why, line, n, NULL);
	rule_locate(text, told, error);
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
