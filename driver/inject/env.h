/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What injection asks of the layers above it. Declared here, defined by those: a direct call, never a pointer.
 */
#ifndef GLASS_INJECT_ENV_H
#define GLASS_INJECT_ENV_H

struct glass_inject;

/*
 * The number of rules that keep the device unplugged (glass_inject.away) changed: takes the device away or brings it
 * back. Defined by main.c. In a work item; may sleep.
 */
void glass_inject_env_plug(struct glass_inject *in);

#endif
