// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "lib/cli.h"
#include "lib/nearest.h"

#define IS_ON	  false
#define IS_COSTLY true
#define ONE_CODE(name, word, number, severity, on, title, advice, found, kinds) \
	[GLASS_LINT_##name] = { #word, title, advice, GLASS_LINT_##severity, IS_##on },

const struct code codes[GLASS_LINT_COUNT + 1] = { GLASS_LINT_CODES(ONE_CODE) };

#define ONE_SEVERITY(n, w, v) [v] = #w,

const char *const severities[GLASS_LINT_SEVERITY_COUNT] = { GLASS_LINT_SEVERITIES(ONE_SEVERITY) };

#define IS_STRICT  false
#define IS_LENIENT true
#define ONE_BEHAVIOR(n, w, kind, clause, meaning) { #w, clause, meaning, IS_##kind },

const struct behavior behaviors[GLASS_BEHAVIOR_COUNT] = { GLASS_BEHAVIORS(ONE_BEHAVIOR) };

unsigned int code_find(const char *word)
{
	const char *digits = word;
	unsigned long number;
	unsigned int i;
	char *end;

	if (toupper(digits[0]) == 'G' && toupper(digits[1]) == 'L')
		digits += 2;
	if (isdigit(*digits)) {
		number = strtoul(digits, &end, 10);
		return !*end && number <= GLASS_LINT_COUNT && codes[number].word ? number : 0;
	}
	for (i = 1; i <= GLASS_LINT_COUNT; i++)
		if (codes[i].word && !strcmp(word, codes[i].word))
			return i;
	return 0;
}

int severity_find(const char *word)
{
	int i;

	for (i = 0; i < GLASS_LINT_SEVERITY_COUNT; i++)
		if (!strcmp(word, severities[i]))
			return i;
	return -1;
}

unsigned int severity_rank(int severity)
{
	static const unsigned int rank[GLASS_LINT_SEVERITY_COUNT] = {
		[GLASS_LINT_ERROR] = 0,	  [GLASS_LINT_SECURITY] = 1,	[GLASS_LINT_LEAK] = 2,
		[GLASS_LINT_WARNING] = 3, [GLASS_LINT_PORTABILITY] = 4, [GLASS_LINT_SPEED] = 5,
	};

	return severity >= 0 && severity < GLASS_LINT_SEVERITY_COUNT ? rank[severity] : 0;
}

/* Calls `take` for each word of the list, until it returns false: the word is unknown. */
static bool each_word(const char *list, bool (*take)(const char *word, void *to), void *to,
		      const char **wrong)
{
	char *copy = format_text("%s", list), *at = copy, *word;
	bool ok = true;

	*wrong = NULL;
	while (ok && (word = strsep(&at, ","))) {
		ok = take(word, to);
		if (!ok)
			*wrong = format_text("%s", word);
	}
	free(copy);
	return ok;
}

static void consider_codes(struct glass_nearest *near)
{
	unsigned int i;

	for (i = 1; i <= GLASS_LINT_COUNT; i++)
		if (codes[i].word)
			glass_nearest_consider(near, codes[i].word);
}

/* Reports an unknown word with a suggestion, and frees it. */
static void tell_wrong(const char *where, const char *what, const char *wrong,
		       const struct glass_nearest *near, const char *help)
{
	if (near->found)
		cli_error("%s: there is no %s '%s'; did you mean %s?", where, what, wrong,
			  near->found);
	else
		cli_error("%s: there is no %s '%s'; %s", where, what, wrong, help);
	free((char *)wrong);
}

static bool take_code(const char *word, void *to)
{
	unsigned int i, number = code_find(word);
	bool all = !strcmp(word, "all"), usual = !strcmp(word, "default");
	struct glass_lint_set *set = to;

	for (i = 1; i <= GLASS_LINT_COUNT; i++)
		if (codes[i].word && (i == number || all || (usual && !codes[i].costly)))
			glass_lint_set_add(set, i);
	return number || all || usual;
}

bool codes_parse(const char *list, const char *where, struct glass_lint_set *to)
{
	struct glass_nearest near;
	const char *wrong;

	if (each_word(list, take_code, to, &wrong))
		return true;
	near = glass_nearest_to(wrong);
	consider_codes(&near);
	tell_wrong(where, "code", wrong, &near, "\"iblint --list\" lists them");
	return false;
}

/* Behaviours of one kind, strict or lenient */
struct knobs {
	bool *set, lenient;
};

static bool take_behavior(const char *word, void *to)
{
	const struct knobs *knobs = to;
	bool any = false;
	int i;

	for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++)
		if (behaviors[i].lenient == knobs->lenient &&
		    (!strcmp(word, "all") || !strcmp(word, behaviors[i].word)))
			knobs->set[i] = any = true;
	return any;
}

