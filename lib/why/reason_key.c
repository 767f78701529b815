// SPDX-License-Identifier: GPL-2.0-only
/* Memory that was refused: R_Keys, L_Keys; and requests that the responder finds invalid. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/debugfs/text.h"
#include "lib/why/places.h"
#include "lib/why/reason.h"

/* A range that was refused, and the right that it needs */
struct access {
	uint64_t key, va, len;
	bool has_range;
	uint64_t from; /* the key was used then or later, and not after the failure */
	bool has_from;
	const char *right; /* NULL: reading by its own end, or not known */
	bool has_right;
};

/* X(fault of a key, cause of an R_Key, cause of an L_Key) */
enum fault { FAULT_NONE, STALE, UNKNOWN, OTHER_PD, BOUNDS, ACCESS, FAULTS };

static const enum why_cause fault_cause[FAULTS][2] = {
	[STALE] = { WHY_CAUSE_KEY_STALE, WHY_CAUSE_LKEY_STALE },
	[UNKNOWN] = { WHY_CAUSE_KEY_UNKNOWN, WHY_CAUSE_LKEY_UNKNOWN },
	[OTHER_PD] = { WHY_CAUSE_KEY_OTHER_PD, WHY_CAUSE_LKEY_OTHER_PD },
	[BOUNDS] = { WHY_CAUSE_KEY_BOUNDS, WHY_CAUSE_LKEY_BOUNDS },
	[ACCESS] = { WHY_CAUSE_KEY_ACCESS, WHY_CAUSE_LKEY_ACCESS },
};

static const char *remote_right(const char *op)
{
	if (!op)
		return NULL;
	/* operations of packets name their transport */
	if (!strncmp(op, "rc_", 3) || !strncmp(op, "uc_", 3))
		op += 3;
	if (!strcmp(op, "atomic_write") || !strncmp(op, "write", strlen("write")))
		return "remote_write";
	if (!strncmp(op, "read", strlen("read")))
		return "remote_read";
	if (!strcmp(op, "cmp_swap") || !strcmp(op, "fetch_add"))
		return "remote_atomic";
	return NULL;
}

/* The words of GLASS_ACCESS_FLAGS for how a key died */
static const char *death_of(const char *how)
{
	static const struct {
		const char *word, *text;
	} deaths[] = {
		{ "dereg", "deregistered it (ibv_dereg_mr)" },
		{ "local_inv", "invalidated it by LOCAL_INV" },
		{ "send_inv", "let the peer invalidate it, by a SEND with invalidate" },
		{ "rereg", "registered it anew (ibv_rereg_mr)" },
		{ "bind", "bound the window anew" },
		{ "close", "closed its device, or ended" },
		{ "exit", "ended" },
		{ "unplug", "lost it when the adapter was unplugged" },
	};
	size_t i;

	for (i = 0; how && i < sizeof(deaths) / sizeof(*deaths); i++)
		if (!strcmp(deaths[i].word, how))
			return deaths[i].text;
	return NULL;
}

/*
 * Finds what the story knows of a key at `dev`, or at the end on the other host if `dev` is NULL. Both
 * hosts may have an adapter of the same name, and equal keys.
 */
static const struct why_row *find_key(const struct why_case *c, const char *dev, uint64_t key)
{
	const struct why_row *row = NULL;
	uint64_t k;

	while ((row = why_next(c->s, WHY_KEYS, row)))
		if (why_is_far(c->s, row) == !dev && (!dev || why_cell_is(c->s, row, "dev", dev)) &&
		    why_cell_number(c->s, row, "key", &k) && k == key)
			return row;
	return NULL;
}

static bool is_outside(const struct why_case *c, const struct why_row *row, const struct access *a)
{
	uint64_t addr, len;

	if (!a->has_range || !why_cell_number(c->s, row, "addr", &addr) ||
	    !why_cell_number(c->s, row, "len", &len))
		return false;
	return a->va < addr || a->va - addr > len || a->len > len - (a->va - addr);
}

