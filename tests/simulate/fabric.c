// SPDX-License-Identifier: GPL-2.0-only
/* Cables, ports and switches: what carries packets from one queue pair to another. */
#include "mgmt/dr.h"
#include "mgmt/pma.h"
#include "mgmt/sma.h"
#include "sim.h"
#include "wire/serial.h"
#include "wire/train.h"

static struct glass_fwd out;

/* The same end as the core's net has it: a cable without limits */
static struct glass_net_end net_end(struct glass_link_end e)
{
	return glass_net_end(e.kind == GLASS_END_HCA ? &w->hca[e.index].net : &w->swi[e.index].net,
			     e.port);
}

struct glass_link_end fabric_peer(struct glass_link_end e)
{
	struct glass_net_end far = net_end(e).node->ends[e.port];

	if (!far.node)
		return (struct glass_link_end){ .kind = GLASS_END_NONE };
	return (struct glass_link_end){ .kind = far.node->sw ? GLASS_END_SWITCH : GLASS_END_HCA,
					.port = far.port, .index = far.node->index };
}

static u8 state_of(struct glass_link_end e)
{
	return glass_net_port(net_end(e))->state;
}

/* The number of the cable at an end: each that is plugged in gets another. */
static u32 *number_of(struct glass_link_end e)
{
	return e.kind == GLASS_END_HCA ? &w->hca[e.index].cable : &w->swi[e.index].cable[e.port];
}

static void links_changed(void)
{
	sums.links++;
	w->link_trouble = true;
	for (u32 i = 0; i < S_SWITCHES; i++)
		if (w->sc->switches >> i & 1)
			push(w->now + 1000, EV_TRAP, i, NULL);
	sm_notice(false);
}

static void link_update(struct glass_link_end a)
{
	u32 ca, cb;

	glass_net_link_update(net_end(a), &ca, &cb);
	if (ca | cb)
		links_changed();
}

/* slow: a cable of one lane, SDR, that carries 1024 bytes a packet; the ports may have larger MTUs */
static void plug(struct glass_link_end a, struct glass_link_end b, bool slow)
{
	struct glass_net_end end = net_end(a);

	if (slow) {
		end.width = GLASS_WIDTH_1X;
		end.speed = GLASS_SPEED_SDR;
		end.speed_ext = 0;
		end.mtu = GLASS_MTU_1024;
	}
	CHECK(!glass_net_plug(end, net_end(b)), "no cable");
	*number_of(a) = *number_of(b) = ++w->cables;
}

static struct glass_link_end new_port(u32 sw)
{
	struct swi *s = &w->swi[sw];

	s->nports++;
	return (struct glass_link_end){ .kind = GLASS_END_SWITCH, .port = s->nports, .index = sw };
}

/* Both ends; [0].kind GLASS_END_NONE: there is no such cable any more */
static struct glass_link_end cable_end[S_NODES + S_TRUNKS][2];

static bool cables_move(const struct scenario *sc)
{
	for (u32 i = 0; i < sc->nact; i++)
		if (sc->act[i].kind == SC_MOVE)
			return true;
	return false;
}

