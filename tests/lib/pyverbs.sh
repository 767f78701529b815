# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# rdma-core's own tests: what they need, and where they are. For suites, beside suite.sh.

# shellcheck source=tests/lib/ipoib.sh
. "$TESTS/lib/ipoib.sh"

PYVERBS=$TESTS/pyverbs

pyverbs_up()
{
	fresh_glass
	start_opensm
	# both ends of a connection are on one port
	local here
	here=$(ipoib_of glass0/1)
	[[ -n $here ]] || fail "no IPoIB interface for glass0/1"
	echo "$here" >"$STATE/ipoib"
	ip addr add $HERE/24 dev "$here"
	ip link set "$here" up
	wait_for 30 ping -c 1 -W 1 -I "$here" $HERE
	# some tests want huge pages: 2 MiB each
	echo 16 >/proc/sys/vm/nr_hugepages
	(($(</proc/sys/vm/nr_hugepages) == 16)) || fail "no room for huge pages"
}

pyverbs_down()
{
	local here
	echo 0 >/proc/sys/vm/nr_hugepages
	here=$(<"$STATE/ipoib")
	ip addr flush dev "$here"
	ip link set "$here" down
	stop_opensm
}

# The tests, without those of single vendors; files that others import stay.
copy_tests()
{
	mkdir tests
	cp /usr/share/doc/rdma-core/tests/* tests
	gunzip tests/*.gz
	rm -f tests/test_mlx5* tests/test_efa* tests/test_irdma* tests/test_mana* tests/test_cuda*
}

# judge RESULTS [some] [SKIPS]: what each line of results means, with the list of skips: lines for the harness. With "some", a part of
# the tests was run: those of the list that did not run are no failures.
judge()
{
	local skips=${3:-$PYVERBS/skips.tsv} more=/dev/null
	[[ $(printf '6.2\n%s\n' "$(uname -r)" | sort -V | head -n 1) == 6.2 ]] || more=$PYVERBS/skips-old-kernel.tsv
	awk -F '\t' -v some="${2:-}" -v skips="${skips##*/}" '
		FILENAME != ARGV[ARGC - 1] { if (!/^#/ && NF) { allowed[$1] = $2; must[$1] = FILENAME == ARGV[1] }; next }
		{ split($0, f, " "); name = f[2] }
		f[1] == "begin" { begun[name] = 1; next }
		{ delete begun[name]; seen[name] = 1; reason = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ ?/, "", reason) }
		f[1] == "skip" && name in allowed { print "skip", name, f[3], allowed[name]; next }
		f[1] == "skip" { print "fail", name, f[3], "is not in " skips ", but skipped: " reason; next }
		name in allowed && f[1] == "pass" { print "fail", name, f[3], "is in " skips ", but ran"; next }
		f[1] == "pass" { print "pass", name, f[3]; next }
		{ print "fail", name, f[3], f[1] ": " reason }
		END {
			for (name in begun) print "fail", name, 0, "crashed"
			for (name in allowed) if (some == "" && must[name] && !(name in seen) && !(name in begun))
				print "fail", name, 0, "is in " skips ", but no such test ran"
		}' "$skips" "$more" "$1"
}
