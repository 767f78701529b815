// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Netdev cables (netcable.h): how they come and go, and how their links are trained. */
#include <linux/cpumask.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "compat/workqueue.h"
#include "link/env.h"
#include "link/netcable.h"

/* A port says at most one hello in this time (ns), and otherwise one in a sixth of its silence. */
#define HELLO_SPACING (20 * NSEC_PER_MSEC)
#define HELLOS_PER_SILENCE 6

#define NETCABLE_BROADCAST { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }

static struct glass_net_end local_end(const struct glass_netcable *c)
{
	return c->far_ends[1];
}

static const char *end_name(struct glass_net_end e)
{
	return e.node ? glass_fabric_node(e.node)->name : "-";
}

static u32 new_session(void)
{
	return get_random_u32() ?: 1;
}

/* Writes what senders and receivers read without lock. */
static void publish_training(struct glass_netcable *c)
{
	const struct glass_training *t = &c->training;
	u64 peer = 0;

	lockdep_assert_held(&c->fabric->lock);
	if (t->state >= GLASS_CABLE_HEARD)
		peer = ether_addr_to_u64(t->peer_mac) << 16 | (t->state == GLASS_CABLE_UP);
	if (c->session != t->session)
		atomic64_set(&c->session_rx, 0);
	WRITE_ONCE(c->session, t->session);
	WRITE_ONCE(c->peer, peer);
}

/* Does the cable's port want its link? */
static bool port_wants_link(const struct glass_netcable *c)
{
	struct glass_net_end e = local_end(c);
	const struct glass_port *p = glass_net_port(e);

	return p && !p->pulled && !c->far_ends[1].pulled &&
	       (p->phys_state == GLASS_PHYS_POLLING || p->phys_state == GLASS_PHYS_LINKUP);
}

static void want_hello(struct glass_netcable *c)
{
	lockdep_assert_held(&c->fabric->lock);
	c->hello_due = true;
	mod_delayed_work(system_dfl_wq, &c->work, 0);
}

static void end_session(struct glass_netcable *c)
{
	c->lost += c->lost_now;
	c->lost_now = 0;
	c->peer_sent = 0;
	c->came_up = 0;
	c->far_port.pulled = true;
}

/* Gives the port at the far end what the peer says of itself. */
static void take_peer(struct glass_netcable *c)
{
	const struct glass_hello *h = &c->training.peer;
	struct glass_net_end *a = &c->far_ends[1];
	struct glass_port *p = &c->far_port;
	u8 mtu = min3(c->mtu, c->own_mtu, h->mtu);

	p->width_supported = p->width_enabled = h->width;
	p->speed_supported = p->speed_enabled = h->speed;
	p->speed_ext_supported = h->speed_ext & 0xf;
	p->speed_ext_enabled = h->speed_ext;
	c->far_node.guid = h->guid;
	glass_node_set_desc(&c->far_node, h->desc, strlen(h->desc));
	a->mtu = mtu;
	if (a->node)
		a->node->ends[a->port].mtu = mtu;
	WRITE_ONCE(c->link_mtu, glass_mtu_bytes(mtu));
}

