// SPDX-License-Identifier: GPL-2.0-only
#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ibtop/screen/term.h"

/* declared here: term.h of curses also has macros named lines and columns */
char *tigetstr(const char *name);

static SCREEN *screen;
static bool active, colored;
static int themed = -1; /* theme of the current colour pairs */

/* ---- start and end */

/* Restores the terminal when a fault ends the program. */
static void at_fault(int sig)
{
	term_end();
	raise(sig); /* the default action applies now (SA_RESETHAND) */
}

static void not_default(int sig)
{
	(void)sig;
}

/*
 * By default curses ignores SIGTSTP while it draws, which discards a pending one for the main loop.
 * Curses leaves the signal alone if it finds a handler at its start.
 */
static SCREEN *new_screen(void)
{
	struct sigaction handled = { .sa_handler = not_default }, before;
	SCREEN *made;

	sigaction(SIGTSTP, &handled, &before);
	made = newterm(NULL, stdout, stdin);
	sigaction(SIGTSTP, &before, NULL);
	return made;
}

bool term_begin(bool color, char *error, size_t error_size)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	/* curses installs its own handlers; the loop reads these from a signalfd */
	static const int ours[] = { SIGINT, SIGTERM, SIGTSTP };
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction fault = { .sa_handler = at_fault, .sa_flags = SA_RESETHAND | SA_NODEFER };
	const char *name = getenv("TERM"), *cup;
	size_t i;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		snprintf(error, error_size, "standard input or output is not a terminal; use -b "
			 "for text");
		return false;
	}
	if (!name || !*name) {
		snprintf(error, error_size, "TERM is not set; set it, or use -b for text");
		return false;
	}
	screen = new_screen();
	cup = screen ? tigetstr("cup") : NULL;
	if (!cup || cup == (char *)-1) {
		if (screen) {
			endwin();
			delscreen(screen);
			screen = NULL;
		}
		snprintf(error, error_size, "TERM=%.60s: this terminal is unknown, or cannot move "
			 "its cursor; use -b for text", name);
		return false;
	}
	active = true;
	atexit(term_end);
	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		sigaction(ours[i], &by_default, NULL);
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaction(faults[i], &fault, NULL);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	scrollok(stdscr, FALSE);
	set_escdelay(25);
	colored = color && has_colors() && start_color() == OK;
	if (colored)
		use_default_colors();
	return true;
}

void term_end(void)
{
	if (!screen)
		return;
	term_leave();
	delscreen(screen);
	screen = NULL;
}

void term_leave(void)
{
	if (!active)
		return;
	active = false;
	term_mouse(false);
	endwin();
}

void term_return(void)
{
	active = true;
	clearok(curscr, TRUE);
	refresh();
}

void term_forget(void)
{
	clearok(curscr, TRUE);
}

bool term_has_color(void)
{
	return colored;
}

/*
 * Turns mouse reports on or off. ibtop parses them itself, because curses loses clicks in quick
 * succession. Mode 1006 sends coordinates as numbers, also beyond column 223; terminals without it
 * send them as characters.
 */
void term_mouse(bool on)
{
	const char *has = tigetstr("kmous");

	if (!has || has == (char *)-1)
		return;
	define_key(NULL, KEY_MOUSE);
	fputs(on ? "\033[?1000h\033[?1006h" : "\033[?1006l\033[?1000l", stdout);
	fflush(stdout);
}

void term_size(unsigned int *rows, unsigned int *cols)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    (size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
	*rows = LINES;
	*cols = COLS;
}

/* ---- output */

static attr_t attrs_of(struct look look)
{
	return (look.attrs & LOOK_BOLD ? A_BOLD : 0) | (look.attrs & LOOK_DIM ? A_DIM : 0) |
	       (look.attrs & LOOK_REVERSE ? A_REVERSE : 0) |
	       (look.attrs & LOOK_UNDERLINE ? A_UNDERLINE : 0);
}

/* Makes a colour pair for each role. */
static void make_pairs(enum theme theme)
{
	enum role role;

	if (themed == (int)theme)
		return;
	themed = theme;
	for (role = 0; colored && role < ROLE_COUNT; role++) {
		struct look look = theme_look(theme, role);

		init_pair(role + 1, look.fg, look.bg);
	}
	clearok(curscr, TRUE);
}

static enum role role_of(const struct glyph *glyph)
{
	if (glyph->flags & GLYPH_CHOSEN)
		return ROLE_CHOSEN;
	return glyph->flags & GLYPH_MATCH ? ROLE_MATCH : glyph->role;
}

