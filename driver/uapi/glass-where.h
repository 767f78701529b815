/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Call stacks of programs: the memory in which a provider records from where in its program verbs
 * are called and work requests are posted. A user context has at most one such memory
 * (GLASS_METHOD_WHERE). The program writes it; the driver stores numbers of stacks without looking
 * at the stacks, and prints them on request. The driver trusts nothing in it.
 *
 * A frame is a return address as module and offset, so that it stays valid after the process has
 * ended. A module is a program or library that the process had loaded.
 */
#ifndef GLASS_UAPI_WHERE_H
#define GLASS_UAPI_WHERE_H

#include <linux/types.h>

#define GLASS_WHERE_STACKS  1024 /* numbers of stacks of a context: 1 to 1023; 0: unknown */
#define GLASS_WHERE_SHIFT   10	 /* log2 of it */
#define GLASS_WHERE_FRAMES  16	 /* a stack has at most this many; outer ones are left out */
#define GLASS_WHERE_MODULES 128	 /* numbers of modules: 1 to 127; 0: unknown */
#define GLASS_WHERE_THREADS 256
#define GLASS_WHERE_PATH    232

struct glass_where_module {
	__u8 build_id[20];
	__u8 build_id_bytes; /* 0: it has none */
	__u8 reserved[3];
	char path[GLASS_WHERE_PATH]; /* with its NUL; a path that is too long is empty */
};

/* A frame: number of the module << GLASS_WHERE_OFFSET_BITS | offset from its load address */
#define GLASS_WHERE_OFFSET_BITS 48

struct glass_where_stack {
	__u32 nframes;
	__u32 reserved;
	__aligned_u64 frame[GLASS_WHERE_FRAMES]; /* the caller of the verb first */
};

struct glass_where_area {
	/* numbers in use: 1 to nstacks, 1 to nmodules. A stack is written before nstacks counts it
	 */
	__u32 nstacks, nmodules;
	__u32 lost; /* calls whose stack found no room; they count as unknown */
	__u32 reserved[13];
	/*
	 * The verbs that threads are in: thread id << 32 | number of the stack of the verb that the
	 * thread is calling, at index thread id % GLASS_WHERE_THREADS. 0: no verb. Thread ids are
	 * those of gettid().
	 */
	__aligned_u64 now[GLASS_WHERE_THREADS];
	struct glass_where_module module[GLASS_WHERE_MODULES];
	struct glass_where_stack stack[GLASS_WHERE_STACKS];
};

/* glass_where_req.flags: the user wants stacks (GLASS_WHERE=1), whether or not a scope asks for
 * them */
#define GLASS_WHERE_ASKED (1u << 0)

/*
 * GLASS_METHOD_WHERE: asks for the memory. Fails with ENOENT if nobody looks at the process: no
 * scope of lint that records stacks holds for it, and GLASS_WHERE_ASKED is not set.
 */
struct glass_where_req {
	__u32 flags;
	__u32 reserved;
};

struct glass_where_resp {
	__aligned_u64 mmap_offset; /* offset for mmap() */
	__u32 mmap_bytes;	   /* length for mmap(): at least sizeof(struct glass_where_area) */
	__u32 reserved;
};

#endif
