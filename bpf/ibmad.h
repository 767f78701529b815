/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_IBMAD_H
#define GLASS_IBMAD_H

#include "common/shared.h"

enum ibmad_source { MAD_OF_GLASS, MAD_OF_CORE };

struct ibmad_event {
	struct event_head head; /* type: enum ibmad_source */
	__u64 tid;
	__u32 port, attr_mod;
	__u32 slid, dlid; /* slid: only of received MADs; dlid: only of sent ones */
	__u16 attr, status;
	__u8 dir, mgmt_class, method;
};

#endif
