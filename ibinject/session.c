// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broken.h"
#include "edit.h"
#include "list.h"
#include "lib/pairs.h"
#include "session.h"

void session_begin(struct session *s, const char *prefix)
{
	memset(s, 0, sizeof(*s));
	s->prefix = prefix;
	s->device = calloc(DEVICES_MAX, sizeof(*s->device));
	if (!s->device)
		cli_die(CLI_FAILED, "out of memory");
}

enum status session_device(struct session *s, const char *dev, size_t *index)
{
	struct session_device *d;
	char found[DEVICE_NAME];
	enum status status;
	size_t i;

	for (i = 0; i < s->devices && dev; i++)
		if (!strcmp(s->device[i].name, dev)) {
			*index = i;
			return ST_OK;
		}
	status = device_choose(dev, found);
	if (status)
		return status;
	for (i = 0; i < s->devices; i++)
		if (!strcmp(s->device[i].name, found)) {
			*index = i;
			return ST_OK;
		}
	if (s->devices == DEVICES_MAX) {
		cli_error("more than %d devices", DEVICES_MAX);
		return ST_USAGE;
	}
	d = &s->device[s->devices];
	strcpy(d->name, found);
	d->fd = debugfs_open(&injection, found, "inject/rules", O_RDWR);
	if (d->fd < 0)
		return ST_NO_DEVICE;
	d->fired = json_object_new_array();
	s->watched[s->devices] = journal_open(&d->journal, found, true);
	*index = s->devices++;
	return ST_OK;
}

/*
 * Returns the add command for a rule that is tied to the session, the rule's name in name, and
 * where the text begins in the command.
 */
static char *whole(const char *text, const struct glass_rule *r, const char *prefix, int group,
		   size_t number, char name[GLASS_RULE_NAME], size_t *from)
{
	bool tie = strchr("PCVND", r->site) && !glass_rule_has(r, GLASS_RK_TIE);
	char *own;

	if (r->name[0]) {
		strcpy(name, r->name);
		*from = strlen("add ");
		return format_text("add %s%s", text, tie ? " tie=fd" : "");
	}
	if (group)
		own = format_text("%s%d.%zu", prefix, group + 1, number);
	else
		own = format_text("%s.%zu", prefix, number);
	snprintf(name, GLASS_RULE_NAME, "%s", own);
	free(own);
	*from = strlen("add name= ") + strlen(name);
	return format_text("add name=%s %s%s", name, text, tie ? " tie=fd" : "");
}

enum status session_add(struct session *s, size_t device, const char *text, size_t *rule,
			struct glass_filter_error *error)
{
	struct session_device *d = &s->device[device];
	struct session_rule *more, r = { .device = device };
	struct glass_rule parsed;
	struct refusal told = { .text = NULL };
	enum status status;
	int group = 0;
	size_t from;

	if (!rule_check(text, &parsed, error))
		return ST_USAGE;
	do {
		char *command = whole(text, &parsed, s->prefix, group, s->rules + 1, r.name, &from);

		free(told.text);
		status = device_command(d->name, d->fd, command, &told);
		free(command);
	} while (status && !parsed.name[0] && told.why.kind == GLASS_RE_NAME_TAKEN &&
		 ++group < 100);
	if (status)
		rule_locate(text, from, &told, error);
	free(told.text);
	s->refused = told.err;
	if (status)
		return status;
	more = realloc(s->rule, (s->rules + 1) * sizeof(*more));
	r.text = strdup(text);
	if (!more || !r.text)
		cli_die(CLI_FAILED, "out of memory");
	s->rule = more;
	s->rule[s->rules] = r;
	if (rule)
		*rule = s->rules;
	s->rules++;
	return ST_OK;
}

struct session_rule *session_find(struct session *s, const char *name)
{
	size_t i;

	for (i = s->rules; i-- > 0;)
		if (!strcmp(s->rule[i].name, name))
			return &s->rule[i];
	return NULL;
}

enum status session_del(struct session *s, struct session_rule *r)
{
	const struct session_device *d = &s->device[r->device];
	struct refusal told;
	enum status status;
	char *command;

	session_look(s);
	command = format_text("del name=%s", r->name);
	status = device_command(d->name, d->fd, command, &told);
	if (status)
		cli_error("%s: %s", d->name, told.text);
	r->ended = true;
	free(told.text);
	free(command);
	return status;
}

