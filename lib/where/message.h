/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages between the tool and its parser (parse.h), over a socket that keeps messages
 * apart. The tool believes nothing: a message of another size is an error, texts may lack their
 * NUL.
 */
#ifndef GLASS_LIB_WHERE_MESSAGE_H
#define GLASS_LIB_WHERE_MESSAGE_H

#include <stdint.h>

#define MESSAGE_FUNCTION 512
#define MESSAGE_PATH	 1024
#define MESSAGE_NOTE	 128

/* A question to the parser about one return address. The parser sends the places, then the end. */
struct message_ask {
	uint64_t offset;
	uint32_t max; /* number of places, at least 1 */
	uint32_t reserved;
};

/* To the parser: the file that it wants. The descriptor is attached, or there is none. */
struct message_file {
	uint32_t found; /* 0: there is no such file */
};

enum message_kind {
	MESSAGE_END,	    /* all places were sent; `note` says what went wrong, if anything did */
	MESSAGE_PLACE,	    /* a place, innermost first */
	MESSAGE_WANT_DEBUG, /* asks for the debugging information of the module, by build-id */
	MESSAGE_WANT_LINK,  /* the same, by its name beside the module: `path` */
	MESSAGE_WANT_SHARED, /* the part that several modules share: `path` */
};

/* From the parser */
struct message {
	uint32_t kind; /* enum message_kind */
	uint32_t line;
	uint32_t inlined;
	char function[MESSAGE_FUNCTION]; /* "": unknown, also in the other texts */
	char file[MESSAGE_PATH];
	char path[MESSAGE_PATH];
	char note[MESSAGE_NOTE];
};

#endif