static void tell_trouble(const struct glass_netcable *c)
{
	const struct glass_training *t = &c->training;
	struct glass_net_end e = local_end(c);

	switch (t->trouble) {
	case GLASS_TROUBLE_SMALL_MTU:
		pr_warn_ratelimited("glass: %s:%u: the MTU of %s is below %u bytes\n", end_name(e),
				    e.port, c->netdev, GLASS_FRAME_MTU(256));
		break;
	case GLASS_TROUBLE_SAME_GUID:
		pr_warn_ratelimited("glass: %s:%u: %s of host %s at %s has the node GUID 0x%llx of a node of this host; load one of the modules with another host=\n",
				    end_name(e), e.port, t->other.node, t->other.host, c->netdev,
				    t->other.guid);
		break;
	case GLASS_TROUBLE_SELF:
		pr_warn_ratelimited("glass: %s:%u: %s receives its own frames\n", end_name(e),
				    e.port, c->netdev);
		break;
	case GLASS_TROUBLE_VERSION:
		pr_warn_ratelimited("glass: %s:%u: %s of host %s at %s speaks version %u of the frames, not %u\n",
				    end_name(e), e.port, t->other.node, t->other.host, c->netdev,
				    t->other_version, GLASS_FRAME_VERSION);
		break;
	case GLASS_TROUBLE_THIRD:
		pr_warn_ratelimited("glass: %s:%u: %s is shared: besides %s:%u of host %s, there is %s:%u of host %s\n",
				    end_name(e), e.port, c->netdev, t->peer.node, t->peer.port,
				    t->peer.host, t->other.node, t->other.port, t->other.host);
		break;
	default:
		break;
	}
}

/*
 * Carries out `did`, the changes that the training reports (GLASS_TRAINED_*). If the link goes
 * down, `by` is the cause.
 * Ports whose changes the caller must report are added to nt. Called with the fabric's lock.
 */
static void netcable_did(struct glass_netcable *c, u32 did, enum glass_port_change_by by,
			 struct glass_noticed *nt)
{
	struct glass_training *t = &c->training;

	lockdep_assert_held(&c->fabric->lock);
	if (did & GLASS_TRAINED_DOWN) {
		end_session(c);
		glass_training_restart(t, new_session());
		did |= GLASS_TRAINED_ANSWER;
	}
	publish_training(c);
	if (t->state >= GLASS_CABLE_HEARD && (did & (GLASS_TRAINED_PEER | GLASS_TRAINED_UP)))
		take_peer(c);
	if ((did & GLASS_TRAINED_UP) && t->state == GLASS_CABLE_UP) {
		c->far_port.pulled = false;
		c->downs = c->far_port.ctr[GLASS_CTR_LINK_DOWNED];
		c->came_up = ktime_get_ns();
		c->ups++;
		c->peer_sent = 0;
		atomic64_set(&c->session_tx, 0);
	}
	if ((did & (GLASS_TRAINED_UP | GLASS_TRAINED_DOWN | GLASS_TRAINED_PEER)) &&
	    local_end(c).node)
		glass_link_update_cable(c->fabric, local_end(c), by, nt);
	if (did & GLASS_TRAINED_ANSWER)
		want_hello(c);
}

/* Reports changes of ports and of troubles. Called by the work only, without the fabric's lock. */
static void netcable_tell(const struct glass_netcable *c, u32 did, const struct glass_noticed *nt)
{
	glass_link_tell_noticed(nt);
	/* only the work changes what is told here, so it needs no lock */
	if (did & GLASS_TRAINED_TROUBLE)
		tell_trouble(c);
}

bool glass_netcable_updated(struct glass_netcable *c)
{
	struct glass_training *t = &c->training;

	lockdep_assert_held(&c->fabric->lock);
	if (!c->open)
		return false;
	if (port_wants_link(c) != c->told_link)
		want_hello(c);
	if (t->state != GLASS_CABLE_UP || c->downs == c->far_port.ctr[GLASS_CTR_LINK_DOWNED])
		return false;
	/* our port has taken the link down: only a new session tells the peer so */
	end_session(c);
	glass_training_restart(t, new_session());
	publish_training(c);
	want_hello(c);
	return true;
}

/* ---- hellos */

/*
 * The peer's hello says that it has sent `sent` frames. The last of these may still be on their way,
 * even if the hello was sent after them: their sender may be preempted, or their CPU may be late. So
 * this counts those missing that the peer's hello before has counted.
 */
static void count_lost(struct glass_netcable *c, u64 sent)
{
	u64 came = atomic64_read(&c->session_rx), before = c->peer_sent;

	c->peer_sent = sent;
	if (c->training.state == GLASS_CABLE_UP && before > came)
		c->lost_now = max(c->lost_now, before - came);
}

