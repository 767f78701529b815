/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A row has the values of one object, for one line in the debugfs table of the object's kind.
 * uapi/glass-columns.h has the names and formats of the columns. The table shows "-" for a column
 * that is not set. glassN/inspect (inspect.h) shows rows, too, but leaves out such a column.
 *
 * Each object of a table has a position. To print the next line, the driver looks up the first
 * object after the position of the previous line. So it does not matter if the previous line's
 * object is gone. Between two lines the driver holds no lock and no reference.
 */
#ifndef GLASS_DEBUGFS_ROW_H
#define GLASS_DEBUGFS_ROW_H

#include <linux/bitmap.h>
#include <linux/seq_file.h>

#include "model/device.h"
#include "uapi/glass-columns.h"
#include "uapi/glass-failure.h"
#include "uapi/glass-lint.h"

/* Numbers of the columns of each table: GLASS_COL_QP_qpn, GLASS_COL_QP_qptype ... */
#define GLASS_COL_UCONTEXT(name, unit, meaning) GLASS_COL_UCONTEXT_##name,
#define GLASS_COL_PD(name, unit, meaning) GLASS_COL_PD_##name,
#define GLASS_COL_MR(name, unit, meaning) GLASS_COL_MR_##name,
#define GLASS_COL_MW(name, unit, meaning) GLASS_COL_MW_##name,
#define GLASS_COL_XRCD(name, unit, meaning) GLASS_COL_XRCD_##name,
#define GLASS_COL_CQ(name, unit, meaning) GLASS_COL_CQ_##name,
#define GLASS_COL_SRQ(name, unit, meaning) GLASS_COL_SRQ_##name,
#define GLASS_COL_QP(name, unit, meaning) GLASS_COL_QP_##name,
#define GLASS_COL_AH(name, unit, meaning) GLASS_COL_AH_##name,
#define GLASS_COL_DM(name, unit, meaning) GLASS_COL_DM_##name,
#define GLASS_COL_PORT(name, unit, meaning) GLASS_COL_PORT_##name,
#define GLASS_COL_MCAST(name, unit, meaning) GLASS_COL_MCAST_##name,
#define GLASS_COL_SHARE(name, unit, meaning) GLASS_COL_SHARE_##name,
#define GLASS_COL_SWITCH(name, unit, meaning) GLASS_COL_SWITCH_##name,
#define GLASS_COL_SWPORT(name, unit, meaning) GLASS_COL_SWPORT_##name,
#define GLASS_COL_LFT(name, unit, meaning) GLASS_COL_LFT_##name,
#define GLASS_COL_MFT(name, unit, meaning) GLASS_COL_MFT_##name,
#define GLASS_COL_DROPS(name, unit, meaning) GLASS_COL_DROPS_##name,
#define GLASS_COL_DROPLOG(name, unit, meaning) GLASS_COL_DROPLOG_##name,
#define GLASS_COL_STACKLIST(name, unit, meaning) GLASS_COL_STACKLIST_##name,
#define GLASS_COL_MODULES(name, unit, meaning) GLASS_COL_MODULES_##name,

#define GLASS_COL_LINT(name, unit, meaning) GLASS_COL_LINT_##name,
#define GLASS_COL_CODES(name, unit, meaning) GLASS_COL_CODES_##name,
enum { GLASS_COLUMNS_LINT(GLASS_COL_LINT) GLASS_COL_LINT_COUNT };
enum { GLASS_COLUMNS_CODES(GLASS_COL_CODES) GLASS_COL_CODES_COUNT };

