/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The common part of all tools: options, loading, attaching, waiting, and the output at the end. A
 * tool fills a struct tool and calls tool_main().
 */
#ifndef GLASS_BPF_TOOL_H
#define GLASS_BPF_TOOL_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/types.h>

#include "common/out.h"
#include "common/shared.h"
#include "lib/cli.h"
#include "lib/debugfs/table.h"

/* The consequence if a program cannot be attached */
struct tool_needs {
	const char *program; /* its name in the BPF object */
	const char *without; /* "the stage post: times begin when the driver takes a request" */
	bool must; /* useless without it, unless an alternative that is also `must` is there */
};

struct tool {
	const char *name;
	const char *doc; /* text for --help */
	/* own options, or NULL */
	const struct argp_option *options;
	error_t (*parse)(int key, char *arg, struct argp_state *state);
	/* keys that the filter may use, terminated by KEY_COUNT */
	const enum filter_key *keys;
	bool has_owners; /* includes owner.bpf.h */

	/* Opens the skeleton and sets its constants. Returns NULL with errno set on failure. */
	struct bpf_object *(*open)(void);
	/* Called between loading and attaching, to fill maps. May be NULL. */
	void (*loaded)(struct bpf_object *obj);
	/* Attaches programs whose section names no target. Returns their number. May be NULL. */
	int (*attach)(struct bpf_object *obj);
	void (*close)(void);
	const struct tool_needs *needs; /* terminated by an entry without program; or NULL */

	/* Handles an event of the ring buffer. size is at least that of a head. */
	void (*event)(const struct event_head *h, size_t size);
	const struct table *event_table; /* for the header line; NULL: the tool prints no events */
	const bool *events_asked;	 /* NULL: events are always printed */
	/* Prints a summary of the time since the previous one. */
	void (*summary)(void);
	/* Called at the end, when all events were handled. lost: how many are missing. May be NULL. */
	enum cli_status (*end)(uint64_t lost);
};

/* The user's options */
struct tool_options {
	bool json, timestamp;
	bool quiet; /* print no notes */
	unsigned int interval, count;
	const char *dev; /* -d */
	uint64_t pid, qpn;
	bool has_pid, has_qpn;
	const char *filter;
};
extern struct tool_options tool_options;

int tool_main(int argc, char **argv, const struct tool *tool);

/* Parses a number. Calls argp_error() if it is not in low..high. */
uint64_t tool_number(const struct argp_state *state, const char *what, const char *text,
		     uint64_t low, uint64_t high);

/* Returns an array of all keys of a map, *n of them. The caller frees it. */
void *tool_keys(int map, size_t size, size_t *n);

/* ---- attach.c */

/* Finds a global variable of the BPF object by name; NULL if there is none. Live after loading. */
void *tool_variable(struct bpf_object *obj, const char *name, size_t *size);

/*
 * Stores the positions of fields in the programs, and disables programs whose target this kernel
 * lacks. Returns the number of remaining programs.
 */
int attach_prepare(struct bpf_object *obj);
/* Returns the path of the provider's library, which has the probes, or NULL. */
const char *tool_provider(void);
/* Attaches the remaining programs. Returns their number, or -errno after an error message. */
int attach_all(struct bpf_object *obj);
void attach_end(void);
/*
 * Adds a link that the tool made, to be destroyed with the others. Returns false with errno set if
 * the link is NULL or there are too many.
 */
bool attach_keep(struct bpf_link *link);
/* Is the program attached, or will it be? */
bool attach_has(struct bpf_object *obj, const char *program);

/* ---- lower.c */

/* Makes the kernel's filter from -p, -d, -q and the filter. Exits with CLI_USAGE on failure. */
void lower_filter(const struct tool *tool, struct bpf_filter *to);

/* ---- owner.c */

/* Fills the map "owners" with the existing objects of all Glass devices. */
void owner_fill(struct bpf_object *obj);

/* Called for a row of a table. at: the positions of the requested columns */
typedef void owner_fn(const char *dev, struct debugfs_table *t, const int *at, void *arg);

/*
 * Calls fn for each row of glassN/KIND of each device. columns: names of the required columns
 * (NULL-terminated, at most OWNER_COLUMNS). Bad lines are reported once and skipped.
 */
void owner_each(const char *kind, const char *const *columns, owner_fn *fn, void *arg);
#define OWNER_COLUMNS 8

/* As owner_each(), but for one file of one device. */
void owner_rows(const char *dev, const char *file, const char *kind, const char *const *columns,
		owner_fn *fn, void *arg);

#endif
