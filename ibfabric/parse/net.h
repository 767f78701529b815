/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the parts of the parser of ibnetdiscover's output and ibsim's net files. */
#ifndef IBFABRIC_NET_H
#define IBFABRIC_NET_H

#include "parse.h"

#define NET_ID 128 /* bytes of an id in quotes, with prefix and NUL */

/* The port of a node that a line "[PORT] "ID"[PORT]" describes */
struct net_end {
	struct topo_end at;
	char *remote; /* id, or alias */
	uint16_t remote_port;
	uint64_t remote_guid;	      /* of the remote port; 0: not given */
	bool by_alias;		      /* the remote node lists no cable of its own */
	uint8_t width;		      /* in words: "4xEDR"; 0: not given */
	uint8_t speed;		      /* enum topo_speed, in words */
	int widths, speeds, extended; /* masks of ibsim's w=, s=, e=; -1: not given */
	struct topo_place place;
};

/* GUIDs that are counted up from switchguid=, caguid=, rtguid= */
struct net_base {
	uint64_t absolute, next;
	uint64_t port_zero; /* in parentheses; 0: not given */
	bool given, fresh;  /* fresh: for the next node */
};

struct net {
	struct parse *p;
	struct net_end *end;
	uint32_t ends, room;
	struct topo_index ids;	   /* of nodes */
	struct topo_index aliases; /* to ends of the list `alias` */
	struct topo_end *alias;
	uint32_t alias_count, alias_room;
	char prefix[NET_ID];
	struct net_base base[2]; /* of switches, and of adapters and routers */
	uint64_t sysguid;
	uint32_t vendor, devid;
	bool has_sysguid, has_vendor, has_devid;
	int widths, speeds, extended; /* for the ports that follow; -1: not given */
	int64_t node;		      /* that port lines belong to; -1: none */
	bool bad_node;		      /* it was refused, and its lines are skipped */
	unsigned int depth;
	bool said_fdr10, said_xdr, said_router;
};

/* Reads the node in a line "Switch 36 "ID" # "DESC" ...". */
void net_node(struct net *net, struct topo_place place, enum topo_kind kind, bool router,
	      const char *line);
/* Reads a line "[PORT] ..." or "@[PORT] "ALIAS"". */
void net_port(struct net *net, struct topo_place place, const char *line);
/* Makes cables of the ends, and completes GUIDs. */
void net_resolve(struct net *net);

/* Expands an id of the file by the prefix of module=. Returns false, after an error, if it is too
 * long. */
bool net_expand(struct net *net, struct topo_place place, const char *id, size_t len,
		char to[NET_ID]);
/* Reads decimal digits. Returns false without any, or above 2^31. */
bool net_number(const char **at, unsigned int *to);
/* Reads the text between quotes. Returns false without both. */
bool net_quoted(const char **at, const char **text, size_t *len);

#endif
