// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The subnet management agent: checks SMPs, dispatches them by attribute, and carries them out.
 * portinfo.c reads and sets the fields of PortInfo.
 */
#include "mgmt/notice.h"
#include "mgmt/portinfo.h"
#include "mgmt/sma.h"

#define LFT_BLOCK 64 /* LIDs of one block of the linear forwarding table */
#define MFT_BLOCK 32 /* multicast LIDs of one block */
#define PKEY_BLOCK 32
#define GUID_BLOCK 8
#define VLARB_BLOCKS 4
#define NS_PER_S 1000000000ULL

#define MELLANOX_VENDOR_ID 0x2c9
#define MELLANOX_PORT_INFO 0xff90 /* an attribute */

/* SwitchInfo: InboundEnforcementCap and OutboundEnforcementCap (IBA 14.2.5.4) */
#define SWITCH_ENFORCE_IN BIT(7)
#define SWITCH_ENFORCE_OUT BIT(6)
#define SWITCH_ENHANCED_PORT0 BIT(3) /* EnhancedPort0, in the same byte */

/*
 * The arguments and results of the function that handles the attribute of an SMP: node_info(),
 * port_info() and so on.
 */
struct smp {
	struct glass_node *n;
	u32 in_port;
	u32 mod; /* attribute modifier */
	bool set;
	bool hide_mkey; /* the answer has 0 instead of the port's M_Key */
	const u8 *in; /* the 64 bytes of the attribute in the request; used for a Set only */
	u8 *data; /* the 64 bytes of the attribute in the answer, zeroed */
	u32 chg; /* GLASS_CHG_* */
	u32 chg_port; /* number of the port that changed */
};

/* If the M_Key's lease has expired, ends the protection by the M_Key. */
static void lease_check(struct glass_node *n, struct glass_port *p)
{
	if (p->lease_running && n->now >= p->lease_end) {
		p->lease_running = false;
		p->mkey_protect = 0;
	}
}

/*
 * Does the M_Key of the SMP allow the request (IBA 14.2.4.1, 14.2.4.2)? `p` is the port whose M_Key
 * protects the node. *hide becomes true if the answer must not show the M_Key of `p`.
 */
static bool mkey_ok(struct glass_node *n, struct glass_port *p, const u8 *in, bool *hide)
{
	u64 mkey = get_unaligned_be64(in + GLASS_SMP_MKEY);

	lease_check(n, p);
	*hide = false;
	if (!p->mkey)
		return true;
	if (mkey == p->mkey) {
		p->lease_running = false;
		return true;
	}
	if (in[GLASS_MAD_METHOD] == GLASS_MM_GET && p->mkey_protect < 2) {
		*hide = p->mkey_protect == 1;
		return true;
	}
	glass_viol(&p->mkey_viol, 1);
	glass_trap_mkey(n, p->num, in, n->smp_slid);
	if (p->mkey_lease && !p->lease_running) {
		p->lease_running = true;
		p->lease_end = n->now + p->mkey_lease * NS_PER_S;
	}
	return false;
}

/*
 * Returns the port for an attribute whose modifier names no port: port 0 of a switch, or the port
 * of a CA at which the SMP arrived.
 */
static struct glass_port *own_port(const struct smp *s)
{
	return &s->n->ports[s->n->type == GLASS_NODE_SWITCH ? 0 : s->in_port];
}

static bool is_switch(const struct smp *s)
{
	return s->n->type == GLASS_NODE_SWITCH;
}

static u16 node_desc(struct smp *s)
{
	if (s->set)
		return GLASS_MS_BAD_METHOD_ATTR;
	if (s->mod)
		return GLASS_MS_BAD_FIELD;
	memcpy(s->data, s->n->desc, GLASS_NODE_DESC_BYTES);
	return GLASS_MS_OK;
}

static u16 node_info(struct smp *s)
{
	const struct glass_node *n = s->n;
	const struct glass_port *p = own_port(s);
	u8 *d = s->data;

	if (s->set)
		return GLASS_MS_BAD_METHOD_ATTR;
	if (s->mod)
		return GLASS_MS_BAD_FIELD;
	d[0] = 1; /* base version */
	d[1] = 1; /* class version */
	d[2] = n->type;
	d[3] = n->num_ports;
	put_unaligned_be64(n->sys_guid, d + 4);
	put_unaligned_be64(n->guid, d + 12);
	put_unaligned_be64(p->guid, d + 20);
	put_unaligned_be16(p->pkey_len, d + 28);
	put_unaligned_be16(n->device_id, d + 30);
	put_unaligned_be32(n->revision, d + 32);
	put_unaligned_be32(n->vendor_id & 0xffffff, d + 36);
	d[36] = s->in_port;
	return GLASS_MS_OK;
}

