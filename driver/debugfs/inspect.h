/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A snapshot is a copy of one object, for glassN/inspect and glassN/details/. The driver first
 * allocates the memory, and then copies the object. A QP is copied as a whole, under the QP's lock.
 * The ring of a CQ or an SRQ is copied in several pieces. The driver formats the copy later. By
 * then the object may have changed, or may be destroyed.
 *
 * A snapshot has parts: first the object itself, then its sections. A section may have entries,
 * such as the work requests in a queue.
 */
#ifndef GLASS_DEBUGFS_INSPECT_H
#define GLASS_DEBUGFS_INSPECT_H

#include "debugfs/dump.h"

#define GLASS_INSPECT_ERROR 96 /* size of an error text in bytes, with its NUL */
#define GLASS_INSPECT_PARTS 12 /* maximum number of parts of a snapshot */
#define GLASS_INSPECT_CQES 16384 /* maximum number of completions in a snapshot of a CQ */
#define GLASS_INSPECT_USERS_MAX 1024 /* maximum number of QPs shown for a CQ or SRQ */

/*
 * Constants for the sections and for the kinds of entries in uapi/glass-inspect.h:
 * GLASS_SEC_qp_why, GLASS_ENT_qp_wqe ...
 */
#define GLASS_E_SEC(kind, name, table) GLASS_SEC_##kind##_##name,
#define GLASS_E_ENT(kind, section, name, table) GLASS_ENT_##kind##_##name,
enum glass_section { GLASS_SECTIONS(GLASS_E_SEC) GLASS_SEC_COUNT };
enum glass_entry { GLASS_ENTRIES(GLASS_E_ENT) GLASS_ENT_COUNT };

/* GLASS_AT(QP_WQE, index) is the number of the column `index` in the table GLASS_INSPECT_QP_WQE. */
#define GLASS_AT(TABLE, name) GLASS_AT_##TABLE##_##name

#define GLASS_AT_QP_WHY(name, unit, meaning) GLASS_AT_QP_WHY_##name,
#define GLASS_AT_QP_ATTR(name, unit, meaning) GLASS_AT_QP_ATTR_##name,
#define GLASS_AT_QP_PEER(name, unit, meaning) GLASS_AT_QP_PEER_##name,
#define GLASS_AT_QP_SENT_TO(name, unit, meaning) GLASS_AT_QP_SENT_TO_##name,
#define GLASS_AT_QP_TIMERS(name, unit, meaning) GLASS_AT_QP_TIMERS_##name,
#define GLASS_AT_QP_REQUESTER(name, unit, meaning) GLASS_AT_QP_REQUESTER_##name,
#define GLASS_AT_QP_RESPONDER(name, unit, meaning) GLASS_AT_QP_RESPONDER_##name,
#define GLASS_AT_QP_ANSWER(name, unit, meaning) GLASS_AT_QP_ANSWER_##name,
#define GLASS_AT_QP_ERROR(name, unit, meaning) GLASS_AT_QP_ERROR_##name,
#define GLASS_AT_QP_CHANGE(name, unit, meaning) GLASS_AT_QP_CHANGE_##name,
#define GLASS_AT_QP_HISTORY(name, unit, meaning) GLASS_AT_QP_HISTORY_##name,
#define GLASS_AT_QP_SQ(name, unit, meaning) GLASS_AT_QP_SQ_##name,
#define GLASS_AT_QP_WQE(name, unit, meaning) GLASS_AT_QP_WQE_##name,
#define GLASS_AT_QP_RQ(name, unit, meaning) GLASS_AT_QP_RQ_##name,
#define GLASS_AT_QP_RWQE(name, unit, meaning) GLASS_AT_QP_RWQE_##name,
#define GLASS_AT_SRQ_RQ(name, unit, meaning) GLASS_AT_SRQ_RQ_##name,
#define GLASS_AT_CQ_RING(name, unit, meaning) GLASS_AT_CQ_RING_##name,
#define GLASS_AT_CQ_CQE(name, unit, meaning) GLASS_AT_CQ_CQE_##name,
#define GLASS_AT_USERS(name, unit, meaning) GLASS_AT_USERS_##name,
#define GLASS_AT_USER(name, unit, meaning) GLASS_AT_USER_##name,
#define GLASS_AT_PORT_PKEY(name, unit, meaning) GLASS_AT_PORT_PKEY_##name,
#define GLASS_AT_PORT_GID(name, unit, meaning) GLASS_AT_PORT_GID_##name,
#define GLASS_AT_MCAST_MEMBER(name, unit, meaning) GLASS_AT_MCAST_MEMBER_##name,
#define GLASS_AT_LIST(name, unit, meaning) GLASS_AT_LIST_##name,

