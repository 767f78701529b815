/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A page on demand that a QP found absent. The QP alone waits for it: it is brought in by work of
 * the QP's own, first by tries that do not wait themselves, and if that does not help by a thread
 * that is killed when the QP is destroyed. So a page that never comes (userfaultfd, FUSE), or one
 * that comes by way of this QP, holds up no lane, no other QP and no verb.
 */
#ifndef GLASS_ENGINE_WANT_H
#define GLASS_ENGINE_WANT_H

#include "model/objects.h"

struct glass_odp;
struct glass_qp;

/* Threads that wait for pages at a time, of one group (party.h). Who has so many tries on without waiting. */
#define GLASS_SLEEPERS 16

void glass_want_init(struct glass_qp *qp);

/*
 * The QP wants n pages of a process from `user` on, a page's first address. Returns 0: they are being
 * brought in, or others that the QP waits for are; glass_pqp_pages() is called then, and the QP runs. Or
 * -EFAULT: it was tried, and there are none. The caller holds qp->lock and knows that odp exists.
 */
long glass_want_pages(struct glass_qp *qp, struct glass_odp *odp, u64 user, u32 n, bool write);

/* The QP is dead and wants nothing: before the last reference goes. Does not wait. */
void glass_want_end(struct glass_qp *qp);
/* The last of it: after that. May sleep. */
void glass_want_free(struct glass_qp *qp);

#endif