enum { GLASS_COLUMNS_UCONTEXT(GLASS_COL_UCONTEXT) GLASS_COL_UCONTEXT_COUNT };
enum { GLASS_COLUMNS_PD(GLASS_COL_PD) GLASS_COL_PD_COUNT };
enum { GLASS_COLUMNS_MR(GLASS_COL_MR) GLASS_COL_MR_COUNT };
enum { GLASS_COLUMNS_MW(GLASS_COL_MW) GLASS_COL_MW_COUNT };
enum { GLASS_COLUMNS_XRCD(GLASS_COL_XRCD) GLASS_COL_XRCD_COUNT };
enum { GLASS_COLUMNS_CQ(GLASS_COL_CQ) GLASS_COL_CQ_COUNT };
enum { GLASS_COLUMNS_SRQ(GLASS_COL_SRQ) GLASS_COL_SRQ_COUNT };
enum { GLASS_COLUMNS_QP(GLASS_COL_QP) GLASS_COL_QP_COUNT };
enum { GLASS_COLUMNS_AH(GLASS_COL_AH) GLASS_COL_AH_COUNT };
enum { GLASS_COLUMNS_DM(GLASS_COL_DM) GLASS_COL_DM_COUNT };
enum { GLASS_COLUMNS_PORT(GLASS_COL_PORT) GLASS_COL_PORT_COUNT };
enum { GLASS_COLUMNS_MCAST(GLASS_COL_MCAST) GLASS_COL_MCAST_COUNT };
enum { GLASS_COLUMNS_SHARE(GLASS_COL_SHARE) GLASS_COL_SHARE_COUNT };
enum { GLASS_COLUMNS_SWITCH(GLASS_COL_SWITCH) GLASS_COL_SWITCH_COUNT };
enum { GLASS_COLUMNS_SWPORT(GLASS_COL_SWPORT) GLASS_COL_SWPORT_COUNT };
enum { GLASS_COLUMNS_LFT(GLASS_COL_LFT) GLASS_COL_LFT_COUNT };
enum { GLASS_COLUMNS_MFT(GLASS_COL_MFT) GLASS_COL_MFT_COUNT };
enum { GLASS_COLUMNS_DROPS(GLASS_COL_DROPS) GLASS_COL_DROPS_COUNT };
enum { GLASS_COLUMNS_DROPLOG(GLASS_COL_DROPLOG) GLASS_COL_DROPLOG_COUNT };
enum { GLASS_COLUMNS_STACKLIST(GLASS_COL_STACKLIST) GLASS_COL_STACKLIST_COUNT };
enum { GLASS_COLUMNS_MODULES(GLASS_COL_MODULES) GLASS_COL_MODULES_COUNT };

#define GLASS_COL_FNODE(name, unit, meaning) GLASS_COL_FNODE_##name,
#define GLASS_COL_FCABLE(name, unit, meaning) GLASS_COL_FCABLE_##name,
#define GLASS_COL_NETCABLE(name, unit, meaning) GLASS_COL_NETCABLE_##name,
#define GLASS_COL_FPORT(name, unit, meaning) GLASS_COL_FPORT_##name,
#define GLASS_COL_HOP(name, unit, meaning) GLASS_COL_HOP_##name,
enum { GLASS_COLUMNS_FNODE(GLASS_COL_FNODE) GLASS_COL_FNODE_COUNT };
enum { GLASS_COLUMNS_FCABLE(GLASS_COL_FCABLE) GLASS_COL_FCABLE_COUNT };
enum { GLASS_COLUMNS_NETCABLE(GLASS_COL_NETCABLE) GLASS_COL_NETCABLE_COUNT };
enum { GLASS_COLUMNS_FPORT(GLASS_COL_FPORT) GLASS_COL_FPORT_COUNT };
enum { GLASS_COLUMNS_HOP(GLASS_COL_HOP) GLASS_COL_HOP_COUNT };

#define GLASS_COL_ETHER(name, unit, meaning) GLASS_COL_ETHER_##name,
enum { GLASS_COLUMNS_ETHER(GLASS_COL_ETHER) GLASS_COL_ETHER_COUNT };

#define GLASS_COL_HELD(name, unit, meaning) GLASS_COL_HELD_##name,
enum { GLASS_COLUMNS_HELD(GLASS_COL_HELD) GLASS_COL_HELD_COUNT };

