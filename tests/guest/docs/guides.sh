# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 200
# long: each command block of README.md and the tutorial, with the sleeps of a reader
# Each block runs, and prints what is shown. tests/checks/doc-blocks checks their comments, and that a suite here runs each page.

# shellcheck source=tests/lib/docs.sh
. "$TESTS/lib/docs.sh"

test_readme() { guide README.md; }
test_tutorial() { guide docs/tutorial.md; }
