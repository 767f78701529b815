/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Functions of the engine, the layer above links. Links call them, with no lock held. */
#ifndef GLASS_LINK_ENV_H
#define GLASS_LINK_ENV_H

#include "model/links.h"

struct glass_batch;
struct glass_congestion;
struct glass_frames;
struct glass_run;

/*
 * Receives a packet that has arrived at an HCA's port. run is the struct glass_run
 * (engine/engine.h) of the sending context, or NULL if that context has none. Process context.
 */
void glass_port_receive(struct glass_link_port *lp, const struct glass_pkt *pkt,
			struct glass_run *run);
/*
 * As glass_port_receive(), for a multicast packet that lp itself has sent. Does nothing unless a QP
 * of this port is a member of the group.
 */
void glass_port_loopback(struct glass_link_port *lp, const struct glass_pkt *pkt,
			 struct glass_run *run);
/*
 * An Ethernet port has received a packet that a switch has marked (CE). If the packet is for a
 * connected QP, the QP may send a CNP. glass_port_receive() follows.
 */
void glass_port_marked(struct glass_link_port *lp, const struct glass_pkt *pkt,
		       struct glass_run *run);
/*
 * The packet, whose QP has its turn in `run`, was sent by an Ethernet port in `bytes` bytes. If CNPs
 * limit the QP, it waits before it sends the next one (engine/pace.c).
 */
void glass_run_pace(struct glass_run *run, const struct glass_pkt *pkt, u32 bytes);

/* Reports a change of a port to consumers. Calls for one port never overlap. Any context. */
void glass_port_changed(struct glass_link_port *lp, const struct glass_port_change *c);

/*
 * The QP whose packet `run` is sending shall wait before it sends another one, because too many
 * frames of a cable are on their way (engine/congestion.c).
 */
void glass_run_slow(struct glass_run *run, struct glass_congestion *g);
/* Returns the batch of a run. */
struct glass_batch *glass_run_batch(struct glass_run *run);
/*
 * Is pkt the packet of the QP that has its turn in `run`, and is the QP likely to send another one
 * in this turn? A hint.
 */
bool glass_run_follows(const struct glass_run *run, const struct glass_pkt *pkt);
/* Sets up the place where QPs wait for a cable. */
void glass_congestion_init(struct glass_congestion *g);
/* A lane shall call glass_link_frames() for this queue. Any context. */
void glass_lane_frames(struct glass_frames *q);
/*
 * Call glass_frames_hold() before a short unicast packet of `run`, or a batch whose last packet it is, is
 * passed to a network interface. It returns false if `run` is NULL, or nobody seems to wait for the packet.
 * If it returns true, call glass_frames_release() afterwards; preemption is off in between. Frames that
 * meanwhile come in on this CPU wake no lane. If the peer is on this host, the packet is among them.
 * glass_frames_release() processes the first frame of each such lane without sleeping, and wakes the lanes
 * that have more frames. Call both in process context, without locks.
 */
#define GLASS_AT_ONCE 1024 /* a short packet has at most this many bytes: another CPU may copy longer ones */
bool glass_frames_hold(const struct glass_run *run, const struct glass_pkt *pkt);
void glass_frames_release(struct glass_run *run);
/* On return, no lane uses the queue. The caller makes sure that nobody passes it again. May sleep. */
void glass_lane_forget(struct glass_frames *q);

#endif
