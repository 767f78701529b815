# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The programs of the sweeps (run). Each has a function for its server, on glass1, and one for its client, on glass0, which replace the
# shell; PORT is a free TCP port. `listens_NAME` (does the server listen? if not by TCP), `needs_NAME` (a command that must be there) and
# `wrong_NAME` (status 0: client.log or server.log tells of wrong data) are optional.

PROGRAMS='pingpong write_lat rping ucx_rc ucx_ud'

# ibv_rc_pingpong compares what arrives (-c).
server_pingpong() { exec ibv_rc_pingpong -c -d glass1 -p "$PORT" -n 200; }
client_pingpong() { exec ibv_rc_pingpong -c -d glass0 -p "$PORT" -n 200 localhost; }
wrong_pingpong() { grep -q 'invalid data' client.log server.log; }

server_write_lat() { exec ib_write_lat -d glass1 -p "$PORT" -n 200; }
client_write_lat() { exec ib_write_lat -d glass0 -p "$PORT" -n 200 localhost; }

# -V: the client compares what comes back
server_rping() { exec ip netns exec peer rping -s -p "$PORT" -C 50 -S 4096 -V; }
client_rping() { exec rping -c -a "$THERE" -p "$PORT" -C 50 -S 4096 -V; }
listens_rping() { cm_listening "$SERVER"; }
wrong_rping() { grep -q 'data mismatch' client.log; }

# Debian's starts MPI unless its input is a terminal. When UCX aborts, it resolves a backtrace first, which takes an emulated guest most
# of a minute.
ucx() { exec env UCX_HANDLE_ERRORS=none UCX_TLS="$1" UCX_NET_DEVICES="$2:1" script -qec "ucx_perftest -P 0 -p $PORT ${*:3}" /dev/null; }
server_ucx_rc() { ucx rc_v,self glass1; }
client_ucx_rc() { ucx rc_v,self glass0 localhost -t tag_bw -s 8192 -n 200 -w 1; }
server_ucx_ud() { ucx ud_v,self glass1; }
client_ucx_ud() { ucx ud_v,self glass0 localhost -t tag_bw -s 8192 -n 200 -w 1; }
needs_ucx_rc=ucx_perftest needs_ucx_ud=ucx_perftest
