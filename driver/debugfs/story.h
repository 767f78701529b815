/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The story of a failure (uapi/glass-failure.h), while it is written. observe/blackbox.c calls the
 * functions of observe/env.h, which story.c defines; the other sources story_*.c have one or more
 * tables each.
 */
#ifndef GLASS_DEBUGFS_STORY_H
#define GLASS_DEBUGFS_STORY_H

#include "debugfs/lines.h"
#include "observe/blackbox.h"
#include "observe/flight_pick.h"

#define GLASS_STORY_LKEYS 4 /* L_Keys of a request that a story looks up */

/* The most bytes of each part of a story; the sum is GLASS_STORY_BYTES. */
#define GLASS_STORY_END_BYTES (10 * 1024) /* local, and remote */
#define GLASS_STORY_PACKETS_BYTES (19 * 1024 + 512)
#define GLASS_STORY_TABLES_BYTES (25 * 1024 + 512) /* the sum of the tables below */
#define GLASS_STORY_DROPS_BYTES (6 * 1024)
#define GLASS_STORY_JOURNAL_BYTES (3 * 1024)
#define GLASS_STORY_GONE_QPS_BYTES (2 * 1024)
#define GLASS_STORY_KEYS_BYTES (4 * 1024)
#define GLASS_STORY_PROCESSES_BYTES 1024
#define GLASS_STORY_CONNECTED_BYTES 1024
#define GLASS_STORY_PORTS_BYTES (3 * 1024)
#define GLASS_STORY_ROUTES_BYTES 1024
#define GLASS_STORY_NETWORK_BYTES 512
#define GLASS_STORY_RULES_BYTES (2 * 1024)
#define GLASS_STORY_LINT_BYTES (2 * 1024)

struct glass_story {
	struct glass_snap *ready; /* memory for the copy of a QP, allocated before the failure */
	struct glass_snap *local; /* the object that failed: `ready`, or an own one; NULL: none */
	struct glass_fabric *fabric;
	u64 since; /* ktime_get_ns() when the oldest request was posted; 0: there is none */
	/* of a connected QP of an Ethernet port; else `ethernet` is false */
	bool ethernet;
	u8 sgid[16], dgid[16];
	u16 lid; /* LID from which a connected QP sends; 0: not known */
	/* keys of the oldest request, and the PDs of the QP and its peer; 0: none, or not known */
	u32 rkey, lkey[GLASS_STORY_LKEYS], nlkeys, pdn, peer_pdn;
	/* words for the states of the processes of both ends; NULL: there is no process */
	const char *local_process, *peer_process;
	/* from here on, glass_box_env_begin() sets the fields for glass_box_env_end() */
	struct glass_lines *text; /* the story so far; NULL: there was no memory */
	struct glass_lines *tables; /* the tables behind `packets` */
	struct glass_pick *pick; /* the packets before the failure; NULL: there was no memory */
};

/*
 * Returns the adapter of this host with this index, with a reference (ib_device_put()): it cannot
 * be unplugged while the reference is held. NULL: there is none, or it is being unplugged.
 */
struct glass_dev *glass_story_hold(struct glass_fabric *fabric, u32 hca);

/*
 * Notes the states of the processes of both ends, as they are at the failure: a process that is stopped
 * may go on, or be killed, before the story is written. Any context.
 */
void glass_story_note_processes(struct glass_story *s, const struct glass_failure *f);

/* Sets `name` to the name of the adapter with this index, or to "#INDEX" if it is unplugged. */
void glass_story_device(struct glass_fabric *fabric, u32 hca, char name[IB_DEVICE_NAME_MAX]);

/* Goes through the packets of a pick, which may be NULL: those sent, then those received, newest first. */
#define FOR_EACH_PICKED(p, pick, dir, i)                                                           \
	for (dir = 0; (pick) && dir < 2; dir++)                                                    \
		for (i = 0; i < (pick)->n[dir] && ((p) = &(pick)->at[dir][i]); i++)

/*
 * Print the tables of the same names. dev, peer: the two adapters, with references; each may be
 * NULL, and both may be the same.
 */
void glass_story_packets(struct glass_lines *l, const struct glass_story *s,
			 struct glass_pick *later, struct glass_failure *f);
void glass_story_drops(struct glass_lines *l, const struct glass_story *s,
		       const struct glass_failure *f, struct glass_dev *dev, struct glass_dev *peer);
void glass_story_journal(struct glass_lines *l, const struct glass_story *s,
			 const struct glass_failure *f, struct glass_dev *dev,
			 struct glass_dev *peer);
void glass_story_gone_qps(struct glass_lines *l, const struct glass_story *s,
			  struct glass_failure *f);
void glass_story_processes(struct glass_lines *l, const struct glass_story *s,
			   const struct glass_failure *f);

/* Prints the table `keys` with the keys that are known at the failure. It must be the last table. */
void glass_story_keys(struct glass_lines *l, const struct glass_story *s, struct glass_failure *f);
/* Adds rows for the keys of packets that were recorded later. */
void glass_story_later_keys(struct glass_lines *l, const struct glass_story *s,
			    const struct glass_pick *later, struct glass_failure *f);

/* Prints the table, and sets f->connected. */
void glass_story_connected(struct glass_lines *l, const struct glass_story *s,
			   struct glass_failure *f, struct glass_dev *dev);
void glass_story_ports(struct glass_lines *l, const struct glass_story *s, struct glass_failure *f,
		       struct glass_dev *dev, struct glass_dev *peer);
void glass_story_rules(struct glass_lines *l, const struct glass_story *s,
		       const struct glass_failure *f, struct glass_dev *dev, struct glass_dev *peer);
void glass_story_lint(struct glass_lines *l, const struct glass_failure *f, struct glass_dev *dev,
		      struct glass_dev *peer);
/* A switch on the way to the peer before a route was lost. */
struct glass_route_hop {
	const struct glass_net_node *node;
	u32 port; /* of the switch, to which the route led, or leads */
	u64 lost; /* ktime_get_ns() when the subnet manager took the route away; 0: it is there */
};

#define GLASS_STORY_HOPS 8 /* switches of a way that a story tells */

/*
 * story_route.c: finds the way from the switch on that had no route for packets to the peer. Returns
 * the number of its switches; 0: no switch lacked a route, or it no longer remembers the route. Takes
 * fabric->lock. The caller reads fabric->walks while it uses the nodes.
 */
u32 glass_story_route(const struct glass_story *s, struct glass_dev *dev,
		      struct glass_route_hop hop[GLASS_STORY_HOPS]);
/* Prints the table. */
void glass_story_routes(struct glass_lines *l, const struct glass_story *s,
			const struct glass_failure *f, struct glass_dev *dev);
/* Writes node:port. The caller holds fabric->lock. */
void glass_story_port_name(char to[GLASS_BOX_PORT], const struct glass_net_node *node, u32 port);
/* story_network.c: prints the table. */
void glass_story_network(struct glass_lines *l, const struct glass_story *s,
			 const struct glass_failure *f, struct glass_dev *dev);
/* Sets f->dlid_port. */
void glass_story_dlid_port(const struct glass_story *s, struct glass_failure *f);
/* Does a dropped packet concern the failure? local: the device of the failed object counted it. */
bool glass_story_is_drop(const struct glass_dropped *e, const struct glass_story *s,
			 const struct glass_failure *f, bool local);

#endif
