// SPDX-License-Identifier: GPL-2.0-only
/* Converts YAML to steps. Every error has its line and column. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "ibinject.h"
#include "lib/nearest.h"
#include "lib/printable.h"
#include "scenario.h"

struct reader {
	struct scenario *s;
	yaml_document_t doc;
	FILE *to;
	bool bad;
};

static const char *const deeds[] = {
#define SCENARIO_WORD(n, w) #w,
	SCENARIO_DEEDS(SCENARIO_WORD)
};

__attribute__((format(printf, 4, 5))) static void complain(struct reader *r, yaml_mark_t mark,
							   size_t column, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		cli_die(CLI_FAILED, "out of memory");
	va_end(args);
	/* the message quotes the file: make it printable */
	printable(text);
	fprintf(r->to, "%s:%zu:%zu: %s\n", r->s->file, mark.line + 1, mark.column + column + 1, text);
	free(text);
	r->bad = true;
}

/* Returns the text of a scalar, or NULL after an error message. */
static const char *scalar(struct reader *r, const yaml_node_t *n, const char *what)
{
	if (n->type != YAML_SCALAR_NODE) {
		complain(r, n->start_mark, 0, "%s: expected text", what);
		return NULL;
	}
	if (strlen((const char *)n->data.scalar.value) != n->data.scalar.length) {
		complain(r, n->start_mark, 0, "%s: a NUL byte", what);
		return NULL;
	}
	return (const char *)n->data.scalar.value;
}

/* Returns the number of quote characters before a scalar's text. */
static size_t quote(const yaml_node_t *n)
{
	return n->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
	       n->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
}

/* Can columns of the text be computed? Not in blocks and in text of several lines. */
static bool has_columns(const yaml_node_t *n)
{
	return n->data.scalar.style != YAML_LITERAL_SCALAR_STYLE &&
	       n->data.scalar.style != YAML_FOLDED_SCALAR_STYLE &&
	       n->start_mark.line == n->end_mark.line;
}

/* Parses a time such as "1.5s" or "200ms". Decimals are allowed. */
static bool parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 },  { "us", 1e3 },   { "ms", 1e6 },
		      { "s", 1e9 }, { "min", 6e10 }, { "h", 3.6e12 } };
	size_t i;
	double v;
	char *end;

	if (!strchr("0123456789.", *text) || !*text || strpbrk(text, "xXeEpP"))
		return false;
	v = strtod(text, &end);
	if (end == text)
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit) && v * units[i].ns < 1e18) {
			*ns = v * units[i].ns + 0.5;
			return true;
		}
	*ns = 0;
	return !strcmp(text, "0");
}

static void take_time(struct reader *r, const yaml_node_t *n, const char *what, uint64_t *ns)
{
	const char *text = scalar(r, n, what);

	if (text && !parse_time(text, ns))
		complain(r, n->start_mark, 0, "%s: '%s' is not a time (1.5s, 200ms)", what, text);
}

static void take_text(struct reader *r, const yaml_node_t *n, const char *what, char **to)
{
	const char *text = scalar(r, n, what);

	if (text)
		*to = format_text("%s", text);
}

static void take_name(struct reader *r, const yaml_node_t *n, const char *what, char **to)
{
	take_text(r, n, what, to);
	if (*to && !rule_name_ok(*to))
		complain(r, n->start_mark, 0, "%s: '%s' is not a name of a rule", what, *to);
}

/* Parses RULE or RULE:N. */
static void take_after(struct reader *r, const yaml_node_t *n, struct step *s)
{
	char *colon;
	u64 v;

	take_text(r, n, "after", &s->after);
	if (!s->after)
		return;
	s->after_times = 1;
	colon = strchr(s->after, ':');
	if (colon) {
		*colon = 0;
		if (!glass_word_number(colon + 1, strlen(colon + 1), &v) || !v)
			complain(r, n->start_mark, quote(n) + (colon - s->after) + 1,
				 "after: '%s' is not a number from 1 on", colon + 1);
		s->after_times = v;
	}
	if (!rule_name_ok(s->after))
		complain(r, n->start_mark, quote(n), "after: '%s' is not a name of a rule",
			 s->after);
}

static void take_rule(struct reader *r, const yaml_node_t *n, struct step *s)
{
	struct glass_filter_error error;
	char dev[64];
	const char *text = scalar(r, n, "add"), *rule;

	if (!text)
		return;
	rule = rule_device(text, dev, sizeof(dev));
	if (*dev)
		s->dev = format_text("%s", dev);
	s->text = format_text("%s", rule);
	s->text[strcspn(s->text, "\n")] = 0;
	s->place = (struct place){ r->s->file, n->start_mark.line + 1,
				   n->start_mark.column + quote(n) + (rule - text) + 1 };
	if (!rule_check(s->text, NULL, &error))
		complain(r, n->start_mark,
			 has_columns(n) ? quote(n) + (rule - text) + (error.len ? error.at : 0) : 0,
			 "%s", error.text);
}

