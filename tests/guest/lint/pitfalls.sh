# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The lessons (docs/pitfalls): each bad program yields exactly its code, each good one none; strict mode breaks what it says.
# All of them run once, in setup, and are looked at by the tests. tests/pitfalls/pairs.tsv says what is expected.

# takes 20
LIMIT=60
LIMIT_setup=300

PAIRS=$TESTS/pitfalls/pairs.tsv
RESULTS=$STATE/pitfalls

lint()
{
	local dev
	for dev in glass0 glass1; do
		echo "$2" >"$GLASS_DEBUGFS/$dev/lint/$1"
	done
}

behavior()
{
	local dev
	for dev in glass0 glass1; do
		echo "$2" >"$GLASS_DEBUGFS/$dev/behavior/$1"
	done
}

# pairs FUNCTION: calls it with code, ends, strict and seen of each pair
pairs()
{
	local code ends strict seen
	while IFS=$'\t' read -r code ends strict seen; do
		[[ $code != GL* ]] || "$1" "$code" "$ends" "$strict" "$seen"
	done <"$PAIRS"
}

# run PROGRAM [SUFFIX]: its output and its status go to the results
run()
{
	local status=0
	"$1" >"$RESULTS/$1${2:-}.log" 2>&1 </dev/null || status=$?
	echo "$status" >"$RESULTS/$1${2:-}.status"
}

run_pair()
{
	# these need a port that is not ACTIVE yet, and ran before
	[[ $1 != GL058 ]] || return 0
	run "$1_bad"
	run "$1_good"
}

run_strict()
{
	[[ $3 != - ]] || return 0
	behavior "$3" '1 seed=7'
	run "$1_bad" .strict
	run "$1_good" .strict
	behavior "$3" 0
}

setup()
{
	mkdir -p "$RESULTS"
	fresh_glass
	lint scope clear
	lint clear 1
	lint scope 'add comm=GL0* codes=all'
	run GL058_bad
	run GL058_good &
	local waits=$!
	wait_for 10 pgrep -x GL058_good
	start_opensm
	wait "$waits"
	pairs run_pair
	# COMM CODE TEXT of each finding
	cat "$GLASS_DEBUGFS"/glass[01]/lint/findings >"$RESULTS/table"
	awk '/^# glass 1 lint:/ { for (i = 5; i <= NF; i++) at[$i] = i - 4; next }
		/^# lost/ { print > "/dev/stderr"; lost = 1 }
		!/^#/ { print $at["comm"], $at["code"], $at["text"] }
		END { exit lost }' "$RESULTS/table" >"$RESULTS/findings"
	lint scope clear
	pairs run_strict
}

cleanup()
{
	local knob
	lint scope clear
	lint clear 1
	for knob in "$GLASS_DEBUGFS"/glass[01]/behavior/*; do
		[[ $knob == */seed ]] || echo 0 >"$knob"
	done
	stop_opensm
}

# CODES[PROGRAM]: the codes that it was found for
read_codes()
{
	local comm code
	declare -gA CODES=()
	while read -r comm code _; do
		[[ " ${CODES[$comm]:-} " == *" $code "* ]] || CODES[$comm]+="${CODES[$comm]:+ }$code"
	done <"$RESULTS/findings"
}

# show PROGRAM: what it said and what was found, and that this is wrong
show()
{
	echo "$1: $2"
	sed 's/^/	/' "$RESULTS/$1.log"
	awk -v comm="$1" '$1 == comm { print "	" $2, $3 }' "$RESULTS/findings"
	WRONG=$((${WRONG:-0} + 1))
}

verdict()
{
	((${WRONG:-0} == 0)) || fail "$WRONG programs"
}

look_at_bad()
{
	local code=$1 seen=$4 codes=${CODES[$1_bad]:-}
	case $seen in
	lint) [[ $codes == "$code" ]] || show "${code}_bad" "found for '$codes', not for $code" ;;
	strict) [[ -z $codes || $codes == "$code" ]] || show "${code}_bad" "found for '$codes'" ;;
	esac
}

test_bad_programs_yield_their_code_and_no_other()
{
	read_codes
	pairs look_at_bad
	verdict
}

look_at_good()
{
	local codes=${CODES[$1_good]:-}
	[[ -z $codes ]] || show "$1_good" "found for '$codes'"
}

test_good_programs_yield_nothing()
{
	read_codes
	pairs look_at_good
	verdict
}

look_at_status()
{
	local status
	status=$(<"$RESULTS/$1_good.status")
	((status == 0)) || show "$1_good" "ended with $status"
	status=$(<"$RESULTS/$1_bad.status")
	[[ $status == "$2" || ($2 == any && $status == [01]) ]] || show "$1_bad" "ended with $status, not $2"
}

test_programs_end_as_said()
{
	pairs look_at_status
	verdict
}

look_at_strict()
{
	[[ $3 != - ]] || return 0
	local status
	status=$(<"$RESULTS/$1_bad.strict.status")
	[[ $status == 1 ]] || show "$1_bad.strict" "with $3 it ended with $status, not 1"
	status=$(<"$RESULTS/$1_good.strict.status")
	[[ $status == 0 ]] || show "$1_good.strict" "with $3 it ended with $status"
}

test_strict_mode_breaks_what_relies_on_the_undefined()
{
	pairs look_at_strict
	verdict
}

note_knob()
{
	[[ $3 == - ]] || LESSONS+=" $3 "
}

# status_is STATUS COMMAND...
status_is()
{
	local status=0
	"${@:2}" >relies.log 2>&1 </dev/null || status=$?
	((status == $1)) || {
		cat relies.log
		fail "${*:2} ended with $status, not $1${KNOB_IS:+ with $KNOB_IS}"
	}
}

# What each knob does breaks a program that relies on the contrary, and not the mended one: a lesson (above) or one of
# relies.c. A knob without a program fails, and so does a program without a knob. A lenient knob breaks nothing (suites
# operations and iblint).
LIMIT_test_every_knob_breaks_what_relies_on_it=180
test_every_knob_breaks_what_relies_on_it()
{
	local LESSONS='' KNOB_IS='' knob lenient programs seed
	pairs note_knob
	lenient=" $(iblint --list=knobs --json | jq -r '.[] | select(.kind == "lenient").knob' | paste -sd' ') "
	programs=" $(relies | paste -sd' ') "
	for knob in "$GLASS_DEBUGFS"/glass0/behavior/*; do
		knob=${knob##*/}
		[[ $knob != seed && $LESSONS != *" $knob "* && $lenient != *" $knob "* ]] || continue
		[[ $programs == *" $knob "* ]] || fail "no program relies on what $knob changes"
		programs=${programs/ $knob / }
		KNOB_IS=''
		status_is 0 relies "$knob"
		status_is 0 relies "$knob" good
		for seed in 7 8; do
			KNOB_IS="seed $seed"
			behavior "$knob" "1 seed=$seed"
			status_is 1 relies "$knob"
			status_is 0 relies "$knob" good
			behavior "$knob" 0
		done
	done
	[[ -z ${programs// /} ]] || fail "not a knob, but has a program:$programs"
}
