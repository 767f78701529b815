/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by list.c and tree.c. */
#ifndef IBTOP_MODEL_LIST_H
#define IBTOP_MODEL_LIST_H

#include "ibtop/model/snapshot.h"

/* Does the row match process, filter and text of the query? */
bool row_fits(const struct model *m, const struct query *q, const struct row *row);
/* Sorts stably by the query's column. Returns false if out of memory. */
bool items_sort(const struct model *m, const struct query *q, struct item *items, size_t count);
bool list_add(struct list *list, const struct item *item);
bool tree_list(struct model *m, const struct query *q, struct list *list);

#endif
