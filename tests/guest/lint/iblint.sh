# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 46
# iblint on the programs of the lessons: what it tells, how it ends, what it leaves behind (nothing).

setup()
{
	start_opensm
	# nothing of those that ran before
	echo 1 >"$GLASS_DEBUGFS/glass0/lint/clear"
	echo 1 >"$GLASS_DEBUGFS/glass1/lint/clear"
}

cleanup()
{
	stop_opensm
}

# linted STATUS ARGUMENT...: iblint must end so; what it and the program say is in out and err
linted()
{
	local want=$1 got=0
	shift
	iblint "$@" >out 2>err </dev/null || got=$?
	cat out err
	assert_eq "$got" "$want" "status of iblint $*"
}

nothing_left()
{
	local file
	for file in "$GLASS_DEBUGFS"/glass[01]/lint/scope; do
		assert_eq "$(<"$file")" "" "$file"
	done
	for file in "$GLASS_DEBUGFS"/glass[01]/behavior/*; do
		[[ $file == */seed || $(<"$file") == 0* ]] || fail "$file: $(<"$file")"
	done
}

test_a_command()
{
	# what the program ends with is kept
	linted 1 GL012_bad
	assert_match "$(<err)" $'glass[01](/qp:[0-9a-fx]+)?: error: [^\n]*512[^\n]* \[GL012 recv_too_short\]\n    in: GL012_bad \(pid [0-9]+\); peer glass[01]:0x'
	assert_eq "$(grep -c 'GL012 recv_too_short' err)" 1 "findings told"
	in_file err '^iblint: 1 finding: 1 error$' || fail "summary"
	in_file err '^    do: ' || fail "advice"
	linted 0 GL012_good
	assert_eq "$(<err)" "iblint: no findings" "what was told of a good program"
	# not a colour anywhere
	assert_no_match "$(<err)" $'\e'
	nothing_left
}

# Slow is not stuck: a destroy verb for which the kernel takes its time, and which has no event to wait for, is no finding.
test_slow_destroys()
{
	linted 0 strace -qq -f -o calls -e trace=ioctl -e inject=ioctl:delay_enter=100000 GL012_good
	assert_eq "$(<err)" "iblint: no findings" "what was told of a slow program"
	(($(grep -c '(DELAYED)' calls) > 10)) || fail "nothing was slow: $(tail -n 5 calls)"
	# but one that has is told, with how many
	linted 1 GL045_bad
	assert_match "$(<err)" 'destroy of CQ [0-9]+ waits until the program acknowledges all events that it got: it has acknowledged 0 \[GL045'
	assert_match "$(<err)" 'seen: 0, expected: 1'
}

# Who arms and is then busy, or held by a debugger, before it polls is slow as well, and not stuck: it polls when it can.
test_slow_to_poll()
{
	linted 0 strace -qq -o calls -e trace=ioctl,write -e inject=ioctl,write:delay_exit=300000 GL044_good
	assert_eq "$(<err)" "iblint: no findings" "what was told of a program that is held"
	(($(grep -c '(DELAYED)' calls) > 1)) || fail "nothing was slow: $(tail -n 5 calls)"
	linted 0 busy_poll 1000
	assert_eq "$(<err)" "iblint: no findings" "what was told of a program that is busy"
	linted 1 GL044_bad
	assert_match "$(<err)" 'GL044 arm_without_poll'
}

# What the command starts is looked at, and what is left behind by what it started.
test_children()
{
	linted 0 -b sh -c 'GL010_bad; GL010_bad & wait'
	assert_eq "$(grep -c '\[GL010 no_retries\]' err)" 2 "findings of two children"
	# its parent is gone before it begins
	mkfifo go
	linted 0 -b sh -c 'sh -c "(read -r _ <go; GL010_bad >/dev/null; echo ended >done) & exit" ; echo >go; until [ -e done ]; do :; done'
	in_file err '\[GL010 no_retries\]' || fail "nothing was found of an orphan"
}

test_documents_and_fail_on()
{
	linted 120 -q --fail-on warning --json=f.json --json-lines=f.lines --sarif=f.sarif GL010_bad
	assert_eq "$(<err)" "" "what --quiet says"
	jq -e '.version == 1 and .status == 0 and .command == ["GL010_bad"] and .devices == ["glass0", "glass1"] and
		.summary.warning == 1 and (.findings | length) == 1 and (.findings[0] |
		.code == "GL010" and .dev == "glass0" and .kind == "qp" and .comm == "GL010_bad" and .count >= 1 and .pid > 1)' f.json >/dev/null || {
		cat f.json
		fail "JSON"
	}
	assert_eq "$(jq -s -c 'map(.code)' f.lines)" '["GL010"]' "JSON lines"
	jq -e '.version == "2.1.0" and (.runs[0] | .tool.driver.name == "iblint" and (.results | length) == 1 and
		(.results[0] | .ruleId == "GL010" and .level == "warning" and .occurrenceCount >= 1 and
			.locations[0].physicalLocation.artifactLocation.uri == "file:///usr/local/bin/GL010_bad") and
		.tool.driver.rules[.results[0].ruleIndex].id == "GL010")' f.sarif >/dev/null || {
		cat f.sarif
		fail "SARIF"
	}
	linted 0 -b --fail-on error GL010_bad
	linted 0 -b --fail-on any GL010_good
	linted 120 -b --fail-on GL010 GL010_bad
}

