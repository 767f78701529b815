# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the suites in tests/guest/docs, which run the command blocks of pages.

# seconds for all blocks of a page
# shellcheck disable=SC2034 # the runner of suites reads it
LIMIT=600

# shellcheck source=tests/docs/setups.sh
. "$TESTS/docs/setups.sh"

# guide FILE [OPTION]...: each block of README.md or of a page of docs/ runs, and prints what is shown. Without an option of
# tests/docs/blocks those for the debug kernel are left out.
guide()
{
	ln -sfn "$TESTS/../README.md" "$TESTS/../docs" .
	"$TESTS/docs/blocks" run "${@:2}" "$1"
}

# guide_debug FILE: those of its blocks that are for the debug kernel
guide_debug()
{
	guide "$1" --kernel debug
}

# the state of the last block
cleanup()
{
	setups_end
}
