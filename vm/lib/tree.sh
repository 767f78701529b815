# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Compile the working tree in the Debian root. The rules are in vm/tree.mk.

# tree_make TARGET...
tree_make()
{
	prepare_root
	prepare_kernel
	with_lock "$BUILD/.lock" "building this tree" _tree_make "$@"
}

_tree_make()
{
	local -a flags=(--no-print-directory -j"$(nproc)") binds=()
	[[ -n ${V:-} ]] && flags+=("V=$V")
	! is_foreign || flags+=("FOREIGN=$OPT_ARCH" "TRIPLET=$ARCH_TRIPLET")
	if [[ -n $KERNEL ]]; then
		binds=("$KERNEL:$KERNEL_AT")
		flags+=("KROOT=$KERNEL_AT" "KVER=$KVER")
	fi
	(cd "$TREE" && chroot_run "${binds[@]}" -- make -f vm/tree.mk "${flags[@]}" "$@")
}

# rdmacore_make: the provider for the rdma-core of $OPT_RDMACORE, and what runs with it.
rdmacore_make()
{
	prepare_root
	prepare_rdmacore
	with_lock "$BUILD/.lock" "building this tree" _rdmacore_make
}

_rdmacore_make()
{
	local dir=build/rdma-core-$OPT_RDMACORE
	(cd "$TREE" && chroot_run "$RDMACORE:$RDMACORE_AT" -- sh -c 'exec make -f vm/tree.mk --no-print-directory "TARBALL=$(echo "$1"/rdma-core_*.orig.tar.*)" \
		"RDMA=$2" "DEST=$2/dest" provider rdma-programs' sh "$RDMACORE_AT" "$dir")
}

# Bring build/dest up to date, quickly when nothing has changed: a listing of the sources with sizes and times is
# kept beside the last good build.
tree_up_to_date()
{
	[[ -d $TREE/driver && -d $TREE/provider ]] ||
		die "$ST_BUILD" "this tree has no driver/ or no provider/ yet, so there is no Glass to load (--no-glass boots without)"
	with_lock "$BUILD/.lock" "building this tree" _tree_up_to_date || exit "$ST_BUILD"
}

_tree_up_to_date()
{
	local stamp=$BUILD/.stamp${KERNEL:+-$KVER} listing first='' start=$SECONDS
	listing=$(echo "$ROOT_KEY $KERNEL_KEY"; cd "$TREE" && find driver provider lib ibcap ibfabric ibinject iblint ibtop ibwhy bpf docs/pitfalls tracepoints tests/programs tests/modules tests/pitfalls bench vm/tree.mk -type f -printf '%p %s %T@\n' 2>/dev/null | sort)
	[[ -d $BUILD$ARCH_DIR/dest && -f $stamp && $listing == "$(<"$stamp")" ]] && return 0
	rm -f "$stamp"
	[[ -d $BUILD$ARCH_DIR/dest ]] || first=" (the first time: some minutes; \"tail -f $BUILD/log\" shows how far it is)"
	msg "building this tree$first ..."
	_tree_make -s all >"$BUILD/log" 2>&1 || {
		grep -E -i -m 40 'error|warning:|undefined|No rule|\*\*\*' "$BUILD/log" >&2
		msg "error: the tree does not build; all output is in $BUILD/log, or run: $VM_NAME make"
		return 1
	}
	printf '%s\n' "$listing" >"$stamp"
	[[ -z $first ]] || msg "  done in $((SECONDS - start)) s"
}
