// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables of user contexts, protection domains, address handles and XRC domains. These objects
 * have no reference counts. Each function fills a row under the lock of the xarray that contains
 * the object. The lock keeps the object valid, because an object is removed from its xarray before
 * it is freed.
 */
#include "debugfs/row.h"

static bool ucontext_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	const struct glass_ucontext *u;
	unsigned long flags;

	xa_lock_irqsave(&dev->ucontexts, flags);
	u = glass_table_find(&dev->ucontexts, pos);
	if (u) {
		glass_row_num(r, GLASS_COL_UCONTEXT_ctxn, u->num);
		glass_row_owner(r, GLASS_COL_UCONTEXT_pid, &u->owner);
		glass_row_num(r, GLASS_COL_UCONTEXT_npd, atomic_read(&u->npd));
		glass_row_num(r, GLASS_COL_UCONTEXT_nmr, atomic_read(&u->nmr));
		glass_row_num(r, GLASS_COL_UCONTEXT_ncq, atomic_read(&u->ncq));
		glass_row_num(r, GLASS_COL_UCONTEXT_nsrq, atomic_read(&u->nsrq));
		glass_row_num(r, GLASS_COL_UCONTEXT_nqp, atomic_read(&u->nqp));
		glass_row_num(r, GLASS_COL_UCONTEXT_nah, atomic_read(&u->nah));
		glass_row_num(r, GLASS_COL_UCONTEXT_posts_refused,
			      atomic64_read(&u->posts_refused));
		glass_row_num(r, GLASS_COL_UCONTEXT_posts_invalid,
			      atomic64_read(&u->posts_invalid));
		glass_row_num(r, GLASS_COL_UCONTEXT_events_unacked,
			      atomic64_read(&u->events_unacked));
		glass_row_num(r, GLASS_COL_UCONTEXT_bad_wr_reused,
			      atomic64_read(&u->bad_wr_reused));
		glass_row_num(r, GLASS_COL_UCONTEXT_areas, READ_ONCE(u->areas.count));
		glass_row_num(r, GLASS_COL_UCONTEXT_area_bytes, READ_ONCE(u->areas.bytes));
		glass_row_num(r, GLASS_COL_UCONTEXT_ring_bytes, READ_ONCE(u->areas.used));
	}
	xa_unlock_irqrestore(&dev->ucontexts, flags);
	return u;
}

static bool pd_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	const struct glass_pd *pd;
	unsigned long flags;

	xa_lock_irqsave(&dev->pds, flags);
	pd = glass_table_find(&dev->pds, pos);
	if (pd) {
		glass_row_num(r, GLASS_COL_PD_pdn, pd->pdn);
		if (pd->ib.uobject)
			glass_row_ctxn(r, GLASS_COL_PD_ctxn, pd->ib.uobject->context);
		glass_row_owner(r, GLASS_COL_PD_pid, &pd->owner);
		glass_row_stack(r, GLASS_COL_PD_stack, pd->owner.stack);
		glass_row_num(r, GLASS_COL_PD_nmr, atomic_read(&pd->nmr));
		glass_row_num(r, GLASS_COL_PD_nqp, atomic_read(&pd->nqp));
		glass_row_num(r, GLASS_COL_PD_nsrq, atomic_read(&pd->nsrq));
		glass_row_num(r, GLASS_COL_PD_nmw, atomic_read(&pd->nmw));
		glass_row_num(r, GLASS_COL_PD_nah, atomic_read(&pd->nah));
	}
	xa_unlock_irqrestore(&dev->pds, flags);
	return pd;
}

static bool xrcd_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	const struct glass_xrcd *xrcd;
	unsigned long flags;

	xa_lock_irqsave(&dev->xrcds, flags);
	xrcd = glass_table_find(&dev->xrcds, pos);
	if (xrcd) {
		glass_row_num(r, GLASS_COL_XRCD_xrcdn, xrcd->num);
		glass_row_owner(r, GLASS_COL_XRCD_pid, &xrcd->owner);
		glass_row_num(r, GLASS_COL_XRCD_nsrq, atomic_read(&xrcd->nsrq));
		glass_row_num(r, GLASS_COL_XRCD_nqp, atomic_read(&xrcd->nqp));
	}
	xa_unlock_irqrestore(&dev->xrcds, flags);
	return xrcd;
}

static void ah_row(struct glass_row *r, const struct glass_ah *ah)
{
	const struct glass_av *av = &ah->av;

	glass_row_num(r, GLASS_COL_AH_ahn, ah->num);
	glass_row_num(r, GLASS_COL_AH_pdn, ah->pdn);
	glass_row_num(r, GLASS_COL_AH_port, av->port);
	glass_row_num(r, GLASS_COL_AH_dlid, av->dlid);
	glass_row_num(r, GLASS_COL_AH_sl, av->sl);
	glass_row_num(r, GLASS_COL_AH_path_bits, av->path_bits);
	glass_row_num(r, GLASS_COL_AH_static_rate, av->static_rate);
	glass_row_word(r, GLASS_COL_AH_grh, av->has_grh ? "yes" : "no");
	if (av->has_grh) {
		glass_row_num(r, GLASS_COL_AH_sgid_index, av->sgid_index);
		glass_row_text(r, GLASS_COL_AH_dgid, "%pI6", av->dgid);
		glass_row_num(r, GLASS_COL_AH_hop_limit, av->hop_limit);
		glass_row_num(r, GLASS_COL_AH_tclass, av->tclass);
		glass_row_num(r, GLASS_COL_AH_flow_label, av->flow_label);
	}
	glass_row_owner(r, GLASS_COL_AH_pid, &ah->owner);
	glass_row_stack(r, GLASS_COL_AH_stack, ah->owner.stack);
}

static bool ah_next(struct glass_dev *dev, loff_t *pos, struct glass_row *r)
{
	const struct glass_ah *ah;
	unsigned long flags;

	xa_lock_irqsave(&dev->ahs, flags);
	ah = glass_table_find(&dev->ahs, pos);
	if (ah)
		ah_row(r, ah);
	xa_unlock_irqrestore(&dev->ahs, flags);
	return ah;
}

DEFINE_GLASS_TABLE(ucontext, UCONTEXT, ucontext_next);
DEFINE_GLASS_TABLE(pd, PD, pd_next);
DEFINE_GLASS_TABLE(ah, AH, ah_next);
DEFINE_GLASS_TABLE(xrcd, XRCD, xrcd_next);