bool behaviors_parse(const char *list, const char *where, bool lenient,
		     bool to[GLASS_BEHAVIOR_COUNT])
{
	struct knobs knobs = { to, lenient };
	struct glass_nearest near;
	const char *wrong;
	int i;

	if (each_word(list, take_behavior, &knobs, &wrong))
		return true;
	near = glass_nearest_to(wrong);
	for (i = 0; i < GLASS_BEHAVIOR_COUNT; i++) {
		if (!strcmp(wrong, behaviors[i].word)) {
			cli_error("%s: %s is for %s=%s", where, wrong,
				  lenient ? "--strict" : "--lenient", wrong);
			free((char *)wrong);
			return false;
		}
		if (behaviors[i].lenient == lenient)
			glass_nearest_consider(&near, behaviors[i].word);
	}
	tell_wrong(where, "knob", wrong, &near, "\"iblint --list=knobs\" lists them");
	return false;
}

char *codes_text(const struct glass_lint_set *set)
{
	char *text = format_text("%s", ""), *longer;
	unsigned int i;

	for (i = 1; i <= GLASS_LINT_COUNT; i++) {
		if (!glass_lint_set_has(set, i))
			continue;
		longer = format_text("%s%sGL%03u", text, *text ? "," : "", i);
		free(text);
		text = longer;
	}
	return text;
}

char *codes_scope(const struct glass_lint_set *set)
{
	struct glass_lint_set all = { 0 }, usual = { 0 }, rest = *set;
	char *text, *list;

	take_code("all", &all);
	take_code("default", &usual);
	if (glass_lint_set_has_all(set, &all))
		return format_text("all");
	if (!glass_lint_set_has_all(set, &usual))
		return codes_text(set);
	glass_lint_set_del_all(&rest, &usual);
	list = codes_text(&rest);
	text = format_text("default%s%s", *list ? "," : "", list);
	free(list);
	return text;
}

static bool take_fail_on(const char *word, void *to)
{
	struct fail_on *f = to;
	int severity = severity_find(word), rank = -1;

	if (!strcmp(word, "never"))
		return true;
	if (!strcmp(word, "any"))
		rank = GLASS_LINT_SEVERITY_COUNT;
	else if (severity >= 0)
		rank = severity_rank(severity);
	else
		return take_code(word, &f->codes);
	if (rank > f->rank)
		f->rank = rank;
	return true;
}

bool fail_on_parse(const char *list, const char *where, struct fail_on *to)
{
	struct glass_nearest near;
	const char *wrong;
	int i;

	memset(to, 0, sizeof(*to));
	to->rank = -1;
	if (each_word(list, take_fail_on, to, &wrong))
		return true;
	near = glass_nearest_to(wrong);
	for (i = 0; i < GLASS_LINT_SEVERITY_COUNT; i++)
		glass_nearest_consider(&near, severities[i]);
	consider_codes(&near);
	tell_wrong(where, "severity or code", wrong, &near,
		   "there are error, security, leak, warning, portability, speed, any, never");
	return false;
}