static u16 switch_info(struct smp *s)
{
	struct glass_fdb *f = s->n->fdb;
	u8 *d = s->data;

	if (!is_switch(s))
		return GLASS_MS_BAD_METHOD_ATTR;
	if (s->mod)
		return GLASS_MS_BAD_FIELD;
	if (s->set) {
		u16 top = get_unaligned_be16(s->in + 6);

		if (top >= GLASS_LFT_LIDS)
			return GLASS_MS_BAD_FIELD;
		f->lft_top = top;
		f->def_port = s->in[8];
		f->def_mcast_primary = s->in[9];
		f->def_mcast_not_primary = s->in[10];
		f->life_time = s->in[11] >> 3;
		/* PortStateChange: writing one clears it, writing zero keeps it */
		if (s->in[11] & 4)
			f->port_state_change = false;
		s->chg |= GLASS_CHG_FDB;
	}
	put_unaligned_be16(GLASS_LFT_LIDS, d);
	put_unaligned_be16(GLASS_MFT_LIDS, d + 4);
	put_unaligned_be16(f->lft_top, d + 6);
	d[8] = f->def_port;
	d[9] = f->def_mcast_primary;
	d[10] = f->def_mcast_not_primary;
	d[11] = f->life_time << 3 | f->port_state_change << 2;
	if (!f->no_enforcement) {
		put_unaligned_be16(GLASS_PKEY_SWITCH_LEN, d + 14); /* PartitionEnforcementCap */
		d[16] = SWITCH_ENFORCE_IN | SWITCH_ENFORCE_OUT;
	}
	if (f->enhanced)
		d[16] |= SWITCH_ENHANCED_PORT0;
	return GLASS_MS_OK;
}

static u16 guid_info(struct smp *s)
{
	struct glass_port *p = own_port(s);
	u32 first, i;

	if (s->mod >= (p->guid_len + GUID_BLOCK - 1u) / GUID_BLOCK)
		return GLASS_MS_BAD_FIELD;
	first = s->mod * GUID_BLOCK;
	for (i = 0; i < GUID_BLOCK && first + i < p->guid_len; i++) {
		u64 guid;

		if (s->set && first + i) {
			guid = get_unaligned_be64(s->in + 8 * i);
			if (guid != p->guids[first + i])
				s->chg |= GLASS_CHG_GID;
			WRITE_ONCE(p->guids[first + i], guid);
		}
		put_unaligned_be64(p->guids[first + i], s->data + 8 * i);
	}
	s->chg_port = p->num;
	return GLASS_MS_OK;
}

static u16 port_info(struct smp *s)
{
	u32 num = s->mod & 0xff;
	struct glass_port *p;
	u16 status;

	/* bit 31 only says that the subnet manager knows the extended speeds */
	if (s->mod & 0x7fffff00)
		return GLASS_MS_BAD_FIELD;
	if (!num && !is_switch(s))
		num = s->in_port;
	p = glass_node_port(s->n, num);
	if (!p)
		return GLASS_MS_BAD_FIELD;
	if (s->set) {
		s->chg_port = num;
		status = glass_portinfo_set(s->n, p, s->in, &s->chg);
		if (status)
			return status;
	}
	glass_sma_port_info(s->n, p, s->in_port, s->data);
	/* ClientReregister is set in the answer to a Set that had it; in other answers it is 0 */
	if (s->chg & GLASS_CHG_REREG)
		s->data[GLASS_PI_REREG_TIMEOUT] |= 0x80;
	if (s->hide_mkey)
		memset(s->data + GLASS_PI_MKEY, 0, 8);
	return GLASS_MS_OK;
}

static u16 pkey_table(struct smp *s)
{
	u32 block = s->mod & 0xffff;
	struct glass_port *p;
	u32 i;

	p = is_switch(s) ? glass_node_port(s->n, s->mod >> 16) : own_port(s);
	if (!p || block >= p->pkey_len / PKEY_BLOCK)
		return GLASS_MS_BAD_FIELD;
	for (i = 0; i < PKEY_BLOCK; i++) {
		u16 *key = &p->pkeys[block * PKEY_BLOCK + i];

		if (s->set) {
			u16 v = get_unaligned_be16(s->in + 2 * i);

			if (v != *key)
				s->chg |= GLASS_CHG_PKEY;
			WRITE_ONCE(*key, v);
		}
		put_unaligned_be16(*key, s->data + 2 * i);
	}
	s->chg_port = p->num;
	return GLASS_MS_OK;
}

