# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites about ibwhy: first causes by seeds, and their verdicts. Beside suite.sh.

# Causes that nothing proves yet: the driver keeps no records of them. They may remain undetermined.
WHY_OPEN=''

# why_base: the first seed of this run; `--append why_seed=N` gives it
why_base()
{
	[[ -s $STATE/why_seed ]] || word_of_boot why_seed $((RANDOM * 32768 + RANDOM)) >"$STATE/why_seed"
	cat "$STATE/why_seed"
}

# begin_verdicts: no failure is kept, no truth is known
begin_verdicts()
{
	echo clear >"$GLASS_DEBUGFS/failures"
	: >truths
}

# provoke CAUSE SEED OPTION...: its truths are added to the file `truths`
provoke()
{
	local cause=$1 seed=$2
	shift 2
	first_causes "$@" "$cause" "$seed" >>truths 2>err || fail "first_causes $* $cause $seed: status $?: $(<err)"
}

# judge OPEN: all failures since begin_verdicts against their truths; causes in OPEN may be undetermined ("all": each)
judge()
{
	ibwhy --json >verdicts 2>err || fail "ibwhy: status $?: $(<err)"
	compare "$1"
}

# compare OPEN: the verdicts in the file `verdicts` with the truths
compare()
{
	jq -r --slurpfile truths truths --arg open "$1" -f "$TESTS/guest/why/verdicts.jq" <verdicts >judged || fail "no JSON: $(head -n 40 verdicts)"
	if grep -q ^WRONG judged; then
		cat judged
		fail "$(grep -c ^WRONG judged) wrong verdicts; seeds from $(why_base)"
	fi
}

# seeds N OPEN CAUSE OPTION...: the cause N times with different seeds; prints how many verdicts were right, how many undetermined
seeds()
{
	local n=$1 open=$2 cause=$3 i base
	shift 3
	base=$(why_base)
	begin_verdicts
	for ((i = 0; i < n; i++)); do
		provoke "$cause" $((base + i)) "$@"
	done
	judge "$open"
	progress "seeds $base to $((base + n - 1)): $(paste -sd, judged | sed 's/,/, /g')"
}