# sarif_complaints FILE: what is no SARIF 2.1.0 in it
sarif_complaints()
{
	jq -r -f "$TESTS/guest/lint/sarif.jq" "$1" || echo "$1: is no JSON"
}

# Documents of several kinds against what the standard asks for; and what is not as it asks is noticed.
test_sarif_is_sarif()
{
	local change
	linted 0 -q --sarif=none.sarif --json true
	assert_eq "$(sarif_complaints none.sarif)" "" "SARIF without findings"
	linted 1 -q --mute 'GL012 dev=glass1 # on "purpose" ä' --sarif=two.sarif sh -c 'GL010_bad; GL012_bad'
	assert_eq "$(sarif_complaints two.sarif)" "" "SARIF with findings"
	assert_eq "$(jq -c '[.runs[0].results[].ruleId] | unique' two.sarif)" '["GL010","GL012"]' "what is in it"
	cp "$(command -v GL057_bad)" 'left at close%'
	linted 0 -q --no-rcfile --sarif=left.sarif './left at close%'
	assert_eq "$(sarif_complaints left.sarif)" "" "SARIF of a program whose name is no URI"
	jq -e '.runs[0].results | length > 0' left.sarif >/dev/null || fail "nothing was found"
	for change in 'del(.version)' 'del(.runs[0].tool.driver.name)' '.runs[0].results[0].level = "bad"' \
		'del(.runs[0].results[0].message)' '.runs[0].results[0].ruleIndex = 7' '.runs[0].extra = 1' \
		'.runs[0].results[0].locations[0].physicalLocation = {}' '.runs[0].results[0].occurrenceCount = 0' \
		'.runs[0].invocations[0].startTimeUtc = "now"' '.runs[0].tool.driver.rules[0].name = 1'; do
		jq "$change" two.sarif >bad.sarif
		[[ $(sarif_complaints bad.sarif) ]] || fail "not noticed: $change"
	done
}

test_suppressions()
{
	echo 'mute GL010 comm=GL010_* # on purpose' >.iblintrc
	linted 0 --fail-on any GL010_bad
	assert_eq "$(<err)" "iblint: no findings; 1 suppressed"
	linted 120 --fail-on any --no-rcfile GL010_bad
	linted 120 --fail-on any --no-rcfile --mute 'GL010 dev=glass1' GL010_bad
	linted 0 --fail-on any --no-rcfile --mute 'no_retries dev=glass0 kind=qp' GL010_bad
}

test_codes()
{
	linted 0 -b -c GL001,stale_key --fail-on any GL010_bad
	linted 120 -b -c no_retries --fail-on any GL010_bad
	# a costly one is looked for when it is named, only
	linted 0 -q cat "$GLASS_DEBUGFS/glass0/lint/codes"
	assert_match "$(<out)" $'\nGL041 error costly no '
	linted 0 -q -c default,GL041 cat "$GLASS_DEBUGFS/glass0/lint/codes"
	assert_match "$(<out)" $'\nGL041 error costly yes '
}

# A finding becomes an error of the program.
test_error()
{
	linted 0 -q GL010_bad
	linted 1 -b --error GL010 GL010_bad
	in_file err '\[GL010 no_retries\]' || fail "it is not told"
	linted 0 -b --error GL010 GL010_good
	nothing_left
}

knobs_are_back()
{
	! grep -q 1 "$GLASS_DEBUGFS"/glass[01]/behavior/{srq_shuffle,late_completions}
}

test_strict()
{
	linted 0 -q GL048_bad
	linted 1 -q --strict=srq_shuffle --seed 7 GL048_bad
	linted 0 -q --strict=srq_shuffle --seed 7 GL048_good
	linted 0 -q --strict=all cat "$GLASS_DEBUGFS/glass1/behavior/qpn_reuse"
	assert_match "$(<out)" '^1'
	nothing_left
	# also when it is killed
	local status=0
	iblint -q --strict=srq_shuffle,late_completions --seed 3 sh -c 'kill -9 $PPID' || status=$?
	assert_eq "$status" 137
	wait_for 10 knobs_are_back
	# in a shell of its own, which a failed check ends
	wait_for 10 eval '(nothing_left)'
}

# What passes on other adapters goes on, and is found all the same; strict mode is without it.
test_lenient()
{
	linted 1 -b GL020_bad
	in_file err ' \[GL020 lkey_as_rkey\]$' || fail "no finding"
	linted 0 -b --lenient=equal_keys --json=doc.json GL020_bad
	in_file err 'equal_keys let it pass \[GL020 lkey_as_rkey\]$' || fail "no finding"
	assert_eq "$(jq -c '[.lenient, .strict]' doc.json)" '[["equal_keys"],null]' "the document"
	linted 0 -q --strict --seed 1 cat "$GLASS_DEBUGFS/glass1/behavior/equal_keys"
	assert_match "$(<out)" '^0'
	nothing_left
}

