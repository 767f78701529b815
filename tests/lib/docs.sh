# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the suites in tests/guest/docs, which run the command blocks of pages.

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
