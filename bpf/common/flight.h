/* SPDX-License-Identifier: GPL-2.0-only */
/* A send work request from post to poll, for wrlat and ibslower */
#ifndef GLASS_BPF_FLIGHT_H
#define GLASS_BPF_FLIGHT_H

#include "common/shared.h"

/*
 * The moments of a request, and the name of the stage that ends at each: X(MOMENT, stage, meaning)
 */
#define FLIGHT_STAGES(X)                                                                 \
	X(POST, none, "posted by the program")                                           \
	X(TAKE, post, "from the program's post until the driver takes the request")      \
	X(WIRE, queue, "from there until its first packet begins")                       \
	X(ACK, wire, "from there until it is acknowledged, with all that is sent again") \
	X(CQE, cqe, "from there until its completion is in the CQ")                      \
	X(POLL, poll, "from there until the program takes it out")

#define FLIGHT_E(name, stage, meaning) AT_##name,
enum flight_moment { FLIGHT_STAGES(FLIGHT_E) FLIGHT_MOMENTS };

/* A moment that was not observed is 0. */
struct flight {
	__u64 ns[FLIGHT_MOMENTS];
	__u64 wr_id, flow;
	__u32 pid, qpn, len;
	__u16 timeouts, naks, rnrs;
	__u8 op, status, signaled;
	char comm[BPF_COMM_LEN];
	union dev_name dev;
};

#endif