# begun LOG: iblint tells the driver at once; its scope is there
looked_at()
{
	grep -q "$1" "$GLASS_DEBUGFS/glass0/lint/scope"
}

test_attach()
{
	local program lint
	mkfifo go
	start program.log sh -c 'read -r _ <go; exec GL010_bad'
	program=$STARTED
	start lint.log iblint -b --fail-on warning -p "$program"
	lint=$STARTED
	wait_for 10 looked_at "pid=$program "
	echo >go
	# it ends with what it looks at
	local status=0
	wait "$lint" || status=$?
	cat lint.log
	assert_eq "$status" 120
	in_file lint.log '\[GL010 no_retries\]' || fail "nothing was found"
	nothing_left
	# until SIGINT; a good program beside it is not told of, one with the name is
	start lint.log iblint -b --comm 'GL010*'
	lint=$STARTED
	wait_for 10 looked_at "comm=GL010"
	GL010_bad
	GL011_bad
	wait_for 10 in_file lint.log GL010
	kill -INT "$lint"
	finish "$lint" lint.log
	in_file lint.log '^iblint: 1 finding: 1 warning' || { cat lint.log; fail "summary"; }
	start lint.log iblint -b --all
	lint=$STARTED
	wait_for 10 looked_at " all "
	GL010_bad
	GL011_bad
	wait_for 10 in_file lint.log GL010
	wait_for 10 in_file lint.log GL011
	kill -TERM "$lint"
	finish "$lint" lint.log
	nothing_left
	linted 123 -p 4194300
	linted 123 -D glass7 true
}

# Two at once: each tells of its own.
test_two_at_once()
{
	mkfifo go
	start one.log iblint -b sh -c 'read -r _ <go; GL010_bad'
	local one=$STARTED
	wait_for 10 looked_at pid=
	linted 0 -b GL011_bad
	in_file err GL011 || fail "the second's own"
	echo >go
	finish "$one" one.log
	in_file one.log GL010 || fail "the first's own"
	! grep -q GL011 one.log || fail "the second's in the first: $(<one.log)"
	! grep -q GL010 err || fail "the first's in the second"
	nothing_left
}

test_explain_and_list()
{
	# each code is a row, and has a lesson
	assert_eq "$(iblint --list --json | jq length)" "$(find "$TESTS/../docs/pitfalls" -name 'GL[0-9]*.md' | wc -l)" "codes"
	iblint --explain all >all.txt || fail "a code without a lesson"
	iblint --explain GL012 >one.txt
	in_file one.txt '^# GL012: receive is too short' || fail "the head"
	(($(wc -l <one.txt) > 20)) || fail "the lesson is short: $(<one.txt)"
	in_file one.txt 'post_recv' || fail "no program in it"
	local option
	for option in $(iblint --help | sed -n 's/^  \(-., \)\{0,1\} *--\([a-z-]*\).*/\2/p'); do
		grep -qF -- "\\-\\-${option//-/\\-}" /usr/local/share/man/man8/iblint.8 || [[ $option == help || $option == usage || $option == version ]] ||
			fail "the man page has no --$option"
	done
}

test_only_root()
{
	chmod 711 .
	refuses setpriv --reuid 65534 --clear-groups iblint --no-rcfile true
	assert_match "$REFUSAL" "only root may use"
	# what it teaches is for all
	setpriv --reuid 65534 --clear-groups iblint --list >list
	in_file list GL062
}

test_ibtop_shows_findings()
{
	linted 0 -q GL010_bad
	ibtop -b -n 1 --json -v lint >lint.json
	jq -se '.[0].lint | any(.code == "GL010" and .severity == "warning" and .kind == "qp" and .comm == "GL010_bad" and .count >= 1 and
		(.text | length) > 10 and (.advice | test("retry_cnt")))' lint.json >/dev/null || {
		cat lint.json
		fail "no such finding in ibtop"
	}
}

test_completion()
{
	# shellcheck disable=SC1091
	. /usr/local/share/bash-completion/completions/iblint
	COMP_WORDS=(iblint --st) COMP_CWORD=1
	_iblint
	assert_eq "${COMPREPLY[*]}" "--strict"
	COMP_WORDS=(iblint -x stale) COMP_CWORD=2
	_iblint
	assert_eq "${COMPREPLY[*]}" "stale_key"
	COMP_WORDS=(iblint -c "GL001,GL00") COMP_CWORD=2
	_iblint
	assert_match "${COMPREPLY[*]}" 'GL001,GL002 .*GL001,GL008 GL001,GL009$'
	COMP_WORDS=(iblint --strict "=" qpn) COMP_CWORD=3
	_iblint
	assert_eq "${COMPREPLY[*]}" "qpn_reuse"
	COMP_WORDS=(iblint --fail-on por) COMP_CWORD=2
	_iblint
	assert_match "${COMPREPLY[*]}" "^portability "
}
