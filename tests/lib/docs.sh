# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the suites in tests/guest/docs, which run the command blocks of pages.

# seconds for all blocks of a page
# shellcheck disable=SC2034 # the runner of suites reads it
LIMIT=600

# shellcheck source=tests/docs/setups.sh
. "$TESTS/docs/setups.sh"

# guide FILE: each block of README.md or of a page of docs/ runs, and prints what is shown
guide()
{
	ln -sfn "$TESTS/../README.md" "$TESTS/../docs" .
	"$TESTS/docs/blocks" run "$1"
}

# the state of the last block
cleanup()
{
	setups_end
}
