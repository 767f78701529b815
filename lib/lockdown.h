/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the kernel locked down (kernel_lockdown(7)), and is that why it refused a file? Lockdown
 * refuses each open of debugfs for writing, by EPERM; at level confidentiality, tracefs and BPF
 * programs that read kernel memory, too. docs/lockdown.md
 */
#ifndef GLASS_LIB_LOCKDOWN_H
#define GLASS_LIB_LOCKDOWN_H

enum lockdown {
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
	LOCKDOWN_UNKNOWN, /* securityfs is not mounted, or the kernel has no lockdown */
};

/* The remedy: for messages about things other than files */
#define LOCKDOWN_ADVICE                                                                            \
	"use the guest of vm/vm, or boot with Secure Boot off and without lockdown= "              \
	"(docs/lockdown.md)"

/* The file that has the level: /sys/kernel/security/lockdown. Tests use another one. */
extern const char *lockdown_path;

enum lockdown lockdown_level(void);

/* "integrity"; "unknown" */
const char *lockdown_word(enum lockdown level);

/*
 * Returns a sentence about a debugfs file that could not be opened because the kernel is, or may
 * be, locked down: the file, the reason, the remedy. err: of open(). Returns NULL if lockdown is
 * not the reason. The caller frees it.
 */
char *lockdown_refusal(const char *path, int err);

#endif
