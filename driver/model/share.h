/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shares: how much of the machine and of each adapter the programs of one user may have. The books
 * of a user (struct glass_share) count two things. One is the kernel memory of these programs, for
 * all adapters together. The other is their places in the tables of each adapter: an object has one
 * place in the table of its kind. The books exist while one of these programs has a context or an
 * open bill.
 *
 * A verb that allocates for a program opens a bill (struct glass_bill), which charges the books.
 * The bill is part of the allocated object, and is closed when the object is freed. Kernel
 * consumers pay nothing. A caller with CAP_SYS_RESOURCE in the initial user namespace is exempt:
 * only the size of an adapter's tables limits it. The books count exempt bills separately, so that
 * exempt programs do not use up the share of their user.
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
 * Estimated memory that each object takes in ib_core and in tables, in addition to the driver's own
 * structure.
 */
#define GLASS_OBJECT_BYTES 512

/* The payer for an object: the adapter that has the object, and the books that are charged. */
struct glass_payer {
	struct glass_dev *dev;
	struct glass_share *share; /* NULL: a kernel consumer, which pays nothing */
	/* lint attributes the finding about a refusal to this client; may be NULL */
	const struct glass_lint_client *lint;
	bool quiet; /* a refusal leaves no count, trace or finding: the caller retries with less */
};

/* The charges for one allocation. All zero: the bill is empty, as for a kernel consumer. */
struct glass_bill {
	struct glass_share *share; /* with a reference */
	struct glass_dev *dev; /* the adapter in whose table the places are */
	u64 bytes; /* kernel memory */
	u32 places; /* number of places in the table, or bytes of device memory */
	/* kind of the places; GLASS_SHARE_MEMORY: the bill has only `bytes` */
	enum glass_share_of of;
	bool exempt; /* the opener was exempt; later charges also count as exempt */
};

/* A refused request. All zero: nothing was refused. */
struct glass_refusal {
	enum glass_share_of of;
	bool everyone; /* `used` and `limit` are for all users together; false: for this user */
	u64 used, more, limit; /* amount in use, requested, and allowed */
};

/*
 * Returns the books that pay for the calling process, with a reference; NULL: no memory. Normally
 * they are the books of the process's real user. But the process may be in user namespaces that
 * users other than root have created. In this case, the creator of the outermost of these
 * namespaces pays, because one user can have many user numbers in a namespace. May sleep.
 */
struct glass_share *glass_share_get(void);
/* Returns the number of the user whose books glass_share_get() would return. Any process context. */
uid_t glass_share_uid(void);
/* Takes one more reference; returns share. */
struct glass_share *glass_share_hold(struct glass_share *share);
/* Drops a reference; share may be NULL. */
void glass_share_put(struct glass_share *share);

/*
 * Opens a new bill: charges `bytes` bytes of memory, and n places of kind `of`. If `of` is
 * GLASS_SHARE_MEMORY, charges only memory. Returns 0 or the error with which the verb must fail. If
 * a share is too small, the error is -ENOMEM, and the refusal is counted, traced, and reported by
 * lint, unless payer->quiet is set. If the table is full, the error is -ENOMEM or -ENOSPC,
 * depending on `of`. If payer->share is NULL, the bill is empty, and the function does not sleep.
 * Otherwise it may sleep.
 */
int glass_bill_open(struct glass_bill *bill, const struct glass_payer *payer, enum glass_share_of of, u32 n,
		    u64 bytes);
/*
 * Charges more memory to a bill, which may be empty. Returns 0 or -ENOMEM, as glass_bill_open().
 * May sleep, unless payer->share is NULL.
 */
int glass_bill_add(struct glass_bill *bill, const struct glass_payer *payer, u64 bytes);
/* Uncharges all of the bill, and leaves it empty. May sleep, unless the bill was empty. */
void glass_bill_close(struct glass_bill *bill);
/* Uncharges some bytes of the bill. Does not sleep. */
void glass_bill_less(struct glass_bill *bill, u64 bytes);

/*
 * Charges short-lived memory to the books that pay for an object. The parameter `object` is the
 * bill of this object; the bill does not record the charge. The caller uncharges the same number of
 * bytes by glass_share_returned(), before it closes the bill. Returns false, without a report, if
 * the share is too small. For an exempt or an empty bill, always returns true. Any context.
 */
bool glass_share_lend(const struct glass_bill *object, u64 bytes);
void glass_share_returned(const struct glass_bill *object, u64 bytes);

/*
 * May the user have one more object of kind `of`? The caller counts these objects itself, under its
 * own lock: the user has `mine` of them, and all programs together have `all`. Returns 0 or
 * -ENOMEM. After -ENOMEM, the caller releases its lock, and passes *why to glass_share_refused().
 * Does not sleep.
 */
int glass_share_allows(const struct glass_payer *payer, enum glass_share_of of, u32 mine, u32 all,
		       struct glass_refusal *why);
/* Counts, traces and reports a refusal; does nothing if *why is all zero. May sleep. */
void glass_share_refused(const struct glass_payer *payer, const struct glass_refusal *why);
/*
 * glass_share_count() adds n (1 or -1) to the number of objects of kind `of` that the user of the
 * bill has on the bill's adapter. glass_share_taken() returns this number. The objects of exempt
 * bills are counted separately. For an empty bill (of a kernel consumer), glass_share_count() does
 * nothing, and glass_share_taken() returns 0. glass_share_count() may sleep. glass_share_taken()
 * works in any context.
 */
void glass_share_count(const struct glass_bill *bill, enum glass_share_of of, int n);
u32 glass_share_taken(const struct glass_bill *bill, enum glass_share_of of);

/* A line of the table `share` in debugfs: the share of one user in one resource. */
struct glass_share_info {
	uid_t uid;
	enum glass_share_of of;
	u64 used, limit; /* limit U64_MAX: there is no limit */
	u64 refused; /* number of requests refused since the books were made */
	u64 exempt; /* the part of `used` in exempt bills; it does not count against `limit` */
	/*
	 * Amount that the programs of all users have (U64_MAX: not counted here), and the limit for
	 * all of them (U64_MAX: there is no limit). Exempt bills count in `all`, except for memory.
	 */
	u64 all, all_limit;
};

/*
 * Finds a line of the table. The lines are ordered by user number, then by kind. Fills *info with
 * the first line that is not before user *uid and kind info->of. Sets *uid and info->of to the user
 * and the kind of this line. False: no line is left. A user has a line for a kind if the user has
 * something of it, or a request for it was refused. Each user has a line for memory. May sleep.
 */
bool glass_share_next(const struct glass_dev *dev, unsigned long *uid, struct glass_share_info *info);

#endif