/*
 * Does a node of ours have the node GUID of the node that says this hello? If the hello is that of
 * another cable of ours, or of this one, the node is the same.
 */
static bool is_double(struct glass_fabric *f, const struct glass_hello *h)
{
	u32 i;

	lockdep_assert_held(&f->lock);
	for (i = 0; i < GLASS_NETCABLES_MAX; i++)
		if (f->netcables[i] &&
		    glass_training_own_session(&f->netcables[i]->training, h->session))
			return false;
	return glass_fabric_has_guid(f, h->guid);
}

static void hello_in(struct glass_netcable *c, struct sk_buff *skb)
{
	const u8 *b = skb->data, *mac = eth_hdr(skb)->h_source;
	struct glass_fabric *f = c->fabric;
	enum glass_cable_rule rule;
	struct glass_noticed nt;
	struct glass_hello h;
	struct glass_frame frame;
	bool other;
	u32 did;

	nt.n = 0;
	rule = glass_frame_get(&frame, b, skb->len);
	other = rule == GLASS_RULE_bad_version;
	if (!rule || other)
		rule = glass_hello_get(&h, b + GLASS_FRAME_HDR_BYTES,
				       skb->len - GLASS_FRAME_HDR_BYTES, other);
	if (rule) {
		glass_netcable_count(c, rule);
		return;
	}
	if (other)
		glass_netcable_count(c, GLASS_RULE_bad_version);
	else
		atomic64_inc(&c->stats.rx_hellos);
	spin_lock_irq(&f->lock);
	if (!other && is_double(f, &h))
		did = glass_training_same_guid(&c->training, &h, ktime_get_ns());
	else
		did = glass_training_hello(&c->training, &h, frame.session, b[0], mac,
					   ktime_get_ns());
	/* after a restart of the peer, its count belongs to its new session */
	if (!did && !other && h.session == c->training.peer.session)
		count_lost(c, h.frames);
	netcable_did(c, did, GLASS_PORT_BY_PEER, &nt);
	spin_unlock_irq(&f->lock);
	netcable_tell(c, did, &nt);
}

/* Writes the name of the host as a hello can carry it: printable ASCII without blanks. */
static void put_host(char to[GLASS_HELLO_HOST + 1])
{
	u32 i;

	strscpy(to, init_utsname()->nodename, GLASS_HELLO_HOST + 1);
	for (i = 0; to[i]; i++)
		if (to[i] <= ' ' || to[i] > '~')
			to[i] = '?';
	if (!i)
		strscpy(to, "-", GLASS_HELLO_HOST + 1);
}

static void fill_hello(struct glass_netcable *c, struct glass_hello *h)
{
	struct glass_net_end e = local_end(c);
	struct glass_fabric_node *n = glass_fabric_node(e.node);
	const struct glass_port *p = glass_net_port(e);

	lockdep_assert_held(&c->fabric->lock);
	memset(h, 0, sizeof(*h));
	h->session = c->training.session;
	strscpy(h->node, n->name, sizeof(h->node));
	put_host(h->host);
	if (n->net.node)
		memcpy(h->desc, n->net.node->desc, GLASS_HELLO_DESC);
	h->guid = n->guid;
	h->port = e.port;
	h->type = n->kind == GLASS_FABRIC_SWITCH ? GLASS_NODE_SWITCH : GLASS_NODE_CA;
	h->mtu = min(c->mtu, c->own_mtu);
	if (p) {
		h->width = p->width_enabled;
		h->speed = p->speed_enabled;
		h->speed_ext = p->speed_ext_enabled;
	}
	c->told_link = port_wants_link(c);
	if (c->told_link)
		h->flags |= GLASS_HELLO_LINK;
	if (!c->vcrc)
		h->flags |= GLASS_HELLO_NO_VCRC;
	h->frames = atomic64_read(&c->session_tx);
}