#define GLASS_COL_FAILURE(name, unit, meaning) GLASS_COL_FAILURE_##name,
#define GLASS_COL_STORY_PACKET(name, unit, meaning) GLASS_COL_STORY_PACKET_##name,
#define GLASS_COL_STORY_DROP(name, unit, meaning) GLASS_COL_STORY_DROP_##name,
#define GLASS_COL_STORY_GONE_QP(name, unit, meaning) GLASS_COL_STORY_GONE_QP_##name,
#define GLASS_COL_STORY_KEY(name, unit, meaning) GLASS_COL_STORY_KEY_##name,
enum { GLASS_COLUMNS_STORY_GONE_QP(GLASS_COL_STORY_GONE_QP) GLASS_COL_STORY_GONE_QP_COUNT };
enum { GLASS_COLUMNS_STORY_KEY(GLASS_COL_STORY_KEY) GLASS_COL_STORY_KEY_COUNT };
#define GLASS_COL_STORY_FIRING(name, unit, meaning) GLASS_COL_STORY_FIRING_##name,
enum { GLASS_COLUMNS_STORY_FIRING(GLASS_COL_STORY_FIRING) GLASS_COL_STORY_FIRING_COUNT };
#define GLASS_COL_STORY_PROCESS(name, unit, meaning) GLASS_COL_STORY_PROCESS_##name,
enum { GLASS_COLUMNS_FAILURE(GLASS_COL_FAILURE) GLASS_COL_FAILURE_COUNT };
enum { GLASS_COLUMNS_STORY_PACKET(GLASS_COL_STORY_PACKET) GLASS_COL_STORY_PACKET_COUNT };
enum { GLASS_COLUMNS_STORY_DROP(GLASS_COL_STORY_DROP) GLASS_COL_STORY_DROP_COUNT };
enum { GLASS_COLUMNS_STORY_PROCESS(GLASS_COL_STORY_PROCESS) GLASS_COL_STORY_PROCESS_COUNT };
#define GLASS_COL_STORY_CONNECTED(name, unit, meaning) GLASS_COL_STORY_CONNECTED_##name,
enum { GLASS_COLUMNS_STORY_CONNECTED(GLASS_COL_STORY_CONNECTED) GLASS_COL_STORY_CONNECTED_COUNT };
#define GLASS_COL_STORY_RULE(name, unit, meaning) GLASS_COL_STORY_RULE_##name,
enum { GLASS_COLUMNS_STORY_RULE(GLASS_COL_STORY_RULE) GLASS_COL_STORY_RULE_COUNT };
#define GLASS_COL_STORY_LINT(name, unit, meaning) GLASS_COL_STORY_LINT_##name,
enum { GLASS_COLUMNS_STORY_LINT(GLASS_COL_STORY_LINT) GLASS_COL_STORY_LINT_COUNT };
#define GLASS_COL_STORY_PORT(name, unit, meaning) GLASS_COL_STORY_PORT_##name,
enum { GLASS_COLUMNS_STORY_PORT(GLASS_COL_STORY_PORT) GLASS_COL_STORY_PORT_COUNT };
#define GLASS_COL_STORY_ROUTE(name, unit, meaning) GLASS_COL_STORY_ROUTE_##name,
enum { GLASS_COLUMNS_STORY_ROUTE(GLASS_COL_STORY_ROUTE) GLASS_COL_STORY_ROUTE_COUNT };
#define GLASS_COL_STORY_NETWORK(name, unit, meaning) GLASS_COL_STORY_NETWORK_##name,
enum { GLASS_COLUMNS_STORY_NETWORK(GLASS_COL_STORY_NETWORK) GLASS_COL_STORY_NETWORK_COUNT };

#define GLASS_ROW_COLUMNS 96 /* maximum number of columns of a table */
#define GLASS_ROW_TEXT 1024 /* bytes of pool[]; enough for a list of all ports of a switch */

struct glass_row {
	DECLARE_BITMAP(has, GLASS_ROW_COLUMNS); /* the columns that are set */
	u64 num[GLASS_ROW_COLUMNS]; /* values of columns with numbers */
	/* values of columns with texts: in pool[], or the argument of glass_row_word() */
	const char *text[GLASS_ROW_COLUMNS];
	const struct glass_sge *sge; /* value of a column with GLASS_UNIT_sges; not copied */
	u32 num_sge; /* number of SGEs at `sge` */
	size_t pool_used; /* bytes of pool[] in use */
	char pool[GLASS_ROW_TEXT]; /* copied texts, with their NULs */
};

void glass_row_clear(struct glass_row *r);
/*
 * Each of the following functions sets one column of a row, except that glass_row_owner() sets
 * four. Any context.
 */
