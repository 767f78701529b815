/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the commands that programs write to inject/rules in debugfs. docs/inject-abi.md is their
 * reference; uapi/glass-inject.h has the keys and actions as tables.
 */
#ifndef GLASS_RULES_PARSE_H
#define GLASS_RULES_PARSE_H

#include "rules/error.h"
#include "rules/select.h"
#include "uapi/glass-columns.h"
#include "wire/shim.h"

#define GLASS_RULE_LINE GLASS_INJECT_LINE
#define GLASS_RULE_NAME 32 /* name with its NUL */
#define GLASS_RULE_PORT_MAX 254

enum glass_rule_command {
	GLASS_RULE_ADD,
	GLASS_RULE_DEL,
	GLASS_RULE_CLEAR,
	GLASS_RULE_STEP,
	GLASS_RULE_RELEASE,
};

#define GLASS_E_DIST(n, w, v) GLASS_DIST_##n = (v),
#define GLASS_E_PART(n, w, v) GLASS_PART_##n = (v),
#define GLASS_E_CRC(n, w, v) GLASS_CRC_##n = (v),
#define GLASS_E_TIMERS(n, w, v) GLASS_TIMERS_##n = (v),
#define GLASS_E_ROLE(n, w, v) GLASS_ROLE_##n = (v),
#define GLASS_E_OVER(n, w, v) GLASS_OVER_##n = (v),
enum glass_dist { GLASS_INJECT_DISTS(GLASS_E_DIST) };
enum glass_rule_part { GLASS_INJECT_PARTS(GLASS_E_PART) };
enum glass_crc { GLASS_INJECT_CRCS(GLASS_E_CRC) };
enum glass_timers { GLASS_INJECT_TIMERS(GLASS_E_TIMERS) };
enum glass_role { GLASS_INJECT_ROLES(GLASS_E_ROLE) };
enum glass_over { GLASS_INJECT_OVERS(GLASS_E_OVER) GLASS_OVER_LAST };

#define GLASS_RULE_CHAIN 5 /* probabilities that a loss model has at most */
#define GLASS_PROB_ONE (1ULL << 32)

/*
 * A parsed command. value[] has the numbers and single words of the keys that are given, and 0 for
 * all others. Selectors are also in `select`.
 */
struct glass_rule {
	enum glass_rule_command command;
	char name[GLASS_RULE_NAME]; /* empty: none was given */
	enum glass_action action;
	char site; /* where the action acts: 'P', 'C', 'O', 'V', 'N' or 'D' (uapi/glass-inject.h) */
	bool force;
	u64 given[2]; /* bit GLASS_RK_*: the key was given */
	u64 value[GLASS_RK_KEYS]; /* of a range the lower end */
	u64 nth_high; /* upper end of nth */
	u64 window_to; /* upper end of window, ns */
	u64 chain[GLASS_RULE_CHAIN]; /* gemodel: p r h k1; loss4: p13 p31 p32 p23 p14 */
	/* the rule that `after` names; value[GLASS_RK_AFTER]: how often it must fire first */
	char after[GLASS_RULE_NAME];
	bool tie_fd; /* tie=fd */
	struct glass_select select;
	/* the object of an action on objects, a port or the device */
	enum glass_kind kind;
	u32 num; /* number of the object */
	u32 port; /* QP0 and QP1: their port; else 0 */
	/* key of the rule's random numbers: seed and hash of the name; set by glass_rule_seal() */
	u64 secret[2];
	/* the pairs as given, without name, seed and output-only keys */
	u32 text_len;
	char text[GLASS_RULE_LINE + 16]; /* with room for a default, count=1 */
};

/*
 * Verbs that the provider carries out without the driver, so that an injected failure happens in
 * the provider. Bits: 1 << enum glass_verb
 */
#define GLASS_PROVIDER_VERBS                                                                       \
	(BIT_ULL(GLASS_VERB_POST_SEND) | BIT_ULL(GLASS_VERB_POST_RECV) |                           \
	 BIT_ULL(GLASS_VERB_POST_SRQ_RECV))

static inline bool glass_rule_has(const struct glass_rule *r, enum glass_rule_key key)
{
	return r->given[key / 64] >> (key % 64) & 1;
}

/*
 * Parses one command of len bytes (no NUL needed behind it). Returns 0 with the error kind
 * GLASS_RE_NONE, or -EINVAL with the reason in *error.
 */
int glass_rule_parse(const char *text, size_t len, struct glass_rule *rule,
		     struct glass_rule_error *error);

/*
 * Makes a rule ready for use, after its name and seed (value[GLASS_RK_SEED]) are set: keys its
 * random numbers, and makes nqp count from the device's first QP. born: number of QPs that the
 * device created before the rule.
 */
void glass_rule_seal(struct glass_rule *rule, u64 born);

/* Gets the least and the greatest number that this key may have in a rule with this action. */
void glass_rule_bounds(enum glass_action action, enum glass_rule_key key, u64 *low, u64 *high);

/* The word of an action, the site of an action, and the selector that names an object ("qpn"). */
const char *glass_rule_action_word(enum glass_action action);
char glass_rule_action_site(enum glass_action action);
const char *glass_rule_selector(enum glass_kind kind);

#endif
