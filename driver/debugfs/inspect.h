/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A snapshot of one object, for glassN/inspect and glassN/details/. It is copied at once, under the
 * object's lock, into preallocated memory. It is formatted later, while the object may change or be
 * destroyed.
 */
#ifndef GLASS_DEBUGFS_INSPECT_H
#define GLASS_DEBUGFS_INSPECT_H

#include "debugfs/dump.h"

#define GLASS_INSPECT_ERROR 96 /* bytes of a reason with its end */
#define GLASS_INSPECT_PARTS 12 /* the object and its sections */
#define GLASS_INSPECT_CQES 16384 /* limit of completions shown per CQ */
#define GLASS_INSPECT_USERS_MAX 1024

/* GLASS_SEC_qp_why ..., GLASS_ENT_qp_wqe ... */
#define GLASS_E_SEC(kind, name, table) GLASS_SEC_##kind##_##name,
#define GLASS_E_ENT(kind, section, name, table) GLASS_ENT_##kind##_##name,
enum glass_section { GLASS_SECTIONS(GLASS_E_SEC) GLASS_SEC_COUNT };
enum glass_entry { GLASS_ENTRIES(GLASS_E_ENT) GLASS_ENT_COUNT };

/* The columns of sections and entries: GLASS_AT(QP_WQE, index) ... */
#define GLASS_AT(TABLE, name) GLASS_AT_##TABLE##_##name

#define GLASS_AT_QP_WHY(name, unit, meaning) GLASS_AT_QP_WHY_##name,
#define GLASS_AT_QP_ATTR(name, unit, meaning) GLASS_AT_QP_ATTR_##name,
#define GLASS_AT_QP_PEER(name, unit, meaning) GLASS_AT_QP_PEER_##name,
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

/* The object itself, or a section. */
struct glass_part {
	const char *name; /* of the section; NULL: the object */
	const struct glass_fields *fields;
	struct glass_row row;
	/* its entries */
	const char *entry_name;
	const struct glass_fields *entry_fields;
	u32 n;
	/* Fills a cleared row with entry i; the row may point into the snapshot. */
	void (*fill)(struct glass_row *r, const struct glass_snap *s, u32 i);
};

/* The kinds of objects; their words are those of inspect, and names of files in details/. */
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

/* The requested object. */
struct glass_inspect_name {
	u32 num;
	u32 port; /* of QP0 and QP1; 0: not given */
	u8 mgid[16];
};

struct glass_snap {
	struct glass_dev *dev;
	u64 now; /* ktime_get_ns() at the snapshot */
	char title[64]; /* "qp 0x11" */
	u32 nparts;
	struct glass_part part[GLASS_INSPECT_PARTS];
	void *mem[4]; /* arrays of the kind's own; kvfree()d with the snapshot */
	size_t stride[4]; /* bytes of an entry of each */
};

/*
 * inspect.c: the snapshot of an object. ERR_PTR: -ENOENT without such an object, or -ENOMEM. May
 * sleep.
 */
struct glass_snap *glass_snap_take(struct glass_dev *dev, enum glass_inspect_kind kind,
				   const struct glass_inspect_name *name);
void glass_snap_free(struct glass_snap *s); /* may be NULL */
/* Does its text have this line? Line 0 is the title. */
bool glass_snap_has(const struct glass_snap *s, loff_t line);
/* Prints a line that it has; `row` is for work only. */
void glass_snap_show(struct seq_file *m, const struct glass_snap *s, loff_t line,
		     struct glass_row *row);

/* The object; fields: of its kind's table. Returns its row. */
struct glass_row *glass_snap_object(struct glass_snap *s, const struct glass_table *table);
/* One more section, and the entries of the section that was added last. */
struct glass_row *glass_snap_section(struct glass_snap *s, enum glass_section section);
void glass_snap_entries(struct glass_snap *s, enum glass_entry entry, u32 n,
			void (*fill)(struct glass_row *r, const struct glass_snap *s, u32 i));
/* An array of n entries as mem[which]. 0 or -ENOMEM. May sleep. */
int glass_snap_alloc(struct glass_snap *s, u32 which, size_t n, size_t stride);

static inline void *glass_snap_at(const struct glass_snap *s, u32 which, u32 i)
{
	return s->mem[which] + i * s->stride[which];
}

/*
 * One function a kind. Returns 0 with the snapshot taken, -ENOENT without such an
 * object, or -ENOMEM. May sleep.
 */
int glass_inspect_qp(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_cq(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_srq(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_port(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_mcast(struct glass_snap *s, const struct glass_inspect_name *name);
int glass_inspect_switch(struct glass_snap *s, const struct glass_inspect_name *name);

/* inspect_wqe.c: receives, as they lie in a ring */
struct glass_snap_rwqe {
	u32 index;
	u32 num_sge; /* as the program wrote it */
	u32 have_sge; /* number of valid entries of sge[] */
	u8 state; /* enum glass_wqe_state */
	u64 wr_id;
	u64 len;
	struct glass_sge sge[]; /* none when num_sge exceeds the queue's limit */
};

/* Bytes of one with room for max_sge SGEs. */
static inline size_t glass_snap_rwqe_bytes(u32 max_sge)
{
	return sizeof(struct glass_snap_rwqe) + max_sge * sizeof(struct glass_sge);
}

/* SGEs that one of this many bytes has room for. */
static inline u32 glass_snap_rwqe_sges(size_t bytes)
{
	return (bytes - sizeof(struct glass_snap_rwqe)) / sizeof(struct glass_sge);
}

void glass_snap_rwqe(struct glass_snap_rwqe *to, const struct glass_ring *ring, u32 index,
		     u32 max_sge);
void glass_fill_rwqe(struct glass_row *r, const struct glass_snap_rwqe *w);

#endif
