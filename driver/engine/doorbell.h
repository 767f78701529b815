/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The doorbell: a file of a program's user context. lseek() on this file, with a QPN as offset,
 * means "look at the send ring of this QP". It does the same as a post_send without work requests,
 * but avoids the dispatch of the RDMA core, which costs more than most messages.
 */
#ifndef GLASS_ENGINE_DOORBELL_H
#define GLASS_ENGINE_DOORBELL_H

#include <linux/fs.h>
#include <linux/rwsem.h>
#include <rdma/uverbs_types.h>

struct glass_dev;

struct glass_doorbell {
	struct ib_uobject uobj; /* the RDMA core's; must be the first field */
	struct rw_semaphore lock; /* read: an lseek() runs the QP; write: the file loses `dev` */
	struct glass_dev *dev; /* NULL: the context or the device is gone; under lock */
};

/* The file's operations; the doorbell is the file's private data. */
extern const struct file_operations glass_doorbell_fops;

#endif
