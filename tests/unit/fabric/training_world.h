/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ports on an Ethernet wire in simulated time: each has a link training, and the rules by which
 * link/netcable.c calls it and says hello.
 */
#ifndef GLASS_TESTS_UNIT_TRAINING_WORLD_H
#define GLASS_TESTS_UNIT_TRAINING_WORLD_H

#include "fabric/training.h"

#define MS 1000000ULL
#define PORTS 4
#define LETTERS 4096
/* link/netcable.c: HELLO_SPACING, HELLOS_PER_SILENCE */
#define SPACING (20 * MS)
#define PER_SILENCE 6

struct port {
	struct glass_training t;
	struct glass_hello says;
	u64 hello_at, wake;
	bool due, on; /* on: the MTU suffices */
	/* counts of what the training has said */
	u32 ups, downs, peers, troubles, sent;
};

/* A hello on its way */
struct letter {
	u64 at;
	u32 to, echo;
	u8 version, mac[6];
	struct glass_hello hello;
};

static struct port port[PORTS];
static u32 ports;
static u64 now, silence;
static bool reach[PORTS][PORTS]; /* [from][to] */
static struct letter letters[LETTERS];
static u32 num_letters;
static u16 sessions; /* that were drawn */
/* of the wire: per cent of hellos that are lost and doubled; ns */
static u32 loses, doubles;
static u64 latency, jitter;

/* In a world, no two sessions are the same. In the driver, two are with a probability of 2^-32. */
static inline u32 draw_session(void)
{
	return (u32)rnd() << 16 | ++sessions;
}

static inline u64 draw_jitter(void)
{
	return jitter ? rnd() % jitter : 0;
}

/* The bits and the states of a call agree. */
static inline void check_call(const struct glass_training *before,
			      const struct glass_training *t, u32 did)
{
	bool up = t->state == GLASS_CABLE_UP, was_up = before->state == GLASS_CABLE_UP;

	assert_true(t->state < GLASS_CABLE_STATE_COUNT && t->trouble < GLASS_TROUBLE_COUNT);
	assert_int_equal(!!(did & GLASS_TRAINED_UP), up && !was_up);
	assert_int_equal(!!(did & GLASS_TRAINED_DOWN), !up && was_up);
	assert_int_equal(!!(did & GLASS_TRAINED_TROUBLE), t->trouble != before->trouble);
	assert_true(t->session);
	if (t->state >= GLASS_CABLE_HEARD)
		assert_int_equal(glass_training_echo(t), t->peer.session);
	else
		assert_int_equal(glass_training_echo(t), 0);
	if (up)
		assert_true(t->peer.flags & GLASS_HELLO_LINK);
}

/* netcable_did() */
static inline void port_did(struct port *p, u32 did)
{
	if (did & GLASS_TRAINED_DOWN) {
		glass_training_restart(&p->t, draw_session());
		did |= GLASS_TRAINED_ANSWER;
		p->downs++;
	}
	p->ups += !!(did & GLASS_TRAINED_UP);
	p->peers += !!(did & GLASS_TRAINED_PEER);
	p->troubles += !!(did & GLASS_TRAINED_TROUBLE);
	if (did & GLASS_TRAINED_ANSWER) {
		p->due = true;
		p->wake = now + draw_jitter();
	}
}

static inline void wire_put(u32 from, u32 to)
{
	struct letter *l = &letters[num_letters++];
	struct port *p = &port[from];

	assert_true(num_letters < LETTERS);
	l->at = now + latency + draw_jitter();
	l->to = to;
	l->echo = glass_training_echo(&p->t);
	l->version = GLASS_FRAME_VERSION;
	memcpy(l->mac, p->t.mac, 6);
	l->hello = p->says;
	l->hello.session = p->t.session;
}

/* hello_out() */
static inline u64 port_hello(u32 i)
{
	struct port *p = &port[i];
	u64 every = p->t.silence / PER_SILENCE, since = now - p->hello_at;
	u32 k;

	if (p->t.state == GLASS_CABLE_NO_CARRIER || !p->on)
		return every;
	if (since < (p->due ? SPACING : every))
		return (p->due ? SPACING : every) - since;
	p->due = false;
	p->hello_at = now;
	p->sent++;
	for (k = 0; k < ports; k++) {
		if (!reach[i][k] || rnd_below(100) < loses)
			continue;
		wire_put(i, k);
		if (rnd_below(100) < doubles)
			wire_put(i, k);
	}
	return every;
}

/* netcable_work() */
static inline void port_work(u32 i)
{
	struct port *p = &port[i];
	struct glass_training before = p->t;
	u32 did = glass_training_tick(&p->t, now);

	check_call(&before, &p->t, did);
	port_did(p, did);
	p->wake = now + port_hello(i) + 1 + draw_jitter();
}

