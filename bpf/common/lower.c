// SPDX-License-Identifier: GPL-2.0-only
/* Lowers a filter, and the options that abbreviate it, to the form that BPF programs match. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "lib/filter.h"
#include "uapi/glass-enums.h"

enum how { HOW_NUM, HOW_TEXT, HOW_SIGNED, HOW_WORDS };

struct word_list {
	const char *const *words;
	size_t count;
};

static enum how key_how(enum filter_key key)
{
#define HOW_CASE(k, field, words)                               \
	case KEY_##k:                                           \
		return !strcmp(#words, "NUM")	   ? HOW_NUM    \
		       : !strcmp(#words, "TEXT")   ? HOW_TEXT   \
		       : !strcmp(#words, "SIGNED") ? HOW_SIGNED \
						   : HOW_WORDS;
	switch (key) {
		FILTER_KEYS(HOW_CASE)
	default:
		return HOW_NUM;
	}
}

/* Keys without words get an empty table. */
#define NUM(X)	  X(NONE, , 0)
#define TEXT(X)	  X(NONE, , 0)
#define SIGNED(X) X(NONE, , 0)

static struct word_list key_words(enum filter_key key)
{
#define WORDS_CASE(k, field, words)                                              \
	case KEY_##k: {                                                          \
		static const char *const list[] = GLASS_WORDS(words);            \
		return (struct word_list){ list, sizeof(list) / sizeof(*list) }; \
	}
	switch (key) {
		FILTER_KEYS(WORDS_CASE)
	default:
		return (struct word_list){ NULL, 0 };
	}
}

static const char *key_field(enum filter_key key)
{
	static const char *const names[] = {
#define KEY_FIELD(k, field, words) [KEY_##k] = #field,
		FILTER_KEYS(KEY_FIELD)
	};

	return names[key];
}

static bool has_key(const struct tool *tool, enum filter_key key)
{
	const enum filter_key *k;

	for (k = tool->keys; *k != KEY_COUNT; k++)
		if (*k == key)
			return true;
	return false;
}

static enum filter_key key_of(const struct tool *tool, int field)
{
	const enum filter_key *k;

	for (k = tool->keys; *k != KEY_COUNT; k++)
		if (glass_field_find(key_field(*k)) == field)
			return *k;
	return KEY_COUNT;
}

static uint64_t text_hash(enum filter_key key, const char *text)
{
	union dev_name dev = { "" };
	union comm_name comm = { "" };

	if (key == KEY_DEV) {
		snprintf(dev.text, sizeof(dev.text), "%s", text);
		return hash_words(dev.word, sizeof(dev) / 8);
	}
	snprintf(comm.text, sizeof(comm.text), "%s", text);
	return hash_words(comm.word, sizeof(comm) / 8);
}

static void put_words(struct filter_pair *to, enum filter_key key,
		      const struct glass_filter_pair *p)
{
	struct word_list list = key_words(key);
	size_t i, w;

	for (i = 0; i < p->num_values; i++)
		for (w = 0; w < list.count; w++)
			if (list.words[w] && !strcmp(list.words[w], p->values[i].text))
				to->words[w / 64 & 3] |= 1ULL << (w & 63);
}

/* Returns false if no value can match. */
static bool put_pair(struct filter_pair *to, enum filter_key key, const struct glass_filter_pair *p)
{
	enum how how = key_how(key);
	size_t i;

	to->key = key;
	if (how == HOW_WORDS) {
		put_words(to, key, p);
		return to->words[0] | to->words[1] | to->words[2] | to->words[3];
	}
	for (i = 0; i < p->num_values && i < FILTER_RANGES; i++) {
		const struct glass_filter_value *v = &p->values[i];
		uint64_t bias = how == HOW_SIGNED ? SIGN_BIAS : 0;

		to->range[i][0] = how == HOW_TEXT ? text_hash(key, v->text) : v->low ^ bias;
		to->range[i][1] = how == HOW_TEXT ? to->range[i][0] : v->high ^ bias;
	}
	to->num_ranges = i;
	return true;
}