void fabric_make(void)
{
	static struct glass_switch pool[S_SWITCHES];
	const struct scenario *sc = w->sc;
	u32 spare = cables_move(sc) ? 2 : 0;

	/* which ports there are, then the nodes, then the cables */
	for (u32 i = 0; i < S_NODES; i++) {
		struct hca *h = &w->hca[i];

		if (!sc->node[i].used)
			continue;
		cable_end[i][0] =
			(struct glass_link_end){ .kind = GLASS_END_HCA, .port = 1, .index = i };
		cable_end[i][1] = new_port(sc->node[i].sw);
		CHECK(!glass_node_init(&h->node, GLASS_NODE_CA, 1, h->ports, NULL,
				       glass_guid_hca(GLASS_GUID_BASE, i), 1, "node"),
		      "node");
		glass_net_add(&h->net, i, &h->node, NULL, 1, h->ends);
	}
	for (u32 i = 0; i < S_TRUNKS; i++) {
		if (!sc->trunk[i].used)
			continue;
		cable_end[S_NODES + i][0] = new_port(sc->trunk[i].a);
		cable_end[S_NODES + i][1] = new_port(sc->trunk[i].b);
	}
	for (u32 i = 0; i < S_SWITCHES; i++) {
		struct swi *s = &w->swi[i];

		if (!(sc->switches >> i & 1))
			continue;
		s->sw = &pool[i];
		s->nports = min(s->nports + spare, (u32)SW_PORTS);
		glass_fdb_free(&s->sw->fdb);
		CHECK(!glass_switch_init(s->sw, max(s->nports, 1u), s->ports,
					 glass_guid_switch(GLASS_GUID_BASE, i), 1, "switch"),
		      "switch");
		glass_net_add(&s->net, i, &s->sw->node, s->sw, max(s->nports, 1u), s->ends);
	}
	for (u32 i = 0; i < S_NODES + S_TRUNKS; i++)
		if (i < S_NODES ? sc->node[i].used : sc->trunk[i - S_NODES].used)
			plug(cable_end[i][0], cable_end[i][1], false);
	for (u32 i = 0; i < S_NODES + S_TRUNKS; i++)
		if (i < S_NODES ? sc->node[i].used : sc->trunk[i - S_NODES].used)
			link_update(cable_end[i][0]);
}

/* A rule pulls the cable of a node; the owner of the fabric that of two switches. */
void fabric_link(u32 cable, bool up)
{
	struct glass_link_end a = cable_end[cable][0];

	if (a.kind == GLASS_END_NONE)
		return;
	if (cable < S_NODES)
		w->hca[cable].ports[1].pulled = !up;
	else
		glass_net_pull(net_end(a), !up);
	link_update(a);
}

/* A port of the switch without a cable; .kind GLASS_END_NONE: it has none. */
static struct glass_link_end free_port(u32 sw)
{
	struct glass_link_end e = { .kind = GLASS_END_SWITCH, .index = sw };

	for (e.port = 1; e.port <= w->swi[sw].nports; e.port++)
		if (fabric_peer(e).kind == GLASS_END_NONE)
			return e;
	e.kind = GLASS_END_NONE;
	return e;
}

void fabric_move(u32 trunk, u32 sw_a, u32 sw_b, bool slow)
{
	struct glass_link_end *end = cable_end[S_NODES + trunk];
	u32 ca, cb;

	if (end[0].kind != GLASS_END_NONE) {
		glass_net_unplug(net_end(end[0]), &ca, &cb);
		*number_of(end[0]) = *number_of(end[1]) = 0;
		CHECK(state_of(end[0]) == GLASS_PORT_DOWN && state_of(end[1]) == GLASS_PORT_DOWN,
		      "states %u and %u without a cable", state_of(end[0]), state_of(end[1]));
	}
	sm_cable_moved();
	links_changed();
	sums.moves++;
	end[0] = free_port(sw_a);
	if (end[0].kind == GLASS_END_NONE)
		return;
	end[1] = free_port(sw_b);
	/* both at one switch: the next free one */
	while (sw_a == sw_b && end[1].kind != GLASS_END_NONE &&
	       (end[1].port == end[0].port || fabric_peer(end[1]).kind != GLASS_END_NONE))
		if (++end[1].port > w->swi[sw_b].nports)
			end[1].kind = GLASS_END_NONE;
	if (end[1].kind == GLASS_END_NONE) {
		end[0].kind = GLASS_END_NONE;
		return;
	}
	plug(end[0], end[1], slow);
	link_update(end[0]);
	CHECK(state_of(end[0]) == GLASS_PORT_INIT && state_of(end[1]) == GLASS_PORT_INIT,
	      "states %u and %u with a new cable", state_of(end[0]), state_of(end[1]));
}

/* Something that a packet did to a port: a link may have to be worked out again. */
static void changed(struct glass_link_end at, u32 chg)
{
	at.port = GLASS_CHG_PORT(chg);
	if (chg & GLASS_CHG_LINK)
		link_update(at);
}

/* ---- the trace ---- */

static void mix(u64 v)
{
	w->hash = (w->hash ^ v) * 0x100000001b3ULL;
	w->hash ^= w->hash >> 29;
}

