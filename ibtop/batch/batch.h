/* SPDX-License-Identifier: GPL-2.0-only */
/* Output without a screen. */
#ifndef IBTOP_BATCH_BATCH_H
#define IBTOP_BATCH_BATCH_H

#include "ibtop/model/model.h"

/*
 * Runs until the iterations are done, the record ends or a signal arrives. Returns the exit status.
 */
int batch_run(struct model *m, const struct options *options);

/* A view of a batch, with its query and columns */
struct batch_view {
	const struct view *view;
	const struct column *columns[COLUMNS_MAX];
	unsigned int num_columns;
	struct query query;
	struct glass_filter *filter;
	struct list list;
};

/*
 * Writes a line with a JSON object per refresh. n/a is null; values that do not apply are omitted.
 */
void batch_json(FILE *to, const struct model *m, const struct batch_view *views, size_t count);
/* header: write the line of names first */
void batch_csv(FILE *to, const struct model *m, const struct batch_view *view, bool header);
/*
 * Writes all details of an object, and beside it of its peer, if any. Returns false after an error
 * message if the object does not exist.
 */
bool batch_detail(FILE *to, struct model *m, const char *object, bool json);
void put_json_string(FILE *to, const char *text);
void batch_openmetrics(FILE *to, const struct model *m, const struct batch_view *views, size_t count);

#endif
