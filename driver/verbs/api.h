/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The trace events of verbs: a verb calls one of glass_enter*() when it begins, and glass_leave()
 * with its result. VERB and KIND are names of GLASS_VERBS (uapi/glass-vocab.h) and GLASS_KINDS
 * (uapi/glass-columns.h). KIND and num: the object that the verb works on. At glass_enter*(), an
 * object that the verb creates has no number yet: the verb passes kind and number of the object's
 * PD or user context, or the object's kind and 0.
 */
#ifndef GLASS_VERBS_API_H
#define GLASS_VERBS_API_H

#include "model/device.h"
#include "inject/hooks.h"
#include "observe/observe.h"

#define glass_enter(dev, VERB, KIND, num, fmt, ...) \
	glass_trace_enter(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, fmt, \
			  ##__VA_ARGS__)

/* for a verb whose arguments are traced as a constant text, which needs no formatting */
#define glass_enter_text(dev, VERB, KIND, num, text) \
	trace_glass_api_enter(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, text)

/* for a verb that has no arguments to trace */
#define glass_enter_bare(dev, VERB, KIND, num) glass_enter_text(dev, VERB, KIND, num, "")

#define glass_leave(dev, VERB, KIND, num, ret) \
	glass_trace_exit(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, ret)

#endif
