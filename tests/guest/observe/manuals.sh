# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# takes 15
# Manual pages in the guest: man shows them, and apropos finds them.

export MANPAGER=cat MANWIDTH=100 LANG=C.UTF-8

# page SECTION NAME: what man shows; it must have nothing to complain about.
page()
{
	man --warnings=all "$1" "$2" 2>err
	[[ ! -s err ]] || fail "man $1 $2: $(<err)"
}

test_ibtop()
{
	man ibtop >out
	assert_match "$(<out)" 'ibtop - show every RDMA object of this machine, live'
	assert_match "$(<out)" 'SEE ALSO'
	assert_match "$(page 8 ibtop)" 'SYNOPSIS'
}

# glass(7) is where to begin: it names each tool, and each page that it names is there.
test_glass()
{
	local tool
	page 7 glass >out
	for tool in /usr/local/share/man/man8/*.8; do
		tool=$(basename "$tool" .8)
		assert_match "$(<out)" "$tool\\(8\\)"
		[[ -x /usr/local/bin/$tool ]] || fail "a page for $tool, which is not there"
		page 8 "$tool" >"$tool.text"
		assert_match "$(<"$tool.text")" 'glass\(7\)'
	done
	for tool in rdma opensm; do
		man -w 8 "$tool" >/dev/null || fail "glass(7) names $tool(8), which is not there"
	done
	man -w 1 ibv_devinfo >/dev/null || fail "glass(7) names ibv_devinfo(1), which is not there"
	man -w 3 ibv_post_send >/dev/null || fail "no page of a verb"
}

# The index is made when the tree is built.
test_apropos()
{
	local tool
	apropos rdma >out
	assert_match "$(<out)" 'glass \(7\)'
	for tool in /usr/local/share/man/man8/*.8; do
		assert_match "$(<out)" "$(basename "$tool" .8) \\(8\\)"
	done
	assert_match "$(<out)" 'rdma \(8\)'
	assert_match "$(whatis wrlat)" 'wrlat \(8\) +- show how long each stage of an RDMA work request takes'
}
