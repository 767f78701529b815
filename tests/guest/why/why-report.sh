# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 20
# Pictures and places of failures that programs provoke: ibwhy's options for files, and what is in these.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# one_line FILE: what ibwhy told, with the lines that it broke made one again
one_line()
{
	awk '/^   +[^ ]/ { sub(/^ +/, " "); printf "%s", $0; next } NR > 1 { print "" } { printf "%s", $0 } END { print "" }' "$1"
}

# The lesson's program fails: its report has verdict, diagram, the program's own line, and what lint found.
test_report()
{
	local status=0
	# as the lesson's program, with debugging information
	ibwhy --html report.html --svg report.svg --mermaid report.mmd --perfetto report.json -- /usr/local/lib/glass/where/GL012_bad >out 2>err ||
		status=$?
	assert_eq "$status" 1 "the status is not the program's: $(cat err)"
	in_file err '^first cause: recv_short: ' || fail "told: $(<err)"
	one_line err >lines
	in_file lines '^  where: GL012_bad \(pid [0-9]+\) posted the request of wr_id 0x1: .*GL012_bad\.c:[0-9]+' || fail "no line of the post: $(<err)"
	in_file lines '^  where: GL012_bad \(pid [0-9]+\) made glass[01]:0x' || fail "no line of the QP: $(<err)"
	in_file report.html '<code>recv_short</code>' || fail "no verdict in the report"
	in_file report.html 'GL012' || fail "no finding in the report"
	in_file report.html 'GL012_bad\.c:[0-9]' || fail "no line in the report"
	in_file report.html 'class="packet' || fail "no packet in the report"
	in_file report.svg 'class="packet' || fail "no packet in the SVG"
	in_file report.mmd '^sequenceDiagram' || fail "no diagram of mermaid"
	jq -e '.otherData.messages > 0' report.json >/dev/null || fail "no message in the trace"
	[[ $(stat -c %a report.html) == 600 ]] || fail "others may read the report"
	# scopes ended with ibwhy
	assert_eq "$(cat /sys/kernel/debug/glass/glass*/lint/scope | grep -c '^add')" 0 "scopes stay"
}

# line_of WAY: the line of where_ends that is the first cause
line_of()
{
	grep -nF "/* MARK:$1 */" "$TESTS/programs/where_ends.c" | cut -d: -f1
}

# Who ended a key, destroyed the peer's QP or posted the receive that was too short, by file and line
test_lines_of_first_causes()
{
	local way line at
	local -A says=(
		[dereg]='R_Key 0x[0-9a-f]+ was no longer valid: where_ends \(pid [0-9]+, AT\)'
		[local_inv]='R_Key 0x[0-9a-f]+ was no longer valid: where_ends \(pid [0-9]+, AT\) invalidated it by LOCAL_INV'
		[send_inv]='where_ends \(pid [0-9]+\) let the peer invalidate it, by a SEND with invalidate \(AT\)'
		[destroy]='where_ends \(pid [0-9]+, AT\) destroyed it by ibv_destroy_qp'
		[receive]='where: where_ends \(pid [0-9]+\) posted the receive of wr_id 0x3: AT \('
		[srq]='where: where_ends \(pid [0-9]+\) posted the receive of wr_id 0x3: AT \('
	)
	for way in "${!says[@]}"; do
		line=$(line_of "$way")
		[[ $line =~ ^[0-9]+$ ]] || fail "where_ends.c has no line of $way"
		at="tests/programs/where_ends\.c:$line"
		ibwhy -- where_ends "$way" >out 2>err && fail "$way ends well"
		one_line err >lines
		in_file lines "${says[$way]/AT/$at}" || fail "$way, line $line: $(<err)"
	done
}

test_no_where()
{
	ibwhy --no-where -- GL012_bad >out 2>err && fail "it ends well"
	in_file err '^first cause: recv_short: ' || fail "told: $(<err)"
	! grep '^  where:' err || fail "places all the same"
}

# A failure that the driver keeps, later: the same picture, and from a saved file, too.
test_later()
{
	local packets
	ibwhy --always -- error_table "$TESTS/tables/errors.tsv" rc_cas_misaligned >out 2>err || fail "status $?: $(cat err)"
	ibwhy --last --diagram >told 2>choice || fail "$(<choice)"
	in_file told '^first cause: ' || fail "no text: $(<told)"
	packets=$(sed -n 's/^\([0-9]*\) packets\?, .*/\1/p' told)
	((packets)) || fail "no packets: $(<told)"
	ibwhy --save all.stories
	ibwhy --file all.stories --last --diagram >again 2>/dev/null
	assert_eq "$(sed -n '/packets\?, /p' again)" "$(sed -n '/packets\?, /p' told)" "the saved one differs"
}
