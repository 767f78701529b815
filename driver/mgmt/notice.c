// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Requests and builds traps to the subnet manager. */
#include "mgmt/notice.h"
#include "wire/opcode.h"

#define NOTICE_GENERIC 0x80
#define NOTICE_URGENT 1
#define NOTICE_SECURITY 2
#define NOTICE_INFORMATIONAL 4
/* high half of a trap's transaction ID; MADs of programs have other values */
#define TRAP_TID_HIGH 0x476c7373

/* Offsets in the details of a notice (IBA 14.2.5.1, tables of Notice DataDetails) */
#define D128_LID 0
#define D144_LID 2
#define D144_LOCAL 5 /* OtherLocalChanges: 1 if ChangeFlags is not 0 */
#define D144_CAP_MASK 6
#define D144_FLAGS 10
#define D256_LID 2
#define D256_DR_SLID 4
#define D256_METHOD 6
#define D256_ATTR 8
#define D256_MOD 10
#define D256_MKEY 14
#define D256_DR 23 /* DRNotice, DRPathTruncated, DRHopCount */
#define D256_PATH 24
#define D256_PATH_BYTES 30
#define D257_LID1 2
#define D257_LID2 4
#define D257_KEY 6
#define D257_SL_QP1 10
#define D257_QP2 14
#define D257_GID1 18
#define D257_GID2 34
#define D259_VALID 0
#define D259_LID1 2
#define D259_LID2 4
#define D259_PKEY 6
#define D259_SL_QP1 8
#define D259_QP2 12
#define D259_GID1 16
#define D259_GID2 32
#define D259_SW_LID 48
#define D259_PORT 50

/*
 * DataValid of trap 259. LOCAL: LIDADDR1, LIDADDR2, PKEY, SL, QP1, QP2. GIDS: GIDADDR1, GIDADDR2.
 */
#define D259_VALID_LOCAL 0x003f
#define D259_VALID_GIDS 0x00c0

static const struct {
	u16 number;
	u8 type;
} kinds[GLASS_TRAP_KINDS] = {
	{ GLASS_TRAP_LINK_STATE, NOTICE_URGENT },
	{ GLASS_TRAP_LOCAL_CHANGE, NOTICE_INFORMATIONAL },
	{ GLASS_TRAP_BAD_MKEY, NOTICE_SECURITY },
	{ GLASS_TRAP_BAD_PKEY, NOTICE_SECURITY },
	{ GLASS_TRAP_BAD_QKEY, NOTICE_SECURITY },
	{ GLASS_TRAP_SWITCH_PKEY, NOTICE_SECURITY },
};

static struct glass_trap *trap_of(struct glass_node *n, u16 number)
{
	u32 i;

	for (i = 0; i < GLASS_TRAP_KINDS - 1; i++)
		if (kinds[i].number == number)
			break;
	return &n->traps[i];
}

/* Makes the trap pending, with a new transaction ID. */
static void trap_start(struct glass_node *n, struct glass_trap *t, u32 port)
{
	t->tid = ++n->trap_tid;
	t->pending = true;
	t->port = n->type == GLASS_NODE_SWITCH ? 0 : port;
	n->trap_pending = true;
}

void glass_trap_request(struct glass_node *n, u32 port, u16 number)
{
	struct glass_trap *t = trap_of(n, number);

	memset(t->details, 0, sizeof(t->details));
	trap_start(n, t, port);
}

void glass_trap_local_change(struct glass_node *n, u32 port, u16 flags)
{
	struct glass_trap *t = trap_of(n, GLASS_TRAP_LOCAL_CHANGE);

	if (t->pending)
		flags |= get_unaligned_be16(t->details + D144_FLAGS);
	memset(t->details, 0, sizeof(t->details));
	t->details[D144_LOCAL] = flags != 0;
	put_unaligned_be16(flags, t->details + D144_FLAGS);
	trap_start(n, t, port);
}

