# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 130
# long: a terminal, key by key
# ibtop on a terminal: the real program in tmux, keys sent, the screen read, while traffic runs.

# shellcheck source=tests/lib/rxe.sh
. "$TESTS/lib/rxe.sh"
# shellcheck source=tests/lib/terminal.sh
. "$TESTS/lib/terminal.sh"

setup()
{
	start_opensm
}

cleanup()
{
	stop_opensm
}

# ---- a terminal

# top COLS ROWS: ibtop there with the queue pairs, until it shows its keys.
top()
{
	terminal "$1" "$2" "exec 2>err; ibtop -v qp -d 0.3"
	sees 'F1 *Help'
}

# click X Y: as xterm sends it, pressed and released; each is a character, column and row (from 0) + 33
click()
{
	typed $'\e[M '"$1$2"$'\e[M#'"$1$2"
}

# resize COLS ROWS
resize()
{
	t resize-window -t top -x "$1" -y "$2"
}

start_traffic()
{
	start traffic.log traffic
	TRAFFIC=$STARTED
	wait_for 20 in_file traffic.log '^running'
}

# ---- tests

# Each view by its key or from the list, with what it must show of the running program.
test_views()
{
	start_traffic
	top 160 40
	sees 'QPs +[0-9]+'
	keys 1
	sees ' 1:process .* 2:device'
	sees "^.glass0,glass1 +$TRAFFIC +root +traffic "
	keys 2
	sees 'DRIVER +HEALTH'
	sees '^.glass0 +glass +ok '
	sees '^.glass1 +glass +ok '
	keys 3
	sees '^.glass1 +2 +active '
	keys 4
	sees "^.glass0 .*rc +rts +$TRAFFIC traffic +glass1:0x[0-9a-f]+ +\[.*/64\]"
	keys 5
	sees "^.glass1 .* ok +$TRAFFIC traffic +\[.*/1[0-9]+\]"
	keys 6
	sees "^.glass0 .*$TRAFFIC traffic .*0x[0-9a-f]+ .*local_write"
	keys 7
	sees "PINNED.*AGE"
	sees "$TRAFFIC traffic"
	keys 8
	sees 'DRY IN'
	keys 9
	sees 'DLID'
	keys 0
	sees "UNACKED"
	sees "$TRAFFIC traffic"
	keys v
	sees 'Enter chooses'
	keys Home
	typed fcable
	keys Enter
	sees '^.A +B +PULLED'
	keys v Home
	typed share
	keys Enter
	sees 'USED +LIMIT +REFUSED'
	keys v Home
	typed leak
	keys Enter
	sees 'OBJECT.*AGE▽'
	keys I
	sees 'OBJECT.*AGE△'
	sees "qp 0x[0-9a-f]+ .*$TRAFFIC traffic"
	keys E
	sees 'WHAT HAPPENED'
	keys l
	sees 'SEVERITY'
	keys v Home
	typed cm_id
	keys Enter
	sees 'FROM'
	keys Tab Tab
	sees 'SPECIFICATION'
	ibinject drop glass0 --op send --nth 1000000000 --name never
	sees '^.glass0 +never +drop '
	ibinject clear
	sees_not ' never '
	# new and gone ones are marked
	keys 1
	kill -KILL "$TRAFFIC"
	sees_not " $TRAFFIC "
	keys F10
	sees 'STATUS=0'
	[[ ! -s err ]] || fail "$(<err)"
}

