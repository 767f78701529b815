// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include "lib/columns.h"
#include "lib/fields.h"
#include "uapi/glass-inspect.h"
#include "wire/opcode.h"

/* A list of words: pieces of tables, one after the other. */
struct table {
	const char *const *words;
	int count;
};

#define MAX_TABLES 4

enum word_list {
#define LIST_ENUM(list, tables) LIST_##list,
	GLASS_FIELD_WORDS(LIST_ENUM, )
};

#define ONE_WORD(n, w, ...) #w,
#define TABLE(t)                                \
	{ (const char *const[]){ t(ONE_WORD) }, \
	  ARRAY_SIZE(((const char *const[]){ t(ONE_WORD) })) },

static const struct table tables[][MAX_TABLES] = {
#define LIST_TABLES(list, tables) [LIST_##list] = { tables },
	GLASS_FIELD_WORDS(LIST_TABLES, TABLE)
};

struct field {
	const char *name;
	enum glass_unit unit;
	enum word_list words;
};

#define FIELD(name, unit, words, meaning) { #name, GLASS_UNIT_##unit, LIST_##words },
#define COLUMN(name, unit, meaning)	  { #name, GLASS_UNIT_##unit, LIST_NONE },

static const struct field fields[] = {
	GLASS_FIELDS(FIELD) GLASS_COLUMNS_UCONTEXT(COLUMN) GLASS_COLUMNS_PD(COLUMN)
		GLASS_COLUMNS_MR(COLUMN) GLASS_COLUMNS_CQ(COLUMN) GLASS_COLUMNS_SRQ(COLUMN)
			GLASS_COLUMNS_QP(COLUMN) GLASS_COLUMNS_AH(COLUMN) GLASS_COLUMNS_MW(COLUMN)
					GLASS_COLUMNS_DM(COLUMN) GLASS_COLUMNS_XRCD(COLUMN)
						GLASS_COLUMNS_PORT(COLUMN) GLASS_COLUMNS_SHARE(COLUMN)
				GLASS_COLUMNS_FNODE(COLUMN) GLASS_COLUMNS_FPORT(COLUMN) GLASS_COLUMNS_FCABLE(COLUMN)
				GLASS_COLUMNS_NETCABLE(COLUMN) GLASS_COLUMNS_ETHER(COLUMN)
				TOP_COLUMNS_OF_ALL(COLUMN)
};

/* Compares the first letter inline: most names differ there. */
static bool same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

int glass_field_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (same(fields[i].name, name))
			return i;
	return -1;
}

int glass_field_max(void)
{
	return ARRAY_SIZE(fields);
}

const char *glass_field_spelled(int field)
{
	return field < 0 || field >= glass_field_max() ? NULL : fields[field].name;
}

const char *glass_field_name(int field)
{
	const char *name = glass_field_spelled(field);

	if (!name || field < GLASS_FIELD_COUNT)
		return name;
	return glass_field_find(name) == field ? name : NULL;
}

enum glass_unit glass_field_unit(int field)
{
	return fields[field].unit;
}

enum glass_field_type glass_field_type(int field)
{
	switch (fields[field].unit) {
	case GLASS_UNIT_word:
		return GLASS_FIELD_IS_WORD;
	case GLASS_UNIT_flags:
		return GLASS_FIELD_IS_FLAGS;
	case GLASS_UNIT_text:
	case GLASS_UNIT_gid:
	case GLASS_UNIT_ref:
	case GLASS_UNIT_mark:
		return GLASS_FIELD_IS_TEXT;
	default:
		return GLASS_FIELD_IS_NUMBER;
	}
}

int glass_field_word_max(int field)
{
	const struct table *t = tables[fields[field].words];
	int i, n = 0;

	if (fields[field].words == LIST_OPCODE)
		return ARRAY_SIZE(glass_opcodes);
	for (i = 0; i < MAX_TABLES; i++)
		n += t[i].count;
	return n;
}

/* The i-th word, counted over all tables of a list */
static const char *raw_word(enum word_list list, int i)
{
	const struct table *t;

	for (t = tables[list]; i >= t->count; t++)
		i -= t->count;
	return t->words[i];
}

const char *glass_field_word(int field, int i)
{
	enum word_list list = fields[field].words;
	const char *word;
	int k;

	if (i < 0 || i >= glass_field_word_max(field))
		return NULL;
	if (list == LIST_OPCODE)
		return glass_opcode_valid(i) ? glass_opcode_word(i) : NULL;
	word = raw_word(list, i);
	for (k = 0; k < i; k++)
		if (same(raw_word(list, k), word))
			return NULL;
	return word;
}

int glass_field_find_word(int field, const char *word)
{
	enum word_list list = fields[field].words;
	int i;

	for (i = 0; i < glass_field_word_max(field); i++)
		if (list == LIST_OPCODE ? glass_opcode_valid(i) && same(glass_opcode_word(i), word)
					: same(raw_word(list, i), word))
			return i;
	return -1;
}

const char *glass_packet_op(uint8_t bth_opcode)
{
	static const struct {
		const char *word;
		uint32_t ops;
	} sets[] = {
#define PKT_OP(n, w, v) { #w, v },
		GLASS_PKT_OPS(PKT_OP)
	};
	size_t i;

	if (!glass_opcode_valid(bth_opcode) || bth_opcode == GLASS_OPCODE_CNP)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(sets); i++)
		if (sets[i].ops >> (bth_opcode & GLASS_BOP_MASK) & 1)
			return sets[i].word;
	return NULL;
}
