# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What is kept of a guest that did not get ready or that died: its console, and where its CPUs were.

EVIDENCE_KEPT=20	# files; the oldest go

# ask_qemu CPU COMMAND: print what QEMU's monitor answers, as seen from that CPU.
ask_qemu()
{
	local line
	printf '{"execute":"human-monitor-command","arguments":{"cpu-index":%s,"command-line":"%s"}}\n' "$1" "$2" >&"$QMP_IN"
	# The greeting, events and answers that are no text come first.
	until [[ ${line:-} == '{"return": "'* ]]; do
		IFS= read -r -t 10 -u "$QMP" line || {
			echo "QEMU does not answer to: $2"
			return 1
		}
	done
	line=${line#'{"return": "'}
	printf '%b' "${line%'"}'*}" | tr -d '\r'
}

# registers CPU: without those of floating point.
registers()
{
	ask_qemu "$1" "info registers" | grep -vE '^(FPR|XMM|YMM|ZMM|Opmask|FCW)'
}

# What the processors of a guest that stands still do, told by QEMU, and the threads of QEMU, told by this machine.
cpu_state()
{
	local task cpu command text
	for task in "/proc/$QEMU_PID"/task/*/; do
		# state; nanoseconds on a processor and waiting for one
		printf 'thread %s: state %s, ran and waited (ns) %s\n' "$(basename "$task")" \
			"$(sed -E 's/.*\) (.) .*/\1/' "$task/stat")" "$(cut -d' ' -f1,2 "$task/schedstat")"
	done
	printf '{"execute":"qmp_capabilities"}\n' >&"$QMP_IN"
	ask_qemu 0 "info cpus" || return
	for ((cpu = 0; cpu < OPT_CPUS; cpu++)); do
		printf -- '--- CPU %d\n' "$cpu"
		text=$(registers "$cpu")
		printf '%s\n' "$text"
		text=${text#*"$ARCH_STACK"}
		for command in "x /8i \$pc" "x /96gx 0x${text%%[!0-9a-f]*}" "${ARCH_MONITOR_CPU[@]}"; do
			printf -- '--- CPU %d: %s\n' "$cpu" "$command"
			ask_qemu "$cpu" "$command" || return
		done
		# Some time later: a CPU that spins or is kept waiting for a processor differs from one that stands still.
		IFS= read -r -t 1 -u "$QMP" _ || :
		printf -- '--- CPU %d again\n' "$cpu"
		registers "$cpu"
	done
	printf -- '--- interrupts\n'
	for command in "${ARCH_MONITOR[@]}"; do
		ask_qemu 0 "$command"
	done
}

# keep_evidence WHY: put the console, QEMU's messages and, while QEMU lives, the state of its CPUs into a file of the cache; its
# name is in EVIDENCE.
keep_evidence()
{
	local dir=$CACHE/log old
	mkdir -p "$dir"
	# Of several hosts each has a shell of its own.
	EVIDENCE=$dir/boot-$(date +%Y%m%d-%H%M%S)-$BASHPID.log
	{
		printf 'why: %s\nload of this machine: %s\n' "$1" "$(</proc/loadavg)"
		printf -- '--- QEMU\n'
		cat "$RUNDIR/qemu.err"
		if kill -0 "$QEMU_PID" 2>/dev/null; then
			cpu_state
		fi
		printf -- '--- console\n'
		tail -c 4000000 "$RUNDIR/console" | tr -d '\r\000'
	} >"$EVIDENCE" 2>/dev/null
	while IFS= read -r old; do
		rm -f -- "$old"
	done < <(printf '%s\n' "$dir"/boot-*.log | sort -r | tail -n "+$((EVIDENCE_KEPT + 1))")
}
