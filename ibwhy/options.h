/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line. */
#ifndef IBWHY_OPTIONS_H
#define IBWHY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ibwhy.h"
#include "lib/picture/outputs.h"

enum deed { DEED_LIST, DEED_TELL, DEED_RUN, DEED_HANG, DEED_SAVE, DEED_CAUSES };

struct options {
	enum deed deed;
	/* which failure, with DEED_TELL: the last one, an id, or the last one of an object */
	bool last;
	uint64_t id;	    /* 0: not by id */
	const char *object; /* "glass0:0x14"; NULL: not by object */
	char **command;	    /* NULL: none */
	pid_t pid;
	const char *save;	  /* file to write all stories to */
	const char *file, *peer; /* files of stories; NULL: none */
	bool json, always, brief;
	bool where, no_where; /* no_where: look up no places in sources, and let a command record none */
	struct picture_outputs pictures;
};

/* Parses the command line. On error, prints a message and exits with ST_USAGE. */
void options_read(struct options *o, int argc, char **argv);

#endif
