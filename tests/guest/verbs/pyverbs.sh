# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# rdma-core's own tests, those that are of no vendor: each is a line. tests/pyverbs/skips.tsv has those that may skip.
# takes 115

# shellcheck source=tests/lib/pyverbs.sh
. "$TESTS/lib/pyverbs.sh"

setup()
{
	pyverbs_up
}

cleanup()
{
	pyverbs_down
}

LIMIT_test_pyverbs=400
test_pyverbs()
{
	local status=0
	copy_tests
	"$PYVERBS/run" tests results --dev glass0 || status=$?
	judge results | sort >"$STATE/results"
	((status < 2)) || fail "the run ended with status $status"
	(($(grep -c ^pass "$STATE/results") >= 150)) || fail "fewer than 150 tests passed"
	! grep -q ^fail "$STATE/results" || fail "some tests failed"
}
