# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For suites that make fabrics: the tables of the fabric, OpenSM, and the files of configfs.

FABRIC=/sys/kernel/debug/glass/fabric
CONFIG=/sys/kernel/config/glass

# table FILE COLUMN...: these columns of a table of the fabric (or of a device: ../glass0/FILE), a line for each row
table()
{
	local file=$1
	shift
	awk -v want="$*" '
		NR == 1 { sub(/^# glass 1 [a-z]+: */, ""); for (i = 1; i <= NF; i++) at[$i] = i
			  n = split(want, name, " ")
			  for (i = 1; i <= n; i++) if (!(name[i] in at)) { print "no column " name[i] > "/dev/stderr"; exit 1 } next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' "$FABRIC/$file"
}

# has_row LINE FILE COLUMN...: is one of the rows this one? (Not by grep -q, which ends before the table does.)
has_row()
{
	local line=$1
	shift
	[[ $'\n'$(table "$@")$'\n' == *$'\n'"$line"$'\n'* ]]
}

# devices: the InfiniBand devices of the fabric, one a line
devices()
{
	table nodes device | grep -v '^-$' || :
}

# device_ports: DEVICE:PORT of all ports of devices that have a cable
device_ports()
{
	table ports node port peer | awk 'FILENAME != "-" { device[$1] = $2; next }
		$1 in device && $3 != "-" { print device[$1] ":" $2 }' <(table nodes name device | awk '$2 != "-"') -
}

# lid_of NODE[:PORT]: of an HCA's port (1), or of a switch
lid_of()
{
	local node=${1%:*} port=1
	[[ $1 != *:* ]] || port=${1#*:}
	! has_row "$node switch" nodes name kind || port=0
	table ports node port lid | awk -v node="$node" -v port="$port" '$1 == node && $2 == port { print $3 }'
}

# links_active: all cables that are not pulled carry an ACTIVE link, and there is at least one
links_active()
{
	table cables pulled a_state b_state | awk '$1 == "no" { n++; if ($2 != "active" || $3 != "active") bad++ } END { exit bad || !n }'
}

# peer_of NODE:PORT: the port at the other end of its cable
peer_of()
{
	table cables a b | awk -v end="$1" '$1 == end { print $2 } $2 == end { print $1 }'
}

# fabric_opensm OPTION...: OpenSM, and all links of the fabric are ACTIVE
# shellcheck disable=SC2120 # suites give the options
fabric_opensm()
{
	# shellcheck disable=SC2034 # start_opensm looks at the ports of the module's own star otherwise
	GLASS_PORTS=()
	start_opensm "$@"
	wait_for 90 links_active || {
		table cables a b pulled a_state b_state
		tail -n 30 "$STATE/opensm.log"
		fail "OpenSM did not make every link ACTIVE"
	}
	wait_for 60 sweep_done || {
		tail -n 30 "$STATE/opensm.log"
		fail "OpenSM did not end a sweep without an error"
	}
}

# make_fabric ARGUMENT...: of `ibfabric make`, in the place of the fabric that was there, with OpenSM
make_fabric()
{
	stop_opensm
	ibfabric make "$@" --replace
	udevadm settle --timeout=30
	fabric_opensm
}

# load_fabric: commands of standard input, in the place of the fabric that was there; no subnet manager runs
load_fabric()
{
	stop_opensm
	cat >commands
	ibfabric load commands --replace
	udevadm settle --timeout=30
}

# sweep_done: OpenSM has nothing more to do, as far as its log says: the last line that begins or ends a sweep is an end
sweep_done()
{
	grep -q 'SUBNET UP' "$STATE/opensm.log"
}

# routed A B: a packet from port A arrives at port B
routed()
{
	ibfabric trace "$1" "$2"
}

# all_routed: packets arrive between all nodes with a device, and back
all_routed()
{
	local -a nodes
	local i
	mapfile -t nodes < <(table nodes name device | awk '$2 != "-" { print $1 }')
	for ((i = 1; i < ${#nodes[@]}; i++)); do
		ibfabric trace --both "${nodes[0]}" "${nodes[i]}" >/dev/null || return 1
	done
}

# way A B: "NODE IN OUT" of each switch on the way, as the driver says it
way()
{
	ibfabric trace "$1" "$2" --json | jq -r '.[0].hops[] | select(.in_port and .out_port) | "\(.node) \(.in_port) \(.out_port)"'
}

# drops_of DEVICE REASON: in its droplog, "PLACE AT OPCODE" of each packet
drops_of()
{
	table "../$1/droplog" reason place at opcode | awk -v reason="$2" '$1 == reason { print $2, $3, $4 }'
}

# places_of DEVICE REASON: where its packets were dropped, "PLACE AT", each once
places_of()
{
	drops_of "$@" | cut -d' ' -f1,2 | sort -u
}

# quietly COMMAND...: ends well, and has nothing on standard error; its output is in the file "out"
quietly()
{
	local status=0
	"$@" >out 2>err || status=$?
	[[ $status == 0 && ! -s err ]] || {
		tail -n 40 out
		cat err
		fail "status $status of: $*"
	}
	[[ -s out ]] || fail "no output of: $*"
}

# unload_fabric: OpenSM ends, the fabric goes, the module goes
unload_fabric()
{
	stop_opensm
	ibfabric clear
	assert_eq "$(ls /sys/class/infiniband)" '' "devices after clear"
	assert_eq "$(table nodes name)$(table cables a)$(table ports node)" '' "the fabric after clear"
	unload_glass
}

# guid_of DEVICE: of its port 1, for opensm -g
guid_of()
{
	table ports node port guid | awk -v node="$1" '$1 == node && $2 == 1 { print $3 }'
}

# messages: how many `traffic -v` has brought over, as its log says
messages()
{
	sed -n 's/^messages \([0-9]*\).*/\1/p' "$1" | tail -n 1
}

# brings LOG N: more than N messages
brings()
{
	(($(messages "$1") > $2))
}

# traffic_on LOG OPTION...: traffic that has begun; its process in STARTED
traffic_on()
{
	local log=$1
	shift
	start "$log" traffic -v "$@"
	wait_for 30 brings "$log" 0 || { cat "$log"; fail "no traffic"; }
}

# traffic_goes_on LOG PID: it goes on, for another 100 messages, and ends well
traffic_goes_on()
{
	local n
	n=$(messages "$1")
	wait_for 40 brings "$1" $((n + 100)) || { cat "$1"; fail "traffic does not go on"; }
	kill -TERM "$2"
	finish "$2" "$1" traffic
}