/* A train stands for packets that follow each other and that can be built. */
static void trace_train(const struct glass_pkt *pkt)
{
	struct glass_pkt one;
	u32 len = 0, words = 0;

	for (u32 i = 0; i <= pkt->more; i++) {
		u8 head[GLASS_PKT_HDR_MAX + 8] = { 0 };
		int n;

		CHECK(!glass_train_part(pkt, i, &one), "no packet %u of a train", i);
		CHECK(one.psn == glass_psn_add(pkt->psn, i), "packet %u of a train: PSN %x", i,
		      one.psn);
		n = glass_pkt_build_headers(&one, head, sizeof(head));
		CHECK(n > 0, "headers of a train cannot be built: %d", n);
		len += one.len;
		words += glass_pkt_words(&one);
		for (int k = 0; k < n; k++)
			mix(head[k]);
	}
	CHECK(len == pkt->len, "a train of %u bytes has %u", pkt->len, len);
	CHECK(words == glass_pkt_words(pkt), "a train of %u words has %u", glass_pkt_words(pkt),
	      words);
}

void trace_pkt(u32 tag, const struct glass_pkt *pkt)
{
	u8 head[GLASS_PKT_HDR_MAX + 8] = { 0 };
	int n;

	if (sim_trace && pkt->vl != GLASS_VL_SMP)
		printf("# %10llu node %u %s %-22s qp %x psn %06x len %u more %u%s syndrome %02x msn %u\n",
		       (unsigned long long)w->now, (tag & 0xff) - 1, tag & 0x100 ? "rx" : "tx",
		       glass_opcode_word(pkt->opcode), pkt->dqpn, pkt->psn, pkt->len, pkt->more,
		       pkt->ack_req ? " ackreq" : "", pkt->syndrome, pkt->msn);

	mix(w->now);
	mix((u64)tag << 32 | pkt->more);
	n = pkt->more ? 0 : glass_pkt_build_headers(pkt, head, sizeof(head));
	CHECK(n >= 0, "headers cannot be built: %d", n);
	if (pkt->more)
		trace_train(pkt);
	for (int i = 0; i < n; i += 8) {
		u64 v;

		memcpy(&v, head + i, 8);
		mix(v);
	}
	/* in how many pieces the payload lies does not count */
	for (u32 off = 0, got; off < pkt->len; off += got) {
		u64 piece[64] = { 0 };

		got = glass_pkt_copy_payload(pkt, off, piece, sizeof(piece));
		for (u32 i = 0; i < (got + 7) / 8; i++)
			mix(piece[i]);
	}
}

/* ---- on the way ---- */

void flight_free(struct flight *f)
{
	w->flights--;
	free(f->data);
	free(f);
}

struct flight *flight_copy(const struct flight *f)
{
	struct flight *c = calloc(1, sizeof(*c));

	w->flights++;
	*c = *f;
	c->pkt.seg = c->seg;
	c->data = malloc(f->pkt.len + 1);
	glass_pkt_copy_payload(&f->pkt, 0, c->data, f->pkt.len);
	c->seg[0] = (struct glass_seg){ .addr = c->data, .len = f->pkt.len };
	c->pkt.nseg = f->pkt.len ? 1 : 0;
	return c;
}

/* Some bits change, or the end is cut off. Both CRCs must see it. */
static void spoil(u8 *bytes, u32 len, u64 how)
{
	struct glass_pkt pkt;
	struct glass_seg seg;
	enum glass_drop why;

	if (how % 5 == 0)
		len = (how >> 8) % len;
	else
		bytes[(how >> 8) % len] ^= 1 << (how >> 40) % 8;
	CHECK(glass_pkt_parse(&pkt, &seg, bytes, len, 0, &why), "damage was not seen");
	CHECK(why > GLASS_DROP_NONE && why < GLASS_DROP_COUNT, "damage without a reason: %u", why);
}

