// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table `drops` (counters of dropped packets) and the table `droplog` (a log of the last
 * drops).
 */
#include <linux/ktime.h>

#include "debugfs/dump.h"
#include "observe/words.h"

static const char *const dump_drops_reasons[] = GLASS_WORDS(GLASS_DROP_REASONS);
static const char *const dump_drops_places[] = GLASS_WORDS(GLASS_DROP_PLACES);
static const char *const transports[8] = GLASS_WORDS(GLASS_TRANSPORTS);
static const char *const operations[32] = GLASS_WORDS(GLASS_BTH_OPS);

static u64 drop_age(u64 when)
{
	u64 now = ktime_get_ns();

	return now > when ? now - when : 0;
}

/* The position of a row is port * GLASS_DROP_COUNT + reason. */
static bool drops_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	loff_t end = (loff_t)(dev->num_ports + 1) * GLASS_DROP_COUNT;
	struct glass_drop_count c;
	u32 port, reason;

	for (; *pos < end; ++*pos) {
		port = (u32)*pos / GLASS_DROP_COUNT;
		reason = (u32)*pos % GLASS_DROP_COUNT;
		if (!glass_drops_get(&dev->drops, port, reason, &c))
			continue;
		glass_row_num(r, GLASS_COL_DROPS_port, port);
		glass_row_word(r, GLASS_COL_DROPS_reason, dump_drops_reasons[reason]);
		glass_row_num(r, GLASS_COL_DROPS_packets, c.packets);
		glass_row_num(r, GLASS_COL_DROPS_last, c.last);
		glass_row_num(r, GLASS_COL_DROPS_age, drop_age(c.last));
		return true;
	}
	return false;
}

DEFINE_GLASS_TABLE(drops, DROPS, drops_next);

void glass_row_opcode(struct glass_row *r, u32 column, u8 opcode)
{
	const char *tr = transports[opcode >> 5], *op = operations[opcode & 0x1f];

	if (tr && op)
		glass_row_text(r, column, "%s_%s", tr, op);
	else
		glass_row_text(r, column, "0x%02x", opcode);
}

void glass_droplog_row(struct glass_row *r, u32 first, const struct glass_dropped *e)
{
	glass_row_num(r, first + GLASS_COL_DROPLOG_seq, e->seq);
	glass_row_num(r, first + GLASS_COL_DROPLOG_when, e->when);
	glass_row_num(r, first + GLASS_COL_DROPLOG_age, drop_age(e->when));
	glass_row_num(r, first + GLASS_COL_DROPLOG_port, e->port);
	glass_row_word(r, first + GLASS_COL_DROPLOG_place, dump_drops_places[e->place]);
	glass_row_word(r, first + GLASS_COL_DROPLOG_reason, dump_drops_reasons[e->reason]);
	glass_row_opcode(r, first + GLASS_COL_DROPLOG_opcode, e->opcode);
	glass_row_num(r, first + GLASS_COL_DROPLOG_dqpn, e->dqpn);
	glass_row_num(r, first + GLASS_COL_DROPLOG_psn, e->psn);
	glass_row_num(r, first + GLASS_COL_DROPLOG_len, e->len);
	glass_row_num(r, first + GLASS_COL_DROPLOG_slid, e->slid);
	glass_row_num(r, first + GLASS_COL_DROPLOG_dlid, e->dlid);
	glass_row_num(r, first + GLASS_COL_DROPLOG_flow, e->flow);
	if (e->at[0])
		glass_row_text(r, first + GLASS_COL_DROPLOG_at, "%s:%u", e->at, e->at_port);
}

/* The position of a row is the sequence number of the drop. */
static bool droplog_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_dropped e;

	if (!glass_drops_find(&dev->drops, *pos, &e))
		return false;
	*pos = e.seq;
	glass_droplog_row(r, 0, &e);
	return true;
}

DEFINE_GLASS_TABLE(droplog, DROPLOG, droplog_next);