static void take_range(struct reader *r, const yaml_node_t *n, const char *what, struct step *s)
{
	const char *text = scalar(r, n, what);
	u64 low, high;

	if (!text)
		return;
	if (!glass_word_range(text, strlen(text), &low, &high)) {
		complain(r, n->start_mark, 0, "%s: '%s' is not a number or LOW..HIGH", what, text);
		return;
	}
	s->low = low;
	s->high = high;
}

static void unknown(struct reader *r, const yaml_node_t *key, const char *name,
		    const char *const *names, const char *where)
{
	struct glass_nearest near = glass_nearest_to(name);
	int i;

	for (i = 0; names[i]; i++)
		glass_nearest_consider(&near, names[i]);
	complain(r, key->start_mark, 0, "%s has no '%s'%s%s%s", where, name,
		 near.found ? "; did you mean '" : "", near.found ? near.found : "",
		 near.found ? "'?" : "");
}

/* Calls take() for each pair of a mapping. take() returns false if it does not know the key. */
typedef bool (*take_fn)(struct reader *r, void *to, const char *key, const yaml_node_t *k,
			const yaml_node_t *v);

static void each_pair(struct reader *r, const yaml_node_t *n, take_fn take, void *to,
		      const char *const *names, const char *where)
{
	const yaml_node_pair_t *p, *q;

	for (p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = yaml_document_get_node(&r->doc, p->key);
		const yaml_node_t *v = yaml_document_get_node(&r->doc, p->value);
		const char *key = scalar(r, k, where);

		for (q = n->data.mapping.pairs.start; key && q < p; q++) {
			const yaml_node_t *other = yaml_document_get_node(&r->doc, q->key);

			if (other->type == YAML_SCALAR_NODE &&
			    !strcmp(key, (const char *)other->data.scalar.value)) {
				complain(r, k->start_mark, 0, "'%s' is given twice", key);
				key = NULL;
			}
		}
		if (key && !take(r, to, key, k, v))
			unknown(r, k, key, names, where);
	}
}

static bool take_expect(struct reader *r, void *to, const char *key, const yaml_node_t *k,
			const yaml_node_t *v)
{
	struct step *s = to;

	(void)k;
	if (!strcmp(key, "rule"))
		take_name(r, v, key, &s->text);
	else if (!strcmp(key, "fired"))
		take_range(r, v, key, s);
	else if (!strcmp(key, "within"))
		take_time(r, v, key, &s->within);
	else
		return false;
	return true;
}

static void take_deed(struct reader *r, struct step *s, const yaml_node_t *v)
{
	static const char *const expect[] = { "rule", "fired", "within", NULL };

	switch (s->deed) {
	case DEED_ADD:
		take_rule(r, v, s);
		break;
	case DEED_DEL:
		take_name(r, v, "del", &s->text);
		break;
	case DEED_BOOKMARK:
		take_text(r, v, "bookmark", &s->text);
		if (s->text && (!*s->text || strlen(s->text) > 200))
			complain(r, v->start_mark, 0, "a bookmark has 1 to 200 bytes");
		break;
	case DEED_EXPECT:
		s->low = 1;
		s->high = UINT64_MAX;
		if (v->type != YAML_MAPPING_NODE) {
			complain(r, v->start_mark, 0, "expect: wanted {rule: NAME, fired: N}");
			break;
		}
		each_pair(r, v, take_expect, s, expect, "expect");
		if (!s->text)
			complain(r, v->start_mark, 0, "expect: which rule?");
		break;
	case DEED_STEP:
		s->low = s->high = 1;
		if (v->type == YAML_SCALAR_NODE && !v->data.scalar.length)
			break;
		take_range(r, v, "step", s);
		if (!s->low || s->low != s->high)
			complain(r, v->start_mark, 0, "step: expected a number of packets, from 1 on");
		break;
	default:
		/* "clear:" and "release:" have a device as value, or none */
		if (v->type == YAML_SCALAR_NODE && v->data.scalar.length)
			take_text(r, v, deeds[s->deed], &s->dev);
	}
}

static bool take_step_pair(struct reader *r, void *to, const char *key, const yaml_node_t *k,
			   const yaml_node_t *v)
{
	struct step *s = to;
	int i;

	if (!strcmp(key, "at")) {
		s->timed = true;
		take_time(r, v, key, &s->at);
		return true;
	}
	if (!strcmp(key, "after")) {
		take_after(r, v, s);
		return true;
	}
	for (i = 0; i < DEED_COUNT; i++) {
		if (strcmp(key, deeds[i]))
			continue;
		if (s->deed != DEED_COUNT) {
			complain(r, k->start_mark, 0, "a step does one thing: %s, or %s",
				 deeds[s->deed], key);
			return true;
		}
		s->deed = i;
		take_deed(r, s, v);
		return true;
	}
	return false;
}

