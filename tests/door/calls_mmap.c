// SPDX-License-Identifier: GPL-2.0-only
/* Mappings of the uverbs device: offsets that the driver told, their neighbours, remaps, forks; and
 * what descriptors can do. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "door.h"
#include "uapi/glass-ioctl.h"

#define CTX                                     \
	{                                       \
		"ctx", K_CONTEXT, 0, 0, 0, 0, 0 \
	}
#define V(n, d)                         \
	{                               \
		n, K_NUM, 0, 0, d, 0, 0 \
	}
#define EN(n, l, d)                      \
	{                                \
		n, K_ENUM, 0, l, d, 0, 0 \
	}
#define FL(n, d)                          \
	{                                 \
		n, K_FLAGS, 0, 0, d, 0, 0 \
	}
#define MAP                                          \
	{                                            \
		"map", K_HANDLE, OBJ_MAP, 0, 0, 0, 0 \
	}

#define PAGE 4096ull
/* No more than this is touched of a mapping. */
#define TOUCH_MAX (64 * PAGE)

static const struct arg a_mmap[] = { CTX,
				     EN("which", 8, 0),
				     V("plus_pages", 0),
				     V("plus_bytes", 0),
				     FL("prot", PROT_READ | PROT_WRITE),
				     FL("flags", MAP_SHARED) };

/* `which`: 0 the control page, then the areas and device memories in the order in which they were
 * told; ~0: absolute */
static long call_mmap(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS;
	uint64_t at = world.control[ctx], len = PAGE;
	struct thing *t;
	void *p;

	if (v[1] == ~0ull) {
		at = len = 0;
	} else if (v[1] && world.noffsets) {
		at = world.offsets[(v[1] - 1) % world.noffsets];
		len = world.lengths[(v[1] - 1) % world.noffsets];
	}
	/* nothing of the program's own may be replaced */
	p = mmap(NULL, len + v[3], v[4],
		 v[5] & ~(uint64_t)(MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN), world.fd[ctx],
		 at + v[2] * PAGE);
	if (p == MAP_FAILED)
		return -errno;
	t = thing_add(OBJ_MAP, ctx, world.nthings[OBJ_MAP]);
	if (!t) {
		munmap(p, len + v[3]);
		return 0;
	}
	t->addr = (uintptr_t)p;
	t->len = (len + v[3] + PAGE - 1) & ~(PAGE - 1);
	return 0;
}

static struct thing *map_of(const uint64_t *v)
{
	return thing_chosen(OBJ_MAP, v[0] % CONTEXTS, v[1]);
}

static const struct arg a_munmap[] = { CTX, MAP, V("from_page", 0), V("pages", 0) };

static long call_munmap(const struct row *row, const uint64_t *v)
{
	struct thing *t = map_of(v);
	uint64_t from, len;

	if (!t)
		return -ENOENT;
	from = v[2] * PAGE % t->len;
	len = v[3] && v[3] * PAGE < t->len - from ? v[3] * PAGE : t->len - from;
	if (!from && len == t->len)
		t->dead = true;
	world.unmapped = true;
	return munmap((void *)(t->addr + from), len) ? -errno : 0;
}

static const struct arg a_mremap[] = {
	CTX, MAP, V("from_page", 0), V("old_pages", 1), V("new_pages", 2), EN("may_move", 2, 1)
};

static long call_mremap(const struct row *row, const uint64_t *v)
{
	struct thing *t = map_of(v), *n;
	uint64_t from, len;
	void *p;

	if (!t)
		return -ENOENT;
	from = v[2] * PAGE % t->len;
	len = v[3] * PAGE <= t->len - from ? v[3] * PAGE : t->len - from;
	world.unmapped = true;
	p = mremap((void *)(t->addr + from), len, v[4] % 1024 * PAGE,
		   v[5] & 1 ? MREMAP_MAYMOVE : 0);
	if (p == MAP_FAILED)
		return -errno;
	n = thing_add(OBJ_MAP, t->context, world.nthings[OBJ_MAP]);
	if (n) {
		n->addr = (uintptr_t)p;
		n->len = v[4] % 1024 * PAGE;
		n->dead = !n->len;
	}
	return 0;
}

static const struct arg a_mprotect[] = { CTX, MAP, FL("prot", PROT_READ | PROT_WRITE) };

static long call_mprotect(const struct row *row, const uint64_t *v)
{
	struct thing *t = map_of(v);

	if (!t)
		return -ENOENT;
	return mprotect((void *)t->addr, t->len, v[2]) ? -errno : 0;
}

static const struct arg a_madvise[] = { CTX, MAP, EN("advice", 26, MADV_DONTFORK) };

static long call_madvise(const struct row *row, const uint64_t *v)
{
	struct thing *t = map_of(v);

	if (!t)
		return -ENOENT;
	/* these would poison memory of this machine */
	if (v[2] == 100 || v[2] == 101)
		return -EPERM;
	return madvise((void *)t->addr, t->len, v[2]) ? -errno : 0;
}

static sigjmp_buf back;

