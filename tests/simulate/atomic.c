// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are the atomics on a word linearizable? Each operation that succeeded brought the value
 * before it. Operands are such that no value comes twice: so the values make one chain from
 * 0 to what the word holds in the end, and an operation's place in it is known. Those that
 * failed may be in it or not.
 */
#include "sim.h"

#define MAX_OPS S_MSGS

static struct {
	struct msg *m[MAX_OPS]; /* that succeeded */
	u32 place[MAX_OPS];
	u32 n;
	struct msg *maybe[MAX_OPS];
	bool used[MAX_OPS];
	u32 nmaybe;
	u64 value[MAX_OPS + 1]; /* the chain */
	u32 nvalue;
	u64 last;
	u32 tries;
} h;

static u64 apply(const struct msg *m, u64 v)
{
	if (m->m->op == GLASS_OP_FETCH_ADD)
		return v + m->operand;
	return v == m->cmp ? m->operand : v;
}

/* Does a chain lead from the last value to the end? */
static bool chain(u32 changes_left)
{
	u64 v = h.value[h.nvalue - 1];
	bool found = false;

	if (!changes_left && v == h.last)
		return true;
	if (++h.tries > 20000)
		return true; /* too many that failed: nothing can be said */
	for (u32 i = 0; i < h.n; i++) {
		if (h.m[i]->orig != v || apply(h.m[i], v) == v)
			continue;
		if (found)
			return false; /* two that changed the same value */
		found = true;
		h.value[h.nvalue] = apply(h.m[i], v);
	}
	if (found) {
		h.nvalue++;
		if (h.nvalue <= MAX_OPS && chain(changes_left - 1))
			return true;
		h.nvalue--;
		return false;
	}
	for (u32 i = 0; i < h.nmaybe; i++) {
		u64 next = apply(h.maybe[i], v);

		if (h.used[i] || next == v)
			continue;
		h.used[i] = true;
		h.value[h.nvalue++] = next;
		if (h.nvalue <= MAX_OPS && chain(changes_left))
			return true;
		h.nvalue--;
		h.used[i] = false;
	}
	return false;
}

static void check_word(struct hca *at, u32 word)
{
	u32 changes = 0;

	memset(&h, 0, sizeof(h));
	for (u32 id = 0; id < S_CONNS * 2; id++) {
		struct side *s = &w->side[id];

		if (!s->ep || s->peer->hca != at)
			continue;
		for (u32 i = 0; i < s->posted; i++) {
			struct msg *m = s->list[i];

			if (!op_atomic(m->m->op) || m->m->word != word || m->m->bad == SC_BAD_RKEY)
				continue;
			if (m->good)
				h.m[h.n++] = m;
			else
				h.maybe[h.nmaybe++] = m;
		}
	}
	memcpy(&h.last, pe_mr_find(at->mem, K_ATM)->mem + word * 8, 8);
	h.nvalue = 1;
	for (u32 i = 0; i < h.n; i++)
		changes += apply(h.m[i], h.m[i]->orig) != h.m[i]->orig;
	CHECK(chain(changes),
	      "word %u of node %u: %u atomics, %u of them changed it, %u may have: no order explains %llx",
	      word, (u32)(at - w->hca), h.n, changes, h.nmaybe, (unsigned long long)h.last);
	if (h.tries > 20000)
		return;
	for (u32 i = 0; i < h.n; i++) {
		while (h.place[i] < h.nvalue && h.value[h.place[i]] != h.m[i]->orig)
			h.place[i]++;
		CHECK(h.place[i] < h.nvalue, "word %u: an atomic saw %llx, which it never held",
		      word, (unsigned long long)h.m[i]->orig);
	}
	/* what was over before another was posted comes before it */
	for (u32 i = 0; i < h.n; i++)
		for (u32 k = 0; k < h.n; k++)
			CHECK(h.m[i]->done_at >= h.m[k]->posted_at ||
				      h.place[i] + (apply(h.m[i], h.m[i]->orig) != h.m[i]->orig) <=
					      h.place[k],
			      "word %u: atomics out of their order", word);
}

void check_atomics(void)
{
	for (u32 i = 0; i < S_NODES; i++)
		for (u32 k = 0; w->hca[i].mem && k < 8; k++)
			check_word(&w->hca[i], k);
}
