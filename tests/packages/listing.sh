# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of packages: what is installed.

# Prints all files and directories but those that dpkg, apt, depmod and other programs write at run time, and those of another root
# in /srv. DKMS makes its key of this machine when it compiles its first module, and keeps it.
listing()
{
	find / \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run -o -path /root -o -path /srv -o -path /glass -o -path /cwd -o -path /out \
		-o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/log -o -path /var/cache -o -path '/var/lib/dkms/mok.*' -o -path '/usr/lib/modules/*/modules.*' \
		-o -name ld.so.cache \) -prune -o -print | LC_ALL=C sort
}
