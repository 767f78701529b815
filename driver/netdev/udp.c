// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* UDP datagrams (udp.h). */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/arp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/ndisc.h>
#include <net/netns/generic.h>
#include <net/route.h>
#include <net/udp.h>

#include "compat/udp.h"
#include "netdev/netdev.h"
#include "netdev/udp.h"

static u16 udp_port;
static glass_udp_receive_t udp_receive;
static unsigned int udp_net_id;

/* The sockets of a network namespace, while an Ethernet port needs them. */
struct udp_net {
	struct socket *sock[2]; /* IPv4, IPv6; NULL: there is none. Read under RCU */
	bool hooked; /* gso_hooks are registered */
	u32 users;
	bool ended; /* the namespace ends: no socket may be made any more */
};

static DEFINE_MUTEX(sockets_lock); /* protects all struct udp_net */

static int encap_receive(struct sock *sk, struct sk_buff *skb)
{
	udp_receive(sock_net(sk), skb);
	return 0;
}

#ifdef CONFIG_NETFILTER
/*
 * Newer kernels pass a frame of several datagrams whole to no socket with encap_rcv(), unless it comes from
 * a tunnel: they split it before. Behind all rules of netfilter, these hooks say that the frames of our
 * port come from one. The kernel does not look at this any more, except for that test.
 */
static bool is_gso_of_port(const struct sk_buff *skb)
{
	const struct skb_shared_info *info = skb_shinfo(skb);
	const __be16 *ports;
	__be16 buf[2];

	if (!(info->gso_type & SKB_GSO_UDP_L4) || (info->gso_type & SKB_GSO_FRAGLIST))
		return false;
	ports = skb_header_pointer(skb, skb_transport_offset(skb), sizeof(buf), buf);
	return ports && ports[1] == htons(udp_port);
}

static unsigned int gso_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	bool udp;

	if (likely(!skb_is_gso(skb)))
		return NF_ACCEPT;
	udp = state->pf == NFPROTO_IPV4 ? ip_hdr(skb)->protocol == IPPROTO_UDP :
					  ipv6_hdr(skb)->nexthdr == IPPROTO_UDP;
	/*
	 * One whose checksum is not known to be right, the kernel splits, and then looks at none. Unclone it:
	 * a copy that somebody has captured gets no mark.
	 */
	if (udp && (skb->ip_summed == CHECKSUM_PARTIAL || skb->ip_summed == CHECKSUM_UNNECESSARY) &&
	    is_gso_of_port(skb) && !skb_unclone(skb, GFP_ATOMIC))
		skb_shinfo(skb)->gso_type |= SKB_GSO_UDP_TUNNEL;
	return NF_ACCEPT;
}

static const struct nf_hook_ops gso_hooks[] = {
	{ .hook = gso_hook, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN, .priority = NF_IP_PRI_LAST },
	{ .hook = gso_hook, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_IN, .priority = NF_IP6_PRI_LAST },
};

static void register_hooks(struct udp_net *un, struct net *net)
{
	lockdep_assert_held(&sockets_lock);
	/* without them, the kernel splits the frames */
	un->hooked = !nf_register_net_hooks(net, gso_hooks, ARRAY_SIZE(gso_hooks));
}

/* The hooks may still run until a grace period of RCU has passed. */
static void unregister_hooks(struct udp_net *un, struct net *net)
{
	lockdep_assert_held(&sockets_lock);
	if (un->hooked)
		nf_unregister_net_hooks(net, gso_hooks, ARRAY_SIZE(gso_hooks));
	un->hooked = false;
}
#else
static void register_hooks(struct udp_net *un, struct net *net)
{
}

static void unregister_hooks(struct udp_net *un, struct net *net)
{
}
#endif