/* Says hello if it is time. Returns the time, in ns, until the next hello at the latest. */
static u64 hello_out(struct glass_netcable *c)
{
	static const u8 everybody[ETH_ALEN] = NETCABLE_BROADCAST;
	struct glass_frame frame = { .kind = GLASS_FRAME_HELLO };
	u64 now = ktime_get_ns(), every = c->training.silence / HELLOS_PER_SILENCE, since;
	struct glass_hello h;
	struct sk_buff *skb;

	spin_lock_irq(&c->fabric->lock);
	since = now - c->hello_at;
	if (c->training.state == GLASS_CABLE_NO_CARRIER || !local_end(c).node || !c->own_mtu) {
		spin_unlock_irq(&c->fabric->lock);
		return every;
	}
	if (since < (c->hello_due ? HELLO_SPACING : every)) {
		spin_unlock_irq(&c->fabric->lock);
		return (c->hello_due ? HELLO_SPACING : every) - since;
	}
	c->hello_due = false;
	c->hello_at = now;
	fill_hello(c, &h);
	frame.session = glass_training_echo(&c->training);
	spin_unlock_irq(&c->fabric->lock);

	skb = glass_netdev_alloc(&c->nd, GLASS_FRAME_HDR_BYTES + GLASS_HELLO_BYTES, GFP_KERNEL);
	if (!skb)
		return every;
	glass_frame_put(&frame, skb_put(skb, GLASS_FRAME_HDR_BYTES));
	glass_hello_put(&h, skb_put(skb, GLASS_HELLO_BYTES));
	if (!glass_netdev_send(&c->nd, skb, everybody))
		atomic64_inc(&c->stats.tx_hellos);
	return every;
}

/* Looks at the interface: its carrier, MTU, address and name. */
static void check_netdev(struct glass_netcable *c)
{
	struct glass_training *t = &c->training;
	struct glass_fabric *f = c->fabric;
	struct glass_netdev_info info;
	struct glass_noticed nt;
	bool there = glass_netdev_info(&c->nd, &info);
	u32 did = 0;
	u8 mtu;

	nt.n = 0;
	spin_lock_irq(&f->lock);
	if (there) {
		strscpy(c->netdev, info.name, sizeof(c->netdev));
		snprintf(c->far.name, sizeof(c->far.name), "%c%s", GLASS_NETCABLE_NAME, info.name);
		memcpy(t->mac, info.mac, sizeof(t->mac));
		mtu = glass_frame_mtu_code(info.mtu);
		WRITE_ONCE(c->netdev_mtu, info.mtu);
		did |= glass_training_small_mtu(t, !mtu);
		if (mtu != c->own_mtu) {
			/* both sides must agree on the MTU again */
			c->own_mtu = mtu;
			did |= glass_training_restart(t, new_session());
		}
	}
	did |= glass_training_carrier(t, there && info.carrier);
	netcable_did(c, did, !there ? GLASS_PORT_BY_NETDEV_GONE :
			     info.carrier ? GLASS_PORT_BY_PEER : GLASS_PORT_BY_CARRIER, &nt);
	spin_unlock_irq(&f->lock);
	netcable_tell(c, did, &nt);
}

static void check_time(struct glass_netcable *c)
{
	struct glass_fabric *f = c->fabric;
	struct glass_noticed nt;
	u64 now = ktime_get_ns();
	u32 did;

	nt.n = 0;
	spin_lock_irq(&f->lock);
	/* packets are as good as hellos: a peer that is busy may say few of these */
	if (READ_ONCE(c->heard)) {
		WRITE_ONCE(c->heard, false);
		c->training.heard = now;
	}
	did = glass_training_tick(&c->training, now);
	netcable_did(c, did, GLASS_PORT_BY_SILENCE, &nt);
	spin_unlock_irq(&f->lock);
	netcable_tell(c, did, &nt);
}

