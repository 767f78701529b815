// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "lib/filter_internal.h"

const char *compare_op_word(enum compare_op op)
{
	static const char *const words[] = {
		[COMPARE_HAS] = "",  [COMPARE_EQ] = "==", [COMPARE_NE] = "!=",
		[COMPARE_LT] = "<",  [COMPARE_LE] = "<=", [COMPARE_GT] = ">",
		[COMPARE_GE] = ">=", [COMPARE_IN] = "in", [COMPARE_LIKE] = "~",
	};

	return words[op];
}

void filter_print_number(FILE *to, int field, uint64_t value)
{
	switch (glass_field_unit(field)) {
	case GLASS_UNIT_hex:
		fprintf(to, "0x%" PRIx64, value);
		break;
	case GLASS_UNIT_signed:
		fprintf(to, "%" PRId64, (int64_t)value);
		break;
	default:
		fprintf(to, "%" PRIu64, value);
	}
}

static void print_text(FILE *to, const char *text)
{
	const unsigned char *c;

	putc('"', to);
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(to, "\\%c", *c);
		else if (*c < 0x20 || *c >= 0x7f)
			fprintf(to, "\\x%02x", *c);
		else
			putc(*c, to);
	}
	putc('"', to);
}

static void print_value(FILE *to, const struct node *n, const struct glass_filter_value *v)
{
	if (!v->text) {
		filter_print_number(to, n->field, filter_order(n->field, v->low));
		if (v->high != v->low) {
			fputs("..", to);
			filter_print_number(to, n->field, filter_order(n->field, v->high));
		}
	} else if (glass_field_type(n->field) == GLASS_FIELD_IS_TEXT || n->op == COMPARE_LIKE) {
		print_text(to, v->text);
	} else {
		fputs(v->text, to);
	}
}

static void print_comparison(FILE *to, const struct node *n)
{
	/* one range needs no braces */
	bool braces =
		n->op == COMPARE_IN && (n->num_values > 1 || n->values[0].low == n->values[0].high);
	size_t i;

	fputs(glass_field_name(n->field), to);
	if (n->op == COMPARE_HAS)
		return;
	fprintf(to, n->op == COMPARE_IN ? " %s " : "%s", compare_op_word(n->op));
	if (braces)
		putc('{', to);
	for (i = 0; i < n->num_values; i++) {
		if (i)
			putc(',', to);
		print_value(to, n, &n->values[i]);
	}
	if (braces)
		putc('}', to);
}

static void print_node(FILE *to, const struct node *n, bool in_parentheses)
{
	const struct node *child;

	if (in_parentheses)
		putc('(', to);
	switch (n->kind) {
	case NODE_AND:
	case NODE_OR:
		for (child = n->child; child; child = child->next) {
			if (child != n->child)
				fputs(n->kind == NODE_AND ? " && " : " || ", to);
			print_node(to, child, n->kind == NODE_AND && child->kind == NODE_OR);
		}
		break;
	case NODE_NOT:
		putc('!', to);
		print_node(to, n->child,
			   n->child->kind != NODE_NOT &&
				   (n->child->kind != NODE_COMPARE || n->child->op != COMPARE_HAS));
		break;
	case NODE_COMPARE:
		print_comparison(to, n);
		break;
	}
	if (in_parentheses)
		putc(')', to);
}

void glass_filter_print(FILE *to, const struct glass_filter *filter)
{
	print_node(to, filter->root, false);
}

static bool equal_values(const struct node *a, const struct node *b)
{
	size_t i;

	for (i = 0; i < a->num_values; i++) {
		const struct glass_filter_value *v = &a->values[i], *w = &b->values[i];

		if (!v->text != !w->text || v->low != w->low || v->high != w->high ||
		    (v->text && strcmp(v->text, w->text)))
			return false;
	}
	return true;
}

static bool equal_nodes(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == NODE_COMPARE)
		return a->op == b->op && a->field == b->field && a->num_values == b->num_values &&
		       equal_values(a, b);
	for (a = a->child, b = b->child; a && b; a = a->next, b = b->next)
		if (!equal_nodes(a, b))
			return false;
	return a == b;
}

bool glass_filter_equal(const struct glass_filter *a, const struct glass_filter *b)
{
	return equal_nodes(a->root, b->root);
}

/* ---- errors */

#define SHOWN 72 /* bytes of the filter that are shown */

void glass_filter_explain(FILE *to, const char *program, const char *text,
			  const struct glass_filter_error *error)
{
	size_t len = strlen(text), from = 0, until, at, i;

	fprintf(to, "%s: %s\n", program, error->text);
	at = error->at < len ? error->at : len;
	if (len > SHOWN && at > SHOWN / 2)
		from = at - SHOWN / 2;
	until = from + SHOWN < len ? from + SHOWN : len;
	fputs(from ? "  ..." : "  ", to);
	for (i = from; i < until; i++)
		putc(text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?', to);
	fprintf(to, "%s\n%*s", until < len ? "..." : "", (int)(at - from + (from ? 5 : 2)), "");
	putc('^', to);
	for (i = at + 1; i < at + error->len && i < until; i++)
		putc('^', to);
	putc('\n', to);
}

/* ---- the lowered form */

/* As in debugfs: what is not a letter, a digit or one of ._:/- is %XX, and empty text is %. */
static void print_encoded(FILE *to, const char *text, bool pattern)
{
	const char *c;

	if (!*text)
		putc('%', to);
	for (c = text; *c; c++) {
		if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= '0' && *c <= '9') || strchr("._:/", *c) || (*c == '-' && c != text) ||
		    (pattern && strchr("*?", *c)))
			putc(*c, to);
		else
			fprintf(to, "%%%02X", (unsigned char)*c);
	}
}

static void print_pair(FILE *to, const struct glass_filter_pair *pair)
{
	int field = pair->key->field;
	size_t i;

	fprintf(to, "%s=", glass_field_name(field));
	for (i = 0; i < pair->num_values; i++) {
		const struct glass_filter_value *v = &pair->values[i];

		if (i)
			putc(',', to);
		if (v->text) {
			print_encoded(to, v->text, pair->pattern);
			continue;
		}
		filter_print_number(to, field, v->low);
		if (v->high != v->low) {
			fputs("..", to);
			filter_print_number(to, field, v->high);
		}
	}
}

void glass_filter_term_print(FILE *to, const struct glass_filter_term *term)
{
	size_t i;

	for (i = 0; i < term->num_pairs; i++) {
		if (i)
			putc(' ', to);
		print_pair(to, &term->pairs[i]);
	}
}