/* Returns the fault that addresses and rights of the row prove. FAULTS: several */
static enum fault fault_of_region(const struct why_case *c, const struct why_row *row,
				  const struct access *a)
{
	enum fault found = FAULT_NONE;
	uint64_t pd, qp_pd;
	int n = 0;

	if (why_cell_is(c->s, row, "found", "other_pd") ||
	    (why_cell_number(c->s, row, "pd", &pd) && why_cell_number(c->s, row, "qp_pd", &qp_pd) &&
	     pd != qp_pd)) {
		found = OTHER_PD;
		n++;
	}
	if (is_outside(c, row, a)) {
		found = BOUNDS;
		n++;
	}
	if (a->has_right && !why_list_has(why_cell(c->s, row, "access") ?: "", a->right)) {
		found = ACCESS;
		n++;
	}
	return n > 1 ? FAULTS : found;
}

/* When did the key stop to work, by the row: before it was used, after the failure, or perhaps between? */
enum end { NO_END, BEFORE, BETWEEN, AFTER };

static enum end end_of(const struct why_case *c, const struct why_row *row, const struct access *a)
{
	bool far = why_is_far(c->s, row);
	uint64_t gone, error = far ? WHY_CLOCK_ERROR : 0;

	if (!why_cell(c->s, row, "gone_how"))
		return NO_END;
	if (!why_cell_number(c->s, row, "gone_when", &gone))
		return BETWEEN;
	if (far && c->s->refused_until ? gone > c->s->refused_until : c->has_when && gone > c->when + error)
		return AFTER;
	if (far && c->s->refused_from)
		return gone < c->s->refused_from ? BEFORE : BETWEEN;
	return a->has_from && gone + error < a->from ? BEFORE : BETWEEN;
}

/* No object has the key, or it is a window or region that is no longer valid. */
static bool is_ended(const struct why_case *c, const struct why_row *row)
{
	return why_cell_is(c->s, row, "found", "no") ||
	       why_cell_is(c->s, row, "state", "unbound") ||
	       why_cell_is(c->s, row, "state", "invalid");
}

/* A key that ended: the row shows what it mapped last. */
static enum fault fault_of_ended(const struct why_case *c, const struct why_row *row,
				 const struct access *a)
{
	enum fault before;

	switch (end_of(c, row, a)) {
	case BEFORE:
		return STALE;
	case AFTER:
		return fault_of_region(c, row, a);
	case BETWEEN:
		/* a valid key that grants the access would not have been refused */
		before = fault_of_region(c, row, a);
		return before == FAULT_NONE && why_cell(c->s, row, "access") ? STALE : FAULT_NONE;
	default:
		return FAULT_NONE;
	}
}

/* Returns the fault that the row proves. FAULTS: several */
static enum fault fault_of(const struct why_case *c, const struct why_row *row,
			   const struct access *a)
{
	const char *how = why_cell(c->s, row, "gone_how");
	enum end end = end_of(c, row, a);

	if (how && !strcmp(how, "never"))
		return why_cell_is(c->s, row, "found", "no") ? UNKNOWN : FAULT_NONE;
	if (is_ended(c, row))
		return death_of(how) ? fault_of_ended(c, row, a) : FAULT_NONE;
	/* an object that got the key, or other memory under it, later than the key was used */
	if (end != NO_END && end != BEFORE)
		return FAULT_NONE;
	return fault_of_region(c, row, a);
}

static void tell_fault(struct why_case *c, const struct why_row *row, const struct access *a,
		       enum fault fault, const char *what)
{
	const char *how = why_cell(c->s, row, "gone_how");
	bool by = why_cell(c->s, row, "gone_pid") || why_cell(c->s, row, "gone_comm");
	char owner[WHY_NAME], word[WHY_NAME], addr[WHY_NAME], len[WHY_NAME];
	char place[WHY_PLACE_SHORT];
	struct why_step *step;
	uint64_t when;

