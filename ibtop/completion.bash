# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completes ibtop's options. The candidates come from ibtop itself.

_ibtop_views()
{
	ibtop --help views | awk '{ print $2 }'
}

_ibtop_columns()
{
	# columns of the view that the line already names
	local i view=process
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -v || ${COMP_WORDS[i]} == --view ]] && view=${COMP_WORDS[i + 1]}
		[[ ${COMP_WORDS[i]} == -t || ${COMP_WORDS[i]} == --tree ]] && view=tree
	done
	ibtop --help columns "${view%%,*}" 2>/dev/null | awk '/^ [ *] / { print $(NF > 0 && $1 == "*" ? 2 : 1) }'
}

_ibtop()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} head
	COMPREPLY=()
	case $before in
	-v | --view)
		mapfile -t COMPREPLY < <(compgen -W "$(_ibtop_views) all" -- "$word")
		return ;;
	-s | --sort)
		head=${word%%[a-z_]*}
		mapfile -t COMPREPLY < <(compgen -P "$head" -W "$(_ibtop_columns)" -- "${word#"$head"}")
		return ;;
	-c | --columns)
		# the last word of a list
		head=
		[[ $word == *,* ]] && head=${word%,*},
		word=${word##*,}
		[[ $word == [+-]* ]] && head=$head${word:0:1} && word=${word:1}
		mapfile -t COMPREPLY < <(compgen -P "$head" -W "$(_ibtop_columns) all" -- "$word")
		return ;;
	-D | --device)
		mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/infiniband 2>/dev/null)" -- "$word")
		return ;;
	-p | --pid)
		mapfile -t COMPREPLY < <(compgen -W "$(ibtop -b -n 1 --csv -v process -c pid 2>/dev/null | sed -n 's/.*,//;2,$p')" -- "$word")
		return ;;
	-w | --record | -r | --replay | --config)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return ;;
	--debugfs | --sysfs)
		mapfile -t COMPREPLY < <(compgen -d -- "$word")
		return ;;
	-n | --iterations | -d | --delay | -f | --filter | -S | --search | --seek | --theme)
		return ;;
	--help | -h)
		mapfile -t COMPREPLY < <(compgen -W "views columns status" -- "$word")
		return ;;
	columns)
		mapfile -t COMPREPLY < <(compgen -W "$(_ibtop_views)" -- "$word")
		return ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$(ibtop --help | sed -n 's/^  \(-., \)\{0,1\} *\(--[a-z-]*\).*/\2/p')" -- "$word")
}

complete -F _ibtop ibtop
