/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What several of the commands that run a program take, as children for their argp. A command
 * gives each child its input in ARGP_KEY_INIT.
 */
#ifndef IBINJECT_PROGRAM_ARGS_H
#define IBINJECT_PROGRAM_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* FILE, which must be there; input: const char ** */
extern const struct argp file_argp;

/* No words but options: the command stands behind --; no input */
extern const struct argp no_file_argp;

/* -n; input: bool * */
extern const struct argp dry_run_argp;

/* -j FILE; input: const char ** */
extern const struct argp json_file_argp;

/* -t SECONDS and -j of commands that run their program again and again */
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
 * Can results be written to that file (-: standard output)? Asked before a program runs that may take long; what the
 * file has stays. False: told.
 */
bool can_write(const char *file);

/* The number of an option, from 1 to most; with an s behind it, too. Ends the program. */
uint64_t option_number(struct argp_state *state, const char *arg, uint64_t most);

#endif
