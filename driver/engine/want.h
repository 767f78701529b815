/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A want: the on-demand pages that a QP found absent. A work item of the QP brings the pages in.
 * The work first makes tries that do not wait. If they fail, the work starts a thread that waits,
 * and that is killed when the QP is destroyed.
 *
 * So an absent page stops only this QP, and not a lane (engine.h), another QP or a verb. This holds
 * even if the page never comes (userfaultfd, FUSE), or if its contents must first arrive through
 * this QP.
 */
#ifndef GLASS_ENGINE_WANT_H
#define GLASS_ENGINE_WANT_H

#include "model/objects.h"

struct glass_odp;
struct glass_qp;

/*
 * At most this many threads wait at a time for pages of one group of processes (party.h). While
 * this limit is reached, the work goes on with tries that do not wait.
 */
#define GLASS_SLEEPERS 16

void glass_want_init(struct glass_qp *qp);

/*
 * Asks for n pages of the process to which `odp` belongs. `user` is the address of the first page.
 * `write` means that the QP will write to the pages. The caller holds qp->lock and keeps odp alive.
 *
 * Returns 0 if the work or its thread will bring in these pages, or the first GLASS_WANT_PAGES of
 * them. While an earlier request of the QP is not done, returns 0 and ignores the new one. When the
 * pages have come or cannot come, the work or thread calls glass_pqp_pages() and kicks the QP.
 * Returns -EFAULT if the QP is dead, or if an attempt to bring these pages in failed less than 250
 * ms ago.
 */
long glass_want_pages(struct glass_qp *qp, struct glass_odp *odp, u64 user, u32 n, bool write);

/*
 * Called after a QP was marked dead, and before the destroyer waits for the references to the QP:
 * ends the QP's want, which holds such a reference. Does not wait.
 */
void glass_want_end(struct glass_qp *qp);
/* Called after the last reference to the QP is gone: waits for the end of the work. May sleep. */
void glass_want_free(struct glass_qp *qp);

#endif
