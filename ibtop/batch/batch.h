/* SPDX-License-Identifier: GPL-2.0-only */
/* Output without a screen. */
#ifndef IBTOP_BATCH_BATCH_H
#define IBTOP_BATCH_BATCH_H

#include "ibtop/model/model.h"

/* Runs until the iterations are done, the record ends or a signal comes. Returns the exit status. */
int batch_run(struct model *m, const struct options *options);

/* One view of a batch, with what is shown of it */
struct batch_view {
	const struct view *view;
	const struct column *columns[COLUMNS_MAX];
	unsigned int num_columns;
	struct query query;
	struct glass_filter *filter;
	struct list list;
};

/* One object a refresh, on one line. NULL for n/a; what does not apply is left out. */
void batch_json(FILE *to, const struct model *m, const struct batch_view *views, size_t count);
/* header: with the line of names */
void batch_csv(FILE *to, const struct model *m, const struct batch_view *view, bool header);
/* All of one object, and of its peer beside it when there is one. False: it is not there, told. */
bool batch_detail(FILE *to, struct model *m, const char *object, bool json);
void put_json_string(FILE *to, const char *text);
void batch_openmetrics(FILE *to, const struct model *m, const struct batch_view *views, size_t count);

#endif
