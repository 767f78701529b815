# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Where in the program (docs/iblint.md): file and line of what lint finds, of work requests and of objects.
# tests/tables/where.tsv has the lines of the lessons' programs, which are compiled with -O2 -g here.

# long: lessons compiled anew, and each finding looked up
# takes 100
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

# ---- the limits that docs/abi.md names

test_tail_call_leaves_no_frame()
{
	look where_calls tail
	assert_match "$(<err)" "at: tests/programs/where_calls\.c:$(mark mistake) \(mistake\), from tests/programs/where_calls\.c:$(mark tail) \(jumped_to\), from tests/programs/where_calls\.c:$(mark 'tail from') \(tail\)"
	! grep -q tail_calls err || fail "a frame of a tail call"
}

# The stack ends with the code that nothing says how to unwind.
test_code_without_unwinding_information()
{
	[[ $(uname -m) == x86_64 ]] || return 0
	look where_calls bare
	assert_match "$(<err)" "at: .*:$(mark mistake) \(mistake\), from .*:$(mark bare) \(behind_bare\), from bare_code \(where_calls\+0x[0-9a-f]+\)"
	! grep -q '(main)' err || fail "the stack goes on"
}

test_wr_complete_is_the_place()
{
	look --codes GL036 where_calls wr
	assert_match "$(<err)" '\[GL036'
	assert_match "$(<err)" "at: tests/programs/where_calls\.c:$(mark wr) \(wr\)"
}

# Of Python, the place is that of pyverbs' C code.
test_python_is_shown_by_its_c_code()
{
	cat >mistake.py <<-END
		import pyverbs.enums as e
		from pyverbs.device import Context
		from pyverbs.mr import MR
		from pyverbs.pd import PD
		try:
		    MR(PD(Context(name="glass0")), 4096, e.IBV_ACCESS_REMOTE_WRITE)
		except Exception as refused:
		    print(refused)
	END
	look --json=python.json python3 mistake.py
	assert_match "$(<err)" '\[GL023'
	jq -e '.findings[] | select(.code == "GL023") | .where[0].module | test("^mr\\..*so$")' python.json >/dev/null || {
		cat err python.json
		fail "no place in pyverbs"
	}
}

# ---- other debugging information

# debuginfod is asked only if the user wants that: otherwise nothing is sent.
test_debuginfod()
{
	local id server
	cp "$(command -v where_calls)" fetched
	id=$(readelf -n fetched | awk '/Build ID/ { print $3 }')
	mkdir -p "served/buildid/$id"
	objcopy --only-keep-debug fetched "served/buildid/$id/debuginfo"
	strip fetched
	python3 -u -m http.server --bind 127.0.0.1 --directory served 8002 >served.out 2>requests &
	server=$!
	wait_for 20 grep -q 127.0.0.1 served.out
	look ./fetched plain
	assert_match "$(<err)" 'at: fetched\+0x[0-9a-f]+'
	[[ ! -s requests ]] || fail "asked without DEBUGINFOD_URLS: $(<requests)"
	DEBUGINFOD_URLS=http://127.0.0.1:8002 DEBUGINFOD_CACHE_PATH=$PWD/cache look ./fetched plain
	assert_match "$(<err)" "$(place_of plain plain)"
	assert_match "$(<requests)" "GET /buildid/$id/debuginfo"
	kill "$server"
	wait "$server" || :
}

# section FILE NAME: its offset and size
section()
{
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v name="$2" '$1 == name { print strtonum("0x" $4), strtonum("0x" $5) }'
}

