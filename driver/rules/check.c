// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Checks a parsed rule: do its keys go together, and can InfiniBand produce the fault? */
#include "rules/internal.h"

#define RC BIT(GLASS_QPT_RC)
#define RELIABLE (RC | BIT(GLASS_QPT_XRC_INI) | BIT(GLASS_QPT_XRC_TGT))
#define UC BIT(GLASS_QPT_UC)
#define DATAGRAMS (BIT(GLASS_QPT_SMI) | BIT(GLASS_QPT_GSI) | BIT(GLASS_QPT_UD))
#define ALL_TYPES (RELIABLE | UC | DATAGRAMS)

/*
 * Sets of BTH operations: RDMA WRITEs without immediate data (WRITES), the operations of UC
 * (UC_OPS), and the operations of datagrams (DATAGRAM_OPS).
 */
#define WRITES GLASS_PKT_SET(WRITE)
#define UC_OPS GLASS_BTHS_ON(GLASS_ON_UC)
#define DATAGRAM_OPS (GLASS_PKT_SET(SEND) | GLASS_PKT_SET(SEND_IMM))

#define WCOP(v) BIT(GLASS_WCOP_BIT(v))
#define RECEIVES (WCOP(GLASS_WCOP_RECV) | WCOP(GLASS_WCOP_RECV_WRITE_IMM))

/*
 * Returns the words that this selector of the rule allows, as bits. If the rule lacks the selector,
 * returns `all`.
 */
static u64 selected_words(const struct glass_rule *r, enum glass_selector key, u64 all)
{
	const struct glass_cond *c = glass_select_get(&r->select, key);

	return c ? c->low : all;
}

static bool key_given(const struct glass_rule *r, enum glass_rule_key key)
{
	return glass_rule_has(r, key);
}

/* Sets e->key to `key` and e->other to `other`. Returns `kind`. */
static enum glass_rule_error_kind check_refuse(struct glass_rule_error *e, enum glass_rule_key key,
					       enum glass_rule_key other,
					       enum glass_rule_error_kind kind)
{
	e->key = key;
	e->other = other;
	return kind;
}

/* Does the selector allow only one number? True also if the rule lacks the selector. */
static bool selects_one(const struct glass_rule *r, enum glass_selector key)
{
	const struct glass_cond *c = glass_select_get(&r->select, key);

	return !c || c->low == c->high;
}

/* Sets the object that the rule acts on, and checks the selectors that name the object. */
static enum glass_rule_error_kind check_object(struct glass_rule *r, struct glass_rule_error *e)
{
	enum glass_rule_key key = GLASS_RK_PORT;

	if (key_given(r, GLASS_RK_CQN)) {
		key = GLASS_RK_CQN;
		r->kind = GLASS_KIND_CQ;
	} else if (key_given(r, GLASS_RK_SRQN)) {
		key = GLASS_RK_SRQN;
		r->kind = GLASS_KIND_SRQ;
	} else if (key_given(r, GLASS_RK_QPN)) {
		key = GLASS_RK_QPN;
		r->kind = GLASS_KIND_QP;
		if (r->value[GLASS_RK_QPN] <= 1)
			r->port = 1;
	} else {
		r->kind = key_given(r, GLASS_RK_PORT) ? GLASS_KIND_PORT : GLASS_KIND_DEVICE;
	}
	r->num = r->value[key];
	if (!selects_one(r, (enum glass_selector)(key - GLASS_RK_PORT)))
		return check_refuse(e, key, GLASS_RK_KEYS, GLASS_RE_ONE_OBJECT);
	if (key == GLASS_RK_PORT || !key_given(r, GLASS_RK_PORT))
		return GLASS_RE_NONE;
	if (!r->port)
		return check_refuse(e, GLASS_RK_PORT, key, GLASS_RE_SPECIAL_QP);
	if (!selects_one(r, GLASS_SEL_PORT))
		return check_refuse(e, GLASS_RK_PORT, GLASS_RK_KEYS, GLASS_RE_ONE_OBJECT);
	r->port = r->value[GLASS_RK_PORT];
	return GLASS_RE_NONE;
}

/*
 * Checks that the rule names at most one QP, CQ or SRQ, and that the event is about an object of
 * the kind r->kind. A rule for an event of the device must name no object.
 */
