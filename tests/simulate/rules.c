// SPDX-License-Identifier: GPL-2.0-only
/* Injection rules at the ports of nodes, as driver/inject and driver/port ask them. */
#include "rules/index.h"
#include "rules/parse.h"
#include "rules/trigger.h"
#include "sim.h"

static struct {
	struct glass_rule rule;
	struct glass_index *index; /* of this rule alone */
	/* of each queue pair, direction, and request or answer */
	struct glass_stream stream[S_CONNS * 2][2][2];
} slot[S_RULES];

static struct {
	u32 high, last, round;
} place[S_CONNS * 2][2][2];

void rules_make(void)
{
	struct glass_rule_error error;

	memset(place, 0, sizeof(place));
	for (u32 i = 0; i < w->sc->nrule; i++) {
		const char *text = w->sc->rule[i].text;

		CHECK(!glass_rule_parse(text, strlen(text), &slot[i].rule, &error), "%s: %s", text,
		      glass_rule_error_word(error.kind));
		snprintf(slot[i].rule.name, sizeof(slot[i].rule.name), "r%u", i + 1);
		glass_rule_seal(&slot[i].rule, 0);
		memset(slot[i].stream, 0, sizeof(slot[i].stream));
		free(slot[i].index);
		slot[i].index = malloc(glass_index_bytes(1));
		glass_index_one(slot[i].index, &slot[i].rule);
	}
}

static void hit(const struct glass_rule *r, const struct glass_stream *s,
		const struct glass_place *p, struct verdict *v)
{
	sums.rules_hit++;
	switch (r->action) {
	case GLASS_ACT_DROP:
		v->drop = true;
		break;
	case GLASS_ACT_CORRUPT:
	case GLASS_ACT_TRUNCATE:
		v->damage = true;
		break;
	case GLASS_ACT_DUP:
		v->copies += r->value[GLASS_RK_COPIES];
		break;
	case GLASS_ACT_DELAY:
		v->delay += glass_rule_delay(r, glass_rule_random(r, s, p, GLASS_RANDOM_DELAY));
		break;
	case GLASS_ACT_REORDER:
		v->delay += w->sc->latency * (1 + r->value[GLASS_RK_GAP]);
		break;
	case GLASS_ACT_HOLD:
		v->hold = 1 + sim_hash(w->order, p->psn, p->round, 15) % 30000000;
		break;
	case GLASS_ACT_NAK:
		v->syndrome = GLASS_AETH_NAK | r->value[GLASS_RK_CODE];
		v->answer = v->drop = true;
		break;
	case GLASS_ACT_RNR:
		v->syndrome = GLASS_AETH_RNR | r->value[GLASS_RK_TIMER];
		v->answer = v->drop = true;
		break;
	case GLASS_ACT_ACK:
		v->syndrome = GLASS_AETH_ACK | GLASS_AETH_NO_CREDIT;
		v->answer = v->drop = true;
		break;
	default:
		CHECK(0, "a rule that this simulation cannot carry out");
	}
}

static void freeze(struct side *s)
{
	if (!s->frozen++)
		s->frozen_at = w->now;
}

/*
 * As inject/hold.c: the first that waits stops the time of both cores, until a step; what comes
 * behind it on its way waits for the same.
 */
u64 rules_hold(struct side *s, enum glass_dir dir, const struct verdict *v)
{
	u64 *until = &s->hold_until[dir];

	if (v->hold && *until < w->now) {
		*until = w->now + v->hold;
		sums.steps++;
		freeze(s);
		freeze(s->peer);
		push(*until, EV_STEP, 0, s);
		push(*until, EV_STEP, 0, s->peer);
	}
	return *until && w->now <= *until ? *until : 0;
}

/* Its time goes on: what its timers wait for comes that much later. */
void rules_step(struct side *s)
{
	u64 ns = w->now - s->frozen_at;

	if (--s->frozen)
		return;
	glass_pqp_shift(&s->ep->q, ns);
	s->budget.tick += ns;
	if (s->budget.rnr_until)
		s->budget.rnr_until += ns;
}

/* As inject/packets.c: a PSN that was not there yet is in its first round. */
static u32 round_of(struct side *s, enum glass_dir dir, bool resp, u32 psn)
{
	u32 *high = &place[s->id][dir][resp].high, *last = &place[s->id][dir][resp].last;
	u32 *round = &place[s->id][dir][resp].round, now = 1;

	if (!*round || glass_psn_cmp(psn, *high) > 0) {
		*high = psn;
		*round = 1;
	} else {
		if (glass_psn_cmp(psn, *last) <= 0)
			++*round;
		now = *round;
	}
	*last = psn;
	return now;
}

void rules_ask(struct hca *h, struct side *s, enum glass_dir dir, const struct glass_pkt *pkt,
	       struct verdict *v)
{
	bool resp = glass_pkt_is_response(pkt);
	u32 first = (dir == GLASS_DIR_TX) == !resp ? (s->num ? s->c->psn1 : s->c->psn0)
						   : (s->num ? s->c->psn0 : s->c->psn1);
	struct glass_subject sub = { 0 };
	struct glass_place p = { .id = s->id * 4 + dir * 2 + resp };
	u32 found;

	memset(v, 0, sizeof(*v));
	if (!w->sc->nrule)
		return;
	p.fixed = glass_type_is_connected(s->ep->q.type);
	p.psn = (pkt->psn - first) & GLASS_PSN_MASK;
	p.round = round_of(s, dir, resp, pkt->psn);
	glass_subject_set(&sub, GLASS_SEL_PORT, 1);
	glass_subject_set(&sub, GLASS_SEL_DIR, dir);
	glass_subject_set(&sub, GLASS_SEL_QPN, s->ep->q.qpn);
	glass_subject_set(&sub, GLASS_SEL_QPTYPE, s->ep->q.type);
	glass_subject_set(&sub, GLASS_SEL_STATE, s->ep->q.state);
	glass_subject_set(&sub, GLASS_SEL_RPSN, p.psn);
	glass_subject_set(&sub, GLASS_SEL_ROUND, p.round);
	glass_subject_packet(&sub, pkt, ~0U);
	for (u32 i = 0; i < w->sc->nrule; i++) {
		struct glass_rule *r = &slot[i].rule;
		struct glass_stream *st = &slot[i].stream[s->id][dir][resp];
		bool may;

		if (&w->hca[w->sc->rule[i].node] != h)
			continue;
		may = slot[i].index->dirs & BIT(dir) &&
		      glass_index_find(slot[i].index, &sub, &found, 1);
		if (!glass_select_holds(&r->select, &sub))
			continue;
		CHECK(may, "the index does not find a rule that holds");
		if (glass_rule_fires(r, st, &p))
			hit(r, st, &p, v);
	}
}
