// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The table of queue pairs by number. */
#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "glass.h"

static struct glass_qp_page *page_of(struct glass_context *ctx, uint32_t qpn)
{
	return atomic_load_explicit(&ctx->qp_pages[qpn >> GLASS_QPT_SLOT_BITS],
				    memory_order_acquire);
}

/* Returns the page of a number, allocated if missing; NULL: out of memory. Call under qp_lock. */
static struct glass_qp_page *make_page(struct glass_context *ctx, uint32_t qpn)
{
	struct glass_qp_page *page = page_of(ctx, qpn);

	if (page)
		return page;
	page = calloc(1, sizeof(*page));
	if (page)
		atomic_store_explicit(&ctx->qp_pages[qpn >> GLASS_QPT_SLOT_BITS], page,
				      memory_order_release);
	return page;
}

static int table_add(struct glass_context *ctx, struct glass_qp *qp)
{
	uint32_t qpn = qp->ibv.qp.qp_num;
	struct glass_qp_page *page;

	if (qpn >> 24)
		return EPROTO;
	page = make_page(ctx, qpn);
	if (!page)
		return ENOMEM;
	if (glass_qp_find(ctx, qpn))
		return EEXIST;
	atomic_store_explicit(&page->slot[qpn & (GLASS_QPT_SLOTS - 1)], qp, memory_order_release);
	return 0;
}

int glass_qp_table_add(struct glass_context *ctx, struct glass_qp *qp)
{
	int ret;

	pthread_mutex_lock(&ctx->qp_lock);
	ret = table_add(ctx, qp);
	pthread_mutex_unlock(&ctx->qp_lock);
	return ret;
}

/*
 * Removes only this very QP: an opened QP is not in the table, but a created one of its number may
 * be.
 */
void glass_qp_table_del(struct glass_context *ctx, struct glass_qp *qp)
{
	uint32_t qpn = qp->ibv.qp.qp_num;

	pthread_mutex_lock(&ctx->qp_lock);
	if (glass_qp_find(ctx, qpn) == qp)
		atomic_store_explicit(&page_of(ctx, qpn)->slot[qpn & (GLASS_QPT_SLOTS - 1)], NULL,
				      memory_order_release);
	pthread_mutex_unlock(&ctx->qp_lock);
}

void glass_qp_table_each(struct glass_context *ctx, void (*each)(struct glass_qp *qp))
{
	uint32_t i, k;

	pthread_mutex_lock(&ctx->qp_lock);
	for (i = 0; i < GLASS_QPT_PAGES; i++) {
		struct glass_qp_page *page = page_of(ctx, i << GLASS_QPT_SLOT_BITS);

		for (k = 0; page && k < GLASS_QPT_SLOTS; k++) {
			struct glass_qp *qp = atomic_load(&page->slot[k]);

			if (qp)
				each(qp);
		}
	}
	pthread_mutex_unlock(&ctx->qp_lock);
}
