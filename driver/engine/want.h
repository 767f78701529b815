/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * An on-demand page that a QP found absent. Only that QP waits for it. Work of the QP brings it in,
 * first by tries that do not wait, then by a thread that is killed when the QP is destroyed. So a
 * page that never comes (userfaultfd, FUSE), or that comes by way of this QP, blocks no lane, no
 * other QP and no verb.
 */
#ifndef GLASS_ENGINE_WANT_H
#define GLASS_ENGINE_WANT_H

#include "model/objects.h"

struct glass_odp;
struct glass_qp;

/*
 * Threads of one group (party.h) that may wait for pages at a time. At the limit, tries without
 * waiting continue.
 */
#define GLASS_SLEEPERS 16

void glass_want_init(struct glass_qp *qp);

/*
 * Asks for n pages of a process from `user` on, a page's first address. Returns 0: they, or other
 * pages that the QP waits for, are being brought in; glass_pqp_pages() is called then, and the QP
 * runs. -EFAULT: a try has shown that there are none. The caller holds qp->lock and keeps odp
 * alive.
 */
long glass_want_pages(struct glass_qp *qp, struct glass_odp *odp, u64 user, u32 n, bool write);

/* Ends the wants of a dead QP, before its last reference goes. Does not wait. */
void glass_want_end(struct glass_qp *qp);
/* Frees the rest after the last reference is gone. May sleep. */
void glass_want_free(struct glass_qp *qp);

#endif
