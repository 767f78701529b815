# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 80
# The black box: what the driver keeps of failures, held against what the programs that failed did.

LIMIT=180
ERRORS=$TESTS/tables/errors.tsv

setup()
{
	start_opensm
}

cleanup()
{
	# the default fabric, which a test has extended
	fresh_glass
}

clear_box()
{
	echo clear >"$GLASS_DEBUGFS/failures"
}

# story ID: by one open file, as the interface wants it
story()
{
	local fd
	exec {fd}<>"$GLASS_DEBUGFS/failure"
	echo "$1" >&"$fd"
	cat <&"$fd"
	exec {fd}<&-
}

# failures COLUMN...: these columns of the table, a failure a line
failures()
{
	cat "$GLASS_DEBUGFS/failures" >failures
	columns failures "$@"
}

# columns FILE COLUMN...: of a file that is one table; the values of a line joined by a blank
columns()
{
	local file=$1
	shift
	awk -v want="$*" 'NR == 1 { for (i = 5; i <= NF; i++) at[$i] = i - 4; n = split(want, name, " ")
			for (i = 1; i <= n; i++) if (!(name[i] in at)) { print "no column " name[i]; exit 1 }; next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' "$file"
}

# block NAME: from the file `story`: that block without its first line; table NAME: with it
block()
{
	awk -v name="$1:" '/^# glass 1 / { on = $4 == name; next } on' story
}

table()
{
	awk -v name="$1:" '/^# glass 1 / { on = $4 == name } on' story
}

# value KEY: of the block failure
value()
{
	block failure | sed -n "s/^$1: //p"
}

# key BLOCK KEY: of the object in local or remote
key()
{
	block "$1" | sed -n "s/^$2: //p"
}

