/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef GLASS_ENGINE_COMPLETE_H
#define GLASS_ENGINE_COMPLETE_H

#include "engine/objects.h"

/*
 * CQEs waiting in a CQ. Of a user's CQ the consumer index is the program's: the
 * result may be any number; more than cq->cqe means that the program wrote
 * nonsense.
 */
u32 glass_cq_used(const struct glass_cq *cq);

#endif
