/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GLASS_BPF_VERBS_ATTACH_H
#define GLASS_BPF_VERBS_ATTACH_H

#include "common/tool.h"
#include "common/verbs.h"

/*
 * Attaches driver_entered and driver_exited to the functions of the verbs wanted of every driver
 * that is loaded, but for Glass, which has trace events. Returns how many.
 */
int verbs_attach(struct bpf_object *obj, bool (*wanted)(unsigned int verb));

/* Says on standard error which of the loaded drivers are known, and how well. */
void verbs_say_drivers(void);

/* The name of a verb or a probe */
const char *verb_word(unsigned int verb);

/* The arguments as text, in a buffer that the next call overwrites */
const char *verb_args(const struct verb_event *e);

#endif
