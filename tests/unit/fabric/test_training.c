// SPDX-License-Identifier: GPL-2.0-only
/* Link training over netdev cables: call by call, and ports on wires that lose, double and reorder. */
#include "harness.h"

#include "training_world.h"

/* ---- call by call */

static const u8 mac_a[6] = { 2, 0, 0, 0, 0, 0xa }, mac_b[6] = { 2, 0, 0, 0, 0, 0xb },
		mac_c[6] = { 2, 0, 0, 0, 0, 0xc };
static struct glass_training a;

#define SESSION_A 0xaaaa0001
#define SESSION_B 0xbbbb0001
#define SESSION_C 0xcccc0001
#define SILENCE (3000 * MS)

static struct glass_hello hello_of(const char *node, u32 session)
{
	struct glass_hello h = { .session = session, .guid = node[0], .port = 1, .type = 1,
				 .flags = GLASS_HELLO_LINK, .mtu = 5 };

	strcpy(h.node, node);
	strcpy(h.host, "host");
	return h;
}

/* A hello of `node` with this session reaches a. */
static u32 hear_hello(const struct glass_hello *h, u32 echo, const u8 *mac, u64 at)
{
	struct glass_training before = a;
	u32 did = glass_training_hello(&a, h, echo, GLASS_FRAME_VERSION, mac, at);

	check_call(&before, &a, did);
	return did;
}

static u32 hear(const char *node, u32 session, u32 echo, const u8 *mac, u64 at)
{
	struct glass_hello h = hello_of(node, session);

	return hear_hello(&h, echo, mac, at);
}

/* a has a carrier, and has heard nobody. */
static void begin(void)
{
	glass_training_init(&a, SILENCE, SESSION_A, mac_a);
	assert_int_equal(a.state, GLASS_CABLE_NO_CARRIER);
	assert_int_equal(glass_training_carrier(&a, true), GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	assert_int_equal(glass_training_echo(&a), 0);
}

/* a is up with b since 1 ms. */
static void begin_up(void)
{
	begin();
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_b, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_UP);
}

static void test_handshake(void **state)
{
	(void)state;
	begin();
	assert_int_equal(hear("b", SESSION_B, 0, mac_b, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_HEARD);
	assert_int_equal(glass_training_echo(&a), SESSION_B);
	/* again, and with an echo that is not ours: b does not hear us */
	assert_int_equal(hear("b", SESSION_B, 0, mac_b, 2 * MS), GLASS_TRAINED_ANSWER);
	assert_int_equal(hear("b", SESSION_B, SESSION_A + 1, mac_b, 3 * MS), GLASS_TRAINED_ANSWER);
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_b, 4 * MS),
			 GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_UP);
	assert_memory_equal(a.peer_mac, mac_b, 6);
	/* and nothing happens any more */
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_b, 5 * MS), 0);
}

static void test_silence(void **state)
{
	(void)state;
	begin();
	assert_int_equal(glass_training_tick(&a, 10 * SILENCE), 0);
	hear("b", SESSION_B, 0, mac_b, MS);
	assert_int_equal(glass_training_tick(&a, MS + SILENCE - 1), 0);
	assert_int_equal(glass_training_tick(&a, MS + SILENCE), GLASS_TRAINED_PEER);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	assert_int_equal(glass_training_echo(&a), 0);
	begin_up();
	hear("b", SESSION_B, SESSION_A, mac_b, 2 * MS);
	assert_int_equal(glass_training_tick(&a, MS + SILENCE), 0);
	assert_int_equal(glass_training_tick(&a, 2 * MS + SILENCE),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_DOWN);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	/* another port may come */
	hear("c", SESSION_C, SESSION_A, mac_c, 3 * SILENCE);
	assert_int_equal(a.state, GLASS_CABLE_UP);
	assert_string_equal(a.peer.node, "c");
}

