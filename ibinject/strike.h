/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Actions on objects during a run: a rule holds the N-th packet of a QP, the action hits that QP or
 * an object that it uses, and the packet is released.
 */
#ifndef IBINJECT_STRIKE_H
#define IBINJECT_STRIKE_H

#include "session.h"

struct strike {
	struct session *session;
	size_t device, hold; /* the rule that holds the packet */
	const char *action;  /* "act=event event=comm_est", without the object */
	enum status status;  /* of a failure, after its error message */
	bool done, struck;
};

/*
 * Returns the key of the object that the action needs in addition to its text ("qpn"), or "" if it
 * needs none. Returns NULL if no such action on objects exists.
 */
const char *strike_key(const char *action);

/* Checks once; data is the struct strike. Returns true when the caller may stop calling. */
bool strike_look(void *data);

#endif
