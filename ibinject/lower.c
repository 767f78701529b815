// SPDX-License-Identifier: GPL-2.0-only
/* Lowers a filter to the selectors of rules. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ibinject.h"
#include "short.h"

/* Limits a range to numbers that are valid for the key. Returns false if none is. */
static bool cut_range(enum glass_action act, enum glass_rule_key key, uint64_t *low, uint64_t *high)
{
	u64 least, most;

	glass_rule_bounds(act, key, &least, &most);
	if (*low < least)
		*low = least;
	if (*high > most)
		*high = most;
	return *low <= *high;
}

static void put_name(FILE *to, const char *text, bool pattern)
{
	for (; *text; text++) {
		unsigned char c = *text;

		if (c <= ' ' || c >= 0x7f || strchr("%=,", c) || (!pattern && strchr("*?", c)))
			fprintf(to, "%%%02x", c);
		else
			fputc(c, to);
	}
}

static bool word_fits(enum glass_rule_key key, char site, const char *word)
{
	const char *w;
	size_t i;

	for (i = 0; (w = key_word(key, site, i)); i++)
		if (!strcmp(w, word))
			return true;
	return false;
}

static void put_number(FILE *to, int field, uint64_t v)
{
	fprintf(to, glass_field_unit(field) == GLASS_UNIT_hex ? "0x%" PRIx64 : "%" PRIu64, v);
}

/* Returns false if none of the values is possible. */
static bool put_pair(FILE *to, const struct glass_filter_pair *p, enum glass_action act)
{
	const char *name = glass_field_name(p->key->field);
	enum glass_rule_key key = find_key(name, strlen(name));
	bool any = false;
	size_t i;

	fprintf(to, "%s=", name);
	for (i = 0; i < p->num_values; i++) {
		const struct glass_filter_value *v = &p->values[i];
		uint64_t low = v->low, high = v->high;

		if (glass_field_type(p->key->field) == GLASS_FIELD_IS_TEXT) {
			put_name(to, v->text, p->pattern);
		} else if (v->text) {
			if (!word_fits(key, acts[act].site, v->text))
				continue;
			fprintf(to, "%s%s", any ? "," : "", v->text);
		} else {
			if (!cut_range(act, key, &low, &high))
				continue;
			put_number(to, p->key->field, low);
			if (high != low) {
				fputs("..", to);
				put_number(to, p->key->field, high);
			}
		}
		any = true;
	}
	return any;
}

/* Adds the selectors of a term, unless it can never match. */
static void put_term(struct texts *to, const struct glass_filter_term *term, enum glass_action act)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);
	bool possible = f;

	for (i = 0; f && i < term->num_pairs; i++) {
		if (i)
			fputc(' ', f);
		possible &= put_pair(f, &term->pairs[i], act);
	}
	if (f)
		fclose(f);
	if (possible)
		to->text[to->count++] = text;
	else
		free(text);
}

struct fields {
	struct glass_filter_key key[GLASS_RK_KEYS];
	int field[GLASS_RK_KEYS];
	size_t count;
};

/* Finds the fields of filters that are also selectors of that site. */
static void find_fields(struct fields *f, char site)
{
	int k;

	for (k = f->count = 0; k < GLASS_RK_KEYS; k++) {
		int field = glass_field_find(keys[k].word);
		bool words = !strcmp(keys[k].value, "words");

		if (field < 0 || keys[k].group != IN_SELECT || !strchr(keys[k].sites, site))
			continue;
		f->field[f->count] = field;
		f->key[f->count++] = (struct glass_filter_key){
			.field = field,
			.max_values = words ? GLASS_WORDS_MAX : 1,
			.ranges = !strcmp(keys[k].value, "range"),
			.patterns = !strcmp(keys[k].value, "text"),
		};
	}
}

static bool lower(const struct glass_filter *filter, const struct fields *f, enum glass_action act,
		  struct texts *to, struct glass_filter_error *error)
{
	const struct glass_filter_target target = { "a rule", f->key, f->count, 0 };
	struct glass_filter_terms *terms = glass_filter_lower(filter, &target, error);
	size_t i;

	if (!terms)
		return false;
	to->text = calloc(terms->num_terms + 1, sizeof(*to->text));
	for (i = 0; to->text && i < terms->num_terms; i++)
		put_term(to, &terms->terms[i], act);
	glass_filter_terms_free(terms);
	return to->text;
}

static bool refuse(struct glass_filter_error *error, const char *filter, const char *why)
{
	error->at = 0;
	error->len = filter ? strlen(filter) : 0;
	snprintf(error->text, sizeof(error->text), "%s", why);
	return false;
}

static bool selectors(const char *filter, enum glass_action act, struct texts *to,
		      struct glass_filter_error *error)
{
	char site = acts[act].site;
	struct glass_filter_scope scope;
	struct glass_filter *parsed;
	struct fields f;
	char what[48];
	bool ok;

	if (!filter) {
		to->text = calloc(1, sizeof(*to->text));
		to->text[to->count++] = strdup("");
		return true;
	}
	find_fields(&f, site);
	snprintf(what, sizeof(what), "a rule on %s", site_name(site));
	scope = (struct glass_filter_scope){ what, f.field, f.count };
	parsed = glass_filter_parse(filter, &scope, error);
	if (!parsed)
		return false;
	ok = lower(parsed, &f, act, to, error);
	glass_filter_free(parsed);
	if (ok && !to->count) {
		snprintf(what, sizeof(what), "this filter never matches %s", site_name(site));
		return refuse(error, filter, what);
	}
	return ok;
}

/*
 * Returns a key that counts or is random, or NULL. Split over several rules, such a key changes its
 * meaning.
 */
static const char *counting_key(const struct given_keys *given)
{
	int k;

	for (k = 0; k < GLASS_RK_KEYS; k++)
		if (given->value[k] && (keys[k].group == IN_TRIGGER || k == GLASS_RK_COUNT) &&
		    k != GLASS_RK_AFTER && k != GLASS_RK_WINDOW && k != GLASS_RK_SEED)
			return keys[k].word;
	return NULL;
}

static void put_given(FILE *to, const struct given_keys *given)
{
	int k;

	for (k = 0; k < GLASS_RK_KEYS; k++)
		if (given->value[k])
			fprintf(to, " %s=%s", keys[k].word, given->value[k]);
}

bool action_rules(enum glass_action act, const char *filter, const struct given_keys *given,
		  struct texts *to, struct glass_filter_error *error)
{
	const char *counts = counting_key(given);
	char why[160];
	size_t i;

	memset(to, 0, sizeof(*to));
	if (!selectors(filter, act, to, error)) {
		texts_free(to);
		return false;
	}
	if (to->count > 1 && (counts || given->value[GLASS_RK_NAME])) {
		snprintf(why, sizeof(why),
			 counts ? "this filter makes %zu rules, and each would have its own %s"
				: "this filter makes %zu rules, which cannot share one %s",
			 to->count, counts ? counts : "name");
		texts_free(to);
		return refuse(error, filter, why);
	}
	for (i = 0; i < to->count; i++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		if (!f)
			cli_die(CLI_FAILED, "out of memory");
		fprintf(f, "%s%sact=%s", to->text[i], *to->text[i] ? " " : "",
			glass_rule_action_word(act));
		put_given(f, given);
		fclose(f);
		free(to->text[i]);
		to->text[i] = text;
	}
	return true;
}

void texts_free(struct texts *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		free(t->text[i]);
	free(t->text);
	t->text = NULL;
	t->count = 0;
}
