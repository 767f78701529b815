# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Where in the program (docs/iblint.md): file and line of what lint finds, of work requests and of objects.
# tests/tables/where.tsv has the lines of the lessons' programs, which are compiled with -O2 -g here.

# takes 60
LIMIT=120
LIMIT_setup=400

RESULTS=$STATE/where
PROGRAMS=/usr/local/lib/glass/where

run_pitfalls()
{
	local program
	for program in "$PROGRAMS"/GL*_bad; do
		[[ $program == */GL058_bad ]] || "$program" >"$RESULTS/${program##*/}.log" 2>&1 </dev/null || :
	done
}

setup()
{
	mkdir -p "$RESULTS"
	fresh_glass
	start_opensm
	iblint -q --no-rcfile --comm 'GL0*' --codes all --where --json="$RESULTS/json" &
	local lint=$!
	wait_for 10 grep -q stacks "$GLASS_DEBUGFS/glass1/lint/scope"
	run_pitfalls
	kill -INT "$lint"
	wait "$lint"
}

cleanup()
{
	echo clear >"$GLASS_DEBUGFS/glass0/lint/scope"
	stop_opensm
}

# line_of FILE TEXT: the number of the one line that has it
line_of()
{
	local found
	found=$(grep -nF -- "$2" "$1")
	[[ -n $found && $found != *$'\n'* ]] || fail "$1: '$2' is not in one line"
	echo "${found%%:*}"
}

# places JSON CODE COMM own|peer: FILE:LINE of the first place in a file of that name, of each finding
places()
{
	local key=where
	[[ $4 == own ]] || key=peer_where
	jq -r --arg code "$2" --arg file "$3.c" --arg comm "$3" --arg key "$key" \
		'.findings[] | select(.code == $code and .comm == $comm) | .[$key] // [] |
		map(select((.path // "") | endswith("/" + $file)))[0] | "\(.line // "none")"' "$1" | sort -u | paste -sd' '
}

# Of every lesson that is about a line, that line is named.
test_lessons_name_their_lines()
{
	local code side text wrong=0 got want
	while IFS=$'\t' read -r code side text; do
		[[ $code == GL* ]] || continue
		want=$(line_of "$TESTS/pitfalls/${code}_bad.c" "$text")
		got=$(places "$RESULTS/json" "$code" "${code}_bad" "$side")
		[[ " $got " == *" $want "* ]] || {
			echo "$code $side: line $got, not $want: $text"
			wrong=$((wrong + 1))
		}
	done <"$TESTS/tables/where.tsv"
	((wrong == 0)) || {
		jq -c '.findings[] | [.code, .comm, .dev, .kind, (.where // [] | map("\(.file):\(.line)")), (.peer_where // [] | map("\(.file):\(.line)"))]' "$RESULTS/json"
		fail "$wrong lines"
	}
}

mark()
{
	line_of "$TESTS/programs/where_calls.c" "/* MARK:$1 */"
}

# look COMMAND...: what iblint says of it, in the file err
look()
{
	iblint --no-rcfile "$@" 2>err
}

place_of()
{
	echo "at: tests/programs/where_calls\.c:$(mark mistake) \(mistake\), from tests/programs/where_calls\.c:$(mark "$1") \($2\)"
}

test_text_names_the_place_through_inlining()
{
	look where_calls plain
	assert_match "$(<err)" "$(place_of plain plain)"
	look --no-where where_calls plain
	[[ $(<err) == *GL023* && $(<err) != *" at: "* ]] || fail "--no-where: $(<err)"
}

test_threads()
{
	look where_calls threads
	assert_eq "$(grep -Ec "$(place_of threads in_thread)" err)" 4 "findings with their place"
}

# A child that uses its parent's context has no place; in its own it has one. Both go on.
test_fork()
{
	look where_calls fork
	assert_eq "$(grep -c '\[GL023' err)" 2 "findings"
	assert_eq "$(grep -Ec "$(place_of fork forks)" err)" 1 "findings with their place"
}

# The stacks of a process that is gone can be read as long as a finding names them.
test_killed()
{
	local status=0 dev=$GLASS_DEBUGFS/glass0
	look where_calls killed || status=$?
	assert_eq "$status" 137 "status"
	assert_match "$(<err)" "$(place_of killed killed)"
	# nobody records stacks any more, and the program's user does not pay for them any longer
	wait_for 10 eval "! grep -q where_calls '$dev/stacks'"
	! grep -q where_calls "$dev/modules" || fail "a module is left"
}

test_table_full()
{
	look where_calls full
	assert_match "$(<err)" '\[GL023'
	[[ $(<err) != *" at: "* ]] || fail "a place without room: $(<err)"
}

# A running program records from when somebody looks until nobody does.
test_running_program()
{
	local pid
	mkfifo in
	where_calls loop <in &
	pid=$!
	exec 7>in
	iblint -q --no-rcfile --json=run.json -p "$pid" --where &
	local lint=$!
	wait_for 10 grep -q stacks "$GLASS_DEBUGFS/glass0/lint/scope"
	echo >&7
	wait_for 10 grep -q "GL023 .* $pid " "$GLASS_DEBUGFS/glass0/lint/findings"
	kill -INT "$lint"
	wait "$lint"
	exec 7>&-
	wait "$pid"
	jq -e --argjson line "$(mark loop)" '.findings[0].where | map(.line) | index($line) != null' run.json >/dev/null || {
		cat run.json
		fail "no place"
	}
}

test_stripped_program()
{
	strip -o stripped "$(command -v where_calls)"
	look ./stripped plain
	assert_match "$(<err)" 'at: stripped\+0x[0-9a-f]+'
}

test_sarif_has_lines()
{
	look -q --sarif=f.sarif where_calls plain
	assert_eq "$(jq -r -f "$TESTS/guest/lint/sarif.jq" f.sarif)" "" "complaints"
	jq -e --argjson line "$(mark mistake)" '.runs[0].results[0] |
		(.locations[0].physicalLocation | (.artifactLocation.uri | endswith("/tests/programs/where_calls.c")) and .region.startLine == $line) and
		(.stacks[0].frames | length) >= 2' f.sarif >/dev/null || {
		cat f.sarif
		fail "SARIF"
	}
}

# GLASS_WHERE=1 records without lint: objects and work requests have their stacks. They end with the context, when no finding
# names them.
test_environment_and_objects()
{
	local pid
	echo 1 >"$GLASS_DEBUGFS/glass0/lint/clear"
	mkfifo in2
	GLASS_WHERE=1 where_calls loop <in2 &
	pid=$!
	exec 7>in2
	echo >&7
	wait_for 10 grep -q where_calls "$GLASS_DEBUGFS/glass0/pd"
	awk '/^#/ { for (i = 5; i <= NF; i++) at[$i] = i - 4; next } $at["comm"] == "where_calls" { print $at["stack"] }' \
		"$GLASS_DEBUGFS/glass0/pd" >stack
	grep -q "^$(head -n 1 stack) " "$GLASS_DEBUGFS/glass0/stacks" || fail "stack $(<stack) is not in stacks"
	exec 7>&-
	wait "$pid"
	wait_for 10 eval "! grep -q where_calls '$GLASS_DEBUGFS/glass0/stacks'"
}