	why_place_of_invalidation(c->s, row, place);
	if (by)
		why_process(c->s, row, "gone_comm", "gone_pid", owner);
	else
		why_process(c->s, row, "comm", "pid", owner);
	why_word(why_cell(c->s, row, "addr"), addr);
	why_word(why_cell(c->s, row, "len"), len);
	switch (fault) {
	case STALE:
		step = why_step(c, why_cell_number(c->s, row, "gone_when", &when) ? &when : NULL,
				"%s 0x%" PRIx64 " was no longer valid: %s %s%s%s%s.", what, a->key, owner,
				death_of(how), *place ? " (" : "", place, *place ? ")" : "");
		why_evidence(step, "keys: gone_how=%s", why_word(how, word));
		break;
	case UNKNOWN:
		step = why_step(c, NULL,
				"%s 0x%" PRIx64 " is not valid, and was not since %s exists.", what,
				a->key, c->local);
		why_evidence(step, "keys: found=no gone_how=never");
		break;
	case OTHER_PD:
		step = why_step(c, NULL,
				"%s 0x%" PRIx64
				" of %s is of another protection domain than the QP.",
				what, a->key, owner);
		why_evidence(step, "keys: found=%s pd=%s",
			     why_word(why_cell(c->s, row, "found"), word),
			     why_cell(c->s, row, "pd") ? "another" : "?");
		break;
	case BOUNDS:
		step = why_step(c, NULL,
				"%" PRIu64 " bytes at 0x%" PRIx64
				" are not inside the region of %s 0x%" PRIx64 ": %s bytes at %s.",
				a->len, a->va, what, a->key, len, addr);
		why_evidence(step, "keys: addr=%s len=%s", addr, len);
		break;
	default:
		step = why_step(c, NULL, "The region of %s 0x%" PRIx64 " of %s does not grant %s.",
				what, a->key, owner, a->right);
		why_evidence(step, "keys: access=%s",
			     why_word(why_cell(c->s, row, "access"), word));
	}
}

/* Decides on one key. Returns false if the rows do not prove a fault. */
static bool decide_key(struct why_case *c, const char *dev, const struct access *a, bool local)
{
	const struct why_row *row = find_key(c, dev, a->key);
	enum fault fault = row ? fault_of(c, row, a) : FAULT_NONE;

	if (fault == FAULT_NONE)
		return false;
	if (fault == FAULTS) {
		why_missing(c, "a single fault of key 0x%" PRIx64 ": it has several", a->key);
		why_candidates(c, fault_cause[OTHER_PD][local], fault_cause[BOUNDS][local],
			       fault_cause[ACCESS][local], -1);
		return true;
	}
	tell_fault(c, row, a, fault, local ? "L_Key" : "R_Key");
	why_decide(c, fault_cause[fault][local]);
	return true;
}

/* ---- R_Keys */

/* Takes key and range from the packet that was refused, or from the request. */
static bool remote_access(const struct why_case *c, const struct why_row *packet, struct access *a)
{
	const char *op = why_cell(c->s, c->wqe, "op");

	memset(a, 0, sizeof(*a));
	if (why_cell_number(c->s, packet, "rkey", &a->key)) {
		a->has_range = why_cell_number(c->s, packet, "va", &a->va) &&
			       why_cell_number(c->s, packet, "dlen", &a->len);
		if (!op)
			op = why_cell(c->s, packet, "op");
		a->has_from = why_cell_number(c->s, packet, "when", &a->from);
	} else if (why_cell_number(c->s, c->wqe, "rkey", &a->key)) {
		a->has_range = why_cell_number(c->s, c->wqe, "raddr", &a->va) &&
			       why_cell_number(c->s, c->wqe, "len", &a->len);
	} else {
		return false;
	}
	a->right = remote_right(op);
	a->has_right = a->right;
	/* its packets have no DMA length */
	if (a->right && !strcmp(a->right, "remote_atomic")) {
		a->has_range = why_cell_number(c->s, packet ?: c->wqe, packet ? "va" : "raddr", &a->va);
		a->len = sizeof(uint64_t);
	}
	return true;
}