static void test_peer_begins_anew(void **state)
{
	(void)state;
	begin_up();
	/* a new session that has not heard us */
	assert_int_equal(hear("b", SESSION_B + 1, 0, mac_b, 2 * MS),
			 GLASS_TRAINED_DOWN | GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_HEARD);
	assert_int_equal(glass_training_echo(&a), SESSION_B + 1);
	/* a new one that has heard us: our packets were for the old one */
	begin_up();
	assert_int_equal(hear("b", SESSION_B + 1, SESSION_A, mac_b, 2 * MS),
			 GLASS_TRAINED_DOWN | GLASS_TRAINED_ANSWER);
	/* the same session, which does not hear us any more */
	begin_up();
	assert_int_equal(hear("b", SESSION_B, 0, mac_b, 2 * MS),
			 GLASS_TRAINED_DOWN | GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_HEARD);
}

static void test_restart(void **state)
{
	(void)state;
	begin_up();
	assert_int_equal(glass_training_restart(&a, SESSION_A + 1),
			 GLASS_TRAINED_DOWN | GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_HEARD);
	assert_int_equal(a.session, SESSION_A + 1);
	/* an answer to the session before does not count */
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_b, 2 * MS), GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_HEARD);
	assert_int_equal(hear("b", SESSION_B + 1, SESSION_A + 1, mac_b, 3 * MS),
			 GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER);
	begin();
	assert_int_equal(glass_training_restart(&a, SESSION_A + 1), GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
}

static void test_third(void **state)
{
	(void)state;
	/* while up, another port disturbs whether it hears us or not */
	begin_up();
	assert_int_equal(hear("c", SESSION_C, 0, mac_c, 2 * MS), GLASS_TRAINED_TROUBLE);
	assert_int_equal(a.trouble, GLASS_TROUBLE_THIRD);
	assert_string_equal(a.other.node, "c");
	assert_int_equal(hear("c", SESSION_C, SESSION_A, mac_c, 3 * MS), 0);
	assert_int_equal(a.state, GLASS_CABLE_UP);
	assert_string_equal(a.peer.node, "b");
	/* over if it is not seen for a silence */
	hear("b", SESSION_B, SESSION_A, mac_b, SILENCE);
	assert_int_equal(glass_training_tick(&a, 3 * MS + SILENCE - 1), 0);
	assert_int_equal(glass_training_tick(&a, 3 * MS + SILENCE), GLASS_TRAINED_TROUBLE);
	assert_int_equal(a.trouble, GLASS_TROUBLE_NONE);
	/* with nobody who answers, one that answers becomes the peer */
	begin();
	hear("b", SESSION_B, 0, mac_b, MS);
	assert_int_equal(hear("c", SESSION_C, 0, mac_c, MS), GLASS_TRAINED_TROUBLE);
	assert_string_equal(a.peer.node, "b");
	assert_int_equal(hear("c", SESSION_C, SESSION_A, mac_c, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER);
	assert_string_equal(a.peer.node, "c");
}

/* A peer that answers stays the peer while its port is disabled, whoever else answers. */
static void test_third_and_peer_down(void **state)
{
	struct glass_hello b = hello_of("b", SESSION_B), c = hello_of("c", SESSION_C);

	(void)state;
	begin();
	b.flags = c.flags = 0;
	hear_hello(&b, SESSION_A, mac_b, MS);
	assert_int_equal(hear_hello(&c, SESSION_A, mac_c, MS) & GLASS_TRAINED_PEER, 0);
	assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS) & GLASS_TRAINED_PEER, 0);
	c.flags = GLASS_HELLO_LINK;
	assert_int_equal(hear_hello(&c, SESSION_A, mac_c, MS) & GLASS_TRAINED_PEER, 0);
	assert_string_equal(a.peer.node, "b");
	assert_string_equal(a.other.node, "c");
}