/* The packet becomes its wire bytes and comes out of them. False: it did not survive. */
static bool as_bytes(struct flight *f)
{
	u8 *bytes = malloc(GLASS_PKT_WIRE_MAX);
	int len = glass_pkt_build(&f->pkt, bytes, GLASS_PKT_WIRE_MAX);
	u64 flow = f->pkt.flow, wr_id = f->pkt.wr_id;
	enum glass_drop why = GLASS_DROP_NONE;

	CHECK(len > 0, "packet cannot be built: %d", len);
	sums.bytes++;
	free(f->data);
	f->data = bytes;
	if (f->damaged) {
		spoil(bytes, len, sim_hash(w->order, w->now, f->pkt.psn, 3));
		return false;
	}
	CHECK(!glass_pkt_parse(&f->pkt, f->seg, bytes, len, 0, &why), "bad packet: %u", why);
	f->pkt.flow = flow;
	f->pkt.wr_id = wr_id;
	return true;
}

/* By the port of its queue pair. False: it is lost. */
static bool leave_hca(struct flight *f)
{
	struct hca *h = f->from ? f->from->hca : &w->hca[f->at.index];
	struct glass_port *p = &h->ports[1];

	if (!glass_port_sends(p, f->pkt.vl))
		return false;
	glass_port_count_tx(p, f->pkt.vl, f->pkt.dlid, glass_pkt_words(&f->pkt), 1 + f->pkt.more);
	trace_pkt(h->node.guid >> 8 & 0xff, &f->pkt);
	/* members at the sender's own port; the switch does not send it back */
	if (glass_lid_is_mcast(f->pkt.dlid) && datagram_wants(h - w->hca, f->pkt.dlid - 0xc000) && !f->damaged)
		datagram_deliver(h, f);
	f->at = fabric_peer((struct glass_link_end){ .kind = GLASS_END_HCA, .port = 1, .index = h - w->hca });
	/* to another QP of this port: the port turns it round */
	if (f->pkt.vl != GLASS_VL_SMP && glass_port_has_lid(p, f->pkt.dlid))
		f->at = fabric_peer(f->at);
	if (f->damaged && !w->sc->bytes)
		return false;
	return !w->sc->bytes || f->pkt.more || as_bytes(f);
}

/* Into f->data: a MAD that an agent made. */
static void own_mad(struct flight *f, struct glass_pkt *pkt)
{
	u8 *copy = malloc(GLASS_MAD_BYTES);

	memcpy(copy, pkt->seg[0].addr, GLASS_MAD_BYTES);
	free(f->data);
	f->data = copy;
	f->pkt = *pkt;
	f->pkt.seg = f->seg;
	f->seg[0] = (struct glass_seg){ .addr = copy, .len = GLASS_MAD_BYTES };
}

/* A management packet at a node. True: an answer goes back by its port. */
static bool mad_at_hca(struct flight *f)
{
	struct hca *h = &w->hca[f->at.index];
	u8 mad[GLASS_MAD_BYTES], answer[GLASS_MAD_BYTES];
	enum glass_dr_verdict v = GLASS_DR_LOCAL;
	u32 port = 0, chg = 0;
	struct glass_pkt pkt = f->pkt;
	u16 dlid;

	CHECK(pkt.len == GLASS_MAD_BYTES && pkt.nseg == 1, "MAD of %u bytes", pkt.len);
	memcpy(mad, pkt.seg[0].addr, sizeof(mad));
	if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR)
		v = glass_dr_receive(&h->node, f->at.port, mad, &port, &dlid);
	if (v != GLASS_DR_LOCAL)
		return false;
	pkt.seg[0].addr = mad;
	if (mad[GLASS_MAD_METHOD] & GLASS_MM_RESPONSE || mad[GLASS_MAD_METHOD] == GLASS_MM_TRAP) {
		if (!f->at.index)
			sm_mad_arrived(&pkt);
		return false;
	}
	if (glass_sma_process(&h->node, f->at.port, mad, answer, 0, &chg) != GLASS_MAD_REPLY)
		return false;
	if (mad[GLASS_MAD_CLASS] == GLASS_MC_SM_DR &&
	    glass_dr_turn(&h->node, answer, &port, &dlid) != GLASS_DR_FORWARD)
		return false;
	pkt.seg[0].addr = answer;
	pkt.dlid = f->pkt.slid;
	pkt.slid = f->pkt.dlid;
	own_mad(f, &pkt);
	changed(f->at, chg);
	return true;
}

