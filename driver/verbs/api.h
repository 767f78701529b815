/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The trace events of verbs. A verb calls one of glass_enter*() when it begins, and glass_leave()
 * with its result when it ends. VERB is a name of GLASS_VERBS (uapi/glass-vocab.h), KIND a name of
 * GLASS_KINDS (uapi/glass-columns.h). KIND and num identify the object that the verb works on.
 *
 * A verb that creates an object calls glass_enter*() before the object has a number. Most of these
 * verbs pass the object's PD instead. alloc_dm passes its user context. The verbs that create a CQ,
 * a PD, an XRC domain or a user context pass the kind of the new object, and num 0.
 */
#ifndef GLASS_VERBS_API_H
#define GLASS_VERBS_API_H

#include "model/device.h"
#include "inject/hooks.h"
#include "observe/observe.h"

#define glass_enter(dev, VERB, KIND, num, fmt, ...) \
	glass_trace_enter(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, fmt, \
			  ##__VA_ARGS__)

/* for a verb whose arguments are a constant text, which needs no formatting */
#define glass_enter_text(dev, VERB, KIND, num, text) \
	trace_glass_api_enter(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, text)

/* for a verb that has no arguments to trace */
#define glass_enter_bare(dev, VERB, KIND, num) glass_enter_text(dev, VERB, KIND, num, "")

#define glass_leave(dev, VERB, KIND, num, ret) \
	glass_trace_exit(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, ret)

#endif