test_sort_filter_search()
{
	local first second
	start_traffic
	start many.log many_qps -n 40 -w
	wait_for 30 in_file many.log ready
	top 120 30
	# sort: the moving ones first, then last
	keys F6 Home
	typed tx_bytes_s
	keys Enter
	sees 'TX/s▽'
	sees '^.glass0 .* traffic '
	wait_first() { screen | grep -A1 -- 'TX/s' | tail -n 1 | grep -qE -- "$1"; }
	wait_for 20 wait_first ' traffic '
	keys I
	sees 'TX/s△'
	wait_for 20 wait_first ' (kernel|many_qps) '
	# filter: an error at its place, then one that works, then none
	keys F4
	typed 'comm==traffic && stat==rts'
	keys Enter
	sees '^ +\^\^\^\^ *$'
	sees '`stat`'
	keys C-u
	typed 'comm==traffic && state==rts'
	keys Enter
	sees '^filter comm==traffic && state==rts'
	sees_not 'many_qps'
	sees '^.glass1 .* traffic '
	keys F4 C-u Enter
	sees many_qps
	# text
	keys /
	typed MANY_
	keys Enter
	sees many_qps
	keys '&'
	sees '^only rows with MANY_'
	sees_not ' traffic '
	# those that move come first again
	keys Escape Home I
	sees ' traffic '
	# a process
	keys P
	typed "$TRAFFIC"
	keys Enter
	sees "^process $TRAFFIC"
	sees_not many_qps
	keys f
	sees many_qps
	# columns
	keys C
	sees '\[x\] dev'
	keys Space Enter
	sees_not '^ *DEV '
	keys C d Escape
	sees '^ *DEV '
	keys Z
	sees '^PAUSED'
	first=$(screen)
	keys Space
	sees_not '^PAUSED'
	changed() { second=$(screen); [[ $second != "$first" ]]; }
	wait_for 20 changed
	keys q
	sees 'STATUS=0'
}

test_tree_and_detail()
{
	start_traffic
	top 160 50
	keys F5
	sees 'device glass0'
	sees '├─ucontext [0-9]+'
	sees "└─cq [0-9]+ .*$TRAFFIC traffic"
	keys '*'
	sees_not '─cq '
	keys '*'
	sees '─cq '
	keys 4 F4
	typed 'comm==traffic && dev==glass0'
	keys Enter
	sees_not '^.glass1 '
	keys Enter
	sees '^ qp 0x[0-9a-f]+ on glass0 of traffic '
	sees '│ PEER +qp 0x[0-9a-f]+ on glass1 of traffic'
	sees '^ACTIVITY .* │'
	keys PgDn PgDn
	sees '^(requester|timers)'
	resize 80 24
	sees_not ' │ '
	keys Home
	sees '^waits_for'
	keys p
	sees '^ qp 0x[0-9a-f]+ on glass1 of traffic '
	kill -KILL "$TRAFFIC"
	sees '\(gone\)'
	keys q
	sees '^ DEV '
	keys '?'
	sees '^ Keys '
	keys End
	sees '^wait +what it waits for'
	keys Escape q
	sees 'STATUS=0'
}

test_sizes_and_mouse()
{
	start_traffic
	top 80 24
	sees '^F1Help  F2Setup F3SearchF4FilterF5Tree  F6SortByF7CapturF8InjectF9Kill  F10Quit$'
	resize 200 50
	sees 'WHY .*ACTIVITY'
	sees '^F1Help      F2Setup     '
	resize 30 6
	sees '^30x6: too small'
	resize 80 24
	sees '^F1Help  F2Setup F3Search'
	# a click on a view, on the head of a column, on a key
	click '!' '#'
	sees '^ DEV +PID'
	click '-' '#'
	sees '^ DEV +DRIVER'
	click '"' '$'
	sees '^ DEV[▽△]'
	click '!' 8
	sees 'this help'
	keys Escape q
	sees 'STATUS=0'
}

# What is shown goes away: a process, debugfs, the devices. It says so and goes on.
test_things_go_away()
{
	start_traffic
	top 120 30
	sees " $TRAFFIC traffic "
	# busy while ibtop reads it
	wait_for 20 umount /sys/kernel/debug
	sees 'mount -t debugfs'
	mount -t debugfs none /sys/kernel/debug
	sees_not 'mount -t debugfs'
	sees " $TRAFFIC traffic .*/64\]"
	kill -KILL "$TRAFFIC"
	sees_not " $TRAFFIC "
	stop_opensm
	unload_glass
	sees 'no RDMA device'
	keys 4 F5 m Escape 2
	load_glass
	sees_not 'no RDMA device'
	start_opensm
	sees '^.glass1 +glass +ok '
	keys q
	sees 'STATUS=0'
}

# However often, and whatever it draws just then: Ctrl-Z is not lost.
test_stopped_again_and_again()
{
	local n
	start_traffic
	terminal 100 30 'exec bash --norc -i'
	typed 'PS1="> "; ibtop -v qp -d 0.3 -f comm==traffic'
	keys Enter
	sees ' traffic '
	for ((n = 0; n < 15; n++)); do
		keys x
		sees '^Run: iblint|iblint'
		keys Escape
		keys C-z
		sees 'Stopped'
		typed 'clear; fg'
		keys Enter
		sees 'F1 *Help'
	done
}

