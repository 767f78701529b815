// SPDX-License-Identifier: GPL-2.0-only
/* A port on the way that let no packet pass. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/why/reason.h"

/* X(word of `what`, cause, sentence) */
#define CHANGES(X)                                                                     \
	X(cable_cut, CABLE_CUT, "its cable was cut")                                   \
	X(cable_pulled, CABLE_CUT, "its cable was pulled")                             \
	X(netdev_gone, NETDEV_GONE, "the network interface of its cable is gone")      \
	X(carrier, NETDEV_GONE, "the network interface of its cable lost its carrier") \
	X(silence, NETDEV_GONE, "the other end of its cable is silent")                \
	X(interface, NETDEV_GONE, "its network interface is down, or has no carrier")  \
	X(peer, PORT_DOWN, "the host at the other end of its cable took it down")      \
	X(unplug, UNPLUGGED, "the adapter was unplugged")                              \
	X(verb, PORT_DOWN, "a command took it down")                                   \
	X(sm, PORT_DOWN, "the subnet manager took it down")                            \
	X(rule, INJECTED, "an injection rule took it down")

static enum why_cause cause_of(const char *what, const char **text)
{
#define CHANGE(word, cause, sentence)     \
	if (!strcmp(what, #word)) {       \
		*text = sentence;         \
		return WHY_CAUSE_##cause; \
	}
	CHANGES(CHANGE)
	return WHY_CAUSE_UNDETERMINED;
}

/* Is "NODE:PORT" the port of the row? */
static bool is_port(const struct why_case *c, const struct why_row *row, const char *at)
{
	char node[WHY_NAME], port[WHY_NAME], name[2 * WHY_NAME];

	if (!why_cell(c->s, row, "node") || !why_cell(c->s, row, "port"))
		return false;
	snprintf(name, sizeof(name), "%s:%s", why_word(why_cell(c->s, row, "node"), node),
		 why_word(why_cell(c->s, row, "port"), port));
	return !strcmp(name, at);
}

static bool is_active(const struct why_case *c, const struct why_row *row)
{
	return why_cell_is(c->s, row, "state", "active");
}

/*
 * Finds the port that blocks: the one named, or the other end of its cable. A drop is reported at
 * one end of a cable, and its other end may be the one that is down.
 */
static const struct why_row *find_port(const struct why_case *c, const char *at)
{
	const struct why_row *row = NULL;
	char cable[WHY_NAME];

	while ((row = why_next(c->s, WHY_PORTS, row)))
		if (is_port(c, row, at) && why_cell(c->s, row, "state") && !is_active(c, row))
			return row;
	while ((row = why_next(c->s, WHY_PORTS, row)))
		if (why_cell(c->s, row, "state") && !is_active(c, row) &&
		    !strcmp(why_word(why_cell(c->s, row, "cable"), cable), at))
			return row;
	return NULL;
}

static void decide_waiting(struct why_case *c, const struct why_row *row, const char *name)
{
	char state[WHY_NAME];
	struct why_step *step;

	step = why_step(
		c, NULL,
		"The link of %s is up, but the port is %s: no subnet manager made it active.", name,
		why_word(why_cell(c->s, row, "state"), state));
	why_evidence(step, "ports: state=%s", state);
	why_decide(c, WHY_CAUSE_SM_GONE);
}

/* Did the port change last before `since`, so that it blocked all packets that were dropped? */
static bool is_before(const struct why_case *c, const struct why_row *row, const uint64_t *since)
{
	uint64_t when;

	return since && why_cell_number(c->s, row, "when", &when) && when <= *since;
}

int why_is_active(const struct why_case *c, const char *at)
{
	const struct why_row *row = NULL;

	if (find_port(c, at))
		return 0;
	while ((row = why_next(c->s, WHY_PORTS, row)))
		if (is_port(c, row, at) && why_cell(c->s, row, "state"))
			return 1;
	return -1;
}

/* Was the port, which is active now, active then? Returns 1, or -1 if no row tells. */
static int was_active(const struct why_case *c, const char *at, uint64_t then)
{
	const struct why_row *row = NULL;
	uint64_t when;

	while ((row = why_next(c->s, WHY_PORTS, row)))
		if (is_port(c, row, at) && why_cell(c->s, row, "state"))
			return why_cell_number(c->s, row, "when", &when) && when > then ? -1 : 1;
	return -1;
}

int why_was_active(const struct why_case *c, const char *at, const char *to, uint64_t then)
{
	const struct why_row *row = find_port(c, at);

	if (row)
		return is_before(c, row, &then) ? 0 : -1;
	return was_active(c, at, then) == 1 && was_active(c, to, then) == 1 ? 1 : -1;
}

bool why_is_cabled(const struct why_case *c, const char *at, const char *sw)
{
	size_t len = strcspn(sw, ":") + 1;
	const struct why_row *row = NULL;
	char cable[WHY_NAME];

	while ((row = why_next(c->s, WHY_PORTS, row)))
		if (is_port(c, row, at) && why_cell(c->s, row, "cable") &&
		    !strncmp(why_word(why_cell(c->s, row, "cable"), cable), sw, len))
			return true;
	return false;
}

static void decide_change(struct why_case *c, const struct why_row *row, const char *name,
			  enum why_cause cause, const char *text)
{
	static const char *const actions[] = { "port_down", "port_flap", NULL };
	char word[WHY_NAME];
	struct why_step *step;
	uint64_t when;

	step = why_step(c, why_cell_number(c->s, row, "when", &when) ? &when : NULL,
			"The port %s is %s: %s.", name,
			why_word(why_cell(c->s, row, "state"), word), text);
	why_evidence(step, "ports: what=%s", why_word(why_cell(c->s, row, "what"), word));
	if (why_cell(c->s, row, "cable"))
		why_evidence(step, "cable=%s", why_word(why_cell(c->s, row, "cable"), word));
	if (why_cell(c->s, row, "netdev"))
		why_evidence(step, "netdev=%s", why_word(why_cell(c->s, row, "netdev"), word));
	if (cause == WHY_CAUSE_INJECTED)
		why_rule_step(c, actions);
	why_decide(c, cause);
}

void why_port(struct why_case *c, const char *at, const uint64_t *since)
{
	const struct why_row *row = find_port(c, at);
	const char *what = why_cell(c->s, row, "what"), *text = NULL;
	char node[WHY_NAME], port[WHY_NAME], name[2 * WHY_NAME] = "";
	enum why_cause cause = what ? cause_of(what, &text) : WHY_CAUSE_UNDETERMINED;
	bool waits = why_cell_is(c->s, row, "state", "init") ||
		     why_cell_is(c->s, row, "state", "armed");

	if (row)
		snprintf(name, sizeof(name), "%s:%s", why_word(why_cell(c->s, row, "node"), node),
			 why_word(why_cell(c->s, row, "port"), port));
	if (!row || !is_before(c, row, since) || (!waits && !cause)) {
		if (row && !is_before(c, row, since))
			why_missing(c, "the state of %s before its last change", name);
		else
			why_missing(c, "the port that was down, and its last change (ports)");
		why_candidates(c, WHY_CAUSE_PORT_DOWN, WHY_CAUSE_CABLE_CUT, WHY_CAUSE_NETDEV_GONE,
			       WHY_CAUSE_SM_GONE, WHY_CAUSE_INJECTED, WHY_CAUSE_UNPLUGGED, -1);
	} else if (waits) {
		decide_waiting(c, row, name);
	} else {
		decide_change(c, row, name, cause, text);
	}
}
