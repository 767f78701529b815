// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "pictures.h"
#include "wire/opcode.h"
#include "wire/roce.h"

/* A flow names the QP of the requester (tracepoints/README.md). */
#define FLOW_QPN(flow) ((uint32_t)((flow) >> 32) & GLASS_QPN_MASK)

/* Returns the QPN of the packet's sender, or PICTURE_UNKNOWN: only datagrams have it in a header. */
static uint32_t sender_qpn(const struct seen *s, bool at_sender)
{
	const struct glass_cap_record *r = s->record;

	if ((s->pkt.opcode & GLASS_TR_MASK) == GLASS_TR_UD)
		return s->pkt.sqpn;
	if (at_sender && r->flags & GLASS_CAP_HAS_QP)
		return r->qpn;
	if (r->flags & GLASS_CAP_HAS_WR && glass_opcodes[s->pkt.opcode].flags & GLASS_OPF_REQUEST)
		return FLOW_QPN(r->flow);
	return PICTURE_UNKNOWN;
}

/*
 * Returns a number for the place of an end, as struct picture_address wants it: an Ethernet port has a hash
 * of its address for the LID. The hash is above all LIDs, and never PICTURE_UNKNOWN.
 */
static uint32_t place_of(const struct glass_pkt *pkt, uint16_t lid, const uint8_t gid[16])
{
	uint32_t hash = 2166136261u;

	if (!glass_pkt_is_roce(pkt))
		return lid;
	for (int i = 0; i < 16; i++)
		hash = (hash ^ gid[i]) * 16777619u;
	return (hash | 1u << 31) & ~1u;
}

void pictures_packet(struct picture_outputs *o, const char *dev, const struct seen *s)
{
	const struct glass_cap_record *r = s->record;
	bool hop = r->flags & GLASS_CAP_HOP, wr = r->flags & GLASS_CAP_HAS_WR;
	uint16_t hdrs = glass_opcodes[s->pkt.opcode].hdrs;
	char comm[GLASS_CAP_COMM + 1], rule[GLASS_CAP_RULE + 1], node[GLASS_CAP_NODE + 1];
	char from_ip[INET6_ADDRSTRLEN], to_ip[INET6_ADDRSTRLEN];
	bool ether = s->decoded && glass_pkt_is_roce(&s->pkt);
	struct picture_sight sight;

	if (!s->decoded)
		return;
	if (ether) {
		describe_ip(s->pkt.grh.sgid, from_ip);
		describe_ip(s->pkt.grh.dgid, to_ip);
	}
	snprintf(comm, sizeof(comm), "%.*s", GLASS_CAP_COMM, r->comm);
	snprintf(rule, sizeof(rule), "%.*s", GLASS_CAP_RULE, r->rule);
	snprintf(node, sizeof(node), "%.*s", GLASS_CAP_NODE, record_node(r));
	sight = (struct picture_sight){
		.ns = r->time_ns,
		.flow = wr ? r->flow : 0,
		.wr_id = wr ? r->wr_id : 0,
		.from = { place_of(&s->pkt, s->pkt.slid, s->pkt.grh.sgid),
			  sender_qpn(s, !hop && r->dir == GLASS_DIR_TX) },
		.to = { place_of(&s->pkt, s->pkt.dlid, s->pkt.grh.dgid), s->pkt.dqpn },
		.from_ip = ether ? from_ip : NULL,
		.to_ip = ether ? to_ip : NULL,
		.dev = dev,
		.comm = r->flags & GLASS_CAP_HAS_OWNER ? comm : NULL,
		.pid = r->pid,
		.rule = rule,
		.node = hop ? node : NULL,
		.psn = s->pkt.psn,
		.len = s->pkt.len,
		.dma_len = hdrs & GLASS_HDR_RETH ? s->pkt.dma_len : 0,
		.opcode = s->pkt.opcode,
		.syndrome = hdrs & GLASS_HDR_AETH ? s->pkt.syndrome : 0,
		.reason = r->reason,
		.sent = !hop && r->dir == GLASS_DIR_TX,
		.again_here = r->flags & GLASS_CAP_AGENT,
	};
	picture_outputs_packet(o, &sight);
}

void pictures_flight(struct picture_outputs *o, const struct glass_cap_state *f, const char *cause)
{
	char dev[sizeof(f->dev) + 1];
	struct picture_moment m = {
		.kind = f->status ? PICTURE_COMPLETED : PICTURE_STATE,
		.ns = f->frozen_ns,
		.at = { PICTURE_UNKNOWN, f->qpn },
		.dev = dev,
		.bad = true,
		.wr_id = f->wr_id,
		.op = f->status ? NULL : "event",
		.what = cause,
	};

	if (f->state != GLASS_FLIGHT_FROZEN || f->by_hand)
		return;
	snprintf(dev, sizeof(dev), "%.*s", (int)sizeof(f->dev), f->dev);
	picture_outputs_moment(o, &m);
}