test_signals_and_commands()
{
	local pid
	start_traffic
	terminal 100 30 'exec bash --norc -i'
	# shellcheck disable=SC2016
	typed 'PS1="> "; stty -g >before; ibtop -v qp -d 0.3 -f comm==traffic'
	keys Enter
	sees ' traffic '
	# a command for the object: shown, changed, run, and back
	keys F7
	sees "^Run: ibcap -f 'qpn==0x[0-9a-f]+'"
	keys C-u
	typed 'echo ran with $((6 * 7)); exit 3'
	keys Enter
	sees '^ran with 42'
	sees 'status 3\] Enter goes back'
	keys Enter
	sees 'F1 *Help'
	keys x
	sees '^Run: iblint|iblint'
	keys Escape
	# stopped and continued
	keys C-z
	sees 'Stopped'
	typed 'fg'
	keys Enter
	sees 'F1 *Help'
	# a process is asked about, and ends
	keys F9 Enter
	sees "^Send SIGTERM to $TRAFFIC traffic\? \[y/N\]"
	keys n
	sees 'not sent'
	gone "$TRAFFIC" && fail "traffic is gone"
	keys k Enter
	sees "^Send SIGTERM to $TRAFFIC"
	keys y
	sees "SIGTERM sent to process $TRAFFIC"
	wait_for 10 gone "$TRAFFIC"
	# killed: the terminal is as before
	pid=$(pgrep -x ibtop)
	kill -TERM "$pid"
	wait_for 10 gone "$pid"
	# shellcheck disable=SC2016
	typed 'echo "ended with $?"; stty -g | cmp - before && echo same'
	keys Enter
	sees '^ended with 143'
	sees '^same'
	typed 'ibtop'
	keys Enter
	sees 'F1 *Help'
	keys C-c
	sees_not 'F1 *Help'
}

# Lint findings are a view; a key shows the lesson of one, or of all of a process.
test_lint_and_explain()
{
	iblint -q GL010_bad
	top 120 40
	keys l
	sees 'GL010 +warning +qp .* GL010_bad '
	keys x
	sees '^Run: iblint --explain GL010'
	keys Enter
	# in a pager
	sees '^GL010: rnr_retry'
	sees '^What happens'
	keys q
	sees 'status 0\] Enter goes back'
	keys Enter
	sees 'F1 *Help'
	keys q
	sees 'STATUS=0'
}

# Settings are kept; what a file says wrong is told, never believed.
test_configuration()
{
	local file=xdg/ibtop/config
	top 100 30
	keys F6 Home
	typed pid
	keys Enter
	sees 'PID▽'
	keys q
	sees 'STATUS=0'
	grep -qx 'qp.sort = -pid' $file || fail "not saved: $(cat $file)"
	[[ $(stat -c %a $file) == 600 ]] || fail "mode $(stat -c %a $file)"
	t kill-server
	top 100 30
	sees 'PID▽'
	keys q
	sees 'STATUS=0'
	t kill-server
	{
		printf 'theme = \033[31mnone\nqp.columns = dev qpnn\nqp.sort = ;rm -rf\nview = \xff\xfe\n'
		head -c 9000 /dev/zero | tr '\0' A
		printf '\n=\n= =\nnonsense\ndelay = -1\nmouse = perhaps\nfilter = %%s%%n%%s\n'
		head -c 300 /dev/urandom
	} >$file
	cp $file hostile
	top 100 30
	sees 'config:1: theme: \?\[31mnone: dark'
	keys 1 4 F2 Escape F4 Up
	sees '^Filter: %s%n%s'
	keys Escape q
	sees 'STATUS=0'
	cmp $file hostile || fail "a file that was not understood was replaced"
	t kill-server
	rm $file
	mkfifo $file
	top 100 30
	sees 'config: not a regular file'
	keys q
	sees 'STATUS=0'
}

