/* SPDX-License-Identifier: GPL-2.0-only */
/* Roles of parts of the screen, and their looks in each theme. */
#ifndef IBTOP_SCREEN_THEME_H
#define IBTOP_SCREEN_THEME_H

#include <stdbool.h>
#include <stdint.h>

/* Attributes of a look */
enum {
	LOOK_BOLD = 1,
	LOOK_DIM = 2,
	LOOK_REVERSE = 4,
	LOOK_UNDERLINE = 8,
};

/* Colours as terminals number them; NONE is the terminal's default */
enum color {
	COLOR_NONE = -1,
	COLOR_BLACK_,
	COLOR_RED_,
	COLOR_GREEN_,
	COLOR_YELLOW_,
	COLOR_BLUE_,
	COLOR_MAGENTA_,
	COLOR_CYAN_,
	COLOR_WHITE_,
};

struct look {
	int8_t fg, bg; /* enum color */
	uint8_t attrs;
};

#define LOOK(fg, bg, attrs) { COLOR_##fg, COLOR_##bg, (attrs) }

/* X(ROLE, looks in the themes dark, light, contrast, mono) */
#define TOP_ROLES(X)                                                                               \
	X(TEXT, LOOK(NONE, NONE, 0), LOOK(NONE, NONE, 0), LOOK(WHITE_, BLACK_, LOOK_BOLD),         \
	  LOOK(NONE, NONE, 0))                                                                     \
	X(DIM, LOOK(NONE, NONE, LOOK_DIM), LOOK(NONE, NONE, LOOK_DIM), LOOK(WHITE_, BLACK_, 0),      \
	  LOOK(NONE, NONE, LOOK_DIM))                                                              \
	X(TITLE, LOOK(CYAN_, NONE, LOOK_BOLD), LOOK(BLUE_, NONE, LOOK_BOLD),                       \
	  LOOK(YELLOW_, BLACK_, LOOK_BOLD), LOOK(NONE, NONE, LOOK_BOLD))                           \
	X(VALUE, LOOK(NONE, NONE, LOOK_BOLD), LOOK(NONE, NONE, LOOK_BOLD),                         \
	  LOOK(WHITE_, BLACK_, LOOK_BOLD), LOOK(NONE, NONE, LOOK_BOLD))                            \
	X(TAB, LOOK(CYAN_, NONE, 0), LOOK(BLUE_, NONE, 0), LOOK(WHITE_, BLACK_, 0),                \
	  LOOK(NONE, NONE, 0))                                                                     \
	X(TAB_CHOSEN, LOOK(BLACK_, CYAN_, 0), LOOK(WHITE_, BLUE_, LOOK_BOLD),                      \
	  LOOK(BLACK_, WHITE_, 0), LOOK(NONE, NONE, LOOK_REVERSE))                                 \
	X(HEAD, LOOK(BLACK_, GREEN_, 0), LOOK(BLACK_, GREEN_, 0), LOOK(BLACK_, WHITE_, 0),         \
	  LOOK(NONE, NONE, LOOK_REVERSE))                                                          \
	X(HEAD_SORTED, LOOK(BLACK_, CYAN_, 0), LOOK(BLACK_, CYAN_, 0), LOOK(BLACK_, YELLOW_, 0),   \
	  LOOK(NONE, NONE, LOOK_REVERSE | LOOK_BOLD | LOOK_UNDERLINE))                             \
	X(NAME, LOOK(CYAN_, NONE, 0), LOOK(BLUE_, NONE, 0), LOOK(CYAN_, BLACK_, LOOK_BOLD),        \
	  LOOK(NONE, NONE, 0))                                                                     \
	X(NEW, LOOK(GREEN_, NONE, LOOK_BOLD), LOOK(GREEN_, NONE, LOOK_BOLD),                       \
	  LOOK(GREEN_, BLACK_, LOOK_BOLD), LOOK(NONE, NONE, LOOK_BOLD))                            \
	X(GONE, LOOK(MAGENTA_, NONE, 0), LOOK(MAGENTA_, NONE, 0),                                  \
	  LOOK(MAGENTA_, BLACK_, LOOK_BOLD), LOOK(NONE, NONE, LOOK_DIM))                           \
	X(GOOD, LOOK(GREEN_, NONE, 0), LOOK(GREEN_, NONE, 0), LOOK(GREEN_, BLACK_, LOOK_BOLD),     \
	  LOOK(NONE, NONE, 0))                                                                     \
	X(WARN, LOOK(YELLOW_, NONE, LOOK_BOLD), LOOK(MAGENTA_, NONE, LOOK_BOLD),                   \
	  LOOK(YELLOW_, BLACK_, LOOK_BOLD), LOOK(NONE, NONE, LOOK_BOLD))                           \
	X(BAD, LOOK(RED_, NONE, LOOK_BOLD), LOOK(RED_, NONE, LOOK_BOLD),                           \
	  LOOK(WHITE_, RED_, LOOK_BOLD), LOOK(NONE, NONE, LOOK_REVERSE))                           \
	X(SPARK, LOOK(GREEN_, NONE, 0), LOOK(BLUE_, NONE, 0), LOOK(GREEN_, BLACK_, LOOK_BOLD),     \
	  LOOK(NONE, NONE, 0))                                                                     \
	X(BORDER, LOOK(CYAN_, NONE, 0), LOOK(BLUE_, NONE, 0), LOOK(WHITE_, BLACK_, LOOK_BOLD),     \
	  LOOK(NONE, NONE, 0))                                                                     \
	X(BAR_KEY, LOOK(NONE, NONE, 0), LOOK(NONE, NONE, 0), LOOK(WHITE_, BLACK_, LOOK_BOLD),      \
	  LOOK(NONE, NONE, 0))                                                                     \
	X(BAR_LABEL, LOOK(BLACK_, CYAN_, 0), LOOK(BLACK_, CYAN_, 0), LOOK(BLACK_, WHITE_, 0),      \
	  LOOK(NONE, NONE, LOOK_REVERSE))                                                          \
	X(PROMPT, LOOK(NONE, NONE, LOOK_BOLD), LOOK(NONE, NONE, LOOK_BOLD),                        \
	  LOOK(WHITE_, BLACK_, LOOK_BOLD), LOOK(NONE, NONE, LOOK_BOLD))                            \
	X(CHOSEN, LOOK(BLACK_, CYAN_, 0), LOOK(WHITE_, BLUE_, LOOK_BOLD),                          \
	  LOOK(BLACK_, YELLOW_, 0), LOOK(NONE, NONE, LOOK_REVERSE))                                \
	X(MATCH, LOOK(BLACK_, YELLOW_, 0), LOOK(BLACK_, YELLOW_, 0), LOOK(BLACK_, GREEN_, 0),      \
	  LOOK(NONE, NONE, LOOK_UNDERLINE | LOOK_BOLD))

#define TOP_ROLE_ENUM(ROLE, ...) ROLE_##ROLE,
enum role { TOP_ROLES(TOP_ROLE_ENUM) ROLE_COUNT };

enum theme { THEME_DARK, THEME_LIGHT, THEME_CONTRAST, THEME_MONO, THEME_COUNT };

const char *theme_name(enum theme theme);
/* Returns THEME_COUNT if there is no theme of this name. */
enum theme theme_find(const char *name);
/* Returns "dark, light, contrast or mono". */
const char *theme_names(void);
struct look theme_look(enum theme theme, enum role role);

#endif
