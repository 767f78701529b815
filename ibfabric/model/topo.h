/* SPDX-License-Identifier: GPL-2.0-only */
/* A fabric: nodes with ports, and cables between ports. Functions that need memory exit without it.
 */
#ifndef IBFABRIC_TOPO_H
#define IBFABRIC_TOPO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "index.h"
#include "uapi/glass-cable.h"
#include "uapi/glass-fabric.h"

#define TOPO_NAME	 32 /* bytes of a name, with the NUL */
#define TOPO_DESC	 64 /* bytes of a NodeDescription, without a NUL */
#define TOPO_NODES_MAX	 65536
#define TOPO_PORTS_MAX	 254	   /* of a node */
#define TOPO_ALL_PORTS	 (1 << 20) /* of all nodes */
#define TOPO_REAL_MAX	 32	   /* HCAs: libibumad opens no more local adapters */
#define TOPO_REAL_PORTS	 2	   /* of an HCA: OpenSM accepts no more */
#define TOPO_COMMAND_MAX 4095	   /* bytes of one write(2) of commands */

/* Rates of ports by default: 1x and 4x, up to EDR */
#define TOPO_WIDTH_DEFAULT 4
#define TOPO_SPEED_DEFAULT TOPO_SPEED_edr

enum topo_kind {
	TOPO_HCA, /* with an InfiniBand device */
	TOPO_CA,  /* passive: agents alone */
	TOPO_SWITCH,
};

/* Speeds by rising rate; 0: not given */
#define TOPO_SPEEDS(X)		    X(sdr, 2.5) X(ddr, 5) X(qdr, 10) X(fdr, 14) X(edr, 25) X(hdr, 50) X(ndr, 100)
#define TOPO_SPEED_ENUM(word, rate) TOPO_SPEED_##word,
enum topo_speed { TOPO_SPEED_NONE, TOPO_SPEEDS(TOPO_SPEED_ENUM) TOPO_SPEED_COUNT };

/* The place in a file that something comes from */
struct topo_place {
	uint16_t file; /* number in topo_report */
	uint32_t line; /* 0: from no file */
};

struct topo_port {
	uint64_t guid;	/* 0: the driver chooses it */
	uint32_t cable; /* its number + 1; 0: none */
	uint8_t netcable; /* number + 1 of its netdev cable; 0: none */
	/* read from the driver */
	uint16_t lid;			    /* 0: none */
	uint8_t active_width, active_speed; /* of a port with a netdev cable; 0: its link is down */
	char state[12];			    /* of a port with a netdev cable; "": unknown */
};

#define TOPO_NETDEV (GLASS_FABRIC_NETDEV_MAX + 1) /* bytes of the name of an interface, with the NUL */

/* The interface of an HCA with an Ethernet port, which has no cable; read from the driver */
struct topo_ether {
	char netdev[TOPO_NETDEV];
	char *netns;		/* as topo_node.netns, of the interface */
	uint64_t netns_number;	/* as topo_node.netns_number */
	char state[12];		/* "": unknown */
	uint32_t netdev_mtu;	/* bytes; 0: unknown */
	uint32_t gids;
};

struct topo_node {
	char name[TOPO_NAME];
	enum topo_kind kind;
	bool router; /* in the dump; loaded as a passive CA */
	bool has_vendor, has_devid;
	bool no_sysguid;     /* the system image GUID is 0, as of a node that has none */
	bool enhanced;	     /* a switch: its port 0 is an enhanced one */
	bool no_enforcement; /* a switch: it does not offer to enforce partitions */
	uint8_t width;	     /* the most lanes that the ports support; 0: the driver chooses */
	uint8_t speed;	     /* enum topo_speed that they support; 0: the driver chooses */
	bool gone;	     /* removed; all other fields are void */
	uint16_t ports;
	uint64_t guid, sysguid; /* 0: the driver chooses it, but see no_sysguid */
	uint32_t vendor, devid;
	char *desc;		/* NULL: the driver chooses it */
	struct topo_port *port; /* [0 .. ports]; [0] of a switch is its port 0 */
	struct topo_place place;
	/* read from the driver */
	char *device; /* InfiniBand device; NULL: none */
	char *netns;  /* name of its network namespace; NULL: that of the program, or unnamed */
	uint64_t netns_number; /* inode of that namespace; 0: unknown, or that of the program */
	uint32_t lid; /* 0: none */
	struct topo_ether *ether; /* NULL: its ports are InfiniBand ports */
};

struct topo_end {
	uint32_t node;
	uint16_t port;
};

struct topo_cable {
	struct topo_end end[2];
	uint8_t width; /* 1, 2, 4, 8, 12; 0: not limited */
	uint8_t speed; /* enum topo_speed */
	uint16_t mtu;  /* bytes; 0: not limited */
	bool pulled;
	bool gone; /* removed */
	struct topo_place place;
	/* read from the driver */
	char state[2][12];		    /* "": unknown; "-": no such port now */
	uint8_t active_width, active_speed; /* 0: the link is down */
};

#define TOPO_REMOTE 72 /* bytes of "node:port" of another host, and of a host's name, with the NUL */

