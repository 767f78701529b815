# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest as one file: `vm/vm image` makes it, `vm/vm --image FILE run` uses it, and so does the file itself (vm/image/head.sh).
#
# The file begins with a script, its head. Behind it are three parts, or four, each at a multiple of 4096 bytes:
#   runtime   tar.gz: QEMU, kernel, initramfs and the scripts of vm/, which the head unpacks into the user's cache
#   base      squashfs: the Debian root, less what vm/image/without names; the same for all trees
#   kernel    squashfs, for another kernel than the root's own: its modules, and what modules are built against
#   glass     squashfs: module, provider and tools of this tree, which lie above base in the guest
# In the cache's copy of the runtime, tree/ is all that there is of a tree, and this file's functions find the rest beside it. The file
# tree/vm/of-image says so.

IMAGE_MODULES=(virtio_pci virtio_console virtio_blk squashfs overlay 9p 9pnet_virtio)
IMAGE_HEAD=16384	# bytes of the head
IMAGE_ALIGN=4096
# What the guest's start-up mounts, the uppermost first.
IMAGE_DISKS=''
# The runtime that this script belongs to; empty in a checkout.
IMAGE_HOME=''
[[ ! -e $VM/of-image ]] || IMAGE_HOME=${TREE%/*}

# image_is_used: is the guest one that comes in a file?
image_is_used()
{
	[[ -n $IMAGE_HOME ]]
}

# ---- making

build_base()
{
	local dir=$1 status=0
	GLASS_CHROOT_CHANGES=$(mktemp -d "${TMPDIR:-/tmp}/glass-base.XXXXXX") || return
	GLASS_CHROOT_TREE=$VM/image chroot_run "$dir:/out" -- bash /glass/make-base.sh "$(stat -c %Y "$ROOT/kver")" || status=$?
	rmdir "$GLASS_CHROOT_CHANGES"
	unset GLASS_CHROOT_CHANGES
	return "$status"
}

# qemu_into DIR: what QEMU needs to run a guest, with the licences of all that QEMU comes with
qemu_into()
{
	local root=$QEMU_AT/root to=$1/root libs=usr/lib/x86_64-linux-gnu file
	mkdir -p "$to/usr/bin" "$to/$libs" "$to/usr/share/qemu" "$to/usr/share/seabios" || return
	cp "$root/usr/bin/qemu-system-x86_64" "$to/usr/bin/" &&
		cp -L "$root/$libs/ld-linux-x86-64.so.2" "$root/$libs/libgcc_s.so.1" "$to/$libs/" &&
		cp "$root"/usr/share/qemu/{pvh,linuxboot,linuxboot_dma,multiboot,multiboot_dma,kvmvapic}.bin "$to/usr/share/qemu/" &&
		cp "$root/usr/share/seabios/bios-256k.bin" "$to/usr/share/seabios/" &&
		cp -r "$root/usr/share/doc" "$to/usr/share/" || return
	while read -r file; do
		cp -L "$file" "$to/$libs/" || return
	done < <("$root/$libs/ld-linux-x86-64.so.2" --library-path "$root/$libs" --list "$root/usr/bin/qemu-system-x86_64" |
		sed -n 's|^.* => \(/[^ ]*\) .*|\1|p')
}

# kernel_into DIR: the part kernel, unpacked. Its build directory names files by the place in which it is mounted to build modules.
kernel_into()
{
	local dir=$1 name
	mkdir -p "$dir/usr/lib" "$dir$KERNEL_AT" && cp -a "$KERNEL/lib/modules" "$dir/usr/lib/" || return
	for name in build common kbuild; do
		[[ ! -e $KERNEL/$name ]] || cp -a "$KERNEL/$name" "$dir$KERNEL_AT/" || return
	done
	ln -sfn "$KERNEL_AT/build" "$dir/usr/lib/modules/$KVER/build"
}

# runtime_into DIR: the part runtime, unpacked; of the part kernel, if there is one, beside it in kernel/
runtime_into()
{
	local dir=$1 kernel=${1%/*}/kernel
	mkdir -p "$dir/tree/vm/lib" "$dir/tree/driver/uapi" "$dir/tree/ci" "$dir/boot" &&
		: >"$dir/tree/vm/of-image" &&
		cp "$TREE/ci/glass-run" "$dir/tree/ci/" &&
		cp "$VM/vm" "$VM/version" "$dir/tree/vm/" &&
		cp "$VM"/lib/*.sh "$VM"/lib/*.awk "$dir/tree/vm/lib/" &&
		cp "$TREE/driver/uapi/glass-version.h" "$dir/tree/driver/uapi/" &&
		cp "$BOOT"/{vmlinux,initramfs,tsc-khz} "$dir/boot/" &&
		{
			cat "$BASE/dirs"
			[[ -z $KERNEL ]] || (cd "$kernel" && find . -mindepth 1 -type d ! -empty -printf '/%P\n')
		} | LC_ALL=C sort -u >"$dir/dirs" &&
		cp "$BASE/status" "$dir/" &&
		cp "$ROOT/root/etc/apt/sources.list" "$dir/" &&
		cp -L "$(ls "$ROOT"/root/usr/share/keyrings/debian-archive-keyring.{pgp,gpg} 2>/dev/null | head -n 1)" "$dir/keyring" &&
		echo "$KVER" >"$dir/kver" &&
		qemu_into "$dir/qemu"
}

# _image_make DIR OUT: OUT is where the file comes to lie; empty for DIR and a name that tells its content.
_image_make()
{
	local dir=$1 out=$2 epoch version name size sum id at=$IMAGE_HEAD parts='' file
	epoch=${SOURCE_DATE_EPOCH:-$(tree_epoch)} version=$("$VM/version")
	[[ $epoch =~ ^[0-9]+$ ]] || die "$ST_USAGE" "SOURCE_DATE_EPOCH=$epoch: expected seconds since 1970"
	rm -rf "$dir"/{dest,runtime,kernel} "$dir"/{dest,kernel,file}.new
	mkdir -p "$dir/runtime"

	# Not the tree's test programs, of which some have names that programs of users may have, too.
	_tree_make -s DEST=build/guest/dest KDEST=build/guest/dest module products modindex >"$dir/log" 2>&1 || {
		tail -n 40 "$dir/log" >&2
		die "$ST_BUILD" "the tree does not build; all output is in $dir/log"
	}
	install -D -m 644 "$VM/guest/bashrc" "$dir/dest/glass/vm/guest/bashrc"
	install -D -m 755 "$VM/image/add-packages.sh" "$dir/dest/glass/vm/image/add-packages.sh"
	install -D -m 755 "$TREE/ci/in-guest" "$dir/dest/glass/ci/in-guest"
	[[ -z $KERNEL ]] || { kernel_into "$dir/kernel" && squash kernel 15; } || return
	squash dest 19 &&
		runtime_into "$dir/runtime" &&
		tar -C "$dir/runtime" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go=rX -cf - . |
		gzip -9n >"$dir/runtime.tar.gz" || return

	for name in runtime base ${KERNEL:+kernel} glass; do
		case $name in
		runtime) file=$dir/runtime.tar.gz ;;
		base) file=$BASE/base.squashfs ;;
		kernel) file=$dir/kernel.new ;;
		glass) file=$dir/dest.new ;;
		esac
		size=$(stat -c %s "$file")
		sum=$(sha256sum <"$file" | cut -d' ' -f1)
		parts+=${parts:+$'\n'}"$name $at $size $sum"
		{
			cat "$file"
			head -c $(((IMAGE_ALIGN - size % IMAGE_ALIGN) % IMAGE_ALIGN)) /dev/zero
		} >>"$dir/file.new" || return
		at=$((at + (size + IMAGE_ALIGN - 1) / IMAGE_ALIGN * IMAGE_ALIGN))
	done
	# The head's checksum, with zeros in the place where it comes to stand.
	image_head "$(printf %032d 0)" "$version" "$at" "$parts" >"$dir/head" || return
	id=$(sha256sum <"$dir/head" | cut -c1-32)
	: "${out:=$dir/glass-guest-$version-${id:0:16}.img}"
	# Whole, or not at all: the file may be used meanwhile.
	IMAGE_NEW=$out.new.$$
	trap 'rm -f -- "$IMAGE_NEW"' EXIT
	{
		image_head "$id" "$version" "$at" "$parts" &&
			cat "$dir/file.new"
	} >"$IMAGE_NEW" && chmod 755 "$IMAGE_NEW" && mv -- "$IMAGE_NEW" "$out" || {
		msg "cannot write $out; is there room?"
		return 1
	}
	trap - EXIT
	rm -rf "$dir"/{dest,runtime,kernel} "$dir"/{dest,kernel,file}.new "$dir/head" "$dir/runtime.tar.gz"
	REPLY=$out
}

# squash NAME LEVEL: build/guest/NAME as NAME.new beside it, with the times of the image. For _image_make.
squash()
{
	chroot_run -- mksquashfs "build/guest/$1" "build/guest/$1.new" -noappend -no-progress -quiet -all-root \
		-all-time "$epoch" -mkfs-time "$epoch" -comp zstd -Xcompression-level "$2" -b 256K >>"$dir/log" 2>&1
}

# image_head ID VERSION TOTAL PARTS: prints the head, with line ends up to its size
image_head()
{
	local text LC_ALL=C
	text=$(<"$VM/image/head.sh")
	text=${text//@ID@/$1} text=${text//@VERSION@/$2} text=${text//@TOTAL@/$3} text=${text//@PARTS@/$4}
	text=${text//@HEAD@/$IMAGE_HEAD}
	((${#text} < IMAGE_HEAD)) || die "$ST_BUILD" "the head of the image has ${#text} bytes, $IMAGE_HEAD are the limit"
	printf '%s' "$text"
	printf '%*s' $((IMAGE_HEAD - ${#text})) '' | tr ' ' '\n'
}

# image_make [FILE]: makes the file
image_make()
{
	local key out=${1:-} size
	local -a GUEST_MODULES=("${IMAGE_MODULES[@]}")
	if [[ -n $out ]]; then
		[[ ! -e $out || -f $out ]] && [[ -d $(dirname -- "$out") && -w $(dirname -- "$out") ]] || die "$ST_USAGE" "-o $out: cannot make that file"
		out=$(cd "$(dirname -- "$out")" && pwd -P)/$(basename -- "$out")
	fi
	prepare_root
	[[ -d $TREE/driver && -d $TREE/provider ]] || die "$ST_BUILD" "this tree has no driver/ or no provider/, so there is no Glass to put into an image"
	prepare_kernel
	prepare_own_qemu "for the image"
	prepare_boot
	key=$({ echo "$ROOT_KEY"; cat "$VM/image/without" "$VM/image/make-base.sh"; } | sha256sum | cut -c1-16)
	cache_entry base "$key" build_base "making the read-only root of the image (about 10 minutes of processor time, once)"
	BASE=$REPLY
	mkdir -p "$BUILD/guest"
	msg "making the image ..."
	with_lock "$BUILD/.lock" "building this tree" _image_make "$BUILD/guest" "$out" || die "$ST_BUILD" "the image was not made; see $BUILD/guest/log"
	size=$(stat -c %s "$REPLY")
	msg "  done: $((size / 1000000)) MB"
	printf '%s\n' "$REPLY"
}

# ---- using

# image_enter FILE ARG...: from a checkout; the file has scripts of its own, which fit what is in it.
image_enter()
{
	local file=$1 line size total
	shift
	[[ -f $file && -r $file ]] || die "$ST_USAGE" "--image $file: no such file, or not readable"
	{ IFS= read -r line && IFS= read -r line && IFS= read -r line; } 2>/dev/null < <(head -c 1024 -- "$file" | tr -d '\0')
	[[ $line == '# Glass '*'and the guest in which it runs, as one file'* ]] ||
		die "$ST_USAGE" "--image $file: not a guest that \`make guest-image\` made"
	# A head that is cut off is no script.
	total=$(head -c "$IMAGE_HEAD" -- "$file" | sed -n '/^HEAD=/{ s/^HEAD=[0-9]* TOTAL=\([0-9]*\)$/\1/p; q }')
	size=$(stat -L -c %s -- "$file")
	[[ -n $total ]] && ((size >= total)) || die "$ST_USAGE" "--image $file: truncated: $size of ${total:-more} bytes are there; get it again"
	export GLASS_VM_NAME="$VM_NAME --image $file"
	exec_as_called bash -- "$file" "$@"
}

# image_disk NAME FILE OFFSET SIZE: one more disk, read-only
image_disk()
{
	# shellcheck disable=SC2054 # the commas are QEMU's
	DISKS+=(-blockdev "driver=raw,node-name=disk-$1,read-only=on,offset=$3,size=$4,file.driver=file,file.filename=$(qemu_quote "$2")"
		-device "virtio-blk-pci,drive=disk-$1,serial=$1")
}

# Options that have no meaning there.
image_options()
{
	[[ $OPT_KERNEL == stable ]] || bad_usage "--kernel $OPT_KERNEL: the image has one kernel, $(<"$IMAGE_HOME/kver"); others need a checkout"
	[[ -z $OPT_CLEAN ]] || bad_usage "--clean $OPT_CLEAN: the image has one root; other guests need a checkout"
	((!OPT_COUNTS)) || bad_usage "--counts: the image has no counter of instructions; it needs a checkout"
	((OPT_BUILD)) || bad_usage "--no-build: nothing is built with an image; leave it out"
}

# The directory in which the command begins: it must not hide what the guest needs.
image_work()
{
	WORK=$(pwd -P) && WORK_AT=$WORK
	case $WORK in
	/dev | /dev/* | /proc | /proc/* | /sys | /sys/* | /run | /run/glass* | /tmp | /out | /out/* | /glass | /glass/*) ;;
	*)
		# A list of lines cannot name it.
		[[ $WORK != *$'\n'* ]] || return 0
		[[ $WORK == / ]] || grep -Fxq -- "$WORK" "$IMAGE_HOME/dirs" || return 0
		;;
	esac
	die "$ST_USAGE" "the guest sees the working directory at its place, and $WORK would hide one that the guest needs; call this from another directory"
}

# What prepare_guest sets, for a guest of the image.
prepare_image()
{
	local name _
	KERNEL='' KERNEL_KEY='' KVER=$(<"$IMAGE_HOME/kver") BOOT=$IMAGE_HOME/boot
	_qemu_command "$IMAGE_HOME/qemu"
	"${QEMU[@]}" --version >/dev/null 2>&1 ||
		die "$ST_USAGE" "QEMU does not run from $IMAGE_HOME: $("${QEMU[@]}" --version 2>&1 | tail -n 1) (XDG_CACHE_HOME names another cache)"
	DISKS=() IMAGE_DISKS=''
	# The parts stand in their order, from the bottom.
	while read -r name PART_AT PART_SIZE _; do
		[[ $name != runtime ]] || continue
		image_disk "$name" "$GLASS_IMAGE" "$PART_AT" "$PART_SIZE"
		IMAGE_DISKS=$name${IMAGE_DISKS:+,$IMAGE_DISKS}
	done <"$IMAGE_HOME/parts"
	[[ -z $OPT_WITH ]] || image_with
}

# ---- --with: packages more

# fetch_debs DIR: downloads OPT_WITH, and what that needs beside the image's packages, by this machine's apt.
fetch_debs()
{
	local dir=$1
	mkdir -p "$dir"/{lists,archives,etc}/partial || return
	apt_settings
	[[ $APT_MIRROR != *[\|\&\\]* ]] || APT_MIRROR=''
	# Where Debian is: as this machine's apt has it, if it is a Debian one
	sed "s|^deb |deb [arch=amd64 signed-by=$IMAGE_HOME/keyring] |${APT_MIRROR:+; s|https\\?://[^ ]*|$APT_MIRROR|}" "$IMAGE_HOME/sources.list" >"$dir/etc/sources.list"
	cp "$IMAGE_HOME/status" "$dir/status"
	local -a settings=(-o "Dir::Etc::SourceList=$dir/etc/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::Etc::Preferences=/dev/null"
		-o Dir::Etc::PreferencesParts=/dev/null -o "Dir::State=$dir" -o "Dir::State::status=$dir/status" -o "Dir::State::Lists=$dir/lists"
		-o "Dir::Cache=$dir" -o "Dir::Cache::archives=$dir/archives" -o APT::Architecture=amd64 -o APT::Architectures=amd64
		-o "APT::Sandbox::User=$(id -un 2>/dev/null || echo root)" -o Debug::NoLocking=1 -o APT::Install-Recommends=0
		-o "Dir::Log=$dir" -o DPkg::Post-Invoke::= -o APT::Update::Post-Invoke::= -o APT::Update::Post-Invoke-Success::=)
	# shellcheck disable=SC2086 # several packages
	apt-get -q "${settings[@]}" update && apt-get -q -y "${settings[@]}" --download-only install $OPT_WITH || return
	mkdir "$dir/debs"
	mv "$dir"/archives/*.deb "$dir/debs/" 2>/dev/null || {
		echo "the image has all of it: $OPT_WITH"
		return 0
	}
}

# wait_for_guest PID: a signal to this script alone ends that guest, too.
wait_for_guest()
{
	local status=0
	# shellcheck disable=SC2064 # now
	trap "trap '' INT TERM HUP; kill -TERM $1 2>/dev/null; wait $1; exit 143" INT TERM HUP
	wait "$1" || status=$?
	trap - INT TERM HUP
	return "$status"
}

# The cache entry: layer.squashfs, unless the image has all already.
build_with()
{
	local dir=$1
	fetch_debs "$dir/apt" || return
	if compgen -G "$dir/apt/debs/*.deb" >/dev/null; then
		(
			OPT_GLASS=0 OPT_OPENSM=0 OPT_OUT=$dir/out OPT_TIMEOUT=3600 OPT_HOSTS=1 OPT_ENV=() OPT_RW=0 OPT_APPEND='' OPT_ICOUNT=0
			WORK=$dir/apt/debs WORK_AT=/run/glass/debs
			guest_main run /glass/vm/image/add-packages.sh
		) &
		wait_for_guest $! || return
		mv "$dir/out/layer.squashfs" "$dir/" || return
	fi
	rm -rf "$dir/apt" "$dir/out"
}

# Packages of the list that is OPT_WITH become a disk more.
image_with()
{
	local key
	key=$({ echo "${IMAGE_HOME##*/}"; tr -s ', ' '\n' <<<"$OPT_WITH" | sort -u; } | sha256sum | cut -c1-16)
	if [[ ! -e $CACHE/with-$key/.complete ]]; then
		need apt-get apt
		[[ $CACHE =~ ^[A-Za-z0-9/._~+@%:=,-]+$ ]] ||
			die "$ST_USAGE" "--with: apt's list of sources cannot name the cache, $CACHE; set XDG_CACHE_HOME to a path without blanks"
	fi
	cache_entry with "$key" build_with "adding packages: $OPT_WITH (some minutes, once)"
	[[ -e $REPLY/layer.squashfs ]] || return 0
	image_disk with "$REPLY/layer.squashfs" 0 "$(stat -c %s "$REPLY/layer.squashfs")"
	IMAGE_DISKS=with,$IMAGE_DISKS
}
