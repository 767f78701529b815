// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two endpoints with a switch between them whose tables, ports and visitors are
 * random: forwarding tables that lead nowhere or back, ports that go down, packets and
 * management packets of anybody. Nothing may crash, come out where it came in, or be
 * forwarded without end; when the fabric is whole again, what is left of the work ends
 * as its transport says.
 *
 * GLASS_SEEDS=N how many seeds (2000); GLASS_SEED=N that one alone.
 */
#include "fdb.h"
#include "mad.h"
#include "proto_pair.h"
#include "proto_seeds.h"

#include "fabric/switch.h"
#include "mgmt/sma.h"

#define PORTS 6
#define WRS 40

static struct glass_switch sw;
static struct glass_port ports[PORTS + 1];
static struct glass_fwd out;
static struct pe_pair *pair; /* a at port 1, b at port 2 */
static u32 depth;

static struct {
	u64 forwarded, sets, mads, dropped, consumed, arrived, good, failed;
} total;

/* As a subnet manager would leave it */
static void heal(void)
{
	glass_fdb_free(&sw.fdb);
	CHECK(!glass_switch_init(&sw, PORTS, ports, 0x1000, 0x1080, "x"), "init");
	for (u32 i = 1; i <= PORTS; i++) {
		ports[i].phys_state = GLASS_PHYS_LINKUP;
		ports[i].state = GLASS_PORT_ACTIVE;
		ports[i].mtu_active = 5;
	}
	ports[0].lid = 0x20;
	set_lft(&sw.fdb, pair->a.q.qpn, 1);
	set_lft(&sw.fdb, pair->b.q.qpn, 2);
	set_lft(&sw.fdb, 0x20, 0);
	sw.fdb.lft_top = 0x20;
}

/* Out of the switch: at its LID a packet of ours arrives, at other ends nobody listens. */
static void leave(u32 in, u32 port, const struct glass_pkt *pkt, const struct glass_rx_meta *meta)
{
	struct pe_ep *ep = port == 1 ? &pair->a : &pair->b;

	CHECK(port >= 1 && port <= PORTS && port != in, "from port %u to port %u", in, port);
	if (port > 2 || pkt->vl || pkt->dlid != ep->q.qpn || pkt->dqpn != ep->q.qpn)
		return;
	total.arrived++;
	glass_pqp_rx(&ep->q, pkt, meta, pair->now);
}

static void enter(u32 in, const struct glass_pkt *pkt, const struct glass_rx_meta *meta)
{
	struct glass_seg seg;
	struct glass_pkt mad;
	u32 port;

	CHECK(!depth++, "a packet within a packet");
	port = rnd_below(2) ? glass_switch_fast(&sw, in, pkt, glass_pkt_words(pkt)) : 0;
	if (port) {
		total.forwarded++;
		leave(in, port, pkt, meta);
		depth--;
		return;
	}
	memset(&out, 0xa5, sizeof(out));
	glass_switch_rx(&sw, in, pkt, &out);
	switch (out.kind) {
	case GLASS_FWD_DROP:
		CHECK(out.why < GLASS_DROP_COUNT, "reason %u", out.why);
		total.dropped++;
		break;
	case GLASS_FWD_CONSUMED:
		total.consumed++;
		break;
	case GLASS_FWD_PORT:
		total.forwarded++;
		leave(in, out.port, pkt, meta);
		break;
	case GLASS_FWD_SET:
		total.sets++;
		for (port = 0; port < 64 * GLASS_PORT_WORDS; port++)
			if (glass_port_set_has(out.ports, port))
				leave(in, port, pkt, meta);
		break;
	case GLASS_FWD_MAD:
		total.mads++;
		CHECK(out.port >= 1 && out.port <= PORTS, "MAD to port %u", out.port);
		glass_fwd_pkt(&out, &mad, &seg);
		CHECK(mad.len == GLASS_MAD_BYTES, "MAD of %u bytes", mad.len);
		break;
	default:
		CHECK(0, "kind %u", out.kind);
	}
	depth--;
}