static void take_steps(struct reader *r, const yaml_node_t *n)
{
	static const char *const names[] = { "at", "after",
#define SCENARIO_NAME(n, w) #w,
					     SCENARIO_DEEDS(SCENARIO_NAME) NULL };
	const yaml_node_item_t *i;
	uint64_t last = 0;

	if (n->type != YAML_SEQUENCE_NODE) {
		complain(r, n->start_mark, 0, "steps: expected a list (- add: ...)");
		return;
	}
	r->s->step = calloc(n->data.sequence.items.top - n->data.sequence.items.start + 1,
			    sizeof(*r->s->step));
	if (!r->s->step)
		cli_die(CLI_FAILED, "out of memory");
	for (i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		const yaml_node_t *item = yaml_document_get_node(&r->doc, *i);
		struct step *s = &r->s->step[r->s->steps++];

		s->deed = DEED_COUNT;
		s->place = (struct place){ r->s->file, item->start_mark.line + 1,
					   item->start_mark.column + 1 };
		if (item->type != YAML_MAPPING_NODE) {
			complain(r, item->start_mark, 0, "expected a step, such as - add: RULE");
			continue;
		}
		each_pair(r, item, take_step_pair, s, names, "a step");
		if (s->deed == DEED_COUNT)
			complain(r, item->start_mark, 0, "this step does nothing");
		if (s->timed && s->at < last)
			complain(r, item->start_mark, 0, "this step is before the one above it");
		if (s->timed)
			last = s->at;
	}
}

static bool take_top(struct reader *r, void *to, const char *key, const yaml_node_t *k,
		     const yaml_node_t *v)
{
	(void)to;
	(void)k;
	if (!strcmp(key, "device"))
		take_text(r, v, key, &r->s->dev);
	else if (!strcmp(key, "limit"))
		take_time(r, v, key, &r->s->limit);
	else if (!strcmp(key, "steps"))
		take_steps(r, v);
	else
		return false;
	return true;
}

/* Checks that "after", "del" and "expect" refer to rules of earlier steps. */
static void check_names(struct reader *r)
{
	struct scenario *s = r->s;
	size_t i, k;

	for (i = 0; i < s->steps; i++) {
		const char *names[] = { s->step[i].after,
					s->step[i].deed == DEED_DEL ||
							s->step[i].deed == DEED_EXPECT
						? s->step[i].text
						: NULL };

		for (k = 0; k < 2; k++) {
			yaml_mark_t mark = { .line = s->step[i].place.line - 1,
					     .column = s->step[i].place.column - 1 };
			bool known = false;
			size_t n;

			for (n = 0; names[k] && n < i; n++) {
				char *word = format_text(" name=%s ", names[k]);
				char *line =
					format_text(" %s ", s->step[n].text ? s->step[n].text : "");

				known |= s->step[n].deed == DEED_ADD && strstr(line, word);
				free(word);
				free(line);
			}
			if (names[k] && !known)
				complain(r, mark, 0, "no step above adds a rule name=%s", names[k]);
		}
	}
}

static bool read_document(struct reader *r, FILE *from)
{
	static const char *const names[] = { "device", "limit", "steps", NULL };
	yaml_parser_t parser;
	yaml_node_t *root;

	if (!yaml_parser_initialize(&parser))
		cli_die(CLI_FAILED, "out of memory");
	yaml_parser_set_input_file(&parser, from);
	if (!yaml_parser_load(&parser, &r->doc)) {
		complain(r, parser.problem_mark, 0, "%s",
			 parser.problem ? parser.problem : "not YAML");
		yaml_parser_delete(&parser);
		return false;
	}
	root = yaml_document_get_root_node(&r->doc);
	if (!root || root->type != YAML_MAPPING_NODE)
		complain(r, root ? root->start_mark : parser.mark, 0,
			 "expected \"steps:\" and a list of steps");
	else
		each_pair(r, root, take_top, NULL, names, "a scenario");
	if (!r->bad && !r->s->steps)
		complain(r, root->start_mark, 0, "there are no steps");
	if (!r->bad)
		check_names(r);
	yaml_document_delete(&r->doc);
	yaml_parser_delete(&parser);
	return !r->bad;
}

bool scenario_read(struct scenario *s, const char *file, FILE *to)
{
	struct reader r = { .s = s, .to = to };
	FILE *from = fopen(file, "re");
	bool ok;

	memset(s, 0, sizeof(*s));
	s->file = file;
	if (!from) {
		fprintf(to, "%s: %s\n", file, strerror(errno));
		return false;
	}
	ok = read_document(&r, from);
	fclose(from);
	return ok;
}

void scenario_free(struct scenario *s)
{
	size_t i;

	for (i = 0; i < s->steps; i++) {
		free(s->step[i].dev);
		free(s->step[i].text);
		free(s->step[i].after);
	}
	free(s->step);
	free(s->dev);
	memset(s, 0, sizeof(*s));
}
