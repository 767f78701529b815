/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The doorbell: a file of a program's context. lseek() on it means "look at the ring of this QP".
 * It replaces a post_send without work requests, and avoids the verbs core's dispatch, which costs
 * more than most messages.
 */
#ifndef GLASS_ENGINE_DOORBELL_H
#define GLASS_ENGINE_DOORBELL_H

#include <linux/fs.h>
#include <linux/rwsem.h>
#include <rdma/uverbs_types.h>

struct glass_dev;

struct glass_doorbell {
	struct ib_uobject uobj; /* the verbs core's: first */
	struct rw_semaphore lock; /* held while an engine runs on behalf of this file */
	struct glass_dev *dev; /* NULL: the context or the device is gone */
};

/* The file's operations; the doorbell is the file's private data. */
extern const struct file_operations glass_doorbell_fops;

#endif
