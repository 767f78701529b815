/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a filter can compare: the fields of driver/uapi/glass-fields.h, followed
 * by the columns of driver/uapi/glass-columns.h and lib/columns.h that are not among them. A field
 * is known by its number: GLASS_FIELD_qpn ... for the former; glass_field_find()
 * tells that of any.
 */
#ifndef GLASS_LIB_FIELDS_H
#define GLASS_LIB_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/glass-fields.h"

/* How a field's values compare */
enum glass_field_type {
	GLASS_FIELD_IS_NUMBER, /* 64 bits */
	GLASS_FIELD_IS_WORD,   /* one of the field's words; no order */
	GLASS_FIELD_IS_FLAGS,  /* any number of the field's words, joined by '|' */
	GLASS_FIELD_IS_TEXT,
};

enum glass_unit {
	GLASS_UNIT_num,
	GLASS_UNIT_hex,	   /* as num, written 0x... */
	GLASS_UNIT_signed, /* the number is an int64_t, cast to uint64_t */
	GLASS_UNIT_word,
	GLASS_UNIT_flags,
	GLASS_UNIT_text,
	GLASS_UNIT_ns,
	GLASS_UNIT_bytes,
	GLASS_UNIT_words, /* of four octets */
	GLASS_UNIT_gid,	  /* text */
	GLASS_UNIT_ref,	  /* text, device:number */
	/* of lib/columns.h */
	GLASS_UNIT_rate,      /* number per second */
	GLASS_UNIT_byte_rate, /* bytes per second */
	GLASS_UNIT_fill,      /* per cent */
	GLASS_UNIT_spark,     /* nothing to compare with */
	GLASS_UNIT_mark,      /* text */
};

/* The number of a field, or -1 */
int glass_field_find(const char *name);

/*
 * The fields are 0 .. glass_field_max() - 1. Some of these numbers are not used
 * (a column that several kinds have): glass_field_name() gives NULL for them.
 */
int glass_field_max(void);
const char *glass_field_name(int field);
/* As glass_field_name(), but a name that several have is given for each of them; in constant time. */
const char *glass_field_spelled(int field);
enum glass_unit glass_field_unit(int field);
enum glass_field_type glass_field_type(int field);

/*
 * The words of a field: those of 0 .. glass_field_word_max() - 1 for which
 * glass_field_word() is not NULL; none comes twice. At most GLASS_WORDS_MAX.
 */
#define GLASS_WORDS_MAX 256
int glass_field_word_max(int field);
const char *glass_field_word(int field, int i);

/* The number of a word of the field, or -1 */
int glass_field_find_word(int field, const char *word);

/* The word of GLASS_PKT_OPS for a BTH opcode, or NULL for one that has none */
const char *glass_packet_op(uint8_t bth_opcode);

#endif
