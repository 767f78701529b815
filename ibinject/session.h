/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules that end with this process: each is tied to the open file through which it was added. An
 * action on an object happens at once and needs no tie.
 */
#ifndef IBINJECT_SESSION_H
#define IBINJECT_SESSION_H

#include <json-c/json.h>

#include "journal.h"
#include "rule.h"

struct session_device {
	char name[DEVICE_NAME];
	int fd; /* open file of its rules */
	struct journal journal;
	json_object *fired; /* lines of its journal since the start of the session */
};

struct session_rule {
	char name[GLASS_RULE_NAME];
	char *text; /* as given by the user */
	size_t device;
	bool ended; /* a command ended it */
	uint64_t hit, eligible;
};

struct session {
	struct session_device *device;
	size_t devices;
	struct session_rule *rule;
	size_t rules;
	const char *prefix;	   /* for names of rules without one */
	bool watched[DEVICES_MAX]; /* the device's journal is open */
	int refused;		   /* errno of the last rule that the driver refused; 0: none */
};

void session_begin(struct session *s, const char *prefix);

/*
 * Opens a device (NULL: the only one) and stores its index. Otherwise returns a status after an
 * error message.
 */
enum status session_device(struct session *s, const char *dev, size_t *index);

/*
 * Adds a rule. ST_USAGE and ST_FAILED fill in error (for rule_explain()); other failures are
 * reported. *rule, if rule is not NULL: the index of the rule.
 */
enum status session_add(struct session *s, size_t device, const char *text, size_t *rule,
			struct glass_filter_error *error);

/* Returns the newest rule of that name, or NULL. */
struct session_rule *session_find(struct session *s, const char *name);

enum status session_del(struct session *s, struct session_rule *r);

/* Updates hit and eligible of all rules, and reads the journals. */
void session_look(struct session *s);

/* Summaries of the firings, as text and as JSON. Both call session_look() first. */
void session_summary(struct session *s, FILE *to);
json_object *session_json(struct session *s);

/* Ends the session's rules, so that none stays listed. */
void session_end(struct session *s);

#endif
