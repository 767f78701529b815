/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules that live no longer than this process: tied to the open files through which
 * they were added. Those on objects happen at once, and have nothing to tie.
 */
#ifndef IBINJECT_SESSION_H
#define IBINJECT_SESSION_H

#include <json-c/json.h>

#include "journal.h"
#include "rule.h"

struct session_device {
	char name[DEVICE_NAME];
	int fd; /* of its rules */
	struct journal journal;
	json_object *fired; /* lines of its journal since the session began */
};

struct session_rule {
	char name[GLASS_RULE_NAME];
	char *text; /* as it was given */
	size_t device;
	bool ended; /* by a command */
	uint64_t hit, eligible;
};

struct session {
	struct session_device *device;
	size_t devices;
	struct session_rule *rule;
	size_t rules;
	const char *prefix;	   /* of the names of rules that have none */
	bool watched[DEVICES_MAX]; /* devices whose journal could be opened */
};

void session_begin(struct session *s, const char *prefix);

/* Opens a device (NULL: the only one); its number in *index. Else a status, told. */
enum status session_device(struct session *s, const char *dev, size_t *index);

/*
 * Adds a rule. ST_USAGE and ST_FAILED fill the error (for rule_explain), others are told. *rule,
 * when not NULL: its number.
 */
enum status session_add(struct session *s, size_t device, const char *text, size_t *rule,
			struct glass_filter_error *error);

/* The rule of that name that was added last, or NULL */
struct session_rule *session_find(struct session *s, const char *name);

enum status session_del(struct session *s, struct session_rule *r);

/* Brings hit and eligible of all rules, and the journals, up to date. */
void session_look(struct session *s);

/* What fired, for a reader; and as JSON. Both look first. */
void session_summary(struct session *s, FILE *to);
json_object *session_json(struct session *s);

/* Ends its rules, so that nothing of them stays listed. */
void session_end(struct session *s);

#endif
