# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Parts of tests/run, which sources this: the kernels of Debian, and versions of rdma-core, that Glass is compiled for.
# make check-matrix runs them, with the core suites on each kernel.

# The kernels (vm/vm --kernel).
MATRIX='oldstable stable backports'

# build_for KERNEL TARGET...: a test that a fresh build of these targets for a kernel has no warning. Leaves the results of the probes in build/have.
build_for()
{
	local kernel=$1 log=build/matrix/log
	shift
	rm -rf build/matrix
	mkdir -p build/matrix build/have
	echo "compiling for the kernel $kernel ..."
	if ! vm/vm make --kernel "$kernel" K=build/matrix KDEST=build/matrix/dest -s "$@" >"$log" 2>&1 </dev/null; then
		result fail matrix "build-$kernel" 0 "it does not compile"
		tail -n 40 "$log" | sed 's/^/      /'
	elif grep -i warning "$log" | sed 's/^/      /' | grep .; then
		result fail matrix "build-$kernel" 0 "warnings"
	else
		result pass matrix "build-$kernel"
	fi
	[[ ! -e build/matrix/module/compat/have.h ]] || cp build/matrix/module/compat/have.h "build/have/$kernel"
}

# The module alone, for the newest of these kernels: it comes without asking.
run_matrix_newest()
{
	build_for "${MATRIX##* }" module
}

# A test for each kernel, that a fresh build has no warning, and one of the results of all probes.
run_matrix_builds()
{
	local kernel probe before
	rm -rf build/have
	for kernel in $MATRIX; do
		wanted "$kernel" || continue
		build_for "$kernel" module programs
	done
	# A probe that finds nothing on any of them is wrong.
	[[ -z $PATTERN ]] || return 0
	before=$FAILED
	for probe in driver/compat/probes/*.c; do
		probe=${probe##*/} probe=${probe%.c}
		grep -qi "^#define GLASS_HAVE_$probe 1" build/have/* || result fail matrix "probe-$probe" 0 "no kernel has it"
		grep -rqi --include='*.[ch]' "def.*GLASS_HAVE_$probe\b" driver || result fail matrix "probe-$probe" 0 "no source asks for it"
	done
	((FAILED > before)) || result pass matrix probes
}

# The provider for the rdma-core of other releases, on the newest kernel.
run_matrix_rdma_core()
{
	local suite log=build/rdma-core-log
	mkdir -p build
	for suite in bookworm forky; do
		wanted "rdma-core-$suite" || continue
		echo "compiling the provider for the rdma-core of $suite ..."
		if ! vm/vm make --rdma-core "$suite" >"$log" 2>&1 </dev/null; then
			if grep -q "^no mirror of this machine's apt has the source" "$log"; then
				result skip matrix "rdma-core-$suite" 0 "no mirror has its source"
			else
				result fail matrix "rdma-core-$suite" 0 "it does not compile"
				tail -n 40 "$log" | sed 's/^/      /'
			fi
		elif grep -E 'warning:|error:' "$log" | sed 's/^/      /' | grep .; then
			result fail matrix "rdma-core-$suite" 0 "warnings"
		elif vm/vm run --kernel backports --opensm -- tests/matrix/rdma-core "$suite" >"$log" 2>&1 </dev/null; then
			result pass matrix "rdma-core-$suite"
		else
			result fail matrix "rdma-core-$suite"
			tail -n 20 "$log" | sed 's/^/      /'
		fi
	done
}
