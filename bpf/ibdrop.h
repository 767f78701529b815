/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBDROP_H
#define GLASS_IBDROP_H

#include "common/shared.h"

struct ibdrop_key {
	union dev_name dev;
	__u32 port;
	__u8 reason, place;
	__u8 pad[2];
};

struct ibdrop_event {
	struct event_head head; /* pid, comm: owner of the destination QP */
	__u64 flow;
	__u32 port, dqpn, psn, len;
	__u16 slid, dlid;
	__u8 opcode, reason, place;
};

#endif
