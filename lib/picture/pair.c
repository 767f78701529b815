// SPDX-License-Identifier: GPL-2.0-only
/* The packets of one pair of QPs: joins both ends' observations, within bounded memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/picture/pair.h"
#include "wire/opcode.h"

/* Packets may be in flight that long, counted in items of the pair; these are never left out. */
#define RECENT 256
#define NEAR 2 /* items kept before and behind trouble */
/* A sender may record a packet that much later than the receiver does: its record waits for the fate. */
#define LATE_NS 10000000

int pair_trouble(const struct pair *pair)
{
	if (pair->failed)
		return 2;
	return pair->p.dropped || pair->p.again || pair->p.naks;
}

/* Adds an item that is left out to the counts of the next kept item, or of the picture's end. */
static void leave_out(const struct picture_item *i, uint64_t *packets, uint64_t *moments)
{
	*packets += i->left_packets + (i->kind == PICTURE_PACKET);
	*moments += i->left_moments + (i->kind != PICTURE_PACKET);
}

/* How much an item is worth when not all can stay */
enum worth { DULL, NEAR_TROUBLE, BAD, CAUSE, WORTHS };

static enum worth own_worth(const struct picture_item *i)
{
	if (i->bad && (*i->rule || i->kind != PICTURE_PACKET))
		return CAUSE;
	return i->bad ? BAD : i->again ? NEAR_TROUBLE : DULL;
}

/* Finds out the worth of each item. worth has room for all items. */
static void weigh(const struct pair *pair, uint8_t *worth)
{
	for (size_t i = 0; i < pair->p.count; i++) {
		uint8_t own = own_worth(&pair->p.items[i]);

		for (size_t k = i < NEAR ? 0 : i - NEAR; own && k <= i + NEAR && k < pair->p.count; k++)
			if (!worth[k])
				worth[k] = NEAR_TROUBLE;
		if (own > worth[i])
			worth[i] = own;
	}
}

/*
 * Chooses `surplus` items that are left out (gone), from the oldest on: never the first ones, nor the last
 * `recent`; those of more worth only if the others are not enough.
 */
static void choose_gone(const struct pair *pair, const uint8_t *worth, uint8_t *gone, size_t surplus,
			size_t recent)
{
	size_t first = pair->limit / 8, end = pair->p.count - recent;

	for (int pass = DULL; pass < WORTHS; pass++) {
		for (size_t i = first; surplus && i < end; i++) {
			if (gone[i] || worth[i] > pass)
				continue;
			gone[i] = true;
			surplus--;
		}
	}
}

/* Reduces the items to `target`. */
static int thin_out(struct pair *pair, size_t target, size_t recent)
{
	struct picture *p = &pair->p;
	uint64_t packets = 0, moments = 0;
	uint8_t *marks;
	size_t to = 0;

	if (p->count <= target)
		return 0;
	marks = calloc(p->count, 2);
	if (!marks)
		return -ENOMEM;
	weigh(pair, marks);
	choose_gone(pair, marks, marks + p->count, p->count - target, recent);
	for (size_t i = 0; i < p->count; i++) {
		if (marks[p->count + i]) {
			leave_out(&p->items[i], &packets, &moments);
			continue;
		}
		p->items[to] = p->items[i];
		p->items[to].left_packets += packets;
		p->items[to++].left_moments += moments;
		packets = moments = 0;
	}
	p->count = to;
	p->left_packets += packets;
	p->left_moments += moments;
	free(marks);
	return 0;
}

/* Returns a new item at the end, or NULL if out of memory. */
static struct picture_item *new_item(struct pair *pair)
{
	struct picture *p = &pair->p;
	size_t most = pair->limit + 2 * RECENT, room;
	struct picture_item *items;

	if (p->count == most && thin_out(pair, pair->limit + RECENT, RECENT))
		return NULL;
	if (p->count == pair->room) {
		room = pair->room ? pair->room * 2 : 32;
		room = room < most ? room : most;
		items = realloc(p->items, room * sizeof(*items));
		if (!items)
			return NULL;
		p->items = items;
		pair->room = room;
	}
	memset(&p->items[p->count], 0, sizeof(*p->items));
	return &p->items[p->count++];
}

static bool is_request(uint8_t opcode)
{
	return glass_opcodes[opcode].flags & GLASS_OPF_REQUEST;
}

