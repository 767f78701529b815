/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The trace events of verbs: each verb is traced on entry and on return. VERB and KIND are names of
 * GLASS_VERBS and GLASS_KINDS (uapi/glass-vocab.h). num: the number of the object; on entry to a
 * verb that creates one, the number of its parent.
 */
#ifndef GLASS_VERBS_API_H
#define GLASS_VERBS_API_H

#include "model/device.h"
#include "inject/hooks.h"
#include "observe/observe.h"

#define glass_enter(dev, VERB, KIND, num, fmt, ...) \
	glass_trace_enter(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, fmt, \
			  ##__VA_ARGS__)

/* for a verb whose arguments are a constant text: needs no formatting */
#define glass_enter_text(dev, VERB, KIND, num, text) \
	trace_glass_api_enter(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, text)

/* for a verb without arguments to trace */
#define glass_enter_bare(dev, VERB, KIND, num) glass_enter_text(dev, VERB, KIND, num, "")

#define glass_leave(dev, VERB, KIND, num, ret) \
	glass_trace_exit(glass_dev_name(dev), GLASS_VERB_##VERB, GLASS_KIND_##KIND, num, ret)

#endif
