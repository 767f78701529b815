/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys of the screen. Their functions, the key bar, the help and docs/ibtop-screen.md are made
 * from these tables.
 */
#ifndef IBTOP_SCREEN_KEYS_H
#define IBTOP_SCREEN_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A key is a character (Unicode; control characters as they are) or one of these. */
#define TOP_SPECIAL_KEYS(X)                                                                        \
	X(UP, "Up")                                                                                \
	X(DOWN, "Down")                                                                            \
	X(LEFT, "Left")                                                                            \
	X(RIGHT, "Right")                                                                          \
	X(HOME, "Home")                                                                            \
	X(END, "End")                                                                              \
	X(PAGE_UP, "PgUp")                                                                         \
	X(PAGE_DOWN, "PgDn")                                                                       \
	X(INSERT, "Ins")                                                                           \
	X(DELETE, "Del")                                                                           \
	X(BACKTAB, "Shift-Tab")                                                                    \
	X(F1, "F1") X(F2, "F2") X(F3, "F3") X(F4, "F4") X(F5, "F5") X(F6, "F6") X(F7, "F7")        \
	X(F8, "F8") X(F9, "F9") X(F10, "F10") X(F11, "F11") X(F12, "F12")

#define TOP_SPECIAL_ENUM(ID, name) TOP_KEY_##ID,
enum top_key {
	TOP_KEY_NONE = -1,
	TOP_KEY_TAB = '\t',
	TOP_KEY_ENTER = '\r',
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_BACKSPACE = 127,
	TOP_KEY_SPECIAL = 0x110000,
	TOP_SPECIAL_KEYS(TOP_SPECIAL_ENUM)
};

/* X(GROUP, heading) */
#define TOP_KEY_GROUPS(X)                                                                          \
	X(VIEWS, "Views")                                                                          \
	X(MOVE, "Moving")                                                                          \
	X(SHOW, "What is shown")                                                                   \
	X(OBJECT, "The chosen object")                                                             \
	X(REPLAY, "Recordings (--replay)")                                                         \
	X(PROGRAM, "The program")

