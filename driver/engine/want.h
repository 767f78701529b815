/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Wants: the on-demand pages that QPs found absent. Only the QP that found a page absent waits for
 * it. A work item of this QP brings the page in, first by tries that do not wait, then by a thread
 * that is killed when the QP is destroyed. So a page that never comes (userfaultfd, FUSE), or that
 * comes by way of this QP, blocks no lane (engine.h), no other QP and no verb.
 */
#ifndef GLASS_ENGINE_WANT_H
#define GLASS_ENGINE_WANT_H

#include "model/objects.h"

struct glass_odp;
struct glass_qp;

/*
 * Threads that may wait at a time for pages of one group of processes (party.h). At the limit, the
 * work continues with tries that do not wait.
 */
#define GLASS_SLEEPERS 16

void glass_want_init(struct glass_qp *qp);

/*
 * Asks for n pages of a process (odp) from `user` on, which is the address of a page. Returns 0:
 * the work brings in these pages, or others that the QP asked for before; when they have come or
 * cannot come, it calls glass_pqp_pages() and kicks the QP. -EFAULT: an earlier try has shown that
 * the pages cannot come, or the QP is dead. The caller holds qp->lock and keeps odp alive.
 */
long glass_want_pages(struct glass_qp *qp, struct glass_odp *odp, u64 user, u32 n, bool write);

/*
 * Called when a QP was marked dead, before the destroyer waits for its references: ends the QP's
 * want, which holds one. Does not wait.
 */
void glass_want_end(struct glass_qp *qp);
/* Called after the last reference to the QP is gone: waits for the work. May sleep. */
void glass_want_free(struct glass_qp *qp);

#endif