void why_remote_key(struct why_case *c)
{
	const char *dev = why_value(c->s, WHY_FAILURE, "", c->as_responder ? "dev" : "peer_dev");
	const struct why_row *packet;
	const char *reason = why_refusal(c, &packet);
	struct access a;
	struct why_step *step;
	char word[WHY_NAME];

	/* the peer is not known any more, but an adapter of this host received the packet */
	if (!dev && !c->s->joined_at)
		dev = why_cell(c->s, packet, "rx_dev");
	if (remote_access(c, packet, &a)) {
		step = why_step(c, NULL,
				"%s names R_Key 0x%" PRIx64 ", %" PRIu64 " bytes at 0x%" PRIx64 ".",
				c->request, a.key, a.len, a.va);
		step->text[0] = step->text[0] == 't' ? 'T' : step->text[0];
		why_evidence(step, "%s: rkey; the responder's reason: %s",
			     packet ? "packets" : "sq", why_word(reason, word));
		if (decide_key(c, dev, &a, false))
			return;
		why_missing(c, "what became of R_Key 0x%" PRIx64 " (keys)", a.key);
	} else {
		why_missing(c, "the R_Key of %s (packets, sq)", c->request);
	}
	why_candidates(c, WHY_CAUSE_KEY_STALE, WHY_CAUSE_KEY_UNKNOWN, WHY_CAUSE_KEY_OTHER_PD,
		       WHY_CAUSE_KEY_BOUNDS, WHY_CAUSE_KEY_ACCESS, WHY_CAUSE_INJECTED, -1);
}

/* ---- L_Keys */

/* Takes the next SGE, address:length:lkey, of a list. */
static bool next_sge(const char **list, struct access *a)
{
	uint64_t *to[] = { &a->va, &a->len, &a->key };
	size_t i, n;

	for (i = 0; i < 3; i++) {
		n = strcspn(*list, ":,");
		if (!n || !debugfs_number(*list, n, to[i]))
			return false;
		*list += n;
		if (i < 2 && *(*list)++ != ':')
			return false;
	}
	*list += **list == ',';
	a->has_range = true;
	return true;
}

static const char *end_dev(const struct why_case *c, enum why_block end)
{
	return why_value(c->s, WHY_FAILURE, "", end == WHY_LOCAL ? "dev" : "peer_dev");
}

/* The receive that the end took for the message; others are posted behind it. */
static const struct why_row *taken_receive(const struct why_case *c, enum why_block end)
{
	const struct why_row *row = why_entry(c->s, end, "rq", "rwqe", NULL);

	return why_cell_is(c->s, row, "state", "filling") ? row : NULL;
}

void why_local_key(struct why_case *c, enum why_block end, bool sq)
{
	const struct why_row *wqe = sq ? c->wqe : taken_receive(c, end);
	const char *list = why_cell(c->s, wqe, "sge"), *op = why_cell(c->s, wqe, "op");
	struct access a = { 0 };
	uint64_t age, left;
	bool has_left = !sq && why_cell_number(c->s, c->wqe, "len", &left);

	/* a request uses its keys after it was fetched; the copy of it was made at the failure */
	if (sq && c->has_when && why_cell_number(c->s, wqe, "age", &age) && age <= c->when) {
		a.from = c->when - age;
		a.has_from = true;
	}
	/* receives, and answers, are written */
	if (!sq ||
	    (op && (!strcmp(op, "read") || !strcmp(op, "cmp_swap") || !strcmp(op, "fetch_add")))) {
		a.right = "local_write";
		a.has_right = true;
	}
	while (list && *list && next_sge(&list, &a)) {
		/* a message may be shorter than its receive, and is written to the first SGEs */
		if (has_left) {
			a.len = a.len < left ? a.len : left;
			left -= a.len;
		}
		a.has_range = sq || has_left;
		if ((a.len || sq) && decide_key(c, end_dev(c, end), &a, true))
			return;
	}
	if (end == WHY_REMOTE)
		why_missing(c,
			    "the SGE that was refused, and its L_Key: those are in the failure of %s, if ibwhy lists it",
			    c->peer);
	else
		why_missing(c, "the SGE that was refused, and its L_Key (%s, keys)", sq ? "sq" : "rq");
	why_candidates(c, WHY_CAUSE_LKEY_STALE, WHY_CAUSE_LKEY_UNKNOWN, WHY_CAUSE_LKEY_OTHER_PD,
		       WHY_CAUSE_LKEY_BOUNDS, WHY_CAUSE_LKEY_ACCESS, -1);
}