static enum glass_rule_error_kind check_event(struct glass_rule *r, struct glass_rule_error *e)
{
	static const u8 kinds[GLASS_EV_COUNT] = {
		[GLASS_EV_CQ_ERR] = GLASS_KIND_CQ,
		[GLASS_EV_QP_FATAL] = GLASS_KIND_QP,
		[GLASS_EV_QP_REQ_ERR] = GLASS_KIND_QP,
		[GLASS_EV_QP_ACCESS_ERR] = GLASS_KIND_QP,
		[GLASS_EV_COMM_EST] = GLASS_KIND_QP,
		[GLASS_EV_SQ_DRAINED] = GLASS_KIND_QP,
		[GLASS_EV_PATH_MIG] = GLASS_KIND_QP,
		[GLASS_EV_PATH_MIG_ERR] = GLASS_KIND_QP,
		[GLASS_EV_DEVICE_FATAL] = GLASS_KIND_DEVICE,
		[GLASS_EV_PORT_ACTIVE] = GLASS_KIND_PORT,
		[GLASS_EV_PORT_ERR] = GLASS_KIND_PORT,
		[GLASS_EV_LID_CHANGE] = GLASS_KIND_PORT,
		[GLASS_EV_PKEY_CHANGE] = GLASS_KIND_PORT,
		[GLASS_EV_SM_CHANGE] = GLASS_KIND_PORT,
		[GLASS_EV_SRQ_ERR] = GLASS_KIND_SRQ,
		[GLASS_EV_SRQ_LIMIT_REACHED] = GLASS_KIND_SRQ,
		[GLASS_EV_QP_LAST_WQE_REACHED] = GLASS_KIND_QP,
		[GLASS_EV_CLIENT_REREGISTER] = GLASS_KIND_PORT,
		[GLASS_EV_GID_CHANGE] = GLASS_KIND_PORT,
	};
	u32 objects = key_given(r, GLASS_RK_QPN) + key_given(r, GLASS_RK_CQN) +
		      key_given(r, GLASS_RK_SRQN);

	if (objects > 1)
		return check_refuse(e, GLASS_RK_EVENT, GLASS_RK_KEYS, GLASS_RE_EVENT_OBJECTS);
	if (kinds[r->value[GLASS_RK_EVENT]] == r->kind)
		return GLASS_RE_NONE;
	switch (kinds[r->value[GLASS_RK_EVENT]]) {
	case GLASS_KIND_QP:
		return check_refuse(e, GLASS_RK_EVENT, GLASS_RK_QPN, GLASS_RE_EVENT_OBJECT);
	case GLASS_KIND_CQ:
		return check_refuse(e, GLASS_RK_EVENT, GLASS_RK_CQN, GLASS_RE_EVENT_OBJECT);
	case GLASS_KIND_SRQ:
		return check_refuse(e, GLASS_RK_EVENT, GLASS_RK_SRQN, GLASS_RE_EVENT_OBJECT);
	case GLASS_KIND_PORT:
		return check_refuse(e, GLASS_RK_EVENT, GLASS_RK_PORT, GLASS_RE_EVENT_OBJECT);
	default:
		return check_refuse(e, GLASS_RK_EVENT, GLASS_RK_KEYS, GLASS_RE_EVENT_DEVICE);
	}
}

static enum glass_rule_error_kind check_trigger(const struct glass_rule *r,
						struct glass_rule_error *e)
{
	static const enum glass_rule_key models[] = { GLASS_RK_LOSS4, GLASS_RK_GEMODEL,
						      GLASS_RK_PROB };
	enum glass_rule_key first = GLASS_RK_KEYS;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (!key_given(r, models[i]))
			continue;
		if (first != GLASS_RK_KEYS)
			return check_refuse(e, first, models[i], GLASS_RE_EXCLUDES);
		first = models[i];
	}
	if (key_given(r, GLASS_RK_CORR) && !key_given(r, GLASS_RK_PROB))
		return check_refuse(e, GLASS_RK_CORR, GLASS_RK_PROB, GLASS_RE_NEEDS_KEY);
	if (key_given(r, GLASS_RK_DIST) && !key_given(r, GLASS_RK_JITTER))
		return check_refuse(e, GLASS_RK_DIST, GLASS_RK_JITTER, GLASS_RE_NEEDS_KEY);
	return GLASS_RE_NONE;
}