enum { GLASS_INSPECT_QP_WHY(GLASS_AT_QP_WHY) };
enum { GLASS_INSPECT_QP_ATTR(GLASS_AT_QP_ATTR) };
enum { GLASS_INSPECT_QP_PEER(GLASS_AT_QP_PEER) };
enum { GLASS_INSPECT_QP_SENT_TO(GLASS_AT_QP_SENT_TO) };
enum { GLASS_INSPECT_QP_TIMERS(GLASS_AT_QP_TIMERS) };
enum { GLASS_INSPECT_QP_REQUESTER(GLASS_AT_QP_REQUESTER) };
enum { GLASS_INSPECT_QP_RESPONDER(GLASS_AT_QP_RESPONDER) };
enum { GLASS_INSPECT_QP_ANSWER(GLASS_AT_QP_ANSWER) };
enum { GLASS_INSPECT_QP_ERROR(GLASS_AT_QP_ERROR) };
enum { GLASS_INSPECT_QP_CHANGE(GLASS_AT_QP_CHANGE) };
enum { GLASS_INSPECT_QP_HISTORY(GLASS_AT_QP_HISTORY) };
enum { GLASS_INSPECT_QP_SQ(GLASS_AT_QP_SQ) };
enum { GLASS_INSPECT_QP_WQE(GLASS_AT_QP_WQE) };
enum { GLASS_INSPECT_QP_RQ(GLASS_AT_QP_RQ) };
enum { GLASS_INSPECT_QP_RWQE(GLASS_AT_QP_RWQE) };
enum { GLASS_INSPECT_SRQ_RQ(GLASS_AT_SRQ_RQ) };
enum { GLASS_INSPECT_CQ_RING(GLASS_AT_CQ_RING) };
enum { GLASS_INSPECT_CQ_CQE(GLASS_AT_CQ_CQE) };
enum { GLASS_INSPECT_USERS(GLASS_AT_USERS) };
enum { GLASS_INSPECT_USER(GLASS_AT_USER) };
enum { GLASS_INSPECT_PORT_PKEY(GLASS_AT_PORT_PKEY) };
enum { GLASS_INSPECT_PORT_GID(GLASS_AT_PORT_GID) };
enum { GLASS_INSPECT_MCAST_MEMBER(GLASS_AT_MCAST_MEMBER) };
enum { GLASS_INSPECT_LIST(GLASS_AT_LIST) };

struct glass_snap;

/* A part of a snapshot: the object itself, or a section. */
struct glass_part {
	const char *name; /* the section's name; NULL: the part is the object itself */
	const struct glass_fields *fields; /* the columns of `row` */
	struct glass_row row;
	/*
	 * The members below describe the section's entries. glass_snap_entries() sets them. In a
	 * part without entries they are all 0.
	 */
	const char *entry_name;
	const struct glass_fields *entry_fields;
	u32 n; /* number of entries */
	/* Fills the cleared row *r with entry i of the section. Afterwards *r may point into *s. */
	void (*fill)(struct glass_row *r, const struct glass_snap *s, u32 i);
};

/*
 * The kinds of objects. The name of a kind is the first word of a command to glassN/inspect, and
 * the name of a file in glassN/details/.
 */
#define GLASS_INSPECT_KINDS(X)                                                                     \
	X(ucontext)                                                                                \
	X(pd)                                                                                      \
	X(mr)                                                                                      \
	X(mw)                                                                                      \
	X(dm)                                                                                      \
	X(xrcd)                                                                                    \
	X(cq)                                                                                      \
	X(srq)                                                                                     \
	X(qp)                                                                                      \
	X(ah)                                                                                      \
	X(port)                                                                                    \
	X(mcast)                                                                                   \
	X(switch)

