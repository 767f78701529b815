/* SPDX-License-Identifier: GPL-2.0-only */
/* Adapters that are not Glass: netlink and counters tell little of their QPs. */
#ifndef IBWHY_OTHER_H
#define IBWHY_OTHER_H

#include <sys/types.h>

#include "json.h"
#include "lib/why/tell.h"

/*
 * Tells QPs of such adapters, and error counters that are not 0. pid: of one process; 0: only QPs
 * in an error state. list: NULL, or a JSON array that gets them instead of text. Returns the number
 * of QPs told.
 */
size_t other_tell(const struct why_style *style, pid_t pid, json_object *list);

/* The folder of adapters: /sys/class/infiniband. Tests use another one. */
extern const char *sysfs_root;

#endif
