/* SPDX-License-Identifier: GPL-2.0-only */
/* The life of a model: refreshes from sources or from a record, and what is read of one object alone. */
#ifndef IBTOP_REFRESH_REFRESH_H
#define IBTOP_REFRESH_REFRESH_H

#include "ibtop/model/model.h"

/* ---- life */

/*
 * NULL: memory, or the file to replay or to record to cannot be used: error tells.
 * That there is no device, or no right to see one, is no error but a message.
 * options must outlive the model. Does not read anything yet.
 */
struct model *model_open(const struct options *options, char *error, size_t error_size);
void model_free(struct model *m);

/*
 * Takes a new snapshot; the one before stays for comparison. Replaying: goes to
 * the next snapshot of the file. False: at the end of the file (live: never).
 * With --record the snapshot is appended to the file.
 */
bool model_refresh(struct model *m);

/* How long to wait until the next refresh in ms: delay_ms less what the last one took; replaying: as recorded. */
unsigned int model_wait_ms(const struct model *m);

/* ---- records */

bool model_replaying(const struct model *m);
unsigned int model_frames(const struct model *m); /* snapshots in the file; live: 0 */
unsigned int model_frame(const struct model *m);  /* the one shown, from 0 */
/* Goes to a snapshot (clamped to those there are); rates, marks and history are those of the ones before it. */
bool model_seek(struct model *m, unsigned int frame);
/* The snapshot at or before this time in ns after the first. */
unsigned int model_frame_at(const struct model *m, uint64_t ns);
/* Realtime of the first and of the last snapshot in the file, ns */
void model_frame_times(const struct model *m, uint64_t *first, uint64_t *last);
/* --seek: the snapshot that is meant; false: it is no such place, told in error. */
bool seek_parse(const struct model *m, const char *text, unsigned int *frame, char *error, size_t error_size);

/* ---- one object in full */

enum detail_kind {
	DETAIL_SECTION, /* key is its heading, text is empty */
	DETAIL_VALUE,	/* key and text */
	DETAIL_ENTRY,	/* one of many, as a WQE: key says what, text is "key=value key=value ..." */
	DETAIL_NOTE,	/* a sentence in text: why something is missing, what it means */
};

struct detail_line {
	enum detail_kind kind;
	const char *key, *text;
};

struct detail {
	struct row_id id;
	struct detail_line *lines; /* why and first error come first, then columns, rings, history */
	size_t count;
	char *memory;
};

/*
 * All there is to tell of an object: live on Glass from debugfs' inspect (read
 * now), else the cells of its row; sections: why, first_error, last_error,
 * columns, peer, timers, requester, responder, history, sq, rq, cqe ... An object
 * that is gone gives a note. NULL: memory. For the peer side by side take row_peer() and call it again.
 */
struct detail *model_detail(struct model *m, const struct row *row);
void detail_free(struct detail *detail);

#endif