static void put_term(const struct tool *tool, struct bpf_filter *to,
		     const struct glass_filter_term *t)
{
	struct filter_term *term = &to->term[to->num_terms];
	size_t i;

	if (t->num_pairs > FILTER_PAIRS)
		cli_die(CLI_USAGE, "the filter joins more than %d fields with &&", FILTER_PAIRS);
	memset(term, 0, sizeof(*term));
	for (i = 0; i < t->num_pairs; i++)
		if (!put_pair(&term->pair[i], key_of(tool, t->pairs[i].key->field), &t->pairs[i]))
			return;
	term->num_pairs = t->num_pairs;
	to->num_terms++;
}

/* Appends one of -p, -d, -q as "&& FIELD==VALUE". */
static void add_option(const struct tool *tool, FILE *to, enum filter_key key, char option,
		       const char *value)
{
	if (!has_key(tool, key))
		cli_die(CLI_USAGE, "-%c: the events of %s have no %s", option, tool->name,
			key_field(key));
	fprintf(to, "%s%s==%s", ftell(to) ? " && " : "", key_field(key), value);
}

static char *whole_filter(const struct tool *tool)
{
	char *text = NULL, value[80];
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		cli_die(CLI_FAILED, "out of memory");
	if (tool_options.filter)
		fprintf(to, "(%s)", tool_options.filter);
	fflush(to);
	if (tool_options.has_pid) {
		snprintf(value, sizeof(value), "%" PRIu64, tool_options.pid);
		add_option(tool, to, KEY_PID, 'p', value);
	}
	if (tool_options.dev) {
		if (strlen(tool_options.dev) >= BPF_DEV_LEN || strpbrk(tool_options.dev, "\"\\"))
			cli_die(CLI_USAGE,
				"-d: '%s' is not the name of a device: it must be shorter than %d "
				"characters",
				tool_options.dev, BPF_DEV_LEN);
		snprintf(value, sizeof(value), "\"%s\"", tool_options.dev);
		add_option(tool, to, KEY_DEV, 'd', value);
	}
	if (tool_options.has_qpn) {
		snprintf(value, sizeof(value), "0x%" PRIx64, tool_options.qpn);
		add_option(tool, to, KEY_QPN, 'q', value);
	}
	fclose(to);
	return text;
}

static struct glass_filter *parse(const struct tool *tool, const char *text, const char *shown)
{
	int fields[KEY_COUNT];
	struct glass_filter_scope scope = { .fields = fields };
	struct glass_filter_error error;
	struct glass_filter *f;
	const enum filter_key *k;
	char what[80];

	snprintf(what, sizeof(what), "what %s sees", tool->name);
	scope.what = what;
	for (k = tool->keys; *k != KEY_COUNT; k++)
		fields[scope.num_fields++] = glass_field_find(key_field(*k));
	f = glass_filter_parse(text, &scope, &error);
	if (!f) {
		glass_filter_explain(stderr, tool->name, shown, &error);
		exit(CLI_USAGE);
	}
	return f;
}

void lower_filter(const struct tool *tool, struct bpf_filter *to)
{
	struct glass_filter_key keys[KEY_COUNT];
	struct glass_filter_target target = { .keys = keys, .max_terms = FILTER_TERMS };
	struct glass_filter_error error;
	struct glass_filter_terms *terms;
	struct glass_filter *f;
	const enum filter_key *k;
	char what[80], *text;
	size_t i;

	memset(to, 0, sizeof(*to));
	/* parse it alone first, so that an error shows only the user's text */
	if (tool_options.filter)
		glass_filter_free(parse(tool, tool_options.filter, tool_options.filter));
	text = whole_filter(tool);
	if (!*text) {
		free(text);
		return;
	}
	f = parse(tool, text, text);
	snprintf(what, sizeof(what), "%s's BPF program", tool->name);
	target.what = what;
	for (k = tool->keys; *k != KEY_COUNT; k++) {
		enum how how = key_how(*k);

		keys[target.num_keys++] = (struct glass_filter_key){
			.field = glass_field_find(key_field(*k)),
			.max_values = how == HOW_WORDS ? GLASS_WORDS_MAX : FILTER_RANGES,
			.ranges = how == HOW_NUM || how == HOW_SIGNED,
		};
	}
	terms = glass_filter_lower(f, &target, &error);
	if (!terms) {
		glass_filter_explain(stderr, tool->name, text, &error);
		exit(CLI_USAGE);
	}
	for (i = 0; i < terms->num_terms; i++)
		put_term(tool, to, &terms->terms[i]);
	to->active = 1;
	glass_filter_terms_free(terms);
	glass_filter_free(f);
	free(text);
}
