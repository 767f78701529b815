// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses text to a tree. Only parentheses and ! nest, and the depth is limited: code may walk a
 * tree recursively.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/filter_internal.h"

/* Enough for a filter of the maximum length, with a reserve */
#define PARSE_MEMORY (1 << 20)

struct parser {
	struct lexer lexer;
	struct token token; /* the next token */
	const struct glass_filter_scope *scope;
	unsigned int depth;
	size_t end; /* end of the previous token */
};

bool filter_error(struct glass_filter_error *error, size_t at, size_t len, const char *format, ...)
{
	va_list args;
	char *c;

	error->at = at;
	error->len = len;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	/* the message goes to a terminal, but a quoted string may hold any byte */
	for (c = error->text; *c; c++)
		if (*c < 0x20 || *c >= 0x7f)
			*c = '?';
	return false;
}

#define REFUSE(p, at, len, ...) filter_error((p)->lexer.error, at, len, __VA_ARGS__)

/* Refuses the next token. */
#define REFUSE_HERE(p, ...) REFUSE(p, (p)->token.at, (p)->token.len, __VA_ARGS__)

static bool advance(struct parser *p)
{
	p->end = p->token.at + p->token.len;
	return filter_next_token(&p->lexer, &p->token);
}

static struct node *new_node(struct parser *p, enum node_kind kind, size_t at)
{
	struct node *n = arena_alloc(p->lexer.arena, sizeof(*n));

	if (!n) {
		REFUSE_HERE(p, "out of memory");
		return NULL;
	}
	n->kind = kind;
	n->at = at;
	return n;
}

/* ---- values */

/* A name in an error, cut at the maximum length of a name */
#define SHORT "`%.40s`"

/* Does text begin like a number? Only a number begins with '-'. */
static bool is_number(const char *text)
{
	return text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
}

static bool unit_factor(enum glass_unit unit, const char *suffix, uint64_t *factor)
{
	static const struct {
		enum glass_unit unit;
		const char *suffix;
		uint64_t factor;
	} suffixes[] = {
		{ GLASS_UNIT_ns, "ns", 1 },
		{ GLASS_UNIT_ns, "us", 1000 },
		{ GLASS_UNIT_ns, "ms", 1000000 },
		{ GLASS_UNIT_ns, "s", 1000000000 },
		{ GLASS_UNIT_ns, "min", 60000000000 },
		{ GLASS_UNIT_ns, "h", 3600000000000 },
		{ GLASS_UNIT_bytes, "k", 1 << 10 },
		{ GLASS_UNIT_bytes, "m", 1 << 20 },
		{ GLASS_UNIT_bytes, "g", 1 << 30 },
	};
	size_t i;

	*factor = 1;
	if (!*suffix)
		return true;
	if (unit == GLASS_UNIT_byte_rate)
		unit = GLASS_UNIT_bytes;
	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (suffixes[i].unit != unit || strcmp(suffixes[i].suffix, suffix))
			continue;
		*factor = suffixes[i].factor;
		return true;
	}
	return false;
}

/*
 * Reads digits, decimal or 0x. *end points behind them, or to text if there are none. Returns false
 * if the number is too large.
 */
static bool read_digits(const char *text, uint64_t *value, char **end)
{
	const char *digits = text;
	unsigned int base = 10;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		digits += 2;
	}
	*value = 0;
	*end = (char *)text;
	/* strtoull would accept a sign, and a second 0x */
	if (!isxdigit((unsigned char)digits[0]) ||
	    (base == 16 && (digits[1] == 'x' || digits[1] == 'X')))
		return true;
	errno = 0;
	*value = strtoull(digits, end, base);
	return errno != ERANGE;
}

/* Applies factor and sign. Returns false on overflow. */
static bool finish_number(enum glass_unit unit, uint64_t factor, bool negative, uint64_t *value)
{
	if (__builtin_mul_overflow(*value, factor, value))
		return false;
	if (unit != GLASS_UNIT_signed)
		return true;
	if (*value > INT64_MAX + (uint64_t)negative)
		return false;
	if (negative)
		*value = -*value;
	return true;
}

