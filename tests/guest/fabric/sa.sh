# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The subnet administrator's answers of more than one packet.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# A multi-packet answer (RMPP) of the subnet administrator: a datagram that is reported as sent before it has been
# delivered lets the sender reuse its buffer too early, and about one in six failed.
LIMIT_test_rmpp_answers=90
test_rmpp_answers()
{
	local i
	for ((i = 1; i <= 10; i++)); do
		assert_eq "$(saquery PIR | grep -c 'PortInfoRecord dump')" 9 "port records in round $i"
		assert_eq "$(saquery NR | grep -c 'NodeRecord dump')" 5 "node records in round $i"
	done
}
