# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# MPICH and Open MPI over UCX, on RC and on UD queue pairs: point to point, collectives, and one-sided operations with checked results
# (mpi_checks.c). Ranks with an even number are on glass0, the others on glass1.

# shellcheck source=tests/lib/users.sh
. "$TESTS/lib/users.sh"

LIMIT=200

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# begin FLAVOR RANKS TLS ROUNDS SIZE...: in the background; MPI is its process
begin()
{
	local flavor=$1 ranks=$2 tls=$3
	local -a options=()
	shift 3
	[[ -e mpi_checks ]] || "mpicc.$flavor" -O1 -Wall -Werror -o mpi_checks "$TESTS/users/mpi_checks.c"
	cat >on_adapter.sh <<-'EOF'
		#!/bin/bash
		export UCX_NET_DEVICES=glass$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2)):1
		exec "$@"
	EOF
	chmod +x on_adapter.sh
	[[ $flavor == mpich ]] || options=(--allow-run-as-root --oversubscribe --mca pml ucx --mca osc ucx)
	export UCX_TLS=$tls
	start mpi.log "mpirun.$flavor" "${options[@]}" -n "$ranks" ./on_adapter.sh ./mpi_checks "$@"
	MPI=$STARTED
}

# all_right RANKS: it ends, and has compared all
all_right()
{
	finish "$MPI" mpi.log "mpirun"
	grep -qx "all right, $1 ranks" mpi.log || fail "$(<mpi.log)"
}

# Messages of all protocols of UCX: short, buffered, and by rendezvous. Ranks poll, so four of them are slow on two processors.
runs()
{
	begin "$1" "$2" "$3" 1 8 4000 100000
	all_right "$2"
}

test_mpich_rc_2_ranks() { runs mpich 2 rc_v,self; }
test_mpich_rc_4_ranks() { runs mpich 4 rc_v,self; }
test_mpich_ud_2_ranks() { runs mpich 2 ud_v,self; }
test_mpich_rc_and_ud_4_ranks() { runs mpich 4 rc_v,ud_v,self; }
test_openmpi_rc_2_ranks() { runs openmpi 2 rc_v,self; }
test_openmpi_rc_4_ranks() { runs openmpi 4 rc_v,self; }
test_openmpi_ud_2_ranks() { runs openmpi 2 ud_v,self; }
test_openmpi_rc_and_ud_4_ranks() { runs openmpi 4 rc_v,ud_v,self; }

# RC sends again what is lost. So does UCX, above UD.
loss()
{
	lossy "qptype==${2%%_*}"
	begin "$1" 2 "$2" 2 8 4000 100000
	all_right 2
	calm
}

test_mpich_rc_with_loss() { loss mpich rc_v,self; }
test_mpich_ud_with_loss() { loss mpich ud_v,self; }
test_openmpi_rc_with_loss() { loss openmpi rc_v,self; }
test_openmpi_ud_with_loss() { loss openmpi ud_v,self; }

# The rank whose QP fails ends the whole job. (The status of MPICH's mpirun was once 0 after a rank had died.)
qp_fails()
{
	begin "$1" 2 "$2" 500 8 4000 100000
	break_qp glass0 "qptype==${2%%_*}" 500
	outcome 60 "mpirun" "$MPI"
	tail -n 30 mpi.log
	! grep -q '^all right' mpi.log || fail "ended well"
	grep -qE 'completion with error|local work queue catastrophic error' mpi.log || fail "nobody tells of the error"
}

test_mpich_rc_qp_fails() { qp_fails mpich rc_v,self; }
test_openmpi_rc_qp_fails() { qp_fails openmpi rc_v,self; }