static bool parse_number(struct parser *p, int field, uint64_t *value)
{
	const char *text = p->token.text, *name = glass_field_name(field);
	enum glass_unit unit = glass_field_unit(field);
	bool negative = text[0] == '-', fits;
	uint64_t factor;
	char *end;

	if (p->token.kind != TOKEN_WORD || !is_number(text))
		return REFUSE_HERE(p, "`%s` is a number, decimal or 0x", name);
	if (negative && unit != GLASS_UNIT_signed)
		return REFUSE_HERE(p, "`%s` is never negative", name);
	text += negative;
	fits = read_digits(text, value, &end);
	if (end == text || !unit_factor(unit, end, &factor))
		return REFUSE_HERE(p, SHORT " is no number%s", p->token.text,
				   unit == GLASS_UNIT_ns ? " (there are ns us ms s min h)"
				   : unit == GLASS_UNIT_bytes || unit == GLASS_UNIT_byte_rate
					   ? " (there are k m g)"
					   : "");
	if (!fits || !finish_number(unit, factor, negative, value))
		return REFUSE_HERE(p, SHORT " does not fit in 64 bits", p->token.text);
	*value = filter_order(field, *value);
	return true;
}

/* Returns a word of the field, as an example for an error. */
static const char *some_word(int field)
{
	int i = 0;

	while (!glass_field_word(field, i))
		i++;
	return glass_field_word(field, i);
}

static bool parse_word(struct parser *p, int field, const char **value)
{
	const char *name = glass_field_name(field), *near;
	int word;

	if (p->token.kind == TOKEN_WORD && is_number(p->token.text))
		return REFUSE_HERE(p, "`%s` takes words such as `%s`, not numbers", name,
				   some_word(field));
	word = glass_field_find_word(field, p->token.text);
	if (word >= 0) {
		*value = glass_field_word(field, word);
		return true;
	}
	near = filter_nearest_word(field, p->token.text);
	if (near)
		return REFUSE_HERE(p, "`%s` is never " SHORT "; did you mean `%s`?", name,
				   p->token.text, near);
	return REFUSE_HERE(p, "`%s` is never " SHORT "; `%s` is one of its words", name,
			   p->token.text, some_word(field));
}

/* Refuses a pattern that matches no word of the field: it is a typing error. */
static bool parse_word_pattern(struct parser *p, int field, const char **value)
{
	int i;

	*value = p->token.text;
	for (i = 0; i < glass_field_word_max(field); i++)
		if (glass_field_word(field, i) && filter_like(*value, glass_field_word(field, i)))
			return true;
	return REFUSE_HERE(p, "no word of `%s` is like " SHORT "; `%s` is one of them",
			   glass_field_name(field), *value, some_word(field));
}

/* Is the text entirely a number, decimal or 0x? */
static bool is_all_number(const char *text)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text + (text[0] == '-');

	return *digits && !digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")];
}

/* Parses one value for the comparison into v and consumes the token. */
static bool parse_value(struct parser *p, const struct node *n, struct glass_filter_value *v)
{
	const char *name = glass_field_name(n->field);

	if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_STRING)
		return REFUSE_HERE(p, "expected a value for `%s`", name);
	switch (glass_field_type(n->field)) {
	case GLASS_FIELD_IS_NUMBER:
		if (!parse_number(p, n->field, &v->low))
			return false;
		v->high = v->low;
		break;
	case GLASS_FIELD_IS_WORD:
	case GLASS_FIELD_IS_FLAGS:
		if (!(n->op == COMPARE_LIKE ? parse_word_pattern : parse_word)(p, n->field,
									       &v->text))
			return false;
		break;
	case GLASS_FIELD_IS_TEXT:
		if (p->token.kind == TOKEN_WORD && is_all_number(p->token.text))
			return REFUSE_HERE(p, "`%s` is text, not a number; as text it is \"%.40s\"",
					   name, p->token.text);
		v->text = p->token.text;
		break;
	}
	return advance(p);
}

