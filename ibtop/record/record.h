/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes and reads record files. */
#ifndef IBTOP_RECORD_RECORD_H
#define IBTOP_RECORD_RECORD_H

#include "ibtop/model/model.h"

/* First line of a record */
#define RECORD_MAGIC "# ibtop record 1"

struct record *record_open(const char *path, char *error, size_t error_size);
bool record_write(struct model *m); /* false on failure, which a message reports once */
/* Has writing the --record file failed? A message reported it once. */
bool record_failed(const struct model *m);
bool record_close(struct record *r);

struct replay *replay_open(const char *path, char *error, size_t error_size);
void replay_close(struct replay *r);
/*
 * Fills the current snapshot from a frame. Returns false if the file is damaged there, after a
 * message.
 */
bool replay_load(struct model *m, unsigned int frame);
unsigned int replay_frames(const struct replay *r);
/* Adds the events of all earlier frames. */
void replay_events(struct model *m, unsigned int before);
uint64_t replay_mono(const struct replay *r, unsigned int frame);
uint64_t replay_real(const struct replay *r, unsigned int frame);

#endif
