/* SPDX-License-Identifier: GPL-2.0-only */
/* What record.c and replay.c agree on. */
#ifndef IBTOP_RECORD_RECORD_H
#define IBTOP_RECORD_RECORD_H

#include "ibtop/model/snapshot.h"

/* The first line of a record */
#define RECORD_MAGIC "# ibtop record 1"

#endif
