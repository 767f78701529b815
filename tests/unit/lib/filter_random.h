/* SPDX-License-Identifier: GPL-2.0-only */
/* Random filters, objects and targets for the property tests of the filter. */
#ifndef FILTER_RANDOM_H
#define FILTER_RANDOM_H

#include "lib/filter.h"

/* Where random numbers come from: the test's rnd_below() */
extern uint32_t (*random_below)(uint32_t n);

/* An object: for some fields a value. Small domains, so that comparisons hit. */
struct random_object {
	bool has[64];
	uint64_t num[64];
	char text[64][80];
};

void random_object(struct random_object *o);
bool random_object_get(const void *object, int field, struct glass_value *value);

/*
 * A filter of at most depth parentheses within each other, NUL-terminated, at
 * most size bytes. lowerable: without what no target takes.
 */
void random_filter(char *text, size_t size, unsigned int depth, bool lowerable);

/* Keys for all fields that random filters use, with random abilities */
struct random_target {
	struct glass_filter_key keys[16];
	struct glass_filter_target target;
};

void random_target(struct random_target *t);

#endif