/* With a peer that hears a third port, one that answers becomes the peer if its address is lower. */
static void test_third_in_circle(void **state)
{
	(void)state;
	begin();
	hear("b", SESSION_B, SESSION_C, mac_b, MS);
	assert_int_equal(hear("c", SESSION_C, SESSION_A, mac_c, MS), GLASS_TRAINED_TROUBLE);
	assert_string_equal(a.peer.node, "b");
	assert_int_equal(a.trouble, GLASS_TROUBLE_THIRD);
	begin();
	hear("c", SESSION_C, SESSION_B, mac_c, MS);
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_b, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER);
	assert_string_equal(a.peer.node, "b");
}

static void test_self(void **state)
{
	(void)state;
	begin();
	assert_int_equal(hear("a", SESSION_A, 0, mac_a, MS), GLASS_TRAINED_TROUBLE);
	assert_int_equal(a.trouble, GLASS_TROUBLE_SELF);
	assert_int_equal(hear("a", SESSION_A, SESSION_A, mac_a, MS), 0);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	/* also one that was on its way while a new session began */
	glass_training_restart(&a, SESSION_A + 1);
	hear("a", SESSION_A, SESSION_B, mac_a, MS);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	hear("a", SESSION_A + 1, 0, mac_a, MS);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	/* the owner may have had two reasons for a new session at once */
	glass_training_restart(&a, SESSION_A + 2);
	hear("a", SESSION_A, SESSION_B, mac_a, MS);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	/* another cable of this host, at an interface with the same address */
	begin();
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_a, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER);
	/* another port may by chance have our session */
	begin();
	hear("b", SESSION_A, SESSION_A, mac_b, MS);
	assert_int_equal(a.state, GLASS_CABLE_UP);
}

static void test_version(void **state)
{
	struct glass_hello h = hello_of("new", SESSION_B);

	(void)state;
	begin();
	assert_int_equal(glass_training_hello(&a, &h, SESSION_A, 2, mac_b, MS),
			 GLASS_TRAINED_TROUBLE);
	assert_int_equal(a.trouble, GLASS_TROUBLE_VERSION);
	assert_int_equal(a.other_version, 2);
	assert_string_equal(a.other.node, "new");
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
	/* a peer that speaks another version now is silent to us */
	begin_up();
	glass_training_hello(&a, &h, SESSION_A, 0, mac_b, MS + SILENCE / 2);
	assert_int_equal(a.state, GLASS_CABLE_UP);
	assert_int_equal(glass_training_tick(&a, MS + SILENCE),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_DOWN);
	assert_int_equal(a.trouble, GLASS_TROUBLE_VERSION);
	assert_int_equal(glass_training_tick(&a, MS + 2 * SILENCE), GLASS_TRAINED_TROUBLE);
}

static void test_peer_down(void **state)
{
	struct glass_hello b = hello_of("b", SESSION_B);

	(void)state;
	begin();
	b.flags = 0;
	assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_TROUBLE);
	assert_int_equal(a.state, GLASS_CABLE_HEARD);
	assert_int_equal(a.trouble, GLASS_TROUBLE_PEER_DOWN);
	b.flags = GLASS_HELLO_LINK;
	assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_TROUBLE | GLASS_TRAINED_UP |
			 GLASS_TRAINED_ANSWER);
	b.flags = 0;
	assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_TROUBLE | GLASS_TRAINED_DOWN);
	/* with the peer, its trouble goes */
	assert_int_equal(glass_training_tick(&a, MS + SILENCE),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_TROUBLE);
	assert_int_equal(a.trouble, GLASS_TROUBLE_NONE);
}

static void test_carrier(void **state)
{
	(void)state;
	begin_up();
	assert_int_equal(glass_training_carrier(&a, true), 0);
	assert_int_equal(glass_training_carrier(&a, false),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_DOWN);
	assert_int_equal(a.state, GLASS_CABLE_NO_CARRIER);
	assert_int_equal(glass_training_carrier(&a, false), 0);
	/* what is still queued does not count */
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_b, 2 * MS), 0);
	assert_int_equal(glass_training_tick(&a, 10 * SILENCE), 0);
	assert_int_equal(glass_training_carrier(&a, true), GLASS_TRAINED_ANSWER);
	assert_int_equal(a.state, GLASS_CABLE_SILENT);
}