/* Checks selectors for header fields that only some QP types or operations have. */
static enum glass_rule_error_kind check_fields(const struct glass_rule *r, u64 types, u64 ops,
					       struct glass_rule_error *e)
{
	static const enum glass_rule_key of_aeth[] = { GLASS_RK_SYNDROME, GLASS_RK_MSN };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(of_aeth); i++) {
		if (!key_given(r, of_aeth[i]))
			continue;
		if (!(types & RELIABLE))
			return check_refuse(e, of_aeth[i], GLASS_RK_QPTYPE, GLASS_RE_NO_AETH);
		if (!(ops & GLASS_RESPONSE_OPS))
			return check_refuse(e, of_aeth[i], GLASS_RK_OP, GLASS_RE_NO_AETH);
	}
	if (key_given(r, GLASS_RK_QKEY) && !(types & DATAGRAMS))
		return check_refuse(e, GLASS_RK_QKEY, GLASS_RK_QPTYPE, GLASS_RE_NO_QKEY);
	if (key_given(r, GLASS_RK_RKEY) && !(types & (RELIABLE | UC)))
		return check_refuse(e, GLASS_RK_RKEY, GLASS_RK_QPTYPE, GLASS_RE_NO_RKEY);
	if (key_given(r, GLASS_RK_RPSN) && !(types & (RELIABLE | UC)))
		return check_refuse(e, GLASS_RK_RPSN, GLASS_RK_QPTYPE, GLASS_RE_NO_SEQUENCE);
	return GLASS_RE_NONE;
}

/*
 * Refuses a rule if none of the selected QP types has any of the selected operations, or if a
 * header field that the rule tests is in no packet of these types and operations.
 */
static enum glass_rule_error_kind check_wire(const struct glass_rule *r, struct glass_rule_error *e)
{
	u64 types = selected_words(r, GLASS_SEL_QPTYPE, ALL_TYPES);
	u64 ops = selected_words(r, GLASS_SEL_OP, 0xffffffff);

	if (!(types & (RELIABLE | UC)) && !(ops & DATAGRAM_OPS))
		return check_refuse(e, GLASS_RK_OP, GLASS_RK_QPTYPE, GLASS_RE_DATAGRAM_OP);
	if (!(types & RELIABLE) && !(ops & UC_OPS))
		return check_refuse(e, GLASS_RK_OP, GLASS_RK_QPTYPE, GLASS_RE_RC_OP);
	return check_fields(r, types, ops, e);
}

/*
 * Requests that are answered with data (DATA_OPS) or with an empty READ response (PLACED_OPS). An
 * ACK cannot replace these answers (IBA 9.7.5, annex A19).
 */
#define DATA_OPS (GLASS_BTHS_DO(READ) | GLASS_BTHS_DO(ATOMIC))
#define PLACED_OPS (GLASS_BTHS_DO(FLUSH) | GLASS_BTHS_DO(ATOMIC_WRITE))
#define ANSWERED_OPS (DATA_OPS | PLACED_OPS)

/* Returns the requests for which this action can forge an answer, as bits. */
static u32 answerable_ops(enum glass_action action)
{
	switch (action) {
	case GLASS_ACT_RNR:
		return GLASS_REQUEST_OPS & ~WRITES;
	case GLASS_ACT_ACK:
		return GLASS_REQUEST_OPS & ~ANSWERED_OPS;
	default:
		return GLASS_REQUEST_OPS;
	}
}

/*
 * Checks a rule that forges a NAK, RNR NAK or ACK. Without force=yes the driver accepts such a rule
 * only for RC, and only for requests that may get this answer (IBA 9.7.5). If the rule lacks the
 * selector `qptype`, adds one that selects RC. If the rule lacks the selector `op`, adds one that
 * selects all requests that may get this answer.
 */
static enum glass_rule_error_kind check_forged(struct glass_rule *r, struct glass_rule_error *e)
{
	u64 types = selected_words(r, GLASS_SEL_QPTYPE, RC);
	u64 ops = selected_words(r, GLASS_SEL_OP, GLASS_REQUEST_OPS);
	bool given = key_given(r, GLASS_RK_OP);

