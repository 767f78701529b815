// SPDX-License-Identifier: GPL-2.0-only
#include "device.h"

const struct debugfs_use lint_use = { "lint", "lint/scope",
				      "there is no adapter that can be linted" };

enum status devices_find(const struct devices *only, struct devices *all)
{
	const char *near;
	size_t i;

	if (!debugfs_find(&lint_use, all))
		return ST_NO_DEVICE;
	if (!only->count)
		return ST_OK;
	for (i = 0; i < only->count; i++) {
		if (devices_have(all, only->name[i]))
			continue;
		near = devices_nearest(all, only->name[i]);
		if (near)
			cli_error("%s: no such adapter; did you mean %s?", only->name[i], near);
		else
			cli_error("%s: no such adapter; see \"ls %s\"", only->name[i],
				  debugfs_root);
		return ST_NO_DEVICE;
	}
	*all = *only;
	return ST_OK;
}
