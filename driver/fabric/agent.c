// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* MADs for a node itself (agent.h). */
#include "fabric/agent.h"
#include "mgmt/notice.h"
#include "mgmt/pma.h"
#include "mgmt/sma.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#define QP1_QKEY 0x80010000
#define UD_SEND_ONLY (GLASS_TR_UD | GLASS_BOP_SEND_ONLY)

void glass_fwd_send(struct glass_port *p, struct glass_fwd *out)
{
	u32 words = (GLASS_LRH_BYTES + GLASS_BTH_BYTES + GLASS_DETH_BYTES + GLASS_MAD_BYTES +
		     GLASS_ICRC_BYTES) / 4;

	glass_port_count_tx(p, out->vl, out->dlid, words, 1);
	out->kind = GLASS_FWD_MAD;
	out->port = p->num;
}

void glass_fwd_pkt(struct glass_fwd *out, struct glass_pkt *pkt, struct glass_seg *seg)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->vl = out->vl;
	pkt->sl = out->sl;
	pkt->lnh = GLASS_LNH_LOCAL;
	pkt->slid = out->slid;
	pkt->dlid = out->dlid;
	pkt->opcode = UD_SEND_ONLY;
	pkt->mig = 1;
	pkt->pkey = out->pkey;
	pkt->sqpn = out->sqpn;
	pkt->dqpn = out->dqpn;
	pkt->qkey = out->qkey;
	pkt->psn = out->psn;
	pkt->flow = out->flow;
	pkt->len = GLASS_MAD_BYTES;
	seg->addr = out->mad;
	seg->len = GLASS_MAD_BYTES;
	pkt->seg = seg;
	pkt->nseg = 1;
}

void glass_agent_smp_header(const struct glass_pkt *pkt, struct glass_fwd *out)
{
	out->vl = GLASS_VL_SMP;
	out->sl = 0;
	out->pkey = GLASS_PKEY_DEFAULT;
	out->sqpn = 0;
	out->dqpn = 0;
	out->qkey = 0;
	out->psn = pkt ? pkt->psn : 0;
	out->flow = pkt ? pkt->flow : 0;
}

bool glass_agent_mad(const struct glass_pkt *pkt, u32 qpn, u8 mad[256], struct glass_fwd *out)
{
	if (pkt->dqpn == qpn && pkt->opcode == UD_SEND_ONLY && pkt->len == GLASS_MAD_BYTES &&
	    glass_pkt_copy_payload(pkt, 0, mad, GLASS_MAD_BYTES) == GLASS_MAD_BYTES)
		return true;
	glass_fwd_drop(out, GLASS_DROP_MAD_INVALID);
	return false;
}

/*
 * Drops a packet because of a wrong key. `in` is the port at which the packet arrived. A trap about
 * the key is pending; GLASS_CHG_TRAP reports this to the owner.
 */
static void bad_key(u32 in, enum glass_drop why, struct glass_fwd *out)
{
	out->changes |= GLASS_CHG_TRAP | in << 24;
	glass_fwd_drop(out, why);
}

enum glass_mad_result glass_agent_smp(struct glass_node *n, u32 in, const struct glass_pkt *pkt,
				      const u8 request[256], struct glass_fwd *out)
{
	enum glass_mad_result res;
	u32 chg;

	n->smp_slid = pkt->slid;
	res = glass_sma_process(n, in, request, out->mad, 0, &chg);
	if (chg)
		out->changes = chg;
	if (res == GLASS_MAD_CONSUMED)
		out->kind = GLASS_FWD_CONSUMED;
	else if (res == GLASS_MAD_BAD_MKEY)
		bad_key(in, GLASS_DROP_BAD_MKEY, out);
	else if (res != GLASS_MAD_REPLY)
		glass_fwd_drop(out, GLASS_DROP_MAD_INVALID);
	return res;
}

bool glass_agent_gmp(struct glass_node *n, struct glass_port *p, u32 in,
		     const struct glass_pkt *pkt, struct glass_fwd *out)
{
	u8 mad[GLASS_MAD_BYTES];
	int pkey;

	if (pkt->dqpn != 1) {
		glass_fwd_drop(out, GLASS_DROP_NO_QP);
		return false;
	}
	if (!glass_agent_mad(pkt, 1, mad, out))
		return false;
	pkey = glass_port_pkey_index(p, pkt->pkey);
	if (pkey < 0) {
		glass_viol(&p->pkey_viol, 1);
		glass_trap_key(n, p->num, GLASS_TRAP_BAD_PKEY, pkt);
		bad_key(in, GLASS_DROP_BAD_PKEY, out);
		return false;
	}
	if (pkt->qkey != QP1_QKEY) {
		glass_viol(&p->qkey_viol, 1);
		glass_trap_key(n, p->num, GLASS_TRAP_BAD_QKEY, pkt);
		bad_key(in, GLASS_DROP_BAD_QKEY, out);
		return false;
	}
	if (glass_pma_process(n, in, mad, out->mad) != GLASS_MAD_REPLY) {
		glass_fwd_drop(out, GLASS_DROP_MAD_INVALID);
		return false;
	}
	out->vl = pkt->vl;
	out->sl = pkt->sl;
	/*
	 * The answer gets the P_Key of the port's matching entry, not the P_Key of the request. A
	 * requester that is a limited member would drop an answer with its own limited P_Key,
	 * because two limited P_Keys do not match (IBA 10.9.3).
	 */
	out->pkey = p->pkeys[pkey];
	out->sqpn = 1;
	out->dqpn = pkt->sqpn;
	out->qkey = QP1_QKEY;
	out->psn = pkt->psn;
	out->flow = pkt->flow;
	out->slid = glass_agent_slid(p, pkt);
	out->dlid = pkt->slid;
	return true;
}
