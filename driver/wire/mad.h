/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Management datagrams (MADs): offsets in their 256 bytes, constants, accessors (IBA 13.4, 14.2,
 * 16.1). Glass handles a MAD as bytes in network order, never through a structure laid over it.
 */
#ifndef GLASS_WIRE_MAD_H
#define GLASS_WIRE_MAD_H

#include "wire/packet.h"

/* Common header (IBA 13.4.3) */
#define GLASS_MAD_BASE_VERSION 0
#define GLASS_MAD_CLASS 1
#define GLASS_MAD_CLASS_VERSION 2
#define GLASS_MAD_METHOD 3
#define GLASS_MAD_STATUS 4
#define GLASS_MAD_TID 8
#define GLASS_MAD_HDR_BYTES 24 /* length of the common header */
#define GLASS_MAD_ATTR 16
#define GLASS_MAD_ATTR_MOD 20

/* SMP (IBA 14.2.1). Only directed-route SMPs have a hop pointer, a hop count, LIDs and paths. */
#define GLASS_SMP_HOP_PTR 6
#define GLASS_SMP_HOP_CNT 7
#define GLASS_SMP_MKEY 24
#define GLASS_SMP_DR_SLID 32
#define GLASS_SMP_DR_DLID 34
#define GLASS_SMP_DATA 64
#define GLASS_SMP_DATA_BYTES 64
#define GLASS_SMP_INITIAL_PATH 128
#define GLASS_SMP_RETURN_PATH 192
#define GLASS_SMP_MAX_HOPS 64 /* entries of a path, one byte each; entry 0 is not used */
#define GLASS_SMP_DIRECTION 0x8000 /* the D bit of the status word */

/* Performance management (IBA 16.1.1) */
#define GLASS_PM_DATA 64
#define GLASS_PM_DATA_BYTES 192

enum glass_mad_class {
	GLASS_MC_SM_LID = 0x01,
	GLASS_MC_SA = 0x03,
	GLASS_MC_PM = 0x04,
	GLASS_MC_SM_DR = 0x81,
};

enum glass_mad_method {
	GLASS_MM_GET = 0x01,
	GLASS_MM_SET = 0x02,
	GLASS_MM_TRAP = 0x05,
	GLASS_MM_REPORT = 0x06,
	GLASS_MM_TRAP_REPRESS = 0x07,
	GLASS_MM_GET_RESP = 0x81,
	GLASS_MM_REPORT_RESP = 0x86,
};

#define GLASS_MM_RESPONSE 0x80

/* Status word (IBA 13.4.7) */
enum glass_mad_status {
	GLASS_MS_OK = 0x0000,
	GLASS_MS_BUSY = 0x0001, /* the MAD was not carried out; the requester may send it again */
	GLASS_MS_BAD_VERSION = 0x0004,
	GLASS_MS_BAD_METHOD = 0x0008,
	GLASS_MS_BAD_METHOD_ATTR = 0x000c,
	GLASS_MS_BAD_FIELD = 0x001c,
};

/* Attributes of the subnet management class (IBA 14.2.5) */
enum glass_smp_attr {
	GLASS_SA_NOTICE = 0x0002,
	GLASS_SA_NODE_DESC = 0x0010,
	GLASS_SA_NODE_INFO = 0x0011,
	GLASS_SA_SWITCH_INFO = 0x0012,
	GLASS_SA_GUID_INFO = 0x0014,
	GLASS_SA_PORT_INFO = 0x0015,
	GLASS_SA_PKEY_TABLE = 0x0016,
	GLASS_SA_SL2VL = 0x0017,
	GLASS_SA_VL_ARB = 0x0018,
	GLASS_SA_LFT = 0x0019,
	GLASS_SA_MFT = 0x001b,
	GLASS_SA_SM_INFO = 0x0020,
	GLASS_SA_LED_INFO = 0x0031,
};

/* Attributes of the performance management class (IBA 16.1.3) */
enum glass_pm_attr {
	GLASS_PA_CLASS_PORT_INFO = 0x0001,
	GLASS_PA_SAMPLES_CONTROL = 0x0010,
	GLASS_PA_SAMPLES_RESULT = 0x0011,
	GLASS_PA_COUNTERS = 0x0012,
	GLASS_PA_COUNTERS_EXT = 0x001d,
};

/*
 * PortInfo, offsets in the attribute (IBA 14.2.5.6). Where two fields share a byte, the name or the
 * comment begins with the field in the high bits.
 */
#define GLASS_PI_MKEY 0
#define GLASS_PI_GID_PREFIX 8
#define GLASS_PI_LID 16
#define GLASS_PI_SM_LID 18
#define GLASS_PI_CAP_MASK 20
#define GLASS_PI_MKEY_LEASE 26
#define GLASS_PI_LOCAL_PORT 28
#define GLASS_PI_WIDTH_ENABLED 29
#define GLASS_PI_WIDTH_SUPPORTED 30
#define GLASS_PI_WIDTH_ACTIVE 31
#define GLASS_PI_SPEED_STATE 32 /* speed supported, port state */
#define GLASS_PI_PHYS 33 /* physical state, link down default */
#define GLASS_PI_MKEY_LMC 34 /* M_Key protect bits, LMC */
#define GLASS_PI_SPEED 35 /* speed active, speed enabled */
#define GLASS_PI_MTU_SMSL 36 /* neighbour MTU, SM's SL */
#define GLASS_PI_VLCAP_INIT 37
#define GLASS_PI_VL_HIGH_LIMIT 38
#define GLASS_PI_INIT_MTUCAP 41
#define GLASS_PI_VLSTALL_HOQ 42
#define GLASS_PI_OPVL_ENFORCE 43
#define GLASS_PI_MKEY_VIOL 44
#define GLASS_PI_PKEY_VIOL 46
#define GLASS_PI_QKEY_VIOL 48
#define GLASS_PI_GUID_CAP 50
#define GLASS_PI_REREG_TIMEOUT 51
#define GLASS_PI_RESP_TIME 52
#define GLASS_PI_ERR_THRESH 53
#define GLASS_PI_SPEED_EXT 62 /* extended speed active, extended speed supported */
#define GLASS_PI_SPEED_EXT_EN 63

/*
 * Notice, offsets in the attribute (IBA 13.4.8.2). At GLASS_NT_TYPE there are 32 bits, the highest
 * first: generic (1 bit), type (7 bits), producer type (24 bits).
 */
#define GLASS_NT_TYPE 0
#define GLASS_NT_NUMBER 4
#define GLASS_NT_ISSUER_LID 6
#define GLASS_NT_DETAILS 10

static inline u16 glass_mad_status(const u8 *mad)
{
	return get_unaligned_be16(mad + GLASS_MAD_STATUS);
}

static inline u16 glass_mad_attr(const u8 *mad)
{
	return get_unaligned_be16(mad + GLASS_MAD_ATTR);
}

static inline u32 glass_mad_attr_mod(const u8 *mad)
{
	return get_unaligned_be32(mad + GLASS_MAD_ATTR_MOD);
}

static inline u64 glass_mad_tid(const u8 *mad)
{
	return get_unaligned_be64(mad + GLASS_MAD_TID);
}

static inline bool glass_mad_is_smp(const u8 *mad)
{
	return mad[GLASS_MAD_CLASS] == GLASS_MC_SM_LID || mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR;
}

/* Is a directed-route SMP on its way back to its origin (IBA 14.2.2, D bit)? */
static inline bool glass_smp_returning(const u8 *mad)
{
	return mad[GLASS_MAD_STATUS] & (GLASS_SMP_DIRECTION >> 8);
}

#endif