#define GLASS_E_INSPECT_KIND(kind) GLASS_INSPECT_##kind,
enum glass_inspect_kind { GLASS_INSPECT_KINDS(GLASS_E_INSPECT_KIND) GLASS_INSPECT_KIND_COUNT };

/* Identifies an object among the objects of its kind. The kind is passed separately. */
struct glass_inspect_name {
	u32 num; /* the object's number; not used for mcast */
	u32 port; /* the port of a QP0 or QP1; else 0 */
	u8 mgid[16]; /* the MGID of the group; only used for mcast */
};

/*
 * The peer of a connected QP, or the QP that the last request of a UD QP names, as the snapshot of
 * the QP found it.
 */
struct glass_snap_peer {
	u16 dlid; /* the LID to which the QP sends; 0: there is no such peer, or it is at an Ethernet port */
	bool ethernet; /* the QP sends from an Ethernet port to the GID dgid */
	u8 dgid[16];
	u32 qpn; /* the QP to which it is connected, or sent last */
	u8 hca; /* index of the adapter that has the LID or GID; valid if dev is not empty */
	/* its name; empty: no adapter of this host has it, or it is unknown which of several */
	char dev[IB_DEVICE_NAME_MAX];
	u32 port; /* the port that has the LID or GID; 0: none */
	bool found; /* the adapter has a QP with this number, and the fields below are valid */
	u8 state;
	u32 dest_qpn;
	struct glass_owner owner;
};

/* Is there a peer? */
static inline bool glass_snap_has_peer(const struct glass_snap_peer *p)
{
	return p->dlid || p->ethernet;
}

struct glass_snap {
	struct glass_dev *dev;
	u64 now; /* ktime_get_ns() when the driver began to copy the object */
	/*
	 * The snapshot has at most this many entries of each queue, answers and users of a CQ or
	 * SRQ, oldest first; 0: all
	 */
	u32 most;
	char title[64]; /* kind and name of the object: "qp 0x11" */
	u32 nparts;
	struct glass_part part[GLASS_INSPECT_PARTS];
	void *mem[4]; /* arrays of entries; each kind of object has its own indices (MEM_*) */
	size_t stride[4]; /* for each array: the size of an entry in bytes */
	u32 room[4]; /* for each array: the number of entries */
	struct glass_snap_peer peer, sent_to; /* of a QP */
	bool failed_recv; /* the receive that the QP took last has failed: show it as if it were being filled */
};

/*
 * inspect.c: takes a snapshot of the named object, and returns it. most: glass_snap.most. Returns
 * ERR_PTR(-ENOENT) if there is no such object, or ERR_PTR(-ENOMEM) if there is no memory. May
 * sleep.
 */
struct glass_snap *glass_snap_take(struct glass_dev *dev, enum glass_inspect_kind kind,
				   const struct glass_inspect_name *name, u32 most);
void glass_snap_free(struct glass_snap *s); /* s may be NULL */
/*
 * Does the snapshot have a line with this number? In this header, a line is the output of one call
 * of glass_snap_show(), even if this output has several newlines. Line 0 is the title. Then each
 * part has one line for itself, followed by one line for each of its entries. The line for the part
 * itself has "name: value" and a newline for each column that is set.
 */
bool glass_snap_has(const struct glass_snap *s, loff_t line);
/* Prints a line that the snapshot has. `row` is scratch memory. */
void glass_snap_show(struct seq_file *m, const struct glass_snap *s, loff_t line,
		     struct glass_row *row);

/*
 * Adds the part for the object itself. Its columns are those of `table`, the table of the object's
 * kind. Returns the part's cleared row, which the caller fills.
 */
struct glass_row *glass_snap_object(struct glass_snap *s, const struct glass_table *table);
/*
 * glass_snap_section() adds a section, and returns the section's cleared row, which the caller
 * fills. glass_snap_entries() gives n entries to the section that was added last. glass_snap_show()
 * calls `fill` when it prints an entry.
 */