/*
 * Requests a trap about a violation. Returns its zeroed details, which the caller fills. Returns
 * NULL if a trap of this number is pending already.
 */
static u8 *start_violation(struct glass_node *n, u32 port, u16 number)
{
	struct glass_trap *t = trap_of(n, number);

	if (t->pending)
		return NULL;
	memset(t->details, 0, sizeof(t->details));
	trap_start(n, t, port);
	return t->details;
}

bool glass_trap_mkey(struct glass_node *n, u32 port, const u8 smp[256], u16 slid)
{
	u8 *d = start_violation(n, port, GLASS_TRAP_BAD_MKEY);
	u32 hops = min(smp[GLASS_SMP_HOP_CNT], (u8)(GLASS_SMP_MAX_HOPS - 1));

	if (!d)
		return false;
	put_unaligned_be16(slid, d + D256_LID);
	d[D256_METHOD] = smp[GLASS_MAD_METHOD];
	put_unaligned_be16(glass_mad_attr(smp), d + D256_ATTR);
	put_unaligned_be32(glass_mad_attr_mod(smp), d + D256_MOD);
	memcpy(d + D256_MKEY, smp + GLASS_SMP_MKEY, 8);
	if (smp[GLASS_MAD_CLASS] != GLASS_MC_SM_DR)
		return true;
	put_unaligned_be16(get_unaligned_be16(smp + GLASS_SMP_DR_SLID), d + D256_DR_SLID);
	d[D256_DR] = 0x80 | (hops > D256_PATH_BYTES ? 0x40 : 0) | hops;
	memcpy(d + D256_PATH, smp + GLASS_SMP_RETURN_PATH + 1,
	       min(hops, (u32)D256_PATH_BYTES));
	return true;
}

/* Writes SL and source QP. The QP is 0 unless the packet is a datagram: only datagrams name it. */
static void put_sl_qp(u8 *at, const struct glass_pkt *pkt)
{
	u32 qpn = (pkt->opcode & GLASS_TR_MASK) == GLASS_TR_UD ? pkt->sqpn & 0xffffff : 0;

	put_unaligned_be32((u32)pkt->sl << 28 | qpn, at);
}

bool glass_trap_key(struct glass_node *n, u32 port, u16 number, const struct glass_pkt *pkt)
{
	u8 *d = start_violation(n, port, number);

	if (!d)
		return false;
	put_unaligned_be16(pkt->slid, d + D257_LID1);
	put_unaligned_be16(pkt->dlid, d + D257_LID2);
	put_unaligned_be32(number == GLASS_TRAP_BAD_QKEY ? pkt->qkey : pkt->pkey, d + D257_KEY);
	put_sl_qp(d + D257_SL_QP1, pkt);
	put_unaligned_be32(pkt->dqpn & 0xffffff, d + D257_QP2);
	if (pkt->lnh == GLASS_LNH_GLOBAL) {
		memcpy(d + D257_GID1, pkt->grh.sgid, 16);
		memcpy(d + D257_GID2, pkt->grh.dgid, 16);
	}
	return true;
}

bool glass_trap_switch_pkey(struct glass_node *n, u32 port, const struct glass_pkt *pkt)
{
	u8 *d;

	if (glass_lid_is_mcast(pkt->dlid) && n->ports[0].mcast_pkey_trap_suppr)
		return false;
	d = start_violation(n, 0, GLASS_TRAP_SWITCH_PKEY);
	if (!d)
		return false;
	put_unaligned_be16(D259_VALID_LOCAL, d + D259_VALID);
	put_unaligned_be16(pkt->slid, d + D259_LID1);
	put_unaligned_be16(pkt->dlid, d + D259_LID2);
	put_unaligned_be16(pkt->pkey, d + D259_PKEY);
	put_sl_qp(d + D259_SL_QP1, pkt);
	put_unaligned_be32(pkt->dqpn & 0xffffff, d + D259_QP2);
	if (pkt->lnh == GLASS_LNH_GLOBAL) {
		put_unaligned_be16(D259_VALID_LOCAL | D259_VALID_GIDS, d + D259_VALID);
		memcpy(d + D259_GID1, pkt->grh.sgid, 16);
		memcpy(d + D259_GID2, pkt->grh.dgid, 16);
	}
	d[D259_PORT] = port;
	return true;
}

