// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The performance management agent. A port's counters only increase. The attributes PortCounters
 * and PortCountersExtended subtract zero points of their own from the counters. A Set of an
 * attribute moves its zero points.
 */
#include "mgmt/pma.h"

#define PORT_ALL 0xff
#define RESP_TIME 18 /* 4.096 us * 2^18: about a second */

/* A counter's place in PortCounters (IBA 16.1.3.5), and its bit in the select masks. */
static const struct pc_field {
	u8 ctr; /* enum glass_ctr */
	u8 off; /* offset of the counter's first byte in the attribute */
	u8 bits; /* width in bits: 4, 8, 16 or 32 */
	u8 shift; /* if `bits` is 4: 4 for the high half of the byte, 0 for the low half */
	u32 select; /* the counter's bit in CounterSelect | CounterSelect2 << 16 */
} pc_fields[] = {
	{ GLASS_CTR_SYMBOL_ERR, 4, 16, 0, BIT(0) },
	{ GLASS_CTR_LINK_RECOVERY, 6, 8, 0, BIT(1) },
	{ GLASS_CTR_LINK_DOWNED, 7, 8, 0, BIT(2) },
	{ GLASS_CTR_RCV_ERR, 8, 16, 0, BIT(3) },
	{ GLASS_CTR_RCV_REMPHYS, 10, 16, 0, BIT(4) },
	{ GLASS_CTR_RCV_SWITCH_RELAY, 12, 16, 0, BIT(5) },
	{ GLASS_CTR_XMIT_DISCARDS, 14, 16, 0, BIT(6) },
	{ GLASS_CTR_XMIT_CONSTRAINT, 16, 8, 0, BIT(7) },
	{ GLASS_CTR_RCV_CONSTRAINT, 17, 8, 0, BIT(8) },
	{ GLASS_CTR_LOCAL_INTEGRITY, 19, 4, 4, BIT(9) },
	{ GLASS_CTR_BUFFER_OVERRUN, 19, 4, 0, BIT(10) },
	{ GLASS_CTR_QP1_DROPPED, 20, 16, 0, BIT(17) },
	{ GLASS_CTR_VL15_DROPPED, 22, 16, 0, BIT(11) },
	{ GLASS_CTR_XMIT_DATA, 24, 32, 0, BIT(12) },
	{ GLASS_CTR_RCV_DATA, 28, 32, 0, BIT(13) },
	{ GLASS_CTR_XMIT_PKTS, 32, 32, 0, BIT(14) },
	{ GLASS_CTR_RCV_PKTS, 36, 32, 0, BIT(15) },
	{ GLASS_CTR_XMIT_WAIT, 40, 32, 0, BIT(16) },
};

/*
 * The 64-bit counters of PortCountersExtended, from byte 8 on. Bit i of CounterSelect selects
 * px_ctrs[i].
 */
static const u8 px_ctrs[] = {
	GLASS_CTR_XMIT_DATA,	GLASS_CTR_RCV_DATA,    GLASS_CTR_XMIT_PKTS,    GLASS_CTR_RCV_PKTS,
	GLASS_CTR_UC_XMIT_PKTS, GLASS_CTR_UC_RCV_PKTS, GLASS_CTR_MC_XMIT_PKTS, GLASS_CTR_MC_RCV_PKTS,
};

struct port_range {
	u32 first, last;
};

/* Sets *r to the ports that PortSelect names. Returns false if there is no such port. */
static bool port_range(const struct glass_node *n, u8 select, struct port_range *r)
{
	if (select == PORT_ALL) {
		r->first = 1;
		r->last = n->num_ports;
		return true;
	}
	r->first = select;
	r->last = select;
	return glass_node_port(n, select);
}

static u64 counter_saturate(u64 v, u32 bits)
{
	u64 limit = bits < 64 ? (1ULL << bits) - 1 : ~0ULL;

	return min(v, limit);
}

static void put_field(u8 *data, const struct pc_field *f, u64 v)
{
	v = counter_saturate(v, f->bits);
	switch (f->bits) {
	case 4:
		data[f->off] = (data[f->off] & ~(0xf << f->shift)) | v << f->shift;
		break;
	case 8:
		data[f->off] = v;
		break;
	case 16:
		put_unaligned_be16(v, data + f->off);
		break;
	default:
		put_unaligned_be32(v, data + f->off);
	}
}

static u64 get_field(const u8 *data, const struct pc_field *f)
{
	switch (f->bits) {
	case 4:
		return data[f->off] >> f->shift & 0xf;
	case 8:
		return data[f->off];
	case 16:
		return get_unaligned_be16(data + f->off);
	default:
		return get_unaligned_be32(data + f->off);
	}
}

