// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/where/jail.h"

#define NOBODY 65534

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#endif

/* ---- limits */

static bool limit(int what, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(what, &now))
		return false;
	if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
		most = now.rlim_max;
	return !setrlimit(what, &(struct rlimit){ most, most });
}

/* Returns the bytes of address space in use, or 0. Sanitizers reserve terabytes. */
static rlim_t memory_used(void)
{
	FILE *from = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!from)
		return 0;
	if (fscanf(from, "%lu", &pages) != 1)
		pages = 0;
	fclose(from);
	return (rlim_t)pages * sysconf(_SC_PAGESIZE);
}

static bool set_limits(void)
{
	return limit(RLIMIT_AS, memory_used() + JAIL_MEMORY) && limit(RLIMIT_CPU, JAIL_SECONDS) &&
	       limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 16) &&
	       limit(RLIMIT_NPROC, 0);
}

/* ---- rights */

static bool become_nobody(void)
{
	if (geteuid())
		return true;
	/* a user name space may have no nobody; what follows suffices there */
	if (setgroups(0, NULL) && errno != EPERM)
		return false;
	if (setresgid(NOBODY, NOBODY, NOBODY) && errno != EINVAL)
		return false;
	return !setresuid(NOBODY, NOBODY, NOBODY) || errno == EINVAL;
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capset, &head, none);
}

/* ---- system calls */

#ifdef THIS_ARCH
#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned int)offsetof(struct seccomp_data, field))
#define ALLOW(call)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static bool filter_calls(void)
{
	static const struct sock_filter allowed[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		/* open files and the socket */
		ALLOW(read),
		ALLOW(pread64),
		ALLOW(lseek),
		ALLOW(fstat),
		ALLOW(newfstatat),
		ALLOW(close),
		ALLOW(sendto),
		ALLOW(recvmsg),
		/* memory */
		ALLOW(mmap),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(mprotect),
		ALLOW(madvise),
		ALLOW(brk),
		ALLOW(futex),
		ALLOW(getrandom),
		/* its own numbers, and its end, also by abort() */
		ALLOW(getpid),
		ALLOW(getuid),
		ALLOW(geteuid),
		ALLOW(getegid),
		ALLOW(gettid),
		ALLOW(tgkill),
		ALLOW(rt_sigprocmask),
		ALLOW(rt_sigaction),
		ALLOW(rt_sigreturn),
		/* sanitizers ask for it before functions that do not return */
		ALLOW(sigaltstack),
		ALLOW(exit),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
	};
	const struct sock_fprog program = {
		.len = sizeof(allowed) / sizeof(*allowed),
		.filter = (struct sock_filter *)allowed,
	};

	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
/* no filter is known for this architecture: without it, rights and limits still hold */
static bool filter_calls(void)
{
	return true;
}
#endif

bool jail_enter(void)
{
	/* the signal of the parent's end is forgotten when the user changes, so it comes after that
	 */
	return set_limits() && become_nobody() && drop_capabilities() &&
	       !prctl(PR_SET_PDEATHSIG, SIGKILL) && !prctl(PR_SET_DUMPABLE, 0) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && filter_calls();
}