/* Returns the port that sends the trap, or NULL while that port has no LID or no SM LID. */
static const struct glass_port *trap_port(const struct glass_node *n, const struct glass_trap *t)
{
	const struct glass_port *p = glass_node_port(n, t->port);

	return p && p->lid && p->sm_lid ? p : NULL;
}

bool glass_trap_sendable(const struct glass_node *n)
{
	u32 i;

	if (likely(!n->trap_pending))
		return false;
	for (i = 0; i < GLASS_TRAP_KINDS; i++)
		if (n->traps[i].pending && trap_port(n, &n->traps[i]))
			return true;
	return false;
}

bool glass_trap_build(struct glass_node *n, u8 mad[256], u32 *port)
{
	const struct glass_trap *t = NULL;
	const struct glass_port *p = NULL;
	u8 *nt = mad + GLASS_SMP_DATA;
	u8 *det = nt + GLASS_NT_DETAILS;
	u32 i, k = 0;

	for (i = 0; n->trap_pending && !p && i < GLASS_TRAP_KINDS; i++) {
		k = (n->trap_last + 1 + i) % GLASS_TRAP_KINDS;
		t = &n->traps[k];
		p = t->pending ? trap_port(n, t) : NULL;
	}
	if (!p)
		return false;
	n->trap_last = k;

	memset(mad, 0, GLASS_MAD_BYTES);
	mad[GLASS_MAD_BASE_VERSION] = 1;
	mad[GLASS_MAD_CLASS] = GLASS_MC_SM_LID;
	mad[GLASS_MAD_CLASS_VERSION] = 1;
	mad[GLASS_MAD_METHOD] = GLASS_MM_TRAP;
	put_unaligned_be32(TRAP_TID_HIGH, mad + GLASS_MAD_TID);
	put_unaligned_be32(t->tid, mad + GLASS_MAD_TID + 4);
	put_unaligned_be16(GLASS_SA_NOTICE, mad + GLASS_MAD_ATTR);
	put_unaligned_be64(p->mkey, mad + GLASS_SMP_MKEY);

	put_unaligned_be32(n->type, nt + GLASS_NT_TYPE);
	nt[GLASS_NT_TYPE] = NOTICE_GENERIC | kinds[k].type;
	put_unaligned_be16(kinds[k].number, nt + GLASS_NT_NUMBER);
	put_unaligned_be16(p->lid, nt + GLASS_NT_ISSUER_LID);
	memcpy(det, t->details, sizeof(t->details));
	/* add values as they are now, not as they were at the time of the request */
	switch (kinds[k].number) {
	case GLASS_TRAP_LINK_STATE:
		put_unaligned_be16(p->lid, det + D128_LID);
		break;
	case GLASS_TRAP_LOCAL_CHANGE:
		put_unaligned_be16(p->lid, det + D144_LID);
		put_unaligned_be32(p->cap_mask, det + D144_CAP_MASK);
		break;
	case GLASS_TRAP_SWITCH_PKEY:
		put_unaligned_be16(p->lid, det + D259_SW_LID);
		break;
	}
	*port = p->num;
	return true;
}

void glass_trap_repress(struct glass_node *n, u64 tid)
{
	u32 i;

	n->trap_pending = false;
	for (i = 0; i < GLASS_TRAP_KINDS; i++) {
		if (n->traps[i].tid == (u32)tid)
			n->traps[i].pending = false;
		n->trap_pending |= n->traps[i].pending;
	}
}
