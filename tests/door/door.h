/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * door_fuzz: a coverage-guided fuzzer of what a program can ask of the kernel through Glass.
 *
 * A program is a list of calls. A call is a row of a table (calls_*.c) and one 64-bit value for
 * each of the row's arguments. An argument that names an object holds no handle but a choice among
 * the objects that are alive when the call is made, so that a program stays meaningful when calls
 * are inserted, removed or spliced.
 */
#ifndef DOOR_H
#define DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "uapi/glass-abi.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CONTEXTS     2	/* of a program: 0 is glass0's, 1 is glass1's */
#define CALLS_MAX    40 /* of a program */
#define ARGS_MAX     44 /* of a call */

/* ---- objects that a running program has */

enum object {
	OBJ_NONE,
	OBJ_PD,
	OBJ_MR,
	OBJ_MW,
	OBJ_CQ,
	OBJ_QP,
	OBJ_AH,
	OBJ_SRQ,
	OBJ_XRCD,
	OBJ_DM,
	OBJ_WQ,
	OBJ_FLOW,
	OBJ_CHANNEL, /* file descriptors from here on */
	OBJ_DOORBELL,
	OBJ_ASYNC,
	OBJ_UMAD,
	OBJ_FILE,
	OBJ_MAP, /* a mapping that a call made: addr, len */
	OBJ_COUNT,
};

/* A ring as the program has it mapped; NULL: none, or its area could not be mapped. */
struct ring {
	struct glass_ring_hdr *hdr;
	uint8_t *entries;
	uint32_t num, stride;
};

struct thing {
	uint8_t context;
	bool dead;	 /* destroyed: it is chosen no more */
	uint32_t handle; /* or the file descriptor */
	uint32_t num;	 /* QPN, SRQN, AH number, lkey */
	uint32_t rkey;
	uint64_t addr, len;
	struct ring sq, rq; /* rq: also the ring of a CQ or an SRQ */
};

#define THINGS_MAX 64 /* of a kind */

struct world {
	int fd[CONTEXTS]; /* of the uverbs device, with a context */
	int async[CONTEXTS];
	int doorbell[CONTEXTS];
	uint64_t control[CONTEXTS]; /* offset of the control page */
	uint64_t offsets[256];	    /* that mmap() was told by the driver */
	uint32_t lengths[256];
	unsigned int noffsets;
	struct thing *things[OBJ_COUNT]; /* THINGS_MAX each */
	unsigned int nthings[OBJ_COUNT];
	uint8_t *memory; /* MEMORY_BYTES that regions are made of */
	bool unmapped;	 /* a call took memory away: an area may lie there since, and go with the next */
};

#define MEMORY_BYTES (1 << 20)

extern struct world world;

/* Adds an object; NULL when there are too many. */
struct thing *thing_add(enum object kind, unsigned int context, uint32_t handle);
/* The object that a value chooses in that context (context < 0: in any), or NULL. */
struct thing *thing_chosen(enum object kind, int context, uint64_t value);
/* All of the kind whose handle that is, in the context, are dead. */
void thing_gone(enum object kind, unsigned int context, uint32_t handle);
/* Maps a ring whose place the driver told. */
void ring_map(struct ring *r, unsigned int context, const struct glass_ring_info *info);

/* Is that address in an area that is mapped? */
bool areas_hold(uintptr_t at);
/* Unmaps all areas and mappings. */
void things_unmap(void);
/* Ends the second thread. */
void scribble_stop(void);

/* ---- arguments */

enum kind {
	K_NUM,	 /* a number; most often the default */
	K_FLAGS, /* bits; most often the default */
	K_ENUM,	 /* less than `limit`, most often */
	K_CONTEXT,
	K_HANDLE, /* handle or descriptor of an object of kind `object` in the call's context */
	K_LKEY,	  /* of a memory region of any context */
	K_RKEY,
	K_QPN, /* of a QP of any context */
	K_SRQN,
	K_AHN,
	K_LID,	/* of a port: 0 .. 3; of a multicast group: 16 .. 23 */
	K_MLID, /* of a multicast group: 0 .. 7 */
	K_GID,	/* 16 bytes: 0 .. 3 a port's, 4 .. a multicast group */
	K_ADDR, /* less than MEMORY_BYTES: offset in world.memory; else an address */
	K_LEN,	/* bytes */
	K_INTO, /* address of a buffer that takes answers */
};

struct arg {
	const char *name;
	enum kind kind;
	uint8_t object;	    /* K_HANDLE */
	uint32_t limit;	    /* K_ENUM */
	uint64_t value;	    /* default */
	uint16_t at, bytes; /* where in the command's structure, in bytes; bytes 0: in none */
};

struct row;

/* Makes the call: `value` are the program's values, one for each of row->args. Returns 0, more, or
 * -errno. */
typedef long (*call_fn)(const struct row *row, const uint64_t *value);

/* The call leaves traces that outlive the descriptors: the state is restored after the program. */
#define ROW_LOCAL 0x1

struct row {
	const char *name;
	call_fn call;
	const struct arg *args;
	unsigned int nargs;
	unsigned int flags; /* ROW_* */
	const void *data;   /* of the table's own */
};

