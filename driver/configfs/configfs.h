/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The directory `glass` of configfs, by which root makes and unmakes the fabric
 * (docs/fabric-abi.md).
 */
#ifndef GLASS_CONFIGFS_H
#define GLASS_CONFIGFS_H

#include "fabric/command.h"
#include "model/links.h"

#if IS_ENABLED(CONFIG_CONFIGFS_FS)
/* Makes the directory. Returns 0 or a negative errno. */
int glass_configfs_init(struct glass_fabric *f);
/* Removes the directory. Waits for writes in progress. */
void glass_configfs_exit(void);
#else
/* Without configfs, the fabric remains as the module's parameters describe it. */
static inline int glass_configfs_init(struct glass_fabric *f)
{
	return 0;
}

static inline void glass_configfs_exit(void)
{
}
#endif

/*
 * Carries out a command. Returns 0. Returns a negative errno if the command is refused; *e has the
 * reason. Takes f->making, and may sleep.
 */
int glass_fabric_do(struct glass_fabric *f, const struct glass_fabric_command *c,
		    struct glass_fabric_error *e);

#endif
