# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A program in a terminal: tmux runs it, keys are sent, and the screen is read. Standard error of the program is in the file "err", if
# it puts it there.

t()
{
	tmux -L ibtop -f tmux.conf "$@"
}

# terminal COLS ROWS COMMAND: runs it in a terminal of that size; STATUS=N comes behind it.
terminal()
{
	printf 'set -g status off\nset -sg escape-time 0\nset -g default-terminal tmux-256color\n' >tmux.conf
	LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$PWD/xdg t -u new-session -d -s top -x "$1" -y "$2" \
		"${3}; echo STATUS=\$?; exec cat"
}

screen()
{
	t capture-pane -p -t top
}

shown()
{
	screen | grep -qE -- "$1"
}

hidden()
{
	! screen | grep -qE -- "$1"
}

# sees REGEX: some line of the screen, sooner or later
sees()
{
	wait_for 20 shown "$1" || {
		screen
		[[ ! -s err ]] || cat err
		exit 1
	}
}

sees_not()
{
	wait_for 20 hidden "$1" || {
		screen
		exit 1
	}
}

keys()
{
	t send-keys -t top "$@"
}

typed()
{
	t send-keys -t top -l -- "$1"
}