/*
 * There is one data VL. So SLtoVLMappingTable maps every SL to VL0, and VLArbitrationTable is
 * empty. A Set of one of these two attributes changes nothing.
 */
static u16 sma_sl2vl(struct smp *s)
{
	if (is_switch(s) && (!glass_node_port(s->n, s->mod & 0xff) ||
			     !glass_node_port(s->n, s->mod >> 8 & 0xff)))
		return GLASS_MS_BAD_FIELD;
	return GLASS_MS_OK;
}

static u16 vl_arb(struct smp *s)
{
	u32 block = s->mod >> 16;

	if (!block || block > VLARB_BLOCKS)
		return GLASS_MS_BAD_FIELD;
	if (is_switch(s) && !glass_node_port(s->n, s->mod & 0xffff))
		return GLASS_MS_BAD_FIELD;
	return GLASS_MS_OK;
}

static u16 sma_lft(struct smp *s)
{
	u32 i, first = s->mod * LFT_BLOCK;

	if (!is_switch(s))
		return GLASS_MS_BAD_METHOD_ATTR;
	if (s->mod >= GLASS_LFT_LIDS / LFT_BLOCK)
		return GLASS_MS_BAD_FIELD;
	if (s->set) {
		if (!glass_fdb_set_ports(s->n->fdb, first, s->in, LFT_BLOCK, s->n->now))
			return GLASS_MS_BUSY;
		s->chg |= GLASS_CHG_FDB;
	}
	for (i = 0; i < LFT_BLOCK; i++)
		s->data[i] = glass_fdb_port(s->n->fdb, first + i);
	return GLASS_MS_OK;
}

/*
 * MulticastForwardingTable. The attribute is a part of the table: a mask of 16 ports for each of 32
 * multicast LIDs. `block` selects the LIDs, and `position` selects the ports. All entries of a
 * block are in one chunk (fdb.h). The first entry that changes needs the chunk. So if there is no
 * memory for the chunk, the Set fails before any entry has changed.
 */
static u16 sma_mft(struct smp *s)
{
	u32 position = s->mod >> 28;
	u32 block = s->mod & 0x1ff;
	u32 shift = 16 * (position & 3);
	u64 to[GLASS_PORT_WORDS];
	u32 i, port;
	u16 exists = 0;

	static_assert(MFT_BLOCK == GLASS_MFT_CHUNK && !(GLASS_LFT_CHUNK % LFT_BLOCK));

	if (!is_switch(s))
		return GLASS_MS_BAD_METHOD_ATTR;
	if ((s->mod & 0x0ffffe00) || block >= GLASS_MFT_LIDS / MFT_BLOCK)
		return GLASS_MS_BAD_FIELD;
	if (position * 16 > s->n->num_ports)
		return GLASS_MS_BAD_FIELD;
	for (i = 0; i < 16; i++) {
		port = position * 16 + i;
		if (port <= s->n->num_ports)
			exists |= 1 << i;
	}
	for (i = 0; i < MFT_BLOCK; i++) {
		u64 *word = &to[position / 4];

		memcpy(to, glass_fdb_mcast(s->n->fdb, block * MFT_BLOCK + i), sizeof(to));
		if (s->set) {
			u64 v = get_unaligned_be16(s->in + 2 * i) & exists;

			*word = (*word & ~(0xffffULL << shift)) | v << shift;
			/* the first entry that needs the chunk fails: the block is one chunk */
			if (!glass_fdb_set_mcast(s->n->fdb, block * MFT_BLOCK + i, to))
				return GLASS_MS_BUSY;
		}
		put_unaligned_be16(*word >> shift, s->data + 2 * i);
	}
	if (s->set)
		s->chg |= GLASS_CHG_FDB;
	return GLASS_MS_OK;
}

static u16 led_info(struct smp *s)
{
	u32 num = s->mod & 0xff;
	struct glass_port *p;

	if (!num && !is_switch(s))
		num = s->in_port;
	p = glass_node_port(s->n, num);
	if (!p || s->mod & ~0xffu)
		return GLASS_MS_BAD_FIELD;
	if (s->set)
		p->led = s->in[0] >> 7;
	s->data[0] = p->led << 7;
	return GLASS_MS_OK;
}

/*
 * ExtendedPortInfo, an attribute of Mellanox for FDR10. The infiniband-diags tools request it from
 * nodes with certain device IDs, and ibportstate fails without an answer. All fields are 0, because
 * Glass has no FDR10.
 */
