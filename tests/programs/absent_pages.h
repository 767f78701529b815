/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory whose pages come only when the program says so (userfaultfd(2)): until then, an access to one waits. */
#ifndef ABSENT_PAGES_H
#define ABSENT_PAGES_H

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vt.h"

struct absent_pages {
	void *at;
	size_t bytes;
	int fd; /* the userfaultfd, which tells who waits */
};

/* Maps whole pages that are absent. */
static VT_UNUSED struct absent_pages absent_pages(size_t bytes)
{
	struct absent_pages p = { .bytes = bytes, .fd = syscall(SYS_userfaultfd, O_CLOEXEC) };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };

	CHECK(p.fd >= 0, "userfaultfd: %s", strerror(errno));
	CHECK(!ioctl(p.fd, UFFDIO_API, &api), "UFFDIO_API: %s", strerror(errno));
	p.at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p.at != MAP_FAILED, "mmap: %s", strerror(errno));
	reg.range.start = (uintptr_t)p.at;
	reg.range.len = bytes;
	CHECK(!ioctl(p.fd, UFFDIO_REGISTER, &reg), "UFFDIO_REGISTER: %s", strerror(errno));
	return p;
}

/* Lets those come, with zeros, that are absent still. */
static VT_UNUSED void bring_pages(const struct absent_pages *p)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	size_t at;

	for (at = 0; at < p->bytes; at += page) {
		struct uffdio_zeropage zero = { .range = { .start = (uintptr_t)p->at + at, .len = page } };

		CHECK(!ioctl(p->fd, UFFDIO_ZEROPAGE, &zero) || errno == EEXIST, "UFFDIO_ZEROPAGE: %s",
		      strerror(errno));
	}
}

#endif
