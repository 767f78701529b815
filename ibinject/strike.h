/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Actions on objects in the midst of a run: the N-th packet of a QP is held, the action
 * happens to that QP, or to what it uses, and the packet goes on.
 */
#ifndef IBINJECT_STRIKE_H
#define IBINJECT_STRIKE_H

#include "session.h"

struct strike {
	struct session *session;
	size_t device, hold; /* the rule that holds */
	const char *action;  /* "act=event event=comm_est", what it lacks is its object */
	enum status status;  /* what went wrong, told */
	bool done, struck;
};

/*
 * The key of the object that the action has to have beside what its text says ("qpn"), "" when
 * none; NULL: there is no such action on objects.
 */
const char *strike_key(const char *action);

/* Looks once; data is the struct strike. True: nothing more is to be looked for. */
bool strike_look(void *data);

#endif
