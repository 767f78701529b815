// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "rules/word.h"
#include "strike.h"
#include "table_text.h"

/* Keys of objects, and the columns of the table of QPs that have their numbers */
static const struct {
	const char *key, *column;
} known[] = {
	{ "", NULL }, { "qpn", "qpn" }, { "cqn", "scqn" }, { "srqn", "srqn" }, { "port", "port" },
};

const char *strike_key(const char *action)
{
	struct glass_filter_error error;
	bool ok = false;
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		text = format_text("%s %s%s", action, known[i].key, *known[i].key ? "=2" : "");
		ok = rule_check(text, NULL, &error);
		free(text);
		if (ok)
			return known[i].key;
	}
	return NULL;
}

/* Looks in a table for the line where one column has that number, and takes another. */
static bool look_up(const char *table, const char *by, uint64_t number, const char *column,
		    uint64_t *value)
{
	const char *line = table ? strchr(table, '\n') : NULL;
	char word[32];
	u64 v;

	for (; line && line[1]; line = strchr(line, '\n')) {
		line++;
		if (!table_value(table, line, by, word, sizeof(word)) ||
		    !glass_word_number(word, strlen(word), &v) || v != number)
			continue;
		if (!table_value(table, line, column, word, sizeof(word)) ||
		    !glass_word_number(word, strlen(word), &v))
			return false;
		*value = v;
		return true;
	}
	return false;
}

/* The QP whose packet waits for that rule */
static bool held_qp(const char *dev, const char *rule, uint64_t *qpn)
{
	char *table = device_read(dev, "inject/held"), name[GLASS_RULE_NAME], word[32];
	const char *line = table ? strchr(table, '\n') : NULL;
	bool found = false;
	u64 v;

	for (; line && line[1] && !found; line = strchr(line, '\n')) {
		line++;
		found = table_value(table, line, "rule", name, sizeof(name)) &&
			!strcmp(name, rule) &&
			table_value(table, line, "qpn", word, sizeof(word)) &&
			glass_word_number(word, strlen(word), &v);
		if (found)
			*qpn = v;
	}
	free(table);
	return found;
}

/* The action with the object that the QP uses; NULL: it has none. */
static char *aimed(const char *dev, const char *action, uint64_t qpn)
{
	const char *key = strike_key(action);
	uint64_t number;
	char *table;
	size_t i;
	bool has;

	if (!key || !*key)
		return key ? format_text("%s", action) : NULL;
	for (i = 0; strcmp(known[i].key, key);)
		i++;
	table = device_read(dev, "qp");
	has = look_up(table, "qpn", qpn, known[i].column, &number);
	free(table);
	return has ? format_text("%s %s=%llu", action, key, (unsigned long long)number) : NULL;
}

bool strike_look(void *data)
{
	struct strike *s = data;
	const struct session_device *d = &s->session->device[s->device];
	struct glass_filter_error error;
	char hold[GLASS_RULE_NAME], *text, *command, *told;
	uint64_t qpn;

	/* rules move when one more is added */
	strcpy(hold, s->session->rule[s->hold].name);

	if (s->done || !held_qp(d->name, hold, &qpn))
		return s->done;
	s->done = true;
	text = aimed(d->name, s->action, qpn);
	if (text) {
		s->status = session_add(s->session, s->device, text, NULL, &error);
		s->struck = !s->status;
		if (s->status == ST_FAILED || s->status == ST_USAGE)
			rule_explain(NULL, text, &error);
	}
	command = format_text("release name=%s", hold);
	if (device_command(d->name, d->fd, command, &told))
		cli_error("%s: %s", d->name, told);
	free(told);
	free(command);
	free(text);
	return true;
}
