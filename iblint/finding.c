// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"

#define HEADER "# glass 1 lint: "

/* The next word of a line, which blanks divide; NULL: there is none. */
static const char *next_word(const char **at, size_t *len)
{
	const char *word = *at + strspn(*at, " ");

	*len = strcspn(word, " \n");
	*at = word + *len;
	return *len ? word : NULL;
}

bool finding_layout(const char *header, struct finding_layout *to)
{
#define COLUMN_NAME(name, unit, meaning) #name,
	static const char *const names[FINDING_COLUMNS] = { GLASS_COLUMNS_LINT(COLUMN_NAME) };
	const char *at = header + strlen(HEADER), *word;
	int i, k;
	size_t len;

	if (strncmp(header, HEADER, strlen(HEADER)))
		return false;
	for (i = 0; i < FINDING_COLUMNS; i++)
		to->at[i] = -1;
	for (k = 0; (word = next_word(&at, &len)); k++)
		for (i = 0; i < FINDING_COLUMNS; i++)
			if (strlen(names[i]) == len && !memcmp(names[i], word, len))
				to->at[i] = k;
	return to->at[FINDING_id] >= 0 && to->at[FINDING_code] >= 0 &&
	       to->at[FINDING_count] >= 0 && to->at[FINDING_text] >= 0;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What a word means as text. What no terminal should get becomes '?'. */
static void decode(const char *word, size_t len, char *to, size_t size)
{
	size_t i, n = 0;

	if (len == 1 && (*word == '-' || *word == '%'))
		len = 0;
	for (i = 0; i < len && n + 1 < size; i++) {
		unsigned char c = word[i];

		if (c == '%' && len - i > 2 && hex(word[i + 1]) >= 0 && hex(word[i + 2]) >= 0) {
			c = hex(word[i + 1]) << 4 | hex(word[i + 2]);
			i += 2;
		}
		to[n++] = c >= ' ' && c < 0x7f ? c : '?';
	}
	to[n] = 0;
}

static uint64_t number(const char *word, size_t len)
{
	char text[NUMBER_LEN];

	decode(word, len, text, sizeof(text));
	return strtoull(text, NULL, 0);
}

bool finding_parse(const struct finding_layout *layout, const char *line, struct finding *to)
{
	const char *word[FINDING_COLUMNS] = { 0 }, *at = line, *next;
	size_t len[FINDING_COLUMNS] = { 0 }, n;
	char text[NUMBER_LEN];
	int i, k;

	memset(to, 0, sizeof(*to));
	if (*line == '#')
		return false;
	for (k = 0; (next = next_word(&at, &n)); k++) {
		for (i = 0; i < FINDING_COLUMNS; i++) {
			if (layout->at[i] != k)
				continue;
			word[i] = next;
			len[i] = n;
		}
	}
	/* a line that is not whole is none */
	for (i = 0; i < FINDING_COLUMNS; i++)
		if (layout->at[i] >= k)
			return false;
	/* what is no column here is "-" */
	for (i = 0; i < FINDING_COLUMNS; i++) {
		if (word[i])
			continue;
		word[i] = "-";
		len[i] = 1;
	}
#define TEXT(column, field) decode(word[FINDING_##column], len[FINDING_##column], field, sizeof(field))
#define NUMBER(column)	    number(word[FINDING_##column], len[FINDING_##column])
	TEXT(code, text);
	if (strncmp(text, "GL", 2))
		return false;
	to->code = strtoul(text + 2, NULL, 10);
	TEXT(severity, text);
	to->severity = severity_find(text);
	to->id = NUMBER(id);
	TEXT(kind, to->kind);
	TEXT(num, to->num);
	to->pid = NUMBER(pid);
	TEXT(comm, to->comm);
	TEXT(peer, to->peer);
	to->peer_pid = NUMBER(peer_pid);
	TEXT(peer_comm, to->peer_comm);
	to->count = NUMBER(count);
	to->first = NUMBER(first);
	to->last = NUMBER(last);
	TEXT(seen, to->seen);
	TEXT(expected, to->expected);
	TEXT(scopes, to->scopes);
	to->text = malloc(len[FINDING_text] + 1);
	if (!to->text)
		cli_die(CLI_FAILED, "out of memory");
	decode(word[FINDING_text], len[FINDING_text], to->text, len[FINDING_text] + 1);
	if (!*to->text) {
		free(to->text);
		to->text = format_text("%s", finding_code(to)->title);
	}
	return to->id && to->code;
}

void finding_free(struct finding *f)
{
	free(f->text);
	f->text = NULL;
}

uint64_t findings_lost(const char *table)
{
	const char *at = strstr(table, "\n# lost ");

	return at ? strtoull(at + strlen("\n# lost "), NULL, 10) : 0;
}

const struct code *finding_code(const struct finding *f)
{
	static const struct code none = { "", "", "", GLASS_LINT_ERROR, false };

	return f->code <= GLASS_LINT_COUNT && codes[f->code].word ? &codes[f->code] : &none;
}

const char *finding_severity(const struct finding *f)
{
	return f->severity >= 0 ? severities[f->severity] : "finding";
}

char *finding_object(const struct finding *f)
{
	if (!*f->num || !*f->kind || !strcmp(f->kind, "device") || !strcmp(f->kind, "none"))
		return format_text("%s", f->dev);
	/* as its own table writes it */
	if (!strcmp(f->kind, "qp"))
		return format_text("%s/qp:0x%llx", f->dev, strtoull(f->num, NULL, 0));
	return format_text("%s/%s:%s", f->dev, f->kind, f->num);
}