# take_story [CONDITION]: that of the failure that the awk condition names, by the columns as variables; there must be one
take_story()
{
	local ids
	cat "$GLASS_DEBUGFS/failures" >failures
	ids=$(awk 'NR == 1 { for (i = 5; i <= NF; i++) name[i - 4] = $i; next }
		{ for (i = 1; i <= NF; i++) v[name[i]] = $i } '"${1:-1}"' { print v["id"] }' failures)
	[[ $ids =~ ^[0-9]+$ ]] || fail "failures that are $1: '$ids' in: $(<failures)"
	story "$ids" >story
	head -n 1 story | grep -qx "# glass 1 failure: $ids" || fail "$(<story)"
	[[ $(wc -c <story) -le 69632 ]] || fail "a story of $(wc -c <story) bytes"
}

by_table()
{
	clear_box
	error_table "$ERRORS" "$@"
}

# The peer is gone: the requester sends as often as it may, each time to nobody.
test_peer_gone()
{
	by_table rc_no_such_qp
	take_story 'v["status"] == "retry_exc_err"'
	assert_eq "$(value kind) $(value object) $(value dev) $(value qptype) $(value state) $(value cause)" \
		'completion qp glass0 rc err retry_exc'
	assert_eq "$(value comm)" error_table
	assert_eq "$(value missing)" '' 'what is missing'
	[[ -z $(table remote) ]] || fail "a remote end that does not exist"
	[[ $(value peer_dev) == glass1 && -z $(value peer_pid) ]] || fail "$(block failure)"
	# each try arrived at glass1, and was dropped there
	table packets >packets
	columns packets dir rx_dev rx_reason rx_qpn psn >tries
	grep -q . tries || fail "no packets"
	assert_eq "$(sort -u tries | grep -c '^tx')" "$(cut -d' ' -f5 tries | sort -u | wc -l)" "kinds of tries"
	assert_no_match "$(grep -v '^tx glass1 no_qp - ' tries || :)" . "another fate"
	table drops >drops
	assert_eq "$(columns drops dev reason dqpn | sort -u)" "glass1 no_qp $(value peer_qpn)"
	# the failed request is the oldest one, and was tried that often
	psn=$(value psn)
	assert_eq "$(grep -c " $psn\$" tries)" "$(block local | sed -n 's/^  wqe: .*psn='"$psn"' .*tries=\([0-9]*\).*/\1/p')" tries
	assert_eq "$(value packets)" "$(wc -l <tries)"
	# no QP ever had the number; the QP that should be the peer names this one
	table gone_qps >gone
	assert_eq "$(columns gone dev qpn how state when pid)" "glass1 $(value peer_qpn) never - - -"
	table connected >connected
	assert_eq "$(value connected) $(columns connected dev port state comm)" "1 glass1 1 rts error_table"
	[[ $(columns connected qpn) != "$(value peer_qpn)" ]] || fail "$(<connected)"
	assert_eq "$(columns connected lid)" "$(lid_at glass1)" "LID of the connected QP"
	assert_eq "$(value dlid_port)" glass1:1
	ports_of_default_fabric
}

# both ends and the two ports of the switch between, all ACTIVE by the subnet manager
ports_of_default_fabric()
{
	local port row from to
	table ports >ports
	from=$(columns ports node port cable | sed -n 's/^glass0 1 //p')
	to=$(columns ports node port cable | sed -n 's/^glass1 1 //p')
	assert_eq "$(columns ports node port cable state phys what | sort)" "$(sort <<<"glass0 1 $from active 5 sm
glass1 1 $to active 5 sm
${from/:/ } glass0:1 active 5 sm
${to/:/ } glass1:1 active 5 sm")"
	for port in glass0 glass1; do
		row=$(columns ports node lid sm_lid when | grep "^$port ")
		assert_eq "$(cut -d' ' -f2 <<<"$row")" "$(lid_at "$port")" "LID"
		assert_eq "$(cut -d' ' -f3 <<<"$row")" "$(($(<"/sys/class/infiniband/$port/ports/1/sm_lid")))" "SM LID"
		(($(cut -d' ' -f4 <<<"$row") < $(value when))) || fail "changed after the failure: $row"
	done
}

# a LID that no port has; and nothing that could be the peer
test_nobodys_lid()
{
	by_table rc_no_such_lid
	take_story 'v["status"] == "retry_exc_err"'
	assert_eq "$(value dlid_port) $(value peer_dev) $(value missing)" 'none  peer'
	table drops >drops
	assert_eq "$(columns drops reason | sort -u)" no_route
}

test_no_receive()
{
	by_table rc_send_no_receive
	take_story 'v["status"] == "rnr_retry_exc_err"'
	assert_eq "$(value cause) $(value op)" 'rnr_exc send'
	table packets >packets
	# an RNR NAK for each try
	assert_eq "$(columns packets op syndrome | grep -c 'rc_ack 0x[23]')" "$(columns packets rx_reason | grep -c rnr_wait)"
	assert_eq "$(block remote | sed -n 's/^  used: //p' | tail -n 1)" 0 "receives at the peer"
	assert_eq "$(key remote dest_qpn)" "$(value num)"
}

test_dead_key()
{
	local rkey lkey
	by_table rc_write_deregistered
	take_story 'v["status"] == "rem_access_err"'
	assert_eq "$(value cause) $(value op) $(value syndrome)" 'rem_access write 0x62'
	rkey=$(block local | sed -n 's/^  wqe: .* rkey=\(0x[0-9a-f]*\).*/\1/p' | head -n 1)
	table packets >packets
	assert_eq "$(columns packets dir rkey rx_reason | grep -c "^tx $rkey access")" 1 "WRITEs with $rkey"
	assert_eq "$(columns packets dir syndrome | grep -c '^rx 0x62')" 1 NAKs
	assert_eq "$(key remote state)" err "state of the peer"
	# the key is gone: who deregistered it, when
	table keys >keys
	columns keys key dev found gone_how gone_pid gone_comm gone_when | grep "^$rkey " >gone
	assert_match "$(<gone)" "^$rkey glass1 no dereg $(value pid) error_table [0-9]+\$"
	(($(cut -d' ' -f7 gone) < $(value when))) || fail "$(<gone)"
	# the L_Key of the request is there
	lkey=$(block local | sed -n 's/^  wqe: .* sge=0x[0-9a-f]*:[0-9]*:\(0x[0-9a-f]*\).*/\1/p' | head -n 1)
	assert_eq "$(columns keys key dev found kind qp_pd | grep "^$lkey ")" "$lkey glass0 yes user $(key local pdn)"
	# the peer failed, too: a failure of its own
	take_story 'v["dev"] == "glass1"'
	assert_eq "$(value kind) $(value event) $(value cause)" 'event qp_access_err resp_access'
}

test_key_that_never_was()
{
	local rkey
	by_table rc_write_bad_rkey
	take_story 'v["status"] == "rem_access_err"'
	rkey=$(block local | sed -n 's/^  wqe: .* rkey=\(0x[0-9a-f]*\).*/\1/p' | head -n 1)
	table keys >keys
	assert_eq "$(columns keys key dev found gone_how gone_when pid | grep "^$rkey ")" "$rkey glass1 no never - -"
	assert_eq "$(value missing)" ''
}

# All L_Keys of a request with several SGEs are looked up.
test_several_keys()
{
	local keys
	by_table rc_send_bad_last_lkey
	take_story 'v["status"] == "loc_prot_err"'
	keys=$(block local | sed -n 's/^  wqe: .* sge=\([^ ]*\).*/\1/p' | head -n 1 | tr , '\n' | cut -d: -f3)
	assert_eq "$(wc -l <<<"$keys")" 3 "SGEs in the story"
	table keys >keys
	assert_eq "$(columns keys key dev found)" "$(head -n 1 <<<"$keys") glass0 yes"$'\n'"$(tail -n 1 <<<"$keys") glass0 no"
}

test_key_of_another_pd()
{
	by_table rc_write_other_pd
	take_story 'v["status"] == "rem_access_err"'
	table keys >keys
	columns keys dev found kind pd qp_pd | grep '^glass1 other_pd user ' >key || fail "$(<keys)"
	assert_eq "$(cut -d' ' -f5 key)" "$(key remote pdn)" "PD of the peer"
	[[ $(cut -d' ' -f4 key) != "$(cut -d' ' -f5 key)" ]] || fail "$(<key)"
}

# a window that a LOCAL_INV of its program has ended
test_invalidated_key()
{
	local key
	clear_box
	start operations.log operations invalidated
	wait_for 20 in_file operations.log '^refused'
	key=$(sed -n 's/^key //p' operations.log)
	take_story 'v["status"] == "rem_access_err"'
	table keys >keys
	columns keys dev key found kind state gone_how gone_pid gone_comm gone_when | grep "^glass1 $key " >gone || fail "$(<keys)"
	assert_match "$(<gone)" "^glass1 $key yes window unbound local_inv $STARTED operations [0-9]+\$"
	(($(cut -d' ' -f9 gone) < $(value when))) || fail "$(<gone)"
	kill "$STARTED"
	wait_for 10 gone "$STARTED"
}

test_receive_too_small()
{
	by_table rc_send_short_receive
	take_story 'v["status"] == "loc_len_err"'
	assert_eq "$(value dev) $(value op)" 'glass1 recv'
}

test_overrun()
{
	local cqn
	by_table rc_cq_overrun
	take_story 'v["object"] == "cq"'
	assert_eq "$(value event) $(value cause) $(value state)" 'cq_err cq_overrun err'
	assert_eq "$(key local state)" err
	cqn=$(value num)
	take_story 'v["object"] == "qp" && v["event"] == "cq_err"'
	assert_eq "$(value kind) $(value cause)" 'event cq_overrun'
	assert_eq "$(value queue) $(value queue_num) $(value queue_cause)" "cq $cqn cq_overrun"
}

test_modify_to_err()
{
	by_table rc_flush_by_modify
	take_story 'v["kind"] == "verb"'
	assert_eq "$(value cause) $(value state)" 'verb err'
	assert_eq "$(value status)$(value event)" ''
	block local | grep -q '^  wqe: ' || fail "no outstanding request"
}

# traffic_fails ACTION: of the QP at glass0 of traffic; QPN is its number
traffic_fails()
{
	clear_box
	start traffic.log traffic
	wait_for 20 in_file traffic.log '^running'
	QPN=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0.*/\1/p' traffic.log)
	echo "add $1 qpn=$QPN" >"$GLASS_DEBUGFS/glass0/inject/rules"
	wait_for 20 gone "$STARTED"
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
}

test_injected()
{
	traffic_fails act=qp_fatal
	take_story "v[\"num\"] == \"$QPN\" && v[\"dev\"] == \"glass0\""
	assert_eq "$(value kind) $(value event) $(value cause)" 'event qp_fatal injected'
	[[ $(value packets) -gt 20 ]] || fail "$(value packets) packets"
	table journal >journal
	assert_eq "$(columns journal dev act site qpn pid comm psn)" "glass0 qp_fatal object $QPN $STARTED traffic -"
	# this shell added the rule
	assert_eq "$(columns journal set_pid set_uid)" "$BASHPID 0"
	# each end is connected to the other one
	table connected >connected
	assert_eq "$(value connected) $(columns connected dev qpn pid)" "1 glass1 $(value peer_qpn) $STARTED"
	# both ends are of one process, which ran when it happened
	table processes >processes
	assert_eq "$(columns processes role comm pid | sort)" "local traffic $STARTED"$'\n'"remote traffic $STARTED"
	assert_match "$(columns processes state | sort -u)" '^(running|sleeping)( (running|sleeping))?'
	# packets are in the order of their times, and each is of one of the two
	table packets >packets
	columns packets when >order
	sort -n order | cmp -s - order || fail "packets are not in order"
	columns packets tx_qpn | sort -u >senders
	assert_eq "$(sort -u <(value num; value peer_qpn))" "$(<senders)" senders
}

# packets that a rule drops: the last firings on this QP, none on another one
test_dropped_by_rule()
{
	traffic_fails 'name=lose act=drop dir=tx'
	take_story "v[\"num\"] == \"$QPN\" && v[\"dev\"] == \"glass0\""
	assert_eq "$(value status) $(value cause)" 'retry_exc_err retry_exc'
	table journal >journal
	assert_eq "$(columns journal dev rule act site qpn dir | sort | uniq -c | xargs)" "8 glass0 lose drop packet $QPN tx"
	columns journal psn when >firings
	sort -n -k 2 firings | cmp -s - firings || fail "firings are not in order"
	table rules >rules
	assert_eq "$(columns rules dev rule act set_pid set_uid text)" \
		"glass0 lose drop $BASHPID 0 act%3Ddrop%20dir%3Dtx%20qpn%3D$QPN"
	(($(columns rules hit) >= 8)) || fail "$(<rules)"
	# the requests outstanding are 16, of at most 16 packets each
	awk -v first="$(value psn)" '$1 < first || $1 >= first + 256 { bad = 1 } END { exit bad || !NR }' firings || fail "failed: $(value psn), dropped: $(<firings)"
	# an earlier program had its own rule: no word of it in the story of a QP that was made later
	by_table rc_no_such_qp
	take_story
	table journal >journal
	assert_eq "$(columns journal rule)" ''
}

# sq_used N: has the QP of traffic at glass0 so many work requests outstanding?
sq_used()
{
	[[ $(awk -v qpn="$QPN" 'NR == 1 { for (i = 5; i <= NF; i++) if ($i == "sq_used") at = i - 4 } $1 == qpn { print $at }' "$GLASS_DEBUGFS/glass0/qp") == "$1" ]]
}

# The rule fires on what the failure flushes, too: 15 completions, more than a story shows.
test_completion_by_rule_and_a_full_queue()
{
	clear_box
	start traffic.log traffic
	wait_for 20 in_file traffic.log '^running'
	QPN=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0.*/\1/p' traffic.log)
	echo "add name=stay act=hold dir=tx qpn=$QPN" >"$GLASS_DEBUGFS/glass0/inject/rules"
	wait_for 20 sq_used 16
	echo "add act=cqe_error status=loc_prot_err qpn=$QPN" >"$GLASS_DEBUGFS/glass0/inject/rules"
	echo "del name=stay" >"$GLASS_DEBUGFS/glass0/inject/rules"
	wait_for 20 gone "$STARTED"
	echo clear >"$GLASS_DEBUGFS/glass0/inject/rules"
	take_story "v[\"num\"] == \"$QPN\" && v[\"dev\"] == \"glass0\""
	table journal >journal
	columns journal act site qpn wr_id | grep -qx "cqe_error completion $QPN $(value wr_id)" || fail "$(value wr_id): $(<journal)"
	(($(columns journal seq | wc -l) >= 5)) || fail "firings on what was flushed are missing: $(<journal)"
}

test_completion_by_rule()
{
	traffic_fails 'act=cqe_error status=loc_prot_err'
	take_story "v[\"num\"] == \"$QPN\" && v[\"dev\"] == \"glass0\""
	assert_eq "$(value kind) $(value status) $(value cause) $(value state)" 'completion loc_prot_err injected err'
	table journal >journal
	columns journal act site qpn wr_id | grep -qx "cqe_error completion $QPN $(value wr_id)" || fail "$(<journal)"
}

# kill -9 of the peer: the story names the process that is gone
test_killed_peer()
{
	local client server qpn peer
	clear_box
	start client.log killed_peer
	client=$STARTED
	wait_for 20 in_file client.log '^running'
	qpn=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0 .*/\1/p' client.log)
	read -r peer server < <(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass1 pid \([0-9]*\)$/\1 \2/p' client.log)
	kill -KILL "$server"
	wait_for 30 gone "$client"
	grep -qx 'wc status=12' client.log || fail "$(<client.log)"
	take_story
	assert_eq "$(value status) $(value num) $(value pid) $(value comm)" "retry_exc_err $qpn $client killed_peer"
	assert_eq "$(value peer_dev) $(value peer_qpn) $(value peer_pid)" "glass1 $peer "
	table packets >packets
	columns packets dir rx_reason | grep -qx 'tx no_qp' || fail "no packet to the QP that is gone"
	table gone_qps >gone
	assert_eq "$(columns gone dev qpn how signal pid comm dest_qpn state | head -n 1)" \
		"glass1 $peer exit 9 $server killed_peer $qpn rts"
	(($(columns gone when | head -n 1) < $(value when))) || fail "$(<gone)"
	table processes >processes
	assert_eq "$(columns processes role pid comm state | grep '^remote ')" "remote $server killed_peer gone"
}

# A QP fails once for each life, however many errors it has; a RESET begins another life.
test_once_a_life()
{
	by_table rc_write_bad_rkey
	assert_eq "$(failures dev | sort | paste -sd' ')" 'glass0 glass1' failures
	clear_box
	fail_often 100
	# 8 pairs that begin anew
	(($(failures dev num | sort -u | wc -l) <= 16)) || fail "$(failures dev num | sort | uniq -c)"
	(($(failures dev num | sort | uniq -c | sort -n | awk 'END { print $1 }') > 2)) || fail "no QP failed again"
}

# as_user N COMMAND...
as_user()
{
	local uid=$1
	shift
	exec setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}

test_shares_of_users()
{
	local n
	chmod a+rw /dev/infiniband/*
	clear_box
	(as_user 1001 error_table "$ERRORS" rc_write_bad_rkey) >log
	n=$(failures uid | grep -cx 1001)
	((n == 2)) || fail "$n failures of user 1001: $(<log)"
	# a user whose programs fail without end pushes out his own
	fail_often 600 as_user 1002
	assert_eq "$(failures uid | grep -cx 1001)" "$n" "failures of user 1001"
	assert_eq "$(failures id | wc -l)" 256
}

# fail_often N [COMMAND...]: at least N failures of QPs of a program, which COMMAND starts
fail_often()
{
	local last=$(($(last_id) + $1))
	shift
	start nuisance.log "$@" nuisance --count 8 fail-access
	wait_for 120 reached "$last" || fail "$(last_id) failures: $(<nuisance.log)"
	kill -KILL "$STARTED"
	wait_for 10 gone "$STARTED"
}

last_id()
{
	failures id | tail -n 1 | grep . || echo 0
}

reached()
{
	(($(last_id) >= $1))
}

# Ten thousand failures: nothing grows, and the kernel is silent (the harness looks).
test_many()
{
	local before after bytes
	clear_box
	fail_often 600
	before=$(memory)
	fail_often 10000
	after=$(memory)
	assert_eq "$(failures id | wc -l)" 256
	bytes=$(failures bytes | awk '{ sum += $1 } END { print sum }')
	((bytes <= 256 * 65536)) || fail "$bytes bytes are kept"
	note "256 stories of $bytes bytes; MemAvailable was $before, is $after kB"
	((before - after < 32768)) || fail "memory: $before kB before, $after kB after"
	clear_box
	assert_eq "$(failures id | wc -l)" 0
}

memory()
{
	sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo
}

# A failure that is still written when the module goes.
test_unload()
{
	local i
	clear_box
	for i in 1 2 3; do
		fail_often 40
		stop_opensm
		unload_glass
		load_glass
		assert_eq "$(failures id | wc -l)" 0
		start_opensm
	done
}

test_questions()
{
	by_table rc_write_bad_rkey
	refuses bash -c "echo 999999999 >$GLASS_DEBUGFS/failure"
	assert_match "$REFUSAL" 'No such file'
	assert_match "$(exec 3<>"$GLASS_DEBUGFS/failure"; echo 999999999 >&3; cat <&3)" '^# glass 1 error: 999999999: there is no such failure$'
	refuses bash -c "echo nonsense >$GLASS_DEBUGFS/failure"
	assert_match "$REFUSAL" 'Invalid argument'
	assert_match "$(cat "$GLASS_DEBUGFS/failure")" '^# glass 1 error: write the id'
	refuses bash -c "echo nonsense >$GLASS_DEBUGFS/failures"
	assert_eq "$(stat -c %a "$GLASS_DEBUGFS/failures") $(stat -c %a "$GLASS_DEBUGFS/failure")" '400 600' modes
	# the recorder is off: the story says so, which may be written after the program has ended
	echo off >"$GLASS_DEBUGFS/glass0/flight"
	by_table rc_write_bad_rkey
	all_written() { [[ $(failures bytes | grep -c '^[1-9]') == $(failures id | wc -l) ]]; }
	wait_for 20 all_written
	echo on >"$GLASS_DEBUGFS/glass0/flight"
	assert_eq "$(failures missing | sort -u)" recorder
}

lid_at()
{
	echo "$(($(<"/sys/class/infiniband/$1/ports/${2:-1}/lid")))"
}

# port_guid DEVICE: of its first port, in hexadecimal digits
port_guid()
{
	local gid
	gid=$(<"/sys/class/infiniband/$1/ports/1/gids/0")
	gid=${gid//:/}
	echo "${gid:16}"
}

both_active()
{
	[[ $(cat /sys/class/infiniband/glass[23]/ports/1/state | sort -u) == '4: ACTIVE' ]]
}

# Two subnets with the same LIDs: the peer is the QP that names the failed one, and not the owner of the LID in the other subnet.
test_same_lid_in_another_subnet()
{
	local guid lid
	start_opensm
	stop_opensm
	lid=$(cat /sys/class/infiniband/glass0/ports/1/lid)
	printf '%s\n' 'switch other ports=2' 'hca glass2 ports=1' 'hca glass3 ports=1' 'cable other:1 glass2:1' 'cable other:2 glass3:1' \
		>/sys/kernel/config/glass/commands
	udevadm settle --timeout=30
	# glass3 gets the LID of a port of glass0
	mkdir -p cache
	guid=$(port_guid glass3)
	echo "0x$guid $lid $lid" >cache/guid2lid
	guid=$(port_guid glass2)
	OSM_CACHE_DIR=$PWD/cache opensm --once -x -g "0x$guid" --log_file opensm.log >opensm.out 2>&1
	wait_for 30 both_active
	assert_eq "$(lid_at glass3)" "$((lid))" "the LID of glass3"
	clear_box
	start traffic.log traffic -a glass2 -b glass3
	wait_for 20 in_file traffic.log '^running'
	QPN=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass2.*/\1/p' traffic.log)
	echo "add act=qp_fatal qpn=$QPN" >"$GLASS_DEBUGFS/glass2/inject/rules"
	wait_for 20 gone "$STARTED"
	take_story "v[\"num\"] == \"$QPN\" && v[\"dev\"] == \"glass2\""
	assert_eq "$(value peer_dev) $(key local dest_qpn | head -n 1)" "glass3 $(value peer_qpn)" "the peer"
	head -n 1 <(table remote) | grep -qx "# glass 1 remote: glass3 qp $(value peer_qpn)" || fail "$(table remote | head -n 1)"
}