void glass_row_num(struct glass_row *r, u32 column, u64 value);
/* Sets a text without copying it: the text must remain valid, as the words of GLASS_WORDS() do. */
void glass_row_word(struct glass_row *r, u32 column, const char *word);
/* Formats a text into pool[]. Cuts the text if pool[] has too little room. */
__printf(3, 4) void glass_row_text(struct glass_row *r, u32 column, const char *fmt, ...);
/* a flag, for glass_row_flags() */
struct glass_flag {
	u32 bit;
	const char *word;
};
/*
 * Sets the words of the flags that are set in `bits`, joined by '|'. If no flag is set, leaves the
 * column unset.
 */
void glass_row_flags(struct glass_row *r, u32 column, u32 bits, const struct glass_flag *flags,
		     u32 nflags);
/* Sets "yes" or "no". */
void glass_row_bool(struct glass_row *r, u32 column, bool value);
/* Sets the time from `now` to `then` in ns, or 0 if `then` is past. */
void glass_row_until(struct glass_row *r, u32 column, u64 now, u64 then);
/* Sets SGEs without copying them: the SGEs must remain valid until the row is printed. */
void glass_row_sges(struct glass_row *r, u32 column, const struct glass_sge *sge, u32 n);
/*
 * Sets word number `value` of an array of GLASS_WORDS(). If there is no such word, leaves the
 * column unset.
 */
#define glass_row_enum(r, column, words, value)                                                    \
	do {                                                                                       \
		u32 glass_value = (value);                                                         \
                                                                                                   \
		if (glass_value < ARRAY_SIZE(words) && (words)[glass_value])                       \
			glass_row_word(r, column, (words)[glass_value]);                           \
	} while (0)
/*
 * Sets four columns to the owner of an object: pid, comm, created and age. pid_column is the first
 * of them.
 */
void glass_row_owner(struct glass_row *r, u32 pid_column, const struct glass_owner *o);
/*
 * Sets an amount of kernel memory. If the amount is 0, as for an object of a kernel consumer,
 * leaves the column unset.
 */
void glass_row_memory(struct glass_row *r, u32 column, u64 bytes);
/* Sets the number of a call stack. If it is 0 (unknown), leaves the column unset. */
void glass_row_stack(struct glass_row *r, u32 column, u32 stack);
/* Sets two columns: stack, and changed_stack after it. */
void glass_row_stacks(struct glass_row *r, u32 column, const struct glass_owner *o);
/* Sets the number of a user context. If `context` is NULL, leaves the column unset. */
void glass_row_ctxn(struct glass_row *r, u32 column, struct ib_ucontext *context);

/* The units of columns; uapi/glass-columns.h and uapi/glass-inspect.h describe them. */
enum glass_unit {
	GLASS_UNIT_num,
	GLASS_UNIT_hex,
	GLASS_UNIT_word,
	GLASS_UNIT_text,
	GLASS_UNIT_ns,
	GLASS_UNIT_bytes,
	GLASS_UNIT_words,
	GLASS_UNIT_gid,
	GLASS_UNIT_ref,
	GLASS_UNIT_sges,
	GLASS_UNIT_line,
};

/* The columns of a table of uapi/, for printing. */
struct glass_fields {
	const char *const *names;
	const u8 *units; /* enum glass_unit */
	u32 n;
};

#define GLASS_COLUMN_UNIT(name, unit, meaning) GLASS_UNIT_##unit,
#define GLASS_COLUMN_STRING(name, unit, meaning) #name,

