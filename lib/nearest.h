/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the known name that is nearest to an unknown one. */
#ifndef GLASS_LIB_NEAREST_H
#define GLASS_LIB_NEAREST_H

/* The nearest candidate so far; NULL if none is near enough to be a typing error */
struct glass_nearest {
	const char *wanted, *found;
	int distance;
};

struct glass_nearest glass_nearest_to(const char *wanted);

/* The candidate must stay valid as long as n->found is used. */
void glass_nearest_consider(struct glass_nearest *n, const char *candidate);

#endif
