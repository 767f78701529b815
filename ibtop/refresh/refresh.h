/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens, refreshes and frees models, from sources or a record, and reads the details of an object.
 */
#ifndef IBTOP_REFRESH_REFRESH_H
#define IBTOP_REFRESH_REFRESH_H

#include "ibtop/model/model.h"

/* ---- open and free */

/*
 * Opens a model, without reading anything yet. Returns NULL, with the reason in error, if out of
 * memory or if a record file cannot be opened. A missing device, or missing permission, only causes
 * a message. options must outlive the model.
 */
struct model *model_open(const struct options *options, char *error, size_t error_size);
void model_free(struct model *m);

/*
 * Reads what this view shows, from the next refresh on. Only views of the fabric and of GIDs need it:
 * their tables may be long, and each is read from the first time on that a view of it is wanted. A
 * model that writes a record reads everything.
 */
void model_want(struct model *m, enum view_id view);
/* Did the last refresh not read what this view shows, because it was not wanted? */
bool model_lacks(const struct model *m, enum view_id view);

/*
 * Takes a new snapshot and keeps the previous one for comparison. When replaying, advances to the
 * next snapshot of the file. Returns false only at the end of the file. With --record, appends the
 * snapshot to the file.
 */
bool model_refresh(struct model *m);

/*
 * Returns the ms until the next refresh: delay_ms minus the duration of the last refresh; when
 * replaying, as recorded.
 */
unsigned int model_wait_ms(const struct model *m);

/* ---- records */

bool model_replaying(const struct model *m);
unsigned int model_frames(const struct model *m); /* snapshots in the file; 0 if live */
unsigned int model_frame(const struct model *m);  /* index of the current one, from 0 */
/*
 * Goes to a snapshot, clamped to the last one. Reads some earlier ones first, for rates, marks and
 * history.
 */
bool model_seek(struct model *m, unsigned int frame);
/* Returns the last snapshot that is not later than ns after the first one. */
unsigned int model_frame_at(const struct model *m, uint64_t ns);
/* Wall-clock times of the first and last snapshot in the file, in ns */
void model_frame_times(const struct model *m, uint64_t *first, uint64_t *last);
/* Parses the argument of --seek to a snapshot. Returns false with the reason in error. */
bool seek_parse(const struct model *m, const char *text, unsigned int *frame, char *error, size_t error_size);

/* ---- details of an object */

enum detail_kind {
	DETAIL_SECTION, /* key is its heading, text is empty */
	DETAIL_VALUE,	/* key and text */
	DETAIL_ENTRY,	/* one of many, such as a WQE: key names it, text is "key=value ..." */
	DETAIL_NOTE,	/* a sentence in text: why data is missing, or what it means */
};

struct detail_line {
	enum detail_kind kind;
	const char *key, *text;
};

struct detail {
	struct row_id id;
	struct detail_line *lines; /* order: why, first error, columns, then rings and history */
	size_t count;
	char *memory;
};

/*
 * Returns all details of an object, read now from debugfs' inspect if it is live on Glass,
 * otherwise the cells of its row. Sections: why, first_error, last_error, columns, peer, timers,
 * requester, responder, history, sq, rq, cqe ... For a gone object, returns a note. Returns NULL if
 * out of memory. For the peer beside it, call it again with row_peer().
 */
struct detail *model_detail(struct model *m, const struct row *row);
void detail_free(struct detail *detail);

/*
 * The story of a queue pair, as ibwhy tells it: its last failure, or with `wait` what it waits for, read
 * now. Returns NULL, with the reason in error, if there is none. Free it with told_free().
 */
struct told;
enum trouble { TROUBLE_NONE, TROUBLE_FAILED, TROUBLE_STUCK };
/* Did the object, a queue pair, fail, or is it stuck? */
enum trouble model_trouble(const struct model *m, const struct row *row);
struct told *model_story(struct model *m, const struct row *qp, bool wait, char *error, size_t size);
void told_free(struct told *t); /* t may be NULL */

bool told_is_failure(const struct told *t);
bool told_has_diagram(const struct told *t);

/*
 * Write the text, or the packets before the failure as a diagram, with the escape sequences of colours.
 * told_diagram() needs told_has_diagram().
 */
void told_text(const struct told *t, FILE *to, unsigned int width);
void told_diagram(const struct told *t, FILE *to, unsigned int width, bool utf8);

#endif
