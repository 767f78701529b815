# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Lint in the driver: scopes, findings, mutes, promotion; behaviours; and that correct programs have no finding.
# takes 60
# long: many programs, each looked at

# shellcheck source=tests/lib/trace.sh
. "$TESTS/lib/trace.sh"

LIMIT=90

setup()
{
	start_opensm
}

cleanup()
{
	local knob
	lint scope clear
	lint mute clear
	lint clear 1
	for knob in "$GLASS_DEBUGFS"/glass[01]/behavior/*; do
		[[ $knob == */seed ]] || echo 0 >"$knob"
	done
	stop_opensm
}

# lint FILE TEXT: to both adapters
lint()
{
	local dev
	for dev in glass0 glass1; do
		printf '%s\n' "$2" >"$GLASS_DEBUGFS/$dev/lint/$1"
	done
}

checks()
{
	"$@" >checks.log || fail "$(<checks.log)"
}

fresh()
{
	lint scope clear
	lint mute clear
	lint clear 1
}

# CODE COMM KIND COUNT TEXT of each finding
findings()
{
	awk '/^# glass 1 lint:/ { for (i = 5; i <= NF; i++) at[$i] = i - 4; next }
		!/^#/ { print $at["code"], $at["comm"], $at["kind"], $at["count"], $at["text"] }' \
		"$GLASS_DEBUGFS"/glass[01]/lint/findings
}

# the same, with the text as it is read
said()
{
	local line
	while IFS= read -r line; do
		printf '%b\n' "${line//%/\\x}"
	done < <(findings)
}

codes()
{
	findings | awk '{ print $1 }' | sort -u | paste -sd' '
}

control_refuses()
{
	! echo "$2" 2>/dev/null >"$GLASS_DEBUGFS/glass0/lint/$1" || fail "taken: $2"
}

test_scopes_are_written_and_read()
{
	fresh
	local scope=$GLASS_DEBUGFS/glass0/lint/scope
	echo "add pid=$$ codes=GL001,GL040 log" >"$scope"
	echo 'add comm=ib_* error=GL011' >"$scope"
	echo 'add all codes=all' >"$scope"
	assert_match "$(<"$scope")" "^add id=[0-9]+ pid=$$ codes=GL001,GL040 log
add id=[0-9]+ comm=ib_\* codes=default error=GL011
add id=[0-9]+ all codes=all$"
	local line
	while read -r line; do
		echo "$line" >"$scope"
	done <<<"$(<"$scope")"
	assert_eq "$(wc -l <"$scope")" 6 "scopes, each written again as it was read"
	echo "del $(sed -n '6s/add id=\([0-9]*\) .*/\1/p' "$scope")" >"$scope"
	assert_eq "$(wc -l <"$scope")" 5 "scopes without the one that was ended"
	local wrong
	for wrong in 'add' 'add pid=x' 'add all codes=GL099' 'del 4711' 'what' 'add pid=2147483646'; do
		control_refuses scope "$wrong"
	done
	# one that belongs to a file ends with it
	exec 7>"$scope"
	echo 'add all owner' >&7
	assert_eq "$(wc -l <"$scope")" 6 "scopes while the file is open"
	exec 7>&-
	assert_eq "$(wc -l <"$scope")" 5 "scopes when it was closed"
	fresh
	assert_eq "$(wc -l <"$scope")" 0 "scopes after clear"
}

# A bad rkey: one finding, at the side that is looked at; the second time it is counted.
test_findings_are_counted()
{
	fresh
	lint scope 'add comm=error_table'
	trace_on glass_lint
	error_table "$TESTS/tables/errors.tsv" rc_write_bad_rkey >/dev/null
	trace_off
	assert_match "$(codes)" 'GL022'
	grep -q 'glass_lint.* code=GL022 severity=error kind=qp .* text=no memory region has the rkey' trace || fail "no event"
	assert_eq "$(awk '$1 == "GL022" && $6 > 0' "$GLASS_DEBUGFS"/glass[01]/lint/codes | wc -l)" 1 "adapters that counted it"
	lint clear 1
	assert_eq "$(findings)" '' "findings after clear"
	# muted: counted only
	lint mute 'add code=GL022'
	error_table "$TESTS/tables/errors.tsv" rc_write_bad_rkey >/dev/null
	assert_eq "$(codes)" '' "findings that are muted"
	grep -qh 'hit=[1-9]' "$GLASS_DEBUGFS"/glass[01]/lint/mute || fail "the mute was not hit"
	fresh
	error_table "$TESTS/tables/errors.tsv" rc_write_bad_rkey >/dev/null
	assert_eq "$(codes)" '' "findings while nobody looks"
}

