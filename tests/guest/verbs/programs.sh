# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Programs of our own (tests/programs/): the manual's example, and traffic with checked data.

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

LIMIT_test_rdma_aware=180
test_rdma_aware()
{
	local size
	for size in 1 4096 65536 1048576; do
		pair glass0 glass1 rdma_aware -s "$size"
		pair glass0 glass0 rdma_aware -s "$size"
	done
}

test_rdma_aware_with_grh() { pair glass0 glass1 rdma_aware -g 0; }
test_rdma_aware_on_second_port() { pair glass0 glass1 rdma_aware -i 2; }

test_traffic_mixed() { traffic -n 500; }
test_traffic_send() { traffic -n 500 --mode send; }
test_traffic_write() { traffic -n 500 --mode write; }
test_traffic_srq() { traffic -n 500 --srq --mode send; }
test_traffic_within_one_adapter() { traffic -n 500 --a glass0 --b glass0; }
test_traffic_between_ports() { traffic -n 500 --a glass0 --b glass0 --a-port 1 --b-port 2; }
test_traffic_large() { traffic -n 50 --size 1048576; }