static bool at_hca(struct flight *f)
{
	struct hca *h = &w->hca[f->at.index];
	struct glass_port *p = &h->ports[f->at.port];

	if (!glass_port_receives(p, f->pkt.vl))
		return false;
	glass_port_count_rx(p, f->pkt.vl, f->pkt.dlid, glass_pkt_words(&f->pkt), 1 + f->pkt.more);
	trace_pkt(0x100 | (h->node.guid >> 8 & 0xff), &f->pkt);
	if (f->pkt.vl == GLASS_VL_SMP) {
		struct glass_link_end at = f->at;

		return mad_at_hca(f) && (f->at = at, leave_hca(f));
	}
	glass_port_data_seen(p);
	if (glass_lid_is_mcast(f->pkt.dlid)) {
		datagram_deliver(h, f);
		return false;
	}
	/* a switch whose tables are right and complete sends nothing to the wrong node */
	CHECK(glass_port_has_lid(p, f->pkt.dlid) || w->link_trouble || !sm_idle(),
	      "LID %u came to node %u", f->pkt.dlid, f->at.index);
	if (glass_port_has_lid(p, f->pkt.dlid))
		program_deliver(h, f);
	return false;
}

static void queue(struct flight *f);
static bool step(struct flight *f);

/* A table that is half written may send in circles: groups in more and more copies. */
#define MAX_HOPS 64
#define MAX_GROUP_HOPS 6

static void carry_on(struct flight *f)
{
	while (f->hops++ < (glass_lid_is_mcast(f->pkt.dlid) ? MAX_GROUP_HOPS : MAX_HOPS) && step(f))
		;
	flight_free(f);
}

/* A copy by each port that the switch named */
static void copies(struct swi *s, u32 in, const struct flight *f)
{
	u64 ports[GLASS_PORT_WORDS];

	memcpy(ports, out.ports, sizeof(ports));
	for (u32 port = 0; port < GLASS_PORT_WORDS * 64; port++) {
		struct flight *c;

		if (!(ports[port / 64] >> port % 64 & 1))
			continue;
		CHECK(port >= 1 && port <= s->nports && port != in, "a copy from port %u to port %u", in, port);
		s->gone[port] += 1 + f->pkt.more;
		s->words[port] += glass_pkt_words(&f->pkt);
		c = flight_copy(f);
		c->at = fabric_peer((struct glass_link_end){ .kind = GLASS_END_SWITCH, .port = port,
							      .index = s - w->swi });
		if (c->at.kind == GLASS_END_NONE || c->hops >= MAX_GROUP_HOPS)
			flight_free(c);
		else if (c->held)
			carry_on(c);
		else
			queue(c);
	}
}

static bool at_switch(struct flight *f)
{
	struct swi *s = &w->swi[f->at.index];
	u32 in = f->at.port, to = 0;
	struct glass_pkt pkt;
	struct glass_seg seg;

	sums.hops++;
	if (f->pkt.vl != GLASS_VL_SMP && glass_port_receives(&s->ports[in], f->pkt.vl))
		s->got[in] += 1 + f->pkt.more;
	if (f->pkt.vl != GLASS_VL_SMP && sim_hash(w->order, in, 7, 7) & 1)
		to = glass_switch_fast(s->sw, in, &f->pkt, glass_pkt_words(&f->pkt));
	if (!to) {
		memset(&out, 0xa5, sizeof(out));
		glass_switch_rx(s->sw, in, &f->pkt, &out);
		switch (out.kind) {
		case GLASS_FWD_PORT:
			to = out.port;
			break;
		case GLASS_FWD_MAD:
			to = out.port;
			glass_fwd_pkt(&out, &pkt, &seg);
			own_mad(f, &pkt);
			changed(f->at, out.changes);
			break;
		case GLASS_FWD_SET:
			copies(s, in, f);
			return false;
		case GLASS_FWD_DROP:
			CHECK(out.why > GLASS_DROP_NONE && out.why < GLASS_DROP_COUNT, "reason %u",
			      out.why);
			changed(f->at, out.changes);
			return false;
		default:
			changed(f->at, out.changes);
			return false;
		}
	}
	CHECK(to >= 1 && to <= s->nports && (to != in || f->pkt.vl == GLASS_VL_SMP),
	      "from port %u to port %u", in, to);
	if (f->pkt.vl != GLASS_VL_SMP) {
		s->gone[to] += 1 + f->pkt.more;
		s->words[to] += glass_pkt_words(&f->pkt);
		CHECK(f->pkt.len <= glass_mtu_bytes(s->ends[to].mtu) * (1u + f->pkt.more),
		      "%u bytes by a cable of MTU code %u", f->pkt.len, s->ends[to].mtu);
	}
	f->at.port = to;
	f->at = fabric_peer(f->at);
	return f->at.kind != GLASS_END_NONE;
}

