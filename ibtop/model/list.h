/* SPDX-License-Identifier: GPL-2.0-only */
/* What list.c and tree.c share. */
#ifndef IBTOP_MODEL_LIST_H
#define IBTOP_MODEL_LIST_H

#include "ibtop/model/snapshot.h"

/* Does a row fit to process, filter and text of a query? */
bool row_fits(const struct model *m, const struct query *q, const struct row *row);
/* Stable, by the query's column; false: memory. */
bool items_sort(const struct model *m, const struct query *q, struct item *items, size_t count);
bool list_add(struct list *list, const struct item *item);
bool tree_list(struct model *m, const struct query *q, struct list *list);

#endif
