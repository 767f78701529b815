// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Selectors of injection rules; see select.h. */
#include "rules/select.h"
#include "wire/mad.h"
#include "wire/opcode.h"

#define SET(n, w, v) { #w, v },
#define MEMBER(n, w, v) { #w, 1ULL << (v) },

static const struct glass_word select_pkt_ops[] = { GLASS_PKT_OPS(SET) { NULL, 0 } };
static const struct glass_word select_dirs[] = { GLASS_DIRS(MEMBER) { NULL, 0 } };
static const struct glass_word select_qp_types[] = { GLASS_QP_TYPES(MEMBER) { NULL, 0 } };
static const struct glass_word select_qp_states[] = { GLASS_QP_STATES(MEMBER) { NULL, 0 } };
static const struct glass_word verbs[] = { GLASS_VERBS(MEMBER) { NULL, 0 } };

#define WCOP(n, w, v) { #w, 1ULL << GLASS_WCOP_BIT(v) },
static const struct glass_word select_wc_ops[] = { GLASS_WC_OPS(WCOP) { NULL, 0 } };

/*
 * Numbers of classes and methods go up to 0x95, but a u64 has only 64 bits. So the bit of a class
 * or method is numbered by its place in the table.
 */
enum {
#define CLASS_BIT(n, w, v) CLASS_##n,
	GLASS_MAD_CLASSES(CLASS_BIT) CLASS_COUNT,
#define METHOD_BIT(n, w, v) METHOD_##n,
	GLASS_MAD_METHODS(METHOD_BIT) METHOD_COUNT,
};

#define CLASS_WORD(n, w, v) { #w, 1ULL << CLASS_##n },
static const struct glass_word classes[] = { GLASS_MAD_CLASSES(CLASS_WORD) { NULL, 0 } };
#define METHOD_WORD(n, w, v) { #w, 1ULL << METHOD_##n },
static const struct glass_word methods[] = { GLASS_MAD_METHODS(METHOD_WORD) { NULL, 0 } };

static_assert(GLASS_SEL_COUNT <= 32);
static_assert(GLASS_VERB_COUNT <= 64);
static_assert(METHOD_COUNT <= 64);

const struct glass_word *glass_select_words(enum glass_selector key, char site)
{
	switch (key) {
	case GLASS_SEL_DIR:
		return select_dirs;
	case GLASS_SEL_QPTYPE:
		return select_qp_types;
	case GLASS_SEL_STATE:
		return select_qp_states;
	case GLASS_SEL_OP:
		return site == 'C' ? select_wc_ops : select_pkt_ops;
	case GLASS_SEL_CLASS:
		return classes;
	case GLASS_SEL_METHOD:
		return methods;
	case GLASS_SEL_VERB:
		return verbs;
	default:
		return NULL;
	}
}

bool glass_select_add(struct glass_select *sel, enum glass_selector key, bool words, u64 low,
		      u64 high)
{
	struct glass_cond *c = &sel->cond[sel->n];

	if (sel->keys & BIT(key))
		return false;
	c->key = key;
	c->words = words;
	c->low = low;
	c->high = high;
	sel->keys |= BIT(key);
	sel->n++;
	return true;
}

const struct glass_cond *glass_select_get(const struct glass_select *sel, enum glass_selector key)
{
	u32 i;

	for (i = 0; i < sel->n; i++)
		if (sel->cond[i].key == key)
			return &sel->cond[i];
	return NULL;
}

bool glass_select_holds(const struct glass_select *sel, const struct glass_subject *s)
{
	return (s->keys & sel->keys) == sel->keys && glass_select_may(sel, s);
}

bool glass_select_may(const struct glass_select *sel, const struct glass_subject *s)
{
	u32 i;

	for (i = 0; i < sel->n; i++) {
		const struct glass_cond *c = &sel->cond[i];
		u64 v = s->value[c->key];

		if (!(s->keys & BIT(c->key)))
			continue;
		if (c->key == GLASS_SEL_COMM) {
			if (!glass_name_fits(&sel->comm, s->comm))
				return false;
		} else if (c->key == GLASS_SEL_NODE) {
			if (!glass_name_fits(&sel->node, s->node))
				return false;
		} else if (c->words) {
			if (v > 63 || !(c->low >> v & 1))
				return false;
		} else if (v < c->low || v > c->high) {
			return false;
		}
	}
	return true;
}

/*
 * If the packet has a MAD, sets its attribute. Also sets its class and its method, if the tables
 * have words for them.
 */
static void set_mad(struct glass_subject *s, const struct glass_pkt *pkt)
{
	const u8 *mad;

	if (pkt->dqpn > 1 || !pkt->nseg || pkt->seg[0].len < GLASS_MAD_HDR_BYTES)
		return;
	mad = pkt->seg[0].addr;
	glass_subject_set(s, GLASS_SEL_ATTR, get_unaligned_be16(mad + GLASS_MAD_ATTR));
	switch (mad[GLASS_MAD_CLASS]) {
#define CLASS_CASE(n, w, v)                                                                        \
	case v:                                                                                    \
		glass_subject_set(s, GLASS_SEL_CLASS, CLASS_##n);                                  \
		break;
		GLASS_MAD_CLASSES(CLASS_CASE)
	}
	switch (mad[GLASS_MAD_METHOD]) {
#define METHOD_CASE(n, w, v)                                                                       \
	case v:                                                                                    \
		glass_subject_set(s, GLASS_SEL_METHOD, METHOD_##n);                                \
		break;
		GLASS_MAD_METHODS(METHOD_CASE)
	}
}

#define MAD_KEYS (BIT(GLASS_SEL_CLASS) | BIT(GLASS_SEL_METHOD) | BIT(GLASS_SEL_ATTR))

void glass_subject_packet(struct glass_subject *s, const struct glass_pkt *pkt, u32 want)
{
	u16 hdrs = glass_opcodes[pkt->opcode].hdrs;

	glass_subject_set(s, GLASS_SEL_OP, pkt->opcode & GLASS_BOP_MASK);
	glass_subject_set(s, GLASS_SEL_PSN, pkt->psn);
	glass_subject_set(s, GLASS_SEL_LEN, pkt->len);
	glass_subject_set(s, GLASS_SEL_SLID, pkt->slid);
	glass_subject_set(s, GLASS_SEL_DLID, pkt->dlid);
	glass_subject_set(s, GLASS_SEL_SL, pkt->sl);
	glass_subject_set(s, GLASS_SEL_PKEY, pkt->pkey);
	if (pkt->flow) {
		glass_subject_set(s, GLASS_SEL_FLOW, pkt->flow);
		glass_subject_set(s, GLASS_SEL_WR_ID, pkt->wr_id);
		/* the lower half of the flow is the free-running index of the work request */
		glass_subject_set(s, GLASS_SEL_MSG, (u64)(u32)pkt->flow + 1);
	}
	if (hdrs & GLASS_HDR_AETH) {
		glass_subject_set(s, GLASS_SEL_MSN, pkt->msn);
		glass_subject_set(s, GLASS_SEL_SYNDROME, pkt->syndrome);
	}
	if (hdrs & GLASS_HDR_DETH)
		glass_subject_set(s, GLASS_SEL_QKEY, pkt->qkey);
	if (hdrs & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH))
		glass_subject_set(s, GLASS_SEL_RKEY, pkt->rkey);
	if (unlikely(want & MAD_KEYS))
		set_mad(s, pkt);
}
