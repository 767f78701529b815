/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Newer kernels, such as 7.3: functions of UDP tunnels take a struct sock in place of a struct socket. */
#ifndef GLASS_COMPAT_UDP_H
#define GLASS_COMPAT_UDP_H

#include <net/udp_tunnel.h>

#include "compat/have.h"

#ifdef GLASS_HAVE_UDP_TUNNEL_SK
#define glass_tunnel_sock(sock) ((sock)->sk)
#else
#define glass_tunnel_sock(sock) (sock)
#endif

#endif