/* A port of another host, as its hello names it */
struct topo_remote {
	char port[TOPO_REMOTE]; /* "node:port"; "": unknown */
	char host[TOPO_REMOTE];
};

/* A netdev cable: from a port to another host's fabric, by a network interface */
struct topo_netcable {
	struct topo_end end;
	char netdev[TOPO_NETDEV];
	char *netns; /* network namespace as netns= names it; NULL: that of the program, or unnamed */
	uint8_t width, speed; /* as of topo_cable */
	uint16_t mtu;	      /* bytes; 0: not limited */
	uint32_t silence;     /* ms; 0: the driver chooses */
	bool vcrc, pulled;
	bool gone; /* removed */
	struct topo_place place;
	/* read from the driver */
	bool known;		    /* the fields below are valid */
	uint64_t netns_number;	    /* inode of the namespace; 0: unknown, or that of the program */
	uint8_t state, trouble;	    /* enum glass_cable_state, enum glass_cable_trouble */
	struct topo_remote peer;    /* HEARD and UP */
	struct topo_remote other;   /* the port that disturbs: VERSION and THIRD */
	uint64_t peer_guid;
	uint32_t netdev_mtu, link_mtu; /* bytes; 0: unknown */
};

/* Zero it before the first use. */
struct topo {
	struct topo_node *node;
	uint32_t nodes, node_room;
	struct topo_cable *cable;
	uint32_t cables, cable_room;
	struct topo_netcable *netcable;
	uint32_t netcables, netcable_room;
	uint32_t all_ports;
	struct topo_index names;
	struct topo_index numbered; /* the last number that topo_name_make() appended */
};

/*
 * The functions that change a fabric return NULL, or the reason why they refuse. The caller frees
 * it.
 */

/* Adds a node; *number is its place in t->node. The name must be legal and new, ports 1 .. 254. */
char *topo_add_node(struct topo *t, enum topo_kind kind, const char *name, unsigned int ports,
		    uint32_t *number);
/* Renames a node. The name must be legal and new. */
char *topo_rename(struct topo *t, uint32_t number, const char *name);
/* Adds a cable between two free ports of the fabric; *number is its place in t->cable. */
char *topo_add_cable(struct topo *t, struct topo_end a, struct topo_end b, uint32_t *number);
void topo_remove_cable(struct topo *t, uint32_t number);
/*
 * Adds a netdev cable at a free port; *number is its place in t->netcable. The name must be legal
 * (topo_netdev_legal()).
 */
char *topo_add_netcable(struct topo *t, struct topo_end end, const char *netdev, uint32_t *number);
void topo_remove_netcable(struct topo *t, uint32_t number);
/* Removes a node with its cables. */
void topo_remove_node(struct topo *t, uint32_t number);

/*
 * Lets the ports of a node support the widest and the fastest of its cables, if ports do not do so
 * by default.
 */
void topo_set_rates(struct topo *t);

/* Returns the number of a node, or -1. */
int64_t topo_find(const struct topo *t, const char *name);
/* Returns the name nearest to an unknown one, or NULL. */
const char *topo_nearest(const struct topo *t, const char *name);
/*
 * Reads "NAME:PORT", len bytes. Returns NULL, or the reason why it is no port of the fabric, which
 * the caller frees.
 */
char *topo_read_end(const struct topo *t, const char *text, size_t len, struct topo_end *to);
/* Returns the end of the cable at a port, or false if there is none. */
bool topo_peer(const struct topo *t, struct topo_end from, struct topo_end *to);

/* The netdev cable at a port, or NULL */
const struct topo_netcable *topo_netcable_at(const struct topo *t, struct topo_end at);
/*
 * Returns the name of the interface, "wire" or "wire in far": the caller's namespace has no name.
 * The caller frees it.
 */
char *topo_netdev_name(const struct topo_netcable *c);

/*
 * Returns "2 HCAs, 30 passive adapters, 4 switches, 40 cables", and ", 1 netdev cable" if there is
 * one. The caller frees it.
 */
char *topo_counts(const struct topo *t);

void topo_free(struct topo *t);

/* Is it 1 .. 31 letters, digits, "._-", the first a letter or digit, and not "fabric"? */
bool topo_name_legal(const char *name);
/*
 * Makes a legal name of a text, such as a node description: other characters become '_', and a
 * number is appended if the name is taken or is "fabric". `fallback` is the name of a text without
 * letters.
 */
void topo_name_make(struct topo *t, const char *text, const char *fallback, char name[TOPO_NAME]);

/* Words: "hca", "ca", "switch"; "edr", or NULL for TOPO_SPEED_NONE */
const char *topo_kind_word(enum topo_kind kind);
const char *topo_speed_word(unsigned int speed);
/* Return 0 if the word is none. */
unsigned int topo_speed_find(const char *word, size_t len);
bool topo_width_legal(uint64_t width);
bool topo_mtu_legal(uint64_t mtu);
/* Is it 1 .. 15 bytes without / and : ? */
bool topo_netdev_legal(const char *name, size_t len);

#endif
