/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of subnet management: a node (channel adapter or switch), its ports and, for a switch,
 * its forwarding tables. There is no lock here: the owner of a node serialises all calls. (In the
 * driver, the caller holds the fabric's lock.) But any context may call the functions whose comment
 * says "Needs no lock".
 */
#ifndef GLASS_MGMT_NODE_H
#define GLASS_MGMT_NODE_H

#include "mgmt/fdb.h"
#include "uapi/glass-enums.h"
#include "uapi/glass-failure.h"
#include "wire/mad.h"
#include "wire/packet.h"

#define GLASS_NODE_CA 1
#define GLASS_NODE_SWITCH 2

#define GLASS_PKEY_TABLE_LEN 64
#define GLASS_GUID_TABLE_LEN 8
#define GLASS_PKEY_DEFAULT 0xffff
#define GLASS_PKEY_FULL 0x8000 /* membership bit: the port is a full member of the partition */
#define GLASS_GID_PREFIX_DEFAULT 0xfe80000000000000ULL

/* Physical port states (IBA 14.2.5.6) */
enum glass_phys_state {
	GLASS_PHYS_SLEEP = 1,
	GLASS_PHYS_POLLING = 2,
	GLASS_PHYS_DISABLED = 3,
	GLASS_PHYS_LINKUP = 5,
};

/* MTU codes of PortInfo, as enum ib_mtu */
enum glass_mtu_code {
	GLASS_MTU_256 = 1,
	GLASS_MTU_512 = 2,
	GLASS_MTU_1024 = 3,
	GLASS_MTU_2048 = 4,
	GLASS_MTU_4096 = 5,
};

/* Returns the MTU in bytes, or 0 if there is no such code. */
static inline u16 glass_mtu_bytes(u8 code)
{
	return code >= GLASS_MTU_256 && code <= GLASS_MTU_4096 ? 128 << code : 0;
}

/*
 * LinkWidth bits of PortInfo (IBA 14.2.5.6). The bits are not in the order of the widths: 2x has
 * the highest.
 */
#define GLASS_WIDTH_1X BIT(0)
#define GLASS_WIDTH_4X BIT(1)
#define GLASS_WIDTH_8X BIT(2)
#define GLASS_WIDTH_12X BIT(3)
#define GLASS_WIDTH_2X BIT(4)
#define GLASS_SPEED_SDR BIT(0)
#define GLASS_SPEED_DDR BIT(1)
#define GLASS_SPEED_QDR BIT(2)
#define GLASS_SPEED_EXT_FDR BIT(0)
#define GLASS_SPEED_EXT_EDR BIT(1)
#define GLASS_SPEED_EXT_HDR BIT(2)
#define GLASS_SPEED_EXT_NDR BIT(3)
#define GLASS_SPEED_EXT_OFF 30 /* value of speed_ext_enabled: no extended speed is enabled */

/* PortInfo capability mask (IBA table 147) */
#define GLASS_CAP_SM BIT(1)
#define GLASS_CAP_TRAP BIT(3)
#define GLASS_CAP_LED_INFO BIT(9)
#define GLASS_CAP_SM_DISABLED BIT(10)
#define GLASS_CAP_SYS_GUID BIT(11)
#define GLASS_CAP_EXT_SPEEDS BIT(14)
#define GLASS_CAP_CM BIT(16)
#define GLASS_CAP_CLIENT_REREG BIT(25)

/*
 * Counters of a port, which are never reset. The attributes PortCounters and PortCountersExtended
 * subtract zero points of their own from these counters (pc_base, px_base). A Set of an attribute
 * moves its zero points. IBA 16.1.3.5 counts the packets of all VLs. But here, the counters from
 * GLASS_CTR_XMIT_DATA to GLASS_CTR_MC_RCV_PKTS leave out packets of VL15, so that they show the
 * data of programs only.
 */
enum glass_ctr {
	GLASS_CTR_XMIT_DATA, /* 4-byte words from the LRH to the ICRC */
	GLASS_CTR_RCV_DATA, /* 4-byte words, as for GLASS_CTR_XMIT_DATA */
	GLASS_CTR_XMIT_PKTS,
	GLASS_CTR_RCV_PKTS,
	GLASS_CTR_UC_XMIT_PKTS,
	GLASS_CTR_UC_RCV_PKTS,
	GLASS_CTR_MC_XMIT_PKTS,
	GLASS_CTR_MC_RCV_PKTS,
	GLASS_CTR_SYMBOL_ERR,
	GLASS_CTR_LINK_RECOVERY,
	GLASS_CTR_LINK_DOWNED,
	GLASS_CTR_RCV_ERR,
	GLASS_CTR_RCV_REMPHYS,
	GLASS_CTR_RCV_SWITCH_RELAY, /* packets that the switch could not route onwards */
	GLASS_CTR_XMIT_DISCARDS,
	GLASS_CTR_XMIT_CONSTRAINT,
	GLASS_CTR_RCV_CONSTRAINT,
	GLASS_CTR_LOCAL_INTEGRITY,
	GLASS_CTR_BUFFER_OVERRUN,
	GLASS_CTR_VL15_DROPPED,
	GLASS_CTR_XMIT_WAIT,
	GLASS_CTR_QP1_DROPPED,
	GLASS_CTR_COUNT
};

#define GLASS_CTR_PX_COUNT (GLASS_CTR_MC_RCV_PKTS + 1) /* counters of PortCountersExtended */

/*
 * The limits of the cable at a port. The ports at both ends of a cable have the same limits. The
 * owner of the node sets the limits; a subnet manager sees only their effects. A cable without
 * limits has all bits set, and GLASS_MTU_4096.
 */
struct glass_cable_caps {
	u8 width; /* GLASS_WIDTH_* */
	u8 speed; /* GLASS_SPEED_SDR .. GLASS_SPEED_QDR */
	u8 ext; /* GLASS_SPEED_EXT_FDR .. GLASS_SPEED_EXT_NDR */
	u8 mtu; /* enum glass_mtu_code: upper limit of the port's MTUCap */
	bool cut; /* the owner of the fabric has pulled the cable */
};

/*
 * PartitionEnforcementInbound and -Outbound (PortInfo byte 43). With these bits, an external port
 * of a switch drops packets whose P_Key does not match the port's table. Glass has no raw packets,
 * so it ignores FilterRawInbound and -Outbound.
 */
#define GLASS_ENFORCE_IN BIT(3)
#define GLASS_ENFORCE_OUT BIT(2)
#define GLASS_PKEY_SWITCH_LEN 32 /* P_Keys of an external port of a switch */

/*
 * The route of the last unicast data packet that arrived at a port of a switch
 * (glass_switch_fast()). `key` consists of the DLID, the P_Key, and glass_fdb.generation in the
 * upper half. If `key` is 0, no route is stored.
 */
struct glass_route {
	u64 key;
	u8 out; /* the port by which packets with this key leave */
};

/*
 * A port. The fields that each packet needs come first. The others are in the order of their sizes,
 * without padding, because a fabric has thousands of ports.
 */
struct glass_port {
	u8 state; /* enum glass_port_state */
	u8 enforce; /* GLASS_ENFORCE_*; always 0 except at external ports of a switch */
	u8 mtu_active; /* NeighborMTU */
	u8 num; /* 0 .. 254 */
	u16 lid; /* base LID; 0 until a subnet manager assigns one */
	u8 lmc;
	u8 phys_state; /* enum glass_phys_state */
	struct glass_route route; /* external ports of a switch */
	u64 ctr[GLASS_CTR_COUNT];

	u64 pc_base[GLASS_CTR_COUNT]; /* zero points: PortCounters shows ctr[] - pc_base[] */
	u64 px_base[GLASS_CTR_PX_COUNT]; /* PortCountersExtended shows ctr[] - px_base[] */
	u64 guid; /* port GUID; 0 at the external ports of a switch */
	u64 guids[GLASS_GUID_TABLE_LEN]; /* guids[0] is `guid`, which a Set does not change */
	u64 gid_prefix;
	u64 mkey;
	/* time (ns, as glass_node.now) at which M_Key protection ends; valid with lease_running */
	u64 lease_end;
	u64 changed; /* time (ns, as glass_node.now) when the state changed last; 0: never */
	u32 cap_mask; /* GLASS_CAP_* */

	u16 mkey_viol, pkey_viol, qkey_viol; /* violation counters, which stick at 0xffff */
	u16 pkeys[GLASS_PKEY_TABLE_LEN];
	u16 mkey_lease; /* M_KeyLeasePeriod, seconds; 0: the protection never ends */
	u16 sm_lid;
	u16 pulled; /* number of injection rules that pull the port's cable */
	struct glass_cable_caps cable;

	u8 pkey_len; /* number of usable entries of pkeys, a multiple of 32 */
	u8 guid_len; /* number of usable entries of guids */
	u8 mkey_protect; /* M_KeyProtectBits, 0 .. 3 */
	bool lease_running; /* an SMP with a wrong M_Key has started the lease period */
	u8 sm_sl;
	u8 link_down_default; /* GLASS_PHYS_SLEEP or GLASS_PHYS_POLLING */
	/*
	 * enum glass_mtu_code; the limit of the port itself. glass_port_mtu_cap() also takes the
	 * limit of the cable into account.
	 */
	u8 mtu_cap;
	/* GLASS_WIDTH_*, GLASS_SPEED_*, GLASS_SPEED_EXT_*; at most one bit of *_active is set */
	u8 width_supported, width_enabled, width_active;
	u8 speed_supported, speed_enabled, speed_active;
	u8 speed_ext_supported, speed_ext_enabled, speed_ext_active;
	u8 vl_cap; /* VLCap; 1: VL0 only */
	u8 op_vls; /* OperationalVLs, as vl_cap */
	u8 init_type;
	u8 init_type_reply;
	u8 vl_high_limit;
	u8 vl_stall; /* VLStallCount and HOQLife, as in PortInfo byte 42 */
	u8 subnet_timeout; /* 4.096 us * 2^n */
	u8 mcast_pkey_trap_suppr;
	u8 resp_time; /* 4.096 us * 2^n */
	u8 local_phy_errs; /* LocalPhyErrors: a threshold */
	u8 overrun_errs; /* OverrunErrors: a threshold */
	bool led;
	u8 changed_by; /* enum glass_port_change_by; valid if `changed` is not 0 */
	/* RoCEv2: no LIDs and no subnet manager; the GID table is that of the operating system */
	bool ethernet;
};

#define GLASS_NODE_DESC_BYTES 64
#define GLASS_TRAP_KINDS 6
#define GLASS_NOTICE_DETAILS 54 /* bytes */

/* The last request for a trap of one number */
struct glass_trap {
	u32 tid; /* low half of the trap's transaction ID */
	u8 port; /* port that sends the trap; 0 at a switch */
	bool pending; /* not repressed yet */
	u8 details[GLASS_NOTICE_DETAILS];
};

struct glass_node {
	u8 type; /* GLASS_NODE_CA or GLASS_NODE_SWITCH */
	u8 num_ports; /* external ports, 1 .. 254 */
	u16 device_id;
	u32 vendor_id; /* 24 bits */
	u32 revision;
	u64 guid;
	u64 sys_guid;
	/* padded with zeros; a description of 64 bytes has no NUL */
	char desc[GLASS_NODE_DESC_BYTES];
	/* indexed by port number; a CA has no port 0, so nothing uses ports[0] of a CA */
	struct glass_port *ports;
	struct glass_fdb *fdb; /* forwarding tables of a switch; CA: NULL */
	/* current time, ns; the caller sets it before glass_sma_process(), for M_Key leases */
	u64 now;
	u16 smp_slid; /* SLID of the SMP; the caller sets it before glass_sma_process() */
	bool trap_pending; /* at least one of traps[] is pending */
	/* only mgmt/notice.c uses the following members */
	u8 trap_last; /* index in traps[] of the last trap that was built */
	u32 trap_tid; /* low half of the transaction ID of the last requested trap */
	struct glass_trap traps[GLASS_TRAP_KINDS];
};

/* Keep an adapter of one port small: a fabric may have tens of thousands of them. */
static_assert(sizeof(struct glass_node) + sizeof(struct glass_port) < 1400);

/*
 * The changes that a call has made, as bits. Some functions add the port number, in the top byte
 * (GLASS_CHG_PORT()).
 */
enum glass_chg {
	GLASS_CHG_LID = BIT(0), /* LID or LMC */
	GLASS_CHG_SM = BIT(1), /* LID or SL of the subnet manager */
	GLASS_CHG_PKEY = BIT(2),
	GLASS_CHG_GID = BIT(3), /* prefix or GUID table */
	GLASS_CHG_REREG = BIT(4), /* clients must register again */
	GLASS_CHG_ACTIVE = BIT(5), /* the port became ACTIVE */
	GLASS_CHG_DOWN = BIT(6), /* the port went from ACTIVE to DOWN */
	GLASS_CHG_STATE = BIT(7), /* state or physical state changed */
	GLASS_CHG_CAP = BIT(8), /* capability mask */
	GLASS_CHG_MTU = BIT(9), /* active MTU */
	/* the caller must call glass_link_update() for the port and its peer */
	GLASS_CHG_LINK = BIT(10),
	GLASS_CHG_FDB = BIT(11), /* a Set wrote a forwarding table or SwitchInfo */
	GLASS_CHG_TRAP = BIT(12), /* a trap is requested; only in glass_fwd.changes */
};

#define GLASS_CHG_PORT(chg) ((chg) >> 24)

/* The result of handing a MAD to an agent. */
enum glass_mad_result {
	/* the MAD is not for this agent; another agent or a manager may take the MAD */
	GLASS_MAD_IGNORE,
	GLASS_MAD_CONSUMED, /* the agent has handled the MAD, and there is no answer */
	GLASS_MAD_REPLY, /* the answer is in `out` */
	GLASS_MAD_DISCARDED, /* dropped: an SMInfo for a subnet manager that is disabled */
	GLASS_MAD_BAD_MKEY, /* dropped: its M_Key is wrong (IBA 14.2.4) */
};

/*
 * Sets up a node. `ports` is indexed by port number. A switch needs the entries 0 .. num_ports, a
 * CA only 1 .. num_ports: memory for entry 0 of a CA need not exist. `fdb` is for switches only. At
 * first all ports are DOWN and polling; but port 0 of a switch is always ACTIVE. `desc` is cut at
 * 64 bytes. The GUID of a CA's port is guid + port number. The GUID of a switch's port 0 is guid
 * itself. Returns 0. Returns -EINVAL if num_ports is outside 1 .. 254, the type is unknown, `ports`
 * is NULL, or the fdb of a switch is NULL.
 */
int glass_node_init(struct glass_node *n, u8 type, u32 num_ports, struct glass_port *ports,
		    struct glass_fdb *fdb, u64 guid, u64 sys_guid, const char *desc);

/* Replaces the default GUID of a port. Call it before the port is used. */
void glass_port_set_guid(struct glass_port *p, u64 guid);

/*
 * Sets the widths, speeds and extended speeds that all ports of the node support and have enabled:
 * masks of GLASS_WIDTH_*, GLASS_SPEED_* and GLASS_SPEED_EXT_*. ext is 0 for no extended speeds.
 * Call this function after glass_node_init(), before any link comes up. The defaults of
 * glass_node_init() are 1x and 4x, and SDR to EDR.
 */
void glass_node_set_rates(struct glass_node *n, u8 width, u8 speed, u8 ext);

/*
 * Replaces the description by the first `len` bytes of `desc`. A description of more than 64 bytes
 * is cut; a shorter one is padded with zeros.
 */
void glass_node_set_desc(struct glass_node *n, const char *desc, size_t len);

/* Returns port `num` of a node, or NULL: the node has no such port. Only a switch has port 0. */
static inline struct glass_port *glass_node_port(const struct glass_node *n, u32 num)
{
	if (num > n->num_ports || (!num && n->type != GLASS_NODE_SWITCH))
		return NULL;
	return &n->ports[num];
}

/*
 * Records the time and the cause of a port's change of state. If the link is up afterwards, the
 * cause becomes "up", unless a subnet manager made the change. Call it only if the state has
 * changed (GLASS_CHG_STATE).
 */
static inline void glass_port_changed_by(struct glass_port *p, u64 now,
					 enum glass_port_change_by by)
{
	p->changed = now;
	p->changed_by = p->state == GLASS_PORT_DOWN || by == GLASS_PORT_BY_SM ? by : GLASS_PORT_BY_UP;
}

/* Returns MTUCap: the largest MTU that the port and its cable allow, as enum glass_mtu_code. */
static inline u8 glass_port_mtu_cap(const struct glass_port *p)
{
	return min(p->mtu_cap, p->cable.mtu);
}

/* Returns the number of lanes of the widest width in a set of GLASS_WIDTH_*: 1, 2, 4, 8 or 12. */
u32 glass_width_lanes(u8 width);

/* Returns the highest speed in a set of GLASS_SPEED_* and a set of GLASS_SPEED_EXT_*. */
enum glass_lane_speed glass_top_speed(u8 speed, u8 speed_ext);

/* Returns the number of lanes of the link. While the link is down, the last value remains. */
static inline u32 glass_port_lanes(const struct glass_port *p)
{
	return glass_width_lanes(p->width_active);
}

/* Returns the speed of each lane of the link. While the link is down, the last value remains. */
static inline enum glass_lane_speed glass_port_lane_speed(const struct glass_port *p)
{
	return glass_top_speed(p->speed_active, p->speed_ext_active);
}

/*
 * Sets a port's link up or down. Up: if the physical state is Polling, it becomes LinkUp, and the
 * port state becomes INIT. Down: if the physical state is LinkUp, it becomes LinkDownDefaultState,
 * and the port state becomes DOWN. A port in another physical state, such as Disabled, stays as it
 * is. Returns GLASS_CHG_* bits, without the port number.
 */
u32 glass_port_link(struct glass_port *p, bool up);

/*
 * Brings both ends of a link to a common state. na and nb are the nodes of the two ports. The link
 * comes up if all of these conditions hold; otherwise it goes down, or stays down, at both ends:
 * - Each end is polling or in LinkUp.
 * - Both ends and the cable have a width in common, and a speed.
 * - Neither an injection rule nor the owner of the fabric has pulled the cable.
 *
 * If both ends are up already, they keep their width and speed, even if the limits of the cable
 * have changed. If one end was reset, the end that is still up goes down, too, before both come up.
 * When a link comes up, an active MTU above MTUCap is lowered to MTUCap.
 *
 * Call this function for each cable: once after initialisation, whenever another function reports
 * GLASS_CHG_LINK for an end, and whenever `pulled` or `cable` of an end changes. If the link state
 * of a switch port changes, the function sets PortStateChange and requests a trap. *chg_a and
 * *chg_b get GLASS_CHG_* bits with the port number, or 0.
 */
void glass_link_update(struct glass_node *na, struct glass_port *a, struct glass_node *nb,
		       struct glass_port *b, u32 *chg_a, u32 *chg_b);

/*
 * Takes down the link of a port whose cable has no other end, as glass_link_update() does. Returns
 * GLASS_CHG_* bits with the port number, or 0.
 */
u32 glass_link_alone(struct glass_node *n, struct glass_port *p);

/*
 * Does this port receive packets of this VL? A port receives VL15 while its link is up, and data
 * VLs in ARMED and ACTIVE (IBA 7.2.7).
 */
static inline bool glass_port_receives(const struct glass_port *p, u8 vl)
{
	if (vl == GLASS_VL_SMP)
		return p->state >= GLASS_PORT_INIT;
	return p->state >= GLASS_PORT_ARMED;
}

/*
 * Does this port transmit packets of this VL? A port transmits VL15 while its link is up, but data
 * VLs only in ACTIVE. An ARMED port becomes ACTIVE when its neighbour sends data, or by a Set of
 * the subnet manager (IBA 7.2.7).
 */
static inline bool glass_port_sends(const struct glass_port *p, u8 vl)
{
	if (vl == GLASS_VL_SMP)
		return p->state >= GLASS_PORT_INIT;
	return p->state == GLASS_PORT_ACTIVE;
}

/*
 * Call this when a data packet arrives at p: an ARMED port becomes ACTIVE (IBA 7.2.7). Returns
 * GLASS_CHG_* bits with the port number, usually 0.
 */
u32 glass_port_data_seen(struct glass_port *p);

/*
 * Is the DLID one of the port's 2^LMC LIDs? False while the port has no LID, and for multicast
 * LIDs. Needs no lock. While a subnet manager changes LID and LMC, the result may come from one old
 * and one new value.
 */
static inline bool glass_port_has_lid(const struct glass_port *p, u16 dlid)
{
	u16 lid = READ_ONCE(p->lid);
	u8 lmc = READ_ONCE(p->lmc);

	return !((dlid ^ lid) >> lmc) && lid && dlid < GLASS_LID_MCAST_BASE;
}

/*
 * Do two P_Keys match? Two P_Keys match if their low 15 bits are equal and not 0, and at least one
 * of them has the membership bit (IBA 10.9.1.1, 10.9.3).
 */
static inline bool glass_pkey_match(u16 a, u16 b)
{
	return (a & 0x7fff) && !((a ^ b) & 0x7fff) && ((a | b) & GLASS_PKEY_FULL);
}

/*
 * Returns the index of an entry of the port's P_Key table that matches an incoming P_Key: of the
 * first such entry with full membership; if there is none, of the first one with limited
 * membership. Returns -ENOENT if no entry matches. Needs no lock.
 */
int glass_port_pkey_index(const struct glass_port *p, u16 pkey);

/*
 * Does a packet with this P_Key pass an external port of a switch (IBA 18.2.4.2.1)?
 * glass_port_pkey_in() is for a packet from the link, and compares only the partition, because
 * limited members send packets, too. glass_port_pkey_out() is for a packet to the link, and
 * compares the P_Keys as the destination port does (IBA 10.9.3). Do not call these functions for
 * packets of VL15, which have no P_Key to check. Needs no lock.
 */
bool glass_port_pkey_in(const struct glass_port *p, u16 pkey);
bool glass_port_pkey_out(const struct glass_port *p, u16 pkey);

/*
 * Gets the GID at `index`, in network order. Returns 0. Returns -EINVAL if the index is out of
 * range or the entry is empty. Needs no lock.
 */
int glass_port_gid(const struct glass_port *p, u32 index, u8 gid[16]);

/*
 * Returns the index of the GID in the port's table, or -ENOENT. The GID may have the port's prefix
 * or the link-local prefix, which is always valid (IBA 4.1.1). Needs no lock.
 */
int glass_port_gid_index(const struct glass_port *p, const u8 gid[16]);

static inline bool glass_gid_equal(const u8 a[16], const u8 b[16])
{
	return !memcmp(a, b, 16);
}

static inline bool glass_gid_is_mcast(const u8 gid[16])
{
	return gid[0] == 0xff;
}

/* Is `lid` a multicast LID? The permissive LID is not one. */
static inline bool glass_lid_is_mcast(u16 lid)
{
	return lid >= GLASS_LID_MCAST_BASE && lid != GLASS_LID_PERMISSIVE;
}

/*
 * These two functions count `pkts` unicast packets of a data VL that the port sends (tx) or
 * receives (rx). `words` is the number of 4-byte words in all of them (glass_pkt_words()).
 */
static inline void glass_port_count_data_tx(struct glass_port *p, u32 words, u32 pkts)
{
	p->ctr[GLASS_CTR_XMIT_DATA] += words;
	p->ctr[GLASS_CTR_XMIT_PKTS] += pkts;
	p->ctr[GLASS_CTR_UC_XMIT_PKTS] += pkts;
}

static inline void glass_port_count_data_rx(struct glass_port *p, u32 words, u32 pkts)
{
	p->ctr[GLASS_CTR_RCV_DATA] += words;
	p->ctr[GLASS_CTR_RCV_PKTS] += pkts;
	p->ctr[GLASS_CTR_UC_RCV_PKTS] += pkts;
}

/*
 * These two functions count `pkts` packets that the port sends (tx) or receives (rx). `words` is
 * the number of 4-byte words in all of them (glass_pkt_words()). Packets of VL15 are not counted
 * (enum glass_ctr).
 */
static inline void glass_port_count_tx(struct glass_port *p, u8 vl, u16 dlid, u32 words,
				       u32 pkts)
{
	if (vl == GLASS_VL_SMP)
		return;
	p->ctr[GLASS_CTR_XMIT_DATA] += words;
	p->ctr[GLASS_CTR_XMIT_PKTS] += pkts;
	p->ctr[glass_lid_is_mcast(dlid) ? GLASS_CTR_MC_XMIT_PKTS : GLASS_CTR_UC_XMIT_PKTS] += pkts;
}

static inline void glass_port_count_rx(struct glass_port *p, u8 vl, u16 dlid, u32 words,
				       u32 pkts)
{
	if (vl == GLASS_VL_SMP)
		return;
	p->ctr[GLASS_CTR_RCV_DATA] += words;
	p->ctr[GLASS_CTR_RCV_PKTS] += pkts;
	p->ctr[glass_lid_is_mcast(dlid) ? GLASS_CTR_MC_RCV_PKTS : GLASS_CTR_UC_RCV_PKTS] += pkts;
}

/* Adds n packets to a violation counter, which sticks at its maximum. */
static inline void glass_viol(u16 *counter, u32 n)
{
	*counter += min_t(u32, n, 0xffff - *counter);
}

#endif