static void test_small_mtu(void **state)
{
	struct glass_hello b = hello_of("b", SESSION_B);

	(void)state;
	begin();
	assert_int_equal(glass_training_small_mtu(&a, false), 0);
	assert_int_equal(glass_training_small_mtu(&a, true), GLASS_TRAINED_TROUBLE);
	assert_int_equal(glass_training_small_mtu(&a, true), 0);
	assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS), GLASS_TRAINED_PEER);
	assert_int_equal(a.state, GLASS_CABLE_HEARD);
	/* no other trouble hides it, and time does not end it */
	hear("c", SESSION_C, 0, mac_c, MS);
	b.flags = 0;
	hear_hello(&b, SESSION_A, mac_b, MS);
	hear("a", SESSION_A, 0, mac_a, MS);
	glass_training_tick(&a, 100 * SILENCE);
	assert_int_equal(a.trouble, GLASS_TROUBLE_SMALL_MTU);
	assert_int_equal(glass_training_small_mtu(&a, false), GLASS_TRAINED_TROUBLE);
	assert_int_equal(hear("b", SESSION_B, SESSION_A, mac_b, 101 * SILENCE),
			 GLASS_TRAINED_PEER | GLASS_TRAINED_UP | GLASS_TRAINED_ANSWER);
	/* another trouble is not ended by an MTU that suffices */
	hear("c", SESSION_C, 0, mac_c, 101 * SILENCE);
	assert_int_equal(glass_training_small_mtu(&a, false), 0);
	assert_int_equal(a.trouble, GLASS_TROUBLE_THIRD);
}

/* Each field that the owner shows or uses is told when it changes, and no other. */
static void test_peer_changes(void **state)
{
	struct glass_hello b = hello_of("b", SESSION_B);

	(void)state;
	begin_up();
#define CHANGE(what)                                                                               \
	do {                                                                                       \
		what;                                                                              \
		assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS), GLASS_TRAINED_PEER);        \
		assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS), 0);                         \
		assert_memory_equal(&a.peer, &b, sizeof(b));                                       \
	} while (0)
	CHANGE(b.guid++);
	CHANGE(b.port++);
	CHANGE(b.type++);
	CHANGE(b.flags |= GLASS_HELLO_NO_VCRC);
	CHANGE(b.mtu--);
	CHANGE(b.width = 2);
	CHANGE(b.speed = 7);
	CHANGE(b.speed_ext = 15);
	CHANGE(strcpy(b.node, "other"));
	CHANGE(strcpy(b.host, "moved"));
	CHANGE(strcpy(b.desc, "a description"));
	b.frames = 7;
	assert_int_equal(hear_hello(&b, SESSION_A, mac_b, MS), 0);
	assert_int_equal(a.peer.frames, 7);
}

/* ---- ports on wires */

static void test_two(void **state)
{
	(void)state;
	silence = SILENCE;
	world(2);
	run_until(now + 100 * MS);
	check_pair(0, 1);
	assert_int_equal(port[0].t.trouble, GLASS_TROUBLE_NONE);
}

/* One port hears the other, but not vice versa. */
static void test_one_way(void **state)
{
	u32 i;

	(void)state;
	silence = SILENCE;
	world(2);
	reach[0][1] = false;
	run_until(now + 3 * silence);
	for (i = 0; i < 2; i++)
		assert_int_equal(port[i].ups, 0);
	assert_int_equal(port[0].t.state, GLASS_CABLE_HEARD);
	assert_int_equal(port[1].t.state, GLASS_CABLE_SILENT);
	reach[0][1] = true;
	run_until(now + silence);
	check_pair(0, 1);
	/* up before, then one way: both ends go down */
	reach[1][0] = false;
	run_until(now + 2 * silence);
	assert_int_equal(count_up(), 0);
	check_quiet(3);
	assert_int_equal(port[0].t.state, GLASS_CABLE_SILENT);
	assert_int_equal(port[1].t.state, GLASS_CABLE_HEARD);
}