# iblint is root, and the program wrote its file: whatever is in it, the finding is shown and iblint goes on.
test_damaged_debugging_information()
{
	local name offset size
	for name in .debug_line .debug_info .debug_abbrev; do
		cp "$(command -v where_calls)" damaged
		read -r offset size < <(section damaged "$name")
		((size > 0)) || fail "no section $name"
		dd if=/dev/urandom of=damaged bs=1 seek="$offset" count="$size" conv=notrunc status=none
		look ./damaged plain || fail "$name: status $?: $(<err)"
		assert_match "$(<err)" '\[GL023'
		assert_match "$(<err)" 'at: .*(damaged\+0x|where_calls\.c)'
	done
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

# marks_of PAIR: sets FILE, LINE and FROM of the finding, and PEER_FILE, PEER_LINE and PEER_FROM
marks_of()
{
	local side
	for side in server client; do
		if grep -q 'MARK:finding ' "$TESTS/pairs/$1_$side.c"; then
			FILE=$1_$side
			LINE=$(line_of "$TESTS/pairs/$FILE.c" '/* MARK:finding */')
			FROM=$(line_of "$TESTS/pairs/$FILE.c" '/* MARK:finding from */')
		else
			PEER_FILE=$1_$side
			PEER_LINE=$(line_of "$TESTS/pairs/$PEER_FILE.c" '/* MARK:peer */')
			PEER_FROM=$(line_of "$TESTS/pairs/$PEER_FILE.c" '/* MARK:peer from */')
		fi
	done
}

run_pairs()
{
	local pair code
	while read -r pair code; do
		[[ $code == GL* ]] || continue
		"/usr/local/lib/glass/pairs/${pair}_server" &
		"/usr/local/lib/glass/pairs/${pair}_client"
		wait
	done <"$TESTS/tables/pairs.tsv"
}

# Server and client are two processes: text, JSON and SARIF name the lines of both, through inlined functions.
test_lines_of_both_processes()
{
	local pair code wrong=0 at
	export -f run_pairs
	export TESTS
	iblint --no-rcfile --json=pairs.json --sarif=pairs.sarif bash -c run_pairs 2>pairs.text
	assert_eq "$(jq -r -f "$TESTS/guest/lint/sarif.jq" pairs.sarif)" "" "complaints"
	# each finding of the text in one line
	awk '/^[^ ]/ { printf "\n" } { printf "%s", $0 }' pairs.text >pairs.lines
	while read -r pair code; do
		[[ $code == GL* ]] || continue
		marks_of "$pair"
		at="    at: tests/pairs/$FILE\.c:$LINE \([a-z_]+\), from tests/pairs/$FILE\.c:$FROM \([a-z_]+\).*"
		at+="    peer at: tests/pairs/$PEER_FILE\.c:$PEER_LINE \([a-z_]+\), from tests/pairs/$PEER_FILE\.c:$PEER_FROM \([a-z_]+\)"
		grep -Eq "\[$code .*$at" pairs.lines || {
			echo "$pair: text: $(grep -E "in: $FILE |\[$code" pairs.lines)"
			wrong=$((wrong + 1))
		}
		jq -e --arg code "$code" --arg file "$FILE" --arg peer "$PEER_FILE" --argjson lines "[$LINE, $FROM, $PEER_LINE, $PEER_FROM]" '
			any(.findings[]; .code == $code and .comm == $file and .peer_comm == $peer and
				([.where[0, 1], .peer_where[0, 1]] | map(.line)) == $lines and
				all(.where[0, 1]; .path | endswith("/tests/pairs/" + $file + ".c")) and
				all(.peer_where[0, 1]; .path | endswith("/tests/pairs/" + $peer + ".c")))' pairs.json >/dev/null || {
			echo "$pair: JSON: $(jq -c --arg file "$FILE" '.findings[] | select(.comm == $file) | [.code, .where, .peer_where]' pairs.json)"
			wrong=$((wrong + 1))
		}
		jq -e --arg code "$code" --arg file "/tests/pairs/$FILE.c" --arg peer "/tests/pairs/$PEER_FILE.c" \
			--argjson lines "[$LINE, $PEER_LINE]" --argjson stack "[$LINE, $FROM]" --argjson peer_stack "[$PEER_LINE, $PEER_FROM]" '
			any(.runs[0].results[]; .ruleId == $code and
				([.locations[0], .relatedLocations[0]? | .physicalLocation] |
					(map(.region.startLine) == $lines) and (.[0].artifactLocation.uri // "" | endswith($file)) and
					(.[1].artifactLocation.uri // "" | endswith($peer))) and
				([.stacks[]?.frames[0:2] | map(.location.physicalLocation.region.startLine)] == [$stack, $peer_stack]))' \
			pairs.sarif >/dev/null || {
			echo "$pair: SARIF: $(jq -c --arg code "$code" '.runs[0].results[] | select(.ruleId == $code) | [.locations, .relatedLocations]' pairs.sarif)"
			wrong=$((wrong + 1))
		}
	done <"$TESTS/tables/pairs.tsv"
	((wrong == 0)) || fail "$wrong of the outputs"
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
