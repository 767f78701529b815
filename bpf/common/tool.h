/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of each tool that is the same: options, loading and attaching,
 * waiting, what is printed at the end. A tool fills a struct tool and calls
 * tool_main().
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

/* What a tool does without when a program cannot be attached. */
struct tool_needs {
	const char *program; /* of the BPF object */
	const char *without; /* "the stage post: times begin when the driver takes a request" */
	bool must; /* the tool makes no sense without it, unless an alternative of it is there */
};

struct tool {
	const char *name;
	const char *doc; /* of --help */
	/* options of its own, or NULL */
	const struct argp_option *options;
	error_t (*parse)(int key, char *arg, struct argp_state *state);
	/* what it can filter by, ended by KEY_COUNT */
	const enum filter_key *keys;
	bool has_owners; /* it includes owner.bpf.h */

	/* Opens the skeleton and sets its constants. Returns NULL with errno set when it cannot. */
	struct bpf_object *(*open)(void);
	/* Between loading and attaching: fills maps. May be NULL. */
	void (*loaded)(struct bpf_object *obj);
	/* Attaches what is not attached by its section's name; returns how many programs. May be
	 * NULL. */
	int (*attach)(struct bpf_object *obj);
	void (*close)(void);
	const struct tool_needs *needs; /* ended by one without program; or NULL */

	/* An event of the ring buffer; whoever fills in size has checked that it is at least a
	 * head's. */
	void (*event)(const struct event_head *h, size_t size);
	const struct table *event_table; /* for the header line; NULL: it prints no events */
	const bool *events_asked;	 /* NULL: events are always printed */
	/* Prints what was seen since the last one. */
	void (*summary)(void);
};

/* What was asked for */
struct tool_options {
	bool json, timestamp;
	bool quiet; /* no notes */
	unsigned int interval, count;
	const char *dev; /* -d */
	uint64_t pid, qpn;
	bool has_pid, has_qpn;
	const char *filter;
};
extern struct tool_options tool_options;

int tool_main(int argc, char **argv, const struct tool *tool);

/* argp_error()s when the text is no number from low to high. */
uint64_t tool_number(const struct argp_state *state, const char *what, const char *text,
		     uint64_t low, uint64_t high);

/* All keys of a map, *n of them, to be freed. */
void *tool_keys(int map, size_t size, size_t *n);

/* ---- attach.c */

/* A global variable of the BPF object, by its name; NULL: there is none. Live once it is loaded. */
void *tool_variable(struct bpf_object *obj, const char *name, size_t *size);

/*
 * Tells the programs where the fields are, and leaves out what this kernel does
 * not have. Returns the number of programs that remain.
 */
int attach_prepare(struct bpf_object *obj);
/* The provider's library, in which the probes are, or NULL */
const char *tool_provider(void);
/* Attaches what remains. Returns how many, or -errno after an error was told. */
int attach_all(struct bpf_object *obj);
void attach_end(void);
/* Keeps a link that the tool made itself; ends with the others. False: the link is NULL or -errno.
 */
bool attach_keep(struct bpf_link *link);
/* Is the program attached, or going to be? */
bool attach_has(struct bpf_object *obj, const char *program);

/* ---- lower.c */

/* Makes the kernel's filter of -p, -d, -q and the filter; ends the program with CLI_USAGE when it
 * cannot. */
void lower_filter(const struct tool *tool, struct bpf_filter *to);

/* ---- owner.c */

/* Fills the map "owners" with the objects that Glass devices have now. */
void owner_fill(struct bpf_object *obj);

/* A row of a table; at: where the columns are that were asked for */
typedef void owner_fn(const char *dev, struct debugfs_table *t, const int *at, void *arg);

/*
 * Calls fn for each row of glassN/KIND of each device. columns: names of those that are needed
 * (NULL ends; at most OWNER_COLUMNS). What is bad in a table is told once, and left out.
 */
void owner_each(const char *kind, const char *const *columns, owner_fn *fn, void *arg);
#define OWNER_COLUMNS 8

/* The same for one file of one device */
void owner_rows(const char *dev, const char *file, const char *kind, const char *const *columns,
		owner_fn *fn, void *arg);

#endif
