// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables `gone_qps` and `keys` of a story (story.h): what the numbers in packets and requests
 * mean, or meant while they were valid.
 */
#include "debugfs/story.h"
#include "engine/keys.h"
#include "observe/gone.h"
#include "wire/opcode.h"

DEFINE_GLASS_FIELDS(story_gone_qps, GLASS_COLUMNS_STORY_GONE_QP);
DEFINE_GLASS_FIELDS(story_keys, GLASS_COLUMNS_STORY_KEY);

#define GONE_MOST 4 /* entries of a number that a story shows */
#define NUMBERS_MOST 16 /* different numbers that a story looks up */

#define GONE_WORD(n, w, v, meaning) [v] = #w,
static const char *const gone_hows[] = { GLASS_GONE_HOWS(GONE_WORD) };
static const char *const gone_types[] = GLASS_WORDS(GLASS_QP_TYPES);
static const char *const gone_states[] = GLASS_WORDS(GLASS_QP_STATES);
static const char *const gone_errors[] = GLASS_WORDS(GLASS_CAUSES);
static const char *const key_kinds[] = {
	[GLASS_MR_USER] = "user", [GLASS_MR_DMA] = "dma",	[GLASS_MR_FAST] = "fast",
	[GLASS_MR_DM] = "dm",	  [GLASS_MR_DMABUF] = "dmabuf", [GLASS_MR_ODP] = "odp",
	[GLASS_MR_WINDOW] = "window",
};

/* A set of numbers of devices: QPNs, or keys. */
struct numbers {
	u32 n;
	struct number {
		u8 hca;
		bool local; /* an L_Key of the QP that failed */
		u32 num;
	} at[NUMBERS_MOST];
};

static void add_number(struct numbers *set, u8 hca, u32 num, bool local)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		if (set->at[i].hca == hca && set->at[i].num == num)
			return;
	if (set->n < NUMBERS_MOST)
		set->at[set->n++] = (struct number){ .hca = hca, .local = local, .num = num };
}

/* ---- gone_qps */

#define QP(name) GLASS_COL_STORY_GONE_QP_##name

static void gone_qp_row(struct glass_row *r, const char *dev, const struct glass_gone_qp *g)
{
	u64 now = ktime_get_ns();

	glass_row_text(r, QP(dev), "%s", dev);
	glass_row_num(r, QP(qpn), g->qpn);
	glass_row_enum(r, QP(qptype), gone_types, g->qptype);
	glass_row_enum(r, QP(state), gone_states, g->state);
	glass_row_num(r, QP(when), g->when);
	glass_row_num(r, QP(age), now > g->when ? now - g->when : 0);
	glass_row_enum(r, QP(how), gone_hows, g->by.how);
	glass_row_num(r, QP(born), g->born);
	glass_row_num(r, QP(pid), g->pid);
	glass_row_text(r, QP(comm), "%.*s", (int)sizeof(g->comm), g->comm);
	glass_row_num(r, QP(uid), g->uid);
	if (g->by.signal)
		glass_row_num(r, QP(signal), g->by.signal);
	if (g->dest_qpn)
		glass_row_num(r, QP(dest_qpn), g->dest_qpn);
	glass_row_stack(r, QP(stack), g->by.stack);
	glass_row_num(r, QP(state_when), g->state_since);
	glass_row_enum(r, QP(state_before), gone_states, g->before);
	glass_row_enum(r, QP(error), gone_errors, g->error);
}

/* Does the device have a QP with this number? */
static bool has_qp(struct glass_fabric *fabric, u32 hca, u32 qpn)
{
	struct glass_dev *dev = glass_story_hold(fabric, hca);
	bool has;

	if (!dev)
		return false;
	has = xa_load(&dev->qps, qpn);
	ib_device_put(&dev->ib);
	return has;
}

/* Prints a row for a number that no QP has or had. */
static void never_qp(struct glass_lines *l, const char *dev, u32 qpn)
{
	if (!glass_lines_begin(l))
		return;
	glass_row_text(&l->row, QP(dev), "%s", dev);
	glass_row_num(&l->row, QP(qpn), qpn);
	glass_row_enum(&l->row, QP(how), gone_hows, GLASS_GONE_NEVER);
	glass_lines_row(l, &glass_fields_story_gone_qps);
	glass_lines_end(l);
}

void glass_story_gone_qps(struct glass_lines *l, const struct glass_story *s,
			  struct glass_failure *f)
{
	struct glass_gone_qp gone[GONE_MOST];
	char name[IB_DEVICE_NAME_MAX];
	const struct glass_picked *p;
	struct numbers set = {};
	u32 dir, i, k, n;