static void show_row(const struct canvas *c, unsigned int row, enum theme theme)
{
	const struct glyph *glyphs = &c->glyphs[(size_t)row * c->cols];
	wchar_t text[256];
	unsigned int col = 0;

	move(row, 0);
	while (col < c->cols) {
		enum role role = role_of(&glyphs[col]);
		struct look look = theme_look(theme, role);
		unsigned int n = 0;

		/* keep search matches visible in the selected row */
		if (glyphs[col].flags == (GLYPH_CHOSEN | GLYPH_MATCH))
			look.attrs ^= LOOK_UNDERLINE;
		for (; col < c->cols && n < 255 && role_of(&glyphs[col]) == role; col++) {
			if (n && (glyphs[col].flags ^ glyphs[col - 1].flags) & GLYPH_MATCH)
				break;
			if (glyphs[col].ch)
				text[n++] = glyphs[col].ch;
		}
		attr_set(attrs_of(look), colored ? role + 1 : 0, NULL);
		addnwstr(text, n);
	}
}

void term_show(const struct canvas *c, enum theme theme)
{
	unsigned int row;

	make_pairs(theme);
	for (row = 0; row < c->rows; row++)
		show_row(c, row, theme);
	attr_set(0, 0, NULL);
	if (c->cursor_row >= 0) {
		move(c->cursor_row, c->cursor_col < (int)c->cols ? c->cursor_col : (int)c->cols - 1);
		curs_set(1);
	} else {
		curs_set(0);
	}
	refresh();
}

/* ---- input */

static int special_key(wint_t code)
{
	static const struct {
		int curses, key;
	} keys[] = {
		{ KEY_UP, TOP_KEY_UP },
		{ KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_LEFT, TOP_KEY_LEFT },
		{ KEY_RIGHT, TOP_KEY_RIGHT },
		{ KEY_HOME, TOP_KEY_HOME },
		{ KEY_FIND, TOP_KEY_HOME },
		{ KEY_END, TOP_KEY_END },
		{ KEY_SELECT, TOP_KEY_END },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP },
		{ KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_IC, TOP_KEY_INSERT },
		{ KEY_DC, TOP_KEY_DELETE },
		{ KEY_BTAB, TOP_KEY_BACKTAB },
		{ KEY_BACKSPACE, TOP_KEY_BACKSPACE },
		{ KEY_ENTER, TOP_KEY_ENTER },
	};
	size_t i;

	if (code >= KEY_F(1) && code <= KEY_F(12))
		return TOP_KEY_F1 + (code - KEY_F(1));
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == (int)code)
			return keys[i].key;
	return TOP_KEY_NONE;
}

/* button: xterm's number; col, row: from 1 */
static void mouse_event(struct term_event *event, unsigned int button, unsigned int col,
			unsigned int row)
{
	if (!col || !row || (button != 0 && button != 64 && button != 65))
		return;
	event->is_mouse = true;
	event->mouse = button == 64 ? MOUSE_WHEEL_UP : button ? MOUSE_WHEEL_DOWN : MOUSE_PRESS;
	event->row = row - 1;
	event->col = col - 1;
}

/* Reads three characters, each offset by 32. */
static void read_mouse_characters(struct term_event *event)
{
	wint_t value[3];
	int i;

	for (i = 0; i < 3; i++)
		if (get_wch(&value[i]) != OK || value[i] < ' ')
			return;
	mouse_event(event, value[0] - ' ', value[1] - ' ', value[2] - ' ');
}

/* Reads "BUTTON;COL;ROW", then M (pressed) or m (released). */
static void read_mouse_numbers(struct term_event *event)
{
	unsigned int value[3] = {}, i = 0;
	wint_t code;

	while (get_wch(&code) == OK) {
		if (code >= '0' && code <= '9' && value[i] < 100000) {
			value[i] = 10 * value[i] + (code - '0');
		} else if (code == ';' && i < 2) {
			i++;
		} else {
			if (code == 'M' && i == 2)
				mouse_event(event, value[0], value[1], value[2]);
			return;
		}
	}
}

/*
 * Reads the rest of an escape sequence: a mouse report, or a sequence that terminfo lacks, whose
 * letters must not count as keys. Returns false if it was the Escape key.
 */
static bool read_sequence(struct term_event *event)
{
	bool first = true;
	wint_t code;
	int kind = get_wch(&code);

	if (kind == ERR)
		return false;
	if (kind == KEY_CODE_YES) {
		/* it belongs to the next key */
		ungetch(code);
		return false;
	}
	if (code != '[' && code != 'O') {
		unget_wch(code);
		return false;
	}
	for (; get_wch(&code) == OK; first = false) {
		if (first && code == 'M')
			read_mouse_characters(event);
		else if (first && code == '<')
			read_mouse_numbers(event);
		else if (code < '@' || code > '~')
			continue;
		break;
	}
	return true;
}

bool term_event(struct term_event *event)
{
	wint_t code;
	int kind = get_wch(&code);

	*event = (struct term_event){ .key = TOP_KEY_NONE };
	if (kind == ERR)
		return false;
	if (kind == KEY_CODE_YES)
		event->key = special_key(code);
	else if (code == '\n' || code == '\r')
		event->key = TOP_KEY_ENTER;
	else if (code && (code != TOP_KEY_ESCAPE || !read_sequence(event)))
		event->key = code;
	return true;
}
