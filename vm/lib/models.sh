# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# herd7 and the Linux kernel's memory model, for tests/models. trixie has no herd7: it comes from the suite after it, with
# what it needs to run, and without a root file system around it.

MODELS_SUITE=forky
LKMM=(linux-kernel.bell linux-kernel.cat linux-kernel.cfg linux-kernel.def lock.cat)

# Valid-Until: a mirror that stands still has Release files that expired. Signatures are checked all the same.
build_models()
{
	local dir=$1 root source name
	root=$dir/extra
	apt_settings
	mmdebstrap --variant=extract --include=herdtools7,linux-source "${APT_PROXY[@]}" \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		"$MODELS_SUITE" "$root" ${APT_MIRROR:+"$APT_MIRROR"} || return
	mkdir "$dir/lib" "$dir/model" || return
	source=$(echo "$root"/usr/src/linux-source-*.tar.xz)
	name=${source##*/}
	# Each file once: tar does not read on to the end.
	tar -xJf "$source" -C "$dir/model" --strip-components=3 --occurrence=1 "${LKMM[@]/#/${name%.tar.xz}/tools/memory-model/}" || return
	cp "$root/usr/bin/herd7" "$dir/" && cp -r "$root/usr/share/herdtools7/herd" "$dir/stdlib" &&
		cp -L "$root"/usr/lib/*/{ld-linux-x86-64.so.2,libc.so.6,libm.so.6,libgmp.so.10} "$dir/lib/" || return
	rm -rf "$root"
	"$dir/lib/ld-linux-x86-64.so.2" --library-path "$dir/lib" "$dir/herd7" -version
}

# Sets MODELS (path of the cache entry).
prepare_models()
{
	[[ $(uname -m) == x86_64 ]] || die "$ST_USAGE" "herd7 is fetched for x86_64 only, this machine is $(uname -m)"
	host_needs
	need xz xz-utils
	need_root "preparing herd7"
	cache_entry models "$({ echo "$MODELS_SUITE ${LKMM[*]}"; declare -f build_models; } | sha256sum | cut -c1-16)" \
		build_models "fetching herd7 and the kernel's memory model (about 30 s, once)"
	MODELS=$REPLY
}

# herd ARG...: herd7 with that model, at native speed.
herd()
{
	exec "$MODELS/lib/ld-linux-x86-64.so.2" --library-path "$MODELS/lib" "$MODELS/herd7" -set-libdir "$MODELS/stdlib" \
		-I "$MODELS/model" -conf "$MODELS/model/linux-kernel.cfg" "$@"
}