static u16 pma_port_counters(struct glass_node *n, bool set, const u8 *in, u8 *out)
{
	u32 select = get_unaligned_be16(in + 2) | (u32)in[18] << 16;
	struct port_range r;
	u32 i, port;

	if (!port_range(n, in[1], &r))
		return GLASS_MS_BAD_FIELD;
	out[1] = in[1];
	put_unaligned_be16(select, out + 2);
	out[18] = select >> 16;
	for (i = 0; i < ARRAY_SIZE(pc_fields); i++) {
		const struct pc_field *f = &pc_fields[i];
		u64 sum = 0;

		for (port = r.first; port <= r.last; port++) {
			struct glass_port *p = &n->ports[port];

			if (set && select & f->select)
				p->pc_base[f->ctr] = p->ctr[f->ctr] - get_field(in, f);
			sum += p->ctr[f->ctr] - p->pc_base[f->ctr];
		}
		put_field(out, f, sum);
	}
	return GLASS_MS_OK;
}

static u16 counters_ext(struct glass_node *n, bool set, const u8 *in, u8 *out)
{
	u16 select = get_unaligned_be16(in + 2);
	struct port_range r;
	u32 i, port;

	if (!port_range(n, in[1], &r))
		return GLASS_MS_BAD_FIELD;
	out[1] = in[1];
	put_unaligned_be16(select, out + 2);
	static_assert(ARRAY_SIZE(px_ctrs) == GLASS_CTR_PX_COUNT);
	for (i = 0; i < ARRAY_SIZE(px_ctrs); i++) {
		u8 ctr = px_ctrs[i];
		u64 sum = 0;

		for (port = r.first; port <= r.last; port++) {
			struct glass_port *p = &n->ports[port];

			if (set && select >> i & 1)
				p->px_base[ctr] = p->ctr[ctr] - get_unaligned_be64(in + 8 + 8 * i);
			sum += p->ctr[ctr] - p->px_base[ctr];
		}
		put_unaligned_be64(sum, out + 8 + 8 * i);
	}
	return GLASS_MS_OK;
}

static u16 class_port_info(u32 mod, bool set, u8 *out)
{
	if (set)
		return GLASS_MS_BAD_METHOD_ATTR;
	if (mod)
		return GLASS_MS_BAD_FIELD;
	out[0] = 1; /* base version */
	out[1] = 1; /* class version */
	put_unaligned_be16(GLASS_PMA_CAP_ALL_PORTS | GLASS_PMA_CAP_EXT_WIDTH |
			   GLASS_PMA_CAP_XMIT_WAIT, out + 2);
	out[7] = RESP_TIME;
	return GLASS_MS_OK;
}

/*
 * PortSamplesControl. There is no sampling mechanism, so a Set is refused. In the answer to a Get,
 * all masks are 0 (no counter can be selected), and SampleStatus is 0 (no sampling runs).
 */
static u16 samples_control(const struct glass_node *n, bool set, const u8 *in, u8 *out)
{
	struct port_range r;

	if (set)
		return GLASS_MS_BAD_METHOD_ATTR;
	if (in[1] == PORT_ALL || !port_range(n, in[1], &r))
		return GLASS_MS_BAD_FIELD;
	out[0] = in[0];
	out[1] = in[1];
	return GLASS_MS_OK;
}

enum glass_mad_result glass_pma_process(struct glass_node *n, u32 in_port, const u8 in[256],
					u8 out[256])
{
	const u8 *data = in + GLASS_PM_DATA;
	u8 *answer = out + GLASS_PM_DATA;
	u8 method = in[GLASS_MAD_METHOD];
	bool set = method == GLASS_MM_SET;
	u16 status;

	if (in[GLASS_MAD_CLASS] != GLASS_MC_PM || method & GLASS_MM_RESPONSE)
		return GLASS_MAD_IGNORE;
	if (method == GLASS_MM_TRAP || !glass_node_port(n, in_port))
		return GLASS_MAD_IGNORE;

	memcpy(out, in, GLASS_MAD_BYTES);
	out[GLASS_MAD_METHOD] = GLASS_MM_GET_RESP;
	memset(answer, 0, GLASS_PM_DATA_BYTES);
	if (in[GLASS_MAD_BASE_VERSION] != 1 || in[GLASS_MAD_CLASS_VERSION] != 1) {
		status = GLASS_MS_BAD_VERSION;
	} else if (method != GLASS_MM_GET && !set) {
		status = GLASS_MS_BAD_METHOD;
	} else {
		switch (glass_mad_attr(in)) {
		case GLASS_PA_CLASS_PORT_INFO:
			status = class_port_info(glass_mad_attr_mod(in), set, answer);
			break;
		case GLASS_PA_SAMPLES_CONTROL:
			status = samples_control(n, set, data, answer);
			break;
		case GLASS_PA_COUNTERS:
			status = pma_port_counters(n, set, data, answer);
			break;
		case GLASS_PA_COUNTERS_EXT:
			status = counters_ext(n, set, data, answer);
			break;
		default:
			status = GLASS_MS_BAD_METHOD_ATTR;
		}
	}
	if (status)
		memcpy(answer, data, GLASS_PM_DATA_BYTES);
	put_unaligned_be16(status, out + GLASS_MAD_STATUS);
	return GLASS_MAD_REPLY;
}