	if (types & ~(u64)RC)
		return check_refuse(e, GLASS_RK_QPTYPE, GLASS_RK_ACT, GLASS_RE_RC_ANSWER);
	if (ops & GLASS_RESPONSE_OPS)
		return check_refuse(e, GLASS_RK_OP, GLASS_RK_ACT, GLASS_RE_ANSWER_ANSWERED);
	if (r->action == GLASS_ACT_RNR && given && (ops & WRITES))
		return check_refuse(e, GLASS_RK_OP, GLASS_RK_ACT, GLASS_RE_NO_RECEIVE);
	if (r->action == GLASS_ACT_ACK && given && (ops & DATA_OPS))
		return check_refuse(e, GLASS_RK_OP, GLASS_RK_ACT, GLASS_RE_DATA_ANSWER);
	if (r->action == GLASS_ACT_ACK && given && (ops & PLACED_OPS))
		return check_refuse(e, GLASS_RK_OP, GLASS_RK_ACT, GLASS_RE_EMPTY_ANSWER);
	/* each of these two calls does nothing if the rule has that selector */
	glass_select_add(&r->select, GLASS_SEL_QPTYPE, true, RC, 0);
	glass_select_add(&r->select, GLASS_SEL_OP, true, answerable_ops(r->action), 0);
	return GLASS_RE_NONE;
}

/* Refuses crc=good in a rule that corrupts a CRC, because crc=good would repair that CRC. */
static enum glass_rule_error_kind check_crc(const struct glass_rule *r, struct glass_rule_error *e)
{
	if (r->action != GLASS_ACT_CORRUPT || r->value[GLASS_RK_CRC] != GLASS_CRC_GOOD)
		return GLASS_RE_NONE;
	if (r->value[GLASS_RK_WHAT] == GLASS_PART_ICRC || r->value[GLASS_RK_WHAT] == GLASS_PART_VCRC)
		return check_refuse(e, GLASS_RK_CRC, GLASS_RK_WHAT, GLASS_RE_CRC_REMADE);
	return GLASS_RE_NONE;
}

/*
 * Verbs that a rule may make fail when a program calls them. A destroy verb is in the set only if
 * its caller gets the error. The other destroy verbs must succeed: after a failure, ib_core would
 * leak the object.
 */
#define VERB(n) BIT_ULL(GLASS_VERB_##n)
#define FALLIBLE                                                                                   \
	(VERB(ALLOC_UCONTEXT) | VERB(MMAP) | VERB(ALLOC_PD) | VERB(DEALLOC_PD) | VERB(CREATE_AH) | \
	 VERB(REG_MR) | VERB(DEREG_MR) | VERB(CREATE_CQ) | VERB(DESTROY_CQ) | VERB(CREATE_SRQ) |   \
	 VERB(MODIFY_SRQ) | VERB(QUERY_SRQ) | VERB(DESTROY_SRQ) | VERB(CREATE_QP) |                \
	 VERB(MODIFY_QP) | VERB(QUERY_QP) | VERB(DESTROY_QP) | VERB(ATTACH_MCAST) |                \
	 VERB(REREG_MR) | VERB(ADVISE_MR) | VERB(ALLOC_MW) | VERB(RESIZE_CQ) | VERB(ALLOC_XRCD) |  \
	 VERB(DEALLOC_XRCD) | VERB(ALLOC_DM) | VERB(DEALLOC_DM) |                                  \
	 GLASS_PROVIDER_VERBS)
/* Verbs for which the provider returns no errno to the program */
#define UNTOLD (VERB(POLL_CQ) | VERB(REQ_NOTIFY_CQ))

static enum glass_rule_error_kind check_verb(const struct glass_rule *r, struct glass_rule_error *e)
{
	u64 verbs = selected_words(r, GLASS_SEL_VERB, 0);

	if (verbs & UNTOLD)
		return check_refuse(e, GLASS_RK_VERB, GLASS_RK_ACT, GLASS_RE_NO_ERRNO);
	if (verbs & ~FALLIBLE)
		return check_refuse(e, GLASS_RK_VERB, GLASS_RK_ACT, GLASS_RE_VERB_FAILS_NOT);
	return GLASS_RE_NONE;
}

