/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Static probes (USDT) of provider "glass", for events that never enter the kernel. Each probe is a
 * single no-op until a tracer sets a breakpoint there. The probes are part of the trace ABI;
 * tracepoints/README.md is the reference.
 *
 *   post_send(qpn, wr_id, op, flow, num_sge)      each send request put into its ring
 *   post_recv(num, wr_id, num_sge, is_srq)        each receive; num: QPN or SRQ number
 *   poll(cqn, qpn, wr_id, status, op, flow)       each completion that was taken
 *   poll_cq(cqn, num_entries, count)              each call, also if it finds nothing
 *   doorbell(qpn, count)                          the provider wakes the kernel for count requests
 */
#ifndef GLASS_PROVIDER_PROBES_H
#define GLASS_PROVIDER_PROBES_H

#include <sys/sdt.h>

#define glass_probe_post_send(qpn, wr_id, op, flow, num_sge) \
	DTRACE_PROBE5(glass, post_send, qpn, wr_id, op, flow, num_sge)
#define glass_probe_post_recv(num, wr_id, num_sge, is_srq) \
	DTRACE_PROBE4(glass, post_recv, num, wr_id, num_sge, is_srq)
#define glass_probe_poll(cqn, qpn, wr_id, status, op, flow) \
	DTRACE_PROBE6(glass, poll, cqn, qpn, wr_id, status, op, flow)
#define glass_probe_poll_cq(cqn, num_entries, count) \
	DTRACE_PROBE3(glass, poll_cq, cqn, num_entries, count)
#define glass_probe_doorbell(qpn, count) DTRACE_PROBE2(glass, doorbell, qpn, count)

#endif
