# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The guest as one file in a container image (vm/vm oci): an OCI archive that podman and docker load.

# _oci_make GUEST OUT: sets REPLY to the name that the image has in it
_oci_make()
{
	local guest=$1 out=$2 dir=$BUILD/guest/oci
	OCI_NEW=$out.new.$$
	trap 'rm -rf -- "$OCI_NEW" "$BUILD/guest/oci"' EXIT
	rm -rf "$dir" && mkdir -p "$dir/blobs" &&
		REPLY=$(chroot_run -- vm/image/make-oci "build/guest/${guest##*/}" build/guest/oci/blobs build/guest/oci/out "$("$VM/version")" \
			"${SOURCE_DATE_EPOCH:-$(tree_epoch)}") &&
		mv -- "$dir/out" "$OCI_NEW" && mv -- "$OCI_NEW" "$out" || {
		msg "cannot make $out; is there room?"
		return 1
	}
	rm -rf "$dir"
	trap - EXIT
}

# oci_make [FILE]
oci_make()
{
	local out=${1:-} guest
	if [[ -n $out ]]; then
		[[ ! -e $out || -f $out ]] && [[ -d $(dirname -- "$out") && -w $(dirname -- "$out") ]] || die "$ST_USAGE" "-o $out: cannot make that file"
		out=$(cd "$(dirname -- "$out")" && pwd -P)/$(basename -- "$out")
	fi
	image_make >/dev/null
	guest=$REPLY
	: "${out:=${guest%.img}.oci.tar}"
	msg "making the container image ..."
	with_lock "$BUILD/.lock" "building this tree" _oci_make "$guest" "$out" || die "$ST_BUILD" "the container image was not made"
	msg "  done: $(($(stat -c %s "$out") / 1000000)) MB; podman load -i $out makes it localhost/$REPLY"
	printf '%s\n' "$out"
}
