// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/ibtop.md has the views and columns that there are. GLASS_UPDATE=1 in the
 * environment writes the lists anew. The man page and the completion know every view.
 */
#include "harness.h"
#include "ibtop/internal.h"

#define DOC "../../docs/ibtop.md" /* from tests/unit, where make runs the tests */

static char *read_whole(const char *path)
{
	FILE *from = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(from);
	assert_true(getdelim(&text, &size, 0, from) > 0);
	fclose(from);
	return text;
}

static void write_views(FILE *to)
{
	unsigned int v;

	fputs("| view | | sorted by | shown |\n| --- | --- | --- | --- |\n", to);
	for (v = 0; v < VIEW_COUNT; v++)
		fprintf(to, "| `%s` | %s | %s | %s |\n", view_get(v)->name, view_get(v)->title,
			view_get(v)->sorted, view_get(v)->shown);
}

/* ibtop's own; those of debugfs are told in docs/debugfs.md */
static void write_columns(FILE *to)
{
	unsigned int v, c;

	for (v = 0; v < VIEW_LEAK; v++) {
		const struct view *view = view_get(v);
		unsigned int own = COL_ANY_COUNT;

		switch (v) {
		case VIEW_PORT:
			own = COL_PORT_link_layer;
			break;
		case VIEW_QP:
			own = COL_QP_sq_fill;
			break;
		case VIEW_CQ:
			own = COL_CQ_fill;
			break;
		case VIEW_MR:
			own = COL_MR_reads_s;
			break;
		case VIEW_PD:
			own = COL_PD_pinned;
			break;
		case VIEW_SRQ:
			own = COL_SRQ_fill;
			break;
		case VIEW_AH:
			own = COL_AH_COUNT;
			break;
		case VIEW_UCONTEXT:
			own = COL_UCONTEXT_pinned;
			break;
		}
		if (own == view->num_columns)
			continue;
		fprintf(to, "`%s`:\n\n| column | unit | meaning |\n| --- | --- | --- |\n",
			view->name);
		for (c = own; c < view->num_columns; c++)
			fprintf(to, "| `%s` | %s | %s |\n", view->columns[c].name,
				unit_word(view->columns[c].unit), view->columns[c].meaning);
		putc('\n', to);
	}
}

static void check_section(const char *name, void (*write)(FILE *to))
{
	char begin[60], *want = NULL, *doc = read_whole(DOC);
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
				"%s: \"%s\" is not what ibtop has; to write it anew:\n"
				"vm/vm chroot -- env GLASS_UPDATE=1 make -C tests/unit check T=ibtop_docs",
				DOC, name);
		to = fopen(DOC, "w");
		assert_non_null(to);
		fprintf(to, "%.*s%s%s", (int)(from - doc), doc, want, end);
		assert_int_equal(fclose(to), 0);
	}
	free(want);
	free(doc);
}

static void test_doc(void **state)
{
	(void)state;
	check_section("ibtop-views", write_views);
	check_section("ibtop-columns", write_columns);
}

static void test_man_page(void **state)
{
	char *man = read_whole("../../ibtop/ibtop.8");
	unsigned int v;

	(void)state;
	for (v = 0; v < VIEW_COUNT; v++)
		if (!strstr(strstr(man, ".SH VIEWS"), view_get(v)->name))
			fail_msg("ibtop.8 has no view %s", view_get(v)->name);
	free(man);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doc),
		cmocka_unit_test(test_man_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
