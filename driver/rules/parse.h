/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parses the commands that programs write to inject/rules in debugfs. docs/inject-abi.md describes
 * the commands. uapi/glass-inject.h has the keys and actions as tables.
 */
#ifndef GLASS_RULES_PARSE_H
#define GLASS_RULES_PARSE_H

#include "rules/error.h"
#include "rules/select.h"
#include "uapi/glass-columns.h"
#include "wire/shim.h"

#define GLASS_RULE_LINE GLASS_INJECT_LINE
#define GLASS_RULE_NAME 32 /* size of a rule's name in bytes, with its NUL */
#define GLASS_RULE_PORT_MAX 254 /* the highest number that port= takes */

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

#define GLASS_RULE_CHAIN 5 /* maximum number of probabilities of a loss model */
#define GLASS_PROB_ONE (1ULL << 32) /* the probability 1 */

/*
 * A parsed command. value[] has the values of keys as numbers: times in ns, probabilities in units
 * of 1/GLASS_PROB_ONE, a single word by its number in the table, the lower end of a range, the N of
 * after=NAME:N. value[] is 0 for a key that is not given, or whose value is a name, a pattern or a
 * list. `select` has the conditions of the selectors. For the command `step`, value[GLASS_RK_NTH]
 * is n.
 */
struct glass_rule {
	enum glass_rule_command command;
	char name[GLASS_RULE_NAME]; /* empty if none was given */
	enum glass_action action;
	char site; /* where the action acts: 'P', 'C', 'O', 'V', 'N' or 'D' (uapi/glass-inject.h) */
	bool force;
	u64 given[2]; /* bit GLASS_RK_*: the key was given */
	u64 value[GLASS_RK_KEYS]; /* see above */
	u64 nth_high; /* upper end of nth= */
	u64 window_to; /* upper end of window=, ns */
	/*
	 * The probabilities of a loss model, in units of 1/GLASS_PROB_ONE. For gemodel they are p,
	 * r, 1-h (the probability of a loss in the bad state) and 1-k (the probability of a loss in
	 * the good state). For loss4 they are p13, p31, p32, p23 and p14.
	 */
	u64 chain[GLASS_RULE_CHAIN];
	/*
	 * after=: the name of another rule. This rule can fire only after the other one has fired
	 * value[GLASS_RK_AFTER] times.
	 */
	char after[GLASS_RULE_NAME];
	bool tie_fd; /* tie=fd */
	struct glass_select select;
	/* for an action on an object, a port or the device: the kind of the target */
	enum glass_kind kind;
	u32 num; /* number of the object or port; 0: the device */
	u32 port; /* if the object is QP0 or QP1: the QP's port; else 0 */
	/*
	 * The key for the rule's random numbers: the seed, and a hash of the name
	 * (glass_rule_seal()).
	 */
	u64 secret[2];
	/* the pairs of the command, without name=, seed= and GLASS_INJECT_KEYS_TOLD; no NUL */
	u32 text_len;
	char text[GLASS_RULE_LINE + 16]; /* also has room for the default count=1 */
};

/*
 * Verbs that the provider carries out without the driver, as bits (1 << enum glass_verb). While a
 * rule names such a verb, the provider asks the driver before each call whether the call must fail.
 */
#define GLASS_PROVIDER_VERBS                                                                       \
	(BIT_ULL(GLASS_VERB_POST_SEND) | BIT_ULL(GLASS_VERB_POST_RECV) |                           \
	 BIT_ULL(GLASS_VERB_POST_SRQ_RECV))

static inline bool glass_rule_has(const struct glass_rule *r, enum glass_rule_key key)
{
	return r->given[key / 64] >> (key % 64) & 1;
}

/*
 * Parses one command of len bytes, which needs no NUL. On success, returns 0 and sets error->kind
 * to GLASS_RE_NONE. Otherwise returns -EINVAL, and *error has the reason.
 */
int glass_rule_parse(const char *text, size_t len, struct glass_rule *rule,
		     struct glass_rule_error *error);

/*
 * Makes a rule ready for use. The caller has set the rule's name and seed (value[GLASS_RK_SEED]).
 * The function makes `secret` from them. `born` is the number of QPs that the device created before
 * the rule was added. The function adds `born` to both ends of the range of nqp=. So the range
 * counts from the device's first QP, as the value of GLASS_SEL_NQP in struct glass_subject does.
 */
void glass_rule_seal(struct glass_rule *rule, u64 born);

/*
 * Sets *low and *high to the smallest and the largest number that this key may have in a rule with
 * this action.
 */
void glass_rule_bounds(enum glass_action action, enum glass_rule_key key, u64 *low, u64 *high);

/*
 * glass_rule_action_word() returns the word of an action, and glass_rule_action_site() its site.
 * glass_rule_selector() returns the word of the selector that names an object of a kind, such as
 * "qpn". If there is no such word, the result is "?"; if there is no site, it is 0.
 */
const char *glass_rule_action_word(enum glass_action action);
char glass_rule_action_site(enum glass_action action);
const char *glass_rule_selector(enum glass_kind kind);

#endif