/* Parses a value, or a range of numbers. *range tells which. */
static bool parse_range(struct parser *p, const struct node *n, struct glass_filter_value *v,
			bool *range)
{
	size_t at = p->token.at;
	struct glass_filter_value high = { 0 };

	if (!parse_value(p, n, v))
		return false;
	*range = p->token.kind == TOKEN_RANGE;
	if (!*range)
		return true;
	if (glass_field_type(n->field) != GLASS_FIELD_IS_NUMBER)
		return REFUSE_HERE(p, "`%s` is no number: it has no ranges",
				   glass_field_name(n->field));
	if (!advance(p) || !parse_value(p, n, &high))
		return false;
	v->high = high.high;
	if (v->high < v->low)
		return REFUSE(p, at, p->end - at, "an empty range: the lower end comes first");
	return true;
}

/* A list of values, kept until their number is known. */
struct collected {
	struct collected *next;
	struct glass_filter_value value;
};

static bool keep_values(struct parser *p, struct node *n, const struct collected *first)
{
	const struct collected *c;
	size_t i = 0;

	for (c = first; c; c = c->next)
		n->num_values++;
	n->values = arena_alloc(p->lexer.arena, n->num_values * sizeof(*n->values));
	if (!n->values)
		return REFUSE(p, n->at, p->end - n->at, "out of memory");
	for (c = first; c; c = c->next)
		n->values[i++] = c->value;
	return true;
}

static bool parse_set(struct parser *p, struct node *n)
{
	struct collected *first = NULL, **tail = &first;
	size_t at = p->token.at;
	bool range;

	do {
		if (!advance(p)) /* skip { or , */
			return false;
		*tail = arena_alloc(p->lexer.arena, sizeof(**tail));
		if (!*tail)
			return REFUSE_HERE(p, "out of memory");
		if (!parse_range(p, n, &(*tail)->value, &range))
			return false;
		tail = &(*tail)->next;
	} while (p->token.kind == TOKEN_COMMA);
	if (p->token.kind == TOKEN_END)
		return REFUSE(p, at, 1, "this { is not closed");
	if (p->token.kind != TOKEN_RIGHT_BRACE)
		return REFUSE_HERE(p, "expected , or }");
	return advance(p) && keep_values(p, n, first);
}

/* Parses the right side of `in`: {VALUE, LOW..HIGH, ...} or a single LOW..HIGH. */
static bool parse_in(struct parser *p, struct node *n)
{
	struct collected one = { 0 };
	size_t at = p->token.at;
	bool range;

	if (p->token.kind == TOKEN_LEFT_BRACE)
		return parse_set(p, n);
	if (glass_field_type(n->field) != GLASS_FIELD_IS_NUMBER)
		return REFUSE_HERE(p, "expected { and a list of values");
	if (p->token.kind != TOKEN_WORD)
		return REFUSE_HERE(p, "expected {VALUE, ...} or LOW..HIGH");
	if (!parse_range(p, n, &one.value, &range))
		return false;
	if (!range)
		return REFUSE(p, at, p->end - at, "expected {VALUE, ...} or LOW..HIGH");
	return keep_values(p, n, &one);
}

/* ---- comparisons */

static bool check_type(struct parser *p, const struct node *n)
{
	const char *name = glass_field_name(n->field);
	enum glass_field_type type = glass_field_type(n->field);

	switch (n->op) {
	case COMPARE_LT:
	case COMPARE_LE:
	case COMPARE_GT:
	case COMPARE_GE:
		if (type == GLASS_FIELD_IS_NUMBER)
			return true;
		return REFUSE_HERE(p, "`%s` has no order: it is %s", name,
				   type == GLASS_FIELD_IS_TEXT ? "text" : "a word");
	case COMPARE_LIKE:
		if (type != GLASS_FIELD_IS_NUMBER)
			return true;
		return REFUSE_HERE(p, "`%s` is a number: ~ compares text and words", name);
	default:
		return true;
	}
}

