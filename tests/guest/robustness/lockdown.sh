# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 85
# long: all tools, at two levels of lockdown
# spoils the guest: a kernel that is locked down stays so
# What works, and what tools say, in a kernel that is locked down: first at level integrity, then at confidentiality (docs/lockdown.md).

LEVEL_FILE=/sys/kernel/security/lockdown
LIMIT=90

setup()
{
	[[ -e $LEVEL_FILE ]] || skip "this kernel has no lockdown"
	start_opensm
}

cleanup()
{
	stop_opensm
}

# lock LEVEL: goes up to that level; nothing leads down.
lock()
{
	local levels
	levels=$(<"$LEVEL_FILE")
	case $levels in
	*"[$1]"*) ;;
	*"[confidentiality]"*) fail "the kernel is at confidentiality already" ;;
	*) echo "$1" >"$LEVEL_FILE" ;;
	esac
	assert_match "$(<"$LEVEL_FILE")" "\\[$1\\]"
}

# running: two QPs that exchange messages until the test ends; QPN is that of the first on glass0.
running()
{
	start traffic.log traffic
	wait_for 20 in_file traffic.log '^running'
	QPN=$(sed -n 's/^qpn \(0x[0-9a-f]*\) dev glass0 .*/\1/p' traffic.log | head -n 1)
	[[ -n $QPN ]] || fail "no QP: $(<traffic.log)"
}

# fails STATUS COMMAND...: with this status, by itself; what it prints is in REFUSAL.
fails()
{
	local wanted=$1 status=0
	shift
	REFUSAL=$(timeout 30 "$@" 2>&1 </dev/null) || status=$?
	assert_eq "$status" "$wanted" "status of $*: $REFUSAL"
}

# is_refused STATUS FILE COMMAND...: the one line that it prints names the file, the level and what to do.
is_refused()
{
	local status=$1 file=$2
	shift 2
	fails "$status" "$@"
	assert_match "$REFUSAL" "^[a-z]+: $GLASS_DEBUGFS/$file: the kernel refuses to open it, because it is locked down \\($LEVEL_FILE: [a-z]+\\); use the guest"
	assert_match "$REFUSAL" 'docs/lockdown\.md\)$'
	assert_eq "$(wc -l <<<"$REFUSAL")" 1 "lines of $*"
}

# readable: each file that has something to read can be read. The others are inspect, failure and fabric/trace, which begin with a write, and
# bookmark, raw and lint/clear, which are only written.
readable()
{
	local file refused=''
	while IFS= read -r file; do
		case $file in
		*/capture) (exec 3<"$file") 2>/dev/null || refused+=" $file" ;;
		*) timeout 20 cat "$file" >/dev/null 2>&1 || refused+=" ${file#"$GLASS_DEBUGFS/"}" ;;
		esac
	done < <(find "$GLASS_DEBUGFS" -type f | LC_ALL=C sort)
	assert_eq "$refused" " fabric/trace failure glass0/bookmark glass0/inspect glass0/lint/clear glass0/raw glass1/bookmark glass1/inspect glass1/lint/clear glass1/raw" \
		"files that cannot be read"
}

# none_writable: no file can be opened for writing, by its owner with all capabilities.
none_writable()
{
	local file
	while IFS= read -r file; do
		! (exec 3>>"$file") 2>/dev/null || fail "$file can be opened for writing"
		! (exec 3<>"$file") 2>/dev/null || fail "$file can be opened for reading and writing"
	done < <(find "$GLASS_DEBUGFS" -type f)
}

# Before: what is refused later works.
test_unlocked()
{
	local file
	[[ $(<"$LEVEL_FILE") == *'[none]'* ]] || fail "this guest is locked down already: $(<"$LEVEL_FILE")"
	while IFS= read -r file; do
		(exec 3>>"$file") || fail "$file cannot be written"
	done < <(find "$GLASS_DEBUGFS" -type f -perm /0200)
	for file in inject/rules lint/scope lint/mute flight behavior/seed; do
		(exec 3>>"$GLASS_DEBUGFS/glass0/$file") || fail "$file cannot be written"
	done
	running
	ibinject add glass0 "name=before op=write nth=1000000000 act=drop"
	assert_match "$(ibinject list)" 'before'
	echo 'add all codes=default' >"$GLASS_DEBUGFS/glass0/lint/scope"
	iblint true
	ibcap -q -c 3 glass0:1 >lines
	assert_eq "$(wc -l <lines)" 3
}

