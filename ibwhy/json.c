// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lib/debugfs/text.h"
#include "lib/why/reason.h"
#include "json.h"
#include "lib/why/places.h"

static void put_text(json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static json_object *steps_of(const struct why_verdict *v)
{
	json_object *steps = json_object_new_array();
	unsigned int i;

	for (i = 0; i < v->steps; i++) {
		json_object *step = json_object_new_object();

		if (v->step[i].timed)
			json_object_object_add(step, "when_ns",
					       json_object_new_int64(v->step[i].when));
		put_text(step, "text", v->step[i].text);
		if (*v->step[i].evidence)
			put_text(step, "evidence", v->step[i].evidence);
		if (v->step[i].advice)
			put_text(step, "advice", v->step[i].advice);
		json_object_array_add(steps, step);
	}
	return steps;
}

/* Numbers become numbers, except those with 0x. */
static void put_value(json_object *to, const char *key, const char *value)
{
	char word[WHY_NAME];
	uint64_t number;

	if (strncmp(value, "0x", 2) && debugfs_number(value, strlen(value), &number))
		json_object_object_add(to, key, json_object_new_uint64(number));
	else
		put_text(to, key, why_word(value, word));
}

static json_object *failure_of(const struct why_story *s)
{
	json_object *to = json_object_new_object();
	const struct why_row *row = NULL;

	while ((row = why_next(s, WHY_FAILURE, row))) {
		const char *value = why_cell(s, row, row->name);
		char key[WHY_NAME];

		if (value)
			put_value(to, why_word(row->name, key), value);
	}
	return to;
}

static json_object *place_of(const struct why_story *s, const struct why_row *row)
{
	json_object *to = json_object_new_object();
	char text[WHY_PLACE_TEXT];
	size_t i;

	for (i = 0; i < row->count; i++) {
		const struct why_cell *c = &s->cell[row->first + i];

		if (!strcmp(c->key, "place"))
			put_text(to, c->key, why_text(c->value, text, sizeof(text)));
		else if (strcmp(c->value, "-"))
			put_value(to, c->key, c->value);
	}
	return to;
}

json_object *json_of_story(const struct why_story *s, const struct why_verdict *v)
{
	json_object *to = json_object_new_object(), *list;
	const struct why_row *row = NULL;
	unsigned int i;

	json_object_object_add(to, "failure", failure_of(s));
	put_text(to, "cause", why_cause_word(v->cause));
	put_text(to, "title", why_cause_title(v->cause));
	put_text(to, "advice", why_cause_advice(v->cause));
	json_object_object_add(to, "steps", steps_of(v));
	list = json_object_new_array();
	for (i = 0; i < WHY_CAUSE_COUNT; i++)
		if (v->candidate[i])
			json_object_array_add(list, json_object_new_string(why_cause_word(i)));
	json_object_object_add(to, "candidates", list);
	list = json_object_new_array();
	for (i = 0; i < v->missing; i++)
		json_object_array_add(list, json_object_new_string(v->miss[i]));
	json_object_object_add(to, "missing", list);
	list = json_object_new_array();
	while ((row = why_next(s, WHY_PLACES, row)))
		json_object_array_add(list, place_of(s, row));
	json_object_object_add(to, "where", list);
	return to;
}

json_object *json_of_wait(const struct why_qp *q, const struct why_verdict *v, enum why_end end)
{
	json_object *to = json_object_new_object();

	put_text(to, "dev", q->dev);
	json_object_object_add(to, "qpn", json_object_new_uint64(q->qpn));
	put_text(to, "end", why_end_word(end));
	put_text(to, "title", why_end_title(end));
	put_text(to, "advice", why_end_advice(end));
	json_object_object_add(to, "steps", steps_of(v));
	return to;
}