static u16 mellanox_port_info(struct smp *s)
{
	if (s->n->vendor_id != MELLANOX_VENDOR_ID || s->set)
		return GLASS_MS_BAD_METHOD_ATTR;
	return glass_node_port(s->n, s->mod & 0xff) ? GLASS_MS_OK : GLASS_MS_BAD_FIELD;
}

static u16 sma_dispatch(struct smp *s, u16 attr)
{
	switch (attr) {
	case GLASS_SA_NODE_DESC:
		return node_desc(s);
	case GLASS_SA_NODE_INFO:
		return node_info(s);
	case GLASS_SA_SWITCH_INFO:
		return switch_info(s);
	case GLASS_SA_GUID_INFO:
		return guid_info(s);
	case GLASS_SA_PORT_INFO:
		return port_info(s);
	case GLASS_SA_PKEY_TABLE:
		return pkey_table(s);
	case GLASS_SA_SL2VL:
		return sma_sl2vl(s);
	case GLASS_SA_VL_ARB:
		return vl_arb(s);
	case GLASS_SA_LFT:
		return sma_lft(s);
	case GLASS_SA_MFT:
		return sma_mft(s);
	case GLASS_SA_LED_INFO:
		return led_info(s);
	case MELLANOX_PORT_INFO:
		return mellanox_port_info(s);
	default:
		return GLASS_MS_BAD_METHOD_ATTR;
	}
}

static enum glass_mad_result sma_reply(const u8 *in, u8 *out, u16 status)
{
	if (in[GLASS_MAD_CLASS] == GLASS_MC_SM_DR)
		status |= GLASS_SMP_DIRECTION;
	out[GLASS_MAD_METHOD] = GLASS_MM_GET_RESP;
	put_unaligned_be16(status, out + GLASS_MAD_STATUS);
	return GLASS_MAD_REPLY;
}

enum glass_mad_result glass_sma_process(struct glass_node *n, u32 in_port, const u8 in[256],
					u8 out[256], u32 flags, u32 *changes)
{
	struct smp s = { .n = n, .in_port = in_port };
	struct glass_port *guard = glass_node_port(n, in_port);
	u8 method = in[GLASS_MAD_METHOD];
	u16 attr = glass_mad_attr(in);
	u16 status;

	*changes = 0;
	if (!glass_mad_is_smp(in) || !guard)
		return GLASS_MAD_IGNORE;
	if (n->type == GLASS_NODE_SWITCH)
		guard = &n->ports[0];
	/* responses, traps and reports are for subnet managers and other programs */
	if (method & GLASS_MM_RESPONSE || method == GLASS_MM_TRAP || method == GLASS_MM_REPORT)
		return GLASS_MAD_IGNORE;

	memcpy(out, in, GLASS_MAD_BYTES);
	if (in[GLASS_MAD_BASE_VERSION] != 1 || in[GLASS_MAD_CLASS_VERSION] != 1)
		return sma_reply(in, out, GLASS_MS_BAD_VERSION);
	if (method != GLASS_MM_GET && method != GLASS_MM_SET && method != GLASS_MM_TRAP_REPRESS)
		return sma_reply(in, out, GLASS_MS_BAD_METHOD);
	if (attr == GLASS_SA_SM_INFO && guard->cap_mask & GLASS_CAP_SM)
		return GLASS_MAD_IGNORE;
	if (attr == GLASS_SA_SM_INFO && guard->cap_mask & GLASS_CAP_SM_DISABLED)
		return GLASS_MAD_DISCARDED;
	if (!(flags & GLASS_SMA_NO_MKEY) && !mkey_ok(n, guard, in, &s.hide_mkey))
		return GLASS_MAD_BAD_MKEY;
	if (method == GLASS_MM_TRAP_REPRESS) {
		glass_trap_repress(n, glass_mad_tid(in));
		return GLASS_MAD_CONSUMED;
	}

	s.mod = glass_mad_attr_mod(in);
	s.set = method == GLASS_MM_SET;
	s.in = in + GLASS_SMP_DATA;
	s.data = out + GLASS_SMP_DATA;
	s.chg_port = guard->num;
	memset(s.data, 0, GLASS_SMP_DATA_BYTES);
	/* the M_Key in the header of an answer is 0 (IBA 14.2.4) */
	memset(out + GLASS_SMP_MKEY, 0, 8);
	status = sma_dispatch(&s, attr);
	if (s.set && n->fdb)
		glass_fdb_changed(n->fdb);
	/* the answer to a refused request repeats the attribute of the request */
	if (status)
		memcpy(s.data, s.in, GLASS_SMP_DATA_BYTES);
	if (s.chg)
		*changes = s.chg | s.chg_port << 24;
	return sma_reply(in, out, status);
}