/* ---- invalid requests */

void why_mtu(struct why_case *c, uint64_t own, uint64_t other)
{
	struct why_step *step =
		why_step(c, NULL, "%s has path MTU %" PRIu64 ", %s of %s has %" PRIu64 ".",
			 c->local, own, c->peer, c->peer_process, other);

	why_evidence(step, "local, remote: mtu");
	why_decide(c, WHY_CAUSE_MTU_MISMATCH);
}

static void decide_mtu(struct why_case *c)
{
	uint64_t own, other;

	if (!why_value_number(c->s, WHY_LOCAL, "", "mtu", &own) ||
	    !why_value_number(c->s, WHY_REMOTE, "", "mtu", &other) || own == other) {
		why_missing(c, "the path MTUs of both ends (local and remote: mtu)");
		why_candidates(c, WHY_CAUSE_MTU_MISMATCH, WHY_CAUSE_INJECTED, -1);
		return;
	}
	why_mtu(c, own, other);
}

/*
 * A responder checks first that packets of SENDs and WRITEs are as long as its path MTU demands: one
 * that is longer than the smaller MTU has this fault, whatever others it has.
 */
static bool decide_long_mtu(struct why_case *c)
{
	const char *op = why_cell(c->s, c->wqe, "op");
	uint64_t own, other, len;

	if (!op || (strncmp(op, "send", 4) && strncmp(op, "write", 5)) || why_is_mutual(c) != 1 ||
	    !why_value_number(c->s, WHY_LOCAL, "", "mtu", &own) ||
	    !why_value_number(c->s, WHY_REMOTE, "", "mtu", &other) || own == other ||
	    !why_cell_number(c->s, c->wqe, "len", &len) || len <= (own < other ? own : other))
		return false;
	why_mtu(c, own, other);
	return true;
}

static void decide_short(struct why_case *c)
{
	const char *receiver = c->as_responder ? c->local_process : c->peer_process;
	const char *sender = c->as_responder ? c->peer_process : c->local_process;
	const struct why_row *receive = taken_receive(c, c->resp);
	uint64_t len, room;
	struct why_step *step;

	if (why_cell_number(c->s, c->wqe, "len", &len))
		step = why_step(c, NULL, "The message of %s has %" PRIu64 " bytes.", sender, len);
	else
		step = why_step(c, NULL, "The message of %s exceeds the receive.", sender);
	why_evidence(step, "packets, drops: reason msg_too_long");
	if (why_cell_number(c->s, receive, "len", &room)) {
		step = why_step(c, NULL, "The receive that %s posted for it has %" PRIu64 " bytes.",
				receiver, room);
		why_evidence(step, "rq: rwqe len=%" PRIu64, room);
	}
	why_decide(c, WHY_CAUSE_RECV_SHORT);
}

static void decide_depth(struct why_case *c)
{
	uint64_t own = 0, other = 0;
	struct why_step *step;

	why_value_number(c->s, c->req, "", "max_rd_atomic", &own);
	why_value_number(c->s, c->resp, "attr", "max_dest_rd_atomic", &other);
	step = why_step(
		c, NULL,
		"The requester may have %" PRIu64
		" READs or atomics outstanding (max_rd_atomic), the responder answers %" PRIu64
		" at once (max_dest_rd_atomic).",
		own, other);
	why_evidence(step, "packets, drops: reason rd_atomic");
	why_decide(c, WHY_CAUSE_READ_DEPTH);
}

