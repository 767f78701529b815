// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Do the keys of a rule go together, and can InfiniBand produce what it asks for? */
#include "rules/internal.h"

#define RC BIT(GLASS_QPT_RC)
#define RELIABLE (RC | BIT(GLASS_QPT_XRC_INI) | BIT(GLASS_QPT_XRC_TGT))
#define UC BIT(GLASS_QPT_UC)
#define DATAGRAMS (BIT(GLASS_QPT_SMI) | BIT(GLASS_QPT_GSI) | BIT(GLASS_QPT_UD))
#define ALL_TYPES (RELIABLE | UC | DATAGRAMS)

/* BTH operations, and those that each transport has (IBA 9.2.1) */
#define WRITES GLASS_PKT_SET(WRITE)
#define UC_OPS GLASS_BTHS_ON(GLASS_ON_UC)
#define DATAGRAM_OPS (GLASS_PKT_SET(SEND) | GLASS_PKT_SET(SEND_IMM))

#define WCOP(v) BIT(GLASS_WCOP_BIT(v))
#define RECEIVES (WCOP(GLASS_WCOP_RECV) | WCOP(GLASS_WCOP_RECV_WRITE_IMM))

static u64 selected_words(const struct glass_rule *r, enum glass_selector key, u64 all)
{
	const struct glass_cond *c = glass_select_get(&r->select, key);

	return c ? c->low : all;
}

static bool key_given(const struct glass_rule *r, enum glass_rule_key key)
{
	return glass_rule_has(r, key);
}

/* One number, no range: the object that is meant. */
static bool selects_one(const struct glass_rule *r, enum glass_selector key)
{
	const struct glass_cond *c = glass_select_get(&r->select, key);

	return !c || c->low == c->high;
}

static const char *check_object(struct glass_rule *r, enum glass_rule_key *key)
{
	if (key_given(r, GLASS_RK_COUNT) && r->value[GLASS_RK_COUNT] != 1) {
		*key = GLASS_RK_COUNT;
		return "an action on an object happens once: count=1";
	}
	if (key_given(r, GLASS_RK_CQN)) {
		*key = GLASS_RK_CQN;
		r->kind = GLASS_KIND_CQ;
		if (!selects_one(r, GLASS_SEL_CQN))
			return "one number: the object that is meant";
	} else if (key_given(r, GLASS_RK_SRQN)) {
		*key = GLASS_RK_SRQN;
		r->kind = GLASS_KIND_SRQ;
	} else if (key_given(r, GLASS_RK_QPN)) {
		*key = GLASS_RK_QPN;
		r->kind = GLASS_KIND_QP;
		if (!selects_one(r, GLASS_SEL_QPN))
			return "one number: the object that is meant";
		if (r->value[GLASS_RK_QPN] > GLASS_QPN_MASK - 1)
			return "out of range";
		if (r->value[GLASS_RK_QPN] <= 1)
			r->port = 1;
	} else {
		r->kind = key_given(r, GLASS_RK_PORT) ? GLASS_KIND_PORT : GLASS_KIND_DEVICE;
		*key = GLASS_RK_PORT;
		r->num = r->value[GLASS_RK_PORT];
		return selects_one(r, GLASS_SEL_PORT) ? NULL : "one number: the port that is meant";
	}
	r->num = r->value[*key];
	if (key_given(r, GLASS_RK_PORT)) {
		*key = GLASS_RK_PORT;
		if (!r->port)
			return "goes with qpn=0 and qpn=1 only";
		if (!selects_one(r, GLASS_SEL_PORT))
			return "one number: the port that is meant";
		r->port = r->value[GLASS_RK_PORT];
	}
	return NULL;
}

/* Which object an event is of */
static const char *check_event(struct glass_rule *r, enum glass_rule_key *key)
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

	if (objects > 1) {
		*key = GLASS_RK_EVENT;
		return "an event is of one object";
	}
	if (kinds[r->value[GLASS_RK_EVENT]] == r->kind)
		return NULL;
	*key = GLASS_RK_EVENT;
	switch (kinds[r->value[GLASS_RK_EVENT]]) {
	case GLASS_KIND_QP:
		return "an event of a QP: needs qpn=";
	case GLASS_KIND_CQ:
		return "an event of a CQ: needs cqn=";
	case GLASS_KIND_SRQ:
		return "an event of an SRQ: needs srqn=";
	case GLASS_KIND_PORT:
		return "an event of a port: needs port=";
	default:
		return "an event of the device: takes no object";
	}
}