static void netcable_work(struct work_struct *work)
{
	struct glass_netcable *c = container_of(to_delayed_work(work), struct glass_netcable, work);
	/* keeps the ports valid whose changes are reported */
	int walk = srcu_read_lock(&c->fabric->walks);
	struct sk_buff *skb;
	u64 wait;
	u32 n;

	check_netdev(c);
	for (n = 0; n < GLASS_HELLOS_MAX && (skb = skb_dequeue(&c->hellos)); n++) {
		hello_in(c, skb);
		consume_skb(skb);
	}
	check_time(c);
	wait = hello_out(c);
	/* a flood of hellos must not keep this work in its section of `walks` */
	if (!skb_queue_empty_lockless(&c->hellos))
		wait = 0;
	srcu_read_unlock(&c->fabric->walks, walk);
	queue_delayed_work(system_dfl_wq, &c->work, nsecs_to_jiffies(wait) + 1);
}

/* ---- coming and going */

static void netcable_changed(struct glass_netdev *nd)
{
	struct glass_netcable *c = container_of(nd, struct glass_netcable, nd);

	mod_delayed_work(system_dfl_wq, &c->work, 0);
}

static void netcable_gone(struct glass_netdev *nd)
{
	struct glass_netcable *c = container_of(nd, struct glass_netcable, nd);

	mod_delayed_work(system_dfl_wq, &c->work, 0);
	/* not here: RTNL is held, and a holder of fabric->making may wait for RTNL */
	queue_work(system_dfl_wq, &c->fabric->netdevs_gone);
}

static const struct glass_netdev_ops netcable_ops = {
	.receive = glass_netcable_receive,
	.changed = netcable_changed,
	.gone = netcable_gone,
};

static enum glass_fabric_error_kind error_of(enum glass_netdev_error why)
{
	switch (why) {
	case GLASS_NETDEV_OK:
		return GLASS_FE_NONE;
	case GLASS_NETDEV_NONE:
		return GLASS_FE_NO_NETDEV;
	case GLASS_NETDEV_NOT_ETHERNET:
		return GLASS_FE_NOT_ETHERNET;
	case GLASS_NETDEV_TAKEN:
		return GLASS_FE_NETDEV_TAKEN;
	default:
		return GLASS_FE_NO_MEMORY;
	}
}

/* Sets up the node at the far end. Its real name and GUID come with the peer's first hello. */
static int init_far(struct glass_netcable *c, const char *name)
{
	struct glass_fabric_node *n = &c->far;
	int err;

	n->kind = GLASS_FABRIC_CABLE;
	n->id = GLASS_FABRIC_FIRST_ID + GLASS_FABRIC_MAX_NODES + c->slot;
	INIT_LIST_HEAD(&n->trapping);
	snprintf(n->name, sizeof(n->name), "%c%s", GLASS_NETCABLE_NAME, name);
	err = glass_node_init(&c->far_node, GLASS_NODE_CA, 1, &c->far_port - 1, NULL, 1, 1, n->name);
	if (err)
		return err;
	c->far_port.pulled = true;
	glass_net_add(&n->net, GLASS_TOPO_MAX_HCAS + c->slot, &c->far_node, NULL, 1, c->far_ends);
	n->net.owners = c->far_owners;
	return 0;
}

