# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completes ibwhy's options, the failures that the driver keeps, and the command that it runs.

# The ids and objects of the list of failures
_ibwhy_failures()
{
	ibwhy 2>/dev/null | awk 'NR > 1 && $1 ~ /^[0-9]+$/ { print $1; print $4 ~ /:/ ? $4 : $3 }'
}

_ibwhy()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
	COMPREPLY=()
	# --option=value is three words here
	if [[ $word == = ]]; then
		word=
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -- ]] || continue
		_ibwhy_command $((i + 1))
		return
	done
	case $before in
	-p | --pid)
		mapfile -t COMPREPLY < <(compgen -W "$(ps -e -o pid= 2>/dev/null)" -- "$word")
		return ;;
	--file | --peer | --save | --svg | --mermaid | --html | --perfetto)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(ibwhy --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p')" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -W "$(_ibwhy_failures)" -- "$word")
	fi
}

# The words from the N-th on are a command of their own, which may have a completion of its own.
_ibwhy_command()
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

complete -F _ibwhy ibwhy