	if (f->peer_qpn > 1 && f->peer_dev[0])
		add_number(&set, f->peer_hca, f->peer_qpn, false);
	FOR_EACH_PICKED(p, s->pick, dir, i)
		if (p->dir == GLASS_DIR_TX && p->end[GLASS_DIR_RX].port &&
		    !(p->end[GLASS_DIR_RX].flags & GLASS_CAP_HAS_QP) && p->pkt.dqpn > 1 &&
		    p->pkt.dqpn != GLASS_QPN_MCAST)
			add_number(&set, p->end[GLASS_DIR_RX].dev, p->pkt.dqpn, false);
	glass_lines_block(l, GLASS_STORY_GONE_QPS_BYTES);
	glass_lines_header(l, GLASS_HEADER("gone_qps", GLASS_COLUMNS_STORY_GONE_QP));
	for (i = 0; i < set.n; i++) {
		/* in this order: a QP is in the log before look-ups fail */
		bool there = has_qp(s->fabric, set.at[i].hca, set.at[i].num);

		glass_story_device(s->fabric, set.at[i].hca, name);
		n = glass_gone_find_qps(set.at[i].hca, set.at[i].num, gone, GONE_MOST);
		for (k = 0; k < n && glass_lines_begin(l); k++) {
			gone_qp_row(&l->row, name, &gone[k]);
			glass_lines_row(l, &glass_fields_story_gone_qps);
			glass_lines_end(l);
		}
		if (there || n)
			continue;
		if (glass_gone_no_qp(set.at[i].hca, set.at[i].num, f->created))
			never_qp(l, name, set.at[i].num);
		else
			f->missing |= BIT(GLASS_MISSING_GONE_QPS);
	}
}

/* ---- keys */

#define KEY(name) GLASS_COL_STORY_KEY_##name

static void access_row(struct glass_row *r, u32 access)
{
#define ACCESS_FLAG(n, w, v) { v, #w },
	static const struct glass_flag flags[] = { GLASS_ACCESS_FLAGS(ACCESS_FLAG) };

	glass_row_flags(r, KEY(access), access, flags, ARRAY_SIZE(flags));
}

/* Sets the columns of the region or window that has the key now. */
static void mr_row(struct glass_row *r, const struct glass_mr *mr)
{
	bool window = mr->kind == GLASS_MR_WINDOW;

	glass_row_enum(r, KEY(kind), key_kinds, mr->kind);
	glass_row_num(r, KEY(pd), READ_ONCE(mr->pdn));
	glass_row_num(r, KEY(addr), READ_ONCE(mr->iova));
	glass_row_num(r, KEY(len), READ_ONCE(mr->length));
	access_row(r, READ_ONCE(mr->access));
	if (window)
		glass_row_word(r, KEY(state), READ_ONCE(mr->region) ? "bound" : "unbound");
	else
		glass_row_word(r, KEY(state),
			       mr->kind != GLASS_MR_FAST || READ_ONCE(mr->valid) ? "valid" : "invalid");
	glass_row_num(r, KEY(pid), mr->owner.pid);
	glass_row_text(r, KEY(comm), "%.*s", (int)sizeof(mr->owner.comm), mr->owner.comm);
}

/*
 * Looks a key up as the QP that is accessed does. Returns the word for the column `found`, and sets
 * columns of the row if an object has the key. *works: does the key work there?
 */
static const char *find_key(struct glass_row *r, struct glass_dev *dev, const struct number *key,
			    u32 pdn, bool *works)
{
	const char *found = "no";
	const struct glass_mr *mr;

	rcu_read_lock();
	mr = glass_xa_find(&dev->mrs, key->num >> 8);
	/* pairs with smp_store_release() in glass_key_end() */
	if (mr && !smp_load_acquire(&mr->ended)) {
		u32 lkey = READ_ONCE(mr->key), rkey = READ_ONCE(mr->rkey) ?: lkey;

		if (key->num == (key->local ? lkey : rkey))
			found = pdn && READ_ONCE(mr->pdn) != pdn ? "other_pd" : "yes";
		else if (!key->local && key->num == lkey)
			found = "lkey";
		*works = strcmp(found, "no") && glass_key_works(mr);
		if (strcmp(found, "no"))
			mr_row(r, mr);
	}
	rcu_read_unlock();
	return found;
}

static void gone_key_row(struct glass_row *r, const struct glass_gone_key *g)
{
	if (!test_bit(KEY(kind), r->has)) {
		glass_row_enum(r, KEY(kind), key_kinds, g->kind);
		glass_row_num(r, KEY(pd), g->pdn);
		glass_row_num(r, KEY(addr), g->addr);
		glass_row_num(r, KEY(len), g->len);
		access_row(r, g->access);
		glass_row_num(r, KEY(pid), g->pid);
		glass_row_text(r, KEY(comm), "%.*s", (int)sizeof(g->comm), g->comm);
	}
	glass_row_num(r, KEY(gone_when), g->when);
	glass_row_enum(r, KEY(gone_how), gone_hows, g->by.how);
	glass_row_num(r, KEY(gone_pid), g->by.pid);
	glass_row_text(r, KEY(gone_comm), "%.*s", (int)sizeof(g->by.comm), g->by.comm);
	if (g->by.signal)
		glass_row_num(r, KEY(gone_signal), g->by.signal);
	glass_row_stack(r, KEY(gone_stack), g->by.stack);
}

