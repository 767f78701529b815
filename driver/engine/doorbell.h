/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The doorbell: a file of a program's user context. A program calls lseek() on this file, with a
 * QPN as offset. The call runs the QP, or lets a lane (engine.h) run it. The engine then fetches
 * new posts, and flushes them in ERR or SQE. A call of ibv_cmd_post_send() without a work request
 * has the same effect. But the way of this call through ib_uverbs takes longer than most messages.
 */
#ifndef GLASS_ENGINE_DOORBELL_H
#define GLASS_ENGINE_DOORBELL_H

#include <linux/fs.h>
#include <linux/rwsem.h>
#include <rdma/uverbs_types.h>

struct glass_dev;

struct glass_doorbell {
	struct ib_uobject uobj; /* the file's uverbs object; must be the first field */
	struct rw_semaphore lock; /* held for read while an lseek() runs a QP; protects `dev` */
	struct glass_dev *dev; /* NULL: the context is closed or the device is gone */
};

/* The operations of the file. Its private_data is the struct glass_doorbell. */
extern const struct file_operations glass_doorbell_fops;

#endif
