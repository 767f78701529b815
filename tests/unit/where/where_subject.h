/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WHERE_SUBJECT_H
#define WHERE_SUBJECT_H

/* Prints where its caller is. */
void record(const char *name);
void in_library(void);

#endif