/* Runs both ends for a while. */
static bool turn(void)
{
	bool moved = false;
	struct pe_tx tx;

	for (u32 i = 0; i < 2; i++) {
		struct pe_ep *ep = i ? &pair->b : &pair->a;

		if (ep->q.deadline && ep->q.deadline <= pair->now)
			glass_pqp_timer(&ep->q, pair->now);
		for (u32 n = rnd_below(4) + 1; n && pe_next(ep, &tx, pair->now); n--) {
			moved = true;
			enter(i + 1, &tx.pkt, &tx.meta);
			pe_sent(ep, &tx);
		}
	}
	return moved;
}

static void upset(void)
{
	static const u16 lids[] = { 0x11, 0x12, 0x20, 0 };
	u32 lid = rnd_below(8) ? lids[rnd_below(3)] : rnd_below(GLASS_LFT_LIDS), index;
	u64 set[GLASS_PORT_WORDS];

	switch (rnd_below(6)) {
	case 0:
		set_lft(&sw.fdb, lid, rnd_below(4) ? rnd_below(PORTS + 2) : rnd());
		break;
	case 1:
		sw.fdb.lft_top = rnd_below(rnd_below(2) ? 0x30 : GLASS_LFT_LIDS);
		break;
	case 2:
		ports[rnd_below(PORTS + 1)].state = 1 + rnd_below(4);
		break;
	case 3:
		index = rnd_below(4);
		rnd_fill(set, sizeof(set));
		CHECK(glass_fdb_set_mcast(&sw.fdb, index, set), "memory");
		break;
	case 4:
		sw.fdb.def_mcast_primary = rnd();
		sw.fdb.def_mcast_not_primary = rnd_below(PORTS + 2);
		break;
	default:
		heal();
	}
}

/* From anybody, at any port: data, and MADs that the switch may take */
static void visitor(void)
{
	static const u16 lids[] = { 0x11, 0x12, 0x20, GLASS_LID_PERMISSIVE, 0xc000, 0xc001 };
	static const u8 classes[] = { GLASS_MC_SM_LID, GLASS_MC_SM_DR, GLASS_MC_PM };
	struct glass_rx_meta meta = { 0 };
	static u8 bytes[GLASS_MTU_MAX];
	struct glass_seg seg = { .addr = bytes };
	struct glass_pkt pkt;

	rnd_fill(&pkt, sizeof(pkt));
	pkt.lnh = rnd_below(4) ? GLASS_LNH_LOCAL : GLASS_LNH_GLOBAL;
	pkt.dlid = rnd_below(8) ? lids[rnd_below(6)] : rnd();
	pkt.more = 0;
	pkt.len = rnd_below(2) ? GLASS_MAD_BYTES : rnd_below(GLASS_MTU_MAX + 1);
	seg.len = pkt.len;
	pkt.seg = &seg;
	pkt.nseg = pkt.len ? 1 : 0;
	if (rnd_below(2)) {
		u8 class = classes[rnd_below(3)];

		mad_init(bytes, class, 1 + rnd_below(2), 0x10 + rnd_below(0x24),
			 rnd_below(2) ? 0 : rnd_below(PORTS + 2));
		rnd_fill(bytes + 64, 64);
		if (class == GLASS_MC_SM_DR && rnd_below(2))
			for (u32 i = 6; i < 8; i++)
				bytes[i] = rnd_below(4);
		for (u32 i = 128; i < GLASS_MAD_BYTES; i++)
			bytes[i] = rnd_below(PORTS + 2);
		seg.len = pkt.len = GLASS_MAD_BYTES;
		pkt.nseg = 1;
		pkt.dqpn = class == GLASS_MC_PM;
		pkt.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
		pkt.vl = pkt.dqpn ? 0 : GLASS_VL_SMP;
		pkt.qkey = GLASS_QP1_QKEY;
		pkt.pkey = 0xffff;
		pkt.slid = lids[rnd_below(4)];
		pkt.dlid = class == GLASS_MC_SM_DR ? GLASS_LID_PERMISSIVE : 0x20;
	} else {
		/* not one that our endpoints would take for their peer's */
		pkt.dqpn = 0x30;
		pkt.vl = rnd() & 15;
	}
	enter(rnd_below(20) ? 1 + rnd_below(PORTS) : rnd(), &pkt, &meta);
}