# fabric_works: at any level the fabric is shown, cut and plugged, by the tool and by hand; only a trace is refused.
fabric_works()
{
	local fabric=/sys/kernel/config/glass
	assert_match "$(ibfabric show)" '^switch0 +switch, 4 ports'
	ibfabric show --json | jq -e . >/dev/null
	ibfabric cut glass1:2
	assert_match "$(<"$GLASS_DEBUGFS/fabric/cables")" $'\nglass1:2 switch0:4 12 ndr 4096 yes down down '
	assert_match "$(grep '^glass1 2 ' "$GLASS_DEBUGFS/fabric/ports")" ' switch0:4 down 2 '
	ibfabric plug glass1:2
	echo 'switch spare ports=2' >"$fabric/commands"
	assert_match "$(<"$GLASS_DEBUGFS/fabric/nodes")" $'\nspare switch 2 '
	echo 'remove spare' >"$fabric/commands"
	assert_eq "$(<"$fabric/error")" '' "error of the last write"
	wait_for 60 ports_active
	is_refused 3 fabric/trace ibfabric trace glass0 glass1
}

# A reader alone has a capture at once, that of all ports.
test_bare_capture()
{
	running
	timeout 20 dd if="$GLASS_DEBUGFS/glass0/capture" of=records bs=64k count=4 status=none
	(($(stat -c %s records) > 8192)) || fail "only $(stat -c %s records) bytes"
}

test_integrity_files()
{
	lock integrity
	readable
	none_writable
}

test_integrity_ibtop()
{
	lock integrity
	running
	ibtop -b -n 2 -d 0.2 -v qp -f "dev==glass0 && qpn==$QPN" >out 2>err
	assert_eq "$(<err)" '' "errors of ibtop"
	assert_match "$(<out)" 'traffic'
	ibtop -b -n 1 -v inject >out 2>err
	assert_eq "$(<err)" '' "errors of ibtop"
	assert_match "$(<out)" 'before'
	ibtop -b -n 1 --json >out.json 2>err
	assert_eq "$(<err)" '' "errors of ibtop"
	jq -e . out.json >/dev/null
}

test_integrity_fabric()
{
	lock integrity
	fabric_works
}

# The screen of one object comes from details/.
test_integrity_ibtop_detail()
{
	lock integrity
	running
	printf 'set -g status off\nset -g default-terminal tmux-256color\n' >tmux.conf
	LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$PWD/xdg tmux -L lockdown -f tmux.conf new-session -d -s top -x 160 -y 60 \
		"exec ibtop -v qp -d 0.3 -f 'dev==glass0 && qpn==$QPN' 2>err"
	shown()
	{
		tmux -L lockdown capture-pane -p -t top | tee screen | grep -qE -- "$1"
	}
	wait_for 20 shown 'traffic' || fail "$(<screen)"
	tmux -L lockdown send-keys -t top Enter
	wait_for 20 shown '^ qp 0x[0-9a-f]+ on glass0 of traffic ' || fail "$(<screen)"
	tmux -L lockdown send-keys -t top PgDn
	wait_for 20 shown '^(requester|timers|responder)' || fail "$(<screen)"
	tmux -L lockdown kill-server
}

test_integrity_ibinject()
{
	local command
	lock integrity
	running
	assert_match "$(ibinject list)" 'before'
	fails 124 timeout 3 ibinject watch
	is_refused 3 glass0/inject/rules ibinject qp "glass0:$QPN" fatal
	is_refused 3 glass0/inject/rules ibinject add glass0 op=write act=drop
	is_refused 3 glass0/inject/rules ibinject del glass0 before
	is_refused 123 glass0/inject/rules ibinject run -r 'glass0: op=write nth=3 act=drop' -- true
	# nothing of it happened
	[[ $(ibinject list) == *before* ]] || fail "the rule is gone"
	assert_match "$(grep "^$QPN " "$GLASS_DEBUGFS/glass0/qp")" ' rts '
}

test_integrity_iblint()
{
	lock integrity
	is_refused 123 glass0/lint/scope iblint true
	is_refused 123 glass0/lint/scope iblint --pid $$
	# findings of a scope that root added before are still found, and read
	running
	assert_match "$(<"$GLASS_DEBUGFS/glass0/lint/scope")" 'all'
	assert_match "$(<"$GLASS_DEBUGFS/glass0/lint/findings")" '^# glass 1 lint: '
	[[ -n $(iblint --list) ]] || fail "no list"
	[[ -n $(iblint --explain GL012) ]] || fail "no lesson"
}