struct glass_row *glass_snap_section(struct glass_snap *s, enum glass_section section);
void glass_snap_entries(struct glass_snap *s, enum glass_entry entry, u32 n,
			void (*fill)(struct glass_row *r, const struct glass_snap *s, u32 i));
/*
 * Allocates zeroed memory for n entries of `stride` bytes, and sets s->mem[which] to it. Returns 0
 * or -ENOMEM. May sleep.
 */
int glass_snap_alloc(struct glass_snap *s, u32 which, size_t n, size_t stride);

static inline void *glass_snap_at(const struct glass_snap *s, u32 which, u32 i)
{
	return s->mem[which] + i * s->stride[which];
}

/*
 * inspect_qp.c: a snapshot of a QP without allocation. glass_snap_ready() allocates a snapshot that
 * has room for `most` entries of each queue of any QP; it returns NULL if there is no memory, and
 * may sleep. glass_snap_qp_now() fills this snapshot anew. Its caller holds the QP's lock. first:
 * index of the oldest send request to show. failed_recv: as in the snapshot.
 */
struct glass_snap *glass_snap_ready(u32 most);
void glass_snap_qp_now(struct glass_snap *s, struct glass_qp *qp, u32 first, bool failed_recv);

/* inspect_peer.c: sets in *p, which is zero, where a QP with this path and this number of the peer sends to. */
void glass_snap_address(struct glass_snap_peer *p, const struct glass_av *av, u32 qpn);
/*
 * Finds the device of this host that has the LID or GID of p, and the QP with the number p->qpn of that
 * device, and describes both in *p. self: number of the QP whose peer this is. Takes the fabric's
 * lock. Any context.
 */
void glass_snap_find_peer(struct glass_fabric *fabric, struct glass_snap_peer *p, u32 self);
/*
 * Fills *r, the row of the section `peer` or of the section `sent_to`, from *p, which glass_snap_find_peer()
 * has filled.
 */
void glass_snap_peer_row(struct glass_row *r, const struct glass_snap_peer *p);
void glass_snap_sent_to_row(struct glass_row *r, const struct glass_snap_peer *p);

/*
 * For each kind of object with sections, one of these functions fills a snapshot with the named
 * object. Returns 0, -ENOENT (there is no such object) or -ENOMEM. May sleep.
 */
int glass_inspect_qp(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_cq(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_srq(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_port(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_mcast(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_switch(struct glass_snap *s, const struct glass_inspect_name *name);

/* A copy of a receive work request (inspect_wqe.c). */
struct glass_snap_rwqe {
	u32 index; /* free-running index in the ring; not valid in the state FILLING */
	u32 num_sge; /* as the program wrote it; may be wrong */
	u32 have_sge; /* number of valid entries of sge[] */
	u8 state; /* enum glass_wqe_state */
	u64 wr_id;
	u64 len; /* sum of the lengths in sge[], bytes */
	u32 stack; /* call stack of its post (observe/where.h); 0: unknown */
	struct glass_sge sge[]; /* empty if num_sge exceeds the limit of the queue */
};

/* Returns the size in bytes of a struct glass_snap_rwqe with room for max_sge SGEs. */
static inline size_t glass_snap_rwqe_bytes(u32 max_sge)
{
	return sizeof(struct glass_snap_rwqe) + max_sge * sizeof(struct glass_sge);
}

/* Returns the number of SGEs for which a struct glass_snap_rwqe of this many bytes has room. */
static inline u32 glass_snap_rwqe_sges(size_t bytes)
{
	return (bytes - sizeof(struct glass_snap_rwqe)) / sizeof(struct glass_sge);
}

/*
 * Copies the receive at `index` of a ring to *to. A receive of this ring may have at most max_sge
 * SGEs, and *to must have room for them. who: the ring's client, or NULL. The caller holds the lock
 * of the ring's QP or SRQ.
 */
void glass_snap_rwqe(struct glass_snap_rwqe *to, const struct glass_ring *ring, u32 index,
		     u32 max_sge, const struct glass_lint_client *who);
/* Fills the row *r with the receive *w; afterwards *r points to the SGEs of *w. */
void glass_fill_rwqe(struct glass_row *r, const struct glass_snap_rwqe *w);

#endif