static bool is_reliable(uint8_t opcode)
{
	uint8_t transport = opcode & GLASS_TR_MASK;

	return transport == GLASS_TR_RC || transport == GLASS_TR_XRC;
}

static bool is_read(uint8_t opcode)
{
	return is_reliable(opcode) && (opcode & GLASS_BOP_MASK) == GLASS_BOP_READ_REQ;
}

/*
 * Is the packet a retransmission? A request is one if its PSN is not behind the highest one before. A READ
 * request may begin again in the middle of its PSNs: it has the flow of the one before. An answer is one if
 * it carries data that were sent before; a repeated plain acknowledgement is none.
 */
static bool is_again(struct pair *pair, int sender, const struct picture_sight *s)
{
	bool answer = !is_request(s->opcode), again;
	uint32_t *next = &pair->psn[sender][answer].next;
	bool *has = &pair->psn[sender][answer].has;

	if (!is_reliable(s->opcode) ||
	    (answer && (s->opcode & GLASS_BOP_MASK) == GLASS_BOP_ACK))
		return false;
	again = *has && (((s->psn - *next) & GLASS_PSN_MASK) > GLASS_PSN_MASK / 2);
	if (is_read(s->opcode)) {
		again |= s->flow && s->flow == pair->read_flow[sender];
		pair->read_flow[sender] = s->flow;
	}
	if (!again) {
		*next = (s->psn + s->more + 1) & GLASS_PSN_MASK;
		*has = true;
	}
	return again;
}

static bool is_same(const struct picture_item *i, int sender, const struct picture_sight *s)
{
	return i->kind == PICTURE_PACKET && i->end == sender && i->psn == s->psn &&
	       i->opcode == s->opcode && i->syndrome == s->syndrome &&
	       (!i->flow || !s->flow || i->flow == s->flow);
}

/* Returns the oldest recent item of the packet that this observation completes, or NULL. */
static struct picture_item *find_half(struct pair *pair, int sender, const struct picture_sight *s)
{
	struct picture *p = &pair->p;

	for (size_t i = p->count < RECENT ? 0 : p->count - RECENT; i < p->count; i++) {
		struct picture_item *item = &p->items[i];

		if (!is_same(item, sender, s))
			continue;
		if (s->node ? !item->arrived_ns && !item->reason
			    : s->sent ? !item->sent && item->arrived_ns + LATE_NS >= s->ns
				      : item->sent && !item->arrived_ns && !item->reason)
			return item;
	}
	return NULL;
}

/* Returns the newest item of the packet that has arrived, or NULL. */
static struct picture_item *find_arrived(struct pair *pair, int sender, const struct picture_sight *s)
{
	for (size_t i = pair->p.count; i-- > 0 && pair->p.count - i <= RECENT;)
		if (is_same(&pair->p.items[i], sender, s) && pair->p.items[i].arrived_ns)
			return &pair->p.items[i];
	return NULL;
}

/* Returns the packet of which this is a second observation at the same place, or NULL. */
static struct picture_item *find_again_here(struct pair *pair, int sender,
					    const struct picture_sight *s)
{
	if (!s->sent)
		return find_arrived(pair, sender, s);
	for (size_t i = pair->p.count; i-- > 0 && pair->p.count - i <= RECENT;) {
		struct picture_item *item = &pair->p.items[i];

		if (is_same(item, sender, s) && item->sent && !item->arrived_ns)
			return item;
	}
	return NULL;
}

static void set_reason(struct pair *pair, struct picture_item *i, const struct picture_sight *s)
{
	if (s->rule && *s->rule)
		snprintf(i->rule, sizeof(i->rule), "%.*s", PICTURE_RULE, s->rule);
	if (!s->reason || i->reason)
		return;
	i->reason = s->reason;
	i->bad = true;
	if (s->node)
		snprintf(i->node, sizeof(i->node), "%.*s", PICTURE_NODE, s->node);
	pair->p.dropped += 1 + (uint64_t)i->more;
}

static void learn_ip(struct picture_end *e, const char *ip)
{
	if (ip && !*e->ip)
		snprintf(e->ip, sizeof(e->ip), "%.*s", PICTURE_IP - 1, ip);
}

