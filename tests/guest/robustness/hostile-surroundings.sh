# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 16
# The tools run as root among programs, files and readers of others: what those choose neither reaches the terminal nor
# decides where a capture goes, and a reader that stops holds up nobody.

LIMIT=60

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# named NAME COMMAND...: runs a program under that name in the background; its process is in STARTED.
named()
{
	local name=$1 file
	shift
	file=$(type -P "$1")
	shift
	cp "$file" "./$name"
	start named.log "./$name" "$@"
}

# waits_in PID REGEX: is the process in such a function of the kernel?
waits_in()
{
	[[ $(<"/proc/$1/wchan") =~ $2 ]]
}

# took_term PID: has its handler of SIGTERM run, which it has for one signal?
took_term()
{
	local caught
	caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status")
	((!(0x$caught & 0x4000)))
}

test_a_capture_is_its_owners()
{
	umask 022
	start ibcap.log ibcap -w capture.pcapng glass0:1
	wait_for 10 in_file ibcap.log capturing
	kill -INT "$STARTED"
	finish "$STARTED" ibcap.log ibcap
	assert_eq "$(stat -c %a capture.pcapng)" 600 "mode of the capture"
	# what is there keeps its mode
	chmod 640 capture.pcapng
	start ibcap.log ibcap -w capture.pcapng glass0:1
	wait_for 10 in_file ibcap.log capturing
	kill -INT "$STARTED"
	finish "$STARTED" ibcap.log ibcap
	assert_eq "$(stat -c %a capture.pcapng)" 640 "mode of a file that was there"
}

# Nobody named the files that take turns.
test_numbered_files_are_made_anew()
{
	echo precious >victim
	ln -s victim turn-00001.pcapng
	start ibcap.log ibcap -C 1 -w turn.pcapng glass0:1
	wait_for 10 in_file ibcap.log capturing
	kill -INT "$STARTED"
	finish "$STARTED" ibcap.log ibcap
	assert_eq "$(<victim)" precious "what the link led to"
	[[ -f turn-00001.pcapng && ! -L turn-00001.pcapng ]] || fail "the link is still there"
	assert_eq "$(stat -c %a turn-00001.pcapng)" 600 "mode of the capture"
}

# A FIFO opens when somebody reads it.
test_a_fifo_that_nobody_reads()
{
	mkfifo fifo
	start ibcap.log ibcap -w fifo glass0:1
	wait_for 10 waits_in "$STARTED" 'wait_for_partner|fifo_open'
	kill -TERM "$STARTED"
	wait_for 10 gone "$STARTED"
}

# A reader that holds the pipe and does not read: the first signal asks, the second ends.
test_a_reader_that_stopped()
{
	local reader capture
	mkfifo fifo
	exec {reader}<>fifo
	start ibcap.log ibcap -w fifo glass0:1 glass0:2
	capture=$STARTED
	named sender traffic -s 4096
	wait_for 30 waits_in "$capture" pipe_write
	kill -TERM "$capture"
	wait_for 10 took_term "$capture"
	wait_for 10 waits_in "$capture" pipe_write
	kill -TERM "$capture"
	wait_for 10 gone "$capture"
	exec {reader}<&-
}

test_output_that_is_full()
{
	local status=0
	start ibcap.log bash -c 'exec ibcap glass0:1 >/dev/full'
	wait_for 10 in_file ibcap.log capturing
	traffic -n 50
	wait "$STARTED" || status=$?
	assert_eq "$status" 1 "status of ibcap"
	in_file ibcap.log 'standard output: No space left on device' || fail "it said: $(<ibcap.log)"
}

test_numbers_of_wireshark()
{
	local number
	for number in 99999999999 -1 1k ''; do
		refuses ibcap --extcap-interface glass0:1 --capture --fifo never --snap "$number"
		assert_match "$REFUSAL" '--snap: .* is neither 0 nor a number' "what $number gets"
	done
	refuses ibcap --extcap-interface glass0:1 --capture --fifo never --ring 4194304
	assert_match "$REFUSAL" '--ring: ' "what a ring of 4 TiB gets"
	[[ ! -e never ]] || fail "there is a capture"
}

# In a locale that is not UTF-8 a byte of a character may be a control character of the terminal: 0x9b is CSI.
test_names_on_terminals_of_other_locales()
{
	named $'\xc3\x9b2J' traffic
	wait_for 20 in_file named.log '^running'
	LC_ALL=C ibtop -b -n 1 -v qp,process >shown
	in_file shown ' \?\?2J ' || fail "$(cat -v shown)"
	! LC_ALL=C grep -q $'[\x80-\xff]' shown || fail "bytes of UTF-8: $(cat -v shown)"
	LC_ALL=C.UTF-8 ibtop -b -n 1 -v qp >shown
	in_file shown $' \xc3\x9b2J ' || fail "$(cat -v shown)"
}

# Who calls itself like lines of /proc/PID/status is still who it is.
test_names_do_not_choose_owners()
{
	chmod 755 .
	cp "$(type -P traffic)" './?Umask:?Uid:?0'
	start named.log setpriv --reuid=65534 --regid=65534 --clear-groups './?Umask:?Uid:?0'
	wait_for 20 in_file named.log '^running'
	assert_eq "$(ibtop -b -n 1 --csv -v process -f "pid==$STARTED" -c owner | sed -n '2s/.*,//p')" nobody owner
}