static inline void letter_in(const struct letter *l)
{
	struct port *p = &port[l->to];
	struct glass_training before = p->t;
	u32 did = glass_training_hello(&p->t, &l->hello, l->echo, l->version, l->mac, now);

	check_call(&before, &p->t, did);
	if (did & GLASS_TRAINED_UP) {
		assert_int_equal(l->echo, before.session);
		assert_memory_equal(l->mac, p->t.peer_mac, 6);
		assert_int_equal(l->hello.session, p->t.peer.session);
	}
	port_did(p, did);
	port_work(l->to);
}

/* Simulates until this time. */
static inline void run_until(u64 end)
{
	for (;;) {
		u32 i, l = ~0U, w = ~0U;
		struct letter in;

		for (i = 0; i < num_letters; i++)
			if (l == ~0U || letters[i].at < letters[l].at)
				l = i;
		for (i = 0; i < ports; i++)
			if (w == ~0U || port[i].wake < port[w].wake)
				w = i;
		if (l != ~0U && letters[l].at <= port[w].wake) {
			if (letters[l].at > end)
				break;
			in = letters[l];
			/* the order of letters stays */
			memmove(&letters[l], &letters[l + 1],
				(--num_letters - l) * sizeof(*letters));
			now = in.at;
			letter_in(&in);
			continue;
		}
		if (port[w].wake > end)
			break;
		now = max(now, port[w].wake);
		port_work(w);
	}
	now = end;
}

static inline void port_carrier(u32 i, bool carrier)
{
	struct glass_training before = port[i].t;
	u32 did = glass_training_carrier(&port[i].t, carrier);

	check_call(&before, &port[i].t, did);
	port_did(&port[i], did);
	port[i].wake = now;
}

/* The port's link has gone down: glass_netcable_updated() */
static inline void port_restart(u32 i)
{
	struct glass_training before = port[i].t;
	u32 did = glass_training_restart(&port[i].t, draw_session());

	check_call(&before, &port[i].t, did);
	port[i].downs += !!(did & GLASS_TRAINED_DOWN);
	port[i].due = true;
	port[i].wake = now;
}

static inline void port_link(u32 i, bool link)
{
	port[i].says.flags = link ? GLASS_HELLO_LINK : 0;
	port[i].due = true;
	port[i].wake = now;
}

/* A port that has just been made: its host has booted. */
static inline void port_boot(u32 i)
{
	const u8 mac[6] = { 2, 0, 0, 0, 0, i };
	struct port *p = &port[i];

	memset(p, 0, sizeof(*p));
	glass_training_init(&p->t, silence, draw_session(), mac);
	snprintf(p->says.node, sizeof(p->says.node), "n%u", i);
	snprintf(p->says.host, sizeof(p->says.host), "h%u", i);
	p->says.guid = 0x100 + i;
	p->says.port = 1;
	p->says.type = 2;
	p->says.flags = GLASS_HELLO_LINK;
	p->says.mtu = 5;
	p->on = true;
	port_carrier(i, true);
}

/* n ports that hear each other, but not themselves */
static inline void world(u32 n)
{
	u32 i, k;

	memset(port, 0, sizeof(port));
	ports = n;
	now = 1000 * MS;
	num_letters = 0;
	sessions = 0;
	loses = doubles = 0;
	latency = MS / 20;
	jitter = MS / 10;
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			reach[i][k] = i != k;
	for (i = 0; i < n; i++)
		port_boot(i);
}

/* Is the cable between the ports a and b up at both ends, and do both ends agree? */
static inline bool is_pair(u32 a, u32 b)
{
	const struct glass_training *x = &port[a].t, *y = &port[b].t;

	return x->state == GLASS_CABLE_UP && y->state == GLASS_CABLE_UP &&
	       !memcmp(x->peer_mac, y->mac, 6) && !memcmp(y->peer_mac, x->mac, 6) &&
	       x->peer.session == y->session && y->peer.session == x->session;
}

static inline u32 count_pairs(void)
{
	u32 a, b, n = 0;

	for (a = 0; a < ports; a++)
		for (b = a + 1; b < ports; b++)
			n += is_pair(a, b);
	return n;
}

static inline u32 count_up(void)
{
	u32 i, n = 0;

	for (i = 0; i < ports; i++)
		n += port[i].t.state == GLASS_CABLE_UP;
	return n;
}

/* Forgets the counts. */
static inline void count_anew(void)
{
	u32 i;

	for (i = 0; i < ports; i++)
		port[i].ups = port[i].downs = port[i].peers = port[i].troubles = port[i].sent = 0;
}

/* For so many silences, no cable changes, and no port says more hellos than it must. */
static inline void check_quiet(u32 silences)
{
	u32 i;

	count_anew();
	run_until(now + silences * silence);
	for (i = 0; i < ports; i++) {
		assert_int_equal(port[i].ups, 0);
		assert_int_equal(port[i].downs, 0);
		assert_int_equal(port[i].peers, 0);
		/* its own, and one for each hello of the port that it hears, which does not answer */
		assert_true(port[i].sent <= 2 * PER_SILENCE * silences + 2);
	}
}

/* The cable of two ports is up, and stays up. */
static inline void check_pair(u32 a, u32 b)
{
	assert_true(is_pair(a, b));
	check_quiet(3);
	assert_true(is_pair(a, b));
}

#endif
