/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shares: what the programs of one user may take of the machine and of each adapter.
 *
 * A user has books as long as a program of that user has a context or an object. They count the kernel memory of all
 * adapters together, and the places in the tables of each adapter. A verb charges a bill before it allocates
 * something for a program. The bill stays with what was allocated, and is closed when that is freed.
 *
 * Kernel consumers pay nothing. A caller with CAP_SYS_RESOURCE in the initial user namespace is exempt: it is refused
 * nothing but what an adapter does not have. Its bills are counted apart, so that they use up no ordinary program's share.
 */
#ifndef GLASS_MODEL_SHARE_H
#define GLASS_MODEL_SHARE_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "uapi/glass-enums.h"

struct glass_dev;
struct glass_lint_client;
struct glass_share; /* the books of a user */

/* What the RDMA core and the tables keep of an object besides the driver's own structure, roughly. */
#define GLASS_OBJECT_BYTES 512

/* The books that pay for an object, and the program that lint tells when that is refused. */
struct glass_payer {
	struct glass_dev *dev;
	struct glass_share *share; /* NULL: the kernel */
	const struct glass_lint_client *lint; /* may be NULL */
	bool quiet; /* a refusal is neither counted nor reported: the caller asks for less then */
};

/* What was charged for one thing. All zero: nothing. */
struct glass_bill {
	struct glass_share *share; /* with a reference */
	struct glass_dev *dev; /* of the places */
	u64 bytes;
	u32 places;
	enum glass_share_of of; /* which places; GLASS_SHARE_MEMORY: none */
	bool exempt; /* the caller that opened it was; what is added to it counts the same way */
};

/* Why glass_share_allows() refused. All zero: it did not. */
struct glass_refusal {
	enum glass_share_of of;
	bool everyone; /* programs of all users together have `used`, and may have `limit`; else the user */
	u64 used, more, limit;
};

/*
 * The books of the calling process, with a reference; NULL: no memory. They are those of its real user. In a user
 * namespace they are those of the user who made the outermost one that root did not make: one user may have many
 * user numbers there. May sleep.
 */
struct glass_share *glass_share_get(void);
/* One more reference; returns share. */
struct glass_share *glass_share_hold(struct glass_share *share);
/* share may be NULL. */
void glass_share_put(struct glass_share *share);

/*
 * Charges memory, and n places in a table of the adapter unless `of` is GLASS_SHARE_MEMORY. The bill is new.
 * 0; -ENOMEM when the user's share does not suffice, which is traced and reported; else what the table's limit has
 * always meant (-ENOMEM or -ENOSPC). May sleep, unless the kernel pays.
 */
int glass_bill_open(struct glass_bill *bill, const struct glass_payer *payer, enum glass_share_of of, u32 n,
		    u64 bytes);
/* Charges more memory to a bill, which may be empty. 0 or -ENOMEM. May sleep, unless the kernel pays. */
int glass_bill_add(struct glass_bill *bill, const struct glass_payer *payer, u64 bytes);
/* Gives all of it back, and leaves an empty bill. May sleep, unless the bill is empty. */
void glass_bill_close(struct glass_bill *bill);
/* Gives part of the memory back. */
void glass_bill_less(struct glass_bill *bill, u64 bytes);

/*
 * Charges memory that is gone soon, and that the caller counts itself, to whoever pays for an object: beyond the user's
 * share it is refused without a report, unless the object's maker is exempt. The object stays. Any context.
 */
bool glass_share_lend(const struct glass_bill *object, u64 bytes);
void glass_share_returned(const struct glass_bill *object, u64 bytes);

/*
 * May the user have one more? For what the caller counts itself, under a lock of its own: the user has `mine`, and
 * there are `all`. 0; or -ENOMEM, and the caller passes *why to glass_share_refused() when it holds no lock any more.
 * Does not sleep.
 */
int glass_share_allows(const struct glass_payer *payer, enum glass_share_of of, u32 mine, u32 all,
		       struct glass_refusal *why);
/* Counts, traces and reports a refusal; none: does nothing. May sleep. */
void glass_share_refused(const struct glass_payer *payer, const struct glass_refusal *why);
/*
 * One more, or less, of `of` for the user who pays the bill, exempt or not as the bill is; glass_share_taken() returns
 * how many it has. An empty bill: the kernel's. Counting may sleep, but waits for nothing longer than a few instructions.
 */
void glass_share_count(const struct glass_bill *bill, enum glass_share_of of, int n);
u32 glass_share_taken(const struct glass_bill *bill, enum glass_share_of of);

/* A line of the table `share`. */
struct glass_share_info {
	uid_t uid;
	enum glass_share_of of;
	u64 used, limit; /* limit U64_MAX: none */
	u64 refused; /* requests, since the books exist */
	u64 exempt; /* part of used that no limit counts */
	u64 all, all_limit; /* of programs of all users; U64_MAX: not counted here, none */
};

/*
 * The first line at or after (*uid, of info), in the order of users and words; false: there is none. What was never
 * used is left out, but for memory. May sleep.
 */
bool glass_share_next(const struct glass_dev *dev, unsigned long *uid, struct glass_share_info *info);

#endif