static void check_end(struct pe_ep *ep)
{
	const struct glass_cqe *c;
	bool failed = false;
	u32 n = 0;

	while ((c = pe_cqe(ep))) {
		if (!c->is_send)
			continue;
		CHECK(c->wr_id == n++, "completion %u of wr %u", n - 1, (u32)c->wr_id);
		if (c->status == GLASS_WC_SUCCESS) {
			CHECK(!failed, "wr %u succeeded after a failure", n - 1);
			total.good++;
		} else if (failed) {
			CHECK(c->status == GLASS_WC_WR_FLUSH_ERR, "status %u", c->status);
		} else {
			CHECK(c->status == GLASS_WC_RETRY_EXC_ERR && ep->q.type == GLASS_QPT_RC,
			      "status %u", c->status);
			failed = true;
			total.failed++;
		}
	}
	CHECK(n == WRS, "%u completions", n);
}

static void one_seed(u64 seed)
{
	static const enum glass_qp_type types[] = { GLASS_QPT_RC, GLASS_QPT_RC, GLASS_QPT_UC,
						    GLASS_QPT_UD };
	struct pe_cfg cfg = PE_CFG_DEFAULT;
	u32 steps = 0;

	rnd_state = seed * 0x9e3779b97f4a7c15ULL;
	cfg.type = types[rnd_below(4)];
	cfg.retry_cnt = rnd_below(8);
	cfg.rnr_retry = 7;
	pair = make(&cfg);
	heal();
	for (u32 i = 0; i < 2 * WRS; i++) {
		struct pe_ep *ep = i & 1 ? &pair->b : &pair->a;
		struct glass_swqe *w;

		recv_(ep, i, BIG);
		w = post(ep, cfg.type == GLASS_QPT_UD || rnd_below(2) ? GLASS_OP_SEND : GLASS_OP_WRITE,
			 i / 2, rnd_below(cfg.type == GLASS_QPT_UD ? 1025 : 5000));
		if (cfg.type == GLASS_QPT_UD)
			w->dqpn = w->av.dlid = ep->peer->q.qpn;
	}
	while (steps++ < 300) {
		if (!rnd_below(12))
			upset();
		if (!rnd_below(3))
			visitor();
		if (rnd_below(3))
			turn();
		pair->now += rnd_below(5000000);
	}
	heal();
	for (;;) {
		u64 da = pair->a.q.deadline ? pair->a.q.deadline : ~0ULL;
		u64 db = pair->b.q.deadline ? pair->b.q.deadline : ~0ULL;

		CHECK(steps++ < 100000, "no end");
		if (turn())
			continue;
		if (min(da, db) == ~0ULL)
			break;
		pair->now = max(pair->now, min(da, db));
	}
	check_end(&pair->a);
	check_end(&pair->b);
	pe_pair_free(pair);
	pair = NULL;
}

static void test_fabric(void **state)
{
	(void)state;
	seeds_run("proto_fabric", 2000, one_seed, (u64 *)&total, sizeof(total) / sizeof(u64));
#define T(name) (unsigned long long)total.name
	printf("# %llu forwarded, %llu to many, %llu dropped, %llu consumed, %llu MADs out, %llu arrived; %llu WRs succeeded, %llu failed\n",
	       T(forwarded), T(sets), T(dropped), T(consumed), T(mads), T(arrived), T(good),
	       T(failed));
#undef T
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fabric),
	};

	return cmocka_run_group_tests_name("proto_fabric", tests, NULL, NULL);
}
