/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_BPF_VERBS_ATTACH_H
#define GLASS_BPF_VERBS_ATTACH_H

#include "common/tool.h"
#include "common/verbs.h"

/*
 * Attaches driver_entered and driver_exited to the functions of the wanted verbs, in every loaded
 * driver but Glass, which has trace events. Returns the number of functions.
 */
int verbs_attach(struct bpf_object *obj, bool (*wanted)(unsigned int verb));

/* Notes on standard error the loaded drivers that no test has covered. */
void verbs_say_drivers(void);

/* Returns the name of a verb or a probe. */
const char *verb_word(unsigned int verb);

/* Returns the arguments as text, in a buffer that the next call overwrites. */
const char *verb_args(const struct verb_event *e);

#endif