static int unknown_field(struct parser *p)
{
	const char *name = p->token.text, *near = filter_nearest_field(name, p->scope);
	int other;

	if (p->scope && glass_field_find(name) >= 0)
		REFUSE_HERE(p, "%s has no `%s`", p->scope->what, name);
	else if ((other = filter_field_of_word(name, p->scope)) >= 0)
		REFUSE_HERE(p, "`%s` is a value: did you mean %s==%s?", name,
			    glass_field_name(other), name);
	else if (is_number(name))
		REFUSE_HERE(p, "a comparison begins with a field, not with a value");
	else if (near)
		REFUSE_HERE(p, "there is no field " SHORT "; did you mean `%s`?", name, near);
	else
		REFUSE_HERE(p, "there is no field " SHORT, name);
	return -1;
}

static int parse_field(struct parser *p)
{
	int field;

	if (p->token.kind != TOKEN_WORD) {
		if (p->token.kind == TOKEN_END)
			REFUSE_HERE(p, "the filter ends where a comparison is expected");
		else
			REFUSE_HERE(p, "expected the name of a field");
		return -1;
	}
	field = glass_field_find(p->token.text);
	if (field < 0 || !filter_in_scope(p->scope, field))
		return unknown_field(p);
	return field;
}

static bool parse_operand(struct parser *p, struct node *n)
{
	struct collected one = { 0 };

	if (n->op == COMPARE_IN)
		return parse_in(p, n);
	if (p->token.kind == TOKEN_LEFT_BRACE)
		return REFUSE_HERE(p, "write `in` before a list of values");
	if (!parse_value(p, n, &one.value))
		return false;
	if (p->token.kind == TOKEN_RANGE)
		return REFUSE_HERE(p, "write `in` before a range");
	return keep_values(p, n, &one);
}

static struct node *parse_comparison(struct parser *p)
{
	struct node *n;
	int field = parse_field(p);

	if (field < 0)
		return NULL;
	n = new_node(p, NODE_COMPARE, p->token.at);
	if (!n || !advance(p))
		return NULL;
	n->field = field;
	n->op = COMPARE_HAS;
	if (p->token.kind == TOKEN_COMPARE)
		n->op = p->token.op;
	else if (p->token.kind == TOKEN_WORD && !strcmp(p->token.text, "in"))
		n->op = COMPARE_IN;
	else if (p->token.kind == TOKEN_WORD || p->token.kind == TOKEN_STRING ||
		 p->token.kind == TOKEN_RANGE || p->token.kind == TOKEN_LEFT_BRACE) {
		REFUSE_HERE(p, "expected == != < <= > >= in or ~ after `%s`",
			    glass_field_name(field));
		return NULL;
	}
	if (n->op != COMPARE_HAS && (!check_type(p, n) || !advance(p) || !parse_operand(p, n)))
		return NULL;
	n->len = p->end - n->at;
	return n;
}

/* ---- the tree */

static struct node *parse_or(struct parser *p);

static bool enter(struct parser *p)
{
	if (++p->depth > GLASS_FILTER_DEPTH)
		return REFUSE_HERE(p, "more than %d nested ( and !", GLASS_FILTER_DEPTH);
	return true;
}

static struct node *parse_not(struct parser *p);

static struct node *parse_group(struct parser *p)
{
	size_t at = p->token.at;
	struct node *n;

	if (!enter(p) || !advance(p))
		return NULL;
	n = parse_or(p);
	if (!n)
		return NULL;
	if (p->token.kind == TOKEN_END) {
		REFUSE(p, at, 1, "this ( is not closed");
		return NULL;
	}
	if (p->token.kind != TOKEN_RIGHT) {
		REFUSE_HERE(p, "expected && || or )");
		return NULL;
	}
	p->depth--;
	return advance(p) ? n : NULL;
}

