// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "filter_text.h"
#include "lib/debugfs/text.h"
#include "lib/filter_internal.h"

static const char *compare_op_word(enum compare_op op)
{
	static const char *const words[] = {
		[COMPARE_HAS] = "",  [COMPARE_EQ] = "==", [COMPARE_NE] = "!=",
		[COMPARE_LT] = "<",  [COMPARE_LE] = "<=", [COMPARE_GT] = ">",
		[COMPARE_GE] = ">=", [COMPARE_IN] = "in", [COMPARE_LIKE] = "~",
	};

	return words[op];
}

static void print_number(FILE *to, int field, uint64_t value)
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
		print_number(to, n->field, filter_order(n->field, v->low));
		if (v->high != v->low) {
			fputs("..", to);
			print_number(to, n->field, filter_order(n->field, v->high));
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

void filter_print(FILE *to, const struct glass_filter *filter)
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

bool filter_equal(const struct glass_filter *a, const struct glass_filter *b)
{
	return equal_nodes(a->root, b->root);
}

/* ---- the lowered form */

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
			debugfs_encode_to(to, v->text, pair->pattern ? "*?" : "");
			continue;
		}
		print_number(to, field, v->low);
		if (v->high != v->low) {
			fputs("..", to);
			print_number(to, field, v->high);
		}
	}
}

void filter_term_print(FILE *to, const struct glass_filter_term *term)
{
	size_t i;

	for (i = 0; i < term->num_pairs; i++) {
		if (i)
			putc(' ', to);
		print_pair(to, &term->pairs[i]);
	}
}

static bool value_match(int field, const struct glass_filter_value *with, bool pattern,
			const struct glass_value *v)
{
	uint64_t num;

	if (glass_field_type(field) != GLASS_FIELD_IS_NUMBER)
		return pattern ? filter_like(with->text, v->text) : !strcmp(with->text, v->text);
	num = filter_order(field, v->num);
	return num >= filter_order(field, with->low) && num <= filter_order(field, with->high);
}

static bool pair_match(const struct glass_filter_pair *pair, glass_get_fn get, const void *object)
{
	int field = pair->key->field;
	struct glass_value v = {};
	size_t i;

	if (!get(object, field, &v) || (!v.text && glass_field_type(field) != GLASS_FIELD_IS_NUMBER))
		return false;
	for (i = 0; i < pair->num_values; i++)
		if (value_match(field, &pair->values[i], pair->pattern, &v))
			return true;
	return false;
}

static bool term_match(const struct glass_filter_term *term, glass_get_fn get, const void *object)
{
	size_t i;

	for (i = 0; i < term->num_pairs; i++)
		if (!pair_match(&term->pairs[i], get, object))
			return false;
	return true;
}

bool filter_terms_match(const struct glass_filter_terms *terms, glass_get_fn get,
			const void *object)
{
	size_t i;

	for (i = 0; i < terms->num_terms; i++)
		if (term_match(&terms->terms[i], get, object))
			return true;
	return false;
}