static void test_host_reboots(void **state)
{
	u32 session;

	(void)state;
	silence = SILENCE;
	world(2);
	run_until(now + 100 * MS);
	count_anew();
	session = port[0].t.session;
	port_boot(1);
	run_until(now + 200 * MS);
	assert_int_equal(port[0].downs, 1);
	assert_int_not_equal(port[0].t.session, session);
	check_pair(0, 1);
}

static void test_restarts(void **state)
{
	u32 who, i;

	(void)state;
	silence = SILENCE;
	/* bit i: port i restarts */
	for (who = 1; who < 4; who++) {
		world(2);
		run_until(now + 100 * MS);
		count_anew();
		for (i = 0; i < 2; i++)
			if (who >> i & 1)
				port_restart(i);
		run_until(now + 200 * MS);
		for (i = 0; i < 2; i++) {
			assert_int_equal(port[i].downs, 1);
			assert_int_equal(port[i].ups, 1);
			assert_true(port[i].sent <= 6);
		}
		check_pair(0, 1);
	}
}

/* A third port comes, and the pair stays; when a port of the pair goes, the third takes its place. */
static void test_third_comes(void **state)
{
	(void)state;
	silence = SILENCE;
	world(3);
	port_carrier(2, false);
	run_until(now + 100 * MS);
	count_anew();
	port_carrier(2, true);
	run_until(now + 2 * silence);
	assert_true(is_pair(0, 1));
	assert_int_equal(port[0].downs + port[1].downs, 0);
	assert_int_equal(port[2].t.state, GLASS_CABLE_HEARD);
	assert_int_equal(port[0].t.trouble, GLASS_TROUBLE_THIRD);
	assert_string_equal(port[0].t.other.node, "n2");
	check_pair(0, 1);
	port_carrier(0, false);
	run_until(now + 2 * silence + 100 * MS);
	check_pair(1, 2);
}

/* n ports, each of which has heard the next one first. `step`: between their hellos, in ns */
static void check_circle(u32 n, u64 step, u64 unsteady)
{
	u32 i, pairs;

	world(n);
	jitter = 0;
	for (i = 0; i < n; i++) {
		struct port *p = &port[i], *next = &port[(i + 1) % n];
		struct glass_hello h = next->says;

		h.session = next->t.session;
		glass_training_hello(&p->t, &h, 0, GLASS_FRAME_VERSION, next->t.mac, now);
		assert_int_equal(p->t.state, GLASS_CABLE_HEARD);
		p->wake = now + i * step;
	}
	jitter = unsteady;
	run_until(now + 200 * MS);
	pairs = count_pairs();
	assert_in_range(pairs, 1, n / 2);
	assert_int_equal(count_up(), 2 * pairs);
	check_quiet(3);
	assert_int_equal(count_pairs(), pairs);
}

static void test_circle(void **state)
{
	u32 i;

	(void)state;
	silence = SILENCE;
	/* one after the other; at the same time, and all ports as fast as each other */
	check_circle(3, MS, 0);
	check_circle(3, 0, 0);
	check_circle(4, 0, 0);
	for (i = 0; i < 200; i++)
		check_circle(3 + rnd_below(2), rnd_below(2) ? 0 : rnd_below(100000),
			     rnd_below(200000));
}

/* Both ports disabled, and enabled one after the other */
static void test_disabled(void **state)
{
	(void)state;
	silence = SILENCE;
	world(2);
	port_link(0, false);
	port_link(1, false);
	run_until(now + silence);
	assert_int_equal(count_up(), 0);
	check_quiet(2);
	port_link(0, true);
	run_until(now + silence);
	port_link(1, true);
	run_until(now + 100 * MS);
	check_pair(0, 1);
}

