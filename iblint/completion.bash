# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completes iblint's options, and the command that it runs. The candidates come from iblint itself.

_iblint_codes()
{
	iblint --list | awk 'NR > 1 { print $1; print $4 }'
}

# _iblint_list WORD CANDIDATE...: completes the last word of a list separated by commas.
_iblint_list()
{
	local word=$1 head=
	shift
	[[ $word == *,* ]] && head=${word%,*},
	mapfile -t COMPREPLY < <(compgen -P "$head" -W "$*" -- "${word##*,}")
}

_iblint()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
	COMPREPLY=()
	# --option=value is three words here
	if [[ $word == = ]]; then
		word=
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	# all words behind the command belong to it
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-p | -D | -c | -o | -x | --pid | --comm | --device | --for | --codes | --mute | --rcfile | --error | --seed | --fail-on | --output | --explain)
			((i += 1))
			[[ ${COMP_WORDS[i]} == = ]] && ((i += 1)) ;;
		=) ((i += 1)) ;;
		--) ((i += 1))
			_iblint_command "$i"
			return ;;
		-*) ;;
		*)
			_iblint_command "$i"
			return ;;
		esac
	done
	case $before in
	-c | --codes)
		_iblint_list "$word" "$(_iblint_codes)" all default
		return ;;
	-x | --explain | --error)
		_iblint_list "$word" "$(_iblint_codes)" all
		return ;;
	--mute)
		_iblint_list "$word" "$(_iblint_codes)" all
		return ;;
	--fail-on)
		_iblint_list "$word" error security leak warning portability speed any never "$(_iblint_codes)"
		return ;;
	--strict)
		_iblint_list "$word" "$(iblint --list=knobs | awk 'NR > 1 && $2 != "lenient:" { print $1 }')"
		return ;;
	--lenient)
		_iblint_list "$word" "$(iblint --list=knobs | awk '$2 == "lenient:" { print $1 }')"
		return ;;
	-D | --device)
		mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/infiniband 2>/dev/null)" -- "$word")
		return ;;
	-p | --pid)
		mapfile -t COMPREPLY < <(compgen -W "$(ps -e -o pid= 2>/dev/null)" -- "$word")
		return ;;
	-l | --list)
		mapfile -t COMPREPLY < <(compgen -W "codes knobs" -- "$word")
		return ;;
	-o | --output | --rcfile | --json | --json-lines | --sarif)
		if [[ $before != --json* && $before != --sarif ]] || [[ ${COMP_WORDS[COMP_CWORD - 1]} == = || ${COMP_WORDS[COMP_CWORD]} == = ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
			return
		fi ;;
	--comm | --for | --seed)
		return ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(iblint --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p')" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$word")
	fi
}

# The words from the N-th on are a command of their own, which may have a completion of its own.
_iblint_command()
{
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
	fi
}

complete -F _iblint iblint
