# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 21
# The kernel's door: the corpus of door_fuzz, and random programs for a while (docs/reliability.md).

LIMIT=240

setup()
{
	start_opensm
}

# Root's programs may have broken what the kernel itself uses, QP 1 and its CQ among it: whoever comes next gets others.
cleanup()
{
	fresh_glass
}

# Every program of the corpus ends, and the kernel has nothing to say. On slow kernels a sixth of them, by turns.
test_corpus()
{
	local of=1
	((SLOWER == 1)) || of=6
	echo "share $((GLASS_COMMITS / 4 % of)) of $of, by the number of commits"
	door_fuzz --out . --seed 1 --share "$((GLASS_COMMITS / 4 % of))/$of" --replay "$TESTS/door/corpus" "$TESTS/door/reached"
}

# A program that reads wrongly is refused before anything runs.
test_corpus_is_checked()
{
	echo 'create_nothing()' >wrong
	refuses door_fuzz --out . --replay wrong
	assert_match "$REFUSAL" 'no such call: create_nothing'
	echo 'create_cq(cqe=many)' >wrong
	refuses door_fuzz --out . --replay wrong
	assert_match "$REFUSAL" 'create_cq: cqe: no number'
}

# What is printed is the same program.
test_printed_programs_are_read_again()
{
	local file
	for file in "$TESTS"/door/{corpus,reached}/*; do
		door_fuzz --print "$file" >once
		door_fuzz --print once >twice
		cmp once twice
	done
}

test_random_programs()
{
	[[ -e /sys/kernel/debug/kcov ]] || skip "this kernel has no KCOV: the debug kernel has"
	echo "seed $GLASS_COMMITS, the number of commits"
	door_fuzz --out . --seconds 40 --seed "$GLASS_COMMITS" --share "$((GLASS_COMMITS / 4 % 6))/6" "$TESTS/door/corpus" "$TESTS/door/reached" | tee log
	# Coverage is what steers it: none would be a fuzzer that gropes about.
	assert_match "$(tail -n 1 log)" ' [1-9][0-9]{3,} places in [1-9][0-9]{2,} of '
}