static void decide_qp_access(struct why_case *c, const struct why_row *packet)
{
	const char *op = why_cell(c->s, c->wqe, "op") ?: why_cell(c->s, packet, "op");
	const char *right = remote_right(op), *access = why_value(c->s, c->resp, "attr", "access");
	/* a QP that grants nothing has the section, and no access in it */
	bool none = !access && why_entry(c->s, c->resp, "attr", "rq_psn", NULL);
	char word[WHY_NAME];
	struct why_step *step;

	if (!right || (!access && !none) || why_list_has(access, right)) {
		why_missing(c, "the access that the peer QP grants (remote: attr access)");
		why_candidates(c, WHY_CAUSE_QP_ACCESS, -1);
		return;
	}
	step = why_step(c, NULL, "%s needs %s, but the responder's QP grants: %s.", c->request,
			right, none ? "nothing" : why_word(access, word));
	why_evidence(step, "attr: access");
	why_decide(c, WHY_CAUSE_QP_ACCESS);
}

/*
 * The responder expects a PSN inside the first message: it takes the packets before that PSN for
 * duplicates, and the one that has it is not the first of a message.
 */
static bool decide_inner_psn(struct why_case *c)
{
	const char *receiver = c->as_responder ? c->local_process : c->peer_process;
	uint64_t first, expected;
	struct why_step *step;

	if (why_is_mutual(c) != 1 || !c->has_psn ||
	    !why_value_number(c->s, c->req, "attr", "first_psn", &first) ||
	    !why_value_number(c->s, c->resp, "attr", "rq_psn", &expected) || first == expected ||
	    c->psn != expected)
		return false;
	step = why_step(c, NULL,
			"%s begins with PSN %" PRIu64 " (sq_psn), but %s of %s expects %" PRIu64
			" first (rq_psn), which is inside a message.",
			c->as_responder ? c->peer : c->local, first,
			c->as_responder ? c->local : c->peer, receiver, expected);
	why_evidence(step, "attr: first_psn=%" PRIu64 ", rq_psn=%" PRIu64, first, expected);
	why_evidence(step, "packets, drops: reason bad_seq");
	why_decide(c, WHY_CAUSE_PSN_MISMATCH);
	return true;
}

void why_invalid_request(struct why_case *c)
{
	const struct why_row *packet;
	const char *reason = why_refusal(c, &packet);

	if (reason && !strcmp(reason, "msg_too_long")) {
		decide_short(c);
	} else if (reason && !strcmp(reason, "bad_len")) {
		decide_mtu(c);
	} else if (reason && !strcmp(reason, "rd_atomic")) {
		decide_depth(c);
	} else if (reason && !strcmp(reason, "misaligned")) {
		why_step(c, NULL, "The remote address of %s is not a multiple of 8.", c->request);
		why_decide(c, WHY_CAUSE_MISALIGNED);
	} else if (reason && !strcmp(reason, "access")) {
		decide_qp_access(c, packet);
	} else if (reason && !strcmp(reason, "bad_seq")) {
		if (decide_inner_psn(c))
			return;
		why_missing(c, "the first PSNs of both ends (local and remote: attr), and the packets before");
		why_candidates(c, WHY_CAUSE_PSN_MISMATCH, WHY_CAUSE_INJECTED, -1);
	} else if (!decide_long_mtu(c)) {
		why_missing(c, "the reason of the responder (packets of the peer, drops)");
		why_candidates(c, WHY_CAUSE_RECV_SHORT, WHY_CAUSE_MTU_MISMATCH,
			       WHY_CAUSE_READ_DEPTH, WHY_CAUSE_MISALIGNED, WHY_CAUSE_QP_ACCESS,
			       WHY_CAUSE_PSN_MISMATCH, WHY_CAUSE_INJECTED, -1);
	}
}