# What error_table provokes has a code each.
test_errors_have_their_codes()
{
	local case code
	while read -r case code; do
		fresh
		lint scope 'add comm=error_table'
		error_table "$TESTS/tables/errors.tsv" "$case" >/dev/null
		[[ $(codes) == *"$code"* ]] || fail "$case: found '$(codes)', not $code"
	done <<'CASES'
rc_write_bad_rkey GL022
rc_no_such_qp GL032
CASES
	fresh
}

# The domain that counts is named: the SRQ's for a receive that came from one, else the QP's.
test_domains_are_named()
{
	local who='\(verbs_check, pid [0-9]+\)'
	fresh
	lint scope 'add comm=verbs_check'
	checks verbs_check -t srq_domain
	assert_match "$(said)" \
		"^GL019 verbs_check qp 1 lkey 0x[0-9a-f]+ is of PD [0-9]+ $who, but SRQ [0-9]+, from which QP 0x[0-9a-f]+ receives, is of PD [0-9]+ $who\$"
	fresh
	lint scope 'add comm=verbs_check'
	checks verbs_check -t srq_domain_is_for_receives
	said >all
	assert_eq "$(grep -c "^GL019 verbs_check qp 1 rkey .*, but QP 0x[0-9a-f]* is of PD [0-9]* (verbs_check, pid [0-9]*)\$" all)" 3 'findings of R_Keys'
	assert_eq "$(grep -c "^GL019 verbs_check qp 1 lkey .*, but QP 0x[0-9a-f]* is of PD [0-9]* (verbs_check, pid [0-9]*)\$" all)" 1 'findings of L_Keys'
	fresh
}

# What is reliable connected is so for lint: no datagram, and both ends of a connection are compared.
test_xrc()
{
	local case codes
	while read -r case codes; do
		fresh
		lint scope 'add comm=xrc_target'
		xrc_target "$case" || fail "$case failed"
		assert_eq "$(codes)" "$codes" "findings of xrc_target $case"
	done <<-'CASES'
	traffic
	short GL012
	mtu GL034
	impatient GL010 GL011
	dry GL010 GL011
	CASES
	fresh
	lint scope 'add comm=xrc_target'
	xrc_target short
	assert_match "$(said)" '^GL012 xrc_target qp 1 receive of 16 bytes got a message of at least 50 from xrc_target'
	assert_no_match "$(said)" 'GRH'
	fresh
}

# Device memory is remembered, too.
test_stale_key_of_device_memory()
{
	fresh
	lint scope 'add comm=wr_lint'
	refuses wr_lint stale_dm
	assert_match "$(said)" '^GL021 wr_lint .* lkey 0x[0-9a-f]+: wr_lint \(pid [0-9]+\) deregistered that memory'
	fresh
}

# create_qp fails because a rule says so: the program made no mistake.
test_injected_create_qp_is_no_finding()
{
	fresh
	lint scope 'add comm=ibv_rc_pingpong'
	echo 'add comm=ibv_rc_pingpong verb=create_qp act=fail err=EINVAL' >"$GLASS_DEBUGFS/glass0/inject/rules"
	refuses ibv_rc_pingpong -d glass0
	assert_match "$REFUSAL" "Couldn.t create QP"
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
	assert_eq "$(codes)" '' 'findings'
	fresh
}

# A FLUSH needs rights of its own, of the QP and of the region.
test_denied_flush()
{
	fresh
	lint scope 'add comm=wr_lint'
	refuses wr_lint flush_denied_by_qp
	assert_match "$(said)" '^GL022 .* qp_access_flags 0x[0-9a-f]+ of QP 0x[0-9a-f]+ do not have FLUSH_GLOBAL: the QP refused'
	fresh
	lint scope 'add comm=wr_lint'
	refuses wr_lint flush_denied_by_mr
	assert_match "$(said)" '^GL022 .* access 0x100 is asked, but the region of rkey 0x[0-9a-f]+ grants 0x[0-9a-f]+, not FLUSH_GLOBAL: the MR refused'
	fresh
	lint scope 'add comm=wr_lint'
	refuses wr_lint flush_no_rkey
	assert_match "$(said)" '^GL022 .* no memory region has the rkey'
	fresh
}

# An RNR NAK ends a QP with rnr_retry 0; it does not end one with more.
test_rnr_retry_of_0()
{
	local inject=$GLASS_DEBUGFS/glass1/inject/rules
	fresh
	lint scope 'add comm=message'
	echo 'add comm=message op=send dir=rx count=1 timer=1 act=rnr' >"$inject"
	message send
	assert_eq "$(codes)" '' 'findings of a QP that tries again'
	echo clear >"$inject"
	echo 'add comm=message op=send dir=rx count=1 timer=1 act=rnr' >"$inject"
	! message -r send || fail 'no RNR NAK'
	echo clear >"$inject"
	assert_match "$(said)" '^GL010 message qp 1 rnr_retry is 0, and the peer had no receive: the first RNR NAK ended QP 0x'
	fresh
}

