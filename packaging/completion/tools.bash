# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completes the options of a tool that has no completion of its own, from its --help, and adapters and files. It is installed once
# under the name of each such tool.

_glass_tool()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	case $before in
	-D | --device)
		mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/infiniband 2>/dev/null)" -- "$word")
		return ;;
	-p | --pid)
		mapfile -t COMPREPLY < <(compgen -W "$(ps -e -o pid= 2>/dev/null)" -- "$word")
		return ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null | grep -oE -- '^ +(-[^-], *)?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+')" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/infiniband 2>/dev/null)" -- "$word"; compgen -f -- "$word")
	fi
}

complete -F _glass_tool "${BASH_SOURCE[0]##*/}"
