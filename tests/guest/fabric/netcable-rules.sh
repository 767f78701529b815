# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 200
# long: 200,000 random frames, twice

# kmemleak watches this suite on the debug kernel.

# A hostile host on the wire of a netdev cable: frames that break one rule each, hellos that disturb, random frames under traffic.
#
# On the kernel's command line (--append) frames=N is how many random frames there are (200000; fewer on kernels that look for
# mistakes), and frames_seed=N what they are chosen by; the seed is in the output.

# shellcheck source=tests/lib/fabric.sh
. "$TESTS/lib/fabric.sh"
# shellcheck source=tests/lib/netcable.sh
. "$TESTS/lib/netcable.sh"

FRAMES=$(word_of_boot frames $((200000 / ${SLOWER:-1})))
FUZZ_LIMIT=$((150 + FRAMES / 1000))
LIMIT_test_random_frames_of_a_peer=$FUZZ_LIMIT
LIMIT_test_random_frames_beside_a_peer=$FUZZ_LIMIT
# of a peer and of a stranger; frames(1) has the same of the peer
PEER_MAC=02:67:6c:00:00:01
STRANGER=(-m 02:67:6c:00:00:02 -s 77 -g 0x77 -n stranger -H faraway -p 5)

setup()
{
	fresh_glass
	veth_pair 4500
	only_frames wire
	two_fabrics
	netdev_cable near near:8 wire
}

cleanup()
{
	netcable_down
	fresh_glass
}

# only_frames NETDEV: nothing else is sent by the interfaces of this name: IPv6 has messages of its own
only_frames()
{
	local ns
	for ns in near far; do
		# shellcheck disable=SC2016 # that shell expands it
		nsenter --net="/run/netns/$ns" sh -c 'file=/proc/sys/net/ipv6/conf/$1/disable_ipv6; [ ! -e "$file" ] || echo 1 >"$file"' - "$1"
	done
}

# hostile ARGUMENT...: frames(1) at the other end of the wire; its last line is in SENT
hostile()
{
	nsenter --net=/run/netns/far frames "$@" >hostile.log || fail "frames $*: $(<hostile.log)"
	SENT=$(tail -n 1 hostile.log)
}

# sent WORD: the number in SENT
sent()
{
	[[ " $SENT " =~ \ $1=([0-9]+)\  ]] || fail "no $1 in '$SENT'"
	echo "${BASH_REMATCH[1]}"
}

# of_near COLUMN...: of the cable that is attacked
of_near()
{
	table netdevs a "$@" | sed -n 's/^near:8 //p'
}

near_is()
{
	[[ $(of_near state trouble) == "$*" ]]
}

# peer: the cable has a peer that this test plays; its process in PEER
peer()
{
	start peer.log nsenter --net=/run/netns/far frames peer
	PEER=$STARTED
	wait_for 10 near_is up none || {
		cat peer.log "$FABRIC/netdevs"
		fail "the cable has no peer"
	}
	# the cable may be up with the peer of the test before, which had the same session
	wait_for 10 in_file peer.log '^up'
}

# columns PATTERN: the columns of the table with this name
columns()
{
	sed -n '1s/^# glass 1 [a-z]*: *//p' "$FABRIC/netdevs" | tr ' ' '\n' | grep -E "^($1)\$"
}

# counters: "NAME VALUE" of all rules, of frames and packets that came in, and of the port
counters()
{
	awk 'NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); n = split($0, name, " "); next }
		$1 == "near:8" { for (i = 1; i <= n; i++) if (name[i] ~ /^(ups|rx_frames|rx_packets|bad_.*)$/) print name[i], $i }' "$FABRIC/netdevs"
	table ports node port rx_pkts rcv_errors | awk '$1 == "near" && $2 == 8 { print "port_rx_pkts " $3; print "port_rcv_errors " $4 }'
}

