// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The rules at ports of switches and passive CAs, and the hook there (hooks.h). */
#include <linux/hash.h>
#include <linux/slab.h>

#include "inject/hooks.h"
#include "wire/opcode.h"

struct glass_inject *glass_inject_new_nodes(void)
{
	struct glass_inject *in = kzalloc(sizeof(*in), GFP_KERNEL);

	if (!in)
		return NULL;
	glass_inject_init(in);
	in->at_nodes = true;
	return in;
}

void glass_inject_free_nodes(struct glass_inject *in)
{
	glass_inject_exit(in);
	kfree(in);
}

/* Fills *s with the values that rules can select by. Fills *p with the stream of the packet. */
static void describe_hop(struct glass_subject *s, struct glass_passing *p, const char *node, u32 id,
			 u32 port, const struct glass_pkt *pkt, u32 want)
{
	glass_inject_describe(s, p, port, pkt, want);
	s->keys |= BIT(GLASS_SEL_NODE);
	s->node = node;
	p->node = node;
	p->qpn = id << 8 | port;
	/*
	 * leave out the destination QPN of a datagram: the sender may choose any number, and each
	 * number would make another stream
	 */
	if (glass_opcodes[pkt->opcode].hdrs & GLASS_HDR_DETH)
		p->source = pkt->slid;
	else
		p->source = hash_64((u64)pkt->slid << 24 | pkt->dqpn, 32);
}

static noinline_for_stack bool ask_at_node(struct glass_inject *in, const char *node, u32 id,
					   u32 port, enum glass_dir dir,
					   const struct glass_pkt *pkt, u32 want)
{
	struct glass_passing p = {
		.site = GLASS_INJECT_PACKETS,
		.dev = GLASS_FABRIC_RULES,
		.dir = dir,
	};
	struct glass_subject s;
	struct glass_hit hit;

	describe_hop(&s, &p, node, id, port, pkt, want);
	if (!glass_inject_ask(in, &s, &p, &hit))
		return false;
	if (pkt->fate)
		memcpy(pkt->fate->rule, hit.rule, sizeof(pkt->fate->rule));
	return true;
}

bool glass_inject_at_node(struct glass_inject *in, const char *node, u32 id, u32 port,
			  enum glass_dir dir, const struct glass_pkt *pkt)
{
	u32 want;

	/*
	 * skip a train (pkt->more, wire/train.h): the train was already in flight when the first
	 * rule was added
	 */
	if (pkt->more || !glass_inject_wants(in, GLASS_INJECT_PACKETS, dir, &want))
		return false;
	return ask_at_node(in, node, id, port, dir, pkt, want);
}
