// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds what debugfs tells against what the program itself did and knows: posts
 * to a peer that answers or does not, then reads `inspect` and the tables. Tests
 * that depend on time use timers that are out of reach, so that each value is
 * known exactly.
 */
#include <fnmatch.h>

#include "check_inspect_obj.h"
#include "check_inspect_qp.h"

static const struct {
	const struct check *checks;
	size_t n;
} groups[] = {
	{ inspect_qp_checks, ARRAY_LEN(inspect_qp_checks) },
	{ inspect_obj_checks, ARRAY_LEN(inspect_obj_checks) },
};

static int failed;

static void run_one(const struct check *c)
{
	int how = check_one(c, 60);

	failed += !!how;
	printf("%s %s%s%s\n", how ? "not ok" : "ok", c->name, how ? ": " : "", how ? vt_reason : "");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	size_t g, i;

	vt_prog = "inspect_check";
	if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
		fprintf(stderr, "Usage: inspect_check [GLOB]\n"
				"Checks what debugfs says of objects on glass0 and glass1, as root.\n"
				"Prints `ok NAME` or `not ok NAME: REASON` a test whose name matches GLOB.\n"
				"Exit status 0: none failed; 1: some failed; 2: wrong arguments; 4: a test hung.\n");
		return 2;
	}
	vt_open(&A, "glass0", 1, 0);
	vt_open(&B, "glass1", 1, 0);
	for (g = 0; g < ARRAY_LEN(groups); g++)
		for (i = 0; i < groups[g].n; i++)
			if (argc < 2 || !fnmatch(argv[1], groups[g].checks[i].name, 0))
				run_one(&groups[g].checks[i]);
	vt_close(&A);
	vt_close(&B);
	return failed ? 1 : 0;
}