static struct glass_netcable *netcable_alloc(struct glass_fabric *f, u32 slot, u8 mtu,
					     const struct glass_netcable_spec *spec)
{
	static const u8 none[ETH_ALEN];
	struct glass_netcable *c;
	u32 i, n = num_possible_cpus();

	c = kvzalloc(struct_size(c, frames, n), GFP_KERNEL);
	if (!c)
		return NULL;
	c->fabric = f;
	c->slot = slot;
	c->vcrc = spec->vcrc;
	c->mtu = mtu;
	strscpy(c->netdev, spec->netdev, sizeof(c->netdev));
	glass_ref_init(&c->ref);
	skb_queue_head_init(&c->hellos);
	INIT_DELAYED_WORK(&c->work, netcable_work);
	c->nlanes = n;
	for (i = 0; i < n; i++) {
		skb_queue_head_init(&c->frames[i].skbs);
		INIT_LIST_HEAD(&c->frames[i].node);
		c->frames[i].lane = i;
		c->frames[i].cable = c;
	}
	glass_training_init(&c->training, (u64)spec->silence_ms * NSEC_PER_MSEC, new_session(),
			    none);
	if (init_far(c, spec->netdev)) {
		kvfree(c);
		return NULL;
	}
	return c;
}

/* QPs wait in this slot for the interface of the cable c. NULL: for none. */
static void set_congestion(struct glass_fabric *f, u32 slot, struct glass_netcable *c)
{
	struct glass_congestion *g = &f->congestion[slot];

	spin_lock_irq(&g->lock);
	g->nd = c ? &c->nd : NULL;
	g->mtu = c ? &c->netdev_mtu : NULL;
	g->waits = 0;
	spin_unlock_irq(&g->lock);
}

enum glass_fabric_error_kind glass_netcable_add(struct glass_fabric *f, struct glass_net_end a,
						const struct glass_netcable_spec *spec)
{
	enum glass_fabric_error_kind why;
	struct glass_netcable *c;
	int err;
	u32 slot;

	lockdep_assert_held(&f->making);
	if (a.node->ends[a.port].node)
		return GLASS_FE_HAS_CABLE;
	for (slot = 0; slot < GLASS_NETCABLES_MAX && f->netcables[slot];)
		slot++;
	if (slot == GLASS_NETCABLES_MAX)
		return GLASS_FE_TOO_MANY_NETDEVS;
	c = netcable_alloc(f, slot, a.mtu, spec);
	if (!c)
		return GLASS_FE_NO_MEMORY;
	why = error_of(glass_netdev_open(&c->nd, spec->net, spec->netdev, GLASS_FRAME_PROTO,
					 &netcable_ops));
	if (why)
		goto refused;
	set_congestion(f, slot, c);
	spin_lock_irq(&f->lock);
	err = glass_net_plug(a, glass_net_end(&c->far.net, 1));
	glass_fabric_reshaped(f);
	if (!err) {
		f->netcables[slot] = c;
		c->open = true;
	}
	spin_unlock_irq(&f->lock);
	if (err) {
		why = err == -EBUSY ? GLASS_FE_HAS_CABLE : GLASS_FE_NO_PORT;
		glass_netcable_free(c);
		return why;
	}
	mod_delayed_work(system_dfl_wq, &c->work, 0);
	return GLASS_FE_NONE;

refused:
	cancel_delayed_work_sync(&c->work);
	kvfree(c);
	return why;
}

void glass_netcable_free(struct glass_netcable *c)
{
	struct glass_fabric *f = c->fabric;
	u32 i;

	lockdep_assert_held(&f->making);
	spin_lock_irq(&f->lock);
	if (f->netcables[c->slot] == c)
		f->netcables[c->slot] = NULL;
	c->open = false;
	WRITE_ONCE(c->peer, 0);
	spin_unlock_irq(&f->lock);
	/* senders and the QPs that wait look at the interface: they go first */
	set_congestion(f, c->slot, NULL);
	glass_ref_kill(&c->ref);
	glass_netdev_close(&c->nd);
	cancel_delayed_work_sync(&c->work);
	skb_queue_purge(&c->hellos);
	/* purge first: then a lane that still has the queue finds nothing to go on with */
	for (i = 0; i < c->nlanes; i++) {
		skb_queue_purge(&c->frames[i].skbs);
		glass_lane_forget(&c->frames[i]);
	}
	/* pairs with the sections of `walks`, in which a way may end at the far node */
	synchronize_srcu(&f->walks);
	kvfree(c);
}
