// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which libibverbs loads this provider. The private interface changes between versions of rdma-core without a change of
 * IBVERBS_PABI_VERSION, which is in this provider's file name: 44 and 56 have the same one, and functions of other types. No
 * symbol of libibverbs tells its version. The name of its file does: libibverbs.so.1.14.56.1 is of rdma-core 56.1.
 */
#define _GNU_SOURCE
#include <config.h>

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/driver.h>

#include "version.h"

#define STEM "libibverbs.so."

/*
 * The version of rdma-core in the name of a library's file, "56.1" in ".../libibverbs.so.1.14.56.1"; NULL if the name has
 * none. The first two numbers are those of the public interface.
 */
static const char *version_in_name(const char *path)
{
	const char *name = strrchr(path, '/');
	int dots = 2;

	name = name ? name + 1 : path;
	if (strncmp(name, STEM, strlen(STEM)))
		return NULL;
	name += strlen(STEM);
	while (dots--) {
		name = strchr(name, '.');
		if (!name)
			return NULL;
		name++;
	}
	return name[0] >= '0' && name[0] <= '9' ? name : NULL;
}

/*
 * True if the libibverbs of this process is of the series of rdma-core that this provider was compiled in. Otherwise false,
 * after a message on standard error: calls between the two would pass arguments of other types. Stable releases of one series
 * (56.0, 56.1) keep the private interface.
 */
bool glass_libibverbs_matches(void)
{
	const long series = strtol(PACKAGE_VERSION, NULL, 10);
	char resolved[PATH_MAX];
	const char *path, *version;
	Dl_info here, there;

	if (!dladdr(glass_libibverbs_matches, &here) || !dladdr(verbs_set_ops, &there))
		return true;	/* no dynamic loader: linked statically with that libibverbs */
	if (here.dli_fbase == there.dli_fbase)
		return true;	/* both are in one file */
	path = realpath(there.dli_fname, resolved);
	if (!path)
		path = there.dli_fname;
	version = version_in_name(path);
	if (version && strtol(version, NULL, 10) == series)
		return true;
	if (version)
		fprintf(stderr,
			"glass: %s: this provider was compiled for libibverbs %ld (rdma-core %s), but %s is libibverbs %s; "
			"install the package libibverbs-glass that was built for libibverbs %ld, or compile Glass here (make install)\n",
			here.dli_fname, series, PACKAGE_VERSION, path, version, strtol(version, NULL, 10));
	else
		fprintf(stderr,
			"glass: %s: this provider was compiled for libibverbs %ld (rdma-core %s), and the version of %s is unknown: "
			"its file is not named libibverbs.so.1.N.VERSION; use the libibverbs of the package libibverbs1\n",
			here.dli_fname, series, PACKAGE_VERSION, path);
	return false;
}