void glass_udp_split(struct net *net, struct sk_buff *skb, glass_udp_receive_t receive)
{
	struct udp_net *un = net_generic(net, udp_net_id);
	bool v4 = skb->protocol == htons(ETH_P_IP);
	struct socket *sock = READ_ONCE(un->sock[!v4]);
	struct sk_buff *next;

	/* the port has closed meanwhile; close_sockets() waits for this section of RCU */
	if (!sock) {
		kfree_skb(skb);
		return;
	}
	skb_shinfo(skb)->gso_type &= ~SKB_GSO_UDP_TUNNEL;
	__skb_push(skb, -skb_mac_offset(skb));
	skb = udp_rcv_segment(sock->sk, skb, v4);
	skb_list_walk_safe(skb, skb, next) {
		__skb_pull(skb, skb_transport_offset(skb));
		skb_mark_not_on_list(skb);
		receive(net, skb);
	}
}

/* Multicasts that the socket sends do not come back. */
static int no_loop(struct socket *sock, int family)
{
	int off = 0;

	if (family == AF_INET)
		return sock->ops->setsockopt(sock, SOL_IP, IP_MULTICAST_LOOP, KERNEL_SOCKPTR(&off), sizeof(off));
	return sock->ops->setsockopt(sock, SOL_IPV6, IPV6_MULTICAST_LOOP, KERNEL_SOCKPTR(&off), sizeof(off));
}

static int open_socket(struct net *net, int family, struct socket **to)
{
	struct udp_port_cfg cfg = {
		.family = family,
		.local_udp_port = htons(udp_port),
		.ipv6_v6only = family == AF_INET6,
		/* senders of RoCEv2 leave the checksum out: the ICRC protects the packet */
		.use_udp6_rx_checksums = false,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = encap_receive,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &cfg, &sock);
	if (err)
		return err;
	err = no_loop(sock, family);
	if (err) {
		kernel_sock_shutdown(sock, SHUT_RDWR);
		sock_release(sock);
		return err;
	}
	setup_udp_tunnel_sock(net, glass_tunnel_sock(sock), &tunnel);
	glass_udp_accept_gso(sock->sk);
	/* from now on, senders of multicasts may use it */
	smp_store_release(to, sock);
	return 0;
}

static void close_sockets(struct udp_net *un, struct net *net)
{
	struct socket *old[ARRAY_SIZE(un->sock)];
	u32 i;

	lockdep_assert_held(&sockets_lock);
	for (i = 0; i < ARRAY_SIZE(un->sock); i++) {
		old[i] = un->sock[i];
		WRITE_ONCE(un->sock[i], NULL);
	}
	unregister_hooks(un, net);
	/* glass_udp_send() may be using them */
	synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(un->sock); i++)
		if (old[i])
			udp_tunnel_sock_release(glass_tunnel_sock(old[i]));
}

