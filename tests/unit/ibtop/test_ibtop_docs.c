// SPDX-License-Identifier: GPL-2.0-only
/*
 * docs/ibtop.md has the views and columns that there are. GLASS_UPDATE=1 in the
 * environment writes the lists anew. The man page and the completion know every view.
 */
#include "doc_section.h"
#include "ibtop/model/snapshot.h"

#define DOC "../../docs/ibtop.md" /* from tests/unit, where make runs the tests */

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

	for (v = 0; v < VIEW_COUNT; v++) {
		const struct view *view = view_get(v);
		unsigned int own = COL_ANY_COUNT;

		/* its columns are those of the tree */
		if (v == VIEW_LEAK)
			continue;
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
		case VIEW_MW:
			own = COL_MW_COUNT;
			break;
		case VIEW_DM:
			own = COL_DM_COUNT;
			break;
		case VIEW_XRCD:
			own = COL_XRCD_COUNT;
			break;
		case VIEW_UCONTEXT:
			own = COL_UCONTEXT_nmw;
			break;
		case VIEW_SHARE:
			own = COL_SHARE_owner;
			break;
		case VIEW_FNODE:
			own = COL_FNODE_ports_active;
			break;
		case VIEW_FPORT:
			own = COL_FPORT_errors;
			break;
		case VIEW_FCABLE:
			own = COL_FCABLE_errors;
			break;
		case VIEW_NETCABLE:
			own = COL_NETCABLE_errors;
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

static void test_doc(void **state)
{
	(void)state;
	doc_check_section(DOC, "ibtop_docs", "ibtop-views", write_views);
	doc_check_section(DOC, "ibtop_docs", "ibtop-columns", write_columns);
}

static void test_man_page(void **state)
{
	char *man = doc_read("../../ibtop/ibtop.8");
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
