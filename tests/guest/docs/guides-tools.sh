# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 390
# long: each command block of the pages of the tools, each in a fresh state
# As guides.sh.

# shellcheck source=tests/lib/docs.sh
. "$TESTS/lib/docs.sh"

test_ibinject() { guide docs/ibinject.md; }
test_iblint() { guide docs/iblint.md; }
test_ibwhy() { guide docs/ibwhy.md; }
test_ibtop() { guide docs/ibtop.md; }
test_rhel_guide() { guide docs/rhel-guide.md; }
