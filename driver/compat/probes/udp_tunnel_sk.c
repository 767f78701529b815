// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Does udp_tunnel_sock_release() take a struct sock? */
#include <net/udp_tunnel.h>

void probe(struct sock *sk);

void probe(struct sock *sk)
{
	udp_tunnel_sock_release(sk);
}