/* Notes at which device and of which process the end is that has seen the packet. */
static void learn_end(struct pair *pair, int sender, const struct picture_sight *s)
{
	struct picture_end *e = &pair->p.ends[s->sent ? sender : !sender];

	learn_ip(&pair->p.ends[sender], s->from_ip);
	learn_ip(&pair->p.ends[!sender], s->to_ip);
	if (s->node)
		return;
	if (s->sent)
		e->sent++;
	else
		e->arrived++;
	if (s->dev)
		snprintf(e->dev, sizeof(e->dev), "%.*s", PICTURE_DEV - 1, s->dev);
	if (s->comm) {
		snprintf(e->comm, sizeof(e->comm), "%.*s", PICTURE_COMM - 1, s->comm);
		e->pid = s->pid;
	}
}

static struct picture_item *first_sight(struct pair *pair, int sender,
					const struct picture_sight *s)
{
	bool more = !s->sent && !s->node && find_arrived(pair, sender, s) &&
		    pair->p.ends[sender].sent;
	struct picture_item *i = new_item(pair);

	if (!i)
		return NULL;
	*i = (struct picture_item){
		.kind = PICTURE_PACKET, .end = sender, .ns = s->ns, .psn = s->psn, .more = s->more, .len = s->len,
		.dma_len = s->dma_len, .opcode = s->opcode, .syndrome = s->syndrome,
		.flow = s->flow, .wr_id = s->wr_id, .copy = more,
	};
	i->again = !more && is_again(pair, sender, s);
	i->bad = picture_is_nak(s->opcode, s->syndrome);
	pair->p.packets += 1 + (uint64_t)s->more;
	pair->p.bytes += s->len;
	pair->p.again += i->again ? 1 + (uint64_t)s->more : 0;
	pair->p.naks += i->bad;
	return i;
}

int pair_add_packet(struct pair *pair, int sender, const struct picture_sight *s)
{
	struct picture_item *i;

	i = s->again_here ? find_again_here(pair, sender, s) : NULL;
	if (i) {
		set_reason(pair, i, s);
		return 0;
	}
	learn_end(pair, sender, s);
	i = find_half(pair, sender, s);
	/* a switch that only passes the packet on adds nothing */
	if (!i && s->node && !s->reason)
		return 0;
	if (!i)
		i = first_sight(pair, sender, s);
	if (!i)
		return -ENOMEM;
	if (!s->node && s->sent) {
		i->sent = true;
		i->ns = i->arrived_ns && i->arrived_ns < s->ns ? i->arrived_ns : s->ns;
	} else if (!s->node) {
		i->arrived_ns = s->ns ? s->ns : 1;
	}
	set_reason(pair, i, s);
	return 0;
}

int pair_add_moment(struct pair *pair, int end, const struct picture_moment *m)
{
	struct picture_end *e = &pair->p.ends[end];
	struct picture_item *i = new_item(pair);

	if (!i)
		return -ENOMEM;
	i->kind = m->kind;
	i->end = end;
	i->ns = m->ns;
	i->flow = m->flow;
	i->wr_id = m->wr_id;
	i->psn = m->psn;
	i->len = m->len;
	i->bad = m->bad;
	snprintf(i->text, sizeof(i->text), "%s%s%s", m->op ? m->op : "", m->op && m->what ? ": " : "",
		 m->what ? m->what : "");
	if (m->bad && (m->kind == PICTURE_COMPLETED || m->kind == PICTURE_STATE)) {
		pair->failed = true;
		if (m->ns > pair->failed_ns)
			pair->failed_ns = m->ns;
	}
	if (m->dev && *m->dev)
		snprintf(e->dev, sizeof(e->dev), "%.*s", PICTURE_DEV - 1, m->dev);
	if (m->comm && *m->comm) {
		snprintf(e->comm, sizeof(e->comm), "%.*s", PICTURE_COMM - 1, m->comm);
		e->pid = m->pid;
	}
	return 0;
}

/* Sorts by insertion: the items are nearly sorted, and equal times keep their order. */
static void sort_by_time(struct picture *p)
{
	for (size_t i = 1; i < p->count; i++) {
		struct picture_item item = p->items[i];
		size_t to = i;

		while (to && p->items[to - 1].ns > item.ns)
			to--;
		memmove(&p->items[to + 1], &p->items[to], (i - to) * sizeof(item));
		p->items[to] = item;
	}
}

void pair_finish(struct pair *pair)
{
	sort_by_time(&pair->p);
	/* out of memory: the picture stays larger than asked for, but bounded */
	thin_out(pair, pair->limit, 0);
}