# A CQ that ignores overruns: the first completion that it loses is told, not each.
test_lost_completions()
{
	fresh
	lint scope 'add comm=verbs_check'
	verbs_check -t overrun_ignored >/dev/null
	assert_match "$(codes)" 'GL001'
	assert_match "$(findings)" 'lost%20its%20oldest%20completion'
	assert_eq "$(awk '$1 == "GL001" && $6 == 1' "$GLASS_DEBUGFS"/glass[01]/lint/codes | wc -l)" 1 "adapters that told it once"
	fresh
}

# Extended posts are looked at as others are.
test_extended_posts()
{
	local case code
	while read -r case code; do
		fresh
		lint scope 'add comm=wr_lint'
		wr_lint "$case" || [[ -n $code ]] || fail "$case failed"
		assert_eq "$(codes)" "$code" "findings of wr_lint $case"
	done < <(wr_lint)
	fresh
	lint scope 'add comm=wr_lint error=GL026'
	refuses wr_lint zero_sge
	assert_match "$REFUSAL" 'wr_complete: Invalid argument'
	# nothing is left of it in the queue
	wr_lint good_rc || fail "good_rc with errors of lint"
	fresh
	# posted, and refused in the completion
	refuses wr_lint other_pd
	assert_match "$REFUSAL" 'taken'
	# refused when it is posted, and found all the same
	echo 1 >"$GLASS_DEBUGFS/glass0/behavior/ah_pd_errno"
	lint scope 'add comm=wr_lint'
	lint scope 'add comm=GL018_bad'
	refuses wr_lint other_pd
	assert_match "$REFUSAL" 'wr_complete: Invalid argument'
	refuses GL018_bad
	assert_match "$REFUSAL" 'post_send: Invalid argument'
	assert_eq "$(findings | awk '{ print $1, $2, $3, $4 }' | sort)" "GL018 GL018_bad qp 1
GL018 wr_lint qp 1" "findings of refused posts"
	fresh
	echo 0 >"$GLASS_DEBUGFS/glass0/behavior/ah_pd_errno"
}

# The driver refuses the address handle, and tells it once for each post.
test_refused_handles_are_found_once()
{
	fresh
	lint scope 'add comm=GL018_bad'
	refuses GL018_bad
	assert_eq "$(findings | awk '{ print $1, $2, $3, $4 }')" "GL018 GL018_bad qp 1" findings
	fresh
}

test_promotion_makes_errors()
{
	fresh
	lint scope 'add all error=GL011'
	next_port
	start server.log ib_write_bw -d glass1 -p "$TCP_PORT" -u 0 -n 5
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	refuses ib_write_bw -d glass0 -p "$TCP_PORT" -u 0 -n 5 localhost
	kill "$server" 2>/dev/null || :
	assert_eq "$(codes)" GL011 "findings"
	fresh
}

test_knobs_are_written_and_read()
{
	local dir=$GLASS_DEBUGFS/glass0/behavior knob
	for knob in "$dir"/*; do
		[[ $knob != */seed ]] || continue
		assert_eq "$(<"$knob")" 0 "${knob##*/}"
		echo '1 seed=0x7' >"$knob"
		assert_eq "$(<"$knob")" 1 "${knob##*/}"
		! echo 2 2>/dev/null >"$knob" || fail "${knob##*/} took 2"
		echo 0 >"$knob"
	done
	echo 99 >"$dir/seed"
	assert_eq "$(<"$dir/seed")" 99 "seed"
	echo 1 >"$dir/seed"
}

# pair PROGRAM...: runs it with a server, on both adapters
pair()
{
	next_port
	start server.log "$1" -d glass1 -p "$TCP_PORT" "${@:2}"
	local server=$STARTED
	wait_for 20 listening_or_gone "$TCP_PORT" "$server"
	"$1" -d glass0 -p "$TCP_PORT" "${@:2}" localhost >client.log
	wait "$server"
}

# Examples and perftest are right.
test_correct_programs_have_no_finding()
{
	fresh
	lint scope 'add all'
	# It ends when its last answers came, and destroys QPs in RTS whose last sends it never polled: a real one.
	lint mute 'add code=GL039 comm=ibv_srq_pingpon'
	local program
	for program in ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong ibv_srq_pingpong; do
		pair "$program" -n 200
	done
	pair ibv_rc_pingpong -e -n 100
	for program in ib_send_bw ib_write_bw ib_read_bw ib_send_lat ib_write_lat ib_atomic_bw; do
		pair "$program" -n 500
	done
	assert_eq "$(findings)" '' "findings of correct programs"
	fresh
}