# expect NAME=N...: these counters are to rise by N since the file "before", all others by nothing; in the file "expected"
expect()
{
	tr ' ' '\n' <<<"$*" | awk -F '[= ]' 'FNR == NR { more[$1] += $2; next } { print $1, $2 + more[$1]; delete more[$1] }
		END { for (name in more) if (name != "") { print "no counter " name > "/dev/stderr"; exit 1 } }' - before >expected
}

as_expected()
{
	counters >now
	cmp -s expected now
}

# they_rose NAME=N...: by as much as that, and no other counter; the cable is up and undisturbed all the time
they_rose()
{
	expect "$@"
	wait_for 10 as_expected || {
		diff -U 0 expected now || :
		fail "counters differ: - is what they should be"
	}
}

# breaks RULE: the frames break this rule and no other, and nothing of them gets into the fabric
breaks()
{
	peer
	counters >before
	hostile rule "$1"
	note "$SENT"
	(($(sent sent))) || fail "no frame for $1"
	assert_eq "$(sent lost)" 0 "lost frames"
	they_rose "$1=$(sent sent)" "rx_frames=$(sent errors)" "rx_packets=$(sent good)" "port_rcv_errors=$(sent errors)"
	assert_eq "$(of_near state trouble)" 'up none' "state and trouble"
}

test_bad_short() { breaks bad_short; }
test_bad_version() { breaks bad_version; }
test_bad_kind() { breaks bad_kind; }
test_bad_header() { breaks bad_header; }
test_bad_hello() { breaks bad_hello; }
test_bad_stranger() { breaks bad_stranger; }
test_bad_session() { breaks bad_session; }
test_bad_length() { breaks bad_length; }
test_bad_vl() { breaks bad_vl; }
test_bad_lrh() { breaks bad_lrh; }
test_bad_grh() { breaks bad_grh; }
test_bad_vcrc() { breaks bad_vcrc; }
test_bad_icrc() { breaks bad_icrc; }
test_bad_bth() { breaks bad_bth; }
test_bad_mtu() { breaks bad_mtu; }
test_bad_mixed() { breaks bad_mixed; }

# All is right with the frame but the time at which it comes.
test_bad_untrained()
{
	wait_for 20 near_is silent none
	counters >before
	hostile rule bad_untrained
	they_rose "bad_untrained=$(sent sent)"
	peer
	counters >before
	hostile rule bad_untrained
	they_rose "rx_frames=$(sent sent)" "rx_packets=$(sent sent)"
}

# One of the three frames with a wrong ICRC has no VCRC: a cable whose command demands the VCRC does not even look at its packet.
test_vcrc_that_is_demanded()
{
	echo 'uncable near:8' >"$CONFIG/commands"
	netdev_cable near near:8 wire vcrc=yes
	peer
	assert_eq "$(of_near vcrc link_vcrc)" 'yes yes' "VCRC"
	counters >before
	hostile rule bad_icrc
	they_rose bad_header=1 bad_icrc=2 rx_frames=2 port_rcv_errors=2
	echo 'uncable near:8' >"$CONFIG/commands"
	netdev_cable near near:8 wire
}

# tx_of NETDEV: frames that its end in the namespace far has sent, and that are not lost in the backlog of the other end
tx_of()
{
	ip -n far -s -j link show "$1" | jq '.[0].stats64.tx.packets'
}

# taken: frames that the cable has received. Each frame is one of these, and breaks no other rule of frames.
taken()
{
	of_near rx_frames rx_hellos bad_short bad_version bad_kind bad_header bad_hello bad_untrained bad_stranger bad_session bad_overrun |
		awk '{ for (i = 1; i <= NF; i++) n += $i; print n }'
}

# ahead: frames that the far end has sent, without those that the cable has received. Peers say hello all the time: frames that are
# on their way make it larger, and a hello between the two readings makes it smaller.
ahead()
{
	echo "$(($(tx_of wire) - $(taken)))"
}

