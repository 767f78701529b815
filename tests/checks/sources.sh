# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the checks: the tree's own text files. The Debian root has no git, and does not need one: what is generated lies
# in folders named build.
sources()
{
	find . \( -name build -o -path ./.git \) -prune -o -type f "$@" -print | sed 's#^\./##' | sort
}
