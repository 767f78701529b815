# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 300
# long: each command block of README.md and docs/, with the sleeps of a reader
# Each block runs, and prints what is shown. tests/checks/doc-blocks has their comments, and compares the list of files below.

LIMIT=600

# guide FILE
guide()
{
	ln -sfn "$TESTS/../README.md" "$TESTS/../docs" .
	"$TESTS/docs/blocks" run "$1"
}

test_readme() { guide README.md; }
test_tutorial() { guide docs/tutorial.md; }