static struct node *parse_unary(struct parser *p)
{
	if (p->token.kind == TOKEN_NOT)
		return parse_not(p);
	if (p->token.kind == TOKEN_LEFT)
		return parse_group(p);
	return parse_comparison(p);
}

static struct node *parse_not(struct parser *p)
{
	struct node *n = new_node(p, NODE_NOT, p->token.at);
	bool counts;

	if (!n || !advance(p))
		return NULL;
	/* "!(" counts as one level: !a==1 and its canonical form !(a==1) have equal depth */
	counts = p->token.kind != TOKEN_LEFT;
	if (counts && !enter(p))
		return NULL;
	n->child = parse_unary(p);
	if (!n->child)
		return NULL;
	n->len = p->end - n->at;
	p->depth -= counts;
	return n;
}

/* Appends n. If n is of the parent's kind, appends the children of n instead. */
static struct node **append(struct node *parent, struct node **tail, struct node *n)
{
	*tail = n->kind == parent->kind ? n->child : n;
	while (*tail)
		tail = &(*tail)->next;
	return tail;
}

static struct node *parse_list(struct parser *p, enum node_kind kind, enum token_kind separator,
			       struct node *(*parse)(struct parser *p))
{
	size_t at = p->token.at;
	struct node *first = parse(p), *list, **tail;

	if (!first || p->token.kind != separator)
		return first;
	list = new_node(p, kind, at);
	if (!list)
		return NULL;
	tail = append(list, &list->child, first);
	while (p->token.kind == separator) {
		struct node *n = advance(p) ? parse(p) : NULL;

		if (!n)
			return NULL;
		tail = append(list, tail, n);
	}
	list->len = p->end - at;
	return list;
}

static struct node *parse_and(struct parser *p)
{
	return parse_list(p, NODE_AND, TOKEN_AND, parse_unary);
}

static struct node *parse_or(struct parser *p)
{
	return parse_list(p, NODE_OR, TOKEN_OR, parse_and);
}

static bool refuse_rest(struct parser *p)
{
	static const char *const written[][2] = {
		{ "and", "&&" }, { "or", "||" }, { "not", "!" }, { "AND", "&&" }, { "OR", "||" },
	};
	size_t i;

	for (i = 0; i < sizeof(written) / sizeof(*written); i++)
		if (p->token.kind == TOKEN_WORD && !strcmp(p->token.text, written[i][0]))
			return REFUSE_HERE(p, "\"%s\" is written %s", written[i][0], written[i][1]);
	return REFUSE_HERE(p, "expected && or || here, or the end");
}

static struct node *parse_all(struct parser *p)
{
	struct node *root;

	if (!advance(p))
		return NULL;
	root = parse_or(p);
	if (root && p->token.kind != TOKEN_END) {
		refuse_rest(p);
		return NULL;
	}
	return root;
}

struct glass_filter *glass_filter_parse(const char *text, const struct glass_filter_scope *scope,
					struct glass_filter_error *error)
{
	struct glass_filter *f;
	struct parser p = { .lexer = { .text = text, .error = error }, .scope = scope };

	memset(error, 0, sizeof(*error));
	if (strnlen(text, GLASS_FILTER_TEXT + 1) > GLASS_FILTER_TEXT) {
		filter_error(error, 0, 0, "the filter is longer than %d bytes", GLASS_FILTER_TEXT);
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (!f) {
		filter_error(error, 0, 0, "out of memory");
		return NULL;
	}
	arena_init(&f->arena, PARSE_MEMORY);
	p.lexer.arena = &f->arena;
	f->root = parse_all(&p);
	if (!f->root) {
		glass_filter_free(f);
		return NULL;
	}
	return f;
}

void glass_filter_free(struct glass_filter *filter)
{
	if (!filter)
		return;
	arena_free(&filter->arena);
	free(filter);
}
