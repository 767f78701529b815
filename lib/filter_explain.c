// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lib/filter_internal.h"

#define SHOWN 72 /* bytes of the filter in the excerpt */

void glass_filter_explain(FILE *to, const char *program, const char *text,
			  const struct glass_filter_error *error)
{
	size_t len = strlen(text), from = 0, until, at, i;

	fprintf(to, "%s: %s\n", program, error->text);
	at = error->at < len ? error->at : len;
	if (len > SHOWN && at > SHOWN / 2)
		from = at - SHOWN / 2;
	until = from + SHOWN < len ? from + SHOWN : len;
	fputs(from ? "  ..." : "  ", to);
	for (i = from; i < until; i++)
		putc(text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?', to);
	fprintf(to, "%s\n%*s", until < len ? "..." : "", (int)(at - from + (from ? 5 : 2)), "");
	putc('^', to);
	for (i = at + 1; i < at + error->len && i < until; i++)
		putc('^', to);
	putc('\n', to);
}
