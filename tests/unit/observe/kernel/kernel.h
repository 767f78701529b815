/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel as observe/capture_ring.c knows it, for a test in user space: one task, which is writer and reader. The other
 * headers of this folder stand for those of the kernel, and include this one.
 */
#ifndef GLASS_TESTS_UNIT_KERNEL_H
#define GLASS_TESTS_UNIT_KERNEL_H

#include "wire/shim.h"

#define HZ 250
#define ALIGN(n, to) (((n) + (to) - 1) & ~((__typeof__(n))(to) - 1))
#define offsetofend(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

typedef struct {
	int unused;
} spinlock_t, wait_queue_head_t;

struct work_struct {
	int unused;
};

struct delayed_work {
	struct work_struct work;
};

#define spin_lock_init(lock) ((void)(lock))
#define spin_lock_irqsave(lock, flags) ((void)(lock), (flags) = 0)
#define spin_unlock_irqrestore(lock, flags) ((void)(lock), (void)(flags))

/* nobody waits */
#define init_waitqueue_head(wait) ((void)(wait))
#define wake_up_interruptible(wait) ((void)(wait))
#define wq_has_sleeper(wait) ((void)(wait), false)
#define INIT_DELAYED_WORK(work, fn) ((void)(work), (void)(fn))
#define to_delayed_work(w) container_of(w, struct delayed_work, work)
#define delayed_work_pending(work) ((void)(work), false)
#define queue_delayed_work(queue, work, delay) ((void)(work), (void)(delay))
#define cancel_delayed_work_sync(work) ((void)(work))

#define ktime_get_real_ns() 1
#define vzalloc(size) calloc(1, size)
#define vfree(p) free(p)

/* the test's own */
void cond_resched(void);

#endif