/*
 * Updates a rule's counters. next: the rule expected on the next line, as rules are listed in order
 * of adding.
 */
static void count(struct session *s, size_t device, const char *line, size_t *next)
{
	char name[GLASS_RULE_NAME];
	struct session_rule *r;

	if (!find_value(line, "name", name, sizeof(name)))
		return;
	r = *next < s->rules ? &s->rule[*next] : NULL;
	if (!r || r->ended || r->device != device || strcmp(r->name, name))
		r = session_find(s, name);
	if (r)
		*next = r - s->rule + 1;
	if (!r || r->device != device || r->ended)
		return;
	find_number(line, "hit", &r->hit);
	find_number(line, "eligible", &r->eligible);
}

/* Does the firing belong to a rule of this session? */
static bool ours(struct session *s, size_t device, const char *line)
{
	char name[GLASS_RULE_NAME];
	size_t i;

	if (!find_value(line, "name", name, sizeof(name)))
		return false;
	for (i = 0; i < s->rules; i++)
		if (s->rule[i].device == device && !strcmp(s->rule[i].name, name))
			return true;
	return false;
}

void session_look(struct session *s)
{
	const char *line, *fired;
	size_t d;

	for (d = 0; d < s->devices; d++) {
		struct debugfs_file f = { 0 };
		size_t next = 0;

		if (!debugfs_read(&f, s->device[d].name, "inject/rules"))
			while ((line = debugfs_line(&f)))
				count(s, d, line, &next);
		device_done_looking(&f);
		while (s->watched[d] && (fired = journal_next(&s->device[d].journal)))
			if (ours(s, d, fired))
				json_object_array_add(s->device[d].fired,
						      json_object_new_string(fired));
	}
}

void session_summary(struct session *s, FILE *to)
{
	size_t i, d;

	session_look(s);
	for (i = 0; i < s->rules; i++) {
		const struct session_rule *r = &s->rule[i];

		fprintf(to, "%s: %s %s fired %" PRIu64 " of %" PRIu64 " times: %s\n",
			program_invocation_short_name, s->device[r->device].name, r->name, r->hit,
			r->eligible, r->text);
	}
	for (d = 0; d < s->devices; d++)
		if (s->device[d].journal.missed)
			fprintf(to, "%s: %s: %" PRIu64 " firings came too fast to be read\n",
				program_invocation_short_name, s->device[d].name,
				s->device[d].journal.missed);
	for (d = 0; d < s->devices; d++)
		broken_tell(s->device[d].name);
}

json_object *session_json(struct session *s)
{
	json_object *to = json_object_new_object(), *rules = json_object_new_array(),
		    *fired = json_object_new_array();
	size_t i, d;

	session_look(s);
	for (i = 0; i < s->rules; i++) {
		const struct session_rule *r = &s->rule[i];
		json_object *one = json_object_new_object();

		json_object_object_add(one, "dev",
				       json_object_new_string(s->device[r->device].name));
		json_object_object_add(one, "name", json_object_new_string(r->name));
		json_object_object_add(one, "rule", json_object_new_string(r->text));
		json_object_object_add(one, "hit", json_object_new_int64(r->hit));
		json_object_object_add(one, "eligible", json_object_new_int64(r->eligible));
		json_object_array_add(rules, one);
	}
	for (d = 0; d < s->devices; d++) {
		json_object *lines = s->device[d].fired;

		for (i = 0; i < json_object_array_length(lines); i++) {
			json_object *one = json_of_pairs(
				json_object_get_string(json_object_array_get_idx(lines, i)));

			json_object_object_add(one, "dev",
					       json_object_new_string(s->device[d].name));
			json_object_array_add(fired, one);
		}
	}
	json_object_object_add(to, "rules", rules);
	json_object_object_add(to, "journal", fired);
	return to;
}

void session_end(struct session *s)
{
	size_t i;

	for (i = 0; i < s->rules; i++) {
		const struct session_device *d = &s->device[s->rule[i].device];
		char *command = format_text("del name=%s", s->rule[i].name);
		struct refusal told;

		if (!s->rule[i].ended)
			device_command(d->name, d->fd, command, &told), free(told.text);
		free(command);
		free(s->rule[i].text);
	}
	for (i = 0; i < s->devices; i++) {
		close(s->device[i].fd);
		journal_close(&s->device[i].journal);
		json_object_put(s->device[i].fired);
	}
	free(s->rule);
	free(s->device);
	memset(s, 0, sizeof(*s));
}
