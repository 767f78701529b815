/* SPDX-License-Identifier: GPL-2.0-only */
/* Nets of switches and HCAs, and packets, for tests of fabric/net.c. */
#ifndef GLASS_TESTS_UNIT_NET_WORLD_H
#define GLASS_TESTS_UNIT_NET_WORLD_H

#include "fdb.h"
#include "mad.h"

#include "fabric/trace.h"
#include "mgmt/notice.h"
#include "mgmt/sma.h"
#include "wire/opcode.h"
#include "wire/serial.h"

#ifndef SWITCHES
#define SWITCHES 70
#endif
#define PORTS 6
#define HCAS 4

static struct glass_switch *sw; /* SWITCHES of them */
static struct glass_port sw_ports[SWITCHES][PORTS + 1], hca_ports[HCAS][3];
static struct glass_node hca_node[HCAS];
static struct glass_net_end sw_ends[SWITCHES][PORTS + 1], hca_ends[HCAS][3];
static struct glass_net_node swi[SWITCHES], hca[HCAS];
static void *owners[3];
static struct glass_net net;
static struct glass_way way;

static inline struct glass_net_end at_switch(u32 i, u32 port)
{
	return glass_net_end(&swi[i], port);
}

static inline struct glass_net_end at_hca(u32 i, u32 port)
{
	return glass_net_end(&hca[i], port);
}

static inline void fresh(void)
{
	u32 i;

	sw = sw ?: calloc(SWITCHES, sizeof(*sw));
	memset(&net, 0xa5, sizeof(net));
	net.groups = 0;
	net.slot = 0;
	net.taps = NULL;
	for (i = 0; i < SWITCHES; i++) {
		glass_fdb_free(&sw[i].fdb);
		memset(&sw[i], 0, sizeof(sw[i]));
		assert_int_equal(glass_switch_init(&sw[i], PORTS, sw_ports[i], 0x1000 * (i + 1),
						   1, "switch"), 0);
		sw_ports[i][0].lid = 100 + i;
		glass_net_add(&swi[i], i, &sw[i].node, &sw[i], PORTS,
			      sw_ends[i]);
	}
	for (i = 0; i < HCAS; i++) {
		assert_int_equal(glass_node_init(&hca_node[i], GLASS_NODE_CA, 2, hca_ports[i], NULL,
						 0x100 * (i + 1), 1, "hca"), 0);
		glass_net_add(&hca[i], i, &hca_node[i], NULL, 2, hca_ends[i]);
		hca[i].owners = owners; /* not passive */
	}
}

static inline int setup(void **state)
{
	fresh();
	return rnd_restart(state);
}

static inline void plug(struct glass_net_end a, struct glass_net_end b)
{
	u32 u, v;

	assert_int_equal(glass_net_plug(a, b), 0);
	glass_net_link_update(a, &u, &v);
	assert_true(u & GLASS_CHG_STATE && v & GLASS_CHG_STATE);
	assert_int_equal(GLASS_CHG_PORT(u), a.port);
	assert_int_equal(GLASS_CHG_PORT(v), b.port);
}

static inline void all_active(void)
{
	u32 i, p;

	for (i = 0; i < SWITCHES; i++)
		for (p = 1; p <= PORTS; p++)
			if (sw_ports[i][p].state == GLASS_PORT_INIT)
				sw_ports[i][p].state = GLASS_PORT_ACTIVE;
}

/* hca 0 port 1 -- 1 switch 0 2 -- 1 switch 1 2 -- ... -- 1 switch n-1 2 -- port 2 hca 1 */
static inline void chain(u32 n)
{
	u32 i;

	plug(at_hca(0, 1), at_switch(0, 1));
	for (i = 1; i < n; i++)
		plug(at_switch(i - 1, 2), at_switch(i, 1));
	plug(at_switch(n - 1, 2), at_hca(1, 2));
	all_active();
	for (i = 0; i < n; i++) {
		sw[i].fdb.lft_top = 200;
		set_lft(&sw[i].fdb, 7, 2);
		set_lft(&sw[i].fdb, 1, 1);
	}
}

static inline struct glass_pkt data_pkt(u16 dlid, u32 len)
{
	static u8 bytes[GLASS_MTU_MAX];
	static struct glass_seg seg;
	struct glass_pkt p = {
		.lnh = GLASS_LNH_LOCAL, .slid = 1, .dlid = dlid,
		.opcode = GLASS_BOP_SEND_ONLY, .dqpn = 77, .pkey = 0xffff,
		.len = len, .nseg = 1, .seg = &seg,
	};

	seg.addr = bytes;
	seg.len = len;
	return p;
}

static inline struct glass_pkt smp(u8 *mad, struct glass_seg *seg)
{
	struct glass_pkt p = data_pkt(GLASS_LID_PERMISSIVE, GLASS_MAD_BYTES);

	p.slid = GLASS_LID_PERMISSIVE;
	p.vl = GLASS_VL_SMP;
	p.opcode = GLASS_TR_UD | GLASS_BOP_SEND_ONLY;
	p.dqpn = 0;
	p.seg = seg;
	*seg = (struct glass_seg){ .addr = mad, .len = GLASS_MAD_BYTES };
	return p;
}

/* The same by LID, from hca 0. */
static inline struct glass_pkt smp_to(u16 dlid, u8 *mad, struct glass_seg *seg)
{
	struct glass_pkt p = smp(mad, seg);

	p.slid = 1;
	p.dlid = dlid;
	return p;
}

static u32 passed; /* switches, by the last fast() */

static inline bool fast(struct glass_net_end *at, const struct glass_pkt *p)
{
	return glass_net_fast(at, p, glass_pkt_words(p), &passed);
}

static inline void walk(const struct glass_pkt *p)
{
	glass_net_walk(&net, hca[0].ends[1], 0, p, &way);
}

#endif