static void key_row(struct glass_lines *l, const struct glass_story *s, struct glass_failure *f,
		    const struct number *key, u32 pdn)
{
	struct glass_dev *dev = glass_story_hold(s->fabric, key->hca);
	char name[IB_DEVICE_NAME_MAX];
	struct glass_gone_key gone;
	const char *found = "no";
	bool works = false, logged;

	if (!glass_lines_begin(l))
		goto out;
	glass_story_device(s->fabric, key->hca, name);
	glass_row_text(&l->row, KEY(dev), "%s", name);
	glass_row_num(&l->row, KEY(key), key->num);
	/* before the look-up: if the key works then, the log's entry is about an object that had the key earlier */
	logged = glass_gone_find_keys(key->hca, key->num, &gone, 1);
	if (dev)
		found = find_key(&l->row, dev, key, pdn, &works);
	glass_row_word(&l->row, KEY(found), found);
	/* after it: a key is in the log before look-ups fail */
	if (!works)
		logged = glass_gone_find_keys(key->hca, key->num, &gone, 1);
	if (logged)
		gone_key_row(&l->row, &gone);
	else if (strcmp(found, "no"))
		;
	else if (glass_gone_no_key(key->hca, key->num, f->created))
		glass_row_enum(&l->row, KEY(gone_how), gone_hows, GLASS_GONE_NEVER);
	else
		f->missing |= BIT(GLASS_MISSING_KEYS);
	if (pdn)
		glass_row_num(&l->row, KEY(qp_pd), pdn);
	glass_lines_row(l, &glass_fields_story_keys);
	glass_lines_end(l);
out:
	if (dev)
		ib_device_put(&dev->ib);
}

static void keys_of_packets(struct numbers *set, const struct glass_pick *pick,
			    const struct glass_failure *f)
{
	const struct glass_picked *p;
	u32 dir, i;

	FOR_EACH_PICKED(p, pick, dir, i) {
		const struct glass_flight_end *rx = &p->end[GLASS_DIR_RX];
		u16 hdrs = glass_opcodes[p->pkt.opcode].hdrs;
		u8 hca = rx->port ? rx->dev : p->dir == GLASS_DIR_TX ? f->peer_hca : f->hca;

		/* the peer is on another host: its keys are not those of an adapter of this host */
		if (!rx->port && p->dir == GLASS_DIR_TX && !f->peer_dev[0])
			continue;
		if (hdrs & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH))
			add_number(set, hca, p->pkt.rkey, false);
		if (hdrs & GLASS_HDR_IETH)
			add_number(set, hca, p->pkt.ieth, false);
	}
}

/* Fills *set with the keys that were known at the failure. The same story gives the same set. */
static void keys_of_failure(struct numbers *set, const struct glass_story *s,
			    const struct glass_failure *f)
{
	u32 i;

	if (s->rkey && f->peer_dev[0])
		add_number(set, f->peer_hca, s->rkey, false);
	for (i = 0; i < s->nlkeys; i++)
		add_number(set, f->hca, s->lkey[i], true);
	keys_of_packets(set, s->pick, f);
}

static void key_rows(struct glass_lines *l, const struct glass_story *s, struct glass_failure *f,
		     const struct numbers *set, u32 from)
{
	for (; from < set->n; from++) {
		const struct number *key = &set->at[from];

		key_row(l, s, f, key, key->local || key->hca != f->peer_hca ? s->pdn : s->peer_pdn);
	}
}

void glass_story_keys(struct glass_lines *l, const struct glass_story *s, struct glass_failure *f)
{
	struct numbers set = {};

	keys_of_failure(&set, s, f);
	glass_lines_block(l, GLASS_STORY_KEYS_BYTES);
	glass_lines_header(l, GLASS_HEADER("keys", GLASS_COLUMNS_STORY_KEY));
	key_rows(l, s, f, &set, 0);
}

void glass_story_later_keys(struct glass_lines *l, const struct glass_story *s,
			    const struct glass_pick *later, struct glass_failure *f)
{
	struct numbers set = {};
	u32 written;

	keys_of_failure(&set, s, f);
	written = set.n;
	keys_of_packets(&set, later, f);
	key_rows(l, s, f, &set, written);
}
