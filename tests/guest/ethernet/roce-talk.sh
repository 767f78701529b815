# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 20
# Two programs that wait for each other over Ethernet ports of one host: the context that sends a packet also receives it at the other
# port, so that no message waits for a kernel worker.

# shellcheck source=tests/lib/roce.sh
. "$TESTS/lib/roce.sh"
# shellcheck source=tests/lib/talk.sh
. "$TESTS/lib/talk.sh"

LIMIT=60

setup()
{
	roce_up
	second_wire
}

# The two ends: each test is a shell of its own
the_talkers()
{
	TALKERS=("-d glassr1 -g $(gid_of glassr1 10.9.1.1)" "-d glassr2 -g $(gid_of glassr2 10.9.1.2)")
}

cleanup()
{
	second_wire_down
	roce_down
}

test_talk()
{
	the_talkers
	some_talk 'glassr[12]'
}

# In the flight recorder, no packet arrives before it was sent. (Of packets before these, one CPU may have only the arrival left.)
test_order()
{
	local qpns
	the_talkers
	talk rc 100
	qpns=$(sed -n 's/^ *\(local\|remote\) address: .* QPN 0x0*\([0-9a-f]*\), .*/\2/p' server.log | sort -u | paste -sd'|')
	ibcap --flight glassr1 glassr2 | grep -E " dqpn=0x($qpns) " >flight
	awk '{ packet = $4 " " $6 " " $8 }
		$3 == "tx" { sent[packet] = 1 }
		$3 == "rx" && !(packet in sent) { print "arrived before it was sent: " $0; bad = 1 }
		$3 == "rx" && $4 == "rc_send_only" { n++ }
		END { if (n < 200) print n + 0 " messages"; exit bad || n < 200 }' flight || fail "$(head -n 3 flight)"
}

# A stream between the same ports at the same time: no frame that no lane was woken for stays behind.
test_with_others()
{
	local i
	the_talkers
	with_gids glassr1 10.9.1.1 glassr2 10.9.1.2
	start traffic.log traffic -n 4000 -s 64
	for i in 1 2 3; do
		talk rc 300
	done
	finish "$STARTED" traffic.log
}
