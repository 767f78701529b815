// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "lib/nearest.h"

#define NAME_MAX_LEN 32

static int least(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Returns the edit distance of a and b: letters changed, added, omitted or swapped with a
 * neighbour. Returns a large number if one of them is too long for a name.
 */
static int distance(const char *a, const char *b)
{
	int d[NAME_MAX_LEN + 1][NAME_MAX_LEN + 1];
	int m = strlen(a), n = strlen(b), i, k;

	if (m > NAME_MAX_LEN || n > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (i = 0; i <= m; i++)
		d[i][0] = i;
	for (k = 0; k <= n; k++)
		d[0][k] = k;
	for (i = 1; i <= m; i++) {
		for (k = 1; k <= n; k++) {
			d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
					d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	}
	return d[m][n];
}

struct glass_nearest glass_nearest_to(const char *wanted)
{
	int len = strlen(wanted);

	return (struct glass_nearest){ wanted, NULL, len < 3 ? 2 : len / 3 + 2 };
}

void glass_nearest_consider(struct glass_nearest *n, const char *candidate)
{
	int d, longer = (int)strlen(candidate) - (int)strlen(n->wanted);

	if (abs(longer) >= n->distance)
		return;
	d = distance(n->wanted, candidate);
	if (d < n->distance && d < (int)strlen(candidate)) {
		n->distance = d;
		n->found = candidate;
	}
}
