// SPDX-License-Identifier: GPL-2.0-only
/* --detail: all details of an object as text or JSON. */
#include <string.h>

#include "ibtop/batch/batch.h"
#include "ibtop/refresh/refresh.h"
#include "lib/cli.h"

static void put_lines(FILE *to, const struct detail *d)
{
	size_t i;

	for (i = 0; i < d->count; i++) {
		const struct detail_line *l = &d->lines[i];

		switch (l->kind) {
		case DETAIL_SECTION:
			fprintf(to, "%s:\n", l->key);
			break;
		case DETAIL_NOTE:
			fprintf(to, "(%s)\n", l->text);
			break;
		case DETAIL_VALUE:
			fprintf(to, "  %-18s %s\n", l->key, l->text);
			break;
		case DETAIL_ENTRY:
			fprintf(to, "  %s: %s\n", l->key, l->text);
			break;
		}
	}
}

/* Writes sections as objects. Entries of a section are an array of texts under their name. */
static void put_json(FILE *to, const struct detail *d)
{
	const char *entry = "";
	bool section = false, any = false;
	size_t i;

	putc('{', to);
	for (i = 0; i < d->count; i++) {
		const struct detail_line *l = &d->lines[i];

		if (*entry && (l->kind != DETAIL_ENTRY || strcmp(entry, l->key))) {
			putc(']', to);
			entry = "";
		}
		switch (l->kind) {
		case DETAIL_SECTION:
			fputs(section ? "}," : any ? "," : "", to);
			put_json_string(to, l->key);
			fputs(":{", to);
			section = true;
			any = false;
			continue;
		case DETAIL_NOTE:
			/* notes precede the first section */
			fputs(any ? ",\"note\":" : "\"note\":", to);
			put_json_string(to, l->text);
			break;
		case DETAIL_VALUE:
			if (any)
				putc(',', to);
			put_json_string(to, l->key);
			putc(':', to);
			put_json_string(to, l->text);
			break;
		case DETAIL_ENTRY:
			if (any)
				putc(',', to);
			if (!*entry) {
				put_json_string(to, l->key);
				fputs(":[", to);
				entry = l->key;
			}
			put_json_string(to, l->text);
			break;
		}
		any = true;
	}
	fputs(*entry ? "]" : "", to);
	fputs(section ? "}}" : "}", to);
}

static bool put_object(FILE *to, struct model *m, const struct row *row, const char *title,
		       bool json)
{
	struct detail *d = model_detail(m, row);

	if (!d) {
		cli_error("no memory");
		return false;
	}
	if (json) {
		fprintf(to, "\"%s\":", title);
		put_json(to, d);
	} else {
		fprintf(to, "== %s\n", title);
		put_lines(to, d);
	}
	detail_free(d);
	return true;
}

bool batch_detail(FILE *to, struct model *m, const char *object, bool json)
{
	const struct row *row, *peer;
	char error[200];
	bool ok;

	row = row_named(m, object, error, sizeof(error));
	if (!row) {
		cli_error("--detail: %s", error);
		return false;
	}
	peer = row_peer(m, row);
	if (json)
		fputs("{\"ibtop\":1,", to);
	ok = put_object(to, m, row, json ? "object" : object, json);
	if (ok && peer && json)
		putc(',', to);
	if (ok && peer)
		ok = put_object(to, m, peer, "peer", json);
	if (json)
		fputs("}\n", to);
	return ok;
}