static bool step(struct flight *f)
{
	return f->at.kind == GLASS_END_HCA ? at_hca(f) : at_switch(f);
}

void fabric_carry(struct flight *f)
{
	if (leave_hca(f))
		carry_on(f);
	else
		flight_free(f);
}

/* One more cable. It arrives behind what is on that cable already. */
static void queue(struct flight *f)
{
	struct glass_link_end from = fabric_peer(f->at);
	u64 *last = from.kind == GLASS_END_HCA ? &w->hca[from.index].last[0]
					       : &w->swi[from.index].last[from.port];
	u64 when = w->now + w->sc->latency;

	if (!f->slow) {
		when = max(when, *last);
		*last = when;
	}
	f->cable = *number_of(f->at);
	push(when, EV_HOP, 0, f);
}

void fabric_send(struct flight *f)
{
	if (leave_hca(f))
		queue(f);
	else
		flight_free(f);
}

void fabric_hop(struct flight *f)
{
	f->hops++;
	/* lost with its cable, if that has gone meanwhile */
	if (f->cable == *number_of(f->at) && step(f) && f->pkt.vl != GLASS_VL_SMP && f->hops < MAX_HOPS)
		queue(f);
	else
		flight_free(f);
}

void fabric_trap(u32 sw)
{
	struct flight *f;
	struct glass_pkt pkt;
	struct glass_seg seg;

	if (!glass_switch_trap(w->swi[sw].sw, &out) || out.kind != GLASS_FWD_MAD)
		return;
	sums.traps++;
	f = calloc(1, sizeof(*f));
	w->flights++;
	glass_fwd_pkt(&out, &pkt, &seg);
	own_mad(f, &pkt);
	f->at = fabric_peer((struct glass_link_end){ .kind = GLASS_END_SWITCH, .port = out.port, .index = sw });
	for (u32 hops = 0; f->at.kind != GLASS_END_NONE && hops < 64 && step(f); hops++)
		;
	flight_free(f);
}

/* What a switch counts, as performance management reads it, is what crossed its ports. */
static void check_counters(struct swi *s, u32 port)
{
	u8 in[GLASS_MAD_BYTES] = { 0 }, answer[GLASS_MAD_BYTES];
	const u8 *d = answer + GLASS_PM_DATA;
	u64 words, gone, got;

	in[GLASS_MAD_BASE_VERSION] = in[GLASS_MAD_CLASS_VERSION] = 1;
	in[GLASS_MAD_CLASS] = GLASS_MC_PM;
	in[GLASS_MAD_METHOD] = GLASS_MM_GET;
	put_unaligned_be16(GLASS_PA_COUNTERS_EXT, in + GLASS_MAD_ATTR);
	in[GLASS_PM_DATA + 1] = port;
	CHECK(glass_pma_process(&s->sw->node, 1, in, answer) == GLASS_MAD_REPLY &&
		      !glass_mad_status(answer),
	      "no counters of port %u", port);
	words = get_unaligned_be64(d + 8);
	gone = get_unaligned_be64(d + 24);
	got = get_unaligned_be64(d + 32);
	CHECK(gone == s->gone[port] && got == s->got[port] && words == s->words[port],
	      "port %u: counted %llu out, %llu in, %llu words out, and not %llu, %llu, %llu", port,
	      (unsigned long long)gone, (unsigned long long)got, (unsigned long long)words,
	      (unsigned long long)s->gone[port], (unsigned long long)s->got[port],
	      (unsigned long long)s->words[port]);
}

void fabric_end(void)
{
	for (u32 i = 0; i < S_SWITCHES; i++)
		for (u32 port = 1; w->swi[i].sw && port <= w->swi[i].nports; port++)
			check_counters(&w->swi[i], port);
}
