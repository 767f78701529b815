// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Are the flags of a UDP socket bits that udp_set_bit() sets? */
#include <linux/udp.h>

void probe(struct sock *sk);

void probe(struct sock *sk)
{
	udp_set_bit(ACCEPT_L4, sk);
}