# count_from_here: all_accounted is about the frames from now on
count_from_here()
{
	local last=
	TX=$(tx_of wire)
	AHEAD=$(ahead)
	twice_the_same()
	{
		last=$AHEAD
		AHEAD=$(ahead)
		[[ $AHEAD == "$last" ]]
	}
	wait_for 20 twice_the_same
}

all_taken()
{
	[[ $(ahead) == "$AHEAD" ]]
}

# all_accounted: each frame since count_from_here is counted once
all_accounted()
{
	local -a names
	wait_for 60 all_taken || {
		cat "$FABRIC/netdevs"
		fail "$(($(ahead) - AHEAD)) of $(($(tx_of wire) - TX)) frames are not accounted for"
	}
	mapfile -t names < <(columns 'rx_frames|rx_hellos|bad_.*')
	note "$(($(tx_of wire) - TX)) frames came, and all are accounted for: $(of_near "${names[@]}" | tr ' ' '\n' |
		paste -d= <(printf '%s\n' "${names[@]}") - | grep -v '=0$' | paste -sd' ')"
}

LIMIT_test_bad_overrun=120
test_bad_overrun()
{
	peer
	counters >before
	count_from_here
	hostile rule bad_overrun
	note "$SENT"
	all_accounted
	(($(of_near bad_overrun) > $(awk '/^bad_overrun / { print $2 }' before))) || fail "nothing was dropped"
	# the rest of the counters is as it was; the memory for waiting frames is not used up for good
	counters | grep bad_ | grep -v bad_overrun | diff -u <(grep bad_ before | grep -v bad_overrun) - || fail "counters of other rules have changed"
	wait_for 20 near_is up none
	counters >before
	hostile good 100
	they_rose rx_frames=100 rx_packets=100
}

# Valid frames come in: the node behind the cable answers the half of them that are SMPs.
test_good_frames()
{
	local answers
	peer
	answers=$(of_near tx_packets)
	counters >before
	hostile good 500
	they_rose rx_frames=500 rx_packets=500
	assert_eq "$(($(of_near tx_packets) - answers))" 250 "answers"
}

test_each_rule_has_a_test()
{
	assert_eq "$(sed -n 's/^test_\(bad_[a-z_]*\)().*/\1/p' "$TESTS/guest/fabric/netcable-rules.sh" | sort)" "$(columns 'bad_.*' | sort)" "rules tested here"
	assert_eq "$(frames rules)" "$(columns 'bad_.*')" "rules that frames(1) breaks"
}

# disturbed TROUBLE OTHER HOST: the cable says so while the peer is there, and forgets it again
disturbed()
{
	hello_is_told()
	{
		[[ $(of_near trouble other other_host) == "$*" ]]
	}
	wait_for 10 hello_is_told "$@" || fail "got '$(of_near trouble other other_host)', wanted '$*'"
	assert_eq "$(of_near state peer peer_host peer_mac)" "up mallory:1 elsewhere $PEER_MAC" "the cable"
	wait_for 10 near_is up none || fail "$1 is not over: $(of_near state trouble)"
	assert_eq "$(of_near other other_host)" '- -' "the other port"
}

# told TEXT: in the kernel's log, since the file "log" was made
told()
{
	dmesg | tail -n "+$((1 + $(wc -l <log)))" | grep -qF "$1"
}

test_other_version_is_told()
{
	peer
	dmesg >log
	counters >before
	hostile "${STRANGER[@]}" -V 2 hello
	disturbed version stranger:0 faraway
	they_rose bad_version=1
	told 'near:8: stranger of host faraway at wire speaks version 2 of the frames, not 1' || fail "$(dmesg | tail -n 5)"
}

test_third_port_is_told()
{
	peer
	dmesg >log
	counters >before
	hostile "${STRANGER[@]}" hello
	disturbed third stranger:5 faraway
	they_rose
	told 'near:8: wire is shared: besides mallory:1 of host elsewhere, there is stranger:5 of host faraway' || fail "$(dmesg | tail -n 5)"
}

