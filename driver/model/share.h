/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shares: the limits of one user's programs on the machine and on each adapter. A user has books as
 * long as a program of that user has a context or an object. They count the kernel memory of all
 * adapters together, and the places in the tables of each adapter.
 *
 * A verb charges a bill before it allocates for a program. The bill belongs to the allocation, and
 * is closed when that is freed. Kernel consumers pay nothing. A caller with CAP_SYS_RESOURCE in the
 * initial user namespace is exempt: only the limits of an adapter apply to it. Its bills are
 * counted apart, so that they use up no ordinary program's share.
 */
#ifndef GLASS_MODEL_SHARE_H
#define GLASS_MODEL_SHARE_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "uapi/glass-enums.h"

struct glass_dev;
struct glass_lint_client;
struct glass_share; /* the books of a user */

/*
 * Estimated memory of the RDMA core and the tables per object, besides the driver's own structure.
 */
#define GLASS_OBJECT_BYTES 512

/* The books that pay for an object, and the program whose lint gets a report of a refusal. */
struct glass_payer {
	struct glass_dev *dev;
	struct glass_share *share; /* NULL: the kernel */
	const struct glass_lint_client *lint; /* may be NULL */
	bool quiet; /* a refusal is neither counted nor reported: the caller retries with less */
};

/* The charges for one allocation. All zero: none. */
struct glass_bill {
	struct glass_share *share; /* with a reference */
	struct glass_dev *dev; /* of the places */
	u64 bytes;
	u32 places;
	enum glass_share_of of; /* which places; GLASS_SHARE_MEMORY: none */
	bool exempt; /* the opener was exempt; later charges count the same way */
};

/* Why glass_share_allows() refused. All zero: it did not. */
struct glass_refusal {
	enum glass_share_of of;
	bool everyone; /* used and limit are those of all users together; else the user's */
	u64 used, more, limit;
};

/*
 * The books of the calling process, with a reference; NULL: no memory. They belong to its real
 * user. In a user namespace they belong to the owner of the outermost namespace that root did not
 * create: one user may have many user numbers there. May sleep.
 */
struct glass_share *glass_share_get(void);
/* Takes one more reference; returns share. */
struct glass_share *glass_share_hold(struct glass_share *share);
/* share may be NULL. */
void glass_share_put(struct glass_share *share);

/*
 * Opens a new bill: charges memory, and n places in a table of the adapter unless `of` is
 * GLASS_SHARE_MEMORY. Returns 0; -ENOMEM when the user's share does not suffice, which is traced
 * and reported; else the table's usual error at its limit (-ENOMEM or -ENOSPC). May sleep, unless
 * the kernel pays.
 */
int glass_bill_open(struct glass_bill *bill, const struct glass_payer *payer, enum glass_share_of of, u32 n,
		    u64 bytes);
/* Charges more memory to a bill, which may be empty. 0 or -ENOMEM. May sleep, unless the kernel pays. */
int glass_bill_add(struct glass_bill *bill, const struct glass_payer *payer, u64 bytes);
/* Uncharges all of it, and leaves an empty bill. May sleep, unless the bill is empty. */
void glass_bill_close(struct glass_bill *bill);
/* Uncharges part of the memory. */
void glass_bill_less(struct glass_bill *bill, u64 bytes);

/*
 * Charges short-lived memory, which the caller counts itself, to the payer of an object. Beyond the
 * user's share it is refused without a report, unless the object's maker is exempt. The object must
 * outlive the charge. Any context.
 */
bool glass_share_lend(const struct glass_bill *object, u64 bytes);
void glass_share_returned(const struct glass_bill *object, u64 bytes);

/*
 * May the user have one more? For objects that the caller counts itself, under a lock of its own:
 * the user has `mine`, and there are `all`. Returns 0, or -ENOMEM: the caller then passes *why to
 * glass_share_refused() after it releases its locks. Does not sleep.
 */
int glass_share_allows(const struct glass_payer *payer, enum glass_share_of of, u32 mine, u32 all,
		       struct glass_refusal *why);
/* Counts, traces and reports a refusal; does nothing if *why is all zero. May sleep. */
void glass_share_refused(const struct glass_payer *payer, const struct glass_refusal *why);
/*
 * Counts one more, or one less, of `of` for the user that pays the bill, exempt or not like the
 * bill; glass_share_taken() returns the count. An empty bill: the kernel's. Counting may sleep, but
 * only for a few instructions of another holder.
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
	u64 all, all_limit; /* for all users' programs; U64_MAX: not counted here, none */
};

/*
 * The first line at or after (*uid, of info), in the order of users and words; false: there is
 * none. Omits unused kinds, except memory. May sleep.
 */
bool glass_share_next(const struct glass_dev *dev, unsigned long *uid, struct glass_share_info *info);

#endif