static const char *check_trigger(const struct glass_rule *r, enum glass_rule_key *key)
{
	u32 models = key_given(r, GLASS_RK_PROB) + key_given(r, GLASS_RK_GEMODEL) +
		     key_given(r, GLASS_RK_LOSS4);

	if (models > 1) {
		*key = key_given(r, GLASS_RK_LOSS4) ? GLASS_RK_LOSS4 : GLASS_RK_GEMODEL;
		return "one of prob, gemodel and loss4";
	}
	if (key_given(r, GLASS_RK_CORR) && !key_given(r, GLASS_RK_PROB)) {
		*key = GLASS_RK_CORR;
		return "needs prob=";
	}
	if (key_given(r, GLASS_RK_DIST) && !key_given(r, GLASS_RK_JITTER)) {
		*key = GLASS_RK_DIST;
		return "needs jitter=";
	}
	return NULL;
}

/* What a QP type does not have on the wire */
static const char *check_wire(const struct glass_rule *r, enum glass_rule_key *key)
{
	u64 types = selected_words(r, GLASS_SEL_QPTYPE, ALL_TYPES);
	u64 ops = selected_words(r, GLASS_SEL_OP, 0xffffffff);

	*key = GLASS_RK_OP;
	if (!(types & (RELIABLE | UC)) && !(ops & DATAGRAM_OPS))
		return "a datagram QP has SENDs only";
	if (!(types & RELIABLE) && !(ops & UC_OPS))
		return "only RC has READs, atomics and acknowledgements";
	*key = GLASS_RK_SYNDROME;
	if (key_given(r, GLASS_RK_SYNDROME) && (!(types & RELIABLE) || !(ops & GLASS_RESPONSE_OPS)))
		return "only answers of RC have an AETH";
	*key = GLASS_RK_MSN;
	if (key_given(r, GLASS_RK_MSN) && (!(types & RELIABLE) || !(ops & GLASS_RESPONSE_OPS)))
		return "only answers of RC have an AETH";
	*key = GLASS_RK_QKEY;
	if (key_given(r, GLASS_RK_QKEY) && !(types & DATAGRAMS))
		return "only datagrams have a Q_Key";
	*key = GLASS_RK_RKEY;
	if (key_given(r, GLASS_RK_RKEY) && !(types & (RELIABLE | UC)))
		return "datagrams have no R_Key";
	*key = GLASS_RK_RPSN;
	if (key_given(r, GLASS_RK_RPSN) && !(types & (RELIABLE | UC)))
		return "datagrams have no sequence from one end to the other";
	return NULL;
}

/* Requests with an answer of their own, which no ACK stands for (IBA 9.7.5, annex A19) */
#define DATA_OPS (GLASS_BTHS_DO(READ) | GLASS_BTHS_DO(ATOMIC))
#define PLACED_OPS (GLASS_BTHS_DO(FLUSH) | GLASS_BTHS_DO(ATOMIC_WRITE))
#define ANSWERED_OPS (DATA_OPS | PLACED_OPS)

/* Requests that such an answer can be given to. */
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

/* NAK, RNR NAK and ACK are what RC answers requests with (IBA 9.7.5). */
static const char *check_forged(struct glass_rule *r, enum glass_rule_key *key)
{
	u64 types = selected_words(r, GLASS_SEL_QPTYPE, RC);
	u64 ops = selected_words(r, GLASS_SEL_OP, GLASS_REQUEST_OPS);

	*key = GLASS_RK_QPTYPE;
	if (types & ~(u64)RC)
		return "only RC has NAKs, RNR NAKs and ACKs";
	*key = GLASS_RK_OP;
	if (ops & GLASS_RESPONSE_OPS)
		return "an answer is not answered";
	if (r->action == GLASS_ACT_RNR && key_given(r, GLASS_RK_OP) && (ops & WRITES))
		return "a WRITE without immediate data takes no receive: nothing to be not ready";
	if (r->action == GLASS_ACT_ACK && key_given(r, GLASS_RK_OP) && (ops & DATA_OPS))
		return "a READ or atomic is answered with data, not with an ACK";
	if (r->action == GLASS_ACT_ACK && key_given(r, GLASS_RK_OP) && (ops & PLACED_OPS))
		return "a FLUSH or ATOMIC WRITE is answered with an empty READ response, not with an ACK";
	/* of what is not said, what can be */
	glass_select_add(&r->select, GLASS_SEL_QPTYPE, true, RC, 0);
	glass_select_add(&r->select, GLASS_SEL_OP, true, answerable_ops(r->action), 0);
	return NULL;
}

/* There is nothing left of CRCs that are spoilt and then made anew. */
static const char *check_crc(const struct glass_rule *r, enum glass_rule_key *key)
{
	*key = GLASS_RK_CRC;
	if (r->action != GLASS_ACT_CORRUPT || r->value[GLASS_RK_CRC] != GLASS_CRC_GOOD)
		return NULL;
	if (r->value[GLASS_RK_WHAT] == GLASS_PART_ICRC || r->value[GLASS_RK_WHAT] == GLASS_PART_VCRC)
		return "what is spoilt is the CRC, and would be made good again: nothing would be left of it";
	return NULL;
}

