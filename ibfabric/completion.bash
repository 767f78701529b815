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
	ibfabric save 2>/dev/null | awk '$1 == "cable" { print $2; if ($3 !~ /=/) print $3 }'
}

# the namespace that the line names, as ip(8) takes it: nothing without netns=, or if it is no name
_ibfabric_netns()
{
	local word
	for word in "${words[@]}"; do
		[[ $word != netns=* || $word == */* || $word == netns= ]] || printf -- '-n %s' "${word#netns=}"
	done
}

# _ibfabric_keys WORD: what may follow the first port of a cable
_ibfabric_keys()
{
	local name
	case $1 in
	netns=*)
		for name in /run/netns/*; do
			[[ ! -e $name ]] || echo "netns=${name##*/}"
		done ;;
	netdev=*)
		# shellcheck disable=SC2046 # no namespace, or two words
		ip $(_ibfabric_netns) -o link show 2>/dev/null | sed -nE '/LOOPBACK/d; s/^[0-9]+: ([^:@]+).*/netdev=\1/p' ;;
	width=*) printf 'width=%s\n' 1 2 4 8 12 ;;
	speed=*) printf 'speed=%s\n' sdr ddr qdr fdr edr hdr ndr ;;
	mtu=*) printf 'mtu=%s\n' 256 512 1024 2048 4096 ;;
	*) printf '%s\n' netdev= netns= silence= vcrc=yes width= speed= mtu= pulled=yes ;;
	esac
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
		show) candidates=$(_ibfabric_nodes) ;;
		cut | plug | trace | remove) candidates="$(_ibfabric_nodes) $(_ibfabric_ports)" ;;
		add)
			((cword == 2)) && candidates="hca ca switch cable uncable" || candidates=$(_ibfabric_nodes)
			if [[ ${words[2]} == cable ]] && ((cword > 3)); then
				candidates="$candidates $(_ibfabric_keys "$cur")"
				[[ $cur == *=* ]] || compopt -o nospace
			fi ;;
		help) candidates="load make show save cut plug add remove clear trace" ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$cur")
	# bash takes the key for a word of its own
	[[ $cur != *=* || $COMP_WORDBREAKS != *=* ]] || COMPREPLY=("${COMPREPLY[@]#"${cur%%=*}="}")
	if declare -F _comp_ltrim_colon_completions >/dev/null; then
		_comp_ltrim_colon_completions "$cur"
	elif declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$cur"
	fi
}

complete -F _ibfabric ibfabric
