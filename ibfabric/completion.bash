# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completes ibfabric's commands, options, nodes and ports. The candidates come from ibfabric itself.

_ibfabric_options()
{
	ibfabric "$1" --help 2>/dev/null | grep -oE -- '^ +(-[^-], *)?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+'
}

_ibfabric_nodes()
{
	ibfabric save 2>/dev/null | awk '$1 == "hca" || $1 == "ca" || $1 == "switch" { print $2 }'
}

# ports with a cable
_ibfabric_ports()
{
	ibfabric save 2>/dev/null | awk '$1 == "cable" { print $2; print $3 }'
}

_ibfabric()
{
	local cur prev words cword command candidates=
	COMPREPLY=()
	# a port has a colon in it
	if declare -F _comp_get_words >/dev/null; then
		_comp_get_words -n := cur prev words cword
	elif declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n := cur prev words cword
	else
		cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} cword=$COMP_CWORD words=("${COMP_WORDS[@]}")
	fi
	command=${words[1]:-}
	if ((cword == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "load make show save cut plug add remove clear trace help --help --version" -- "$cur")
		return
	fi
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ibfabric_options "$command")" -- "$cur")
		return
	fi
	case $prev in
	--speed) candidates="sdr ddr qdr fdr edr hdr ndr" ;;
	--width) candidates="1 2 4 8 12" ;;
	-f | --file)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	esac
	if [[ -z $candidates ]]; then
		case $command in
		load | save)
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			return ;;
		make) ((cword == 2)) && candidates="star fat-tree torus dual-rail" ;;
		show | remove) candidates=$(_ibfabric_nodes) ;;
		cut | plug | trace) candidates="$(_ibfabric_nodes) $(_ibfabric_ports)" ;;
		add) ((cword == 2)) && candidates="hca ca switch cable" || candidates=$(_ibfabric_nodes) ;;
		help) candidates="load make show save cut plug add remove clear trace" ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$cur")
	if declare -F _comp_ltrim_colon_completions >/dev/null; then
		_comp_ltrim_colon_completions "$cur"
	elif declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -F _ibfabric ibfabric
