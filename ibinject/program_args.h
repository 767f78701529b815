/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments that several program-running commands share, as children for their argp. The parent
 * sets each child's input in ARGP_KEY_INIT.
 */
#ifndef IBINJECT_PROGRAM_ARGS_H
#define IBINJECT_PROGRAM_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* FILE, required; input: const char ** */
extern const struct argp file_argp;

/* no words besides options: the command follows --; no input */
extern const struct argp no_file_argp;

/* -n; input: bool * */
extern const struct argp dry_run_argp;

/* -j FILE; input: const char ** */
extern const struct argp json_file_argp;

/* -t SECONDS and -j, for commands that run their program repeatedly */
struct tries {
	uint64_t limit_ms;
	bool json;
};

#define TRIES_DEFAULT                 \
	(struct tries)                \
	{                             \
		.limit_ms = 60 * 1000 \
	}

/* input: struct tries * */
extern const struct argp tries_argp;

/*
 * Can results be written to this file (-: standard output)? Call it before a long run. Leaves the
 * contents unchanged. Returns false after an error message.
 */
bool can_write(const char *file);

/* Parses an option's number, 1 to most; a trailing s is allowed. Exits on error. */
uint64_t option_number(struct argp_state *state, const char *arg, uint64_t most);

#endif
