# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# rdma-core's own tests under iblint: what is found there, and tests/pyverbs/findings.tsv does not tell of, is wrong.
# takes 100
# long: what the suite pyverbs runs, once more

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

# known FILE: lines of the harness for CODE, TEST and TEXT of each finding in FILE: those that findings.tsv has a row for
# pass, others fail, and so does a row for which nothing was found, but when its code ends in "?".
known()
{
	local code test text row ok
	local -a codes=() tests=() hits=()
	while IFS=$'\t' read -r code test _; do
		[[ $code == GL* ]] || continue
		codes+=("$code")
		tests+=("$test")
		hits+=(0)
	done <"$PYVERBS/findings.tsv"
	while IFS=$'\t' read -r code test text; do
		ok=0
		for row in "${!codes[@]}"; do
			# shellcheck disable=SC2053
			[[ $code == "${codes[row]%\?}" && $test == ${tests[row]} ]] || continue
			hits[row]=$((hits[row] + 1))
			ok=1
		done
		((ok)) || echo "fail $code.$test 0 is not in findings.tsv: $text"
	done <"$1"
	for row in "${!codes[@]}"; do
		if ((hits[row])); then
			echo "pass ${codes[row]%\?}.${tests[row]} 0"
		elif [[ ${codes[row]} != *\? ]]; then
			echo "fail ${codes[row]}.${tests[row]} 0 is in findings.tsv, but was not found"
		fi
	done
}

# found RESULTS LINES: CODE, TEST and TEXT of each finding; it is that test's which had begun when it was first seen.
found()
{
	{
		awk '$1 == "begin" { print $3 "\t\t" $2 }' "$1"
		jq -r '[.first, .code, "\(.text) (\(.dev) \(.kind) \(.num), \(.comm))"] | @tsv' "$2"
	} | sort -n -s -k 1,1 | awk -F '\t' '$2 == "" { test = $3; next } { print $2 "\t" (test ? test : "-") "\t" $3 }'
}

LIMIT_test_pyverbs_under_lint=600
test_pyverbs_under_lint()
{
	local status=0
	copy_tests
	iblint -q --no-rcfile --json-lines=lines "$PYVERBS/run" tests results --dev glass0 || status=$?
	((status < 2)) || fail "the run ended with status $status"
	assert_eq "$(awk '$1 == "lost:" { n += $2 } END { print n + 0 }' "$GLASS_DEBUGFS"/glass[01]/lint/stats)" 0 "findings that were lost"
	judge results >judged
	(($(grep -c ^pass judged) >= 150)) || fail "fewer than 150 tests passed"
	found results lines >found
	{
		sed -n '/^fail/p' judged
		known found
	} | sort >"$STATE/results"
	cut -f 1,2 found | sort | uniq -c
	! grep -q ^fail "$STATE/results" || fail "tests failed, or what was found is not what is known"
}