/*
 * Verbs by which programs come to the driver, and which may fail. A destroy that
 * has no caller to tell must not: the core would have to leak the object.
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
/* Whose failure nobody is told of, or by a number that means nothing */
#define UNTOLD (VERB(POLL_CQ) | VERB(REQ_NOTIFY_CQ))

static const char *check_verb(const struct glass_rule *r, enum glass_rule_key *key)
{
	u64 verbs = selected_words(r, GLASS_SEL_VERB, 0);

	*key = GLASS_RK_VERB;
	if (verbs & UNTOLD)
		return "has no errno: make a completion fail instead (act=cqe_error)";
	if (verbs & ~FALLIBLE)
		return "not a verb of programs that can fail in this driver";
	return NULL;
}

static const char *check_value(const struct glass_rule *r, enum glass_rule_key *key)
{
	*key = GLASS_RK_VALUE;
	if (r->action == GLASS_ACT_PKEY_CHANGE && r->value[GLASS_RK_VALUE] > 0xffff)
		return "out of range";
	if (r->action == GLASS_ACT_GID_CHANGE && !r->value[GLASS_RK_VALUE])
		return "a GUID is not 0";
	return NULL;
}

static const char *check_completion(const struct glass_rule *r, enum glass_rule_key *key)
{
	u64 types = selected_words(r, GLASS_SEL_QPTYPE, ALL_TYPES);
	u64 ops = selected_words(r, GLASS_SEL_OP, ~0ULL);

	*key = GLASS_RK_STATUS;
	if (r->action != GLASS_ACT_CQE_ERROR)
		return NULL;
	switch (r->value[GLASS_RK_STATUS]) {
	case GLASS_WC_SUCCESS:
		return "that is no error";
	case GLASS_WC_LOC_EEC_OP_ERR:
	case GLASS_WC_LOC_RDD_VIOL_ERR:
	case GLASS_WC_REM_INV_RD_REQ_ERR:
	case GLASS_WC_INV_EECN_ERR:
	case GLASS_WC_INV_EEC_STATE_ERR:
		return "a status of reliable datagrams, which no adapter has";
	case GLASS_WC_BAD_RESP_ERR:
	case GLASS_WC_REM_INV_REQ_ERR:
	case GLASS_WC_REM_ACCESS_ERR:
	case GLASS_WC_REM_OP_ERR:
	case GLASS_WC_RETRY_EXC_ERR:
	case GLASS_WC_RNR_RETRY_EXC_ERR:
		if (!(types & RELIABLE))
			return "only a requester of RC hears from its peer";
		if (!(ops & ~(u64)RECEIVES))
			return "a status of requests, not of receives";
		return NULL;
	default:
		return NULL;
	}
}

/*
 * Who in the kernel waits for a completion that does not come waits for ever, and
 * cannot be killed; who gets it twice frees twice.
 */
static const char *spare_kernel(struct glass_rule *r, enum glass_rule_key *key)
{
	u32 i;

	*key = GLASS_RK_PID;
	if (r->action != GLASS_ACT_CQE_LOSE && r->action != GLASS_ACT_CQE_DUP)
		return NULL;
	for (i = 0; i < r->select.n; i++) {
		struct glass_cond *c = &r->select.cond[i];

		if (c->key != GLASS_SEL_PID)
			continue;
		if (!c->high)
			return "the kernel would wait for ever, or free twice: not its completions";
		c->low = max(c->low, 1ULL);
		return NULL;
	}
	glass_select_add(&r->select, GLASS_SEL_PID, false, 1, ~0ULL);
	return NULL;
}

const char *glass_rule_check(struct glass_rule *r, enum glass_rule_key *key)
{
	const char *why = check_trigger(r, key);

	if (why)
		return why;
	if (r->site != 'O' && key_given(r, GLASS_RK_COUNT) && !r->value[GLASS_RK_COUNT]) {
		*key = GLASS_RK_COUNT;
		return "out of range";
	}
	switch (r->site) {
	case 'P':
		if (!key_given(r, GLASS_RK_DIR))
			glass_select_add(&r->select, GLASS_SEL_DIR, true, BIT(GLASS_DIR_TX), 0);
		why = check_crc(r, key);
		if (why || r->force)
			return why;
		why = check_wire(r, key);
		if (!why && (r->action == GLASS_ACT_NAK || r->action == GLASS_ACT_RNR ||
			     r->action == GLASS_ACT_ACK))
			why = check_forged(r, key);
		return why;
	case 'C':
		why = spare_kernel(r, key);
		return why || r->force ? why : check_completion(r, key);
	case 'O':
	case 'N':
	case 'D':
		why = check_object(r, key);
		if (!why && r->action == GLASS_ACT_EVENT)
			why = check_event(r, key);
		return why ? why : check_value(r, key);
	case 'V':
		return check_verb(r, key);
	default:
		return NULL;
	}
}
