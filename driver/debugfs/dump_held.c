// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table inject/held. It shows packets that an injection rule holds (act=hold), and packets that
 * wait behind them. The columns include fields of the packets' headers.
 */
#include <linux/ktime.h>

#include "debugfs/dump.h"
#include "inject/hold.h"
#include "wire/opcode.h"

static const char *const dump_held_dirs[] = GLASS_WORDS(GLASS_DIRS);

/* Fills the columns for the AETH, RETH and AtomicETH, which only some packets have. */
static void held_row_headers(struct glass_row *r, const struct glass_pkt *pkt)
{
	u16 hdrs = glass_opcodes[pkt->opcode].hdrs;

	if (hdrs & GLASS_HDR_AETH) {
		glass_row_num(r, GLASS_COL_HELD_syndrome, pkt->syndrome);
		glass_row_num(r, GLASS_COL_HELD_msn, pkt->msn);
	}
	if (hdrs & (GLASS_HDR_RETH | GLASS_HDR_ATOMICETH)) {
		glass_row_num(r, GLASS_COL_HELD_va, pkt->va);
		glass_row_num(r, GLASS_COL_HELD_rkey, pkt->rkey);
	}
}

/* The position of a row is the number of the held packet. */
static bool held_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	struct glass_held_info h;
	u64 now;

	if (!glass_hold_next(dev, *pos, &h))
		return false;
	*pos = h.num;
	now = ktime_get_ns();
	glass_row_num(r, GLASS_COL_HELD_num, h.num);
	glass_row_text(r, GLASS_COL_HELD_rule, "%s", h.rule);
	glass_row_bool(r, GLASS_COL_HELD_hit, h.hit);
	glass_row_num(r, GLASS_COL_HELD_age, now > h.when ? now - h.when : 0);
	glass_row_word(r, GLASS_COL_HELD_timers, h.frozen ? "frozen" : "run");
	glass_row_num(r, GLASS_COL_HELD_port, h.port);
	glass_row_word(r, GLASS_COL_HELD_dir, dump_held_dirs[h.dir]);
	glass_row_num(r, GLASS_COL_HELD_qpn, h.qpn);
	glass_row_opcode(r, GLASS_COL_HELD_opcode, h.pkt.opcode);
	glass_row_num(r, GLASS_COL_HELD_dqpn, h.pkt.dqpn);
	glass_row_num(r, GLASS_COL_HELD_psn, h.pkt.psn);
	glass_row_bool(r, GLASS_COL_HELD_ackreq, h.pkt.ack_req);
	held_row_headers(r, &h.pkt);
	glass_row_num(r, GLASS_COL_HELD_len, h.pkt.len);
	glass_row_num(r, GLASS_COL_HELD_slid, h.pkt.slid);
	glass_row_num(r, GLASS_COL_HELD_dlid, h.pkt.dlid);
	if (h.pkt.flow) {
		glass_row_num(r, GLASS_COL_HELD_wr_id, h.pkt.wr_id);
		glass_row_num(r, GLASS_COL_HELD_flow, h.pkt.flow);
	}
	return true;
}

DEFINE_GLASS_TABLE(held, HELD, held_next);