int glass_udp_get(struct net *net)
{
	struct udp_net *un = net_generic(net, udp_net_id);
	int err = 0;

	mutex_lock(&sockets_lock);
	if (un->ended)
		err = -ENODEV;
	else if (!un->users)
		err = open_socket(net, AF_INET, &un->sock[0]);
	if (!err && !un->users) {
		err = open_socket(net, AF_INET6, &un->sock[1]);
		/* a kernel without IPv6 has IPv4 alone */
		if (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
			err = 0;
	}
	if (!err && !un->users)
		register_hooks(un, net);
	if (err)
		close_sockets(un, net);
	else
		un->users++;
	mutex_unlock(&sockets_lock);
	return err;
}

void glass_udp_put(struct net *net)
{
	struct udp_net *un = net_generic(net, udp_net_id);

	mutex_lock(&sockets_lock);
	if (!WARN_ON_ONCE(!un->users) && !--un->users)
		close_sockets(un, net);
	mutex_unlock(&sockets_lock);
}

static void __net_exit udp_net_exit(struct net *net)
{
	struct udp_net *un = net_generic(net, udp_net_id);

	mutex_lock(&sockets_lock);
	un->ended = true;
	close_sockets(un, net);
	mutex_unlock(&sockets_lock);
}

/* A device's: so it ends before the interfaces of the namespace do. */
static struct pernet_operations udp_net_ops = {
	.exit = udp_net_exit,
	.id = &udp_net_id,
	.size = sizeof(struct udp_net),
};

/* Pages from which glass_udp_append() takes pieces. Only process context takes the lock. */
struct udp_pages {
	spinlock_t lock;
	struct page_frag frag; /* under `lock` */
};

static DEFINE_PER_CPU(struct udp_pages, udp_pages) = { .lock = __SPIN_LOCK_UNLOCKED(udp_pages.lock) };

static void free_pages_of_pieces(void)
{
	struct udp_pages *p;
	int cpu;

	for_each_possible_cpu(cpu) {
		p = per_cpu_ptr(&udp_pages, cpu);
		if (p->frag.page)
			put_page(p->frag.page);
		p->frag.page = NULL;
	}
}

int glass_udp_init(u16 port, glass_udp_receive_t receive)
{
	udp_port = port;
	udp_receive = receive;
	return register_pernet_device(&udp_net_ops);
}

void glass_udp_exit(void)
{
	unregister_pernet_device(&udp_net_ops);
	free_pages_of_pieces();
}

/* ---- routes */

static bool is_v4(const u8 addr[16])
{
	return ipv6_addr_v4mapped((const struct in6_addr *)addr) ||
	       /* the group ff0e::ffff:a.b.c.d of an IPv4 multicast address */
	       (addr[0] == 0xff && addr[10] == 0xff && addr[11] == 0xff &&
		!memchr_inv(addr + 2, 0, 8));
}

static __be32 v4_of(const u8 addr[16])
{
	return get_unaligned((const __be32 *)(addr + 12));
}

static struct dst_entry *ip4_route(struct net *net, int ifindex, const u8 from[16], const u8 to[16])
{
	struct flowi4 fl = {
		.flowi4_oif = ifindex,
		.saddr = v4_of(from),
		.daddr = v4_of(to),
		.flowi4_proto = IPPROTO_UDP,
	};
	struct rtable *rt = ip_route_output_key(net, &fl);

	return IS_ERR(rt) ? ERR_CAST(rt) : &rt->dst;
}

static struct dst_entry *ip6_route(struct net *net, int ifindex, const u8 from[16], const u8 to[16])
{
	struct flowi6 fl = {
		.flowi6_oif = ifindex,
		.flowi6_proto = IPPROTO_UDP,
	};
	struct dst_entry *dst;
	int err;

	memcpy(&fl.saddr, from, sizeof(fl.saddr));
	memcpy(&fl.daddr, to, sizeof(fl.daddr));
	dst = ip6_route_output(net, NULL, &fl);
	err = dst->error;
	if (!err)
		return dst;
	dst_release(dst);
	return ERR_PTR(err);
}

struct dst_entry *glass_udp_route(struct net *net, int ifindex, const u8 from[16], const u8 to[16])
{
	return is_v4(to) ? ip4_route(net, ifindex, from, to) :
			   ip6_route(net, ifindex, from, to);
}

u32 glass_udp_cookie(struct dst_entry *dst)
{
	return dst->ops->family == AF_INET6 ? rt6_get_cookie(container_of(dst, struct rt6_info, dst)) : 0;
}

bool glass_udp_valid(struct dst_entry *dst, u32 cookie)
{
	return !READ_ONCE(dst->obsolete) || dst->ops->check(dst, cookie);
}

/* ---- multicast groups */

int glass_udp_join(struct net_device *dev, const u8 group[16])
{
	struct in_device *in_dev;

	ASSERT_RTNL();
	if (!is_v4(group))
		return ipv6_addr_is_multicast((const struct in6_addr *)group) ?
		       ipv6_dev_mc_inc(dev, (const struct in6_addr *)group) : -EINVAL;
	in_dev = __in_dev_get_rtnl(dev);
	if (!in_dev || !ipv4_is_multicast(v4_of(group)))
		return -EINVAL;
	ip_mc_inc_group(in_dev, v4_of(group));
	return 0;
}

void glass_udp_leave(struct net_device *dev, const u8 group[16])
{
	struct in_device *in_dev;

	ASSERT_RTNL();
	if (!is_v4(group)) {
		ipv6_dev_mc_dec(dev, (const struct in6_addr *)group);
		return;
	}
	in_dev = __in_dev_get_rtnl(dev);
	if (in_dev)
		ip_mc_dec_group(in_dev, v4_of(group));
}

/* ---- neighbours */

static void set_v4(u8 addr[16], __be32 v4)
{
	ipv6_addr_set_v4mapped(v4, (struct in6_addr *)addr);
}

void glass_udp_neighbour(const struct dst_entry *dst, const u8 to[16], u8 hop[16], u8 *state)
{
	const struct rtable *rt = container_of(dst, struct rtable, dst);
	struct neighbour *n = NULL;

	memcpy(hop, to, 16);
	if (dst->ops->family == AF_INET && rt->rt_gw_family == AF_INET)
		set_v4(hop, rt->rt_gw4);
	else if (dst->ops->family == AF_INET && rt->rt_gw_family == AF_INET6)
		memcpy(hop, &rt->rt_gw6, 16);
	else if (dst->ops->family == AF_INET6)
		memcpy(hop, rt6_nexthop(container_of(dst, struct rt6_info, dst), (struct in6_addr *)hop), 16);
	rcu_read_lock();
	if (is_v4(hop))
		n = __ipv4_neigh_lookup_noref(dst->dev, (__force u32)v4_of(hop));
	else if (IS_ENABLED(CONFIG_IPV6))
		n = __ipv6_neigh_lookup_noref(dst->dev, hop);
	*state = n ? READ_ONCE(n->nud_state) : NUD_NONE;
	rcu_read_unlock();
}

/* ---- sending */

struct sk_buff *glass_udp_alloc(const struct dst_entry *dst, u32 len, gfp_t gfp)
{
	u32 head = LL_RESERVED_SPACE(dst->dev) + dst->header_len + sizeof(struct ipv6hdr) +
		   sizeof(struct udphdr);
	struct sk_buff *skb = glass_netdev_frame(head + len + dst->dev->needed_tailroom, gfp);

	if (skb)
		skb_reserve(skb, head);
	return skb;
}

u32 glass_udp_gso_room(const struct dst_entry *dst)
{
	const struct net_device *dev = dst->dev;
	u32 most, head;

	/* an IPsec policy would have to split it before the interface does */
	if (!(dev->features & NETIF_F_GSO_UDP_L4) || dst->header_len ||
	    READ_ONCE(dev->gso_max_segs) < GLASS_UDP_GSO_MOST)
		return 0;
	most = min(READ_ONCE(dev->gso_max_size), (unsigned int)U16_MAX);
	/* the longest headers, that of the interface included */
	head = LL_RESERVED_SPACE(dev) + sizeof(struct ipv6hdr) + sizeof(struct udphdr);
	return most > head ? most - head : 0;
}

/*
 * netdev_alloc_frag() of newer kernels, such as 7.3, hardly ever has more than a page. Returns NULL if there is no memory;
 * else *page gets a reference.
 */
static u8 *take_piece(u32 bytes, struct page **page)
{
	struct udp_pages *p = raw_cpu_ptr(&udp_pages);
	u8 *data = NULL;

	spin_lock(&p->lock);
	/* it may give a single page where there is no longer one */
	if (skb_page_frag_refill(bytes, &p->frag, GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC) &&
	    p->frag.offset + bytes <= p->frag.size) {
		*page = p->frag.page;
		get_page(*page);
		data = page_address(*page) + p->frag.offset;
		p->frag.offset += bytes;
	}
	spin_unlock(&p->lock);
	return data;
}

u8 *glass_udp_append(struct sk_buff *skb, u32 len)
{
	u32 nr = skb_shinfo(skb)->nr_frags, bytes = SKB_DATA_ALIGN(len);
	struct page *page;
	u8 *data;

	BUILD_BUG_ON(GLASS_UDP_PIECE > PAGE_SIZE << SKB_FRAG_PAGE_ORDER);
	if (nr == MAX_SKB_FRAGS)
		return NULL;
	data = take_piece(bytes, &page);
	if (!data)
		return NULL;
	skb_add_rx_frag(skb, nr, page, data - (u8 *)page_address(page), len, bytes);
	return data;
}

void glass_udp_set_gso(struct sk_buff *skb, u32 size, u32 n)
{
	struct udphdr *uh = udp_hdr(skb);
	u32 len = skb->len - skb_transport_offset(skb);

	skb_shinfo(skb)->gso_size = size;
	skb_shinfo(skb)->gso_segs = n;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	if (skb->protocol == htons(ETH_P_IP))
		uh->check = ~udp_v4_check(len, ip_hdr(skb)->saddr, ip_hdr(skb)->daddr, 0);
	else
		uh->check = ~udp_v6_check(len, &ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr, 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

void glass_udp_headers(struct sk_buff *skb, const struct glass_udp_flow *flow, u32 more)
{
	u32 len = skb->len + more + sizeof(struct udphdr);
	struct udphdr *uh = skb_push(skb, sizeof(*uh));

	uh->source = htons(flow->sport);
	uh->dest = htons(udp_port);
	uh->len = htons(len);
	uh->check = 0;
	skb_reset_transport_header(skb);
	if (is_v4(flow->to)) {
		struct iphdr *ip = skb_push(skb, sizeof(*ip));

		*ip = (struct iphdr){
			.version = 4,
			.ihl = sizeof(*ip) / 4,
			.tos = flow->tclass,
			.tot_len = htons(len + sizeof(*ip)),
			.frag_off = htons(IP_DF),
			.ttl = flow->hops,
			.protocol = IPPROTO_UDP,
			.saddr = v4_of(flow->from),
			.daddr = v4_of(flow->to),
		};
		skb->protocol = htons(ETH_P_IP);
	} else {
		struct ipv6hdr *ip = skb_push(skb, sizeof(*ip));

		ip6_flow_hdr(ip, flow->tclass, htonl(flow->flow_label));
		ip->payload_len = htons(len);
		ip->nexthdr = IPPROTO_UDP;
		ip->hop_limit = flow->hops;
		memcpy(&ip->saddr, flow->from, sizeof(ip->saddr));
		memcpy(&ip->daddr, flow->to, sizeof(ip->daddr));
		skb->protocol = htons(ETH_P_IPV6);
	}
	skb_reset_network_header(skb);
}

int glass_udp_send(struct net *net, struct sk_buff *skb, struct dst_entry *dst)
{
	bool v4 = skb->protocol == htons(ETH_P_IP), mcast;
	struct sock *sk = skb->sk;
	struct socket *sock;
	int err;

	mcast = v4 ? ipv4_is_multicast(ip_hdr(skb)->daddr) : ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr);
	if (unlikely(mcast)) {
		/* the socket says that the datagram does not come back */
		sock = smp_load_acquire(&((struct udp_net *)net_generic(net, udp_net_id))->sock[!v4]);
		if (!sock) {
			kfree_skb(skb);
			return -ENETDOWN;
		}
		sk = sock->sk;
	}

	skb_dst_set(skb, dst_clone(dst));
	skb->dev = dst->dev;
	memset(skb->cb, 0, sizeof(skb->cb));
	err = v4 ? ip_local_out(net, sk, skb) : ip6_local_out(net, sk, skb);
	return net_xmit_eval(err);
}