/* Defines glass_fields_<id>, the columns of TABLE. */
#define DEFINE_GLASS_FIELDS(id, TABLE)                                                             \
	static const char *const id##_names[] = { TABLE(GLASS_COLUMN_STRING) };                    \
	static const u8 id##_units[] = { TABLE(GLASS_COLUMN_UNIT) };                               \
	static_assert(ARRAY_SIZE(id##_units) <= GLASS_ROW_COLUMNS);                                \
	static const struct glass_fields glass_fields_##id = {                                     \
		.names = id##_names,                                                               \
		.units = id##_units,                                                               \
		.n = ARRAY_SIZE(id##_units),                                                       \
	}

/* A table of objects. */
struct glass_table {
	const char *file; /* name of the debugfs file */
	const char *header; /* the first line */
	const struct glass_fields *fields;
	/*
	 * Fills *row with the first object at or after *pos, and sets *pos to the position of that
	 * object. Returns false if there is no such object. The caller has cleared *row, and *pos
	 * is at least 1. May sleep.
	 */
	bool (*next)(struct glass_dev *dev, loff_t *pos, struct glass_row *row);
};

/*
 * Defines the table of a kind. For example, DEFINE_GLASS_TABLE(qp, QP, qp_next) defines
 * glass_table_qp.
 */
#define DEFINE_GLASS_TABLE(kind, KIND, next_fn)                                                    \
	DEFINE_GLASS_FIELDS(kind, GLASS_COLUMNS_##KIND);                                           \
	const struct glass_table glass_table_##kind = {                                            \
		.file = #kind,                                                                     \
		.header = GLASS_HEADER(#kind, GLASS_COLUMNS_##KIND),                               \
		.fields = &glass_fields_##kind,                                                    \
		.next = next_fn,                                                                   \
	}

/*
 * Defines kind##_fops, the operations of the file of a table. The private data of the file's inode
 * is the struct glass_dev for next(), or NULL if next() needs no device.
 */
#define DEFINE_GLASS_TABLE_FILE(kind)                                                              \
	static int kind##_open(struct inode *inode, struct file *file)                             \
	{                                                                                          \
		return glass_table_open(file, &glass_table_##kind, inode->i_private);              \
	}                                                                                          \
	static const struct file_operations kind##_fops = {                                        \
		.owner = THIS_MODULE,                                                              \
		.open = kind##_open,                                                               \
		.read = seq_read,                                                                  \
		.llseek = seq_lseek,                                                               \
		.release = seq_release_private,                                                    \
	}

extern const struct glass_table glass_table_ucontext;
extern const struct glass_table glass_table_pd;
extern const struct glass_table glass_table_mr;
extern const struct glass_table glass_table_mw;
extern const struct glass_table glass_table_xrcd;
extern const struct glass_table glass_table_cq;
extern const struct glass_table glass_table_srq;
extern const struct glass_table glass_table_qp;
extern const struct glass_table glass_table_ah;
extern const struct glass_table glass_table_dm;
extern const struct glass_table glass_table_port;
extern const struct glass_table glass_table_mcast;
extern const struct glass_table glass_table_share;
extern const struct glass_table glass_table_switch;
extern const struct glass_table glass_table_swport;
extern const struct glass_table glass_table_lft;
extern const struct glass_table glass_table_mft;
extern const struct glass_table glass_table_drops;
extern const struct glass_table glass_table_droplog;
extern const struct glass_table glass_table_stacks;
extern const struct glass_table glass_table_modules;
extern const struct glass_table glass_table_held;
extern const struct glass_table glass_table_lint;
extern const struct glass_table glass_table_codes;
extern const struct glass_table glass_table_failures;

/* row.c: open() of a table's file. Returns 0 or -ENOMEM. May sleep. */
int glass_table_open(struct file *file, const struct glass_table *table, struct glass_dev *dev);

/* Prints the value of a column, which must be set. `unit` is an enum glass_unit. */
void glass_show_value(struct seq_file *m, const struct glass_row *r, u32 column, u8 unit);

/* Prints a line of a table: the values of a row, "-" for each column that is not set. */
void glass_show_row(struct seq_file *m, const struct glass_fields *fields, const struct glass_row *row);

/* Prints a text in the percent-encoding of uapi/glass-columns.h. */
void glass_seq_text(struct seq_file *m, const char *text);

/*
 * Returns the first entry of the xarray at or after *pos, and sets *pos to its position. The
 * position of an entry is its index + 1. Returns NULL if there is none. The caller holds the
 * xarray's lock.
 */
void *glass_table_find(struct xarray *xa, loff_t *pos);

/*
 * Finds the device of this host that has the LID dlid, and copies the device's name to `name`,
 * which has len bytes. Cuts a longer name. Returns false if there is no such device. Takes the
 * fabric's lock. Any context.
 */
bool glass_peer_name(struct glass_dev *dev, u16 dlid, char *name, size_t len);

#endif
