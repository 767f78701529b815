/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Newer kernels, such as 7.3: functions of UDP tunnels take a struct sock in place of a struct socket.
 * Before 6.7, the flags of a UDP socket were bit fields.
 */
#ifndef GLASS_COMPAT_UDP_H
#define GLASS_COMPAT_UDP_H

#include <net/udp_tunnel.h>

#include "compat/have.h"

#ifdef GLASS_HAVE_UDP_TUNNEL_SK
#define glass_tunnel_sock(sock) ((sock)->sk)
#else
#define glass_tunnel_sock(sock) (sock)
#endif

/* The socket takes frames of several datagrams (SKB_GSO_UDP_L4). */
static inline void glass_udp_accept_gso(struct sock *sk)
{
#ifdef GLASS_HAVE_UDP_FLAGS
	udp_set_bit(ACCEPT_L4, sk);
#else
	udp_sk(sk)->accept_udp_l4 = 1;
#endif
}

#endif
