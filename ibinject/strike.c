// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "strike.h"

/* Keys of objects, and the columns for their numbers in the table of QPs */
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

/* Reads a column of a QP in the table of QPs. Returns false if it has no number there. */
static bool number_of_qp(const char *dev, uint64_t qpn, const char *column, uint64_t *value)
{
	struct debugfs_table t;
	struct debugfs_file f;
	bool found = false, has = false;
	int at[2];
	uint64_t v;

	if (device_table(&t, &f, dev, "qp", "qp") &&
	    debugfs_columns_find(&t, (const char *const[]){ "qpn", column }, 2, at))
		while (!found && debugfs_table_next(&t)) {
			found = debugfs_has(&t, at[0]) && debugfs_value_number(&t, at[0], &v) &&
				v == qpn;
			has = found && debugfs_has(&t, at[1]) &&
			      debugfs_value_number(&t, at[1], value);
		}
	device_done(&f);
	return has;
}

/* Finds the QP of a packet that the rule holds. */
static bool held_qp(const char *dev, const char *rule, uint64_t *qpn)
{
	struct debugfs_table t;
	struct debugfs_file f;
	bool found = false;
	int at[2];

	if (device_table(&t, &f, dev, "inject/held", "held") &&
	    debugfs_columns_find(&t, (const char *const[]){ "rule", "qpn" }, 2, at))
		while (!found && debugfs_table_next(&t))
			found = !strcmp(debugfs_value(&t, at[0]), rule) && debugfs_has(&t, at[1]) &&
				debugfs_value_number(&t, at[1], qpn);
	device_done(&f);
	return found;
}

/* Returns the action on the object that the QP uses; NULL if it uses none. */
static char *aimed(const char *dev, const char *action, uint64_t qpn)
{
	const char *key = strike_key(action);
	uint64_t number;
	size_t i;

	if (!key || !*key)
		return key ? format_text("%s", action) : NULL;
	for (i = 0; strcmp(known[i].key, key);)
		i++;
	if (!number_of_qp(dev, qpn, known[i].column, &number))
		return NULL;
	return format_text("%s %s=%llu", action, key, (unsigned long long)number);
}

bool strike_look(void *data)
{
	struct strike *s = data;
	const struct session_device *d = &s->session->device[s->device];
	struct glass_filter_error error;
	char hold[GLASS_RULE_NAME], *text, *command;
	struct refusal told;
	uint64_t qpn;

	/* adding a rule moves the others */
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
		cli_error("%s: %s", d->name, told.text);
	free(told.text);
	free(command);
	free(text);
	return true;
}