/* The hellos of the simulation, each of which says one thing that happens */
static void one_event(void)
{
	u32 i = rnd_below(ports), k = rnd_below(ports);

	switch (rnd_below(10)) {
	case 0:
		port_restart(i);
		break;
	case 1:
		port_boot(i);
		break;
	case 2:
		port_carrier(i, rnd_below(2));
		break;
	case 3:
		port_link(i, rnd_below(2));
		break;
	case 4:
		/* i == k: the port hears itself */
		reach[i][k] = rnd_below(2);
		break;
	case 5:
		port_restart(i);
		port_restart(k);
		break;
	case 6: {
		struct glass_training before = port[i].t;

		/* check_netdev(): another MTU begins a new session */
		port[i].on = rnd_below(2);
		port_did(&port[i], glass_training_small_mtu(&port[i].t, !port[i].on));
		check_call(&before, &port[i].t, before.trouble != port[i].t.trouble ?
						GLASS_TRAINED_TROUBLE : 0);
		port_restart(i);
		break;
	}
	default:
		break;
	}
	loses = rnd_below(4) ? rnd_below(60) : 0;
	doubles = rnd_below(4) ? rnd_below(60) : 0;
	jitter = rnd_below(3) ? rnd_below(MS) : rnd_below(50 * MS);
}

/* From now on messages flow, and all ports want their link. */
static void all_well(void)
{
	u32 i, k;

	loses = doubles = 0;
	latency = rnd_below(MS);
	jitter = rnd_below(3) ? rnd_below(MS) : 0;
	for (i = 0; i < ports; i++) {
		port_carrier(i, true);
		port_link(i, true);
		port[i].on = true;
		port_did(&port[i], glass_training_small_mtu(&port[i].t, false));
		for (k = 0; k < ports; k++)
			reach[i][k] = i != k;
	}
}

/* Random events, then peace: cables are up in pairs, and stay so. */
static void one_history(void)
{
	u32 i, pairs;

	silence = rnd_below(2) ? SILENCE : (100 + rnd_below(10000)) * MS;
	world(2 + rnd_below(3));
	for (i = rnd_below(30); i; i--) {
		run_until(now + (rnd_below(3) ? rnd_below(50) * MS : rnd() % (2 * silence)));
		one_event();
	}
	all_well();
	run_until(now + 2 * silence + 200 * MS);
	pairs = count_pairs();
	/* of four ports, two pairs may have found each other */
	if (!pairs || pairs > ports / 2 || count_up() != 2 * pairs)
		fail_msg("%u ports, %u pairs, %u up", ports, pairs, count_up());
	check_quiet(3);
	assert_int_equal(count_pairs(), pairs);
}

static void test_simulation(void **state)
{
	u32 round;

	(void)state;
	for (round = 0; round < 4000; round++)
		one_history();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_peer_begins_anew),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_third),
		cmocka_unit_test(test_third_and_peer_down),
		cmocka_unit_test(test_third_in_circle),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_peer_down),
		cmocka_unit_test(test_carrier),
		cmocka_unit_test(test_small_mtu),
		cmocka_unit_test(test_peer_changes),
		cmocka_unit_test_setup(test_two, rnd_restart),
		cmocka_unit_test_setup(test_one_way, rnd_restart),
		cmocka_unit_test_setup(test_host_reboots, rnd_restart),
		cmocka_unit_test_setup(test_restarts, rnd_restart),
		cmocka_unit_test_setup(test_third_comes, rnd_restart),
		cmocka_unit_test_setup(test_circle, rnd_restart),
		cmocka_unit_test_setup(test_disabled, rnd_restart),
		cmocka_unit_test_setup(test_simulation, rnd_restart),
	};

	return cmocka_run_group_tests(tests, rnd_group, NULL);
}
