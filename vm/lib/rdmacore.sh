# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The rdma-core of another Debian suite: its source, to compile the provider in. A provider uses the private interface of the
# libibverbs that loads it, so each version has a provider of its own.

# In the Debian root the source's cache entry is mounted here.
RDMACORE_AT=/mnt

# Downloads the original source of rdma-core of $OPT_RDMACORE by this machine's apt.
fetch_rdmacore()
{
	local dir=$1 mirror line
	mirror=$(debian_mirror)
	# The root's own apt line says where Debian is, if this machine's apt does not.
	line=$(sed -n 's/^deb //p' "$ROOT/root/etc/apt/sources.list" | head -n 1)
	[[ -n $mirror ]] || mirror=$(awk '{ for (i = 1; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }' <<<"$line")
	mkdir -p "$dir"/apt/{lists,cache/archives}/partial
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $OPT_RDMACORE main" >"$dir/apt/sources.list"
	local -a settings=(-o "Dir::Etc::SourceList=$dir/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt/cache" -o APT::Sandbox::User=root)
	apt-get "${settings[@]}" update || return
	# A mirror can lack the .dsc and still have the original source, which is all that is needed.
	(cd "$dir" && apt-get "${settings[@]}" source --download-only rdma-core) || :
	rm -rf "$dir/apt" "$dir"/*.debian.tar.* "$dir"/*.dsc
	ls "$dir"/rdma-core_*.orig.tar.* || {
		echo "no mirror of this machine's apt has the source of rdma-core of $OPT_RDMACORE"
		return 1
	}
}

# Sets RDMACORE: the path of the cache entry. After prepare_root.
prepare_rdmacore()
{
	need apt-get apt
	cache_entry rdmacore "$OPT_RDMACORE" fetch_rdmacore "fetching the source of rdma-core of Debian $OPT_RDMACORE (once)"
	RDMACORE=$REPLY
}
