/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields that a filter can compare. First come the fields of driver/uapi/glass-fields.h, with
 * the numbers GLASS_FIELD_qpn and so on. Then come those columns of driver/uapi/glass-columns.h and
 * lib/columns.h that are not among them. glass_field_find() returns the number of any field.
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
	GLASS_UNIT_words, /* in units of four octets */
	GLASS_UNIT_gid,	  /* text */
	GLASS_UNIT_ref,	  /* text, device:number */
	/* from lib/columns.h */
	GLASS_UNIT_rate,      /* number per second */
	GLASS_UNIT_byte_rate, /* bytes per second */
	GLASS_UNIT_fill,      /* per cent */
	GLASS_UNIT_spark,     /* not comparable */
	GLASS_UNIT_mark,      /* text */
};

/* Returns the number of a field, or -1. */
int glass_field_find(const char *name);

/*
 * Fields are numbered 0 .. glass_field_max() - 1. If several kinds of objects have a column of one
 * name, only its first number is used: glass_field_name() returns NULL for the others.
 */
int glass_field_max(void);
const char *glass_field_name(int field);
/* As glass_field_name(), but returns the name also for the unused numbers. Takes constant time. */
const char *glass_field_spelled(int field);
enum glass_unit glass_field_unit(int field);
enum glass_field_type glass_field_type(int field);

/*
 * Words of a field have the numbers 0 .. glass_field_word_max() - 1. glass_field_word() returns
 * NULL for a number without a word, and each word for one number only. A field has at most
 * GLASS_WORDS_MAX words.
 */
#define GLASS_WORDS_MAX 256
int glass_field_word_max(int field);
const char *glass_field_word(int field, int i);

/* Returns the number of a word of the field, or -1. */
int glass_field_find_word(int field, const char *word);

/* Returns the word of GLASS_PKT_OPS for a BTH opcode, or NULL if the opcode has none. */
const char *glass_packet_op(uint8_t bth_opcode);

#endif