static void faulted(int signal)
{
	siglongjmp(back, signal);
}

static const struct arg a_touch[] = { CTX, MAP, V("at", 0), EN("write", 2, 0), V("value", 0) };

static long call_touch(const struct row *row, const uint64_t *v)
{
	struct sigaction act = { .sa_handler = faulted }, segv, bus;
	struct thing *t = map_of(v);
	volatile long err = 0;
	uint64_t i;

	if (!t)
		return -ENOENT;
	sigaction(SIGSEGV, &act, &segv);
	sigaction(SIGBUS, &act, &bus);
	if (!sigsetjmp(back, 1)) {
		for (i = v[2] % t->len & ~7ull; i < t->len && i < TOUCH_MAX; i += PAGE) {
			volatile uint64_t *p = (void *)(t->addr + i);

			if (v[3])
				*p = v[4];
			else
				(void)*p;
		}
	} else {
		err = -EFAULT;
	}
	sigaction(SIGSEGV, &segv, NULL);
	sigaction(SIGBUS, &bus, NULL);
	return err;
}

static const struct arg a_fork[] = { CTX, EN("touch", 2, 0), EN("keep_memory", 2, 0) };

/* A child that has all descriptors and mappings, and ends. */
static long call_fork(const struct row *row, const uint64_t *v)
{
	pid_t pid = fork();

	if (!pid) {
		if (v[1])
			memset(world.memory, 1, 64 * PAGE);
		if (v[2])
			munmap(world.memory, MEMORY_BYTES);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return pid < 0 ? -errno : 0;
}

static const struct arg a_memory[] = { CTX, V("page", 0), V("pages", 1), EN("what", 5, 0) };

/* The memory that regions are made of goes away, or comes anew, while they live. */
static long call_memory(const struct row *row, const uint64_t *v)
{
	uint64_t from = v[1] * PAGE % MEMORY_BYTES, len = (v[2] % 64) * PAGE;
	uint8_t *at = world.memory + from;

	if (len > MEMORY_BYTES - from)
		len = MEMORY_BYTES - from;
	world.unmapped = true;
	switch (v[3] % 5) {
	case 0:
		return madvise(at, len, MADV_DONTNEED) ? -errno : 0;
	case 1:
		return munmap(at, len) ? -errno : 0;
	case 2:
		return mmap(at, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED
			       ? -errno
			       : 0;
	case 3:
		return mprotect(at, len, PROT_READ) ? -errno : 0;
	default:
		return mprotect(at, len, PROT_READ | PROT_WRITE) ? -errno : 0;
	}
}

static const struct arg a_doorbell[] = { CTX,
					 { "doorbell", K_HANDLE, OBJ_DOORBELL, 0, 0, 0, 0 },
					 { "qpn", K_QPN, 0, 0, 0, 0, 0 },
					 EN("whence", 3, GLASS_DOORBELL_WHENCE) };

static long call_doorbell(const struct row *row, const uint64_t *v)
{
	unsigned int ctx = v[0] % CONTEXTS;
	struct thing *t = thing_chosen(OBJ_DOORBELL, ctx, v[1]);

	return lseek(t ? (int)t->handle : world.doorbell[ctx],
		     arg_resolve(&row->args[2], ctx, v[2]), v[3]) < 0
		       ? -errno
		       : 0;
}

static const struct arg a_fd[] = { CTX, EN("kind", 4, 0), V("which", 0), V("bytes", 64) };

/* Descriptors of events: read without waiting, poll, close. */
static long call_fd(const struct row *row, const uint64_t *v)
{
	static const enum object kinds[] = { OBJ_CHANNEL, OBJ_ASYNC, OBJ_DOORBELL };
	unsigned int ctx = v[0] % CONTEXTS;
	struct thing *t = v[1] % 4 < 3 ? thing_chosen(kinds[v[1] % 4], ctx, v[2]) : NULL;
	int fd = t ? (int)t->handle : world.async[ctx];
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	long n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	poll(&p, 1, 0);
	n = read(fd, answer, v[3] % sizeof(answer));
	return n < 0 ? -errno : n;
}

static const struct arg a_close[] = { CTX, EN("kind", 3, 0), V("which", 0) };

static long call_close(const struct row *row, const uint64_t *v)
{
	static const enum object kinds[] = { OBJ_CHANNEL, OBJ_ASYNC, OBJ_DOORBELL };
	struct thing *t = thing_chosen(kinds[v[1] % 3], v[0] % CONTEXTS, v[2]);

	if (!t)
		return -ENOENT;
	t->dead = true;
	return close(t->handle) ? -errno : 0;
}

#define ROW(f)                                                 \
	{                                                      \
#f, call_##f, a_##f, ARRAY_LEN(a_##f), 0, NULL \
	}
const struct row rows_mmap[] = {
	ROW(mmap), ROW(munmap), ROW(mremap),   ROW(mprotect), ROW(madvise), ROW(touch),
	ROW(fork), ROW(memory), ROW(doorbell), ROW(fd),	      ROW(close),   {},
};
