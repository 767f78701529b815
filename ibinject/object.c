// SPDX-License-Identifier: GPL-2.0-only
/* Actions on objects, and the words for them. */
#include <stdlib.h>
#include <string.h>

#include "ibinject.h"
#include "short.h"

const struct object_info objects[OBJECT_COUNT] = {
	[OBJECT_QP] = { "qp", "qpn" },	      [OBJECT_CQ] = { "cq", "cqn" },
	[OBJECT_SRQ] = { "srq", "srqn" },     [OBJECT_PORT] = { "port", "port" },
	[OBJECT_DEVICE] = { "device", NULL },
};

/* Does the action concern this kind of object? */
static bool is_about(const struct act *act, enum object object)
{
	const char *key = objects[object].key;
	bool must = false;

	if (act == &acts[GLASS_ACT_EVENT])
		return false;
	if (!key)
		return act->site == 'D';
	return strchr("ON", act->site) && is_param(act, key, &must) && must;
}

/* Does the event concern this kind of object? Asks the driver's parser. */
static bool is_event_of(const char *event, enum object object)
{
	const char *key = objects[object].key;
	struct glass_filter_error error;
	char text[100];

	snprintf(text, sizeof(text), "act=event event=%s%s%s%s", event, key ? " " : "",
		 key ? key : "", key ? "=1" : "");
	return rule_check(text, NULL, &error);
}

/* Strips the object's name: qp_fatal is "fatal" for a qp. */
static const char *without_object(enum object object, const char *word)
{
	size_t len = strlen(objects[object].word);

	return !strncmp(word, objects[object].word, len) && word[len] == '_' ? word + len + 1
									     : word;
}

/* As without_object(), but also strips a trailing _change. */
static const char *short_word(enum object object, const char *word, char *to, size_t size)
{
	size_t end;

	word = without_object(object, word);
	end = strlen(word);
	if (end > 7 && !strcmp(word + end - 7, "_change"))
		end -= 7;
	snprintf(to, size, "%.*s", (int)end, word);
	return to;
}

#define EVENTS_FROM GLASS_ACT_COUNT

/*
 * Returns the i-th candidate in its short form, first actions, then events. NULL: not for this
 * object; "": the end.
 */
static const char *candidate(enum object object, size_t i, char *to, size_t size)
{
	const char *event;

	if (i < EVENTS_FROM)
		return is_about(&acts[i], object)
			       ? short_word(object, glass_rule_action_word(i), to, size)
			       : NULL;
	event = key_word(GLASS_RK_EVENT, 'O', i - EVENTS_FROM);
	if (!event)
		return "";
	/* an action of the same name takes precedence over the event */
	if (find_act(event, strlen(event)) >= 0 || !is_event_of(event, object))
		return NULL;
	return without_object(object, event);
}

/* Returns the full name of the i-th candidate. */
static const char *full_word(size_t i)
{
	return i < EVENTS_FROM ? glass_rule_action_word(i)
			       : key_word(GLASS_RK_EVENT, 'O', i - EVENTS_FROM);
}

bool object_of_act(int act, enum object *object, char *word, size_t size)
{
	for (*object = 0; *object < OBJECT_COUNT; ++*object) {
		if (!is_about(&acts[act], *object))
			continue;
		short_word(*object, glass_rule_action_word(act), word, size);
		return true;
	}
	return false;
}

const char *object_word(enum object object, size_t i)
{
	static char word[64];
	const char *w;
	size_t k;

	for (k = 0; (w = candidate(object, k, word, sizeof(word))) == NULL || *w; k++)
		if (w && !i--)
			return w;
	return NULL;
}

char *object_rule(enum object object, const char *number, const char *word,
		  const struct given_keys *given)
{
	const char *key = objects[object].key, *w;
	char *text = NULL, name[64];
	size_t size, i;
	FILE *f;
	int k;

	for (i = 0; (w = candidate(object, i, name, sizeof(name))) == NULL || *w; i++) {
		if (w && (!strcmp(w, word) || !strcmp(full_word(i), word)))
			break;
	}
	if (w && !*w)
		return NULL;
	f = open_memstream(&text, &size);
	if (!f)
		cli_die(CLI_FAILED, "out of memory");
	if (key)
		fprintf(f, "%s=%s ", key, number);
	if (i < EVENTS_FROM)
		fprintf(f, "act=%s", glass_rule_action_word(i));
	else
		fprintf(f, "act=event event=%s", full_word(i));
	for (k = 0; k < GLASS_RK_KEYS; k++)
		if (given->value[k])
			fprintf(f, " %s=%s", keys[k].word, given->value[k]);
	fclose(f);
	return text;
}
