# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 200
# long: rdma-core's own tests, three times

# rdma-core's own tests, those that are of no vendor, at an Ethernet port: each is a line. First both ends of a connection are at glassr0,
# then one is at rxe0. tests/pyverbs/skips-*.tsv have those that may skip.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"
# shellcheck source=tests/lib/pyverbs.sh
. "$TESTS/lib/pyverbs.sh"

LIMIT=400

setup()
{
	roce_up
	# some tests want huge pages: 2 MiB each
	echo 16 >/proc/sys/vm/nr_hugepages
	(($(</proc/sys/vm/nr_hugepages) == 16)) || fail "no room for huge pages"
}

cleanup()
{
	echo 0 >/proc/sys/vm/nr_hugepages
	roce_down
}

# verdict SKIPS LEAST STATUS PREFIX: of the run that ended with this status; at least so many tests must have passed
verdict()
{
	judge results '' "$PYVERBS/$1" | sed "s/^\([a-z]*\) /\1 $4/" | sort >>"$STATE/results"
	(($3 < 2)) || fail "the run ended with status $3"
	(($(grep -c "^pass $4" "$STATE/results") >= $2)) || fail "fewer than $2 tests passed"
	! grep -q "^fail $4" "$STATE/results" || fail "some tests failed"
}

test_pyverbs()
{
	local status=0
	copy_tests
	in_ns there "$PYVERBS/run" tests results --dev glassr0 --gid "$(gid_of glassr0 $THERE4)" || status=$?
	verdict skips-ethernet.tsv 150 "$status" ''
}

# A test has one number for the GIDs of both ends.
same_gid()
{
	GID=$(gid_of glassr0 "$2")
	assert_eq "$(gid_of rxe0 "$1")" "$GID" "index of the GID"
}

test_pyverbs_from_rxe()
{
	local status=0
	copy_tests
	same_gid $HERE4 $THERE4
	"$PYVERBS/between" tests results "rxe0,$HERE4,/proc/1/ns/net" "glassr0,$THERE4,/run/netns/there" "$GID" "$PYVERBS/skips-from-rxe.tsv" || status=$?
	verdict skips-from-rxe.tsv 20 "$status" from_rxe.
}

test_pyverbs_to_rxe()
{
	local status=0
	copy_tests
	same_gid $HERE6 $THERE6
	in_ns there "$PYVERBS/between" tests results "glassr0,$THERE6,/run/netns/there" "rxe0,$HERE6,/proc/1/ns/net" "$GID" "$PYVERBS/skips-to-rxe.tsv" || status=$?
	verdict skips-to-rxe.tsv 20 "$status" to_rxe.
}
