# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 1
# long: command blocks that no other kernel than the debug kernel can run
# As guides.sh.

# shellcheck source=tests/lib/docs.sh
. "$TESTS/lib/docs.sh"

setup()
{
	[[ $(uname -r) == *-debug ]] || skip "these blocks of the pages are for the debug kernel"
}

test_rhel_guide() { guide_debug docs/rhel-guide.md; }
