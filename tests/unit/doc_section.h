/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of docs/ that have what tables of the source have, between <!-- NAME --> and <!-- end -->. */
#ifndef GLASS_TESTS_UNIT_DOC_SECTION_H
#define GLASS_TESTS_UNIT_DOC_SECTION_H

#include "harness.h"

/* All of a file, for the caller to free; paths are from tests/unit, where make runs the tests. */
static inline char *doc_read(const char *path)
{
	FILE *from = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(from);
	assert_true(getdelim(&text, &size, 0, from) > 0);
	fclose(from);
	return text;
}

/*
 * The section of the page must be what write() writes; GLASS_UPDATE=1 in the environment makes
 * it so. test: by what name make knows the test.
 */
static inline void doc_check_section(const char *path, const char *test, const char *name,
				     void (*write)(FILE *to))
{
	char begin[60], *want = NULL, *doc = doc_read(path);
	const char *from, *end;
	size_t size;
	FILE *to = open_memstream(&want, &size);

	assert_non_null(to);
	write(to);
	fclose(to);
	snprintf(begin, sizeof(begin), "<!-- %s -->\n\n", name);
	from = strstr(doc, begin);
	assert_non_null(from);
	from += strlen(begin);
	end = strstr(from, "\n<!-- end -->");
	assert_non_null(end);
	if ((size_t)(end - from) != size || memcmp(from, want, size)) {
		if (!getenv("GLASS_UPDATE"))
			fail_msg(
				"%s: \"%s\" is not what the source has; to write it anew:\n"
				"vm/vm chroot -- env GLASS_UPDATE=1 make -C tests/unit check T=%s",
				path, name, test);
		to = fopen(path, "w");
		assert_non_null(to);
		fprintf(to, "%.*s%s%s", (int)(from - doc), doc, want, end);
		assert_int_equal(fclose(to), 0);
	}
	free(want);
	free(doc);
}

#endif
