// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a dictionary for libFuzzer, made of the tables that drivers and tools are made of: the
 * words of "rules", of the "filter" language, of "scenario"s, of debugfs' "tables", of "command"s
 * of the fabric, or of stories of failures ("why").
 */
#include <stdio.h>
#include <string.h>

#include "ibinject/scenario.h"
#include "ibinject/table.h"
#include "ibtop/model/snapshot.h"
#include "lib/fields.h"
#include "rules/lint_words.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-fabric.h"
#include "uapi/glass-failure.h"

/* as a word, or as the key of a pair */
static void word(const char *text, const char *end)
{
	printf("\"%s%s\"\n", text, end);
}

static void rules(void)
{
	static const char *const others[] = {
		"add ", "del ", "clear", "step", "release", "..", "%", "ms", "us", "ns", "min", "codes=",
		"errors=", "log", "owner", "all", "qp=", "cq=", "mr=", "tie=fd", "default",
	};
	size_t i;
	int k;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		word(others[i], "");
	for (k = 0; k < GLASS_RK_KEYS; k++) {
		word(keys[k].word, "=");
		for (i = 0; key_word(k, 'P', i); i++)
			word(key_word(k, 'P', i), "");
		for (i = 0; key_word(k, 'C', i); i++)
			word(key_word(k, 'C', i), "");
	}
	for (i = 1; i <= GLASS_LINT_COUNT; i += 7)
		printf("\"GL%03zu\"\n", i);
}

static void filter(void)
{
	static const char *const others[] = { "==", "!=", "<=", ">=", "&&", "||", " in {", "}", "..",
					      "~", "!(", ")", "\\\"a*\\\"", "5us", "0x" };
	size_t i;
	int f, w;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		word(others[i], "");
	for (f = 0; f < glass_field_max(); f++) {
		if (!glass_field_name(f))
			continue;
		word(glass_field_name(f), "");
		for (w = 0; w < glass_field_word_max(f) && w < 8; w++)
			if (glass_field_word(f, w))
				word(glass_field_word(f, w), "");
	}
}

static void scenario(void)
{
	static const char *const others[] = { "device: ", "limit: ", "steps:\\x0a", "\\x0a  - ", "at: ",
					      "after: ", "fired: ", "rule: ", "within: ", "{", "}",
					      "act=drop", "name=a", ": ", "'", "..", "ms" };
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		word(others[i], "");
#define DEED(n, w) word(#w, ": ");
	SCENARIO_DEEDS(DEED)
}

static void tables(void)
{
	static const char *const others[] = { "# glass 1 ", ": ", " - ", " ? ", "%20", "\\x0a", "@ mono=",
					      " real=", "@ end\\x0a", "! 1 - ", "rule ", "fired ",
					      "# ibinject record 1\\x0a", "# ibtop record 1\\x0a" };
	unsigned int v, c;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		word(others[i], "");
	for (v = 0; v < VIEW_COUNT; v++) {
		const struct view *view = view_get(v);

		word(view->name, "");
		for (c = 0; c < view->num_columns; c++)
			word(view->columns[c].name, " ");
	}
}

static void findings(void)
{
#define COLUMN(name, unit, meaning) word(#name, " ");
	GLASS_COLUMNS_LINT(COLUMN)
	word("# glass 1 lint: ", "");
	word("mute GL007 ", "");
	word("comm=", "");
	word("kind=qp num=", "");
}

/* Stories of failures */
static void why(void)
{
	static const char *const others[] = {
		"# glass 1 failure: 3", "# glass 1 local: glass0 qp 0x11", "# glass 1 remote: glass1 qp 0x22",
		"key: ", "section:", "none", "node:1", "-", "active", "down", "init",
	};
	size_t i;

#define TABLE(name, columns) word("# glass 1 " #name ": ", "");
	GLASS_STORY_TABLES(TABLE)
#define CELL(name, unit, meaning) word(#name, " ");
	GLASS_COLUMNS_STORY_PACKET(CELL)
	GLASS_COLUMNS_STORY_DROP(CELL)
	GLASS_COLUMNS_STORY_FIRING(CELL)
	GLASS_COLUMNS_STORY_GONE_QP(CELL)
	GLASS_COLUMNS_STORY_KEY(CELL)
	GLASS_COLUMNS_STORY_PROCESS(CELL)
	GLASS_COLUMNS_STORY_CONNECTED(CELL)
	GLASS_COLUMNS_STORY_PORT(CELL)
	GLASS_COLUMNS_STORY_ROUTE(CELL)
	GLASS_COLUMNS_STORY_RULE(CELL)
	GLASS_COLUMNS_STORY_LINT(CELL)
#define LINE(name, unit, meaning) word(#name, ": ");
	GLASS_COLUMNS_FAILURE(LINE)
#define PLAIN(n, w, v, meaning) word(#w, "");
	GLASS_FAILURE_KINDS(PLAIN)
	GLASS_FAILURE_MISSING(PLAIN)
	GLASS_GONE_HOWS(PLAIN)
	GLASS_PORT_CHANGES(PLAIN)
#define REASON(n, w, v) word(#w, "");
	GLASS_DROP_REASONS(REASON)
	GLASS_CAUSES(REASON)
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		word(others[i], "");
}

/* Commands of the fabric */
static void command(void)
{
	static const char *const others[] = {
		" ports=", " guid=0x", " sysguid=", " portguids=", " vendor=0x", " devid=",
		" desc=%", " desc=", " port0=", "base", "enhanced", " enforcement=", " width=", " speed=",
		" mtu=", " pulled=", " netdev=", " silence=", " vcrc=", "yes", "no", "sdr", "ddr", "qdr",
		"fdr", "edr", "hdr", "ndr", "12",
		"254", "255", "256", "4096", "fabric", "a:1 ", "b:2 ", "18446744073709551615", "\\x0a",
	};
	size_t i;

#define VERB(n, w) word(#w, " ");
	GLASS_FABRIC_VERBS(VERB)
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		word(others[i], "");
}

int main(int argc, char **argv)
{
	const char *of = argc > 1 ? argv[1] : "";

	if (!strcmp(of, "rules")) {
		rules();
	} else if (!strcmp(of, "filter")) {
		filter();
	} else if (!strcmp(of, "scenario")) {
		scenario();
		rules();
	} else if (!strcmp(of, "findings")) {
		findings();
	} else if (!strcmp(of, "why")) {
		why();
	} else if (!strcmp(of, "command")) {
		command();
	} else if (!strcmp(of, "tables") || !strcmp(of, "record")) {
		tables();
		if (!strcmp(of, "record"))
			rules();
	}
	return 0;
}