/* Tables, one a file; ended by a row without name. */
extern const struct row rows_write[], rows_ioctl[], rows_mmap[], rows_ring[], rows_umad[],
	rows_debugfs[], rows_netlink[], rows_raw[], rows_fault[];

/* All rows of all tables. */
extern const struct row **rows;
extern unsigned int nrows;
void rows_init(void);
const struct row *row_find(const char *name, size_t len);

/* Values that stand for the numbers around the newest QP, SRQ or AH: so many, the middle one is its own. */
#define NEIGHBOURS     192
#define NEIGHBOURS_MAX 64

/* What a value stands for when the call is made. */
uint64_t arg_resolve(const struct arg *a, unsigned int context, uint64_t value);
/* Puts an argument into a structure. */
void arg_store(void *to, const struct arg *a, unsigned int context, uint64_t value);
/* Value of the argument of that name of this call; it must be there. */
uint64_t arg_value(const struct row *row, const uint64_t *value, const char *name);

/* What cannot be chosen while nothing is alive */
#define NO_HANDLE 0xffffu

/* A number for generated data: the same for the same input. */
uint64_t mix(uint64_t x);

/* Big-endian, as on the wire */
static inline void be(uint8_t *to, uint64_t v, unsigned int bytes)
{
	while (bytes--) {
		to[bytes] = v;
		v >>= 8;
	}
}

/* Where answers go; overwritten by each call. */
extern uint8_t answer[65536];

/* ---- what is there on this machine; found anew when devices come back */

struct site {
	char uverbs[CONTEXTS][64]; /* /dev/infiniband/uverbsN, empty: none */
	char umad[4][64];
	uint16_t lid[4];
	uint8_t gid[4][16];
	uint32_t index[CONTEXTS]; /* of the device, for netlink */
};

extern struct site site;
/* Sets site.index. */
void netlink_indices(void);
/* Looks for devices and ports. False: a device is missing. */
bool site_find(void);
bool site_active(void);

/* ---- programs */

struct call {
	uint16_t row;
	uint64_t value[ARGS_MAX];
};

struct program {
	unsigned int ncalls;
	struct call call[CALLS_MAX];
};

extern uint64_t seed;
uint64_t rnd(void);
uint64_t below(uint64_t n);

void program_generate(struct program *p);
void program_mutate(struct program *p, const struct program *other);
/* Hands over each program of a file. False, with a message on stderr: something in it is none. */
bool programs_read(const char *path, void (*take)(const struct program *p));
void program_print(const struct program *p, FILE *to, bool all_arguments);

/* ---- coverage */

#define EDGES	  (1u << 20) /* slots of the map */
#define PLACES	  (1u << 17)
#define COVER_LEN (1u << 18) /* words of KCOV's buffer */

/* Shared by the fuzzer and the processes that run programs. */
struct cover {
	uint32_t edges, places; /* how many were seen */
	uint32_t fresh;		/* edges that the last program was first to reach */
	uint32_t calls;		/* that it made */
	uint32_t now;		/* the call being made */
	uint8_t edge[EDGES];
	uint64_t place[PLACES]; /* addresses of basic blocks; 0: free */
};

extern struct cover *cover;
/* Before any fork(). False: this kernel has no KCOV. */
bool cover_open(void);
/* In a process that runs programs. */
void cover_begin(void);
void cover_take(void);
/* Functions of glass.ko seen, and all there are. */
void cover_functions(unsigned int *seen, unsigned int *all);
/* Where the functions of glass.ko begin and end; false: it is not loaded. */
bool module_text(uint64_t *first, uint64_t *last);
/* Confines the kernel's fault injection to what Glass calls. False: this kernel has none. */
bool faults_open(void);

/* ---- running */

enum outcome {
	OUT_DONE,
	OUT_HUNG,  /* did not end in time */
	OUT_DIED,  /* by a signal that is none of ours */
	OUT_SPLAT, /* the kernel complained */
	OUT_STUCK, /* did not end in time, and cannot be killed: this kernel is of no use any more */
};

extern const char *out_dir;
extern unsigned int limit_s; /* seconds that a program may take */

void kernel_log_open(void);
/* Reads what is new; true: the kernel complained, and the line is in *line. */
bool kernel_log_splat(char *line, size_t size);
/* Runs a program in a process of its own, and restores the devices. `why`: one line about all but
 * OUT_DONE. */
enum outcome program_run(const struct program *p, char *why, size_t size);
/* Waits for a child; false: it still runs after so long. */
bool wait_some(int pid, double seconds, int *status);
/* What programs may have left: rules, scopes, behaviours, ports that are down, devices that are
 * away. False: a file of debugfs did not take its command in time. */
bool state_restore(void);

/* Of programs that are run twice each, chooses a few that reach the same, takes calls away that are not
 * needed for that while there is time, and hands them over: a program that the first `base` need not be
 * handed over. False: the kernel complained. */
bool minimise(struct program *const *corpus, unsigned int n, unsigned int base, double seconds,
	      enum outcome (*run)(const struct program *p), void (*take)(const struct program *p));
double now_s(void);

#endif