static enum glass_rule_error_kind check_completion(const struct glass_rule *r,
						   struct glass_rule_error *e)
{
	u64 types = selected_words(r, GLASS_SEL_QPTYPE, ALL_TYPES);
	u64 ops = selected_words(r, GLASS_SEL_OP, ~0ULL);

	if (r->action != GLASS_ACT_CQE_ERROR)
		return GLASS_RE_NONE;
	switch (r->value[GLASS_RK_STATUS]) {
	case GLASS_WC_SUCCESS:
		return check_refuse(e, GLASS_RK_STATUS, GLASS_RK_ACT, GLASS_RE_STATUS_SUCCESS);
	case GLASS_WC_LOC_EEC_OP_ERR:
	case GLASS_WC_LOC_RDD_VIOL_ERR:
	case GLASS_WC_REM_INV_RD_REQ_ERR:
	case GLASS_WC_INV_EECN_ERR:
	case GLASS_WC_INV_EEC_STATE_ERR:
		return check_refuse(e, GLASS_RK_STATUS, GLASS_RK_KEYS, GLASS_RE_STATUS_RD);
	case GLASS_WC_BAD_RESP_ERR:
	case GLASS_WC_REM_INV_REQ_ERR:
	case GLASS_WC_REM_ACCESS_ERR:
	case GLASS_WC_REM_OP_ERR:
	case GLASS_WC_RETRY_EXC_ERR:
	case GLASS_WC_RNR_RETRY_EXC_ERR:
		if (!(types & RELIABLE))
			return check_refuse(e, GLASS_RK_STATUS, GLASS_RK_QPTYPE,
					    GLASS_RE_STATUS_RC);
		if (!(ops & ~(u64)RECEIVES))
			return check_refuse(e, GLASS_RK_STATUS, GLASS_RK_OP,
					    GLASS_RE_STATUS_REQUEST);
		return GLASS_RE_NONE;
	default:
		return GLASS_RE_NONE;
	}
}

/*
 * Protects kernel consumers (pid 0) from cqe_lose and cqe_dup, even with force=yes. Refuses a rule
 * that selects only pid 0, and excludes pid 0 from any other rule. A kernel consumer that does not
 * get its completion waits for ever, and cannot be killed. A kernel consumer that gets a completion
 * twice frees its buffers twice.
 */
static enum glass_rule_error_kind spare_kernel(struct glass_rule *r, struct glass_rule_error *e)
{
	u32 i;

	if (r->action != GLASS_ACT_CQE_LOSE && r->action != GLASS_ACT_CQE_DUP)
		return GLASS_RE_NONE;
	for (i = 0; i < r->select.n; i++) {
		struct glass_cond *c = &r->select.cond[i];

		if (c->key != GLASS_SEL_PID)
			continue;
		if (!c->high)
			return check_refuse(e, GLASS_RK_PID, GLASS_RK_ACT, GLASS_RE_KERNEL_WAITS);
		c->low = max(c->low, 1ULL);
		return GLASS_RE_NONE;
	}
	glass_select_add(&r->select, GLASS_SEL_PID, false, 1, ~0ULL);
	return GLASS_RE_NONE;
}

enum glass_rule_error_kind glass_rule_check(struct glass_rule *r, struct glass_rule_error *e)
{
	enum glass_rule_error_kind kind = check_trigger(r, e);

	if (kind)
		return kind;
	switch (r->site) {
	case 'P':
		if (!key_given(r, GLASS_RK_DIR))
			glass_select_add(&r->select, GLASS_SEL_DIR, true, BIT(GLASS_DIR_TX), 0);
		kind = check_crc(r, e);
		if (kind || r->force)
			return kind;
		kind = check_wire(r, e);
		if (!kind && (r->action == GLASS_ACT_NAK || r->action == GLASS_ACT_RNR ||
			      r->action == GLASS_ACT_ACK))
			kind = check_forged(r, e);
		return kind;
	case 'C':
		kind = spare_kernel(r, e);
		return kind || r->force ? kind : check_completion(r, e);
	case 'O':
	case 'N':
	case 'D':
		kind = check_object(r, e);
		if (!kind && r->action == GLASS_ACT_EVENT)
			kind = check_event(r, e);
		return kind;
	case 'V':
		return check_verb(r, e);
	default:
		return GLASS_RE_NONE;
	}
}
