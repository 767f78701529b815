/* SPDX-License-Identifier: GPL-2.0-only */
/* What was probably meant by a name that is not there. */
#ifndef GLASS_LIB_NEAREST_H
#define GLASS_LIB_NEAREST_H

/* The nearest of the candidates that were seen, if it is near enough to be a slip; else NULL */
struct glass_nearest {
	const char *wanted, *found;
	int distance;
};

struct glass_nearest glass_nearest_to(const char *wanted);

/* The candidate must live as long as what is found is used. */
void glass_nearest_consider(struct glass_nearest *n, const char *candidate);

#endif