# All ports of an adapter come, and ibcap chooses: by port, filter, snap length and count.
test_integrity_ibcap()
{
	lock integrity
	running
	ibcap -c 5 -s 60 -f "qpn==$QPN && dir==tx" -w x.pcapng glass0:1 2>err
	assert_match "$(<err)" "note: the kernel is locked down \\($LEVEL_FILE: integrity\\)"
	assert_eq "$(tshark -r x.pcapng -T fields -e frame.interface_name 2>/dev/null | sort | uniq -c | awk '{ print $1, $2 }')" '5 glass0:1'
	assert_no_match "$(tshark -r x.pcapng -T fields -e frame.cap_len 2>/dev/null | sort -un | tail -n 1)" '^(7[7-9]|[89][0-9]|[0-9]{3,})$' "captured bytes"
	# it ends well while packets go on
	start ibcap.log ibcap -w y.pcapng glass0 glass1:1
	CAPTURE=$STARTED
	wait_for 10 in_file ibcap.log capturing
	wait_for 20 test "$(stat -c %s y.pcapng)" -ge 0
	read -r -t 1 _ <>"$STATE/never" || :
	kill -INT "$CAPTURE"
	finish "$CAPTURE" ibcap.log ibcap
	assert_match "$(<ibcap.log)" '[1-9][0-9]* packets, [0-9]+ lost'
	tshark -r y.pcapng -T fields -e frame.interface_name 2>/dev/null | sort -u >names
	assert_match "$(paste -sd' ' names)" 'glass0:1.*glass1:1|glass0:1'
	assert_no_match "$(<names)" 'glass1:2'
	ibcap --flight -w z.pcapng glass0 glass1
	assert_match "$(tshark -r z.pcapng 2>/dev/null | wc -l)" '^[1-9]'
}

# Other ways of looking do not write.
test_integrity_others()
{
	lock integrity
	running
	trace-cmd record -q -e glass:glass_pkt_tx -o trace.dat ibv_devinfo >/dev/null
	assert_match "$(trace-cmd report trace.dat 2>/dev/null | head -n 20)" 'glass_pkt_tx'
	timeout -s INT 20 ibcount 1 1 >out 2>err || :
	assert_match "$(<out)" 'traffic'
	assert_match "$(rdma -dd resource show qp)" 'drv_'
	assert_match "$(rdma statistic)" 'tx_pkts'
	ibnetdiscover >out
	assert_match "$(<out)" 'glass1'
}

# Scenarios and bookmarks fail before their first step.
test_integrity_scenario()
{
	lock integrity
	printf 'device: glass0\nsteps:\n  - at: 0s\n    bookmark: x\n' >s.yaml
	fails 3 ibinject scenario s.yaml
	assert_match "$REFUSAL" 'it is locked down'
}

# A module that nobody signed is not loaded any more.
test_integrity_module()
{
	lock integrity
	refuses insmod "$(modinfo -n glass)"
	assert_match "$REFUSAL" 'Operation not permitted'
	assert_match "$(dmesg | tail -n 3)" 'unsigned module loading is restricted'
}

# Without securityfs nobody can be sure: the message says how to find out.
test_integrity_unsure()
{
	lock integrity
	umount /sys/kernel/security
	fails 3 ibinject add glass0 op=write act=drop
	mount -t securityfs securityfs /sys/kernel/security
	assert_match "$REFUSAL" 'inject/rules: the kernel refuses to open it, as a kernel does that is locked down; to find out: mount -t securityfs'
}

test_confidentiality_files()
{
	lock confidentiality
	readable
	none_writable
}

test_confidentiality_fabric()
{
	lock confidentiality
	fabric_works
}

test_confidentiality_tools()
{
	local tool
	lock confidentiality
	running
	ibtop -b -n 1 -v qp >out 2>err
	assert_eq "$(<err)" '' "errors of ibtop"
	assert_match "$(<out)" 'traffic'
	is_refused 3 glass0/inject/rules ibinject qp "glass0:$QPN" fatal
	is_refused 123 glass0/lint/scope iblint true
	ibcap -q -c 3 glass0:1 >lines 2>/dev/null
	assert_eq "$(wc -l <lines)" 3
	ibcap -q --flight -w z.pcapng glass0
	for tool in "${TESTS%/*}"/bpf/*.bpf.c; do
		tool=$(basename "$tool" .bpf.c)
		fails 1 "$tool"
		assert_eq "$REFUSAL" "$tool: the kernel is locked down ($LEVEL_FILE: confidentiality): it refuses BPF programs that read kernel memory, and tracefs; use the guest of vm/vm, or boot with Secure Boot off and without lockdown= (docs/lockdown.md)"
	done
	refuses trace-cmd record -e glass -o trace.dat true
	assert_match "$REFUSAL" 'Operation not permitted'
	assert_match "$(rdma -dd resource show qp)" 'drv_'
	perf stat -e glass:glass_pkt_tx -a ibv_devinfo 2>&1 | tee out
	assert_match "$(<out)" '[1-9][0-9,]* +glass:glass_pkt_tx'
}