test_own_hello_is_told()
{
	peer
	dmesg >log
	counters >before
	hostile -m cable -s cable hello
	disturbed self - -
	they_rose
	told 'near:8: wire receives its own frames' || fail "$(dmesg | tail -n 5)"
}

test_same_guid_is_told()
{
	local guid
	guid=$(table nodes name guid | sed -n 's/^glass0 //p')
	peer
	dmesg >log
	counters >before
	hostile "${STRANGER[@]}" -g "$guid" hello
	disturbed same_guid stranger:5 faraway
	they_rose
	told "near:8: stranger of host faraway at wire has the node GUID $guid of a node of this host" || fail "$(dmesg | tail -n 5)"
}

# ---- random frames

# two_subnets: near and far, which the wire is to join, and left and right, joined by another cable, with a subnet manager
two_subnets()
{
	stop_opensm
	ibfabric clear
	netcable_down
	veth_pair 4500
	ip link add calm mtu 4500 netns near type veth peer name calm mtu 4500 netns far
	ip -n near link set calm up
	ip -n far link set calm up
	only_frames wire
	only_frames calm
	printf '%s\n' 'switch near ports=8' 'switch far ports=8' 'switch left ports=8' 'switch right ports=8' \
		'hca glass0 ports=1' 'hca glass1 ports=1' 'hca glass2 ports=1' 'hca glass3 ports=1' \
		'cable near:1 glass0:1' 'cable far:1 glass1:1' 'cable left:1 glass2:1' 'cable right:1 glass3:1' >"$CONFIG/commands"
	udevadm settle --timeout=30
	netdev_cable near left:8 calm
	netdev_cable far right:8 calm
	wait_for 20 netdevs_up
	manage glass2 glass3
}

# manage A B: a subnet manager at device A, by which the ports 1 of both are ACTIVE
manage()
{
	stop_opensm
	GLASS_PORTS=("$1/1" "$2/1")
	start_opensm -g "$(guid_of "$1")"
	wait_for 60 sweep_done
}

# fuzz [OPTION]: random frames to the cable of the wire, while traffic with checked data passes the other cable
fuzz()
{
	local seed log=traffic.log pid begin
	seed=$(word_of_boot frames_seed "$SRANDOM")
	traffic_on "$log" -a glass2 -b glass3 -t 18 -r 7
	pid=$STARTED
	count_from_here
	begin=${EPOCHREALTIME/./}
	hostile "$@" fuzz "$FRAMES" "$seed"
	note "seed $seed, $SENT, in $(((${EPOCHREALTIME/./} - begin) / 1000)) ms"
	all_accounted
	note "the cable came up $(of_near ups) times"
	traffic_goes_on "$log" "$pid"
	assert_no_match "$(<"$log")" 'wc status'
	note "traffic over the other cable: $(tail -n 1 "$log")"
}

# works_again: the two HCAs that the wire joins exchange data; then nothing holds the module
works_again()
{
	wait_for 30 netdevs_up || {
		cat "$FABRIC/netdevs"
		fail "the cable does not come up any more"
	}
	manage glass0 glass1
	wait_for 60 routed glass0 glass1
	fabric_check pairs glass0:1 glass1:1
	unload_fabric
	netcable_down
	load_glass
}

# The attacker is the only peer of the cable.
test_random_frames_of_a_peer()
{
	two_subnets
	netdev_cable near near:8 wire silence=500
	fuzz
	netdev_cable far far:8 wire silence=500
	works_again
}

# The attacker sends with the address and the session of a peer that is there, too.
test_random_frames_beside_a_peer()
{
	two_subnets
	netdev_cable near near:8 wire silence=500
	netdev_cable far far:8 wire silence=500
	wait_for 20 netdevs_up
	fuzz --real
	works_again
}