/* X(COMMAND, group, keys separated by blanks, label in the bar or "", meaning) */
#define TOP_COMMANDS(X)                                                                            \
	X(HELP, PROGRAM, "F1 h ?", "Help", "this help")                                            \
	X(SETUP, PROGRAM, "F2 S", "Setup", "settings: colours, delay, what is highlighted, columns") \
	X(SEARCH, SHOW, "F3 /", "Search", "search a text in the rows, in a pane in its lines")                             \
	X(FILTER, SHOW, "F4 \\", "Filter", "filter of this view, in the filter language")          \
	X(TREE, VIEWS, "F5 t", "Tree", "tree of the objects, and back")                            \
	X(SORT, SHOW, "F6 < >", "SortBy", "choose the column to sort by")                          \
	X(CAPTURE, OBJECT, "F7 c", "Captur", "capture its packets: shows the command, asks, runs it") \
	X(INJECT, OBJECT, "F8 i", "Inject", "inject a fault into it: shows the command, asks, runs it") \
	X(KILL, OBJECT, "F9 k", "Kill", "send a signal to its process; asks first")                \
	X(QUIT, PROGRAM, "F10 q", "Quit", "quit")                                                  \
	X(VIEW_MENU, VIEWS, "v", "", "choose a view from a list")                                  \
	X(VIEW_NEXT, VIEWS, "Tab", "", "next view")                                                \
	X(VIEW_PREV, VIEWS, "Shift-Tab", "", "view before")                                        \
	X(VIEW_NUMBER, VIEWS, "1 2 3 4 5 6 7 8 9 0", "", "the view of that number; 0 is the tenth") \
	X(LEAKS, VIEWS, "L", "", "objects by age: what may be leaked; and back")                   \
	X(EVENTS, VIEWS, "E", "", "what happened; and back")                                       \
	X(LINT, VIEWS, "l", "", "lint findings; and back")                                         \
	X(FABRIC, VIEWS, "b", "", "nodes of the fabric; and back")                                 \
	X(UP, MOVE, "Up ^P", "", "a row up")                                                       \
	X(DOWN, MOVE, "Down ^N", "", "a row down")                                                 \
	X(PAGE_UP, MOVE, "PgUp ^B", "", "a page up")                                               \
	X(PAGE_DOWN, MOVE, "PgDn ^F", "", "a page down")                                           \
	X(HOME, MOVE, "Home", "", "the first row")                                                 \
	X(END, MOVE, "End", "", "the last row")                                                    \
	X(LEFT, MOVE, "Left", "", "columns further left")                                          \
	X(RIGHT, MOVE, "Right", "", "columns further right; what names the object stays")                   \
	X(COL_FIRST, MOVE, "^A ^", "", "the first column")                                         \
	X(COL_LAST, MOVE, "^E $", "", "the last column")                                           \
	X(SEARCH_NEXT, SHOW, "n", "", "next row or line with the text searched for")                       \
	X(SEARCH_PREV, SHOW, "N", "", "row or line before with the text searched for")                     \
	X(ONLY_MATCHES, SHOW, "&", "", "only rows with the text searched for, and back")           \
	X(COLUMNS, SHOW, "C", "", "choose columns and their order")                                \
	X(INVERT, SHOW, "I", "", "sort the other way round")                                       \
	X(FOLLOW, SHOW, "f F", "", "only objects of the chosen row's process, and back to all")    \
	X(FOLLOW_PID, SHOW, "P", "", "only objects of the process of a number")                    \
	X(PAUSE, SHOW, "Z Space", "", "pause and go on; a recording: play and pause")              \
	X(REFRESH, SHOW, "r", "", "refresh now")                                                   \
	X(FOLD, SHOW, "-", "", "tree: fold the chosen object")                                     \
	X(UNFOLD, SHOW, "+ =", "", "tree: unfold it")                                              \
	X(FOLD_ALL, SHOW, "*", "", "tree: fold all, and unfold all")                               \
	X(MESSAGES, SHOW, "m", "", "all messages: what is hidden or failed")                       \
	X(DETAIL, OBJECT, "Enter", "", "all there is to know of it; of a queue pair that failed or is stuck first why, then all") \
	X(DIAGRAM, OBJECT, "d", "", "a queue pair that failed: the packets before its failure, as a diagram") \
	X(PEER, OBJECT, "p", "", "go to its peer")                                                 \
	X(PORTS, OBJECT, "o", "", "ports of the fabric: those of its node, or at the ends of its cable; and back") \
	X(EXPLAIN, OBJECT, "x e", "", "explain it with iblint: shows the command, asks, runs it")  \
	X(BACK, OBJECT, "Esc", "", "leave a pane; else: forget the search")                        \
	X(FRAME_PREV, REPLAY, ", [", "", "a refresh back")                                         \
	X(FRAME_NEXT, REPLAY, ". ]", "", "a refresh on")                                           \
	X(FRAME_BACK, REPLAY, "{", "", "ten refreshes back")                                       \
	X(FRAME_ON, REPLAY, "}", "", "ten refreshes on")                                           \
	X(FRAME_FIRST, REPLAY, "(", "", "the first refresh")                                       \
	X(FRAME_LAST, REPLAY, ")", "", "the last refresh")                                         \
	X(SEEK, REPLAY, "g", "", "go to a moment: SECONDS, -SECONDS from the end, #REFRESH, HH:MM:SS")       \
	X(DELAY, PROGRAM, "D", "", "time between two refreshes")                                   \
	X(SAVE, PROGRAM, "W", "", "write the settings to the configuration file")                  \
	X(REDRAW, PROGRAM, "^L", "", "draw the screen anew")

#define TOP_COMMAND_ENUM(ID, ...) COMMAND_##ID,
enum command { COMMAND_NONE, TOP_COMMANDS(TOP_COMMAND_ENUM) COMMAND_COUNT };

struct command_info {
	const char *group; /* heading */
	const char *keys, *label, *meaning;
};

/* command from COMMAND_NONE + 1 to COMMAND_COUNT - 1 */
const struct command_info *command_get(enum command command);

/* Returns COMMAND_NONE if the key has no function. */
enum command command_of_key(int key);

/* Parses a name such as "F1", "Up", "^L", "Space" or "a". Returns TOP_KEY_NONE if it is unknown. */
int key_parse(const char *name);

#endif