# Another adapter than Glass: what netlink and sysfs tell; the rest is n/a.
test_rxe()
{
	rxe_up
	rxe_traffic
	terminal 160 40 "exec 2>err; ibtop -D rxe0 -D rxe1 -v qp -d 0.3"
	sees "^.rxe0 +1 +0x[0-9a-f]+ +rc +rts +$RXE_CLIENT ibv_rc_pingpong .*n/a"
	sees "^.rxe1 +1 +0x[0-9a-f]+ +rc +rts +$RXE_SERVER ibv_rc_pingpong .*n/a"
	keys 2
	sees '^.rxe0 +rxe +ok '
	keys 3
	sees '^.rxe0 +1 +active '
	keys 1
	sees "^.rxe0 +$RXE_CLIENT +root +ibv_rc_pingpong "
	keys F5
	sees 'device rxe0'
	sees '─qp 0x'
	keys 4 Enter
	sees '^ qp 0x[0-9a-f]+ on rxe[01] of ibv_rc_pingpong'
	keys Escape
	kill -KILL "$RXE_CLIENT" "$RXE_SERVER"
	sees_not 'ibv_rc_pingpong'
	keys q
	sees 'STATUS=0'
	[[ ! -s err ]] || fail "$(<err)"
	rxe_down
}

test_recording()
{
	start_traffic
	ibtop -b -n 4 -d 0.2 --record rec >/dev/null
	kill "$TRAFFIC"
	terminal 120 30 'ibtop -v qp --replay rec'
	sees '^recording #[0-3] of 3'
	sees '^AT THE END|recording #3 of 3'
	keys '('
	sees '^recording #0 of 3'
	sees '^PAUSED'
	keys .
	sees '^recording #1 of 3'
	sees ' traffic '
	keys g
	typed '#7'
	keys Enter
	sees '#7: the record has #0 to #3'
	keys C-u
	typed '-0'
	keys Enter
	sees '^recording #3 of 3'
	keys ,
	sees '^recording #2 of 3'
	keys k
	sees 'this is a recording: its processes are not those of this machine'
	keys q
	sees 'STATUS=0'
}

# Colours where they may be; else attributes, or plain ASCII. Where nothing works it says what does.
test_terminals()
{
	local colors=$'\e\\[[0-9;]*(3[0-7]|4[0-7])m'
	top 80 24
	t capture-pane -e -p -t top | grep -qE "$colors" || fail "no colours"
	keys q
	sees 'STATUS=0'
	t kill-server
	terminal 80 24 'NO_COLOR=1 ibtop'
	sees 'F1 *Help'
	t capture-pane -e -p -t top | grep -qE "$colors" && fail "colours in spite of NO_COLOR"
	t kill-server
	terminal 80 24 'TERM=vt100 LC_ALL=C ibtop -v port'
	sees 'F1 *Help'
	screen | LC_ALL=C grep -q '[^ -~]' && fail "not ASCII: $(screen)"
	# F5 as this terminal does not send it is no key at all
	keys F5
	keys t
	sees '\|-port 1|`-port'
	keys q
	sees 'STATUS=0'
	t kill-server
	terminal 80 24 'TERM=dumb ibtop'
	sees '^ibtop: TERM=dumb: this terminal is unknown, or cannot move its cursor'
	sees 'STATUS=1'
	t kill-server
	terminal 80 24 'TERM=nosuch ibtop'
	sees '^ibtop: TERM=nosuch: this terminal'
	sees 'STATUS=1'
}

# The unit tests open everything under ASan; here it is the whole program, with the terminal.
LIMIT_test_no_leak=240
test_no_leak()
{
	start_traffic
	terminal 100 30 "valgrind --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9 --log-file=valgrind.log ibtop -v qp -d 0.5"
	wait_for 120 shown 'F1 *Help'
	local key
	for key in E 5 4; do
		keys "$key" Enter
		sees 'Esc leaves|nothing there'
		keys Escape
	done
	for key in 'F1=^ Keys' 'F2=─ Setup' 'C=─ Columns' 'F6=─ Sort by' 'v=─ View' 'm=^ Messages' 'F3=^Search:' 'F4=^Filter:' 'F7=^Run:'; do
		keys "${key%%=*}"
		sees "${key#*=}"
		keys Escape
	done
	keys Escape q
	wait_for 60 shown 'STATUS=' || screen
	shown 'STATUS=0' || {
		cat valgrind.log
		screen
		fail "valgrind found something"
	}
	grep -q 'ERROR SUMMARY: 0 errors' valgrind.log || fail "$(cat valgrind.log)"
}
