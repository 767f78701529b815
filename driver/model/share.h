/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shares: how much of the machine and of each adapter the programs of one user may have. The books
 * of a user (struct glass_share) count what these programs have: kernel memory, for all adapters
 * together, and places in the tables of each adapter. The books exist as long as such a program has
 * a context or an object.
 *
 * Before a verb allocates for a program, it opens a bill (struct glass_bill), which charges the
 * books. The bill is part of the allocated object, and is closed when the object is freed. Kernel
 * consumers pay nothing. A caller with CAP_SYS_RESOURCE in the initial user namespace is exempt:
 * only the limits of an adapter apply to it. The books count exempt bills apart, so that they use
 * up no ordinary program's share.
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
 * Estimated memory that each object takes in the RDMA core and in tables, in addition to the
 * driver's own structure.
 */
#define GLASS_OBJECT_BYTES 512

/* The books that pay for an object, and the lint client to which a refusal is reported. */
struct glass_payer {
	struct glass_dev *dev;
	struct glass_share *share; /* NULL: a kernel consumer, which pays nothing */
	const struct glass_lint_client *lint; /* may be NULL */
	bool quiet; /* a refusal is neither counted nor reported: the caller retries with less */
};

/* The charges for one allocation. All zero: none. */
struct glass_bill {
	struct glass_share *share; /* with a reference */
	struct glass_dev *dev; /* the adapter in whose table the places are */
	u64 bytes;
	u32 places;
	enum glass_share_of of; /* the kind of places; GLASS_SHARE_MEMORY: it has bytes only */
	bool exempt; /* the opener was exempt; later charges also count as exempt */
};

/* A request that glass_share_allows() refused. All zero: it refused nothing. */
struct glass_refusal {
	enum glass_share_of of;
	bool everyone; /* used and limit are those of all users together; else the user's */
	u64 used, more, limit; /* amount in use, requested, and allowed */
};

/*
 * The books of the calling process, with a reference; NULL: no memory. They are those of its real
 * user. But if a user other than root created the process's user namespace or one around it, they
 * are those of this user (of the outermost such namespace), because one user can have many user
 * numbers in a namespace. May sleep.
 */
struct glass_share *glass_share_get(void);
/* Takes one more reference; returns share. */
struct glass_share *glass_share_hold(struct glass_share *share);
/* Drops a reference; share may be NULL. */
void glass_share_put(struct glass_share *share);

/*
 * Opens a new bill: charges memory, and n places in a table of the adapter unless `of` is
 * GLASS_SHARE_MEMORY. Returns 0, or -ENOMEM if a share is too small: this is traced, and reported
 * by lint. If the table is full, returns the error that the verb then has (-ENOMEM or -ENOSPC). May
 * sleep, unless payer->share is NULL.
 */
int glass_bill_open(struct glass_bill *bill, const struct glass_payer *payer, enum glass_share_of of, u32 n,
		    u64 bytes);
/*
 * Charges more memory to a bill, which may be empty. Returns 0 or -ENOMEM. May sleep, unless
 * payer->share is NULL.
 */
int glass_bill_add(struct glass_bill *bill, const struct glass_payer *payer, u64 bytes);
/* Uncharges all of the bill, and leaves it empty. May sleep, unless the bill is empty. */
void glass_bill_close(struct glass_bill *bill);
/* Uncharges some bytes of the bill. */
void glass_bill_less(struct glass_bill *bill, u64 bytes);

/*
 * Charges short-lived memory to the books that pay for an object; no bill records it. The caller
 * uncharges the same number of bytes by glass_share_returned(), before the object's bill is closed.
 * False: the share is too small; this is not reported. An exempt bill is never refused. Any
 * context.
 */
bool glass_share_lend(const struct glass_bill *object, u64 bytes);
void glass_share_returned(const struct glass_bill *object, u64 bytes);

/*
 * May the user have one more object of kind `of`? For objects that the caller counts under its own
 * lock: the user has `mine` of them, and there are `all`. Returns 0, or -ENOMEM: the caller then
 * releases its lock and passes *why to glass_share_refused(). Does not sleep.
 */
int glass_share_allows(const struct glass_payer *payer, enum glass_share_of of, u32 mine, u32 all,
		       struct glass_refusal *why);
/* Counts, traces and reports a refusal; does nothing if *why is all zero. May sleep. */
void glass_share_refused(const struct glass_payer *payer, const struct glass_refusal *why);
/*
 * Adds n (1 or -1) to the number of objects of kind `of` that the user of the bill has;
 * glass_share_taken() returns this number. Exempt and other bills have numbers of their own. With
 * an empty bill (a kernel consumer's) the first does nothing, and the second returns 0. The first
 * takes a mutex that is held for a few instructions only.
 */
void glass_share_count(const struct glass_bill *bill, enum glass_share_of of, int n);
u32 glass_share_taken(const struct glass_bill *bill, enum glass_share_of of);

/* A line of the table `share`. */
struct glass_share_info {
	uid_t uid;
	enum glass_share_of of;
	u64 used, limit; /* limit U64_MAX: none */
	u64 refused; /* requests refused since the books exist */
	u64 exempt; /* the part of `used` that no limit counts */
	/* of the programs of all users together; U64_MAX: not counted here, and no limit */
	u64 all, all_limit;
};

/*
 * Fills *info with the line of user *uid and kind info->of, or else with the next line, whose user
 * *uid then gets. The order is by user, then by kind. False: no line is left. Omits kinds that a
 * user does not have, except memory. May sleep.
 */
bool glass_share_next(const struct glass_dev *dev, unsigned long *uid, struct glass_share_info *info);

#endif
